#!/usr/bin/env python3
"""tune gives what GridSearchCV gives and compare what cross_val_score and R's formula give on the same folds
(choosing.json, which make_choosing.py wrote beside it): every mean and difference, the choice, its weights."""
import csv
import json
import math
import os
import subprocess

from checks import check, finish

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]


def facts(*words):
    done = subprocess.run([SEPAL, *words, "--json", "--tol", "1e-12"], capture_output=True, text=True)
    check(done.returncode == 0, words, done.stderr)
    return json.loads(done.stdout)


def near(a, b, tolerance):
    return abs(a - b) <= tolerance * max(abs(b), 1e-3)


def fold_file(name):
    path = os.path.join(SOURCE, f"examples/data/{name}.csv")
    with open(path) as data, open(f"{name}.folds", "w") as file:
        file.write("".join(f"{7 * i % 10}\n" for i in range(sum(1 for _ in data) - 1)))
    return path, "--fold-file", f"{name}.folds"


with open(os.path.join(SOURCE, "tests/golden/choosing.json")) as file:
    golden = json.load(file)
data = fold_file("breast_cancer")
wanted = golden["tune"]
over = "C=" + ",".join(f"{c:g}" for c in wanted["C"])
for metric in "log_loss", "accuracy":
    report = facts("tune", *data, "-m", "standardize+logistic", "--over", over, "--metric", metric, "--choose", "best",
                   "-o", f"{metric}.sepal")
    points = report["tuning"]["points"]
    check(len(points) == len(wanted["C"]), metric, len(points))
    for point, mean in zip(points, wanted[metric]):
        # at C = 100 scikit-learn's lbfgs ends 1.1e-6 from the optimum, which ours agree on from --tol 1e-15 on
        check(near(point["valid"]["mean"], mean, 2e-6), metric, point, mean)
    if metric == "log_loss":
        check(points[report["tuning"]["chosen"]["index"]]["values"]["C"] == wanted["best"], "best", report["tuning"])
weights = json.loads(subprocess.run([SEPAL, "inspect", "log_loss.sepal", "--json"], capture_output=True,
                                    text=True).stdout)["weights"][0]
with open(data[0]) as file:
    columns = list(zip(*([float(cell) for cell in row[:-1]] for row in list(csv.reader(file))[1:])))
for weight, column, coefficient in zip(weights, columns, wanted["coefficients"]):
    mean = sum(column) / len(column)
    deviation = math.sqrt(sum((x - mean) ** 2 for x in column) / len(column))
    check(abs(weight * deviation - coefficient) < 1e-5, "weights", weight * deviation, coefficient)

wanted = golden["compare"]
report = facts("compare", *fold_file("wine"), *(word for spec in wanted["values"] for word in ("-m", spec)))["compare"]
for model in report["models"]:
    for mine, theirs in zip(model["values"], wanted["values"][model["spec"]]):
        check(near(mine, theirs, 1e-4), model["spec"], mine, theirs)
for mine, theirs in zip(report["pairs"], wanted["pairs"]):
    check((mine["a"], mine["b"]) == (theirs["a"], theirs["b"]), mine, theirs)
    check(near(mine["t"], theirs["t"], 1e-4) and near(mine["p"], theirs["p"], 1e-4), mine, theirs)
finish(50)
