#!/usr/bin/env python3
"""tune over grids, compare, curve, and train without -m: a grid of one point is cv; what is chosen is what train
makes of the line told, byte by byte, at any number of threads; CSV and JSON agree; tests of differences are the
formulas, written out; curves end where cv is; what is wrong has its exit code and its words, and writes nothing."""
import csv
import json
import math
import os
import re
import shlex
import subprocess

from checks import check, finish

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
CANCER, WINE, IRIS = (os.path.join(SOURCE, f"examples/data/{name}.csv") for name in ("breast_cancer", "wine", "iris"))


def sepal(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True, timeout=300)


def facts(*words):
    done = sepal(*words, "--json")
    check(done.returncode == 0, words, done.stderr)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def near(a, b, tolerance=1e-9):
    return abs(a - b) <= tolerance * max(1, abs(b))


def one_point_is_cv():
    for data, spec, metric in (CANCER, "standardize | logistic(C=2)", "log_loss"), (WINE, "lda", "accuracy"), (
            IRIS, "perceptron(epochs=20)", "balanced_accuracy"):
        name, value = {"lda": ("shrinkage", "0"), "perceptron(epochs=20)": ("epochs", "20")}.get(spec, ("C", "2"))
        words = (data, "-m", spec, "--folds", "4", "--repeats", "2", "--seed", "5")
        judged = facts("cv", *words, "--metric", metric)
        point = facts("tune", *words, "--metric", metric, "--over", f"{name}={value}")["tuning"]["points"][0]
        for side in "train", "valid":
            check(near(point[side]["mean"], judged["mean"][side][metric]), spec, side, "mean")
            check(near(point[side]["std"], judged["std"][side][metric]), spec, side, "std")
        model = facts("compare", *words, "--metric", metric, "-m", "gaussian")
        check(near(model["compare"]["models"][0]["mean"], point["valid"]["mean"]), spec, "compare")
        ends = facts("curve", *words, "--metric", metric)["curve"]["points"]
        check(ends[-1]["rows"] <= ends[-1]["x"] and ends[0]["rows"] < ends[-1]["rows"], "sizes", ends)
        over = facts("curve", *words, "--metric", metric, "--over", f"{name}={value}")["curve"]["points"]
        check(over[0]["valid"] == point["valid"] and over[0]["train"] == point["train"], spec, "validation curve")


def same_models():
    """The model of tune is that of the command it ends with; threads change nothing."""
    cases = [(CANCER, "-m", "standardize | logistic", "--over", "C=0.01:100:log:5"),
             (CANCER, "-m", "standardize | logistic", "--cutoff-for", "cost", "--cost-fn", "9", "--folds", "3"),
             (WINE, "-m", "lda", "--metric", "macro.f1", "--choose", "best"),
             (IRIS, "-m", "poly+softmax", "--over", "C=0.1,10", "--over", "poly.degree=1,2", "--folds", "3"),
             (WINE, "-m", "standardize | logistic", "--path", "--folds", "3"),
             (CANCER, "-m", "svm", "--over", "C=0.01,0.1", "--calibrate", "platt", "--folds", "3")]
    for words in cases:
        told = sepal("tune", *words)
        check(told.returncode == 0, words, told.stderr)
        line = re.search(r"to fit all rows: sepal (.*) -o model\.sepal \(", told.stderr)
        check(line, words, told.stderr)
        if not line:
            continue
        for threads in "1", "3":
            report = sepal("tune", *words, "-o", f"t{threads}.sepal", "--threads", threads)
            check(report.returncode == 0 and "to fit" not in report.stderr, words, report.stderr)
        check(sepal(*shlex.split(line[1]), "-o", "m.sepal", "-q").returncode == 0, line[1])
        check(read("m.sepal") == read("t1.sepal") == read("t3.sepal"), words, "bytes")
        one, three = (re.sub(r"time .*", "", sepal("tune", *words, "--threads", n).stdout) for n in "13")
        check(one == three, words, "threads")
    report = facts("tune", *cases[1])
    kept = facts("evaluate", "t1.sepal", CANCER)
    check("cutoff" in report and 0 < report["cutoff"]["value"] < 1 and kept["accuracy"] > 0.9, report.get("cutoff"))


