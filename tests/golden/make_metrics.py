"""Write metrics.json: 300 small sets of scores, and every metric and curve that scikit-learn finds for them.

Scores are thousandths, weights eighths. There are sets of two, three and four classes; with ties, classes that no
row has, weights, and scores so large that probabilities are 0 or 1: these are ranked by their logarithms here,
and their log loss is not clipped. Of a curve the golden has how many points it has and, of each
coordinate, the sum of i times the i-th number. What is 0/0 is null, which scikit-learn was told to call 0 or
calls nan. Calibration errors, coverage and the calibration of weighted rows are by NumPy alone.

Run: python3 tests/golden/make_metrics.py
"""
import json
import warnings
from pathlib import Path

import numpy as np
import scipy.special
import sklearn
from sklearn import metrics
from sklearn.calibration import calibration_curve

HERE = Path(__file__).resolve().parent
SETS, BINS = 300, 10
warnings.filterwarnings("ignore")


def draw(number):
    rng = np.random.default_rng(number)
    k = (2, 2, 3, 4)[number % 4]
    n = int(rng.integers(4, 36))
    x = rng.integers(-6000, 6001, size=(n, 1 if k == 2 else k))
    if k == 2 and number % 3 == 0:
        x = x // 1500 * 1500
    for i in range(1, n):
        if k > 2 and number % 3 == 0 and rng.random() < 0.4:
            x[i] = x[i - 1]
    if number % 10 == 9:
        x = x * 150
    noise = rng.normal(scale=rng.choice([500, 3000, 30000]), size=x.shape)
    y = (x[:, 0] + noise[:, 0] > 0).astype(int) if k == 2 else (x + noise).argmax(axis=1)
    if number % 5 == 0:
        gone = int(rng.integers(k))
        y[y == gone] = (gone + 1) % k
    weight = rng.integers(1, 25, size=n) if number % 2 else None
    return k, x, y, weight, int(rng.integers(2))


def number_of(value):
    return None if value is None or np.isnan(value) else float(value)


def marks(*columns):
    """How many points, and a sum of each coordinate that no exchange of points leaves as it is."""
    place = np.arange(1, len(columns[0]) + 1)
    return [len(columns[0])] + [float((place * np.nan_to_num(column, posinf=0)).sum()) for column in columns]


def bins_of(p, hit, w):
    b = np.searchsorted(np.arange(1, BINS) / BINS, p, side="left")
    count = np.bincount(b, weights=w, minlength=BINS)
    total, hits = (np.bincount(b, weights=w * v, minlength=BINS) for v in (p, hit))
    return count, total, hits


def calibration_error(p, hit, w):
    _, total, hits = bins_of(p, hit, w)
    return float(np.abs(hits - total).sum() / w.sum())


def curves_of(own, rank, p, w, weighted):
    """Of a class: its areas, and its curves in short."""
    out = {"auc": None, "average_precision": None, "roc": [0, 0, 0], "pr": [0, 0, 0]}
    if own.any() and not own.all():
        fpr, tpr, threshold = metrics.roc_curve(own, rank, sample_weight=w)
        assert np.isinf(threshold[0])
        out["auc"] = float(metrics.roc_auc_score(own, rank, sample_weight=w))
        out["roc"] = marks(fpr, tpr, threshold)
    if own.any():
        precision, recall, threshold = metrics.precision_recall_curve(own, rank, sample_weight=w)
        out["average_precision"] = float(metrics.average_precision_score(own, rank, sample_weight=w))
        out["pr"] = marks(recall, precision, np.append(threshold, np.inf))
    count, total, hits = bins_of(p, own, w)
    full = count > 0
    out["calibration"] = marks(total[full] / count[full], hits[full] / count[full], count[full])
    if not weighted:
        fraction, mean = calibration_curve(own, p, n_bins=BINS, strategy="uniform")
        theirs = marks(mean, fraction)
        assert np.allclose(theirs, out["calibration"][:3], rtol=1e-13), (theirs, out["calibration"])
    out["ece"] = calibration_error(p, own, w)
    return out


def coverage_of(p, decided, y, w):
    most = p.max(axis=1)
    cutoffs = np.unique(most)[::-1]
    kept = [most >= cutoff for cutoff in cutoffs]
    covered = np.array([w[rows].sum() / w.sum() for rows in kept])
    right = np.array([w[rows & (decided == y)].sum() / w[rows].sum() for rows in kept])
    return marks(cutoffs, covered, right)


