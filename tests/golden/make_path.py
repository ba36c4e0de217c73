"""Write path.json: values of a regularisation path by scikit-learn, for tests/golden/test_path.py. Run:
python3 tests/golden/make_path.py (needs scikit-learn).

breast_cancer is standardized (population deviations). lambda is that of glmnet: mean loss + lambda (ratio |w|_1 +
(1 - ratio)/2 |w|^2), so C = 1 / (lambda rows). The first lambda is the least that keeps all weights at 0: the
largest |x_j . (y - mean y)| / rows, divided by ratio. Each later one is lambda_max times a factor; the
objective is computed here from scikit-learn's weights. saga runs far below its default tolerance.
"""
import csv
import json
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

HERE = Path(__file__).resolve().parent
RATIOS = (1.0, 0.5)
FACTORS = (1.0, 0.5, 0.1, 0.02)


def load():
    with open(HERE.parent.parent / "examples/data/breast_cancer.csv") as file:
        rows = list(csv.reader(file))[1:]
    x = np.array([[float(cell) for cell in row[:-1]] for row in rows])
    y = np.array([row[-1] == "malignant" for row in rows], float)
    return (x - x.mean(axis=0)) / x.std(axis=0), y


def objective(x, y, w, b, lam, ratio):
    margins = (2 * y - 1) * (x @ w + b)
    return np.mean(np.logaddexp(0, -margins)) + lam * (ratio * np.abs(w).sum() + (1 - ratio) / 2 * (w @ w))


def value(x, y, lam, ratio):
    model = LogisticRegression(solver="saga", l1_ratio=ratio, C=1 / (lam * len(x)), tol=1e-13, max_iter=400_000,
                               random_state=1).fit(x, y)
    w = np.where(np.abs(model.coef_[0]) < 1e-10, 0, model.coef_[0])
    return {"lambda": lam, "ratio": ratio, "objective": float(objective(x, y, w, model.intercept_[0], lam, ratio)),
            "nonzero": int((w != 0).sum())}


def main():
    warnings.simplefilter("error", sklearn.exceptions.ConvergenceWarning)
    x, y = load()
    cases = []
    for ratio in RATIOS:
        top = float(np.abs(x.T @ (y - y.mean())).max() / len(x) / ratio)
        cases.append({"ratio": ratio, "lambda_max": top,
                      "values": [value(x, y, top * factor, ratio) for factor in FACTORS[1:]]})
    golden = {"made_with": f"scikit-learn {sklearn.__version__}", "cases": cases}
    (HERE / "path.json").write_text(json.dumps(golden, indent=1) + "\n")


main()
