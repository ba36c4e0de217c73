#!/usr/bin/env python3
"""train --warm MODEL: the answer is that of a cold start, to the gap, and comes sooner when the start
is near; a model that cannot be a start is refused. Also: what is learnt from sparse standardised rows
is what predictions are made with."""
import json
import math
import os
import random
import subprocess
import sys

from seeds import test_seed

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
IRIS, WINE, CANCER = (f"{SOURCE}/examples/data/{name}.csv"
                      for name in ("iris", "wine", "breast_cancer"))
NIGHTLY = os.environ.get("SEPAL_NIGHTLY") == "1"
failures = []


def check(truth, what):
    if not truth:
        failures.append(what)


def run(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True)


def report(*words):
    done = run(*words, "--json")
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}{done.stdout}")
    return json.loads(done.stdout)


def refused(code, words, *parts):
    done = run(*words)
    check(done.returncode == code, f"{words}: exit {done.returncode}, not {code}: {done.stderr}")
    for part in parts:
        check(part in done.stderr, f"{words}: no '{part}' in: {done.stderr}")


# Sparse rows of two classes, each with its own columns.
random.seed(test_seed(5))
with open("sparse.svm", "w", encoding="ascii") as file:
    for row in range(300):
        side = row % 2
        columns = sorted({random.randrange(0, 60) if random.random() < 0.3
                          else 2 * random.randrange(0, 30) + side for _ in range(6)} | {61})
        file.write(f"{side} " + " ".join(f"{j + 1}:{random.random() + 0.5:.3f}" for j in columns)
                   + "\n")

# ---- the same answer, sooner -------------------------------------------------------------------

for data, spec in ((CANCER, "standardize+logistic"), (CANCER, "standardize+svm"),
                   ("sparse.svm", "logistic"), ("sparse.svm", "standardize+logistic"),
                   ("sparse.svm", "svm(bias=false)"), (IRIS, "standardize+logistic"),
                   (WINE, "standardize+logistic+ovo"), (WINE, "standardize+svm+ovr-1")):
    cold = report("train", data, "-m", spec, "--tol", "1e-8", "-o", "near.sepal")
    for start in ("near.sepal", "far.sepal"):
        if start == "far.sepal":
            report("train", data, "-m", spec, "--C", "1e-4",
                   "-o", start)
        warm = report("train", data, "-m", spec, "--tol", "1e-8", "--warm", start)
        what = f"{data} {spec} from {start}"
        check(cold["converged"] and warm["converged"], f"{what}: not converged")
        check(abs(warm["objective"] - cold["objective"]) <= 3e-8 * cold["objective"],
              f"{what}: {warm['objective']} is not {cold['objective']}")
        if start == "near.sepal":
            check(warm["iterations"] <= cold["iterations"] / 3 + 1,
                  f"{what}: {warm['iterations']} iterations, cold {cold['iterations']}")

# A file may be its own start: it is read before it is replaced.
report("train", CANCER, "-m", "standardize+logistic", "-o", "own.sepal")
again = report("train", CANCER, "-m", "standardize+logistic", "--warm", "own.sepal", "-o",
               "own.sepal")
check(again["converged"], "a model as its own start")

# Other learners' weights are a start too, and so are those of an svm for logistic regression.
report("train", CANCER, "-m", "standardize+least-squares", "-o", "squares.sepal")
check(report("train", CANCER, "-m", "standardize+logistic", "--warm", "squares.sepal")["converged"],
      "least squares as a start")

# sgd walks on from there: no step at eta -> 0 leaves the weights where they were.
near = report("inspect", "own.sepal")
run("train", CANCER, "-m", "standardize+logistic", "--solver", "sgd", "--eta", "1e-300", "--epochs",
    "1", "--warm", "own.sepal", "-o", "walked.sepal")
walked = report("inspect", "walked.sepal")
check(all(abs(a - b) <= 1e-12 * abs(a) for a, b in zip(near["weights"][0] + near["bias"],
                                                       walked["weights"][0] + walked["bias"])),
      f"sgd from a model: {near['bias']} becomes {walked['bias']}")

# ---- a walk goes on where it was ----------------------------------------------------------------

with open("three.svm", "w", encoding="ascii") as file:
    for row in range(120):
        columns = sorted({3 * random.randrange(0, 13) + row % 3 if random.random() < 0.6
                          else random.randrange(0, 40) for _ in range(5)} | {40})
        file.write(f"{row % 3} " + " ".join(f"{j + 1}:{random.random() + 0.5:.3f}" for j in columns)
                   + "\n")


def done(*words):
    result = run(*words)
    if result.returncode:
        sys.exit(f"{words}: {result.stderr}")


def weights(model):
    found = report("inspect", model)
    return found["weights"], found["bias"]


