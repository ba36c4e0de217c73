#!/usr/bin/env python3
"""`sepal report` and `train --report`: one page that is well formed, loads nothing, can be used by keyboard and
screen reader as far as its markup tells, is below 1 MB and the same at any number of threads; its numbers are
those of `evaluate --json`, all digits; what stands in files (markup, quotes, very long names, letters from right
to left, control characters) is text on it and nothing else; and nothing is written on failure."""
import json
import os
import random
import re
import subprocess

from checks import check, finish
from page_parser import Page
from seeds import test_seed

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
DATA = os.path.join(SOURCE, "examples/data")
THIN = os.environ.get("SEPAL_THIN") == "1"
draw = random.Random(test_seed(14))


def run(*words, code=0):
    done = subprocess.run([SEPAL, *words], capture_output=True, text=True)
    check(done.returncode == code, " ".join(words), f"exit {done.returncode}", done.stdout[:300], done.stderr)
    return done.stdout if code == 0 else done.stdout + done.stderr


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# ---- what every page keeps -------------------------------------------------------------------------------

def check_form(what, source):
    page = Page(source)
    check(not page.problems, what, page.problems[:3])
    check(len(source.encode()) < 1 << 20, what, "below 1 MB", len(source))
    ids = [one.attributes["id"] for one in page.all() if "id" in one.attributes]
    check(len(ids) == len(set(ids)), what, "each id once")
    html = next(page.all("html"))
    check(html.attributes.get("lang") and next(page.all("title")).text(), what, "language and title")
    check(len(list(page.all("h1"))) == 1 and len(list(page.all("main"))) == 1, what, "one h1, one main")
    check(len(list(page.all("script"))) == 1, what, "one script")
    for one in page.all():
        known = one.attributes
        check(not any(name.startswith("on") for name in known), what, "no handlers in attributes")
        for name in ("aria-labelledby",):
            check(known.get(name, ids[0]) in ids, what, "label", known.get(name))
        for name, value in known.items():
            loads = name in ("src", "srcset", "data", "action", "poster") or (name in ("href", "xlink:href") and
                                                                            not value.startswith("#"))
            check(not loads and "url(http" not in (value or ""), what, "loads", name, value)
        if known.get("href"):
            check(known["href"][1:] in ids, what, "goes nowhere", known["href"])
    for style in page.all("style"):
        check("@import" not in style.text() and "url(" not in style.text(), what, "styles load")
    for table in page.all("table"):
        check(len(list(table.all("caption"))) == 1, what, "a table has a caption")
        widths = {len([c for c in row.children if c.tag in ("td", "th")]) for row in table.all("tr")}
        check(len(widths) == 1, what, "rows of one width", widths, table.text()[:60])
        check(all(c.attributes.get("scope") in ("row", "col") for c in table.all("th")), what, "scope of heads")
        if "sortable" in table.attributes.get("class", ""):
            check(all(list(h.all("button")) for h in next(table.all("thead")).all("th")), what, "buttons")
    pictures = [one for figure in page.all("figure") for div in figure.all("div") for one in div.children if one.tag == "svg"]
    for svg in pictures:
        check(svg.attributes.get("role") == "img" and next(svg.all("title")).text(), what, "a picture is named")
        own = {c for one in svg.all() for c in one.attributes.get("class", "").split()}
        styled = set(re.findall(r"\.([\w-]+)\{", next(svg.all("style")).text()))
        check(own <= styled, what, "classes have colours", own - styled)
    classes = [set(re.findall(r"\.([\w-]+)\{", style.text())) for svg in pictures for style in svg.all("style")]
    check(sum(map(len, classes)) == len(set().union(set(), *classes)), what, "pictures share no class")
    styles = "".join(style.text() for style in page.all("style"))
    check("vertical-align:bottom" in styles and "thead th{position:static}" in styles.split("@media print")[1], what,
          "names stand on the line of their cells; printed heads stay in their place")
    return page


def at(tree, path):
    for part in path.split("."):
        tree = tree[int(part)] if isinstance(tree, list) else tree[part]
    return tree


