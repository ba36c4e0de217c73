#!/usr/bin/env python3
"""inspect ranks features by what one standard deviation of them does to the score where they were
standardised, else by their weights; counts the weights that are not zero; and shows --top N. train says of
test rows what always predicting the most frequent class of the training rows would achieve."""
import csv
import json
import math
import os
import random
import subprocess

from checks import check, finish
from seeds import test_seed

SEPAL = os.environ["SEPAL"]


def run(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True)


def train(*words):
    done = run("train", "rows.csv", "-o", "m.sepal", *words, "--json")
    check(done.returncode == 0, f"{words}: {done.stderr}")
    return json.loads(done.stdout)


def inspect(*words):
    return run("inspect", "m.sepal", *words).stdout


random.seed(test_seed(5))
N, SCALES = 120, [1, 1000, 0.01, 1, 30]
rows = []
for i in range(N):
    label = "abc"[i % 3 if i % 2 else 0]
    at = "abc".index(label)
    rows.append([scale * (random.gauss(0, 1) + (at if j < 3 else 0)) for j, scale in enumerate(SCALES)] + [label])
NAMES = [f"f{j}" for j in range(len(SCALES))]
with open("rows.csv", "w", newline="") as file:
    csv.writer(file).writerows([[*NAMES, "class"], *rows])


def deviation(column):
    mean = sum(column) / N
    return math.sqrt(sum((value - mean) ** 2 for value in column) / N)


DEVIATIONS = [deviation([row[j] for row in rows]) for j in range(len(SCALES))]


def tables(text):
    """The rows of each table of features, as they are shown."""
    out = []
    for line in text.splitlines():
        cells = line.split()
        if line.startswith("  feature"):
            out.append([])
        elif line.startswith("  f"):
            out[-1].append(cells)
    return out


for spec in ["standardize | logistic", "standardize | lda", "minmax | standardize | svm",
             "standardize | minmax | logistic(penalty=l1, C=0.3)", "standardize | mean-difference | ovo",
             "logistic", "minmax | logistic", "standardize | poly(degree=1) | logistic"]:
    train("-m", spec)
    facts = json.loads(inspect("--json"))
    weights, nonzero = facts["weights"], facts["nonzero"]
    check(nonzero == [sum(w != 0 for w in row) for row in weights], f"{spec}: nonzero {nonzero}")
    known = spec.startswith("standardize") and "poly" not in spec or "| standardize" in spec
    check(("effects" in facts) == known, f"{spec}: effects")
    effects = facts.get("effects", weights)
    for row, shown in zip(weights, effects):
        for w, deviated, effect in zip(row, DEVIATIONS, shown):
            wanted = w * deviated if known else w
            check(math.isclose(effect, wanted, rel_tol=1e-9, abs_tol=1e-12), f"{spec}: {effect} is not {wanted}")
    text = inspect()
    head = "effect of one standard deviation, largest first" if known else "weight, largest first"
    check(text.count(head) == len(weights), f"{spec}: {text}")
    for row, shown, found in zip(weights, effects, tables(text)):
        order = sorted(range(len(row)), key=lambda j: -abs(shown[j]))
        check([cells[0] for cells in found] == [facts["features"][j] for j in order], f"{spec}: {text}")
        check([float(cells[1]) for cells in found] == [row[j] for j in order], f"{spec}: {text}")
        check(not known or [cells[2] for cells in found] == [f"{shown[j]:.4g}" for j in order], f"{spec}: {text}")
    total, all_of_them = sum(nonzero), sum(len(row) for row in weights)
    said = f"weights     {total} of {all_of_them} weights are not zero" in text
    check(said == (total < all_of_them), f"{spec}: {total} of {all_of_them}: {text}")
    check("l1" not in spec or total < all_of_them, f"{spec} has no zeros")

# ---- --top ------------------------------------------------------------------------------------------

for top, shown in ("2", 2), ("0", 5), ("99", 5), (None, 5):
    found = tables(inspect(*(["--top", top] if top else [])))
    check([len(rows) for rows in found] == [shown] * 3, f"--top {top}: {found}")
train("-m", "poly(degree=3) | lda")
found = inspect()
check([len(rows) for rows in tables(found)] == [12] * 3 and "  ... 43 more" in found, found)
check(len(tables(inspect("--top", "0"))[0]) == 55, "all 55")
check(run("inspect", "m.sepal", "--top", "-1").returncode == 2, "--top -1")

# ---- The baseline -----------------------------------------------------------------------------------

for words in ["--holdout", "0.4"], ["--test", "other.csv"]:
    # in the test rows another class is the most frequent one
    other = [row for row in rows if row[-1] == "c"] * 2 + rows[:20]
    with open("other.csv", "w", newline="") as file:
        csv.writer(file).writerows([[*NAMES, "class"], *other])
    report = train("-m", "standardize | logistic", *words)
    test = report["test"]
    support = {row["label"]: row["support"] for row in test["per_class"]}
    check(report["train"]["majority"] == "a", report["train"])
    check(test["baseline"] == {"label": "a", "accuracy": support["a"] / sum(support.values())}, test["baseline"])
    recalls = [row["recall"] for row in test["per_class"] if row["support"]]
    check(math.isclose(test["balanced_accuracy"], sum(recalls) / len(recalls)), test["balanced_accuracy"])
    text = run("train", "rows.csv", "-m", "standardize | logistic", *words).stdout
    check(f"balanced accuracy {test['balanced_accuracy']:.4f}, macro F1 {test['macro']['f1']:.4f}\n" in text, text)
    check(f"baseline    accuracy {test['baseline']['accuracy']:.4f} by always predicting a," in text, text)
with open("rows.csv", "w", newline="") as file:
    csv.writer(file).writerows([[*NAMES, "class"], *[row for row in rows if row[-1] != "c"]])
test = train("-m", "standardize | logistic", "--holdout", "0.3")["test"]
text = run("train", "rows.csv", "-m", "standardize | logistic", "--holdout", "0.3").stdout
check(f"balanced accuracy {test['balanced_accuracy']:.4f}, ROC AUC {test['roc_auc']:.4f}\n" in text, text)

finish()
