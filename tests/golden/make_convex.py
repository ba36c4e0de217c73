"""Write convex.json: weights of logistic regression and linear SVM that scikit-learn and R's glmnet
find, for tests/golden/test_convex.py. Run: python3 tests/golden/make_convex.py (needs both).

breast_cancer is standardized (population deviations, of weighted rows the weighted ones) and its weights
are those of standardized columns; digits is taken as it is, one class against the rest. How the two sides say the same:
- C is scikit-learn's C, ratio its l1_ratio; sample weights and class weights multiply the loss.
- LogisticRegression leaves the intercept free, except with the solver liblinear; that and LinearSVC
  treat it as one more weight on a column of ones: bias=penalised.
- glmnet minimises mean loss + lambda ((1 - alpha)/2 |w|^2 + alpha |w|_1): l1 = lambda alpha,
  l2 = lambda (1 - alpha). It standardizes by itself unless told not to.
- Without a penalty only the first ten columns of breast_cancer are used: all thirty separate the classes.
Every solver runs at a tolerance far below its default; where two of one objective are here they
agree to 1e-7. Numbers are rounded to nine digits, the test asks for 1e-5.
"""
import csv
import json
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "examples" / "data"
ROW_WEIGHTS = (0.5, 1.0, 3.0)  # of rows 0, 1, 2, 3 = 0, ...


def load(name, columns, weighted):
    """Rows, classes and row weights."""
    with open(DATA / f"{name}.csv") as file:
        rows = list(csv.reader(file))[1:]
    x = np.array([[float(cell) for cell in row[:-1]] for row in rows])[:, :columns]
    labels = [row[-1] for row in rows]
    order = sorted(set(labels), key=float) if labels[0].isdigit() else sorted(set(labels))
    weights = np.resize(ROW_WEIGHTS, len(x)) if weighted else np.ones(len(x))
    if name == "breast_cancer":
        centred = x - np.average(x, axis=0, weights=weights)
        x = centred / np.average(centred**2, axis=0, weights=weights) ** 0.5
    return x, np.array([order.index(label) for label in labels]), weights


def logistic(**parameters):
    return LogisticRegression(**{"solver": "newton-cholesky", "tol": 1e-13, "max_iter": 1000, **parameters})


def svm(**parameters):
    return LinearSVC(**{"tol": 1e-11, "max_iter": 2_000_000, **parameters})


def saga(**parameters):
    return LogisticRegression(solver="saga", tol=1e-13, max_iter=200_000, random_state=1, **parameters)


def liblinear(**parameters):
    return LogisticRegression(solver="liblinear", tol=1e-12, max_iter=1_000_000, **parameters)


# data, columns, our spec, rows weighted, theirs
CASES = [
    *(("breast_cancer", 30, f"logistic(C={c})", False, logistic(C=c)) for c in (0.01, 1.0, 100.0)),
    ("breast_cancer", 30, "logistic(C=1, bias=false)", False, logistic(C=1.0, fit_intercept=False)),
    ("breast_cancer", 10, "logistic(penalty=none)", False, logistic(C=np.inf)),
    ("breast_cancer", 30, "logistic(C=1, class_weight=balanced)", False, logistic(class_weight="balanced")),
    ("breast_cancer", 30, 'logistic(C=1, class_weight="benign:3,malignant:0.25")', False,
     logistic(class_weight={0: 3, 1: 0.25})),
    ("breast_cancer", 30, "logistic(C=0.1)", True, logistic(C=0.1)),
    ("breast_cancer", 30, "logistic(penalty=l1, C=0.1)", False, saga(C=0.1, l1_ratio=1.0)),
    ("breast_cancer", 30, "logistic(penalty=l1, C=0.3, bias=false)", False,
     saga(C=0.3, l1_ratio=1.0, fit_intercept=False)),
    ("breast_cancer", 30, "logistic(penalty=l1, C=5, bias=penalised)", False, liblinear(C=5.0, l1_ratio=1.0)),
    ("breast_cancer", 30, "logistic(penalty=elasticnet, C=0.5, ratio=0.7)", False, saga(C=0.5, l1_ratio=0.7)),
    ("breast_cancer", 30, "logistic(penalty=elasticnet, C=0.2, ratio=0.3)", True, saga(C=0.2, l1_ratio=0.3)),
    *(("breast_cancer", 30, f"svm(loss={loss}, C={c}, bias=penalised)", False, svm(loss=loss, C=c, dual=dual))
      for loss, c, dual in (("squared_hinge", 0.01, False), ("squared_hinge", 1.0, False),
                            ("squared_hinge", 0.02, True), ("hinge", 0.01, True), ("hinge", 0.05, True))),
    ("breast_cancer", 30, "svm(loss=squared_hinge, penalty=l1, C=0.1, bias=penalised)", False,
     svm(C=0.1, penalty="l1", dual=False)),
    ("breast_cancer", 30, "svm(loss=squared_hinge, C=0.1, bias=penalised, class_weight=balanced)", True,
     svm(C=0.1, dual=False, class_weight="balanced")),
    ("digits", 64, "logistic(C=0.01)", False, OneVsRestClassifier(logistic(C=0.01))),
    ("digits", 64, "logistic(C=1, class_weight=balanced)", False,
     OneVsRestClassifier(logistic(class_weight="balanced"))),
    ("digits", 64, "svm(loss=squared_hinge, C=0.001, bias=penalised)", False, svm(C=0.001, dual=False)),
    ("digits", 64, "svm(loss=hinge, C=0.0001, bias=penalised)", False, svm(C=0.0001, loss="hinge", dual=True)),
]

