"""What bench/solvers solves: the data sets, and the value of a problem at any weights.

Nothing here is taken from a solver of either side: the objective is written out in NumPy from the
rows and the weights alone, in the units of the project: mean loss + l1 |w|_1 + l2/2 |w|^2.
"""
import gzip
import lzma
import os
import shutil
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy import sparse

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "bench"
TALL_ROWS, TALL_COLUMNS = 1_000_000, 100


class Data:
    """Rows with the classes of their labels, and the words that make `sepal` read the same rows."""

    def __init__(self, name, x, y, words):
        self.name, self.x, self.y, self.words = name, x, y, words
        self.classes = np.unique(y) if y.ndim == 1 else np.arange(y.shape[1])
        self.forms = {}  # what the peers make of the rows before their clock starts

    def form(self, name, make):
        if name not in self.forms:
            self.forms[name] = make(self)
        return self.forms[name]


def unpacked(name):
    """The plain file, beside the packed one or in build/bench."""
    folder = Path(os.environ["SEPAL_DATA"])
    if (folder / name).exists():
        return folder / name
    target = WORK / name
    if not target.exists():
        part = target.with_name(target.name + ".part")
        with lzma.open(folder / f"{name}.xz") as packed, open(part, "wb") as out:
            shutil.copyfileobj(packed, out, 1 << 20)
        part.rename(target)
    return target


def sparse_set(name):
    """A LIBSVM file; scikit-learn reads it, once, and the arrays are kept."""
    kept = WORK / f"{name}.npz"
    path = unpacked(name)
    if not kept.exists():
        from sklearn.datasets import load_svmlight_file
        x, y = load_svmlight_file(str(path), zero_based=False)
        np.savez(kept, data=x.data, indices=x.indices.astype(np.int32),
                 indptr=x.indptr.astype(np.int32), shape=x.shape, y=y)
    with np.load(kept) as part:
        x = sparse.csr_matrix((part["data"], part["indices"], part["indptr"]), shape=part["shape"])
        return Data(name, x, part["y"], [path])


def label_sets(name):
    """A LIBSVM file of label sets: y has a column of 0 and 1 for each label."""
    from sklearn.datasets import load_svmlight_file
    path = unpacked(name)
    x, sets = load_svmlight_file(str(path), zero_based=False, multilabel=True)
    labels = np.unique(np.concatenate([np.asarray(labels) for labels in sets]))
    return Data(name, x, np.array([np.isin(labels, own) for own in sets], float), [path])


def mnist_set(name):
    """The pixels as given, or divided by 255."""
    folder = Path(os.environ["SEPAL_DATA"])
    images, labels = (gzip.decompress((folder / f"train-{part}-ubyte.gz").read_bytes())
                      for part in ("images-idx3", "labels-idx1"))
    y = np.frombuffer(labels, np.uint8, offset=8)
    x = np.frombuffer(images, np.uint8, offset=16).reshape(len(y), -1).astype(float)
    rows, given = WORK / f"{name}.npy", WORK / f"{name}.labels.npy"
    if not given.exists():
        np.save(rows, x / 255 if name == "mnist, scaled" else x)
        np.save(given, y.astype(np.int64))
    return Data(name, np.load(rows), y.astype(float), [rows, "--labels", given])


def tall_set():
    """Dense rows with columns that lean on each other and labels drawn from a logistic model."""
    rows, labels = WORK / "tall.npy", WORK / "tall-labels.npy"
    if not labels.exists():
        draw = np.random.default_rng(1)
        x = draw.standard_normal((TALL_ROWS, TALL_COLUMNS))
        for j in range(1, TALL_COLUMNS):
            x[:, j] += 0.5 * x[:, j - 1]
        score = x @ (draw.standard_normal(TALL_COLUMNS) / TALL_COLUMNS**0.5) - 0.5
        np.save(rows, x)
        np.save(labels, np.where(draw.random(TALL_ROWS) < 1 / (1 + np.exp(-score)), 1, -1))
    return Data("tall", np.load(rows), np.load(labels).astype(float), [rows, "--labels", labels])


def iris_set():
    path = ROOT / "examples" / "data" / "iris.csv"
    lines = [line.split(",") for line in path.read_text().split()[1:]]
    names = sorted({line[-1] for line in lines})
    return Data("iris", np.array([line[:-1] for line in lines], float),
                np.array([names.index(line[-1]) for line in lines], float), [path])


def iris_part():
    """Versicolor and virginica, which no line divides."""
    whole = iris_set()
    kept, path = whole.y > 0, WORK / "iris2.csv"
    lines = whole.words[0].read_text().splitlines(keepends=True)
    path.write_text("".join([lines[0], *(line for line, keep in zip(lines[1:], kept) if keep)]))
    return Data("iris2", whole.x[kept], whole.y[kept], [path])


@lru_cache(maxsize=1)  # one at a time in memory; the rows of the table stand in the order of their data
def data_set(name):
    made = {"tall": tall_set, "iris": iris_set}
    if name in made:
        return made[name]()
    return mnist_set(name) if name.startswith("mnist") else \
        label_sets(name) if ".multilabel" in name else sparse_set(name)


LEARNERS = ("logistic", "softmax", "multilabel")  # the other losses are of svm
JOINT = ("softmax", "crammer_singer")


def losses(margins, loss):
    if loss in ("logistic", "multilabel"):
        return np.logaddexp(0, -margins)
    return np.maximum(0, 1 - margins) ** (2 if loss == "squared_hinge" else 1)


class Problem:
    """min over w (and a free b): mean loss + penalty with C = 1; one-versus-rest and label sets: the sum over
    classes or labels."""

    def __init__(self, data, loss, penalty="l2", bias=False):
        self.data, self.loss, self.penalty, self.bias = data, loss, penalty, bias
        self.strength = 1 / data.x.shape[0]

    def spec(self):
        learner = f"{self.loss}(" if self.loss in LEARNERS else f"svm(loss={self.loss}, "
        return f"{learner}penalty={self.penalty}, C=1, bias={'true' if self.bias else 'false'})"

    def targets(self):
        """One column of +1 and -1 per score: the second of two classes, or each of more; each label."""
        if self.loss == "multilabel":
            return 2 * self.data.y - 1
        positive = self.data.classes[1:] if len(self.data.classes) == 2 else self.data.classes
        return np.where(self.data.y[:, None] == positive, 1.0, -1.0)

    def joint_value(self, w, b):
        """Of the losses with a score for each class: softmax, and that of Crammer and Singer."""
        scores = np.asarray(self.data.x @ w.T) + b
        own = self.data.y[:, None] == self.data.classes
        above = scores - scores[own][:, None]
        row = np.logaddexp.reduce(above, axis=1) if self.loss == "softmax" else (above + ~own).max(axis=1)
        return float(row.mean() + self.strength * 0.5 * (w * w).sum())

    def value(self, w, b=0.0):
        """w is scores x columns, b a number for each score."""
        w = np.atleast_2d(np.asarray(w, float))
        if self.loss in JOINT:
            return self.joint_value(w, b)
        margins = self.targets() * (np.asarray(self.data.x @ w.T) + b)
        size = np.abs(w).sum() if self.penalty == "l1" else 0.5 * (w * w).sum()
        return float(losses(margins, self.loss).mean(axis=0).sum() + self.strength * size)
