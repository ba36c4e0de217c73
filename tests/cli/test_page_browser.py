#!/usr/bin/env python3
"""Pages of `sepal report` in Debian's Chromium (tests/chromium.py): nothing on the console and nothing loaded, tables
sort by click and by key, dark mode with contrast, no scrolling sideways and no tiny letters at 360 pixels, what a screen
reader is told, printing; and names that are markup do nothing. Skipped where there is no chromium. Pictures of the
pages stay in the folder of the test."""
import os
import re
import subprocess
import sys

from checks import check, finish
from chromium import open_browser

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
LOOK = """(() => {
  const color = (e, what) => getComputedStyle(e)[what], body = document.body;
  const letters = [...document.querySelectorAll('figure svg')].flatMap(svg => [...svg.querySelectorAll('text')]
    .map(t => parseFloat(getComputedStyle(t).fontSize) * svg.getScreenCTM().a));
  return { wide: document.documentElement.scrollWidth, back: color(body, 'backgroundColor'), text: color(body, 'color'),
    soft: color(document.querySelector('dt, .soft'), 'color'), link: color(document.querySelector('nav a'), 'color'),
    smallest: Math.min(...letters), letters: letters.length };
})()"""
KEYS = """(table, i) => [...document.querySelectorAll('table.sortable')[table].tBodies[0].rows].map(row => {
  const data = row.cells[i].querySelector('data');
  return data ? Number(data.value) : row.cells[i].textContent.trim();
})"""
ORDER = """(table, i) => {
  const t = document.querySelectorAll('table.sortable')[table], told = t.tHead.rows[0].cells[i].getAttribute('aria-sort');
  const values = (%s)(table, i), numbers = values.filter(v => typeof v === 'number' && !isNaN(v));
  const list = numbers.length ? numbers : values, sign = told === 'ascending' ? 1 : -1;
  const order = (a, b) => typeof a === 'number' ? a - b : a.localeCompare(b);
  return { told, rows: values.length, sorted: list.every((v, k) => k === 0 || sign * order(list[k - 1], v) <= 0),
    heads: t.querySelectorAll('[aria-sort]').length };
}""" % KEYS
HEAD = """(table, i, focus) => {
  const b = document.querySelectorAll('table.sortable')[table].tHead.rows[0].cells[i].querySelector('button');
  b.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  if (focus) b.focus();
  const r = b.getBoundingClientRect();
  return [r.x + r.width / 2, r.y + r.height / 2];
}"""


def run(*words):
    done = subprocess.run([SEPAL, *words], capture_output=True, text=True)
    check(done.returncode == 0, " ".join(words), done.stderr)


def luminance(color):
    parts = [float(c) / 255 for c in re.findall(r"[\d.]+", color)[:3]]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def sort_tables(tab, page):
    """The first table by keys, the others by clicks; each column twice."""
    tables = tab.value("[...document.querySelectorAll('table.sortable')].map(t => t.tHead.rows[0].cells.length)")
    for table, columns in enumerate(tables):
        for i in range(columns):
            before = tab.value(f"({KEYS})({table}, {i}).length")
            for _ in range(2):
                x, y = tab.value(f"({HEAD})({table}, {i}, {'true' if table == 0 else 'false'})")
                tab.press("Enter") if table == 0 else tab.click(x, y)
                seen = tab.value(f"({ORDER})({table}, {i})")
                check(seen["told"] in ("ascending", "descending") and seen["sorted"], page, table, i, seen)
                check(seen["rows"] == before and seen["heads"] == 1, page, table, i, "rows lost, or two heads", seen)
    return len(tables)


