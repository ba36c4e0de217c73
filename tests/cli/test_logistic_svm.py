#!/usr/bin/env python3
"""What train tells of logistic and svm, and what their models answer: certificate, margin and support
vectors, probabilities and decisions, all computed here once more from weights or scores."""
import csv
import json
import math
import os
import subprocess
import sys

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
IRIS, CANCER = (f"{SOURCE}/examples/data/{name}.csv" for name in ("iris", "breast_cancer"))
failures = []


def check(truth, what):
    if not truth:
        failures.append(what)


def close(a, b, within=1e-9):
    return abs(a - b) <= within * (1 + abs(b))


def run(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True)


def sepal(*words):
    done = run(*words)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}{done.stdout}")
    return done.stdout


def report(*words):
    return json.loads(sepal(*words, "--json"))


def table(text):
    return [[row[0], *map(float, row[1:])] for row in list(csv.reader(text.splitlines()))[1:]]


def labels_of(file):
    with open(file, encoding="utf-8") as rows:
        return [row["class"] for row in csv.DictReader(rows)]


def sigmoid(s):
    return 1 / (1 + math.exp(-s)) if s >= 0 else math.exp(s) / (1 + math.exp(s))


LOSSES = {"logistic": lambda m: max(0, -m) + math.log1p(math.exp(-abs(m))),
          "svm": lambda m: max(0, 1 - m) ** 2, "svm(loss=hinge)": lambda m: max(0, 1 - m)}
sides = [1 if label == "malignant" else -1 for label in labels_of(CANCER)]
n = len(sides)

# ---- the certificate ---------------------------------------------------------------------------

