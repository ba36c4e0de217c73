"""Write paired.csv: corrected paired tests of accuracies by scikit-learn over the folds of repeated
cross-validations, for tests/golden/test_paired.c. In R, d being the differences of k-fold cross-validation:

    n <- length(d); t <- mean(d) / sqrt((1/n + 1/(k-1)) * var(d)); p <- 2 * pt(-abs(t), n - 1)

which is correctR::repkfold_ttest, and resampled_ttest with n1 = k - 1, n2 = 1; p.adjust(p, "holm").
Lines: test,CASE,RATIO,T,P,DIFFERENCES...; tail,T,FREEDOM,P (mpmath, 40 digits) and holm,P,...,ADJUSTED,...
Run: python3 tests/golden/make_paired.py
"""
from pathlib import Path

import numpy as np
from mpmath import betainc, mp, mpf
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).resolve().parent
mp.dps = 40


def tail(t, freedom):
    f = mpf(freedom)
    return betainc(f / 2, mpf(1) / 2, 0, f / (f + mpf(t) ** 2), regularized=True)


def tests():
    models = {"logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
              "lda": LinearDiscriminantAnalysis(), "bayes": GaussianNB()}
    for name, load in (("wine", load_wine), ("cancer", load_breast_cancer)):
        for folds, repeats in ((5, 1), (10, 1), (10, 5)):
            splits = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=1)
            x, y = load(return_X_y=True)
            scores = {m: cross_val_score(model, x, y, cv=splits, scoring="accuracy") for m, model in models.items()}
            for a, b in (("logistic", "bayes"), ("lda", "bayes")):
                d = scores[a] - scores[b]
                t = d.mean() / np.sqrt((1 / len(d) + 1 / (folds - 1)) * d.var(ddof=1))
                p = float(tail(t, len(d) - 1))
                case = f"{name}-{a}-{b}-{folds}x{repeats}"
                yield ["test", case, 1 / (folds - 1), t, p, *d]


def holm(p):
    order = np.argsort(p)
    adjusted = np.empty(len(p))
    most = 0.0
    for rank, i in enumerate(order):
        most = max(most, min(1.0, (len(p) - rank) * p[i]))
        adjusted[i] = most
    return adjusted


def main():
    lines = list(tests())
    for freedom in (1, 2, 3, 4, 9, 10, 49, 99, 999, 30000):
        for t in (0.001, 0.3, 1.0, 2.262157, 5.0, 40.0):
            lines.append(["tail", t, freedom, float(tail(t, freedom))])
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 10):
        p = np.round(rng.random(n) ** 3, 3)
        lines.append(["holm", n, *p, *holm(p)])
    lines.append(["holm", 4, 0.01, 0.01, 0.04, 0.03, *holm(np.array([0.01, 0.01, 0.04, 0.03]))])
    with open(HERE / "paired.csv", "w") as file:
        for line in lines:
            file.write(",".join(w if isinstance(w, str) else repr(float(w)) for w in line) + "\n")


if __name__ == "__main__":
    main()