def tables_agree():
    report = facts("tune", CANCER, "-m", "standardize | poly | logistic", "--over", "poly.degree=1,2", "--over",
                   "l2=1e-3:1:log:3", "--folds", "3", "--csv", "t.csv")
    with open("t.csv", newline="") as file:
        table = list(csv.DictReader(file))
    check(len(table) == len(report["tuning"]["points"]) == 6, len(table))
    for line, point in zip(table, report["tuning"]["points"]):
        check(float(line["poly.degree"]) == point["values"]["poly.degree"], line)
        check(float(line["valid_mean"]) == point["valid"]["mean"] and line["spec"] == point["spec"], line)
    check([k for k in range(6) if table[k]["best"] == "1"] == [report["tuning"]["best"]["index"]], "best")
    report = facts("compare", WINE, "-m", "lda", "-m", "gaussian", "--csv", "c.csv")
    with open("c.csv", newline="") as file:
        table = list(csv.DictReader(file))
    check([float(line["mean"]) for line in table] == [m["mean"] for m in report["compare"]["models"]], "compare")
    report = facts("curve", WINE, "-m", "lda", "--csv", "v.csv", "--sizes", "0.4,100,1")
    with open("v.csv", newline="") as file:
        table = list(csv.DictReader(file))
    check([float(line["rows"]) for line in table] == [p["x"] for p in report["curve"]["points"]] and
          table[1]["rows"] == "100", "curve", table)


def two_tails(t, df):
    """By Simpson's rule over the angle: t = sqrt(df) tan(a), whose density is cos(a)^(df - 1)."""
    def area(low, high, steps=4000):
        h = (high - low) / steps
        f = [math.cos(low + i * h) ** (df - 1) for i in range(steps + 1)]
        return h / 3 * (f[0] + f[-1] + 4 * sum(f[1:-1:2]) + 2 * sum(f[2:-1:2]))
    return area(math.atan(abs(t) / math.sqrt(df)), math.pi / 2) / area(0, math.pi / 2)


def tests_are_formulas():
    words = ["-m", "standardize+softmax", "-m", "lda(shrinkage=0.2)", "-m", "naive-bayes(kind=gaussian)", "-m", "lda"]
    for repeats in 1, 3:
        report = facts("compare", WINE, *words, "--folds", "5", "--repeats", str(repeats))["compare"]
        models, pairs, n = report["models"], report["pairs"], 5 * repeats
        check(len(pairs) == 6 and report["best"] == min(range(4), key=lambda k: models[k]["mean"]), "pairs", pairs)
        for pair in pairs:
            d = [x - y for x, y in zip(models[pair["a"]]["values"], models[pair["b"]]["values"])]
            mean = sum(d) / n
            error = math.sqrt((1 / n + 1 / 4) * sum((x - mean) ** 2 for x in d) / (n - 1))
            check(near(pair["difference"], mean) and near(pair["standard_error"], error), "difference", pair)
            check(near(pair["t"], mean / error, 1e-7) and pair["df"] == n - 1, "t", pair)
            check(near(pair["p"], two_tails(pair["t"], n - 1), 1e-7), "p", pair)
        most = 0
        for rank, pair in enumerate(sorted(pairs, key=lambda pair: pair["p"])):
            most = max(most, min(1, (6 - rank) * pair["p"]))
            check(near(pair["p_adjusted"], most), "Holm", pair)
    same = sepal("compare", WINE, "-m", "lda", "-m", "lda(estimate=unbiased)", "--metric", "accuracy").stdout
    check("the same accuracy on every fold" in same or "no evidence that" in same, same)


def first_method():
    for data in CANCER, WINE:
        report = facts("train", data, "-o", "a.sepal")
        spec = report["choice"]["spec"]
        check(sepal("train", data, "-m", spec, "-o", "b.sepal", "-q").returncode == 0, spec)
        check(read("a.sepal") == read("b.sepal"), data, "bytes")
        models = report["choice"]["compare"]["models"]
        check(len(models) == 3 and report["choice"]["compare"]["baseline"]["accuracy"]["mean"] < 0.7, models)
        check(min(models, key=lambda m: m["mean"])["spec"] == spec, spec, models)
    said = sepal("train", IRIS).stdout
    check("chosen " in said and "goes without the comparison" in said and "always 'setosa'" in said, said)
    with open("sets.svm", "w") as file:
        file.write("".join(f"{'1,3' if i % 3 else '2'} 1:{i % 7} 2:{i % 5}\n" for i in range(40)))
    check("multilabel" in sepal("train", "sets.svm").stdout, "label sets")


def rare_classes():
    """The rows compared on have those of a rare class, and what is said of these is their number in the file."""
    with open("rare.csv", "w") as file:
        file.write("x,z,y\n" + "".join(f"{i % 101},{i * 7 % 97},{'ab'[i % 101 > 50]}\n" for i in range(80000)))
        file.write("1,2,rare\n150,3,rare\n" + "".join(f"{200 + i},{i},few\n" for i in range(7)))
    report = facts("train", "rare.csv")
    rows = report["choice"]["compare"]["rows"] if report else None
    check(report and 20000 <= rows <= 20010, rows)
    done = sepal("compare", "rare.csv", "-m", "lda", "-m", "lda(shrinkage=0.2)", "--compare-rows", "4000")
    check(done.returncode == 0 and "class 'rare' has 2 rows, fewer than the 10 folds" in done.stderr, done.stderr)
    done = sepal("compare", "rare.csv", "-m", "lda", "-m", "lda(shrinkage=0.2)", "--compare-rows", "4000", "--folds", "2")
    check(done.returncode == 0 and "fewer than the" not in done.stderr, done.stderr)


