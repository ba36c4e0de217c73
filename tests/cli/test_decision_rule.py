#!/usr/bin/env python3
"""--decide, --cutoff and --ambiguous given to train are kept in the model: predict and evaluate decide as
the plain model does when it is told so, the training accuracy of the report is that of evaluate on the
same rows, inspect and the reports name the rule, and whoever says otherwise is obeyed."""
import json
import os
import subprocess

from checks import check, finish

SEPAL = os.environ["SEPAL"]
DATA = os.path.join(os.environ["SEPAL_SOURCE"], "examples", "data")
changed = 0


def run(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True)


def facts(*words):
    done = run(*words, "--json")
    check(done.returncode == 0, f"{words}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


CASES = [  # data, method, rule, as the reports say it
    ("breast_cancer", "standardize+logistic", ["--cutoff", "0.2"], ["hard", 0.2, "confidence"]),
    ("breast_cancer", "naive-bayes(kind=gaussian)", ["--cutoff", "0"], ["hard", 0, "confidence"]),
    ("breast_cancer", "lda", ["--cutoff", "-0"], ["hard", 0, "confidence"]),
    ("breast_cancer", "lda", ["--decide", "reject", "--cutoff", "0.99"],
     ["reject", 0.99, "confidence"]),
    ("wine", "gaussian", ["--decide", "reject"], ["reject", 0.5, "confidence"]),
    ("iris", "poly(degree=2)+logistic", ["--decide", "soft"], ["soft", None, "confidence"]),
    ("iris", "lda+ovr", ["--ambiguous", "undecided"], ["hard", None, "undecided"]),
    ("iris", "perceptron+ovo", ["--ambiguous", "undecided"], ["hard", None, "undecided"]),
    ("wine", "gaussian+ovr", ["--decide", "reject", "--cutoff", "0.8", "--ambiguous", "undecided"],
     ["reject", 0.8, "undecided"]),
]


def keeps(data, method, rule, told):
    name = f"{data} {method} {' '.join(rule)}"
    rows = os.path.join(DATA, data + ".csv")
    train = facts("train", rows, "-m", method, "-o", "own.sepal", "--test", rows, *rule)
    plain = facts("train", rows, "-m", method, "-o", "plain.sepal")
    decision = dict(zip(("decide", "cutoff", "ambiguous"), told))
    own = facts("evaluate", "own.sepal", rows)
    asked = facts("evaluate", "plain.sepal", rows, *rule)
    check(own == asked, f"{name}: evaluate differs")
    check("decision" not in plain and "decision" not in facts("inspect", "plain.sepal"),
          f"{name}: the plain rule is told")
    for report in (train, train["test"], own, facts("inspect", "own.sepal")):
        check(report.get("decision") == decision, f"{name}: {report.get('decision')}")
    check(train["train"]["accuracy"] == own["accuracy"] == train["test"]["accuracy"],
          f"{name}: accuracies {train['train']} {own['accuracy']} {train['test']['accuracy']}")
    global changed
    changed += own["accuracy"] != plain["train"]["accuracy"]
    first, second = run("predict", "own.sepal", rows), run("predict", "plain.sepal", rows, *rule)
    check(first.stdout == second.stdout and first.stderr == second.stderr, f"{name}: predict")
    # told otherwise
    back = ["--decide", "hard", "--ambiguous", "confidence"]
    check(facts("evaluate", "own.sepal", rows, *back) == facts("evaluate", "plain.sepal", rows),
          f"{name}: told otherwise")
    check(run("predict", "own.sepal", rows, *back).stdout == run("predict", "plain.sepal", rows).stdout,
          f"{name}: predict, told otherwise")
    for words in (["inspect", "own.sepal"], ["evaluate", "own.sepal", rows]):
        check("\ndecision " in run(*words).stdout, f"{name}: {words[0]} does not say it")


def other_cutoffs():
    """A cutoff alone changes the cutoff, not what it is for."""
    rows = os.path.join(DATA, "breast_cancer.csv")
    facts("train", rows, "-m", "lda", "-o", "reject.sepal", "--decide", "reject", "--cutoff", "0.9")
    facts("train", rows, "-m", "lda", "-o", "soft.sepal", "--decide", "soft")
    facts("train", rows, "-m", "lda", "-o", "plain.sepal", "--decide", "hard")
    check(facts("evaluate", "reject.sepal", rows, "--cutoff", "0.99") ==
          facts("evaluate", "plain.sepal", rows, "--decide", "reject", "--cutoff", "0.99"), "cutoff")
    done = run("evaluate", "soft.sepal", rows, "--cutoff", "0.3")
    check(done.returncode == 2 and "--decide hard" in done.stderr, done.stderr)
    facts("train", rows, "-m", "lda", "-o", "again.sepal")
    with open("plain.sepal", "rb") as one, open("again.sepal", "rb") as other:
        check(one.read() == other.read(), "a rule that is the plain one is kept")


def refused():
    """What the model cannot do is said before the fit, and nothing is saved."""
    iris = os.path.join(DATA, "iris.csv")
    for method, rule, code in (("svm", ["--cutoff", "0.2"], 4), ("logistic", ["--cutoff", "0.2"], 2),
                               ("lda+ovo", ["--decide", "soft"], 4),
                               ("lda", ["--decide", "soft", "--cutoff", "0.5"], 2),
                               ("lda", ["--cutoff", "2"], 2), ("lda", ["--decide", "maybe"], 2)):
        done = run("train", iris, "-m", method, "-o", "none.sepal", *rule)
        check(done.returncode == code and done.stderr.count("\n") == 1,
              f"{method} {rule}: exit {done.returncode}: {done.stderr}")
        check(not os.path.exists("none.sepal"), f"{method} {rule}: saved")


for case in CASES:
    keeps(*case)
check(changed >= 6, f"only {changed} of the rules change anything")
other_cutoffs()
refused()
finish()
