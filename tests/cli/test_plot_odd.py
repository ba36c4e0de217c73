#!/usr/bin/env python3
"""Odd labels are escaped and cut; one column, ten thousand, thirty classes and points all in one place have a
picture each; what cannot be drawn is refused in words, and leaves no file."""
import csv
import json
import os
import random
import re

from checks import check, finish
from picture import SOURCE, SVG, draw, must, run
from seeds import test_seed

random.seed(test_seed(12))
OF = {kind: ["{m}", "{d}"] for kind in ("regions", "projection", "confusion", "roc", "pr", "calibration", "coverage")}
OF |= {"coefficients": ["{m}"], "losses": []}
IRIS = f"{SOURCE}/examples/data/iris.csv"
KINDS = [kind["name"] for kind in json.loads(must("list", "plots", "--json").stdout)["plots"]]

# ---- Odd labels --------------------------------------------------------------------------------------

ODD = ["<b>bold</b>", 'a "quoted" & <!-- label', "x" * 500, "Ünïcödé 字", "]]>", "&amp;", "%s%n", "{label}"]
with open("odd.csv", "w", newline="") as file:
    out = csv.writer(file)
    out.writerow(["<x>&", 'y"', "class"])
    for i in range(16 * len(ODD)):
        k = i % len(ODD)
        out.writerow([k % 3 + random.gauss(0, 0.3), k // 3 + random.gauss(0, 0.3), ODD[k]])
must("train", "odd.csv", "-m", "standardize | logistic", "-o", "odd.sepal", "-q")
for kind, words in OF.items():
    words = [word.format(m="odd.sepal", d="odd.csv") for word in words]
    data, root = draw(f"odd-{kind}", kind, *words)
    must("plot", kind, *words, "--term")
data, root = draw("odd-title", "losses", "--title", "<i>&\x01'\"")
check(root is not None and root.find(SVG + "title").text.startswith("<i>&\ufffd'\""), "the title is not as given")

# ---- What cannot be drawn ------------------------------------------------------------------------------

open("two.csv", "w").writelines([line for line in open(IRIS) if "virginica" not in line])
must("train", "two.csv", "-m", "perceptron", "--only", "petal_length,petal_width", "--trace", "p.jsonl", "-q")
must("train", IRIS, "-m", "standardize | logistic(C=0.1)", "-o", "iris.sepal", "-q")
must("train", "two.csv", "-m", "standardize | perceptron", "--trace", "maps.jsonl", "-q")
must("train", "two.csv", "-m", "perceptron", "--trace", "four.jsonl", "-q")
must("train", "two.csv", "-m", "perceptron(variant=batch)", "--trace", "batch.jsonl", "-q")
must("train", "two.csv", "-m", "perceptron(variant=minibatch)", "--trace", "mini.jsonl", "-q")
lines = open("two.csv").read().splitlines()
open("turned.csv", "w").write("\n".join(lines[:1] + lines[:0:-1]) + "\n")
open("doubled.csv", "w").write("\n".join(lines[:1] + [f"{float(line.split(',')[0]) * 2 - 9:.1f},{line.split(',', 1)[1]}"
                                                     for line in lines[1:]]) + "\n")
open("short.csv", "w").write("\n".join(lines[:3] + lines[-3:]) + "\n")
with open("path.json", "wb") as file:
    file.write(must("tune", "two.csv", "-m", "standardize | logistic(penalty=l1)", "--path", "--json").stdout)
must("train", "two.csv", "-m", "svm", "-o", "svm.sepal", "-q")
must("train", IRIS, "-m", "svm", "-o", "svm3.sepal", "-q")
open("empty.json", "w").write("{}")
open("closed.json", "wb").write(must("train", "two.csv", "-m", "lda", "--json").stdout)
open("empty.jsonl", "w").write("")
must("train", "two.csv", "-m", "logistic", "--only", "petal_length", "-o", "narrow.sepal", "-q")
open("broken.json", "w").write('{"a":')
open("lines.jsonl", "w").write('{"epoch":1}\n{"epoch":\n')
open("deep.json", "w").write("[" * 100)
REFUSED = [
    (["nothing"], 2, "there is no picture 'nothing'"),
    (["region", "iris.sepal", IRIS, "-o", "x.svg"], 2, "did you mean 'regions'"),
    (["regions", "iris.sepal", IRIS], 2, "-o regions.svg"),
    (["regions", "iris.sepal", "-o", "x.svg"], 2, "regions is drawn of MODEL DATA"),
    (["losses", "iris.sepal", "-o", "x.svg"], 2, "drawn of nothing"),
    (["losses", "-o", "x.gif"], 2, "none of svg, png and pdf"),
    (["losses", "-o", "-"], 2, "add --to svg"),
    (["losses", "-o", "/nonexistent/x.svg"], 6, "/nonexistent/x.svg"),
    (["losses", "-o", "x.svg", "--width", "10"], 2, "--width is from 240"),
    (["losses", "--term", "--width", "5000"], 2, "--width is from 40"),
    (["losses", "--term", "--theme", "auto"], 2, "only svg can follow"),
    (["losses", "--term", "--to", "svg"], 2, "contradict"),
    (["losses", "-o", "x.svg", "--points", "10"], 2, "points"),
    (["losses", "-o", "x.svg", "--cutoff", "0.2"], 2, "judges no model"),
    (["regions", "iris.sepal", IRIS, "-o", "x.svg", "--x", "petal_width"], 2, "both --x COL and --y COL"),
    (["regions", "iris.sepal", IRIS, "-o", "x.svg", "--x", "1", "--y", "none"], 2, "there is no column 'none'"),
    (["regions", "iris.sepal", IRIS, "-o", "x.svg", "--x", "1", "--y", "sepal_length"], 2, "are the same column"),
    (["regions", "iris.sepal", IRIS, "-o", "x.svg", "--x", "0", "--y", "2"], 2, "there is no column '0'"),
    (["calibration", "svm.sepal", "two.csv", "-o", "x.svg"], 4, "this model has none"),
    (["coverage", "svm.sepal", "two.csv", "-o", "x.svg"], 4, "this model has none"),
    (["cost", "svm3.sepal", IRIS, "-o", "x.svg"], 4, "two weights of two classes"),
    (["trace", IRIS, "p.jsonl", "-o", "x.svg"], 3, "3 classes"),
    (["trace", "two.csv", "p.jsonl", "-o", "x.svg"], 3, "2 weights and the data 4 columns"),
    (["trace", "two.csv", "maps.jsonl", "-o", "x.svg"], 3, "sepal transform"),
    (["trace", "turned.csv", "four.jsonl", "-o", "x.svg"], 3, "not of these rows"),
    (["trace", "short.csv", "four.jsonl", "-o", "x.svg"], 3, "not of these rows"),
    (["trace", "doubled.csv", "batch.jsonl", "-o", "x.svg"], 3, "by its weights"),
    (["trace", "two.csv", "path.json", "-o", "x.svg"], 3, "is no trace"),
    (["roc", "empty.json", "-o", "x.svg"], 3, "no curves"),
    (["confusion", "empty.json", "-o", "x.svg"], 3, "no confusion matrix"),
    (["path", "empty.json", "-o", "x.svg"], 3, "no path"),
    (["tuning", "empty.json", "-o", "x.svg"], 3, "no grid"),
    (["learning", "empty.json", "-o", "x.svg"], 3, "no curve"),
    (["convergence", "empty.json", "-o", "x.svg"], 3, "no trace"),
    (["convergence", "empty.jsonl", "-o", "x.svg"], 3, "file is empty"),
    (["convergence", "closed.json", "-o", "x.svg"], 3, "no progress"),
    (["cost", "narrow.sepal", "two.csv", "-o", "x.svg"], 4, "of two columns"),
    (["path", "broken.json", "-o", "x.svg"], 3, "broken.json"),
    (["path", "deep.json", "-o", "x.svg"], 3, "deep.json"),
    (["path", "absent.json", "-o", "x.svg"], 3, "absent.json"),
    (["path", "two.csv", "-o", "x.svg"], 3, "two.csv: this is no report"),
    (["convergence", "lines.jsonl", "-o", "x.svg"], 3, "lines.jsonl:2"),
    (["path", "path.json", "-o", "path.json", "--to", "svg"], 2, "would be lost"),
]
for words, code, text in REFUSED:
    done = run("plot", *words)
    said = done.stderr.decode()
    check(done.returncode == code and text in said, words, f"exit {done.returncode}, not {code}: {said}")
    check(not done.stdout and not os.path.exists("x.svg"), words, "something was written")

# a trace that tells its rows, and one that does not
for name, checked in (("four", True), ("batch", True), ("mini", False)):
    text = draw(f"trace-{name}", "trace", "two.csv", f"{name}.jsonl")[0].decode()
    check(("cannot be checked" in text) != checked, name, "whether its rows were checked")
    check(("; the bound" in text) == (name == "four"), name, "only steps on one row each have a bound")

# reports of any shape are drawn or refused, never worse
shapes = [None, 1, "x", [], {}, [[]], [[1]], [{"label": 1}], [{"points": [[1]]}], {"points": [{"x": []}]},
          {"points": [{"values": [], "valid": 3}]}, [{"bins": [1]}], {"points": 3}]
keys = ["curves", "confusion", "labels", "path", "tuning", "curve", "lines", "roc", "pr", "calibration", "coverage"]
for i in range(150 if os.environ.get("SEPAL_THIN") != "1" else 20):
    report = {key: random.choice(shapes) for key in random.sample(keys, 5)}
    report["curves"] = {key: random.choice(shapes) for key in keys[-4:]}
    json.dump(report, open("shape.json", "w"))
    kind = random.choice([k for k in KINDS if k in ("roc", "pr", "calibration", "coverage", "confusion", "path", "tuning",
                                                    "learning", "convergence")])
    done = run("plot", kind, "shape.json", "-o", "-", "--to", "svg")
    check(done.returncode in (0, 3, 4), kind, report, done.returncode, done.stderr)

# all points in one place, one column, many columns, many classes
open("equal.csv", "w").write("a,b,class\n" + "".join(f"1,1,{'xy'[i % 2]}\n" for i in range(20)))
open("one.csv", "w").write("a,class\n" + "".join(f"{random.gauss(i % 2, 1)},{'xy'[i % 2]}\n" for i in range(60)))
with open("wide.svm", "w") as file:
    for i in range(40):
        file.write(f"{i % 2} " + " ".join(f"{j}:{random.gauss(i % 2 * (j % 50 == 0), 1):.3f}" for j in range(1, 10001, 70)))
        file.write(" 10000:1\n")
with open("many.csv", "w") as file:
    file.write("a,b,c,class\n")
    file.writelines(f"{random.gauss(k % 6, 0.2)},{random.gauss(k // 6, 0.2)},{random.random()},kind{k}\n"
                    for k in list(range(30)) * 5)
for name, data, spec in (("equal", "equal.csv", "logistic"), ("one", "one.csv", "logistic"),
                         ("wide", "wide.svm", "logistic"), ("many", "many.csv", "lda")):
    must("train", data, "-m", spec, "-o", f"{name}.sepal", "-q")
    for kind in ("regions", "projection", "confusion", "coefficients", "roc", "pr", "calibration"):
        text = draw(f"{name}-{kind}", kind, f"{name}.sepal", *([data] if kind != "coefficients" else []))[0].decode()
        few = name == "many" and kind in ("projection", "roc", "pr", "calibration")
        check(("12 of 30 classes are drawn" in text) == few, name, kind, "whether some of many classes are drawn")
        if name == "many" and kind in ("regions", *(("projection", "roc") if few else ())):
            shown = sum(f"kind{k}</text>" in text for k in range(30))
            check(shown == (12 if few else 30), kind, "classes in the legend", shown)
    must("report", f"{name}.sepal", data, "-o", f"{name}.html")
    check(os.path.getsize(f"{name}.html") < 1 << 20, name, "a page below 1 MB")
full = run("plot", "losses", "-o", "/dev/full", "--to", "svg")
check(full.returncode == 6 and b"No space left" in full.stderr, "a full disk", full.stderr)

# ---- A boundary out of sight: what all rows are taken for; one nearby is in sight ----------------------------

points = [(x + 20, y + 20, label) for label, at in (("low", 0), ("high", 3)) for x in (at, at + 1) for y in (at, at + 1)]
open("far.csv", "w").write("a,b,class\n" + "".join(f"{x},{y},{label}\n" for x, y, label in points))
must("train", "far.csv", "-m", "perceptron(epochs=500)", "--trace", "far.jsonl", "-q")
strip = draw("far", "trace", "far.csv", "far.jsonl")[0].decode()
check(re.search(r">all as (low|high)</text>", strip), "far: no frame says what all rows are taken for")
strip = draw("near", "trace", "two.csv", "p.jsonl", "--only", "petal_length,petal_width")[0].decode()
check("all as" not in strip, "near: the boundaries are in sight")
finish(500)