def few_rows():
    """As many folds as a few rows allow; where a class has one, a learner that is not judged, and a word."""
    for rows, word, judged in (("1,a 2,a 8,b 9,b", "compared by 2", True), ("1,a 9,b", "has a single row", False),
                               ("1,a 2,a 3,a 4,a 5,a 9,b", "has a single row", False)):
        with open("few.csv", "w") as file:
            file.write("\n".join(["x,y", *rows.split()]) + "\n")
        for words in ("train", "few.csv", "-o", "f.sepal"), ("compare", "few.csv", "-o", "f.sepal"):
            done = sepal(*words)
            check(done.returncode == 0 and word in done.stderr and "--folds" not in done.stderr, rows, done.stderr)
            check("-m \"standardize" in done.stdout or words[0] == "compare" or judged, rows, done.stdout)
            compared = facts(*words)
            compared = compared.get("choice", compared).get("compare", {})
            check(len(compared.get("models", [])) == (3 if judged else 1), rows, compared)


def titanic():
    """The first steps of a newcomer: each mistake is answered with the words to type next."""
    with open("t.csv", "w") as file:
        file.write("Survived,Name,Age,Ticket,Sex,Embarked\n")
        for i in range(60):
            age = "" if i % 9 == 4 else str(20 + i % 13)
            ticket = f"A/5 {i}" if i % 6 == 0 else str(1000 + i)
            port = "" if i == 50 else "SC"[i % 2]
            file.write(f"{int(i % 3 == 0)},\"Doe, {i}\",{age},{ticket},{'male' if i % 3 else 'female'},{port}\n")
    steps = [((), "--target"), (("--target", "Survived"), "--missing mean"),
             (("--target", "Survived", "--missing", "mean"), "--drop 'Ticket'")]
    for words, next_words in steps:
        done = sepal("train", "t.csv", *words)
        check(done.returncode == 3 and next_words in done.stderr, words, done.stderr)
    done = sepal("train", "t.csv", "--target", "Survived", "--drop", "Name,Ticket", "--missing", "mean")
    check(done.returncode == 0 and "chosen" in done.stdout, done.stderr)


def warns():
    end = facts("tune", CANCER, "-m", "standardize+logistic", "--over", "C=1e-6:1e-3:log:4", "--folds", "3")
    check([w["code"] for w in end["warnings"]] == ["grid-end"], end["warnings"])
    check("--over C=0.000032:0.032:log:4" in end["warnings"][0]["message"], end["warnings"])
    check(not facts("tune", CANCER, "-m", "standardize+poly+logistic", "--over", "degree=1:3", "--folds", "3",
                    "--choose", "best")["warnings"], "a degree below 1 there is not")
    with open("flat.csv", "w") as file:
        file.write("x,y\n" + "".join(f"1,{'ab'[i % 2]}\n" for i in range(40)))
    flat = facts("tune", "flat.csv", "-m", "logistic", "--metric", "accuracy", "--folds", "4")
    check("all-equal" in [w["code"] for w in flat["warnings"]], flat["warnings"])
    check("simplest" in flat["tuning"]["chosen"]["why"] and "C=0.0001" in flat["tuning"]["chosen"]["spec"], "simplest")
    steps = facts("tune", IRIS, "-m", "logistic", "--over", "l2=1e-7,100,1e-6,10", "--folds", "3")
    check("warm-start" not in [w["code"] for w in steps["warnings"]], steps["warnings"])
    flat = facts("compare", "flat.csv", "-m", "logistic", "-m", "logistic(C=2)", "--metric", "accuracy")
    check(flat["compare"]["pairs"][0]["p"] == 1 and flat["compare"]["pairs"][0]["difference"] == 0, flat["compare"])


