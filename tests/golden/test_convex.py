#!/usr/bin/env python3
"""Weights of logistic and svm against those of scikit-learn and glmnet, to 1e-5 (make_convex.py wrote
them down and says how the two sides name the same objective)."""
import csv
import json
import os
import subprocess
import sys

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
TOLERANCE = 1e-5
failures = []
compared = 0


def sepal(*words):
    done = subprocess.run([SEPAL, *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
    return json.loads(done.stdout)


def read(name, columns):
    """The header and the numbers of the first columns."""
    with open(os.path.join(SOURCE, "examples/data", f"{name}.csv")) as file:
        head, *rows = csv.reader(file)
    return head[:columns], [[float(cell) for cell in row[:columns]] for row in rows]


def fit(case, names, row_weights):
    """The model; inspect shows its weights in the user's units, whatever the maps are."""
    spec = f"standardize | {case['spec']}" if case["data"] == "breast_cancer" else case["spec"]
    words = ["--only", ",".join(names), "--tol", "1e-13", "--json", "-q", "-o", "m.sepal"]
    if case["weighted"]:
        with open("weights.txt", "w") as out:
            out.writelines(f"{weight}\n" for weight in row_weights)
        words += ["--weights", "weights.txt"]
    sepal("train", os.path.join(SOURCE, "examples/data", f"{case['data']}.csv"), "-m", spec, *words)
    return sepal("inspect", "m.sepal", "--json")


def mean(values, row_weights):
    return sum(x * weight for x, weight in zip(values, row_weights)) / sum(row_weights)


def compare(case, pattern):
    global compared
    names, rows = read(case["data"], case["columns"])
    row_weights = [pattern[i % len(pattern)] if case["weighted"] else 1.0 for i in range(len(rows))]
    means, scales = [0.0] * len(names), [1.0] * len(names)
    if case["data"] == "breast_cancer":
        columns = list(zip(*rows))
        means = [mean(column, row_weights) for column in columns]
        scales = [mean([(x - m) ** 2 for x in column], row_weights) ** 0.5 for column, m in zip(columns, means)]
    model = fit(case, names, row_weights)
    worst = 0.0
    for w, b, theirs, bias in zip(model["weights"], model["bias"], case["weights"], case["bias"], strict=True):
        mine = [x * s for x, s in zip(w, scales)] + [b + sum(x * m for x, m in zip(w, means))]
        for x, y in zip(mine, [*theirs, bias], strict=True):
            worst = max(worst, abs(x - y) / max(1, abs(y)))
            compared += 1
    if not worst <= TOLERANCE:
        failures.append(f"{case['data']}, {case['spec']}: off by {worst:.2g} from {case['theirs']}")
    return worst


def main():
    with open(os.path.join(SOURCE, "tests/golden/convex.json")) as file:
        golden = json.load(file)
    largest = max(compare(case, golden["row_weights"]) for case in golden["cases"])
    print("\n".join(failures[:20]))
    print(f"{len(golden['cases'])} fits, {compared} numbers, largest difference {largest:.2g}, "
          f"{len(failures)} failures ({golden['made_with']})")
    sys.exit(bool(failures))


main()
