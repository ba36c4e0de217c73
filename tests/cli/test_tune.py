#!/usr/bin/env python3
"""sepal tune --path: the table, the CSV and JSON of it agree; marks follow from the numbers by the rule; the
model is the one that train makes of the spec told, byte by byte, at any number of threads; what is wrong has
its exit code and its words, and writes nothing; Ctrl-C leaves what was there; --max-seconds cuts the path."""
import csv
import json
import os
import random
import signal
import subprocess
import time

from checks import check, finish
from seeds import test_seed

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
DATA = os.path.join(SOURCE, "examples/data/breast_cancer.csv")
IRIS = os.path.join(SOURCE, "examples/data/iris.csv")
L1 = "standardize | logistic(penalty=l1)"


def sepal(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True, timeout=300)


def tune(*words):
    done = sepal("tune", *words, "--path")
    check(done.returncode == 0, words, done.stderr)
    return done


def read(path, mode="rb"):
    with open(path, mode) as file:
        return file.read()


def agrees():
    """JSON, CSV and text tell the same, and the choice is right."""
    facts = json.loads(tune(DATA, "-m", L1, "--folds", "5", "--csv", "t.csv", "--json").stdout)
    with open("t.csv") as file:
        table = list(csv.DictReader(file))
    rows = facts["path"]
    check(facts["schema"] == 1 and facts["command"] == "tune" and facts["warnings"] == [], "head", facts["warnings"])
    check(len(rows) == len(table) == 100, "length", len(rows), len(table))
    for row, line in zip(rows, table):
        for key in row:
            check(float(line[key]) == float(row[key]), key, row[key], line[key])
    check(all(a["lambda"] > b["lambda"] for a, b in zip(rows, rows[1:])), "lambda falls")
    check(all(a["explained"] <= b["explained"] + 1e-6 for a, b in zip(rows, rows[1:])), "explained grows")
    check(all(row["gap"] <= 1e-6 and row["converged"] for row in rows), "gaps")
    best = min(range(100), key=lambda k: rows[k]["loss"])
    bound = rows[best]["loss"] + rows[best]["loss_standard_error"]
    one_se = next(k for k in range(100) if rows[k]["loss"] <= bound)
    check(facts["best"] == {"index": best, **rows[best]}, "best", facts["best"])
    check(facts["one_standard_error"] == {"index": one_se, **rows[one_se]}, "1se")
    check([k for k in range(100) if table[k]["min"] == "1"] == [best], "mark of min")
    check([k for k in range(100) if table[k]["1se"] == "1"] == [one_se], "mark of 1se")
    check(facts["chosen"] == "one_standard_error" and repr(rows[one_se]["l1"]) in facts["spec"], facts["spec"])
    short, full = (tune(DATA, "-m", L1, "--folds", "5", *more).stdout.splitlines() for more in ((), ("-v",)))
    check(len(short) < 30 < 100 < len(full) < 120, "lines", len(short), len(full))
    check(any("-v shows all" in line for line in short), "says how to see all")
    check(sum(line.endswith("1se") for line in short) == 1, "marks in the text")


def model_is_trained():
    for data, spec, words in ((DATA, L1, ()), (DATA, L1, ("--choose", "min")), (IRIS, "logistic(penalty=l1)", ()),
                              (IRIS, "svm", ("--weight", "petal_width"))):
        done = tune(data, "-m", spec, "--folds", "3", "-o", "m.sepal", "--json", *words, "--threads", "1")
        facts, one = json.loads(done.stdout), read("m.sepal")
        tune(data, "-m", spec, "--folds", "3", "-o", "m.sepal", "--json", *words, "--threads", "3")
        check(read("m.sepal") == one, spec, "threads change the model")
        kept = [word for word in words if word not in ("--choose", "min")]
        trained = sepal("train", data, "-m", facts["spec"], "-o", "t.sepal", *kept)
        check(trained.returncode == 0, trained.stderr)
        check(read("t.sepal") == one, spec, "train makes another model of", facts["spec"])
        chosen = facts[facts["chosen"]]
        check(abs(facts["fit"]["objective"] / chosen["objective"] - 1) < 2e-6, "objective of the model")


def learns_from_folds():
    """A category of one row and missing values: each fold prepares by its own training rows."""
    with open("odd.csv", "w") as file:
        file.write("x,colour,y\n")
        for i in range(60):
            file.write(f"{'' if i % 7 == 0 else i % 11},{'rare' if i == 5 else 'red' if i % 3 else 'blue'},{'ab'[i % 2]}\n")
    done = tune("odd.csv", "-m", "standardize+logistic", "--missing", "mean", "--folds", "4", "--json")
    check(len(json.loads(done.stdout)["path"]) == 100, "coded rows")


