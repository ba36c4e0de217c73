"""Write crammer.json: the least objectives of Crammer and Singer's machine that LIBLINEAR (-s 4) finds at a
tight tolerance, for tests/golden/test_crammer_singer.py. Run: python3 tests/golden/make_crammer.py (needs the
package liblinear-official).

LIBLINEAR minimises |W|^2 / 2 + C sum of losses; divided by C times the number of rows that is our objective. Its
bias (-B 1) is the weight of a column of ones: bias=penalised.
"""
import csv
import json
from pathlib import Path

import numpy as np
from liblinear.liblinearutil import parameter, problem, train

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "examples" / "data"
CASES = [(name, c, bias) for name, c in (("iris", 0.01), ("iris", 1.0), ("digits", 0.0001), ("digits", 0.01))
         for bias in ("false", "penalised")]


def load(name):
    with open(DATA / f"{name}.csv") as file:
        rows = list(csv.reader(file))[1:]
    labels = sorted({row[-1] for row in rows})
    return (np.array([[float(cell) for cell in row[:-1]] for row in rows]),
            np.array([labels.index(row[-1]) for row in rows]))


def objective(x, y, weights, c):
    """Of weights by class."""
    scores = x @ weights.T
    rows = np.arange(len(x))
    above = scores + 1 - scores[rows, y][:, None]
    above[rows, y] = 0
    return float(above.max(axis=1).mean() + 0.5 * (weights**2).sum() / (c * len(x)))


def fit(name, c, bias):
    x, y = load(name)
    if bias == "penalised":
        x = np.hstack([x, np.ones((len(x), 1))])
    model = train(problem(y.astype(float), x), parameter(f"-s 4 -c {c} -e 1e-6 -q"))
    weights = np.zeros((model.nr_class, x.shape[1]))
    for row, label in enumerate(model.get_labels()):
        weights[label] = model.get_decfun(row)[0]
    return objective(x, y, weights, c)


found = [{"data": name, "C": c, "bias": bias, "objective": fit(name, c, bias)} for name, c, bias in CASES]
(HERE / "crammer.json").write_text(json.dumps({"liblinear": found}, indent=1) + "\n")
