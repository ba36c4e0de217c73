"""Write bounds.json: weights of logistic regression and the squared-hinge SVM within bounds, by
scipy.optimize, for tests/golden/test_bounds.py. Run: python3 tests/golden/make_bounds.py (needs scipy).

breast_cancer is standardized; bounds are of the weights of the columns as they are in the file, so that those
of standardized columns are the standard deviation times as large. The weights written down are those of the
file's columns, too. Objectives are Sepal's: mean loss + l1 |w|_1 + l2/2 |w|^2, the bias free, absent or penalised
like a weight. An L1 penalty is smooth in w = p - n with p, n >= 0. L-BFGS-B finds which weights are at a bound;
Newton's method on the others then takes away what it has left, and the script stops unless all slopes are
below 1e-12 and those at bounds point outwards. Numbers are rounded to nine digits, the test asks for 1e-5.
"""
import csv
import json
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "examples" / "data"
INF = float("inf")


def load(columns):
    with open(DATA / "breast_cancer.csv") as file:
        head, *rows = csv.reader(file)
    x = np.array([[float(cell) for cell in row[:-1]] for row in rows])[:, :columns]
    labels = sorted({row[-1] for row in rows})
    y = np.array([1.0 if row[-1] == labels[1] else -1.0 for row in rows])
    return head[:columns], x - x.mean(0), x.std(0), y


def logistic(m):
    p = 1 / (1 + np.exp(m))
    return np.logaddexp(0, -m), -p, p * (1 - p)


def squared_hinge(m):
    gap = np.maximum(0, 1 - m)
    return gap**2, -2 * gap, 2.0 * (gap > 0)


class Problem:
    def __init__(self, z, y, loss, l1, l2, bias):
        self.a = np.column_stack([z, np.ones(len(z))]) if bias != "false" else z
        self.y, self.loss, self.l1 = y, loss, l1
        self.l2 = np.full(self.a.shape[1], l2)
        if bias == "true":
            self.l2[-1] = 0
        self.sign = np.zeros(self.a.shape[1])  # of weights that have an L1 penalty, once it is known

    def smooth(self, u):
        value, slope, _ = self.loss(self.y * (self.a @ u))
        return value.mean() + self.l2 @ u**2 / 2, self.a.T @ (slope * self.y) / len(self.y) + self.l2 * u

    def newton(self, u, free):
        """A step of the free weights, their signs as they are."""
        curvature = self.loss(self.y * (self.a @ u))[2] / len(self.y)
        part = self.a[:, free]
        hessian = part.T @ (curvature[:, None] * part) + np.diag(self.l2[free])
        gradient = (self.smooth(u)[1] + self.l1 * self.sign)[free]
        u = u.copy()
        u[free] -= np.linalg.solve(hessian, gradient)
        return u


def solve(problem, low, high, penalised):
    n = len(low)
    plus = [(max(0, lo), max(0, hi)) for lo, hi in zip(low, high)]
    minus = [(max(0, -hi), max(0, -lo)) for lo, hi in zip(low, high)]

    def split(pn):
        value, gradient = problem.smooth(pn[:n] - pn[n:])
        return value + problem.l1 * (pn @ np.tile(penalised, 2)), np.concatenate(
            [gradient + problem.l1 * penalised, problem.l1 * penalised - gradient])

    if problem.l1 > 0:
        found = minimize(split, np.zeros(2 * n), jac=True, method="L-BFGS-B", bounds=plus + minus,
                         options={"maxiter": 200000, "maxfun": 400000, "ftol": 1e-17, "gtol": 1e-11}).x
        u = found[:n] - found[n:]
        u[np.abs(u) < 1e-7] = 0
    else:
        u = minimize(problem.smooth, np.clip(np.zeros(n), low, high), jac=True, method="L-BFGS-B",
                     bounds=list(zip(low, high)),
                     options={"maxiter": 200000, "maxfun": 400000, "ftol": 1e-17, "gtol": 1e-11}).x
    problem.sign = np.sign(u) * penalised if problem.l1 > 0 else np.zeros(n)
    held = (u <= low + 1e-7) | (u >= high - 1e-7) | ((u == 0) & (penalised > 0) & (problem.l1 > 0))
    u = np.where(u <= low + 1e-7, low, np.where(u >= high - 1e-7, high, u))
    for _ in range(30):
        u = problem.newton(u, ~held)
    check(problem, u, low, high, held, penalised)
    return u


def check(problem, u, low, high, held, penalised):
    gradient = problem.smooth(u)[1]
    up = gradient + problem.l1 * penalised * np.where(u >= 0, 1, -1)
    down = gradient + problem.l1 * penalised * np.where(u > 0, 1, -1)
    assert (np.abs(up[~held]) < 1e-12).all(), up[~held]
    assert (u >= low).all() and (u <= high).all()
    assert (up[held & (u < high)] > -1e-12).all() and (down[held & (u > low)] < 1e-12).all()


def case(columns, learner, loss, bounds, nonneg="", l1=0.0, l2=0.0, bias="true"):
    names, z, deviation, y = load(columns)
    low, high = np.full(columns, -INF), np.full(columns, INF)
    for name, (lo, hi) in bounds.items():
        low[names.index(name)], high[names.index(name)] = lo, hi
    for j, name in enumerate(names):
        if nonneg == "all" or name in nonneg.split(","):
            low[j] = max(low[j], 0)
    penalised = np.ones(columns + (bias != "false"))
    wide = [0] * (bias != "false")
    if bias == "true":
        penalised[-1] = 0
    problem = Problem(z / deviation, y, loss, l1, l2, bias)
    u = solve(problem, np.append(low * deviation, [-INF for _ in wide]),
              np.append(high * deviation, [INF for _ in wide]), penalised)
    w = u[:columns] / deviation
    value = problem.smooth(u)[0] + l1 * np.abs(u * penalised).sum()
    text = lambda bound: "" if abs(bound) == INF else repr(bound)
    return {"columns": names, "learner": learner, "l1": l1, "l2": l2, "bias": bias, "nonneg": nonneg,
            "bounds": [[name, text(lo), text(hi)] for name, (lo, hi) in bounds.items()],
            "objective": float(f"{value:.12g}"), "weights": [float(f"{x:.9g}") for x in w]}


def main():
    box = {"mean_radius": (-0.05, 0.1), "mean_texture": (-INF, -0.2), "mean_area": (0.001, 0.002),
           "mean_smoothness": (2.0, 2.0), "mean_symmetry": (-3.0, INF)}
    cases = []
    for learner, loss in (("logistic", logistic), ("svm", squared_hinge)):
        for strength in ({"l2": 0.01}, {"l1": 0.003}, {"l1": 0.002, "l2": 0.005}, {}):
            cases.append(case(10, learner, loss, {}, "all", **strength))
            cases.append(case(10, learner, loss, box, "mean_compactness", **strength))
        for bias in ("false", "penalised"):
            cases.append(case(10, learner, loss, {}, "all", l2=0.01, bias=bias))
            cases.append(case(10, learner, loss, box, "", l1=0.002, l2=0.005, bias=bias))
        cases.append(case(30, learner, loss, {}, "all", l2=0.001))
        cases.append(case(30, learner, loss, {}, "mean_radius,worst_area,area_error", l1=0.001, l2=0.001))
    (HERE / "bounds.json").write_text(json.dumps(cases, indent=1) + "\n")


main()
