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


def unbiased_lda(x, y):
    return LDA(solver="lsqr", covariance_estimator=Unbiased(len(x), y.max() + 1))


class Fixed(BaseEstimator):
    """The same covariance for every class."""
    def __init__(self, covariance=None):
        self.covariance = covariance

    def fit(self, x):
        self.covariance_ = self.covariance
        return self

    def __repr__(self):
        return "Fixed()"


def standardized(x, y):
    """Class-centred rows in units of their standard deviations, and these."""
    centred = x.copy()
    for k in range(y.max() + 1):
        centred[y == k] -= x[y == k].mean(axis=0)
    sd = np.sqrt((centred ** 2).mean(axis=0))
    sd[np.ptp(x, axis=0) == 0] = 1
    return centred / sd, sd


def standardized_lda(x, y):
    z, sd = standardized(x, y)
    alpha = ledoit_wolf_shrinkage(z, assume_centered=True)
    shrunk = (1 - alpha) * (z.T @ z) / len(z) + alpha * np.eye(len(sd))
    return LDA(solver="eigen", covariance_estimator=Fixed(shrunk * np.outer(sd, sd)))


# spec, how scikit-learn says it for rows and their classes, data sets that it cannot do
CASES = [
    ("lda(estimate=unbiased)", unbiased_lda, ()),
    ("lda", lambda x, y: LDA(), ()),
    ("lda", lambda x, y: LDA(solver="lsqr"), ()),
    ("lda", lambda x, y: LDA(solver="eigen"), ("digits",)),  # S_W is singular
    ("lda(shrinkage=0.2)", lambda x, y: LDA(solver="lsqr", shrinkage=0.2), ()),
    ("lda(shrinkage=0.01)", lambda x, y: LDA(solver="eigen", shrinkage=0.01), ()),
    ("lda(shrinkage=1)", lambda x, y: LDA(solver="lsqr", shrinkage=1.0), ()),
    ("lda(shrinkage=auto)", standardized_lda, ()),
    ("gaussian(estimate=unbiased)",
     lambda x, y: QDA(solver="eigen", tol=1e-12, covariance_estimator=Unbiased()), ("digits",)),
    ("gaussian", lambda x, y: QDA(tol=1e-12), ("digits",)),
    ("gaussian(shrinkage=0.1)", lambda x, y: QDA(solver="eigen", shrinkage=0.1), ()),
    ("gaussian(shrinkage=0.001)", lambda x, y: QDA(solver="eigen", shrinkage=0.001), ()),
    ("gaussian(shrinkage=auto)", lambda x, y: QDA(solver="eigen", shrinkage="auto", tol=1e-12), ("digits",)),
    ("gaussian(covariance=diagonal)", lambda x, y: GaussianNB(var_smoothing=0), ("digits",)),
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
    return ledoit_wolf_shrinkage(standardized(x, y)[0], assume_centered=True)


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
            model = make(x, y).fit(x, y)
            theirs = " ".join(repr(model).split())
            # what both do unless told otherwise agrees to the last digits; lsqr loses some
            plain = spec in ("gaussian", "gaussian(covariance=diagonal)") or theirs.endswith("Analysis()")
            golden["posteriors"].append({"data": name, "spec": spec, "theirs": theirs,
                                         "within": 1e-12 if plain else 1e-9, "step": max(1, len(x) // SHOWN),
                                         "proba": model.predict_proba(x[shown(len(x))]).tolist()})
        golden["ledoit_wolf"][name] = intensity(x, y)
        if name != "digits":
            golden["axes"][name] = project(x, y)
    (HERE / "discriminants.json").write_text(json.dumps(golden, indent=0) + "\n")


main()
