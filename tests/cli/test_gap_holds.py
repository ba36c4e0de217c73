#!/usr/bin/env python3
"""What `sepal train` reports of a fit is true in spite of rounding. Columns far from 0 and no bias cost
half of all digits: decimal numbers of 40 digits say how far above the least objective the weights are,
and the gap must be no less. Without a penalty nothing is proved, and nothing is claimed. Weights near
the largest number are no start and have no proof. Blocks of singles and doubles are one matrix."""

import json
import os
import random
import subprocess
from decimal import Decimal as D, getcontext

from seeds import test_seed

SEPAL = os.environ["SEPAL"]
getcontext().prec = 40
failures = 0


def fault(what, *details):
    global failures
    failures += 1
    print("FAILED:", what, *details)


def run(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True, timeout=120)


def train(spec, *words, data="rows.csv"):
    done = run("train", data, "-m", spec, "--json", "-o", "model.sepal", *words)
    if done.returncode:
        raise SystemExit(f"FAILED: {spec} {words}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def write(rows, labels, path="rows.csv"):
    with open(path, "w") as out:
        out.write(",".join(f"x{j}" for j in range(len(rows[0]))) + ",class\n")
        for row, label in zip(rows, labels):
            out.write(",".join([*map(repr, row), label]) + "\n")


# ---- the least objective in 40 digits ------------------------------------------------------------


def loss(kind, m):
    """The loss of a margin, its slope and its curvature."""
    if kind == "logistic":
        e = (-abs(m)).exp()
        value = (1 + e).ln() + max(-m, D(0))
        y = e / (1 + e) if m > 0 else 1 / (1 + e)
        return value, -y, y * (1 - y)
    short = max(1 - m, D(0))
    if kind == "hinge":
        return short, -D(short > 0), D(0)
    return short * short, -2 * short, D(2) * (short > 0)


def objective(kind, rows, sides, w, l1, l2):
    margins = [t * sum(a * b for a, b in zip(x, w)) for x, t in zip(rows, sides)]
    mean = sum(loss(kind, m)[0] for m in margins) / len(rows)
    return mean + l1 * sum(map(abs, w)) + l2 / 2 * sum(a * a for a in w)


def solve(a, b):
    n = len(b)
    a = [row[:] + [v] for row, v in zip(a, b)]
    for k in range(n):
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            a[i] = [p - f * q for p, q in zip(a[i], a[k])]
    x = [D(0)] * n
    for k in reversed(range(n)):
        x[k] = (a[k][n] - sum(a[k][j] * x[j] for j in range(k + 1, n))) / a[k][k]
    return x


def least_of_smooth(kind, rows, sides, l2):
    """Newton's method with halved steps."""
    n, w = len(rows[0]), [D(0)] * len(rows[0])
    best = objective(kind, rows, sides, w, 0, l2)
    for _ in range(80):
        g, h = [l2 * v for v in w], [[l2 * (i == j) for j in range(n)] for i in range(n)]
        for x, t in zip(rows, sides):
            _, slope, bend = loss(kind, t * sum(a * b for a, b in zip(x, w)))
            for i in range(n):
                g[i] += slope * t * x[i] / len(rows)
                for j in range(n):
                    h[i][j] += bend * x[i] * x[j] / len(rows)
        step, length = solve(h, g), D(1)
        while length > D("1e-9"):
            there = [a - length * b for a, b in zip(w, step)]
            value = objective(kind, rows, sides, there, 0, l2)
            if value < best:
                break
            length /= 2
        else:
            return best
        small = best - value < best * D("1e-30")
        best, w = value, there
        if small:
            return best
    return best


def least_of_one(kind, rows, sides, l1, l2, reach):
    """One column: cut to a third."""
    low, high = -reach, reach
    for _ in range(120):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if objective(kind, rows, sides, [left], l1, l2) < objective(kind, rows, sides, [right], l1, l2):
            high = right
        else:
            low = left
    return objective(kind, rows, sides, [(low + high) / 2], l1, l2)


# ---- columns far from 0 ------------------------------------------------------------------------


def check_fit(spec, kind, rows, labels, least_of, words):
    report = train(spec, *words)
    inspected = json.loads(run("inspect", "model.sepal", "--json").stdout)
    w, facts = [D(v) for v in inspected["weights"][0]], report["certificate"]
    l1, l2 = D(facts["l1"]), D(facts["l2"])
    exact, sides = [[D(v) for v in row] for row in rows], [D(1 if t == "b" else -1) for t in labels]
    right = objective(kind, exact, sides, w, l1, l2)
    least = least_of(kind, exact, sides, l1, l2)
    if abs(D(report["objective"]) - right) > D(facts["rounding"]):
        fault("the objective", spec, report["objective"], right, facts)
    if (right - least) / right > D(report["gap"]):
        fault("a gap too small", spec, float((right - least) / right), report["gap"])
    if D(facts["dual"]) > least:
        fault("a bound too large", spec, facts["dual"], least)
    tol = float(words[1]) if words else 1e-6
    if report["converged"] != (report["gap"] <= tol):
        fault("converged", spec, report["gap"], report["converged"])
    rounding = facts["rounding"] / report["objective"]
    if report["converged"] or rounding <= tol or report["gap"] > 2 * rounding:
        return 0
    text = " ".join(one["message"] for one in report["warnings"])
    if "rounding errors alone" not in text or "standardize" not in text and "1e-10" not in text:
        fault("no word of rounding", spec, report["warnings"])
    return 1


def smooth(kind, rows, sides, l1, l2):
    return least_of_smooth(kind, rows, sides, l2)


def single(kind, rows, sides, l1, l2):
    return least_of_one(kind, rows, sides, l1, l2, D(1000) / (1 + abs(rows[0][0])))


def far_from_0():
    rng, told, fits = random.Random(test_seed(11)), 0, 0
    for offset in (1e2, 1e5, 1e7, 1e8, 3e8, 1e9):
        labels = ["a", "b"] + [rng.choice("ab") for _ in range(18)]
        rows = [[offset + rng.gauss(t == "b", 1) for _ in range(2)] for t in labels]
        words = ("--tol", "1e-13") if offset > 1e8 else rng.choice([(), ("--tol", "1e-9"), ("--tol", "1e-13")])
        write(rows, labels)
        told += check_fit("logistic(C=1, bias=false)", "logistic", rows, labels, smooth, words)
        told += check_fit("svm(C=1, bias=false)", "squared", rows, labels, smooth, words)
        one = [row[:1] for row in rows]
        write(one, labels)
        for spec, kind in (("svm(loss=hinge, C=1, bias=false)", "hinge"), ("logistic(l1=0.01, bias=false)", "logistic"),
                           ("svm(l1=0.001, l2=0.001, bias=false)", "squared"),
                           ("svm(loss=hinge, l1=0.01, bias=false)", "hinge")):
            told += check_fit(spec, kind, one, labels, single, words)
        fits += 6
    if told < 3:
        fault("hardly any fit met the limit of rounding", told)
    print("fits far from 0:", fits, "ended by rounding:", told)


# ---- no penalty --------------------------------------------------------------------------------


def no_penalty():
    """Two columns that differ by 64 roundings, with the sign of the label: weights of any size separate
    the classes, and the least objective is 0."""
    rng = random.Random(test_seed(12))
    base = [1 + rng.random() for _ in range(50) for _ in range(2)]
    base[1::2] = base[::2]
    labels = ["ab"[i % 2] for i in range(len(base))]
    rows = [[v, v + (64 if t == "b" else -64) * 2.0**-52] for v, t in zip(base, labels)]
    write(rows, labels)
    for spec in ("logistic(penalty=none)", "svm(penalty=none)", "logistic(penalty=none, bias=false)"):
        report = train(spec)
        facts = report["certificate"]
        if report["objective"] > 1e-9 and (report["gap"] is not None or facts["dual"] is not None):
            fault("a bound without a penalty", spec, report["objective"], report["gap"])
        if report["gap"] is None and not isinstance(facts["gradient"], (int, float)):
            fault("no gradient beside no gap", spec, facts)
    # on rows that overlap, too; the words say why
    rows = [[rng.gauss(t == "b", 1)] for t in labels]
    write(rows, labels)
    for spec in ("logistic(penalty=none)", "svm(loss=hinge, penalty=none)"):
        report = train(spec)
        if report["gap"] is not None or not report["converged"]:
            fault("without a penalty", spec, report["gap"], report["converged"])
        if "certificate none: without a penalty" not in run("train", "rows.csv", "-m", spec).stdout:
            fault("the words of no gap", spec)


# ---- beyond the largest number -----------------------------------------------------------------


def start(spec, *words):
    """From the huge model; None: it is refused, since the objective there is infinite."""
    done = run("train", "rows.csv", "-m", spec, "--json", "--warm", "huge.sepal", *words)
    if done.returncode == 4 and "too large to start from" in done.stderr:
        return None
    if done.returncode:
        fault("a huge start", spec, done.returncode, done.stderr)
        return None
    return json.loads(done.stdout)


def huge_start():
    rng = random.Random(test_seed(13))
    labels = [rng.choice("ab") for _ in range(60)]
    rows = [[rng.gauss(t == "b", 1), rng.gauss(0, 1)] for t in labels]
    for size in (1e150, 1e200, 1e300):
        write([[size * v for v in row] for row in rows], labels, "huge.csv")
        run("train", "huge.csv", "-m", "mean-difference", "-o", "huge.sepal")
        write(rows, labels)
        for spec in ("logistic(C=1)", "svm(C=1)", "svm(loss=hinge, C=1)", "logistic(l1=0.01)",
                     "svm(loss=hinge, l1=0.01)", "svm(penalty=none)", "logistic(C=1, bias=penalised)"):
            warm = start(spec)
            if warm and (not warm["converged"] or abs(warm["objective"] - train(spec)["objective"]) > 1e-5):
                fault("a huge start", spec, size, warm["objective"], warm["gap"])
            if warm and [one["code"] for one in warm["warnings"]] != ["warm-start"]:
                fault("no word of a huge start", spec, warm["warnings"])
        # sgd begins where it is told to: no objective, no proof
        walk = start("svm(C=1, epochs=1, eta=1e-9)", "--solver", "sgd")
        if walk and (walk["converged"] or walk["gap"] is not None and walk["gap"] < 0.9):
            fault("sgd from a huge start", walk["objective"], walk["gap"])


# ---- blocks ------------------------------------------------------------------------------------


def zeros_then_tenths():
    rows = [[0 if i < 4096 or i % 2 else 0.1] for i in range(8192)]
    write(rows, ["a" if i % 3 else "b" for i in range(8192)])
    for spec in ("logistic", "svm", "svm(loss=hinge, l2=0.1)"):
        report = train(spec)
        if not report["converged"]:
            fault("zeros, then tenths", spec, report)


far_from_0()
no_penalty()
huge_start()
zeros_then_tenths()
raise SystemExit(failures > 0)
