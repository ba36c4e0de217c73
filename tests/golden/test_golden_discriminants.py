#!/usr/bin/env python3
"""Posteriors, projections and shrinkage of lda and gaussian against scikit-learn's and R's
(make_discriminants.py wrote them down)."""
import csv
import json
import os
import subprocess
import sys

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
FOLDERS = [os.path.join(SOURCE, "examples/data"),
           os.environ.get("SEPAL_DATA", os.path.join(SOURCE, "../shared/data"))]
compared = 0
failures = []
absent = set()


def sepal(*words):
    done = subprocess.run([SEPAL, *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


def find(name):
    for folder in FOLDERS:
        if os.path.exists(path := os.path.join(folder, f"{name}.csv")):
            return path
    absent.add(name)
    return None


def compare(found, expected, tolerance, where):
    global compared
    if len(found) != len(expected):
        failures.append(f"{where}: {len(found)} numbers, not {len(expected)}")
    for i, (mine, theirs) in enumerate(zip(found, expected)):
        compared += 1
        if not abs(mine - theirs) <= tolerance * max(1, abs(theirs)):
            failures.append(f"{where}[{i}]: {mine}, not {theirs}")


def numbers(text, first):
    return [[float(cell) for cell in row[first:]] for row in csv.reader(text.splitlines()[1:])]


def posteriors(golden):
    for case in golden["posteriors"]:
        if not (data := find(case["data"])):
            continue
        sepal("train", data, "-m", case["spec"], "-o", "m.sepal", "-q")
        rows = numbers(sepal("predict", "m.sepal", data, "--proba"), 1)[::case["step"]]
        for i, (row, expected) in enumerate(zip(rows, case["proba"], strict=True)):
            compare(row, expected, case["within"], f"{case['data']} {case['spec']} {case['theirs']} row {i}")


def axes(golden):
    for name, expected in golden["axes"].items():
        if not (data := find(name)):
            continue
        facts = json.loads(sepal("train", data, "-m", "lda", "-o", "m.sepal", "--json"))
        compare(facts["discriminant"]["share"], expected["share"], 1e-9, f"{name} shares")
        rows = numbers(sepal("transform", "m.sepal", data), 0)
        rows = rows[::expected["step"]]
        for i, (row, theirs) in enumerate(zip(rows, expected["projections"], strict=True)):
            compare(row, theirs, 1e-9, f"{name} projection {i}")


def mass(expected):
    """Differences of projections of rows are all that axes are; R printed eight digits of them."""
    data = find(expected["data"])
    facts = json.loads(sepal("train", data, "-m", "lda", "-o", "m.sepal", "--json"))
    compare(facts["discriminant"]["share"], expected["share"], 5e-5, "MASS shares")
    with open(data) as file:
        x = [[float(cell) for cell in row[:-1]] for row in list(csv.reader(file))[1:]]
    y = numbers(sepal("transform", "m.sepal", data), 0)
    for axis, theirs in enumerate(expected["axes"]):
        turned = 1 if max(theirs, key=abs) > 0 else -1
        for i in range(1, len(x)):
            right = turned * sum(w * (a - b) for w, a, b in zip(theirs, x[i], x[0]))
            compare([y[i][axis] - y[0][axis]], [right], 1e-6, f"MASS axis {axis} row {i}")


def intensities(golden):
    for name, expected in golden["ledoit_wolf"].items():
        if data := find(name):
            facts = json.loads(sepal("train", data, "-m", "lda(shrinkage=auto)", "--json"))
            compare([facts["discriminant"]["shrinkage"]], [expected], 1e-11, f"{name} Ledoit-Wolf")


def main():
    with open(os.path.join(SOURCE, "tests/golden/discriminants.json")) as file:
        golden = json.load(file)
    posteriors(golden)
    axes(golden)
    mass(golden["mass"])
    intensities(golden)
    for failure in failures[:40]:
        print(failure)
    if absent:
        print(f"SKIP data-sets: without {', '.join(sorted(absent))}")
    print(f"{compared} numbers, {len(failures)} failures ({golden['made_with']})")
    sys.exit(bool(failures) or compared < 2000)


main()