def refuses():
    with open("lone.csv", "w") as file:
        file.write("x,y\n" + "".join(f"{i},{'b' if i == 3 else 'a'}\n" for i in range(20)))
    with open("group.csv", "w") as file:
        file.write("x,g,y\n" + "".join(f"{i},{i % 3},{'ab'[i % 2]}\n" for i in range(30)))
    with open("m.sepal", "w") as file:
        file.write("old")
    logistic = ("-m", "logistic")
    cases = [
        (("tune", CANCER, *logistic, "--over", "C=1,0,2"), 2, "the point C=0 cannot be fitted"),
        (("tune", "nofile", *logistic, "--over", "C=1,0"), 2, "the point C=0 cannot be fitted"),
        (("tune", "nofile", *logistic), 3, "nofile: cannot open it"),
        (("tune", CANCER, *logistic, "--metric", "acuracy"), 2, "did you mean 'accuracy'?"),
        (("tune", CANCER, "-m", "svm", "--metric", "log_loss"), 2, "--calibrate platt"),
        (("tune", WINE, *logistic, "--metric", "positive.f1"), 2, "take --metric macro.f1"),
        (("tune", WINE, *logistic, "--cutoff-for", "f1"), 2, "--cutoff-for is about two classes"),
        (("tune", CANCER, *logistic, "--cutoff-for", "roc_auc"), 2, "no such thing depends on a cutoff"),
        (("tune", CANCER, *logistic, "--cutoff-for", "f1", "--cost-fp", "2"), 2, "write --cutoff-for cost"),
        (("tune", CANCER, *logistic, "--cutoff-for", "f1", "--cutoff", "0.3"), 2, "leave --decide and --cutoff out"),
        (("tune", CANCER, "-m", "svm", "--cutoff-for", "f1"), 2, "svm has no probabilities"),
        (("tune", CANCER, *logistic, "--nested", "1"), 2, "give 2 or more"),
        (("tune", CANCER, "-m", "mean-difference"), 2, "no usual grid for 'mean-difference'"),
        (("tune", CANCER, *logistic, "--warm", "x.sepal"), 2, "leave --warm out"),
        (("tune", CANCER, *logistic, "--positive", "banana", "--metric", "positive.f1"), 2, "banana"),
        (("tune", "lone.csv", *logistic), 3, "a single row"),
        (("tune", "group.csv", *logistic, "--group", "g"), 2, "--folds"),
        (("tune", IRIS, *logistic, "--nested", "600"), 2, "--nested a number from 2 to 150"),
        (("tune", IRIS, *logistic, "--nested", "150", "--ordered"), 2, "--nested a number from 2 to 149"),
        (("tune", "group.csv", *logistic, "--group", "g", "--nested", "4", "--folds", "2"), 2, "2 to 3"),
        (("tune", CANCER, *logistic, "--C", "3", "--over", "C=1,2"), 2, "C is given twice"),
        (("tune", CANCER, *logistic, "--C", "3", "--over", "logistic.C=1,2"), 2, "C is given twice"),
        (("curve", CANCER, *logistic, "--C", "3", "--over", "C=1,2"), 2, "C is given twice"),
        (("tune", CANCER, *logistic, "--refit"), 2, "add -o model.sepal"),
        (("compare", CANCER, *logistic, "-m", "logistic()"), 2, "given twice"),
        (("compare", CANCER, *logistic, "-m", "banana"), 2, "'banana' is not"),
        (("compare", CANCER, "-m", "logistic(C=-1)", *logistic), 2, "C=-1 is outside"),
        (("compare", CANCER, *logistic, "-m", "svm", "--metric", "brier"), 2, "svm has no probabilities"),
        (("curve", CANCER), 2, "curve needs a method"),
        (("curve", CANCER, *logistic, "--over", "C=1,2", "--over", "l1=1,2"), 2, "cannot be fitted"),
        (("curve", CANCER, *logistic, "--over", "l2=1,2", "--over", "l1=1,2"), 2, "one parameter, not 2"),
        (("curve", CANCER, *logistic, "--over", "C=1,2", "--sizes", "1"), 2, "give one of them"),
        (("curve", CANCER, *logistic, "--sizes", "0.5,0.2"), 2, "must rise"),
        (("curve", CANCER, *logistic, "--sizes", "0.5,9999"), 2, "more than the"),
        (("curve", CANCER, *logistic, "--sizes", "1.5"), 2, "neither a number of rows nor a part"),
        (("curve", CANCER, *logistic, "--sizes", "1"), 0, ""),
        (("curve", CANCER, *logistic, "--sizes", "2"), 0, ""),
        (("train", CANCER, "--solver", "newton"), 2, "name one with -m"),
    ]
    before = sorted(os.listdir("."))
    for words, code, word in cases:
        done = sepal(*words, *(("-o", "m.sepal") if code and words[0] != "curve" and "--refit" not in words else ()))
        check(done.returncode == code, words, done.returncode, done.stderr)
        check(word in done.stderr and (code == 0) == bool(done.stdout), words, done.stderr)
    check(sorted(os.listdir(".")) == before and read("m.sepal") == b"old", "files", os.listdir("."))


for part in (one_point_is_cv, same_models, tables_agree, tests_are_formulas, first_method, rare_classes, few_rows, titanic, warns, refuses):
    part()
finish(200)
