"""Write choosing.json: GridSearchCV and cross_validate of scikit-learn on folds that are told, for
tests/golden/test_choosing_golden.py. Row i of the file is in fold (7 i) % 10. The t-tests are those of R:

    t <- mean(d) / sqrt((1/10 + 1/9) * var(d)); p <- 2 * pt(-abs(t), 9)

Run: python3 tests/golden/make_choosing.py
"""
import csv
import json
from pathlib import Path

import numpy as np
import sklearn
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "examples" / "data"


def load(name):
    with open(DATA / f"{name}.csv") as file:
        rows = list(csv.reader(file))[1:]
    return np.array([[float(cell) for cell in row[:-1]] for row in rows]), np.array([row[-1] for row in rows])


def folds(n):
    return PredefinedSplit([7 * i % 10 for i in range(n)])


def tuned():
    x, y = load("breast_cancer")
    grid = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]
    logistic = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10, max_iter=100000))
    search = GridSearchCV(logistic, {"logisticregression__C": grid}, scoring=["neg_log_loss", "accuracy"],
                          refit="neg_log_loss", cv=folds(len(y))).fit(x, y)
    found = search.cv_results_
    return {"C": grid, "best": float(search.best_params_["logisticregression__C"]),
            "log_loss": (-found["mean_test_neg_log_loss"]).tolist(), "accuracy": found["mean_test_accuracy"].tolist(),
            "coefficients": search.best_estimator_[-1].coef_[0].tolist()}


def compared():
    x, y = load("wine")
    models = {"standardize | softmax": make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10, max_iter=100000)),
              "lda": LinearDiscriminantAnalysis(), "naive-bayes(kind=gaussian)": GaussianNB(var_smoothing=0)}
    values = {spec: cross_val_score(model, x, y, cv=folds(len(y)), scoring="neg_log_loss") * -1
              for spec, model in models.items()}
    pairs = []
    specs = list(models)
    for a in range(3):
        for b in range(a + 1, 3):
            d = values[specs[a]] - values[specs[b]]
            t = d.mean() / np.sqrt((1 / 10 + 1 / 9) * d.var(ddof=1))
            pairs.append({"a": a, "b": b, "t": t, "p": 2 * stats.t.sf(abs(t), 9)})
    return {"values": {spec: v.tolist() for spec, v in values.items()}, "pairs": pairs}


def main():
    golden = {"made_with": f"scikit-learn {sklearn.__version__}", "tune": tuned(), "compare": compared()}
    (HERE / "choosing.json").write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