# data, lambda, alpha, rows weighted
GLMNET = [("breast_cancer", 0.05, 1.0, False), ("breast_cancer", 0.002, 1.0, False),
          ("breast_cancer", 0.01, 0.5, True), ("breast_cancer", 0.1, 0.0, False), ("digits", 0.01, 1.0, False)]

GLMNET_SCRIPT = """
library(glmnet)
words <- commandArgs(TRUE)
x <- as.matrix(read.csv(words[1], header = FALSE))
y <- read.csv(words[2], header = FALSE)
alpha <- as.numeric(words[3]); lambda <- as.numeric(words[4])
glmnet.control(fdev = 0, devmax = 1)
for (k in seq_len(ncol(y) - 1)) {
    fit <- glmnet(x, y[, k], family = "binomial", weights = y[, ncol(y)], alpha = alpha,
                  lambda = lambda * 2^(8:0), standardize = FALSE, thresh = 1e-20, maxit = 1e8)
    cat(formatC(c(fit$a0[9], as.vector(fit$beta[, 9])), digits = 17), "\\n")
}
"""


def glmnet(x, y, weights, alpha, lam):
    classes = [1] if y.max() == 1 else range(y.max() + 1)
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(f"{folder}/x.csv", x, delimiter=",", fmt="%.17g")
        np.savetxt(f"{folder}/y.csv", np.column_stack([*(y == k for k in classes), weights]), delimiter=",")
        Path(f"{folder}/fit.R").write_text(GLMNET_SCRIPT)
        done = subprocess.run(["Rscript", f"{folder}/fit.R", f"{folder}/x.csv", f"{folder}/y.csv",
                               repr(alpha), repr(lam)], check=True, capture_output=True, text=True)
    found = np.array([line.split() for line in done.stdout.splitlines() if line.strip()], float)
    return found[:, 1:], found[:, 0]


def glmnet_version():
    return subprocess.run(["Rscript", "-e", 'cat(as.character(packageVersion("glmnet")))'], check=True,
                          capture_output=True, text=True).stdout


def short(values):
    return [float(f"{value:.9g}") for value in values]


def case(data, columns, spec, weighted, theirs, w, b):
    return {"data": data, "columns": columns, "spec": spec, "weighted": weighted, "theirs": theirs,
            "weights": [short(row) for row in np.atleast_2d(w)], "bias": short(np.atleast_1d(b))}


def by_scikit_learn(data, columns, spec, weighted, model):
    x, y, weights = load(data, columns, weighted)
    model.fit(x, y, **({"sample_weight": weights} if weighted else {}))
    parts = getattr(model, "estimators_", [model])
    b = np.concatenate([np.zeros(1) + part.intercept_ for part in parts])
    name = " ".join(repr(model).split())
    return case(data, columns, spec, weighted, name, np.vstack([part.coef_ for part in parts]), b)


def by_glmnet(data, lam, alpha, weighted):
    x, y, weights = load(data, None, weighted)
    w, b = glmnet(x, y, weights, alpha, lam)
    spec = f"logistic(l1={lam * alpha:.9g}, l2={lam * (1 - alpha):.9g})"
    return case(data, x.shape[1], spec, weighted, f"glmnet, lambda {lam}, alpha {alpha}", w, b)


def main():
    warnings.simplefilter("error", sklearn.exceptions.ConvergenceWarning)
    cases = [by_scikit_learn(*row) for row in CASES] + [by_glmnet(*row) for row in GLMNET]
    golden = {"made_with": f"scikit-learn {sklearn.__version__}, glmnet {glmnet_version()}",
              "row_weights": ROW_WEIGHTS}
    text = json.dumps(golden, indent=1)[:-2] + ',\n "cases": [\n  '
    text += ",\n  ".join(map(json.dumps, cases)) + "\n ]\n}\n"
    (HERE / "convex.json").write_text(text)


main()