def judge(k, x, y, weight, positive):
    s, w = x / 1000, np.ones(len(y)) if weight is None else weight / 8
    extreme, labels = np.abs(x).max() > 6000, list(range(k))
    s = np.hstack([np.zeros_like(s), s]) if k == 2 else s
    gaps = np.sort(s - s.max(axis=1, keepdims=True), axis=1)
    logs = s - s.max(axis=1, keepdims=True) - np.log1p(np.exp(gaps[:, :-1]).sum(axis=1, keepdims=True))
    assert np.allclose(logs, scipy.special.log_softmax(s, axis=1), atol=1e-14)  # which takes 1 + 1e-17 for 1
    p = np.exp(logs)
    if k == 2:
        odds = x[:, 0] / 1000
        logs = np.stack([-np.logaddexp(0, odds), -np.logaddexp(0, -odds)], axis=1)
        p = np.stack([scipy.special.expit(-odds), scipy.special.expit(odds)], axis=1)
    decided = (x[:, 0] >= 0).astype(int) if k == 2 else s.argmax(axis=1)
    out = {"confusion": metrics.confusion_matrix(y, decided, labels=labels, sample_weight=w).tolist(),
           "accuracy": metrics.accuracy_score(y, decided, sample_weight=w),
           "error": metrics.zero_one_loss(y, decided, sample_weight=w),
           "balanced_accuracy": metrics.balanced_accuracy_score(y, decided, sample_weight=w),
           "kappa": number_of(metrics.cohen_kappa_score(y, decided, labels=labels, sample_weight=w)),
           "mcc": number_of(metrics.matthews_corrcoef(y, decided, sample_weight=w))}
    if len(set(y)) == 1 or len(set(decided)) == 1:
        assert out["mcc"] == 0
        out["mcc"] = None
    parts = metrics.precision_recall_fscore_support(y, decided, labels=labels, sample_weight=w, zero_division=np.nan)
    out["per_class"] = [dict(zip(("precision", "recall", "f1", "support"), map(number_of, row)))
                        for row in zip(*parts)]
    for average in ("macro", "micro", "weighted"):
        values = metrics.precision_recall_fscore_support(y, decided, labels=labels, average=average,
                                                         sample_weight=w, zero_division=0)
        out[average] = dict(zip(("precision", "recall", "f1"), map(float, values[:3])))
    out["log_loss"] = metrics.log_loss(y, p, labels=labels, sample_weight=w)
    own_loss = -(w * logs[np.arange(len(y)), y]).sum() / w.sum()
    if extreme:
        out["log_loss"] = own_loss
    assert extreme or abs(own_loss - out["log_loss"]) < 1e-12
    hot = np.eye(k)[y]
    out["brier"] = (metrics.brier_score_loss(y == positive, p[:, positive], sample_weight=w) if k == 2 else
                    float((w[:, None] * (p - hot) ** 2).sum() / w.sum()))
    out["ece"] = (calibration_error(p[:, positive], y == positive, w) if k == 2 else
                  calibration_error(p.max(axis=1), y == decided, w))
    if k > 2:
        out["top_2"] = metrics.top_k_accuracy_score(y, s, k=2, labels=labels, sample_weight=w)
    each = [positive] if k == 2 else labels
    rank = (np.stack([-x[:, 0], x[:, 0]], axis=1) / 1000 if k == 2 else logs) if extreme else p
    out["curves"] = [curves_of(y == c, rank[:, c], p[:, c], w, weight is not None) for c in each]
    areas = [[curve[name] for curve in out["curves"]] for name in ("auc", "average_precision")]
    out["roc_auc"], out["pr_auc"] = [None if None in area else float(np.mean(area)) for area in areas]
    if not extreme:
        out["coverage"] = coverage_of(p, decided, y, w)
    return out


def main():
    golden = {"made_with": f"numpy {np.__version__}, scikit-learn {sklearn.__version__}", "sets": []}
    for number in range(SETS):
        k, x, y, weight, positive = draw(number)
        golden["sets"].append({"k": k, "x": x.ravel().tolist(), "y": y.tolist(),
                               "weight": None if weight is None else weight.tolist(), "positive": positive,
                               "expected": judge(k, x, y, weight, positive)})
    lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in golden["sets"])
    text = '{"made_with":%s,"sets":[\n%s\n]}\n' % (json.dumps(golden["made_with"]), lines)
    (HERE / "metrics.json").write_text(text)


main()