def refuses():
    cases = [
        ((DATA,), 2, "sepal compare"),
        ((DATA, "-m", "logistic", "--path-length", "5"), 2, "--path-length goes with --path"),
        ((DATA, "-m", "logistic", "--path", "--metric", "accuracy"), 2, "--metric has no meaning with --path"),
        ((DATA, "-m", "logistic", "--path", "--over", "C=1,2"), 2, "leave --over or --path out"),
        ((DATA, "--path"), 2, "sepal tune"),
        ((DATA, "-m", "lda", "--path"), 2, "logistic, svm"),
        ((DATA, "-m", "logistic(C=3)", "--path"), 2, "leave the strength"),
        ((DATA, "-m", "logistic(penalty=none)", "--path"), 2, "penalty=none"),
        ((DATA, "-m", "logistic(ratio=2)", "--path"), 2, "ratio"),
        ((DATA, "-m", "logistic", "--path", "--path-length", "1"), 2, "[2, 10000]"),
        ((DATA, "-m", "logistic", "--path", "--lambdas", "0.1"), 2, "sepal train"),
        ((DATA, "-m", "logistic", "--path", "--lambdas", "0.1,0.2"), 2, "largest first"),
        ((DATA, "-m", "logistic", "--path", "--lambdas", "0.1,0"), 2, "no number above 0"),
        ((DATA, "-m", "logistic", "--path", "--lambdas", "0.1,-2"), 2, "no number above 0"),
        ((DATA, "-m", "logistic", "--path", "--lambda-min-ratio", "0"), 2, "(0, 1)"),
        ((DATA, "-m", "logistic", "--path", "--folds", "1"), 2, "[2, 1e6]"),
        ((DATA, "-m", "logistic", "--path", "--folds", "570"), 2, "from 2 to 569"),
        ((DATA, "-m", "logistic", "--path", "--choose", "max"), 2, "1se|min"),
        ((DATA, "-m", "logistic", "--path", "--solver", "sgd"), 2, "leave --solver out"),
        ((DATA, "-m", "logistic", "--path", "--warm", "x.sepal"), 2, "leave --warm out"),
        ((DATA, "-m", "logistic", "--path", "--csv", "-"), 2, "must be a file"),
        ((DATA, "-m", "logistic", "--path", "--csv", DATA), 2, "would be lost"),
        ((DATA, "-m", "logistic", "--path", "--csv", "no/t.csv"), 6, "no/t.csv"),
        ((DATA, "-m", "logistic", "--path", "--max-seconds", "1e-9"), 2, "give --max-seconds more"),
        (("none.csv", "-m", "logistic", "--path"), 3, "none.csv"),
        (("lone.csv", "-m", "logistic", "--path"), 3, "a single row"),
        (("flat.csv", "-m", "logistic(penalty=l1)", "--path"), 3, "no feature tells"),
    ]
    with open("lone.csv", "w") as file:
        file.write("x,y\n" + "".join(f"{i},{'b' if i == 3 else 'a'}\n" for i in range(20)))
    with open("flat.csv", "w") as file:
        file.write("x,y\n" + "".join(f"1,{'ab'[i % 2]}\n" for i in range(20)))
    with open("m.sepal", "w") as file:
        file.write("old")
    before = sorted(os.listdir("."))
    for words, code, word in cases:
        done = sepal("tune", *words, *(() if "--csv" in words else ("-o", "m.sepal")))
        check(done.returncode == code, words, done.returncode, done.stderr)
        check(word in done.stderr and done.stdout == "", words, done.stderr)
    check(sorted(os.listdir(".")) == before and read("m.sepal") == b"old", "files", os.listdir("."))


def make_rows():
    numbers = random.Random(test_seed(1))
    with open("rows.csv", "w") as file:
        file.write(",".join(f"x{j}" for j in range(60)) + ",y\n")
        for i in range(4000):
            row = [numbers.gauss(0, 1) + (j < 9) * (i % 2) * 0.3 for j in range(60)]
            file.write(",".join(f"{x:.6f}" for x in row) + f",{'ab'[i % 2]}\n")


def stops():
    make_rows()
    words = ["tune", "rows.csv", "-m", "logistic(penalty=l1)", "--path", "--path-length", "3000", "-o", "m.sepal"]
    process = subprocess.Popen([SEPAL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    check(process.returncode == 130 and out == "", process.returncode, out, err)
    check("interrupted" in err and "nothing to save" in err and " of 3000 values" in err, err)
    check(read("m.sepal") == b"old" and not os.path.exists("m.sepal.interrupted"), "the old model stays")
    done = sepal(*words, "--max-seconds", "2", "--folds", "2", "--json")
    check(done.returncode == 0, done.stderr)
    facts = json.loads(done.stdout)
    check([w["code"] for w in facts["warnings"]][:1] == ["path-cut"] and facts["stopped"] == "time limit", facts["warnings"])
    check(0 < len(facts["path"]) < 3000, len(facts["path"]))
    check(sepal("evaluate", "m.sepal", "rows.csv").returncode == 0, "the model can be used")


def main():
    agrees()
    model_is_trained()
    learns_from_folds()
    refuses()
    stops()
    finish(1490)


main()
