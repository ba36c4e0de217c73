"""Write naive_bayes.json: what scikit-learn's naive Bayes classifiers find.

On digits every 100th row; on generated sparse counts, with two and with four classes, with weights
and without, all rows. Joint logarithms are ln p(x | class) + ln prior without the number of
arrangements of a row (ComplementNB: its scores). Run: python3 tests/golden/make_naive_bayes.py
"""
import csv
import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

HERE = Path(__file__).resolve().parent
KINDS = {"multinomial": MultinomialNB, "complement": ComplementNB, "bernoulli": BernoulliNB}
EVERY = 100


def digits():
    with open(HERE.parent.parent / "examples" / "data" / "digits.csv") as file:
        rows = list(csv.reader(file))[1:]
    return np.array([[float(cell) for cell in row[:-1]] for row in rows]), [int(row[-1]) for row in rows]


def counts(classes, seed):
    """40 rows of 30 columns, most of them 0; some of the counts have fractions."""
    rng = np.random.default_rng(seed)
    y = np.arange(40) % classes
    x = rng.poisson(0.3 + 1.5 * (np.arange(30) % classes == y[:, None])) * (rng.random((40, 30)) < 0.5)
    x = x * np.where(rng.random((40, 30)) < 0.2, 0.25, 1.0)
    return x, y, rng.integers(1, 20, 40) / 8


def libsvm(x, y):
    return "".join(f"{label} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row) if v) + "\n"
                   for row, label in zip(x.tolist(), y.tolist()))


def judge(x, y, weights, rows):
    golden = {}
    for kind, method in KINDS.items():
        for smoothing in (1.0, 0.01):
            model = method(alpha=smoothing).fit(x, y, sample_weight=weights)
            golden[f"{kind} {smoothing}"] = {
                "proba": model.predict_proba(rows).tolist(),
                "joint": model.predict_joint_log_proba(rows).tolist()}
    return golden


x, y = digits()
golden = {"made_with": f"scikit-learn {sklearn.__version__}", "every": EVERY,
          "digits": judge(x, y, None, x[::EVERY]), "counts": []}
for classes, seed in ((2, 1), (4, 2)):
    x, y, weights = counts(classes, seed)
    golden["counts"].append({"rows": libsvm(x, y), "classes": classes, "weights": weights.tolist(),
                             "plain": judge(x, y, None, x[:12]),
                             "weighted": judge(x, y, weights, x[:12])})
(HERE / "naive_bayes.json").write_text(json.dumps(golden, indent=0) + "\n")
