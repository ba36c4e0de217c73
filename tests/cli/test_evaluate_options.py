#!/usr/bin/env python3
"""What evaluate can be asked for: files of costs that are none, options out of range and of other models are
refused with their place; curves and intervals of odd data, of label sets, and by any number of threads."""
import json
import os
import subprocess

from checks import check, finish

SEPAL = os.environ["SEPAL"]
DATA = os.path.join(os.environ["SEPAL_SOURCE"], "examples", "data")
CANCER, IRIS = (os.path.join(DATA, name) for name in ("breast_cancer.csv", "iris.csv"))


def run(*words, **more):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True, **more)


def facts(*words, **more):
    done = run(*words, "--json", **more)
    check(done.returncode == 0, f"{words}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def refused(code, words, *parts, **more):
    done = run(*words, **more)
    check(done.returncode == code, f"{words}: exit {done.returncode}, not {code}: {done.stderr}")
    check(done.stdout == "", f"{words}: printed {done.stdout[:80]}")
    for part in parts:
        check(part in done.stderr, f"{words}: no {part!r} in: {done.stderr}")


def cost(text):
    with open("cost.csv", "wb") as file:
        file.write(text)


def costs():
    run("train", CANCER, "-m", "standardize+logistic", "-o", "two.sepal", "-q")
    evaluate = ("evaluate", "two.sepal", CANCER, "--cost", "cost.csv")
    for text, *parts in [
            (b"", "cost.csv:1:", "is empty"),
            (b"\n\n", "cost.csv:1:", "is empty"),
            (b"0,1\n", "cost.csv:1:", "write 2 x 2 costs"),
            (b"0,1\n1\n", "cost.csv:2:", "1 in this one"),
            (b"0,1,2\n1,0,2\n2,2,0\n", "cost.csv:", "2 classes, 'benign' ... 'malignant'"),
            (b"a,b,c\n", "cost.csv:1:", "0 lines"),
            (b"0,1,2\n1,0,2\n", "cost.csv:1:", "write 2 x 2 costs"),
            (b"benign,malignant\n0,1,2\n1,0,2\n", "cost.csv:2:", "write 2 x 2 costs"),
            (b",benign\nbenign,0\n", "cost.csv:2:", "1 line of costs", "write 2 x 2 costs"),
            (b",malignant,benign\nbenign,1,0\n", "cost.csv:2:", "1 line of costs", "write 2 x 2 costs"),
            (b"0,1\n1,nan\n", "cost.csv:2:3: 'nan' is no cost"),
            (b"0,1\n1,inf\n", "cost.csv:2:3: 'inf' is no cost"),
            (b"0,1e999\n1,0\n", "cost.csv:1:3: '1e999' is no cost"),
            (b"0,1e101\n1,0\n", "cost.csv:1:3: '1e101' is no cost"),
            (b"0,x\n1,0\n", "cost.csv:1:", ""),
            (b"benign,benign\n0,1\n1,0\n", "cost.csv:1:8: 'benign' stands twice"),
            (b"benign,good\n0,1\n1,0\n", "'good' is not a class of the model; its classes are 'benign', 'malignant'"),
            (b"benign,0,1\nbad,1,0\n", "cost.csv:2:1: 'bad' is not a class"),
            (b",benign,malignant\nbenign,0,1\nbenign,1,0\n", "cost.csv:3:1: 'benign' stands twice"),
            (b"benign,malignant,?\n0,1\n1,0\n", "cost.csv:"),
            (b"benign,?,?\n0,1,1\n1,0,1\n", "cost.csv:"),
            (b"0;\"1\n1;0\n", "cost.csv:1:"),
            (b"\x00\x01\x02", "cost.csv:1:")]:
        cost(text)
        refused(3, evaluate, *parts)
    refused(3, ("evaluate", "two.sepal", CANCER, "--cost", "no-such-file.csv"), "no-such-file.csv")
    # the same matrix, however it is written
    found = []
    for text in (b"0,1\n10,0\n", b"\xef\xbb\xbfbenign;malignant\r\n0;1\r\n10;0\r\n", b"malignant 0 10\nbenign 1 0\n",
                 b"malignant\tbenign\n0\t10\n1\t0\n", b'"",malignant,benign\nbenign,1,0\n\nmalignant,0,10',
                 b"| malignant | benign |\n".replace(b"|", b"", 1).replace(b" |\n", b"\n") + b"0|10\n1|0\n"):
        cost(text)
        found.append(facts(*evaluate)["cost"])
    check(all(one == found[0] for one in found), "the matrix depends on how it is written", found)
    check(found[0]["matrix"] == [[0, 1], [10, 0]] and abs(found[0]["cutoff"] - 1 / 11) < 1e-15, found[0])
    there = facts(*evaluate, "--cutoff", str(found[0]["cutoff"]))
    check(there["cost"]["expected"] == found[0]["least"]["expected"], "the cutoff does not cost the least")
    piped = facts("evaluate", "two.sepal", CANCER, "--cost", "-", input="0,1\n10,0\n")
    check(piped["cost"] == found[0], "costs from standard input")
    refused(2, ("evaluate", "two.sepal", "-", "--cost", "-"), "standard input", input="")


def options():
    for words, part in [(("--bootstrap", "3"), "--bootstrap 1000"), (("--bootstrap", "x"), "whole number"),
                        (("--confidence", "1"), "(0, 1)"), (("--confidence", "95"), "(0, 1)"),
                        (("--bins", "0"), "[1, 1000]"), (("--top-k", "1.5"), "whole number"),
                        (("--positive", "nobody"), "'nobody' is not a class"),
                        (("--curve",), "--curves"), (("--curves", "--curves=no"), "twice")]:
        refused(2, ("evaluate", "two.sepal", CANCER, *words), part)
    plain = facts("evaluate", "two.sepal", CANCER)
    check(plain == facts("evaluate", "two.sepal", CANCER, "--curves", "no", "--top_k=0"), "--curves no")
    each = [run("evaluate", "two.sepal", CANCER, "--curves", "--bootstrap", "50", "--threads", str(n), *seed).stdout
            for n in (1, 2, 5) for seed in ((), ("--seed", "1"), ("--seed", "2"))]
    check(len(set(each)) == 2, "reports depend on the threads, or not on the seed")
    more = facts("evaluate", "two.sepal", CANCER, "--bootstrap", "50")["intervals"]
    check(all(name in more for name in ("mcc", "kappa", "balanced_accuracy", "pr_auc", "ece", "macro", "f1")), more)


def odd_data():
    with open("same.csv", "w") as file:
        file.write("a,class\n" + "1,x\n2,y\n1.5,x\n1.4,y\n" * 5)
    run("train", "same.csv", "-m", "lda", "-o", "same.sepal", "-q")
    for text, auc, roc in [("a,class\n1,x\n1,y\n1,y\n", 0.5, [[0, 0], [1, 1]]), ("a,class\n1,x\n2,x\n", None, []),
                           ("a,class\n1,y\n2,y\n", None, []), ("a,class\n1,z\n2,y\n", 0.5 + 0.5, None)]:
        report = facts("evaluate", "same.sepal", "-", "--curves", "--bootstrap", "20", input=text)
        curve = report["curves"]["roc"][0]
        check(report["roc_auc"] == auc and curve["auc"] == auc, text, report["roc_auc"])
        check(("roc_auc" in report["undefined"]) == (auc is None), text, report["undefined"])
        check(roc is None or [point[:2] for point in curve["points"]] == roc, text, curve)
    cost(b"0,1\n1,0\n")
    report = facts("evaluate", "same.sepal", "-", "--cost", "cost.csv", input="a,class\n1,z\n2,y\n")
    check(report["cost"]["expected"] is None and "cost" in report["undefined"], "unseen labels have a cost")
    check(any(one["code"] == "cost-unknown" for one in report["warnings"]), report["warnings"])
    done = run("evaluate", "same.sepal", "-", "--cost", "cost.csv", input="a,class\n1,z\n2,y\n")
    check("cost        n/a" in done.stdout and done.returncode == 0, done.stdout)
    run("train", IRIS, "-m", "perceptron(variant=pocket)", "-o", "scores.sepal", "-q")
    report = facts("evaluate", "scores.sepal", IRIS, "--curves", "--top-k", "1")
    check(report["curves"]["calibration"] is None and report["curves"]["coverage"] is None, "no probabilities")
    check(len(report["curves"]["roc"]) == 3 and report["top_k"]["accuracy"] == report["accuracy"], "scores")


def label_sets():
    with open("sets.csv", "w") as file:
        file.write("a,b,p,q\n")
        for i in range(40):
            file.write(f"{i % 7},{i % 5},{int(i % 7 > 3)},{int(i % 5 > 2)}\n")
    run("train", "sets.csv", "--target", "p,q", "-m", "multilabel", "-o", "sets.sepal", "-q")
    evaluate = ("evaluate", "sets.sepal", "sets.csv", "--target", "p,q")
    cost(b"0,1\n1,0\n")
    for words in (("--cost", "cost.csv"), ("--top-k", "1"), ("--bootstrap", "20")):
        refused(2, (*evaluate, *words), words[0], "gives sets of labels")
    report = facts(*evaluate, "--curves")
    check([one["label"] for one in report["curves"]["roc"]] == ["p", "q"], report["curves"])
    check(report["curves"]["coverage"] is None and len(report["curves"]["calibration"]) == 2, "curves of sets")
    low, high = report["intervals"]["accuracy"]
    check(low <= report["accuracy"] <= high, report["intervals"])
    check("curves" in run(*evaluate, "--curves").stdout, "the page of label sets")


def words_for_odd_rows():
    """A class without rows, and rows that no score tells apart."""
    run("train", IRIS, "-m", "lda", "-o", "iris.sepal", "-q")
    with open(IRIS) as source, open("two.csv", "w") as part, open("one.csv", "w") as single:
        for line in source:
            if "virginica" not in line:
                part.write(line)
            if "setosa" not in line and "versicolor" not in line:
                single.write(line)
    for name, words in (("two.csv", "class 'virginica' has no row here"),
                        ("one.csv", "2 of the 3 classes have no row here, the first is 'setosa'")):
        done = run("evaluate", "iris.sepal", name)
        check(done.returncode == 0 and words in done.stderr and "n/a" in done.stderr, done.stderr)
    check("no row here" not in run("evaluate", "iris.sepal", IRIS).stderr, "all classes are there")
    with open("same.csv", "w") as file:
        file.write("a,b,class\n" + "1,1,x\n1,1,y\n" * 5)
    run("train", "same.csv", "-m", "logistic", "-o", "same.sepal", "-q")
    done = run("evaluate", "same.sepal", "same.csv")
    check(done.returncode == 0 and "all rows have the same score" in done.stderr, done.stderr)
    check("the same score" not in run("evaluate", "iris.sepal", IRIS).stderr, "scores differ")
    done = run("cv", IRIS, "-m", "lda", "--ordered", "--folds", "2", "--fold-file", "nofile")
    check("no row here" not in done.stderr, "folds have words of their own")


costs()
options()
words_for_odd_rows()
odd_data()
label_sets()
finish(100)
