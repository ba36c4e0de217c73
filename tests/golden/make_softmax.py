"""Write softmax.json: weights of softmax regression that scikit-learn finds, for tests/golden/test_softmax.py.
Run: python3 tests/golden/make_softmax.py (needs scikit-learn).

C is scikit-learn's C and ratio its l1_ratio; sample weights and class weights multiply the loss; the intercepts
are free, and both sides have them add up to 0. The data are the bundled sets as they are; only the rows that
`every` keeps are used, to bound the time of saga, which is the only solver there for an L1 penalty. It stops where
its weights do not change by 1e-10 any more, so those cases compare to 1e-4.
"""
import csv
import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "examples" / "data"
ROW_WEIGHTS = (0.5, 1.0, 3.0)  # of rows 0, 1, 2, 3 = 0, ...
SMOOTH = dict(solver="newton-cholesky", tol=1e-13, max_iter=1000)
CASES = [
    ("iris", "softmax", dict(C=1.0, **SMOOTH), False),
    ("iris", "softmax(C=100)", dict(C=100.0, **SMOOTH), False),
    ("iris", "softmax(C=0.01)", dict(C=0.01, **SMOOTH), True),
    ("wine", "softmax(C=0.1)", dict(C=0.1, **SMOOTH), True),
    ("wine", "softmax(class_weight=balanced)", dict(C=1.0, class_weight="balanced", **SMOOTH), False),
    ("wine", "softmax(bias=false)", dict(C=1.0, fit_intercept=False, **SMOOTH), False),
    ("digits", "softmax(C=0.001)", dict(C=0.001, **SMOOTH), False),
    ("iris", "softmax(penalty=l1)", dict(C=1.0, l1_ratio=1, solver="saga", tol=1e-10, max_iter=200_000), False),
    ("iris", "softmax(C=1, ratio=0.5)", dict(C=1.0, l1_ratio=0.5, solver="saga", tol=1e-10, max_iter=200_000), True),
]


def load(name):
    with open(DATA / f"{name}.csv") as file:
        rows = list(csv.reader(file))[1:]
    x = np.array([[float(cell) for cell in row[:-1]] for row in rows])
    labels = [row[-1] for row in rows]
    order = sorted(set(labels), key=float) if labels[0].isdigit() else sorted(set(labels))
    return x, np.array([order.index(label) for label in labels])


def rounded(numbers):
    return [[float(f"{x:.9g}") for x in row] for row in np.atleast_2d(numbers)]


def main():
    cases = []
    for name, spec, parameters, weighted in CASES:
        x, y = load(name)
        weights = np.resize(ROW_WEIGHTS, len(x)) if weighted else np.ones(len(x))
        model = LogisticRegression(**parameters).fit(x, y, sample_weight=weights)
        bias = model.intercept_ if parameters.get("fit_intercept", True) else np.zeros(len(model.classes_))
        cases.append({"data": name, "spec": spec, "weighted": weighted, "theirs": str(model),
                      "within": 1e-4 if parameters["solver"] == "saga" else 1e-5,
                      "weights": rounded(model.coef_), "bias": rounded(bias)[0]})
        print(name, spec, model.n_iter_)
    lines = ",\n".join("  " + json.dumps(case) for case in cases)
    text = f'{{\n "made_with": "scikit-learn {sklearn.__version__}",\n "row_weights": {list(ROW_WEIGHTS)},\n "cases": [\n{lines}\n ]\n}}\n'
    (HERE / "softmax.json").write_text(text)


if __name__ == "__main__":
    main()