def check_numbers(what, page, judgement):
    """Every number with a key is that of the JSON; every number of its top is on the page."""
    keys = {}
    for one in page.all("data"):
        key = one.attributes.get("data-key")
        if key and not key.startswith(("fit.", "data.")):
            keys[key] = float(one.attributes["value"])
    for key, value in keys.items():
        check(at(judgement, key) == value, what, key, value)
    for key, value in judgement.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool) and key not in ("schema", "rows"):
            check(key in keys, what, f"{key} is not on the page")
    confusion = judgement.get("confusion") or []
    if 0 < len(confusion) <= 30:
        check(sum(key.startswith("confusion.") for key in keys) == sum(map(len, confusion)), what, "confusion")


def check_report(what, model, data, *options):
    run("report", model, data, "-o", "page.html", *options)
    source = read("page.html")
    page = check_form(what, source)
    check(any(dt.text() == "Minimised" for dt in page.all("dt")), what, "the objective in words")
    check_numbers(what, page, json.loads(run("evaluate", model, data, "--json", "--curves", *options)))
    return page, source


# ---- models of all kinds -----------------------------------------------------------------------------------

SPECS = ["standardize | logistic", "svm | ovo", "softmax(penalty=none)", "perceptron", "lda", "gaussian", "naive-bayes",
         "poly(degree=2) | standardize | logistic(l2=0.1)", "least-squares | ovr-1", "naive-bayes(kind=bernoulli)",
         "rbf(centres=5) | lda", "mean-difference", "fisher", "gaussian(covariance=diagonal) | ovr"]
for spec in SPECS[:1] + draw.sample(SPECS[1:], 3 if THIN else 6):
    for name in ("iris",) if spec != SPECS[0] else ("iris", "breast_cancer"):
        done = subprocess.run([SEPAL, "train", f"{DATA}/{name}.csv", "-m", spec, "-o", "m.sepal", "-q"], capture_output=True)
        if done.returncode == 2:
            spec = spec.split(" | ")[0] if "ovr" not in spec else spec
            done = subprocess.run([SEPAL, "train", f"{DATA}/{name}.csv", "-m", spec + " | ovr", "-o", "m.sepal", "-q"],
                                  capture_output=True)
        check(done.returncode == 0, spec, done.stderr)
        check_report(f"{name}, {spec}", "m.sepal", f"{DATA}/{name}.csv")
page, source = check_report("breast_cancer", "m.sepal", f"{DATA}/iris.csv")
for threads in ("1", "3"):
    run("report", "m.sepal", f"{DATA}/iris.csv", "-o", "page.html", "--threads", threads)
    again = read("page.html")
    check(re.sub(r"--threads \d", "", again) == re.sub(r"(\.csv -o page\.html)", r"\1 ", source), "threads")
run("train", f"{DATA}/breast_cancer.csv", "-m", "standardize | logistic", "-o", "c.sepal", "-q", "--cutoff", "0.9")
page, source = check_report("a cutoff", "c.sepal", f"{DATA}/breast_cancer.csv", "--positive", "benign")
check("0.9" in next(page.all("dl")).text(), "the rule is told")
with open("cost.csv", "w") as file:
    file.write(",benign,malignant\nbenign,0,1\nmalignant,5,0\n")
for words in (["--cost", "cost.csv"], ["--top-k", "2"]):
    page, source = check_report("asked for", "c.sepal", f"{DATA}/breast_cancer.csv", *words)
    keys = {one.attributes.get("data-key") for one in page.all("data")}
    check(({"cost.expected", "cost.constant.expected"} if "--cost" in words else {"top_k.accuracy"}) <= keys, words,
          "not on the page")
check_report("rejected rows", "c.sepal", f"{DATA}/breast_cancer.csv", "--decide", "reject", "--cutoff", "0.95")

# ---- training with a page ----------------------------------------------------------------------------------

facts = json.loads(run("train", f"{DATA}/iris.csv", "-m", "standardize | softmax", "-o", "i.sepal", "--report", "i.html",
                       "--holdout", "0.3", "--json"))
