"""Made-up data sets of bench/sweep --made: shapes and scales that the folder of data sets has few of or none, so
that a choice by shape is not tuned to that folder. Dense rows unless said otherwise; fixed seeds.
"""
import numpy as np
from scipy import sparse

from fits import WORK
from solver_problems import Data


def noisy_labels(draw, score, noise=0.5, classes=2):
    noisy = score + noise * score.std() * draw.standard_normal(len(score))
    return np.searchsorted(np.quantile(noisy, np.arange(1, classes) / classes), noisy).astype(float)


def dense(draw, n, d, classes=2, lean=0.7, scale=1.0, sizes=0.7, noise=0.5):
    """Columns that lean on each other, of different sizes."""
    x = draw.standard_normal((n, d))
    x[:, 1:] += lean * x[:, :-1]
    x *= scale * np.exp(sizes * draw.standard_normal(d))
    return x, noisy_labels(draw, x @ draw.standard_normal(d), noise, classes)


def madelon(draw):
    """2,600 x 500: hundreds of columns about 480, five of them of use."""
    x, y = dense(draw, 2600, 500, lean=0, scale=30, sizes=0)
    y = (x[:, 0] * x[:, 1] + 20 * x[:, 2] > 0).astype(float)
    return np.round(480 + x), y


def gisette(draw):
    """1,500 x 5,000 pixels of 0 to 999, most of them 0; separable."""
    x = np.maximum(draw.standard_normal((1500, 5000)) * 400 - 300, 0).clip(0, 999).round()
    prototype = np.maximum(draw.standard_normal((2, 5000)) * 400 - 200, 0)
    y = draw.integers(0, 2, 1500)
    return (x + prototype[y] * (draw.random((1500, 5000)) < 0.5)).clip(0, 999).round(), y.astype(float)


def expression(draw):
    """44 x 7,129, as genes: few rows, standardised columns."""
    x = draw.standard_normal((44, 7129))
    y = draw.integers(0, 2, 44)
    x[:, :50] += 0.8 * (2 * y[:, None] - 1)
    return x, y.astype(float)


def classes_of_rows(draw, n, d, classes):
    centre = draw.standard_normal((classes, d))
    y = draw.integers(0, classes, n)
    return centre[y] + 1.5 * draw.standard_normal((n, d)), y.astype(float)


def words(draw, n, d, mean_length, classes=2, counts=False, weighted=True):
    """Sparse: words by Zipf's law; tf-idf rows of norm 1, or counts, or ones."""
    chance = 1 / np.arange(1, d + 1) ** 0.9
    lift = np.exp(0.7 * draw.standard_normal((classes, d)) * (draw.random((classes, d)) < 0.2))
    y = draw.integers(0, classes, n)
    rows, columns = [], []
    for k in range(classes):
        own = np.flatnonzero(y == k)
        p = chance * lift[k]
        length = draw.poisson(mean_length, len(own)) + 1
        columns.append(draw.choice(d, length.sum(), p=p / p.sum()))
        rows.append(np.repeat(own, length))
    rows, columns = np.concatenate(rows), np.concatenate(columns)
    x = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, d))
    x.sum_duplicates()
    if not counts:
        x.data[:] = 1
    if weighted:
        idf = np.log(n / (1 + np.bincount(x.indices, minlength=d))) + 1
        x.data = x.data * idf[x.indices]
        x = sparse.diags(1 / np.sqrt(x.multiply(x).sum(axis=1).A1)) @ x
    return sparse.csr_matrix(x), y.astype(float)


def categories(draw, n, columns, values):
    """Sparse: one-hot columns, each row one 1 in each."""
    code = draw.integers(0, values, (n, columns))
    effect = draw.standard_normal((columns, values))
    score = effect[np.arange(columns), code].sum(axis=1)
    index = code + values * np.arange(columns)
    x = sparse.csr_matrix((np.ones(index.size), index.ravel(), np.arange(0, index.size + 1, columns)),
                          shape=(n, columns * values))
    return x, noisy_labels(draw, score)


def rare(draw):
    """20,000 x 20, one row in a hundred of the second class."""
    x, _ = dense(draw, 20000, 20)
    score = x @ draw.standard_normal(20)
    return x, (score > np.quantile(score, 0.99)).astype(float)


SETS = {
    "madelon": madelon,
    "gisette": gisette,
    "expression": expression,
    "wide dense": lambda draw: dense(draw, 400, 1500),
    "wide dense, classes": lambda draw: classes_of_rows(draw, 600, 2000, 4),
    "square": lambda draw: dense(draw, 800, 800),
    "square, large": lambda draw: dense(draw, 800, 800, scale=30),
    "tiny": lambda draw: dense(draw, 40, 5),
    "small": lambda draw: dense(draw, 300, 12),
    "medium": lambda draw: dense(draw, 5000, 60),
    "medium, large": lambda draw: dense(draw, 5000, 60, scale=100),
    "medium, ill-conditioned": lambda draw: dense(draw, 5000, 60, lean=0.99, sizes=3),
    "medium, separable": lambda draw: dense(draw, 5000, 60, noise=0),
    "medium, classes": lambda draw: classes_of_rows(draw, 4000, 40, 12),
    "small columns": lambda draw: dense(draw, 5000, 60, scale=0.01),
    "flat": lambda draw: dense(draw, 50000, 22),
    "tall": lambda draw: dense(draw, 300000, 10),
    "tall, classes": lambda draw: classes_of_rows(draw, 60000, 20, 7),
    "broad": lambda draw: dense(draw, 20000, 250),
    "rare": rare,
    "words": lambda draw: words(draw, 2000, 20000, 60),
    "words, few rows": lambda draw: words(draw, 300, 30000, 100),
    "words, counts": lambda draw: words(draw, 3000, 10000, 120, counts=True, weighted=False),
    "words, ones": lambda draw: words(draw, 5000, 5000, 40, weighted=False),
    "words, many rows": lambda draw: words(draw, 50000, 20000, 50),
    "words, short": lambda draw: words(draw, 20000, 8000, 6),
    "words, classes": lambda draw: words(draw, 5000, 10000, 80, classes=10),
    "words, counts, classes": lambda draw: words(draw, 4000, 6000, 60, classes=6, counts=True, weighted=False),
    "categories": lambda draw: categories(draw, 20000, 12, 10),
    "categories, many values": lambda draw: categories(draw, 20000, 8, 2000),
    "categories, few rows": lambda draw: categories(draw, 500, 30, 4),
}


def write_sparse(path, x, y):
    with open(path, "w") as out:
        for i in range(x.shape[0]):
            part = slice(x.indptr[i], x.indptr[i + 1])
            order = np.argsort(x.indices[part])
            pairs = " ".join(f"{j + 1}:{v!r}" for j, v in zip(x.indices[part][order].tolist(), x.data[part][order].tolist()))
            out.write(f"{y[i]:g} {pairs}\n")


def data_set(name):
    draw = np.random.default_rng(sum(map(ord, name)))
    x, y = SETS[name](draw)
    stem = "made-" + name.replace(", ", "-").replace(" ", "-")
    if sparse.issparse(x):
        x = x[:, :x.indices.max() + 1]  # as many columns as the file shows
        path = WORK / f"{stem}.svm"
        write_sparse(path, x, y)
        return Data(name, x, y, [path])
    path, labels = WORK / f"{stem}.npy", WORK / f"{stem}.labels.npy"
    np.save(path, x)
    np.save(labels, y.astype(np.int64))
    return Data(name, x, y, [path, "--labels", labels])
