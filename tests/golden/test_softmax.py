#!/usr/bin/env python3
"""Weights of softmax against those of scikit-learn (make_softmax.py wrote them down)."""
import json
import os
import subprocess

from checks import check, finish

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]


def sepal(*words):
    return json.loads(subprocess.run([SEPAL, *words], capture_output=True, text=True, check=True).stdout)


def fit(case, pattern):
    data = os.path.join(SOURCE, "examples/data", f"{case['data']}.csv")
    words = ["--tol", "1e-13", "--json", "-q", "-o", "m.sepal"]
    if case["weighted"]:
        with open(data) as file:
            rows = sum(1 for _ in file) - 1
        with open("weights.txt", "w") as out:
            out.writelines(f"{pattern[i % len(pattern)]}\n" for i in range(rows))
        words += ["--weights", "weights.txt"]
    report = sepal("train", data, "-m", case["spec"], *words)
    check(report["gap"] < 1e-9, case["data"], case["spec"], "gap", report["gap"])
    return sepal("inspect", "m.sepal", "--json")


with open(os.path.join(SOURCE, "tests/golden/softmax.json")) as file:
    golden = json.load(file)
for case in golden["cases"]:
    model = fit(case, golden["row_weights"])
    mine = [[*w, b] for w, b in zip(model["weights"], model["bias"], strict=True)]
    theirs = [[*w, b] for w, b in zip(case["weights"], case["bias"], strict=True)]
    if "bias=false" not in case["spec"]:
        check(abs(sum(model["bias"])) < 1e-9, case["spec"], "the intercepts do not add up to 0")
    for k, (ours, his) in enumerate(zip(mine, theirs, strict=True)):
        for j, (x, y) in enumerate(zip(ours, his, strict=True)):
            check(abs(x - y) <= case["within"] * max(1, abs(y)), case["data"], case["spec"], k, j, x, y)
finish(500)
