#!/usr/bin/env python3
"""sepal cv on tables: what is held out teaches nothing (new values, categories and gaps there leave the fit as it was,
and a column that only a leak could use is worth nothing), groups by a column, files, and what it says of bad input."""
import json
import os
import random
import subprocess

from checks import check, finish

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
IRIS = os.path.join(SOURCE, "examples/data/iris.csv")


def run(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True, check=False)


def cv(*words):
    done = run("cv", *words, "--json")
    check(done.returncode == 0, words, done.stderr, done.stdout[:300])
    return json.loads(done.stdout)


def write(name, rows):
    with open(name, "w") as file:
        file.writelines(",".join(map(str, row)) + "\n" for row in rows)


def table(draw, n):
    rows = [["a", "b", "colour", "class"]]
    for _ in range(n):
        k = draw.randrange(2)
        rows.append([f"{k + draw.gauss(0, 1):.4f}", draw.choice(["", f"{draw.gauss(0, 1):.4f}"]),
                     draw.choice(["red", "green", "", "blue"]), f"c{k}"])
    return rows


def nothing_is_learnt_from_what_is_held_out(draw):
    rows = table(draw, 80)
    fold = [draw.randrange(4) for _ in range(80)]
    write("folds", [[f] for f in fold])
    write("before.csv", rows)
    for i, f in enumerate(fold):
        if f == 0:  # outliers, categories that no other row has, other gaps
            rows[i + 1][:3] = [draw.gauss(0, 1e6), draw.choice(["", "1e5"]), draw.choice(["", f"odd{i}", "red"])]
    write("after.csv", rows)
    for spec in ("logistic", "standardize | lda", "minmax | logistic", "rbf(centres=4) | svm", "sigmoid | least-squares",
                 "fourier(features=6) | logistic", "poly | fisher", "naive-bayes(kind=gaussian)", "lda", "least-squares"):
        words = ["-m", spec, "--fold-file", "folds", "--missing", "indicator"]
        before, after = cv("before.csv", *words), cv("after.csv", *words)
        check(before["folds"][0]["train"] == after["folds"][0]["train"], spec, "training is another")
        check(before["folds"][0]["objective"] == after["folds"][0]["objective"], spec, "objective is another")
        check(before["folds"][0]["valid"] != after["folds"][0]["valid"], spec, "nothing was planted")


def a_leak_is_worth_nothing(draw):
    """Labels by chance. What stands in `leak` is known in the held-out part alone, and tells its class: categories or a
    mean that were learnt from all rows would make columns of it."""
    n = 200
    labels = [draw.randrange(2) for _ in range(n)]
    fold = [i % 2 for i in range(n)]
    write("folds", [[f] for f in fold])
    write("leak.csv", [["noise", "leak", "number", "class"]] + [
        [f"{draw.gauss(0, 1):.4f}", f"only{fold[i]}is{labels[i]}", f"{draw.gauss(0, 1):.4f}", f"c{labels[i]}"]
        for i in range(n)])
    found = cv("leak.csv", "-m", "least-squares(l2=0.001)", "--fold-file", "folds")
    check(found["mean"]["train"]["accuracy"] == 1, "the column tells the classes of its own rows")
    check(abs(found["mean"]["valid"]["accuracy"] - 0.5) < 0.15, "a leak", found["mean"]["valid"]["accuracy"])
    check(any(w["code"] == "unknown-categories" for w in found["warnings"]), "categories are said to be unknown")


def groups(draw):
    rows = [["x", "who", "class"]]
    for i in range(120):
        rows.append([f"{draw.gauss(i % 2, 1):.3f}", f"person, {draw.randrange(10)}", f"c{i % 2}"])
    write("who.csv", [[row[0], f'"{row[1]}"', row[2]] for row in rows])
    found = cv("who.csv", "-m", "lda", "--group", "who", "--folds", "5")
    check(found["groups"] == 10 and found["features"] == 1, "groups", found["groups"], found["features"])
    check(sum(fold["rows"]["valid"] for fold in found["folds"]) == 120, "rows of folds")
    for words, text in ((("--folds", "11"), "10 groups are fewer than the 11 folds"), (("--group", "class"), "cannot be both"),
                        (("--loo",), "contradict"), (("--group", "x9"), "x9")):
        done = run("cv", "who.csv", "-m", "lda", *(("--group", "who") if "--group" not in words else ()), *words)
        check(done.returncode in (2, 3) and text in done.stderr, words, done.stderr)
    write("gap.csv", [rows[0], ["0", "p", "c0"], ["2", "q", "c1"], ["1", " ", "c1"]])
    done = run("cv", "gap.csv", "-m", "lda", "--group", "who")
    check(done.returncode == 3 and "no group" in done.stderr, done.stderr)


def files_and_models():
    done = run("cv", IRIS, "-m", "lda", "--folds", "5", "--csv", "folds.csv", "-o", "cv.sepal", "-q")
    check(done.returncode == 0 and done.stdout == "", done.stderr)
    with open("folds.csv") as file:
        lines = file.read().splitlines()
    check(len(lines) == 6 and lines[0].startswith("repeat,fold,rows.train,"), lines[0])
    check(all(len(line.split(",")) == len(lines[0].split(",")) for line in lines), "cells")
    run("train", IRIS, "-m", "lda", "-o", "train.sepal", "-q")
    with open("cv.sepal", "rb") as one, open("train.sepal", "rb") as other:
        check(one.read() == other.read(), "the model of all rows is that of train")
    same = [run("cv", IRIS, "-m", "lda", "--json", "--threads", t, "--folds", "7").stdout.split('"seconds"')[0]
            for t in ("1", "2", "5")]
    check(same[0] and same[0] == same[1] == same[2], "threads")