for learner, loss in LOSSES.items():
    for parameters, l1, l2, c, ratio in (("C=2", 0, 1 / (2 * n), 2, 0), ("l2=0.01", 0, 0.01, 100 / n, 0),
                                    ("C=0.5,ratio=0.25", 0.5 / n, 1.5 / n, 0.5, 0.25),
                                    ("l1=0.02,l2=0.02", 0.02, 0.02, 25 / n, 0.5)):
        spec = "minmax+" + (f"{learner}({parameters})" if "(" not in learner else
                            f"{learner[:-1]},{parameters})")
        words = ("train", CANCER, "-m", spec, "-o", "model.sepal", "--solver", "sgd", "--average",
                 "--epochs", "50", "--eta", "0.05")
        fit = report(*words)
        proof, what = fit["certificate"], spec
        for name, value in (("l1", l1), ("l2", l2), ("C", c), ("ratio", ratio)):
            check(close(proof[name], value), f"{what}: {name} is {proof[name]}, not {value}")
        scores = [row[1] for row in table(sepal("predict", "model.sepal", CANCER, "--scores"))]
        margins = [t * s for t, s in zip(sides, scores)]
        norm1, norm2 = 0.0, 0.0
        with open("model.sepal", "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            header, data = json.loads(file.read(size)), file.read()
        first, end = header["weights"]["data_offsets"]
        for w in memoryview(data[first:end]).cast("d"):
            norm1 += abs(w)
            norm2 += w * w
        objective = sum(map(loss, margins)) / n + l1 * norm1 + l2 / 2 * norm2
        check(close(fit["objective"], objective), f"{what}: {fit['objective']}, not {objective}")
        check(close(proof["primal"], objective), f"{what}: primal")
        check(close(fit["gap"], (proof["primal"] - proof["dual"]) / proof["primal"]),
              f"{what}: gap {fit['gap']}")
        check(fit["converged"] == (fit["gap"] <= 1e-6), f"{what}: converged")
        if learner == "logistic":
            check("svm" not in fit, f"{what}: svm facts of logistic regression")
        else:
            check(fit["svm"]["support_vectors"] == sum(m <= 1 + 1e-6 for m in margins),
                  f"{what}: {fit['svm']['support_vectors']} support vectors")
            check(close(fit["svm"]["margin"], 1 / math.sqrt(norm2)), f"{what}: margin")

page = sepal("train", CANCER, "-m", "standardize+svm(C=3)")
for part in ("squared hinge, L2 penalty, C = 3, intercept not penalised", "relative duality gap ", "no weights have an objective below",
             "iterations", "support vectors"):
    check(part in page, f"no '{part}' in: {page}")
check("L1" not in page.split("loss ")[1], f"l1 in: {page}")

# ---- probabilities and decisions -----------------------------------------------------------------

sepal("train", CANCER, "-m", "standardize+logistic", "-o", "two.sepal")
scores = [row[1] for row in table(sepal("predict", "two.sepal", CANCER, "--scores"))]
two = table(sepal("predict", "two.sepal", CANCER, "--proba"))
for (label, p0, p1), score in zip(two, scores):
    check(close(p1, sigmoid(score)) and close(p0, sigmoid(-score)), f"probability of {score}")
    check((label == "malignant") == (score >= 0), f"label of {score}")
loss = -sum(math.log(row[2] if t > 0 else row[1]) for row, t in zip(two, sides)) / n
check(close(report("evaluate", "two.sepal", CANCER)["log_loss"], loss), "log loss of two classes")
# with a free bias the mean probability is the frequency
check(abs(sum(row[2] for row in two) / n - sum(t > 0 for t in sides) / n) < 1e-4, "mean probability")
cut = sepal("predict", "two.sepal", CANCER, "--cutoff", "0.9").split()
check(cut == ["malignant" if row[2] >= 0.9 else "benign" for row in two], "--cutoff")
rejecting = sepal("predict", "two.sepal", CANCER, "--decide", "reject", "--cutoff", "0.9").split()
check(rejecting == [row[0] if max(row[1:]) >= 0.9 else "?" for row in two], "--decide reject")
soft = sepal("predict", "two.sepal", CANCER, "--decide", "soft").split()
expected = sum(row[2] for row in two)
spread = math.sqrt(sum(row[1] * row[2] for row in two))
check(abs(soft.count("malignant") - expected) < 5 * spread + 1, "--decide soft")

sepal("train", IRIS, "-m", "standardize+logistic", "-o", "three.sepal")
rows = table(sepal("predict", "three.sepal", IRIS, "--scores"))
three = table(sepal("predict", "three.sepal", IRIS, "--proba"))
classes = ["setosa", "versicolor", "virginica"]
for (_, *scores), (label, *p) in zip(rows, three):
    rates = [sigmoid(score) for score in scores]
    check(all(close(a, b / sum(rates)) for a, b in zip(p, rates)), f"rates of {scores}")
    check(label == classes[p.index(max(p))], f"label of {p}")
loss = -sum(math.log(row[1 + classes.index(t)]) for row, t in zip(three, labels_of(IRIS))) / len(rows)
check(close(report("evaluate", "three.sepal", IRIS)["log_loss"], loss), "log loss of three classes")

for spec, word in (("logistic+ovo", "votes"), ("logistic+ovr-1", "votes"), ("svm", "scores")):
    sepal("train", IRIS, "-m", "standardize+" + spec, "-o", "none.sepal")
    for option in (("--proba",), ("--decide", "soft")):
        done = run("predict", "none.sepal", IRIS, *option)
        check(done.returncode == 4 and word in done.stderr and "--scores" in done.stderr,
              f"{spec} {option}: {done.returncode} {done.stderr}")
    check(report("evaluate", "none.sepal", IRIS)["log_loss"] is None, f"{spec}: a log loss")

# weights of 0 have no margin
with open("same.csv", "w", encoding="ascii") as file:
    file.write("a,b,class\n1,2,x\n1,2,y\n1,2,x\n")
for loss in ("squared_hinge", "hinge", "crammer_singer"):
    text = sepal("train", "same.csv", "-m", f"svm(loss={loss})")
    check("nan" not in text and "inf " not in text, f"{loss}: {text}")
    check(report("train", "same.csv", "-m", f"svm(loss={loss})")["svm"]["margin"] is None, f"{loss}: a margin")

for failure in failures[:40]:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(bool(failures))
