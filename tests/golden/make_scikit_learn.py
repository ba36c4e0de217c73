"""Write scikit_learn.json: what NumPy and scikit-learn find on the bundled data sets.

Least squares by NumPy's lstsq of centred data, judged by sklearn.metrics; the two-class perceptron
by sklearn.linear_model.Perceptron in file order; posteriors of LDA (lsqr, shrinkage 0.1), alone and
under OneVsRest and OneVsOne, judged by sklearn.metrics, with and without abstaining. Run: python3 tests/golden/make_scikit_learn.py
"""
import csv
import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn import metrics
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Perceptron
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "examples" / "data"


def load(name):
    with open(DATA / f"{name}.csv") as file:
        rows = list(csv.reader(file))[1:]
    x = np.array([[float(cell) for cell in row[:-1]] for row in rows])
    names = [row[-1] for row in rows]
    order = sorted(set(names), key=int) if names[0].isdigit() else sorted(set(names))
    return x, np.array([order.index(name) for name in names]), order


def scores_of(x, y, classes):
    targets = np.eye(classes)[y] if classes > 2 else (2.0 * y - 1)[:, None]
    centred = x - x.mean(axis=0)
    w = np.linalg.lstsq(centred, targets - targets.mean(axis=0), rcond=None)[0]
    return centred @ w + targets.mean(axis=0)


def judge_decided(y, decided):
    golden = {"confusion": metrics.confusion_matrix(y, decided).tolist(),
              "accuracy": metrics.accuracy_score(y, decided),
              "mcc": metrics.matthews_corrcoef(y, decided)}
    parts = metrics.precision_recall_fscore_support(y, decided, zero_division=0)
    golden["per_class"] = [dict(zip(("precision", "recall", "f1", "support"), map(float, row)))
                           for row in zip(*parts)]
    for average in ("macro", "micro", "weighted"):
        values = metrics.precision_recall_fscore_support(y, decided, average=average, zero_division=0)
        golden[average] = dict(zip(("precision", "recall", "f1"), map(float, values[:3])))
    return golden


def judge(s, y, labels):
    two = len(labels) == 2
    golden = judge_decided(y, (s[:, 0] >= 0).astype(int) if two else s.argmax(axis=1))
    each = [1] if two else range(len(labels))
    # K scores may have any function of x in common: a class by how far it is above the others
    column = [s[:, 0] if two else s[:, k] - np.delete(s, k, axis=1).max(axis=1) for k in each]
    golden["roc_auc"] = float(np.mean([metrics.roc_auc_score(y == k, c) for k, c in zip(each, column)]))
    golden["pr_auc"] = float(np.mean([metrics.average_precision_score(y == k, c)
                                      for k, c in zip(each, column)]))
    return golden


def judge_posterior(p, y, labels):
    """Posteriors, decided for the largest; and with rows below 0.9 left undecided."""
    two = len(labels) == 2
    golden = judge_decided(y, p.argmax(axis=1))
    golden["log_loss"] = metrics.log_loss(y, p)
    golden["brier"] = (metrics.brier_score_loss(y, p[:, 1]) if two else
                       float(((p - np.eye(len(labels))[y]) ** 2).sum(axis=1).mean()))
    golden["roc_auc"] = metrics.roc_auc_score(y, p[:, 1] if two else p, multi_class="ovr")
    golden["pr_auc"] = float(np.mean([metrics.average_precision_score(y == k, p[:, k])
                                      for k in ([1] if two else range(len(labels)))]))
    kept = p.max(axis=1) >= 0.9
    confusion = [[int(((y == t) & kept & (p.argmax(axis=1) == k)).sum()) for k in range(len(labels))]
                 + [int(((y == t) & ~kept).sum())] for t in range(len(labels))]
    golden["reject"] = {"confusion": confusion, "coverage": float(kept.mean()),
                        "accuracy": float((kept & (p.argmax(axis=1) == y)).mean())}
    return golden


def walk(x, y, epochs):
    model = Perceptron(max_iter=epochs, tol=None, shuffle=False, eta0=1.0).fit(x, y)
    return {"weights": model.coef_[0].tolist(), "bias": float(model.intercept_[0])}


def main():
    golden = {"made_with": f"numpy {np.__version__}, scikit-learn {sklearn.__version__}",
              "least_squares": {}, "perceptron": {}, "machine": {}, "ovr": {}, "ovo": {}}
    for name in ("iris", "wine", "breast_cancer", "digits"):
        x, y, labels = load(name)
        golden["least_squares"][name] = judge(scores_of(x, y, len(labels)), y, labels)
        lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1)
        golden["machine"][name] = judge_posterior(lda.fit(x, y).predict_proba(x), y, labels)
        if len(labels) == 2:
            continue
        ovr, ovo = OneVsRestClassifier(lda).fit(x, y), OneVsOneClassifier(lda).fit(x, y)
        golden["ovr"][name] = judge_posterior(ovr.predict_proba(x), y, labels)
        golden["ovo"][name] = judge_decided(y, ovo.predict(x))
    x, y, labels = load("breast_cancer")
    for epochs in (1, 2, 7):
        golden["perceptron"][str(epochs)] = walk(x, y, epochs)
    (HERE / "scikit_learn.json").write_text(json.dumps(golden, indent=1) + "\n")


main()