def same_measures():
    """What tune chooses by, cv shows: of the positive class, too."""
    cancer = IRIS.replace("iris", "breast_cancer")
    for positive in "malignant", "benign":
        words = (cancer, "-m", "lda", "--folds", "4", "--positive", positive)
        found = cv(*words, "--metric", "positive.recall,positive.f1,log-loss", "--csv", "positive.csv")
        for metric in "recall", "f1":
            tuned = run("tune", *words, "--over", "shrinkage=0", "--metric", f"positive.{metric}", "--json")
            point = json.loads(tuned.stdout)["tuning"]["points"][0]["valid"]
            check(abs(found["mean"]["valid"]["positive"][metric] - point["mean"]) < 1e-12, positive, metric, point)
            check(abs(found["std"]["valid"]["positive"][metric] - point["std"]) < 1e-12, positive, metric, point)
        check(found["metrics"] == ["positive.recall", "positive.f1", "log_loss"], found["metrics"])
        with open("positive.csv") as file:
            names, first = (line.strip().split(",") for line in list(file)[:2])
        check(float(first[names.index("valid.positive.f1")]) == found["folds"][0]["valid"]["positive"]["f1"], first)
    done = run("cv", IRIS, "-m", "lda", "--metric", "positive.f1")
    check(done.returncode == 2 and "take --metric macro.f1" in done.stderr, done.stderr)


def one_row_at_a_time():
    """What says nothing of one row has no mean over single rows, and nothing is chosen by it."""
    cancer = IRIS.replace("iris", "breast_cancer")
    many = ["f1", "macro.recall", "weighted.f1", "balanced_accuracy", "kappa", "mcc", "roc_auc", "pr_auc"]
    with open(cancer) as file:
        write("some.csv", [line.strip().split(",") for line in list(file)[:41]])
    found = cv("some.csv", "-m", "gaussian(shrinkage=0.5)", "--loo", "--metric", ",".join(many))
    for side in "mean", "std":
        valid, train = found[side]["valid"], found[side]["train"]
        check(valid["macro"]["f1"] is None and valid["weighted"]["f1"] is None, side, valid)
        check(all(valid[m] is None and train[m] is not None for m in many if m in valid), side, valid)
        check(valid["accuracy"] is not None and valid["log_loss"] is not None, side, valid)
        check(train["macro"]["f1"] is not None, side, train)
    check("over_fitting" not in found, found.get("over_fitting"))
    for metric in [*many, "positive.f1", "macro.f1"]:
        for words in ((name, "some.csv", "-m", "lda") for name in ("tune", "compare", "curve")):
            done = run(*words, "--loo", "--metric", metric)
            check(done.returncode == 2 and "leave --loo out" in done.stderr, words, metric, done.stderr)
    check(run("compare", "some.csv", "-m", "gaussian(shrinkage=0.5)", "--loo", "--metric", "error").returncode == 0, "error")


def bad_input():
    write("short", [[1], [2]])
    write("words", [["fold"]] + [[1]] * 149)
    write("alone", [[-1]] * 150)
    write("half", [[0.5]] * 150)
    for words, code, text in (
            ((), 2, "sepal cv"), (("-m", "lda", "--folds", "1"), 2, "folds"), (("-m", "lda", "--refit"), 2, "-o model.sepal"),
            (("-m", "lda", "--folds", "151"), 2, "151 folds"), (("-m", "lda", "--ordered"), 3, "to learn from"),
            (("-m", "lda", "--fold-file", "short"), 3, "2 numbers of folds here and 150 rows"),
            (("-m", "lda", "--fold-file", "words"), 3, "words:1:1: 'fold' is no fold"),
            (("-m", "lda", "--fold-file", "alone"), 3, "no row is in a fold"),
            (("-m", "lda", "--fold-file", "half"), 3, "'0.5' is no fold"),
            (("-m", "lda", "--fold-file", "nowhere"), 3, "nowhere"), (("-m", "lda", "--metric", "acc"), 2, "no metric 'acc'"),
            (("-m", "lda", "-o", "-"), 2, "must be a file"), (("-m", "lda", "--warm", "x.sepal"), 2, "warm"),
            (("-m", "lda", "--positive", "nobody"), 2, "nobody")):
        done = run("cv", IRIS, *words)
        check(done.returncode == code and text in done.stderr and not done.stdout, words, done.returncode, done.stderr)
    done = run("cv", "nowhere.csv", "-m", "lda")
    check(done.returncode == 3 and "cannot open" in done.stderr, done.stderr)


def main():
    draw = random.Random(1)  # fixed: what is drawn is judged by numbers
    nothing_is_learnt_from_what_is_held_out(draw)
    a_leak_is_worth_nothing(draw)
    groups(draw)
    files_and_models()
    same_measures()
    one_row_at_a_time()
    bad_input()
    finish(60)


main()
