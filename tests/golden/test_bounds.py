#!/usr/bin/env python3
"""Weights of logistic and svm within bounds against those of scipy, to 1e-5 (make_bounds.py wrote them
down). Bounds given in a file, written out in the spec, and read from the spec of the model are the same."""
import json
import os
import subprocess
import sys

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
DATA = os.path.join(SOURCE, "examples/data/breast_cancer.csv")
failures = []


def sepal(*words):
    done = subprocess.run([SEPAL, *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
    return json.loads(done.stdout)


def train(case, bounds, tol):
    penalty = ", ".join(f"{name}={case[name]}" for name in ("l1", "l2"))
    nonneg = f', nonneg="{case["nonneg"]}"' if case["nonneg"] else ""
    spec = f"standardize | {case['learner']}({penalty}, bias={case['bias']}{nonneg}{bounds})"
    only = ",".join(case["columns"])
    return sepal("train", DATA, "--only", only, "-m", spec, "--tol", tol, "--json", "-q", "-o", "m.sepal")


def compare(what, found, wanted, tolerance):
    scale = max(abs(number) for number in wanted)
    for name, got, want in zip(what["columns"], found, wanted):
        if not abs(got - want) <= tolerance * max(scale, abs(want)):
            failures.append(f"{what}: {name} is {got}, not {want}")


def check(case):
    bounds = ""
    if case["bounds"]:
        with open("bounds.csv", "w") as out:
            out.write("column,low,high\n" + "".join(f"{','.join(row)}\n" for row in case["bounds"]))
        bounds = ", bounds=bounds.csv"
    fit = train(case, bounds, "1e-13")
    model = open("m.sepal", "rb").read()
    shown = sepal("inspect", "m.sepal", "--json")
    compare(case, shown["weights"][0], case["weights"], 1e-5)
    if not abs(fit["objective"] - case["objective"]) <= 1e-9 * case["objective"]:
        failures.append(f"{case}: the objective is {fit['objective']}")
    for name, low, high in case["bounds"]:
        weight = shown["weights"][0][case["columns"].index(name)]
        if (low and weight < float(low)) or (high and weight > float(high)):
            failures.append(f"{case}: the weight of {name} is {weight}")
    if "bounds.csv" in fit["spec"] or "bounds.csv" in shown["spec"]:
        failures.append(f"{case}: the spec names the file")
    if case["bounds"]:  # the spec says it all
        learner = shown["spec"].split("|")[-1].split("bounds=")[1]
        written = learner[: learner.index('"', 1) + 1]
        train(case, f", bounds={written}", "1e-13")
        if open("m.sepal", "rb").read() != model:
            failures.append(f"{case}: bounds written out give another model")


with open(os.path.join(SOURCE, "tests/golden/bounds.json")) as file:
    cases = json.load(file)
for case in cases:
    check(case)
print(f"compared {len(cases)} fits")
sys.exit("\n".join(failures) or 0)