# One epoch and one more from there are two epochs, to the bit, with every map.
SGD = ("--solver", "sgd", "--eta", "0.01")
MAPS = ("", "standardize+", "minmax+", "poly(degree=2)+", "hash(bits=4)+", "rbf(centres=5)+",
        "sigmoid(centres=3)+", "fourier(features=20)+", "standardize+poly(degree=2)+",
        "hash(bits=6)+standardize+", "standardize+minmax+", "rbf(centres=6)+standardize+")
WALKS = [(learner, SGD) for learner in (
    "logistic", "svm(bias=penalised,loss=hinge)+ovo", "logistic(penalty=l1,l1=0.01,bias=false)+ovr-1",
    "logistic(batch=7,penalty=none)")]
WALKS += [(learner, ()) for learner in (
    "perceptron", "perceptron(bias=false,eta=0.3)+ovo", "perceptron(variant=delta)+ovr",
    "perceptron(variant=batch)", "perceptron(variant=delta,mode=batch)+ovr-1")]
pairs = moved = turn = 0
for maps in MAPS:
    for data in (CANCER, IRIS, "sparse.svm", "three.svm"):
        if "poly" in maps and data in (CANCER, "sparse.svm"):
            continue
        if not NIGHTLY and data == CANCER and "+" in maps[:-1]:
            continue
        # all of them where sparse rows carry a centre, else one after the other
        turn += 1
        all_of_them = NIGHTLY or (maps == "standardize+" and data.endswith("svm"))
        some = WALKS if all_of_them else [WALKS[turn % len(WALKS)]]
        for learner, words in some:
            if "+ov" in learner and data in (CANCER, "sparse.svm"):
                learner = learner.partition("+ov")[0]
            what = f"{data} {maps}{learner}"
            train = ("train", data, "-m", maps + learner, *words, "-q")
            done(*train, "--epochs", "2", "-o", "two.sepal")
            done(*train, "--epochs", "1", "-o", "first.sepal")
            done(*train, "--epochs", "1", "--warm", "first.sepal", "-o", "second.sepal")
            two, second = weights("two.sepal"), weights("second.sepal")
            check(two == second, f"{what}: 1 epoch and 1 from there are not 2")
            pairs += 1
            moved += two != weights("first.sepal")
check(moved > 0.8 * pairs, f"of {pairs} walks only {moved} have a second epoch")

# ---- the perceptron's bound is that of its start ------------------------------------------------

with open("apart.csv", "w", encoding="ascii") as file:
    file.write("a,b,class\n")
    for row in range(90):
        a, b = random.uniform(-1, 1), random.uniform(-1, 1)
        file.write(f"{a + 8 * (row % 3 == 1)!r},{b + 8 * (row % 3 == 2)!r},{'uvw'[row % 3]}\n")
with open("apart.csv", encoding="ascii") as file, open("pair.csv", "w", encoding="ascii") as pair:
    pair.writelines(line for line in file if not line.endswith("w\n"))


def flat(model):
    found = report("inspect", model)
    return [v for row in found["weights"] for v in row] + found["bias"]


# Starts with and without a centre, from other learners, at several lengths of a step.
for data in ("pair.csv", "apart.csv"):
    for learner in ("least-squares", "perceptron(variant=averaged,eta=7)", "lda"):
        done("train", data, "-m", learner, "-q", "-o", "start.sepal")
        for eta in ("1", "0.001", "50") if NIGHTLY or learner == "lda" else ("0.3",):
            facts = report("train", data, "-m", f"perceptron(eta={eta})", "--epochs", "1000000",
                           "--warm", "start.sepal", "-o", "end.sepal")["perceptron"]
            u, v = [x / float(eta) for x in flat("start.sepal")], flat("end.sepal")
            length = math.sqrt(sum(x * x for x in v))
            along = sum(x * y for x, y in zip(u, v)) / length
            growth = facts["radius"] ** 2 * (1 if data == "pair.csv" else 2)
            # (along + k margin)^2 = |u|^2 + k growth
            p, q = along / facts["margin"] - growth / facts["margin"] ** 2 / 2, facts["margin"] ** 2
            across = max(0, sum(x * x for x in u) - along * along)
            root = -p + math.sqrt(p * p + across / q)
            what = f"{data} perceptron(eta={eta}) from {learner}: {facts}"
            check(facts["updates"] <= facts["bound"], what)
            check(abs(facts["bound"] - root) <= 1e-6 * root + 1e-6, f"{what}, not {root}")

