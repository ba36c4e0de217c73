#!/usr/bin/env python3
"""Model files of a version in which `estimate` had a value `default`: they load, predict what they did,
and are shown in words of today, with which the same model is trained again. No new spec takes it.
(Written by sepal 0.1.0 as of 2026-11: sepal train examples/data/iris.csv -m lda, gaussian,
gaussian(covariance=shared) and gaussian(covariance=diagonal).)"""
import csv
import json
import os
import subprocess
import sys

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
IRIS = os.path.join(SOURCE, "examples/data/iris.csv")
# file, the spec that it stands for, and the posterior of row 71 when it was written
MODELS = [
    ("lda", "lda(shrinkage=none, axes=0, estimate=unbiased) | machine",
     [7.408117581625346e-28, 0.25322822473817835, 0.7467717752618216]),
    ("full", "gaussian(covariance=full, shrinkage=none, estimate=unbiased) | machine",
     [1.052723300173825e-103, 0.33594418312414615, 0.6640558168758539]),
    ("shared", "gaussian(covariance=shared, shrinkage=none, estimate=unbiased) | machine",
     [7.408117581625346e-28, 0.25322822473817835, 0.7467717752618216]),
    ("diagonal", "gaussian(covariance=diagonal, shrinkage=none, estimate=ml) | machine",
     [2.591405505588623e-130, 0.15449405668866417, 0.8455059433113358]),
]


def sepal(*words, exit=0):
    done = subprocess.run([SEPAL, *words], capture_output=True, text=True)
    if done.returncode != exit:
        sys.exit(f"{words}: exit {done.returncode}\n{done.stderr}")
    return done.stdout if exit == 0 else done.stderr


def posteriors(model):
    rows = csv.reader(sepal("predict", model, IRIS, "--proba").splitlines()[1:])
    return [[float(cell) for cell in row[1:]] for row in rows]


def differ(a, b):
    return max(abs(x - y) for x, y in zip(a, b, strict=True))


def main():
    for name, spec, expected in MODELS:
        old = os.path.join(SOURCE, f"tests/golden/model-estimate-default-{name}.sepal")
        with open(old, "rb") as file:
            assert b"estimate=default" in file.read(), name
        found = posteriors(old)
        assert differ(found[70], expected) < 1e-12, (name, found[70])
        assert json.loads(sepal("inspect", old, "--json"))["spec"] == spec, name
        sepal("evaluate", old, IRIS)
        sepal("train", IRIS, "-m", spec, "-o", "new.sepal", "-q")
        assert max(differ(a, b) for a, b in zip(found, posteriors("new.sepal"), strict=True)) < 1e-12, name
    for learner in ("lda", "gaussian", "gaussian(covariance=diagonal)"):
        alone = learner.split("(")[0]
        for words in (["-m", f"{alone}(estimate=default)"], ["-m", learner, "--estimate", "default"]):
            said = sepal("train", IRIS, *words, exit=2)
            assert "ml|unbiased" in said, said
        plain = json.loads(sepal("train", IRIS, "-m", learner, "--json"))["spec"]
        assert "estimate=ml" in plain, plain


main()
