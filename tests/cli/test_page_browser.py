#!/usr/bin/env python3
"""Pages of `sepal report` in Debian's Chromium, driven by playwright-core (page_browser.js says what is looked
at): nothing on the console and nothing loaded, tables sort by click and by key, dark mode with contrast, no
scrolling sideways at 360 pixels, printing; and names that are markup do nothing. Skipped where there is no
chromium, no node, or no playwright-core in build/node (`npm install --prefix build/node playwright-core`).
Pictures of the pages stay in the folder of the test."""
import json
import os
import shutil
import subprocess
import sys

from checks import check, finish

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
MODULES = os.path.join(SOURCE, "build/node/node_modules")
CHROMIUM, NODE = shutil.which("chromium"), shutil.which("node")
if not (CHROMIUM and NODE and os.path.isdir(os.path.join(MODULES, "playwright-core"))):
    print("no chromium, node or playwright-core")
    sys.exit(77)


def run(*words):
    done = subprocess.run([SEPAL, *words], capture_output=True, text=True)
    check(done.returncode == 0, " ".join(words), done.stderr)


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
os.mkdir("pictures")
pages = ["cancer.html", "iris.html", "odd.html"]
done = subprocess.run([NODE, os.path.join(SOURCE, "tests/cli/page_browser.js"), CHROMIUM, "pictures", *pages],
                      capture_output=True, text=True, env={**os.environ, "NODE_PATH": MODULES})
check(done.returncode == 0, done.stderr)
results = json.loads(done.stdout) if done.returncode == 0 else {}
for page in pages:
    seen = results.get(page, {"checks": 0, "wrong": ["not seen"]})
    check(seen["checks"] > 50, page, "looked at", seen["checks"])
    for wrong in seen["wrong"][:10]:
        check(False, page, wrong)
finish(least=8)
