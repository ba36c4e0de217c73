"""Write calibration.json: what scikit-learn's CalibratedClassifierCV(ensemble=False) makes of the bundled data
sets, with the folds that Sepal takes for seed 1: within each class the rows are shuffled (Fisher and Yates,
numbers by philox4x32-10), and dealt to the folds in turn, a class going on where the one before it ended.

Run: python3 tests/golden/make_calibration.py
"""
import csv
import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "examples" / "data"
FOLD_STREAM = 0x666F6C64
MASK = 0xFFFFFFFF


def philox(seed, stream, i):
    x0, x1, x2, x3 = i & MASK, i >> 32, stream & MASK, stream >> 32
    k0, k1 = seed & MASK, seed >> 32
    for _ in range(10):
        p0, p1 = 0xD2511F53 * x0, 0xCD9E8D57 * x2
        x0, x1, x2, x3 = (p1 >> 32) ^ x1 ^ k0, p1 & MASK, (p0 >> 32) ^ x3 ^ k1, p0 & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return x1 << 32 | x0


def shuffled(rows, seed, stream):
    rows, drawn = list(rows), 0
    for i in range(len(rows), 1, -1):  # a draw that would not be even has a chance of 1e-17
        j = philox(seed, stream, drawn) % i
        drawn += 1
        rows[i - 1], rows[j] = rows[j], rows[i - 1]
    return rows


def folds_of(y, n, seed=1):
    order = [row for k in range(y.max() + 1)
             for row in shuffled(np.flatnonzero(y == k), seed, FOLD_STREAM + k)]
    fold = np.empty(len(y), int)
    fold[order] = np.arange(len(y)) % n
    return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(n)]


def load(name):
    with open(DATA / f"{name}.csv") as file:
        rows = list(csv.reader(file))[1:]
    names = [row[-1] for row in rows]
    order = sorted(set(names))
    return np.array([[float(cell) for cell in row[:-1]] for row in rows]), np.array(
        [order.index(name) for name in names])


def svm():
    return LinearSVC(C=1, dual=False, tol=1e-12, max_iter=100000)


CASES = [  # data, spec, weighted, folds, the same in scikit-learn
    ("breast_cancer", "standardize | svm(bias=penalised)", False, 5,
     lambda: make_pipeline(StandardScaler(), svm())),
    ("breast_cancer", "svm(bias=penalised, C=1e-6)", True, 3,
     lambda: LinearSVC(C=1e-6, dual=False, tol=1e-14, max_iter=100000)),
    ("iris", "svm(bias=penalised) | ovr", False, 5, svm),
    ("iris", "svm(bias=penalised) | ovr", True, 10, svm),
    ("iris", "svm(bias=penalised) | ovo", False, 5, lambda: OneVsOneClassifier(svm())),
    ("breast_cancer", "standardize | logistic", False, 7,
     lambda: make_pipeline(StandardScaler(), LogisticRegression(C=1, tol=1e-12, solver="newton-cholesky"))),
]


def main():
    golden = {"scikit-learn": sklearn.__version__, "cases": []}
    for name, spec, weighted, folds, make in CASES:
        x, y = load(name)
        weight = 1.0 + np.arange(len(y)) % 3
        for method, theirs in (("platt", "sigmoid"), ("isotonic", "isotonic"),
                               ("temperature", "temperature")):
            model = CalibratedClassifierCV(make(), method=theirs, cv=folds_of(y, folds), ensemble=False)
            model.fit(x, y, sample_weight=weight if weighted else None)
            p = model.predict_proba(x)
            golden["cases"].append({"data": name, "spec": spec, "weighted": weighted, "folds": folds,
                                    "method": method, "p": [[float(f"{v:.12g}") for v in row[1:]]
                                                            for row in p[::7]]})
    with open(HERE / "calibration.json", "w") as file:
        json.dump(golden, file, separators=(",", ":"))
        file.write("\n")


main()
