"""Write multilabel.json: what scikit-learn's OneVsRestClassifier(LogisticRegression) makes of sets of labels,
for tests/golden/test_multilabel_golden.py. Run: SEPAL_DATA=FOLDER python3 tests/golden/make_multilabel.py

`generated` are small random rows with weights and intercepts of every label, at a tolerance far below
the default. `data` are the F1 of the multi-label sets of the data folder, learnt on the training file
with C=1 and judged on the test file (emotions has one file, and is standardized).
"""
import json
import os
from pathlib import Path

import numpy as np
import sklearn
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, hamming_loss
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MultiLabelBinarizer, StandardScaler

HERE = Path(__file__).resolve().parent
CASES = [{"C": 1.0}, {"C": 0.05}, {"C": 10.0}, {"C": 1.0, "class_weight": "balanced"}, {"C": 1.0, "fit_intercept": False}]
SETS = {"yeast": "newton-cholesky", "scene": "newton-cholesky", "emotions": "newton-cholesky", "reuters21578": "newton-cg"}


def generated():
    random = np.random.default_rng(16)
    x = random.normal(size=(80, 4)).round(6)
    y = (x @ random.normal(size=(4, 5)) + random.normal(size=(80, 5)) > [0, 0.5, 1, 1.5, -1]).astype(int)
    cases = []
    for parameters in CASES:
        model = OneVsRestClassifier(LogisticRegression(solver="newton-cholesky", tol=1e-13, max_iter=1000, **parameters))
        model.fit(x, y)
        cases.append({
            "parameters": parameters,
            "weights": [[float(f"{w:.9g}") for w in one.coef_[0]] for one in model.estimators_],
            "bias": [float(f"{np.ravel(one.intercept_)[0]:.9g}") for one in model.estimators_],
            "predicted": model.predict(x).tolist(),
        })
    return {"x": x.tolist(), "y": y.tolist(), "cases": cases}


def find(name):
    path = Path(os.environ["SEPAL_DATA"]) / name
    if path.exists():
        return path, None
    import lzma
    return lzma.open(f"{path}.xz"), True


def load(name, features=None):
    source, _ = find(name)
    return load_svmlight_file(source, multilabel=True, n_features=features, zero_based=False)


def judged(name, solver):
    x, sets = load(f"{name}.multilabel")
    test, test_sets = (x, sets) if name == "emotions" else load(f"{name}.multilabel.t", x.shape[1])
    if name == "emotions":
        x = test = StandardScaler().fit_transform(x.toarray())
    elif solver == "newton-cholesky":
        x, test = x.toarray(), test.toarray()
    binary = MultiLabelBinarizer().fit(sets)
    y, truth = binary.transform(sets), binary.transform(test_sets)
    model = OneVsRestClassifier(LogisticRegression(solver=solver, C=1, tol=1e-9, max_iter=1000), n_jobs=2).fit(x, y)
    called = model.predict(test)
    f1 = {average: f1_score(truth, called, average=average, zero_division=0) for average in ("micro", "macro", "weighted")}
    return {
        "labels": len(binary.classes_),
        "f1": {key: round(float(value), 9) for key, value in f1.items()},
        "subset_accuracy": round(float(accuracy_score(truth, called)), 9),
        "hamming_loss": round(float(hamming_loss(truth, called)), 9),
        "per_label": [round(float(value), 9) for value in f1_score(truth, called, average=None, zero_division=0)],
    }


def main():
    out = {
        "scikit-learn": sklearn.__version__,
        "generated": generated(),
        "data": {name: judged(name, solver) for name, solver in SETS.items()},
    }
    with open(HERE / "multilabel.json", "w") as file:
        json.dump(out, file, indent=None, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
