#!/usr/bin/env python3
"""train --warm MODEL: the answer is that of a cold start, to the gap, and comes sooner when the start
is near; a model that cannot be a start is refused. Also: what is learnt from sparse standardised rows
is what predictions are made with."""
import json
import os
import random
import subprocess
import sys

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
IRIS, WINE, CANCER = (f"{SOURCE}/examples/data/{name}.csv"
                      for name in ("iris", "wine", "breast_cancer"))
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
random.seed(5)
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
refused(4, ("train", "narrow.csv", "-m", "logistic", "--warm", "iris.sepal"), "4 columns")
refused(4, ("train", "reclassed.csv", "-m", "logistic", "--warm", "iris.sepal"), "zirginica")
refused(4, ("train", IRIS, "-m", "logistic", "--warm", "gaussian.sepal"), "no linear functions")
refused(4, ("train", "sparse.svm", "-m", "logistic", "--warm", "bits.sepal"), "no linear functions")
refused(4, ("train", IRIS, "-m", "logistic", "--warm", "machine.sepal"), "another reduction")
refused(4, ("train", IRIS, "-m", "logistic+ovo", "--warm", "iris.sepal"), "another reduction")
refused(4, ("train", IRIS, "-m", "standardize+logistic", "--warm", "iris.sepal"), "standardize")
refused(4, ("train", IRIS, "-m", "logistic", "--warm", "absent.sepal"), "absent.sepal")
refused(4, ("train", IRIS, "-m", "logistic", "--warm", IRIS), "iris.csv")
refused(2, ("train", IRIS, "-m", "fisher", "--warm", "iris.sepal"), "fisher", "logistic, svm")
refused(2, ("train", IRIS, "-m", "fisher", "--warm", "absent.sepal"), "fisher")

for failure in failures:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(bool(failures))
