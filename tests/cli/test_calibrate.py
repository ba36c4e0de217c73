#!/usr/bin/env python3
"""train --calibrate: what the reports tell, what predict and evaluate make of it, tables with text and missing
values, the same bytes from any number of threads; and what cannot be calibrated, with exit code and advice."""
import csv
import io
import json
import os
import random
import subprocess

from checks import check, finish
from seeds import test_seed

SEPAL = os.environ["SEPAL"]
DATA = os.path.join(os.environ["SEPAL_SOURCE"], "examples", "data")
CANCER, IRIS = (os.path.join(DATA, name + ".csv") for name in ("breast_cancer", "iris"))
METHODS = ("platt", "isotonic", "temperature")


def run(*words, stdin=None):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True, input=stdin)


def facts(*words):
    done = run(*words, "--json")
    check(done.returncode == 0, f"{words}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def probabilities(model, data, *words):
    done = run("predict", model, data, "--proba", *words)
    check(done.returncode == 0, f"predict: {done.stderr}")
    return [[row[0]] + [float(p) for p in row[1:]] for row in csv.reader(io.StringIO(done.stdout))
            if row[0] != "label"]


def refused(code, why, *words):
    done = run("train", *words, "-o", "never.sepal")
    check(done.returncode == code and why in done.stderr and not done.stdout,
          f"{words}: exit {done.returncode}: {done.stderr}")
    check(not os.path.exists("never.sepal"), f"{words}: a model was written")


def tells(method):
    report = facts("train", CANCER, "-m", "standardize+svm", "--calibrate", method, "-o", "m.sepal")
    own = report["calibration"]
    check(own["method"] == method and own["folds"] == 5, own)
    check(own["log_loss_before"] is None and 0 < own["log_loss_after"] < 0.2, own)
    parts = {"platt": ("slope", "intercept"), "isotonic": ("knots",), "temperature": ("temperature",)}
    check(set(own) == {"method", "folds", "log_loss_before", "log_loss_after", *parts[method]}, own)
    seen = facts("inspect", "m.sepal")["calibration"]
    check(seen == {key: value for key, value in own.items() if key in ("method", *parts[method])},
          f"inspect: {seen}")
    check(f"calibration {method}" in run("inspect", "m.sepal").stdout, "inspect: text")
    text = run("train", CANCER, "-m", "standardize+svm", "--calibrate", method, "-q", "-o", "m.sepal")
    check(text.returncode == 0 and not text.stdout, "-q")
    text = run("train", CANCER, "-m", "lda", "--calibrate", method, "--calibrate-folds", "3").stdout
    check(f"calibration {method}, 3 folds; out-of-fold log loss 0." in text and " before)" in text, text)
    plain = facts("train", CANCER, "-m", "standardize+svm", "-o", "plain.sepal")
    check("calibration" not in plain and "calibration" not in facts("inspect", "plain.sepal"),
          "a plain model tells of calibration")


def decides(method):
    """Labels, cutoffs and metrics are those of the probabilities."""
    rows = probabilities("m.sepal", CANCER)
    for label, benign, malignant in rows:
        check(abs(benign + malignant - 1) < 1e-12 and 0 <= malignant <= 1, f"{method}: {benign} {malignant}")
        check(label == ("malignant" if malignant >= 0.5 else "benign"), f"{method}: {label} {malignant}")
    cut = run("predict", "m.sepal", CANCER, "--cutoff", "0.2").stdout.split()
    check(cut == ["malignant" if row[2] >= 0.2 else "benign" for row in rows], f"{method}: --cutoff")
    reject = run("predict", "m.sepal", CANCER, "--decide", "reject", "--cutoff", "0.9").stdout.split()
    check(reject == [row[0] if max(row[1:]) >= 0.9 else "?" for row in rows], f"{method}: reject")
    with open(CANCER) as file:
        truth = [row["class"] for row in csv.DictReader(file)]
    judged = facts("evaluate", "m.sepal", CANCER)
    brier = sum((row[2] - (t == "malignant")) ** 2 for row, t in zip(rows, truth)) / len(rows)
    check(abs(judged["brier"] - brier) < 1e-12, f"{method}: brier {judged['brier']}, not {brier}")
    check(judged["accuracy"] == sum(row[0] == t for row, t in zip(rows, truth)) / len(rows), "accuracy")


def same_bytes(method):
    models = []
    for threads in ("1", "2", "3"):
        run("train", IRIS, "-m", "standardize+svm+ovo", "--calibrate", method, "-o", "t.sepal", "-q",
            "--threads", threads)
        with open("t.sepal", "rb") as file:
            models.append(file.read())
    check(models[0] == models[1] == models[2], f"{method}: threads change the model")
    done = run("train", IRIS, "-m", "standardize+svm+ovo", "--calibrate", method, "-o", "t.sepal", "-q",
               "--seed", "2")
    with open("t.sepal", "rb") as file:
        check(done.returncode == 0 and file.read() != models[0], f"{method}: the seed changes no fold")


def tables():
    """Text and missing values; one category is in a single row, so that a fold has not seen it."""
    rng = random.Random(test_seed(1))
    with open("table.csv", "w") as file:
        file.write("age,colour,class\n")
        for i in range(90):
            old = rng.random() < 0.5
            age = "" if i % 11 == 0 else f"{rng.gauss(60 if old else 40, 10):.1f}"
            colour = "violet" if i == 40 else rng.choice(("red", "blue") if old else ("blue", "green"))
            file.write(f"{age},{colour},{'old' if old else 'young'}\n")
    for method in METHODS:
        for how in ("mean", "indicator", "drop"):
            done = run("train", "table.csv", "-m", "standardize+svm", "--missing", how, "--calibrate", method,
                       "-o", "table.sepal", "-q")
            check(done.returncode == 0 and "unknown" not in done.stderr, f"{method} {how}: {done.stderr}")
            answers = run("predict", "table.sepal", "table.csv", "--proba").stdout.split("\n")[1:-1]
            check(len(answers) == 90, f"{method} {how}: {len(answers)} rows")
            check(how != "drop" or answers[0].split(",")[0] == "?", f"{method} {how}: {answers[0]}")


def rules():
    """A rule is kept by a model that has probabilities by its calibration alone."""
    refused(4, "--calibrate platt", CANCER, "-m", "svm", "--cutoff", "0.2")
    done = run("train", CANCER, "-m", "standardize+svm", "--calibrate", "platt", "--cutoff", "0.2", "-o",
               "rule.sepal", "-q")
    check(done.returncode == 0, done.stderr)
    rows = probabilities("rule.sepal", CANCER)
    check(all((row[0] == "malignant") == (row[2] >= 0.2) for row in rows), "the kept cutoff")
    done = run("predict", "plain.sepal", CANCER, "--proba")
    check(done.returncode == 4 and "--calibrate platt" in done.stderr, done.stderr)


def bad_input():
    refused(2, "--calibrate-folds is about --calibrate", CANCER, "-m", "svm", "--calibrate-folds", "4")
    refused(2, "did you mean 'isotonic'", CANCER, "-m", "svm", "--calibrate", "isotonik")
    for folds in ("0", "1", "-3", "2.5", "x"):
        refused(2, "calibrate", CANCER, "-m", "svm", "--calibrate", "platt", f"--calibrate-folds={folds}")
    refused(2, "write --calibrate VALUE beside the spec", CANCER, "-m", "svm(calibrate=platt)")
    refused(3, "class 'setosa' has 50 rows, fewer than the 51 folds of --calibrate, and each needs one of "
            "every class; type --calibrate-folds 50", IRIS, "-m", "svm", "--calibrate", "platt",
            "--calibrate-folds", "51")
    with open("few.csv", "w") as file:
        file.write("x,class\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(8)) + "9,c\n")
    refused(3, "few.csv:1:1: class 'c' has one row", "few.csv", "-m", "svm", "--calibrate", "platt")
    with open("few.csv", "w") as file:
        file.write("x,class\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(8)) + "9,c\n8,c\n")
    refused(3, "type --calibrate-folds 2", "few.csv", "-m", "svm", "--calibrate", "platt")
    done = run("train", "few.csv", "-m", "svm", "--calibrate", "isotonic", "--calibrate-folds", "2")
    check(done.returncode == 0 and "isotonic regression follows every one of 10 rows" in done.stderr,
          done.stderr)
    error = json.loads(run("train", "few.csv", "-m", "svm", "--calibrate", "platt", "--json").stdout)["error"]
    check(error["exit"] == 3 and error["line"] == 1, error)


def one_score():
    """A column that says nothing: the share of the class for every row, and a word about it."""
    with open("flat.csv", "w") as file:
        file.write("x,class\n" + "".join(f"1,{'no' if i % 3 else 'yes'}\n" for i in range(30)))
    for method in METHODS:
        done = run("train", "flat.csv", "-m", "logistic", "--calibrate", method, "-o", "flat.sepal", "-q")
        check(done.returncode == 0, f"{method}: {done.stderr}")
        check(method != "platt" or "are not more often of that class" in done.stderr, done.stderr)
        told = facts("inspect", "flat.sepal")["calibration"]
        check(told.get("slope", [0]) == [0] and told.get("knots", [1]) == [1], f"{method}: {told}")
        rows = probabilities("flat.sepal", "flat.csv")
        check(all(row == rows[0] for row in rows) and 0.25 < rows[0][2] < 0.45, f"{method}: {rows[0]}")


def held_out():
    """What is held out for the test is in no fold."""
    report = facts("train", IRIS, "-m", "standardize+svm", "--calibrate", "temperature", "--holdout", "0.4")
    check(report["rows"] == 90 and report["test"]["rows"] == 60 and 0 < report["test"]["log_loss"] < 0.5,
          report["test"]["log_loss"])
    traced = run("train", IRIS, "-m", "logistic", "--solver", "sgd", "--epochs", "3", "--calibrate", "platt",
                 "--trace", "steps.json", "-q", "--tol", "0.9")
    with open("steps.json") as file:
        steps = file.read().split("\n")
    run("train", IRIS, "-m", "logistic", "--solver", "sgd", "--epochs", "3", "--trace", "plain.json", "-q")
    with open("plain.json") as file:
        check(traced.returncode == 0 and steps == file.read().split("\n"), "the folds are traced")
    warm = run("train", CANCER, "-m", "standardize+svm", "--warm", "plain.sepal", "--calibrate", "platt")
    check(warm.returncode == 0, warm.stderr)


def main():
    for method in METHODS:
        tells(method)
        run("train", CANCER, "-m", "standardize+svm", "--calibrate", method, "-o", "m.sepal", "-q")
        decides(method)
        same_bytes(method)
    tables()
    rules()
    bad_input()
    one_score()
    held_out()
    finish(least=1000)


main()
