#!/usr/bin/env python3
"""Every kind of picture of the bundled sets is well-formed XML, with all text on the page and no two texts one over
the other; the same command draws the same bytes on any number of threads; PNG and PDF are such files, or it is said
what they need."""
import json
import os
import struct
import time

from checks import check, finish
from picture import SOURCE, draw, must, run

# ---- Every kind of every set ---------------------------------------------------------------------

SETS = ["iris", "wine", "breast_cancer", "digits"]
KINDS = [kind["name"] for kind in json.loads(must("list", "plots", "--json").stdout)["plots"]]
# kind: what stands behind it; what is not here is named below
OF = {kind: ["{m}", "{d}"] for kind in ("regions", "projection", "confusion", "roc", "pr", "calibration", "coverage")}
OF |= {"coefficients": ["{m}"], "losses": []}
drawn = set()

for name in SETS:
    data = f"{SOURCE}/examples/data/{name}.csv"
    must("train", data, "-m", "standardize | logistic(C=0.1)", "-o", f"{name}.sepal", "-q")
    for kind, words in OF.items():
        words = [word.format(m=f"{name}.sepal", d=data) for word in words]
        for theme in ("light", "dark", "auto") if name == "iris" else ("light",):
            svg, _ = draw(f"{kind}-{name}-{theme}", kind, *words, "--theme", theme)
            check("…".encode() not in svg, kind, name, "cuts a label short")
        done = must("plot", kind, *words, "--term")
        lines = done.stdout.decode().split("\n")
        check(len(lines) == 25 and max(map(len, lines)) <= 80, kind, name, "term", len(lines))
        drawn.add(kind)

IRIS, CANCER = (f"{SOURCE}/examples/data/{name}.csv" for name in ("iris", "breast_cancer"))
two = [line for line in open(IRIS) if "virginica" not in line]
open("two.csv", "w").writelines(two)
must("train", "two.csv", "-m", "perceptron", "--only", "petal_length,petal_width", "--trace", "p.jsonl", "-q")
fit = json.loads(must("train", "two.csv", "-m", "perceptron", "--only", "petal_length,petal_width", "--json").stdout)
must("train", IRIS, "-m", "logistic", "--solver", "sgd", "--trace", "s.jsonl", "-q")
must("train", "two.csv", "-m", "standardize | logistic", "-o", "two.sepal", "-q")
with open("path.json", "wb") as file:
    file.write(must("tune", CANCER, "-m", "standardize | logistic(penalty=l1)", "--path", "--json").stdout)
spread = lambda mean: {"mean": mean, "std": 0.02, "standard_error": 0.01}
tuning = {"metric": "accuracy", "better": "more", "parameters": [{"name": "C", "log": True}], "chosen": {"index": 1},
          "points": [{"values": {"C": 10.0**k, "loss": loss}, "train": spread(0.9 + k / 50), "valid": spread(0.9 - k / 90)}
                     for k in range(4) for loss in ("hinge", "squared_hinge")]}
json.dump({"spec": "svm", "tuning": tuning}, open("tuning.json", "w"))
curve = {"kind": "learning", "x_name": "rows", "metric": "accuracy", "log": False,
         "points": [{"x": n, "rows": n, "train": spread(1 - n / 5000), "valid": spread(0.7 + n / 1000)} for n in (20, 60, 120)]}
json.dump({"spec": "svm", "curve": curve}, open("curve.json", "w"))
words_curve = dict(curve, kind="validation", x_name="loss")
words_curve["points"] = [dict(p, x=w) for p, w in zip(curve["points"], ("hinge", "squared_hinge", "<&>"))]
json.dump({"spec": "svm", "curve": words_curve}, open("words.json", "w"))

REST = {"trace": ["two.csv", "p.jsonl", "--only", "petal_length,petal_width"], "cost": ["two.sepal", "two.csv"],
        "convergence": ["s.jsonl"], "path": ["path.json"], "tuning": ["tuning.json"], "learning": ["curve.json"]}
for kind, words in REST.items():
    for theme in ("light", "dark"):
        data, root = draw(f"{kind}-{theme}", kind, *words, "--theme", theme)
    must("plot", kind, *words, "--term")
    drawn.add(kind)
