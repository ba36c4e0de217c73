#!/usr/bin/env python3
"""Paths against scikit-learn: where they begin, and objective and number of weights at some values
(make_path.py wrote them down)."""
import json
import os
import subprocess

from checks import check, finish

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
DATA = os.path.join(SOURCE, "examples/data/breast_cancer.csv")


def path(ratio, *words):
    spec = f"standardize | logistic(penalty={'l1' if ratio == 1 else f'elasticnet, ratio={ratio}'})"
    done = subprocess.run([SEPAL, "tune", DATA, "-m", spec, "--path", "--folds", "2", "--tol", "1e-10", "--json",
                           *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["path"]


def main():
    with open(os.path.join(SOURCE, "tests/golden/path.json")) as file:
        golden = json.load(file)
    for case in golden["cases"]:
        first = path(case["ratio"], "--path-length", "2")[0]
        check(abs(first["lambda"] / case["lambda_max"] - 1) < 1e-10, "first lambda", first["lambda"])
        check(first["nonzero"] == 0, "nonzero at the beginning", first["nonzero"])
        values = case["values"]
        for ours, theirs in zip(path(case["ratio"], "--lambdas", ",".join(repr(v["lambda"]) for v in values)), values,
                                strict=True):
            check(abs(ours["objective"] / theirs["objective"] - 1) < 1e-8, "objective", ours, theirs)
            check(ours["nonzero"] == theirs["nonzero"], "nonzero", ours, theirs)
            check(abs(ours["C"] * theirs["lambda"] * 569 - 1) < 1e-12, "C", ours, theirs)
    finish(20)


main()
