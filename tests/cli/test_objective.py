#!/usr/bin/env python3
"""The objective and the gap that `sepal train --json` prints, checked from the outside: the objective is
computed again from the rows of the file and the weights of the model, and no lower bound (objective
less gap) lies above the objective of any other fit of the same problem, by whatever solver."""
import csv
import json
import math
import os
import re
import subprocess
import sys

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
ROUNDING = 1e-11  # relative; the sums here are exact
failures = []
checks = 0

PENALTIES = ["penalty=l2, C=1", "l2=0.01", "penalty=l1, C=0.5", "l1=0.003", "penalty=elasticnet, C=0.3, ratio=0.4",
             "l1=0.002, l2=0.05"]
LEARNERS = ["logistic(", "svm(loss=hinge, ", "svm(loss=squared_hinge, "]
# data, what is added to the spec, class weights by label, a weight for each row
SETTINGS = [
    ("breast_cancer", "bias=true", None, False),
    ("breast_cancer", "bias=false", None, True),
    ("breast_cancer", "bias=penalised", {"benign": 0.5, "malignant": 2.0}, True),
]


def check(good, what):
    global checks
    checks += 1
    if not good:
        failures.append(what)


def sepal(*words):
    done = subprocess.run([SEPAL, *words], capture_output=True, text=True)
    return json.loads(done.stdout)


class Rows:
    """A bundled data set in the units a fit sees: each column divided by its largest value."""

    def __init__(self, name):
        with open(os.path.join(SOURCE, "examples/data", f"{name}.csv")) as file:
            self.head, *rows = csv.reader(file)
        self.labels = [row[-1] for row in rows]
        columns = zip(*([float(cell) for cell in row[:-1]] for row in rows))
        self.x = list(zip(*([x / (max(map(abs, column)) or 1) for x in column] for column in columns)))
        self.path, self.weights_path = f"{name}.csv", f"{name}.weights"
        self.weights = [0.25 + (7 * i) % 5 for i in range(len(rows))]
        with open(self.path, "w", newline="") as out:
            csv.writer(out).writerows([self.head, *([*map(repr, x), y] for x, y in zip(self.x, self.labels))])
        with open(self.weights_path, "w") as out:
            out.writelines(f"{weight!r}\n" for weight in self.weights)


def loss(margin, spec):
    if spec.startswith("logistic"):
        return max(0.0, -margin) + math.log1p(math.exp(-abs(margin)))
    return max(0.0, 1 - margin) ** (2 if "squared" in spec else 1)


def strengths(spec, total):
    """l1 and l2, by C and ratio or as they are."""
    parameter = {name: float(value) for name, value in re.findall(r"(C|ratio|l1|l2)=([0-9.]+)", spec)}
    if "C" not in parameter:
        return parameter.get("l1", 0), parameter.get("l2", 0)
    ratio = parameter.get("ratio", 1 if "penalty=l1" in spec else 0)
    return ratio / (parameter["C"] * total), (1 - ratio) / (parameter["C"] * total)


def objective(rows, spec, classes, factors, weighted, model):
    """Summed over the scores, each of which is one problem of two classes."""
    weights = rows.weights if weighted else [1.0] * len(rows.x)
    total = math.fsum(weights)
    l1, l2 = strengths(spec, total)
    positives = classes[1:] if len(classes) == 2 else classes
    parts = []
    for positive, w, b in zip(positives, model["weights"], model["bias"], strict=True):
        for x, label, weight in zip(rows.x, rows.labels, weights):
            margin = math.fsum([b, *(a * v for a, v in zip(w, x))]) * (1 if label == positive else -1)
            parts.append(weight * (factors or {}).get(label, 1.0) * loss(margin, spec) / total)
        penalised = [*w, b] if "penalised" in spec else w
        parts += [l1 * abs(a) + 0.5 * l2 * a * a for a in penalised]
    return math.fsum(parts)


def solver_names(rows):
    """What --solver may be; sgd proves nothing and is left out."""
    message = sepal("train", rows.path, "-m", "logistic", "--solver", "no such", "--json", "-q")["error"]["message"]
    return [name for name in re.search(r"choose ([a-z|-]+)", message)[1].split("|") if name != "sgd"]


def fits(rows, spec, factors, weighted, runs):
    """Each fit's printed objective must be that of its model; and all of them bound each other."""
    found = []
    for tol, solver in runs:
        words = ["train", rows.path, "-m", spec, "--tol", tol, "--json", "-q", "-o", "m.sepal"]
        words += ["--weights", rows.weights_path] if weighted else []
        report = sepal(*words, *(["--solver", solver] if solver else []))
        if "error" in report:  # a solver that cannot do this problem; none can the hinge with L1
            allowed = "cannot do this" if solver else "hinge with an L1 penalty"
            check(allowed in report["error"]["message"], f"{spec}: {report['error']}")
            continue
        name = f"{rows.path} {spec} --tol {tol} --solver {solver}"
        value = objective(rows, spec, report["classes"], factors, weighted, sepal("inspect", "m.sepal", "--json"))
        printed, gap = report["objective"], report["gap"]
        check(abs(printed - value) <= ROUNDING * value, f"{name}: printed {printed!r}, is {value!r}")
        check(gap is not None and gap >= 0, f"{name}: gap {gap}")
        check(report["converged"] == (gap <= float(tol)), f"{name}: gap {gap}, converged {report['converged']}")
        check(report["converged"], f"{name}: not converged, gap {gap}")
        found.append((value, value - gap * abs(value), name))
    best = min((value for value, _, _ in found), default=None)
    for value, bound, name in found:
        check(bound <= best + ROUNDING * best, f"{name}: bound {bound!r} above the objective {best!r}")


def main():
    solvers = None
    for data, more, factors, weighted in SETTINGS:
        rows = Rows(data)
        solvers = solvers or solver_names(rows)
        for start in LEARNERS:
            for penalty in PENALTIES:
                text = ",".join(f"{label}:{factor}" for label, factor in (factors or {}).items())
                spec = f"{start}{penalty}, {more}" + (f', class_weight="{text}")' if factors else ")")
                runs = [("1e-2", None), ("1e-9", None)]
                fits(rows, spec, factors, weighted, runs + [("1e-6", s) for s in solvers if more == "bias=false"])
    rows = Rows("iris")
    for start in LEARNERS:
        fits(rows, f"{start}C=1, bias=true)", None, True, [("1e-3", None), ("1e-9", None)])
    print("\n".join(failures[:20]))
    print(f"{checks} checks, {len(failures)} failures")
    sys.exit(bool(failures) or checks < 300)


main()
