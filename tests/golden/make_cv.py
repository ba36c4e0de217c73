"""Write cv.json: folds of scikit-learn and what its estimators reach on them, for tests/golden/test_cv.py. Run:
python3 tests/golden/make_cv.py (needs scikit-learn).

Shuffled stratified folds of the bundled data, each row's fold one character; per fold the accuracy on the rows learnt
from, and accuracy, balanced accuracy, macro F1 and (where the estimator has probabilities) log loss on those held out.
Pipelines fit their scaler in each fold. TimeSeriesSplit is made anew by `sepal cv --ordered`, its rows being dealt
out by number first, so that no class comes late.
"""
import csv
import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score
from sklearn.model_selection import StratifiedKFold, TimeSeriesSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "examples" / "data"


def logistic():
    return make_pipeline(StandardScaler(), LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-10, max_iter=1000))


# what is fitted, by scikit-learn and by us; the options are those of every fit
ESTIMATORS = {
    "iris": {"lda": LinearDiscriminantAnalysis(solver="lsqr"), "naive-bayes(kind=gaussian)": GaussianNB(var_smoothing=0),
             "standardize | softmax": logistic()},
    "wine": {"lda": LinearDiscriminantAnalysis(solver="lsqr"), "naive-bayes(kind=gaussian)": GaussianNB(var_smoothing=0),
             "standardize | softmax": logistic()},
    "breast_cancer": {"lda": LinearDiscriminantAnalysis(solver="lsqr"),
                      "naive-bayes(kind=gaussian)": GaussianNB(var_smoothing=0), "standardize | logistic": logistic()},
    "digits": {"lda": LinearDiscriminantAnalysis(solver="lsqr"), "naive-bayes": MultinomialNB(alpha=1), "standardize | softmax": logistic()},
}


def load(name):
    with open(DATA / f"{name}.csv") as file:
        rows = list(csv.reader(file))[1:]
    return np.array([[float(cell) for cell in row[:-1]] for row in rows]), np.array([row[-1] for row in rows])


def loss(model, x, y):
    """As sklearn.metrics.log_loss, whose probabilities of 0 would be cut off at 2e-16, from their logarithms."""
    if not hasattr(model, "decision_function"):
        logs = model.predict_log_proba(x)
    else:
        scores = model.decision_function(x)
        logs = np.column_stack([np.zeros(len(x)), scores]) if scores.ndim == 1 else scores
        logs = logs - np.logaddexp.reduce(logs, axis=1)[:, None]
    return float(-np.mean(logs[np.arange(len(y)), np.searchsorted(model.classes_, y)]))


def judge(estimator, x, y, train, valid):
    model = sklearn.base.clone(estimator).fit(x[train], y[train])
    decided = model.predict(x[valid])
    return {"train": {"accuracy": accuracy_score(y[train], model.predict(x[train]))},
            "valid": {"accuracy": accuracy_score(y[valid], decided),
                      "balanced_accuracy": balanced_accuracy_score(y[valid], decided),
                      "macro.f1": f1_score(y[valid], decided, average="macro"),
                      "log_loss": loss(model, x[valid], y[valid])}}


def main():
    golden = {"made_with": f"scikit-learn {sklearn.__version__}", "sets": {}}
    for name, estimators in ESTIMATORS.items():
        x, y = load(name)
        splits = list(StratifiedKFold(10, shuffle=True, random_state=0).split(x, y))
        fold = np.zeros(len(y), int)
        for f, (_, valid) in enumerate(splits):
            fold[valid] = f
        golden["sets"][name] = {"folds": "".join(map(str, fold)), "specs": {}}
        for spec, estimator in estimators.items():
            scores = cross_val_score(estimator, x, y, cv=splits)
            folds = [judge(estimator, x, y, *split) for split in splits]
            assert all(fold["valid"]["accuracy"] == score for fold, score in zip(folds, scores))
            golden["sets"][name]["specs"][spec] = {"mean": float(scores.mean()), "std": float(scores.std(ddof=1)),
                                                   "folds": folds}
    x, y = load("digits")
    ordered = TimeSeriesSplit(6)
    golden["ordered"] = [judge(LinearDiscriminantAnalysis(solver="lsqr"), x, y, *split) for split in ordered.split(x)]
    (HERE / "cv.json").write_text(json.dumps(golden, indent=1) + "\n")


main()
