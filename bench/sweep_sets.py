"""The data sets of bench/sweep: every classification set of the folder SEPAL_DATA, as given and, where
it is dense, standardised (mean 0 and standard deviation 1 of each column; constant columns 0).

Sepal reads the file itself; the peer gets the same numbers from `sepal convert`, so that text columns
and missing values mean the same to both.
"""
import os
import subprocess
from pathlib import Path

import numpy as np

from fits import ROOT, WORK
from solver_problems import Data, sparse_set

SPARSE = ("a9a", "w8a", "phishing", "mushrooms", "agaricus.txt.train", "farm-ads-vect", "rcv1_small",
          "imdb", "20news_bigram.binary", "20news.tfidf", "dna.scale")
# A file with the words that make `sepal` read it.
DENSE = {
    "heart_scale": [], "australian": [], "breast-cancer": [], "letter.scale.xz": [], "usps.t.xz": [],
    "pendigits": [],
    "adult.data.xz": ["--missing", "mean"], "spambase.data": [], "bank-additional-full.csv.xz": [],
    "UCI_Credit_Card.csv.xz": ["--drop", "ID"], "kddcup.data_10_percent.gz": [],
    "skin_nonskin.csv.xz": [], "shuttle.csv": [], "satellite.csv": [], "vehicle.csv": [],
    "glass.csv": [], "magic04.data": [], "letter-recognition.data": ["--target", "1"],
    "titanic.csv": ["--target", "Survived", "--drop", "PassengerId,Name,Ticket,Cabin", "--missing", "mean"],
    "iris.csv": ["--skip", "1"], "wine.csv": ["--skip", "1"], "breast_cancer.csv": ["--skip", "1"],
    "digits.csv.gz": [], "pima-indians-diabetes.csv": [], "sonar.csv": [], "ionosphere.csv": [],
    "german.csv": [], "banknote_authentication.csv": [], "mammography.csv": [], "phoneme.csv": [],
    "winequality-red.csv": [], "winequality-white.csv": [],
    "train-images-idx3-ubyte.gz": ["--labels", "train-labels-idx1-ubyte.gz"],
    "fashion-train-images-idx3-ubyte.gz": ["--labels", "fashion-train-labels-idx1-ubyte.gz"],
}
ALIAS = {"train-images-idx3-ubyte.gz": "mnist", "fashion-train-images-idx3-ubyte.gz": "fashion"}


def short(file):
    """iris.csv: iris."""
    return ALIAS.get(file) or file.split(".csv")[0].split(".data")[0].removesuffix(".xz").removesuffix(".t")


def names():
    """All sets, small files first; `NAME, standardised` for the second form of dense ones."""
    folder = Path(os.environ["SEPAL_DATA"])

    def size(file):
        path = folder / file if (folder / file).exists() else folder / f"{file}.xz"
        return path.stat().st_size if path.exists() else None

    sizes = {file: size(file) for file in (*SPARSE, *DENSE)}
    return [name for file in sorted((f for f in sizes if sizes[f]), key=sizes.get)
            for name in ([short(file)] if file in SPARSE else [short(file), f"{short(file)}, standardised"])]


def convert(file):
    """Rows and labels of a dense set as `sepal` sees them, and the words that make it read the file."""
    folder = Path(os.environ["SEPAL_DATA"])
    words = [folder / file]
    for word in DENSE[file]:
        words.append(folder / word if words[-1] == "--labels" else word)
    rows = WORK / f"{short(file)}.npy"
    labels = rows.with_suffix(".labels.npy")
    if not labels.exists():
        subprocess.run([ROOT / "build/bin/sepal", "convert", *words, "-o", rows, "-q"], check=True)
    return np.load(rows), np.load(labels), words


def standardise(x):
    x = x.astype(np.float64)
    spread = x.std(axis=0)
    return (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1)


def dense_set(file, scaled):
    x, labels, words = convert(file)
    y = np.unique(labels, return_inverse=True)[1].astype(float)
    if not scaled:
        return Data(short(file), x.astype(np.float64), y, words)
    rows = WORK / f"{short(file)}-standardised.npy"
    if not rows.exists():
        np.save(rows, standardise(x))
    given = rows.with_suffix(".labels.npy")
    np.save(given, y.astype(np.int64))
    return Data(f"{short(file)}, standardised", np.load(rows), y, [rows, "--labels", given])


def data_set(name):
    base, _, scaled = name.partition(",")
    if base in SPARSE:
        return sparse_set(base)
    return dense_set(next(file for file in DENSE if short(file) == base), bool(scaled))

