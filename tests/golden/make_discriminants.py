"""Write discriminants.json: posteriors and projections that scikit-learn finds, for
tests/golden/test_golden_discriminants.py. iris, wine, breast_cancer and digits are bundled; SEPAL_DATA
names the folder of satellite and vehicle.

Values of iris from R's MASS::lda are as printed by many texts (R Core's datasets::iris, MASS 7.3).
Run: SEPAL_DATA=DIR python3 tests/golden/make_discriminants.py
"""
import csv
import json
import os
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.base import BaseEstimator
from sklearn.covariance import empirical_covariance, ledoit_wolf_shrinkage
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.naive_bayes import GaussianNB

HERE = Path(__file__).resolve().parent
BUNDLED = HERE.parent.parent / "examples" / "data"
SHOWN = 12  # rows of each data set, spread over the file



class Unbiased(BaseEstimator):
    """Covariances times N / (N - K), or of one class n / (n - 1): scikit-learn divides by N itself,
    since 1.9 with every solver."""
    def __init__(self, rows=None, classes=1):
        self.rows, self.classes = rows, classes

    def fit(self, x):
        rows = self.rows or len(x)
        self.covariance_ = empirical_covariance(x) * rows / (rows - self.classes)
        return self


def unbiased_lda(rows, classes):
    return LDA(solver="lsqr", covariance_estimator=Unbiased(rows, classes))


# spec, how scikit-learn says it for n rows and k classes, data sets that it cannot do
CASES = [
    ("lda", unbiased_lda, ()),
    ("lda(estimate=ml)", lambda n, k: LDA(), ()),
    ("lda(estimate=ml)", lambda n, k: LDA(solver="lsqr"), ()),
    ("lda(estimate=ml)", lambda n, k: LDA(solver="eigen"), ("digits",)),  # S_W is singular
    ("lda(estimate=ml, shrinkage=0.2)", lambda n, k: LDA(solver="lsqr", shrinkage=0.2), ()),
    ("lda(estimate=ml, shrinkage=0.01)", lambda n, k: LDA(solver="eigen", shrinkage=0.01), ()),
    ("lda(estimate=ml, shrinkage=1)", lambda n, k: LDA(solver="lsqr", shrinkage=1.0), ()),
    ("gaussian", lambda n, k: QDA(solver="eigen", tol=1e-12, covariance_estimator=Unbiased()), ("digits",)),
    ("gaussian(estimate=ml)", lambda n, k: QDA(tol=1e-12), ("digits",)),
    ("gaussian(estimate=ml, shrinkage=0.1)", lambda n, k: QDA(solver="eigen", shrinkage=0.1), ()),
    ("gaussian(estimate=ml, shrinkage=0.001)", lambda n, k: QDA(solver="eigen", shrinkage=0.001), ()),
    ("gaussian(covariance=diagonal)", lambda n, k: GaussianNB(var_smoothing=0), ("digits",)),
]


def load(name):
    path = BUNDLED / f"{name}.csv"
    if not path.exists():
        path = Path(os.environ["SEPAL_DATA"]) / f"{name}.csv"
    with open(path) as file:
        rows = list(csv.reader(file))[1:]
    x = np.array([[float(cell) for cell in row[:-1]] for row in rows])
    labels = [row[-1] for row in rows]
    order = sorted(set(labels), key=float) if labels[0].replace(".", "").isdigit() else sorted(set(labels))
    return x, np.array([order.index(label) for label in labels])


def shown(rows):
    return list(range(0, rows, max(1, rows // SHOWN)))


def project(x, y):
    """scikit-learn's projections, turned so that the largest entry of each axis is positive, and for
    a covariance that divides by N - K."""
    model = LDA().fit(x, y)
    axes = model.scalings_[:, :model._max_components]
    sign = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    scale = np.sqrt(1 - (y.max() + 1) / len(x))
    return {"share": model.explained_variance_ratio_.tolist(), "step": max(1, len(x) // SHOWN),
            "projections": (model.transform(x) * sign * scale)[shown(len(x))].tolist()}


def intensity(x, y):
    centred = x.copy()
    for k in range(y.max() + 1):
        centred[y == k] -= x[y == k].mean(axis=0)
    return ledoit_wolf_shrinkage(centred, assume_centered=True)


def main():
    golden = {"made_with": f"numpy {np.__version__}, scikit-learn {sklearn.__version__}",
              "posteriors": [], "axes": {}, "ledoit_wolf": {},
              "mass": {"data": "iris", "share": [0.9912, 0.0088],
                       "axes": [[0.8293776, 1.5344731, -2.2012117, -2.8104603],
                                [0.02410215, 2.16452123, -0.93192121, 2.83918785]]}}
    warnings.simplefilter("ignore")
    for name in ("iris", "wine", "breast_cancer", "digits", "satellite", "vehicle"):
        x, y = load(name)
        for spec, make, without in CASES:
            if name in without:
                continue
            model = make(len(x), y.max() + 1).fit(x, y)
            golden["posteriors"].append({"data": name, "spec": spec, "theirs": " ".join(repr(model).split()),
                                         "step": max(1, len(x) // SHOWN),
                                         "proba": model.predict_proba(x[shown(len(x))]).tolist()})
        golden["ledoit_wolf"][name] = intensity(x, y)
        if name != "digits":
            golden["axes"][name] = project(x, y)
    (HERE / "discriminants.json").write_text(json.dumps(golden, indent=0) + "\n")


main()