draw("words", "learning", "words.json")
draw("updates", "convergence", "p.jsonl")
for spec, key, word in (("softmax", "objective", "iteration"), ("perceptron", "mistakes", "epoch"), ("svm | ovr", None, "iteration")):
    open("fit.json", "wb").write(must("train", IRIS, "-m", spec, "--json").stdout)
    told = json.load(open("fit.json"))
    text = draw(f"fit-{key}", "convergence", "fit.json")[0].decode()
    check(f">{word}</text>" in text, spec, "the x axis is named")
    parts = [told] if key else told["problems"]
    check(len(parts) == (1 if key else 3), spec, "problems")
    for part in parts:
        numbers, values = part["progress"]["iterations"], part["progress"]["values"]
        check(1 < len(values) == len(numbers) <= 128 and sorted(set(numbers)) == numbers, spec, part["progress"])
        check(key == "mistakes" or (values[-1], numbers[-1]) == (part["objective"], part["iterations"]), spec, values[-1])
        check(part["progress"]["of"] == (key or "objective"), spec, part["progress"]["of"])
check(drawn == set(KINDS), "kinds that are not drawn here", set(KINDS) ^ drawn)
for kind, words in (("learning", "curve.json"), ("tuning", "tuning.json")):
    check(b"a standard error over the folds" in draw(f"{kind}-note", kind, words)[0], kind, "bars are standard errors")
only_std = dict(curve, points=[dict(p, valid={"mean": 0.8, "std": 0.02}) for p in curve["points"]])
json.dump({"spec": "svm", "curve": only_std}, open("std.json", "w"))
check(b"a standard deviation over the folds" in draw("std", "learning", "std.json")[0], "bars are standard deviations")
must("train", "two.csv", "-m", "standardize | logistic", "-o", "kept.sepal", "-q", "--cutoff", "0.9")
for model in ("two", "kept"):
    told = b"a rule or cutoff of its own" in draw(f"cut-{model}", "projection", f"{model}.sepal", "two.csv")[0]
    check(told == (model == "kept"), model, "the cut is at the score's zero")
degrees = dict(curve, kind="validation", x_name="degree")
degrees["points"] = [dict(p, x=k + 1) for k, p in enumerate(curve["points"][:2])]
json.dump({"spec": "svm", "curve": degrees}, open("degrees.json", "w"))
ticks = [text.text for text in draw("degrees", "learning", "degrees.json")[1].iter("{http://www.w3.org/2000/svg}text")]
check("1" in ticks and "2" in ticks and "1.5" not in ticks and "1.50" not in ticks, "degrees are whole", ticks)
open("one_each.jsonl", "w").write("".join(f'{{"update":{k},"epoch":{k}}}\n' for k in (1, 2, 3)))
ticks = [text.text for text in draw("one-each", "convergence", "one_each.jsonl")[1].iter("{http://www.w3.org/2000/svg}text")]
check("1" in ticks and not any("." in tick for tick in ticks), "updates are whole", ticks)
strip = draw("bound", *["trace", *REST["trace"]])[0].decode()
check(f"{fit['perceptron']['updates']} updates; the bound" in strip, "trace: the number of updates")
check(f"allows {int(fit['perceptron']['bound'])}." in strip, "trace: the bound", fit["perceptron"]["bound"])

# ---- The same bytes ------------------------------------------------------------------------------

for kind, words in {"regions": ["iris.sepal", IRIS], "projection": ["iris.sepal", IRIS], **REST}.items():
    first = must("plot", kind, *words, "-o", "-", "--to", "svg", "--threads", 1).stdout
    for threads in (2, 7):
        same = must("plot", kind, *words, "-o", "-", "--to", "svg", "--threads", threads).stdout == first
        check(same, kind, threads, "threads change the bytes")

# ---- PNG and PDF ---------------------------------------------------------------------------------------

done = run("plot", "regions", "iris.sepal", IRIS, "-o", "iris.png", "--width", 500, "--height", 300)
if done.returncode == 0:
    png = open("iris.png", "rb").read()
    check(png[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", png[16:24]) == (500, 300), "the PNG is not 500 x 300")
    check(png[-8:-4] == b"IEND", "the PNG does not end")
    first = must("plot", "roc", "iris.sepal", IRIS, "-o", "-", "--to", "pdf").stdout
    time.sleep(1.1)
    check(must("plot", "roc", "iris.sepal", IRIS, "-o", "-", "--to", "pdf").stdout == first, "the PDF has a date")
    check(first.startswith(b"%PDF-") and first.rstrip().endswith(b"%%EOF"), "this is no PDF")
else:
    check(done.returncode == 2 and b"png needs cairo" in done.stderr and b"libcairo2" in done.stderr, done.stderr)
    check(not os.path.exists("iris.png"), "a refused picture left a file")
finish(500)