def use(tab, page):
    tab.press("Tab")
    check(tab.value("document.activeElement.className") == "skip", page, "the first stop leads past the contents")
    roles = tab.roles()
    named = [name for role, name in roles if role == "region" and name]
    check(len(named) >= tab.value("document.querySelectorAll('table').length"), page, "a table is a region with a name")
    pictures = [name for role, name in roles if role in ("image", "img", "graphics-document")]
    check(len(pictures) >= tab.value("document.querySelectorAll('figure').length") and all(pictures), page,
          "a picture has a name", pictures)
    check(sort_tables(tab, page) > 0, page, "tables to sort")
    lost = tab.value("[...document.querySelectorAll('nav a')].map(a => a.getAttribute('href'))"
                     ".filter(name => document.querySelectorAll(name).length !== 1)")
    check(lost == [], page, "links to nowhere", lost)
    tab.media("print", "light")
    check(tab.value("getComputedStyle(document.querySelector('nav')).display") == "none", page, "contents are not printed")
    check(tab.value("[...document.querySelectorAll('.wide')].every(d => getComputedStyle(d).overflowY === 'visible')"),
          page, "tables are printed whole")
    pdf = tab.pdf()
    check(pdf.startswith(b"%PDF") and len(pdf) > 10000, page, "it prints", len(pdf))
    with open(f"pictures/{page}.pdf", "wb") as file:
        file.write(pdf)


def look(browser, page):
    backs = {}
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 360), ("dark", 360)):
        tab = browser.tab(width, 800, scheme)
        tab.go(page)
        seen = tab.value(LOOK)
        check(seen["wide"] <= width, page, scheme, width, f"{seen['wide']} pixels wide")
        check(seen["letters"] > 20 and seen["smallest"] >= 9.5, page, width, "smallest letters", seen["smallest"])
        for part in ("text", "soft", "link"):
            check(contrast(seen[part], seen["back"]) >= 4.5, page, scheme, "contrast of", part)
        backs[scheme] = luminance(seen["back"])
        tab.screenshot(f"pictures/{page}-{scheme}-{width}.png")
        if (scheme, width) == ("light", 1280):
            use(tab, page)
        for wrong in tab.said():
            check(False, page, scheme, wrong)
        tab.close()
    check(backs["light"] > 0.8 and backs["dark"] < 0.1, page, "dark is dark and light is light", backs)


def make_pages():
    data = os.path.join(SOURCE, "examples/data")
    run("train", f"{data}/breast_cancer.csv", "-m", "standardize | logistic", "--holdout", "0.3", "-q", "--report", "cancer.html")
    run("train", f"{data}/iris.csv", "-m", "softmax(penalty=none)", "-q", "-o", "m.sepal")
    run("report", "m.sepal", f"{data}/iris.csv", "-o", "iris.html")
    with open("odd.csv", "w", encoding="utf-8") as file:
        file.write('"<img src=x onerror=alert(1)>","' + "w" * 500 + '",class\n')
        for i in range(60):
            label = ("<script>alert(1)</script>", "\u05e9\u05dc\u05d5\u05dd\u202eabc", "x" * 2000)[i % 3]
            file.write(f'{i % 7},{i % 3 + i % 2},"{label}"\n')
    run("train", "odd.csv", "-m", "lda", "-q", "--report", "odd.html")
    return ["cancer.html", "iris.html", "odd.html"]


opened = open_browser()
if opened is None:
    print("there is neither chromium-headless-shell nor chromium")
    sys.exit(77)
os.mkdir("pictures")
with opened as browser:
    for page in make_pages():
        look(browser, page)
    # a page that does what none may is found out, each thing by its own check
    with open("bad.html", "w") as file:
        file.write('<body style="width:900px"><nav><a href="#a">a</a></nav><p class=soft>b<img src="nowhere.png">'
                   "<script>console.log(1); undefined.x</script>")
    tab = browser.tab(360)
    tab.go("bad.html")
    said = " ".join(tab.said())
    check(all(word in said for word in ("console:", "error:", "loads ")), "what a page does is heard", said)
    check(tab.value(LOOK.replace("Math.min(...letters)", "0"))["wide"] > 360, "what is too wide is seen")
finish(least=200)
