#!/usr/bin/env python3
"""Cross-validation against scikit-learn on its own folds (make_cv.py wrote them down): accuracies are the same
numbers, and so are the other metrics but for rounding."""
import json
import os
import subprocess

from checks import check, finish

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]


def cv(name, spec, *words):
    done = subprocess.run([SEPAL, "cv", os.path.join(SOURCE, f"examples/data/{name}.csv"), "-m", spec, "--json",
                           *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def at(node, path):
    for key in path.split("."):
        node = node[key]
    return node


def same_folds(ours, theirs, what):
    for mine, golden in zip(ours, theirs, strict=True):
        for side in ("train", "valid"):
            for metric, value in golden[side].items():
                found = at(mine[side], metric)
                near = found == value if metric == "accuracy" else abs(found - value) <= 1e-6 * max(1, abs(value))
                check(near, what, side, metric, found, value)


def main():
    with open(os.path.join(SOURCE, "tests/golden/cv.json")) as file:
        golden = json.load(file)
    for name, of_set in golden["sets"].items():
        with open(f"{name}.folds", "w") as file:
            file.writelines(f"{fold}\n" for fold in of_set["folds"])
        for spec, wanted in of_set["specs"].items():
            tight = ["--tol", "1e-12"] if "standardize" in spec else []
            found = cv(name, spec, "--fold-file", f"{name}.folds", *tight)
            same_folds(found["folds"], wanted["folds"], f"{name} {spec}")
            check(abs(found["mean"]["valid"]["accuracy"] - wanted["mean"]) <= 1e-15, name, spec, "mean")
            check(abs(found["std"]["valid"]["accuracy"] - wanted["std"]) <= 1e-15, name, spec, "std")
    same_folds(cv("digits", "lda", "--ordered", "--folds", "6")["folds"], golden["ordered"], "ordered")
    finish(600)


main()
