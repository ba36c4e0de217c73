#!/usr/bin/env python3
"""The real data sets load with the rows, features and classes their README states.

They are not part of the repository: without the folder (SEPAL_DATA, or ../shared/data beside the
source) the test is skipped. Odd files take an option, and the option stands here with them.
"""
import json
import os
import subprocess
import sys

SEPAL = os.environ["SEPAL"]
DATA = os.environ.get("SEPAL_DATA") or os.path.join(os.environ["SEPAL_SOURCE"], "../shared/data")

# file, rows, features, counts of the classes (or their number), options; @ begins another file's name
SETS = [
    ("a9a.xz", 32561, 123, [24720, 7841]),
    ("a9a.t", 16281, 123, [12435, 3846], "--n-features", "123"),  # the last feature never occurs
    ("w8a.xz", 49749, 300, [48270, 1479]),
    ("phishing.xz", 11055, 68, [4898, 6157]),
    ("mushrooms", 8124, 112, [4208, 3916]),
    ("agaricus.txt.train", 6513, 126, [3373, 3140]),
    ("agaricus.txt.test", 1611, 126, [835, 776]),
    ("heart_scale", 270, 13, [150, 120]),
    ("australian", 690, 14, [383, 307]),
    ("breast-cancer", 683, 10, [444, 239]),
    ("farm-ads-vect.xz", 4143, 54877, [1933, 2210]),
    ("rcv1_small", 1000, 47236, [541, 459], "--n-features", "47236"),
    ("rcv1_small.t", 500, 47236, [255, 245], "--n-features", "47236"),
    ("imdb.xz", 25000, 89527, [12500, 12500]),
    ("imdb.t.xz", 25000, 89527, [12500, 12500], "--n-features", "89527"),
    ("imdb.xz", 25000, 89527, 8, "--labels", "@imdb.ratings.xz"),  # stars, one per row of imdb
    ("20news_bigram.binary.xz", 18846, 1660410, [9473, 9373]),
    ("20news.tfidf.xz", 11314, 56284, 20),
    ("20news.tfidf.t.xz", 7532, 56284, 20, "--n-features", "56284"),
    ("letter.scale.xz", 15000, 16, 26),
    ("usps.t.xz", 2007, 256, 10),
    ("pendigits", 10992, 16, 10),
    ("dna.scale", 2000, 180, 3),
    ("dna.scale.t", 1186, 180, 3),
    ("adult.data.xz", 32561, 14, [24720, 7841], "--missing", "mean"),
    ("adult.test.xz", 16281, 14, [12435, 3846], "--missing", "mean", "--skip", "1"),
    ("spambase.data", 4601, 57, [2788, 1813]),
    ("bank-additional-full.csv.xz", 41188, 20, [36548, 4640]),
    ("UCI_Credit_Card.csv.xz", 30000, 23, [23364, 6636], "--drop", "ID"),
    ("kddcup.data_10_percent.gz", 494021, 41, 23),
    ("kddcup.corrected.gz", 311029, 41, 38),
    ("skin_nonskin.csv.xz", 245057, 3, 2),
    ("shuttle.csv", 58000, 9, 7),
    ("satellite.csv", 6435, 36, 6),
    ("vehicle.csv", 846, 18, 4),
    ("glass.csv", 214, 9, 6),
    ("magic04.data", 19020, 10, [12332, 6688]),
    ("letter-recognition.data", 20000, 16, 26, "--target", "1"),
    ("titanic.csv", 891, 11, [549, 342], "--target", "Survived", "--missing", "mean",
     "--categorical", "Ticket"),
    ("iris.csv", 150, 4, 3),
    ("wine.csv", 178, 13, 3, "--skip", "1"),
    ("breast_cancer.csv", 569, 30, [212, 357], "--skip", "1"),
    ("digits.csv.gz", 1797, 64, 10),
    ("pima-indians-diabetes.csv", 768, 8, [500, 268]),
    ("sonar.csv", 208, 60, [111, 97]),
    ("ionosphere.csv", 351, 34, [126, 225]),
    ("german.csv", 1000, 20, [700, 300]),
    ("banknote_authentication.csv", 1372, 4, [762, 610]),
    ("mammography.csv", 11183, 6, [10923, 260]),
    ("phoneme.csv", 5404, 5, [3818, 1586]),
    ("winequality-red.csv", 1599, 11, 6),
    ("winequality-white.csv", 4898, 11, 7),
    # messages of free text: quotes are ordinary characters, and no column is a feature
    ("SMSSpamCollection", 5574, 0, [4827, 747], "--quote", "no", "--target", "1", "--drop", "2"),
    ("train-images-idx3-ubyte.gz", 60000, 784, 10),  # labels in the file beside it
    ("t10k-images-idx3-ubyte.gz", 10000, 784, 10, "--labels", "@t10k-labels-idx1-ubyte.gz"),
    ("fashion-train-images-idx3-ubyte.gz", 60000, 784, [6000] * 10),
    ("fashion-t10k-images-idx3-ubyte.gz", 10000, 784, [1000] * 10),
    ("yeast.multilabel.xz", 1500, 103, 14),
    ("yeast.multilabel.t.xz", 917, 103, 14),
    ("scene.multilabel.xz", 1211, 294, 6),
    ("scene.multilabel.t.xz", 1196, 294, 6),
    ("emotions.multilabel", 593, 72, 6),
    ("reuters21578.multilabel.xz", 7906, 15271, 95),
    ("reuters21578.multilabel.t.xz", 3460, 15271, 95, "--n-features", "15271"),
]


def faults(name, rows, features, classes, *options):
    path = os.path.join(DATA, name)
    if not os.path.exists(path):
        return "is not there"
    options = [os.path.join(DATA, word[1:]) if word[0] == "@" else word for word in options]
    done = subprocess.run([SEPAL, "describe", path, "--json", *options], capture_output=True, timeout=200)
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr.decode()}"
    found = json.loads(done.stdout)
    counts = found["counts"] if isinstance(classes, list) else len(found["classes"])
    seen = (found["rows"], found["features"], counts)
    return None if seen == (rows, features, classes) else f"found {seen}, not {(rows, features, classes)}"


def main():
    if not os.path.isdir(DATA):
        print("no data sets here")
        sys.exit(77)
    if subprocess.run([SEPAL, "describe", os.path.join(DATA, "digits.csv.gz"), "-q"]).returncode == 2:
        print("this build does not unpack")
        sys.exit(77)
    bad = [(row[0], fault) for row in SETS if (fault := faults(*row))]
    for name, fault in bad:
        print(f"{name}: {fault}")
    print(f"{len(SETS)} data sets, {len(bad)} failures")
    sys.exit(bool(bad))


main()