# A start at 0 is none: the same bytes.
done("train", CANCER, "-m", "logistic(penalty=l1,C=1e-12,bias=false)", "-q", "-o", "zero.sepal")
check(not any(flat("zero.sepal")), "the weights of zero.sepal are not 0")
for variant in ("online", "batch", "minibatch", "delta", "pocket", "averaged"):
    words = ("train", CANCER, "-m", f"perceptron(variant={variant},epochs=5)", "-q", "-o")
    done(*words, "plain.sepal")
    done(*words, "warm.sepal", "--warm", "zero.sepal")
    with open("plain.sepal", "rb") as one, open("warm.sepal", "rb") as other:
        check(one.read() == other.read(), f"{variant}: a start at 0 changes the model")

# The pocket has the start in it: it is never worse.
done("train", CANCER, "-m", "standardize+lda", "-q", "-o", "lda.sepal")
errors = report("train", CANCER, "-m", "standardize+perceptron(variant=pocket,epochs=2)", "--warm",
                "lda.sepal")["train"]["errors"]
check(errors <= (1 - report("evaluate", "lda.sepal", CANCER)["accuracy"]) * 569 + 1e-6,
      f"pocket from lda: {errors} errors")

# ---- maps that have learnt other numbers --------------------------------------------------------

# What is column by column at the end is written in the new units: the start has the scores it had.
# (Each file has the highest index: its columns are those of the other.)
for data, strategies in ((CANCER, ("",)), (IRIS, ("", "+ovo")), ("sparse.svm", ("",)),
                         ("three.svm", ("", "+ovr-1"))):
    with open(data, encoding="ascii") as file:
        lines = file.read().splitlines()
    head = lines[:1] if data.endswith("csv") else []
    part = "part." + data.rpartition(".")[2]
    with open(part, "w", encoding="ascii") as file:
        file.write("\n".join(head + lines[len(head):][::5]) + "\n")
    for maps in ("standardize+", "minmax+", "standardize+minmax+", "hash(bits=5)+standardize+"):
        for strategy in strategies:
            turn += 1
            learners = ("logistic(l2=0.01)", "logistic(l2=0.01,bias=penalised)", "perceptron")
            for learner in learners if NIGHTLY else [learners[turn % 3]]:
                spec = maps + learner + ("" if learner == "perceptron" and strategy != "+ovo" else
                                         strategy)
                still = (("--eta", "1e-300", "--epochs", "1")
                         + (() if learner == "perceptron" else ("--solver", "sgd")))
                done("train", part, "-m", spec, "-q", "-o", "part.sepal")
                done("train", data, "-m", spec, *still, "--warm", "part.sepal", "-q", "-o",
                     "moved.sepal")
                before = report("predict", "part.sepal", data, "--scores")["scores"]
                after = report("predict", "moved.sepal", data, "--scores")["scores"]
                largest = max(abs(v) for row in before for v in row)
                apart = max(abs(a - b) for r, q in zip(before, after) for a, b in zip(r, q))
                check(apart <= 1e-11 * largest,
                      f"{data} {spec}: scores moved by {apart} of {largest}")
    # other maps are refused: their features are others
    others = ("rbf(centres=4)", "sigmoid(centres=3)", "standardize+poly(degree=2)",
              "minmax+fourier(features=9)+standardize")
    for maps in others if NIGHTLY or data == IRIS else others[:1]:
        done("train", part, "-m", maps + "+logistic", "-q", "-o", "part.sepal")
        refused(4, ("train", data, "-m", maps + "+logistic", "--warm", "part.sepal"),
                "has learnt other numbers", "part.sepal")

fourier = "fourier(features=30,width=2)+logistic"
run("train", IRIS, "-m", fourier, "--seed", "2", "-q", "-o", "drawn.sepal")
refused(4, ("train", IRIS, "-m", fourier, "--seed", "3", "--warm", "drawn.sepal"), "fourier", "--seed")
check(run("train", IRIS, "-m", fourier, "--seed", "2", "--warm", "drawn.sepal", "-q").returncode == 0,
      "fourier with the same seed is refused")

# ---- weights beyond all numbers -----------------------------------------------------------------

for name, scale in (("small.csv", 1e-200), ("plain.csv", 1), ("large.csv", 1e200)):
    with open(name, "w", encoding="ascii") as file:
        file.write("a,b,class\n")
        for row in range(40):
            file.write(f"{(row % 2 + random.random()) * scale!r},{random.random() * scale!r},"
                       f"{'uv'[row % 3 % 2]}\n")
run("train", "small.csv", "-m", "least-squares", "-q", "-o", "steep.sepal")
for learner in ("logistic", "svm", "logistic(penalty=none)", "svm(loss=hinge)", "perceptron",
                "logistic(penalty=l1)"):
    refused(4, ("train", "large.csv", "-m", learner, "--warm", "steep.sepal"), "too large to start",
            "steep.sepal")
for learner in ("logistic", "svm", "svm(loss=hinge)"):
    refused(4, ("train", "plain.csv", "-m", learner, "--warm", "steep.sepal"), "too large to start",
            "steep.sepal")

