#!/usr/bin/env python3
"""Sets of labels against scikit-learn's one-versus-rest logistic regression (make_multilabel.py wrote it
down): weights and sets of generated rows, F1 of the multi-label data sets, where these are there."""
import csv
import json
import os
import subprocess
import sys

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
DATA = os.environ.get("SEPAL_DATA") or os.path.join(SOURCE, "../shared/data")
failures = []


def sepal(*words):
    done = subprocess.run([SEPAL, *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


def near(what, mine, theirs, tolerance):
    if not abs(mine - theirs) <= tolerance * max(1, abs(theirs)):
        failures.append(f"{what}: {mine}, and scikit-learn has {theirs}")


def spec_of(parameters):
    words = [f"C={parameters['C']}"]
    words += ["class_weight=balanced"] if "class_weight" in parameters else []
    words += ["bias=false"] if "fit_intercept" in parameters else []
    return f"multilabel({', '.join(words)})"


def generated(golden):
    labels = [f"t{k}" for k in range(5)]
    with open("rows.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["a", "b", "c", "d", *labels])
        for x, y in zip(golden["x"], golden["y"], strict=True):
            out.writerow([*map(repr, x), *y])
    for case in golden["cases"]:
        spec = spec_of(case["parameters"])
        sepal("train", "rows.csv", "--target", ",".join(labels), "-m", spec, "--tol", "1e-13", "-q", "-o", "m.sepal")
        model = json.loads(sepal("inspect", "m.sepal", "--json"))
        for k in range(5):
            for mine, theirs in zip(model["weights"][k], case["weights"][k], strict=True):
                near(f"{spec}, weights of label {k}", mine, theirs, 1e-5)
            near(f"{spec}, bias of label {k}", model["bias"][k], case["bias"][k], 1e-5)
        lines = sepal("predict", "m.sepal", "rows.csv").split("\n")[:-1]
        for i, (line, bits) in enumerate(zip(lines, case["predicted"], strict=True)):
            theirs = ",".join(label for label, bit in zip(labels, bits) if bit)
            if line != theirs:
                failures.append(f"{spec}, row {i}: '{line}', and scikit-learn has '{theirs}'")


def path_of(name):
    plain = os.path.join(DATA, name)
    return plain if os.path.exists(plain) else f"{plain}.xz"


def judged(name, golden):
    train, test = path_of(f"{name}.multilabel"), path_of(f"{name}.multilabel.t")
    test = train if name == "emotions" else test
    spec = "standardize | multilabel" if name == "emotions" else "multilabel"
    sepal("train", train, "--format", "libsvm", "-m", spec, "-q", "-o", "m.sepal")
    mine = json.loads(sepal("evaluate", "m.sepal", test, "--format", "libsvm", "--json"))
    if len(mine["labels"]) != golden["labels"]:
        failures.append(f"{name}: {len(mine['labels'])} labels")
    for average, theirs in golden["f1"].items():
        near(f"{name}, {average} F1", mine[average]["f1"], theirs, 1e-3)
    for key in ("subset_accuracy", "hamming_loss"):
        near(f"{name}, {key}", mine[key], golden[key], 1e-3)
    # a row whose probability is a half to the solvers' last digit may be either
    for row, theirs in zip(mine["per_class"], golden["per_label"], strict=True):
        near(f"{name}, F1 of {row['label']}", row["f1"] or 0, theirs, 0.02)


with open(os.path.join(SOURCE, "tests/golden/multilabel.json")) as file:
    stored = json.load(file)
generated(stored["generated"])
unpacks = not os.path.isdir(DATA) or not subprocess.run(
    [SEPAL, "describe", path_of("yeast.multilabel"), "--format", "libsvm"], capture_output=True).returncode
if os.path.isdir(DATA) and unpacks:
    for name, golden in stored["data"].items():
        judged(name, golden)
else:
    print("SKIP data-sets: they are not part of the repository, or packed")
for failure in failures:
    print(failure)
sys.exit(bool(failures))
