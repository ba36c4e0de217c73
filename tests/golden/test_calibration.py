#!/usr/bin/env python3
"""Calibrated probabilities against those of scikit-learn's CalibratedClassifierCV on the same folds
(make_calibration.py made them)."""
import csv
import json
import os
import subprocess
import sys

from checks import check, finish

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
TOLERANCE = 1e-6  # scikit-learn stops its fits at a gradient of that order


def sepal(*words):
    done = subprocess.run([SEPAL, *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


def weigh(source, target):
    """The file with a column of the weights 1, 2, 3, 1, 2, ..."""
    with open(source) as file:
        rows = list(csv.reader(file))
    with open(target, "w") as file:
        out = csv.writer(file)
        out.writerow(["how_often"] + rows[0])
        out.writerows([1 + i % 3] + row for i, row in enumerate(rows[1:]))


def main():
    with open(os.path.join(SOURCE, "tests/golden/calibration.json")) as file:
        golden = json.load(file)
    for case in golden["cases"]:
        data = os.path.join(SOURCE, "examples/data", case["data"] + ".csv")
        words = ["-m", case["spec"], "--tol", "1e-13", "--calibrate", case["method"],
                 "--calibrate-folds", str(case["folds"]), "-o", "m.sepal", "-q"]
        if case["weighted"]:
            weigh(data, "weighted.csv")
            data = "weighted.csv"
            words += ["--weight", "how_often"]
        sepal("train", data, *words)
        found = [row[2:] for row in csv.reader(sepal("predict", "m.sepal", data, "--proba").split("\n")[1:-1])]
        far = max(abs(float(mine) - theirs) for row, expected in zip(found[::7], case["p"], strict=True)
                  for mine, theirs in zip(row, expected, strict=True))
        name = " ".join(str(case[key]) for key in ("data", "spec", "weighted", "method"))
        print(f"{name}: {far:.2g}")
        check(far <= TOLERANCE, f"{name}: {far} away")
    finish(least=18)


main()