# Nor can a start be written in units so different that its weights, its centre or its bias overflow.
scales = {"tiny": lambda x: x * 1e-200, "vast": lambda x: x * 1e200, "small": lambda x: x * 1e-20,
          "far": lambda x: 1e300 * (1 + x * 1e-14)}
for name, scale in scales.items():
    with open(f"{name}.csv", "w", encoding="ascii") as file:
        file.write("a,b,class\n")
        file.writelines(f"{scale(row % 7)!r},{scale(row * row % 5)!r},{'uv'[row % 7 > 2]}\n"
                        for row in range(40))
for start, data in (("tiny", "vast"), ("vast", "tiny"), ("small", "far")):
    done("train", f"{start}.csv", "-m", "minmax+logistic", "-q", "-o", "units.sepal")
    refused(4, ("train", f"{data}.csv", "-m", "minmax+logistic", "--warm", "units.sepal"),
            "too large to start", "units.sepal")

# ---- what is learnt is what is predicted with --------------------------------------------------

for learner in ("logistic(l2=1e-8)", "logistic(l2=1e-8,bias=penalised)"):
    trained = report("train", "sparse.svm", "-m", "standardize+" + learner, "-o", "sparse.sepal")
    judged = report("evaluate", "sparse.sepal", "sparse.svm")
    check(abs(trained["objective"] - judged["log_loss"]) < 1e-4,
          f"{learner}: objective {trained['objective']}, log loss {judged['log_loss']}")
    check(trained["train"]["accuracy"] == judged["accuracy"], f"{learner}: accuracy")

# ---- refusals ----------------------------------------------------------------------------------

report("train", IRIS, "-m", "logistic", "-o", "iris.sepal")
report("train", IRIS, "-m", "gaussian", "-o", "gaussian.sepal")
report("train", IRIS, "-m", "least-squares", "-o", "machine.sepal")
report("train", CANCER, "-m", "logistic", "-o", "cancer.sepal")
report("train", "sparse.svm", "-m", "naive-bayes(kind=bernoulli)", "-o", "bits.sepal")
with open(IRIS, encoding="utf-8") as file:
    head, *rows = file.read().split("\n")
with open("renamed.csv", "w", encoding="utf-8") as file:
    file.write("\n".join([head.replace("sepal_length", "sepal_lenght"), *rows]))
with open("narrow.csv", "w", encoding="utf-8") as file:
    file.write("\n".join(line.partition(",")[2] for line in [head, *rows]))
with open("reclassed.csv", "w", encoding="utf-8") as file:
    file.write("\n".join([head, *rows]).replace("virginica", "zirginica"))

refused(4, ("train", CANCER, "-m", "logistic", "--warm", "iris.sepal"), "3 classes", "iris.sepal")
refused(4, ("train", "renamed.csv", "-m", "logistic", "--warm", "iris.sepal"), "sepal_lenght")
with open("numbered.svm", "w", encoding="ascii") as file:
    file.writelines(f"{row.rpartition(',')[2]} " +
                    " ".join(f"{j + 1}:{x}" for j, x in enumerate(row.split(",")[:-1])) + "\n"
                    for row in rows if row)
refused(4, ("train", "numbered.svm", "-m", "logistic", "--warm", "iris.sepal"), "sepal_length", "'1'")
report("train", "numbered.svm", "-m", "logistic", "-o", "numbered.sepal")
refused(4, ("train", IRIS, "-m", "logistic", "--warm", "numbered.sepal"), "sepal_length", "'1'")
refused(4, ("train", "narrow.csv", "-m", "logistic", "--warm", "iris.sepal"), "4 columns")
refused(4, ("train", "reclassed.csv", "-m", "logistic", "--warm", "iris.sepal"), "zirginica")
refused(4, ("train", IRIS, "-m", "logistic", "--warm", "gaussian.sepal"), "no linear functions")
refused(4, ("train", "sparse.svm", "-m", "logistic", "--warm", "bits.sepal"), "no linear functions")
refused(4, ("train", IRIS, "-m", "logistic", "--warm", "machine.sepal"), "another strategy")
refused(4, ("train", IRIS, "-m", "logistic+ovo", "--warm", "iris.sepal"), "another strategy")
refused(4, ("train", IRIS, "-m", "standardize+logistic", "--warm", "iris.sepal"), "standardize")
refused(4, ("train", IRIS, "-m", "logistic", "--warm", "absent.sepal"), "absent.sepal")
refused(4, ("train", IRIS, "-m", "logistic", "--warm", IRIS), "iris.csv")
refused(2, ("train", IRIS, "-m", "fisher", "--warm", "iris.sepal"), "fisher", "perceptron, logistic, softmax, multilabel, svm")
refused(2, ("train", IRIS, "-m", "fisher", "--warm", "absent.sepal"), "fisher")

for failure in failures:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(bool(failures))