page = check_form("train", read("i.html"))
check(facts["objective_in_words"] in page.root.text(), "the objective in words")
check(any("how a fit went" in figure.text() for figure in page.all("figure")), "how it converged, as a picture")
check(facts["solver"] in page.root.text() and "which the model was fitted to" not in page.root.text(), "held out")
seen = {d.attributes["data-key"]: float(d.attributes["value"]) for d in page.all("data") if "data-key" in d.attributes}
check(seen["accuracy"] == facts["test"]["accuracy"] and seen["fit.gap"] == facts["gap"], "its numbers")
check(seen["fit.train.accuracy"] == facts["train"]["accuracy"] and seen["fit.objective"] == facts["objective"], "and")
labels = [line.rsplit(",", 1)[1] for line in read(f"{DATA}/iris.csv").split()[1:]]
looked = [row for table in page.all("table") if "least sure of" in table.text() or "most sure of" in table.text()
          for row in next(table.all("tbody")).all("tr")]
check(len(looked) >= 10, "rows to look at", len(looked))
for row in looked:
    cells = [cell for cell in row.children if cell.tag in ("td", "th")]
    number = int(float(next(cells[0].all("data")).attributes["value"]))
    check(labels[number - 1] == cells[1].text().strip(), "held-out rows have their numbers in the file", number)
with open("train.json", "w") as file:
    file.write(run("train", f"{DATA}/iris.csv", "-m", "lda", "-o", "l.sepal", "--report", "l.html", "--json"))
check("which the model was fitted to" in Page(read("l.html")).root.text(), "on its training rows")
with open("two.csv", "w") as file:
    file.writelines(line + "\n" for line in read(f"{DATA}/iris.csv").split() if "virginica" not in line)
check_report("with --fit", "l.sepal", f"{DATA}/iris.csv")
run("report", "l.sepal", f"{DATA}/iris.csv", "-o", "fit.html", "--fit", "train.json")
words = json.loads(read("train.json"))["objective_in_words"]
check(words in Page(read("fit.html")).root.text(), "--fit")
with open("logistic.json", "w") as file:
    file.write(run("train", "two.csv", "-m", "logistic", "-o", "g.sepal", "--json"))
page, _ = check_report("without --fit", "g.sepal", "two.csv")
run("report", "g.sepal", "two.csv", "-o", "fit.html", "--fit", "logistic.json")
exact, general = "l2 = 0.01 (C = 1, ratio = 0)", "l1 + l2 = 1/(C·rows)"
check(exact in Page(read("fit.html")).root.text() and exact not in page.root.text(), "the objective with its numbers")
check(general in page.root.text() and general not in Page(read("fit.html")).root.text(), "the objective in general")

run("train", f"{DATA}/iris.csv", "-m", "lda(shrinkage=0.5)", "-o", "l2.sepal", "-q")
for change, word in (({}, None), ({"spec": "lda()"}, "spec"), ({"features": 3}, "number of features"),
                     ({"classes": ["setosa", "versicolor"]}, "classes"), ({"classes": ["a", "b", "c"]}, "classes")):
    with open("other.json", "w") as file:
        json.dump(dict(json.loads(read("train.json")), **change), file)
    said = run("report", "l.sepal", f"{DATA}/iris.csv", "-o", "other.html", "--fit", "other.json", code=3 if word else 0)
    check(word is None or f"another {word}" in said, "--fit of another model", change, said)
run("report", "l2.sepal", f"{DATA}/iris.csv", "-o", "other.html", "--fit", "train.json", code=3)

# ---- what files may hold: it is text -------------------------------------------------------------------------

LABELS = ['<script>alert(1)</script>', 'a"b\'c', '&amp;&lt;', '</style><b>', 'שלום\u202eabc', "x" * 3000]
NAMES = ['<img src=x onerror=alert(2)>', '"><svg onload=1>', "]]>--><!--", 'עברית', "long " * 400, "sepal-f1 sepal-s1"]


def cell(text):
    return '"' + text.replace('"', '""') + '"'


with open("odd.csv", "w", encoding="utf-8") as file:
    file.write(",".join(map(cell, [*NAMES, "class"])) + "\n")
    for i in range(120):
        k = i % len(LABELS)
        row = [f"{draw.gauss(j == k, 0.8):.3f}" for j in range(len(NAMES) - 1)]
        file.write(",".join([*row, cell(draw.choice(["<i>u</i>", "&", "'"])), cell(LABELS[k])]) + "\n")
run("train", "odd.csv", "-m", "logistic", "-o", "odd.sepal", "-q")
page, source = check_report("odd names", "odd.sepal", "odd.csv")
texts = [one.text() for one in page.all("bdi")]
for text in LABELS + NAMES[:5]:
    check(text.strip() in [t.strip() for t in texts] or text in texts, "as it is", text[:40])
check(not list(page.all("img")) and not list(page.all("b")), "no elements of theirs")
check("sepal-f1 sepal-s1=&amp;" in source or "sepal-f1 sepal-s1=&lt;i&gt;" in source, "a name that looks like a class")
run("train", "odd.csv", "-m", "logistic", "-o", "odd.sepal", "-q", "--report", "a'b <c>.html")
page = check_form("a name of a file", read("a'b <c>.html"))
check(any("'a'\\''b <c>.html'" in code.text() for code in page.all("code")), "quoted for a shell")

# ---- wide and many, sets of labels, nothing there ---------------------------------------------------------------

with open("wide.svm", "w") as file:
    for i in range(300):
        columns = sorted(draw.sample(range(1, 5000), 20))
        file.write(f"{i % 100} " + " ".join(f"{j}:{draw.random():.3f}" for j in columns) + "\n")
run("train", "wide.svm", "-m", "naive-bayes", "-o", "w.sepal", "-q")
check_report("wide", "w.sepal", "wide.svm")
with open("long.csv", "w") as file:
    file.write("a,b,class\n")
    file.writelines(f"{draw.gauss(i % 3, 1):.3f},{draw.gauss(i % 3 == 1, 1):.3f},c{i % 3}\n" for i in range(20000))
run("train", "long.csv", "-m", "softmax", "-o", "n.sepal", "-q")
page, _ = check_report("many rows", "n.sepal", "long.csv")
figures = list(page.all("figure"))
check(len(figures) == 8 and all(len(list(figure.all("title"))) == 2 for figure in figures),
      "all pictures, for a desk and for a phone", len(figures))
with open("sets.svm", "w") as file:
    for i in range(60):
        labels = ",".join(str(k) for k in (1, 2, 3) if draw.random() < 0.5)
        file.write(f"{labels} 1:{draw.random():.3f} 2:{draw.random():.3f}\n")
run("train", "sets.svm", "-m", "multilabel", "-o", "s.sepal", "-q")
check_report("label sets", "s.sepal", "sets.svm")
with open("holes.csv", "w") as file:
    file.write("a,b,class\n")
    for i in range(60):
        file.write(f"{draw.gauss(i % 2, 1):.3f},{'' if i % 9 == 2 else i % 5},{'yes' if i % 2 else 'no'}\n")
for missing in ("mean", "indicator", "drop"):
    run("train", "holes.csv", "-m", "logistic", "--missing", missing, "-o", "h.sepal", "-q")
    check_report(f"missing={missing}", "h.sepal", "holes.csv")

# ---- failures write nothing --------------------------------------------------------------------------------------

for words, code in ((["m.sepal", f"{DATA}/iris.csv"], 2), (["m.sepal", "absent.csv", "-o", "no.html"], 3),
                    (["holes.csv", "m.sepal", "-o", "no.html"], 4), (["m.sepal", "holes.csv", "-o", "no.html"], 3),
                    (["m.sepal", f"{DATA}/iris.csv", "-o", "no/where.html"], 6),
                    (["m.sepal", f"{DATA}/iris.csv", "-o", "no.html", "--fit", "holes.csv"], 3),
                    (["m.sepal", f"{DATA}/iris.csv", "-o", "no.html", "--positive", "nobody"], 2),
                    (["m.sepal", f"{DATA}/iris.csv", "-o", "-", "--json"], 2)):
    run("report", *words, code=code)
run("train", f"{DATA}/iris.csv", "-m", "perceptron(epochs=1)", "--strict", "--report", "no.html", "-q", code=5)
run("train", f"{DATA}/iris.csv", "-m", "perceptron", "--report", "no.html", "--positive", "nobody", code=2)
check(not os.path.exists("no.html") and not [f for f in os.listdir(".") if f.endswith(".tmp")], "nothing is written")
finish(least=2000)
