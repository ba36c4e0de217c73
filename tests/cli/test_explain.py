#!/usr/bin/env python3
"""`sepal explain`: of every learner, strategy and map what it prints adds up, by Python's math.fsum, to the
score that `predict --scores` prints, whatever is shown; a text column is one feature, with the weights that
`inspect` has for its categories; missing values, categories never seen, label sets, standard input; the table
for people adds up as it is printed."""
import csv
import io
import json
import math
import os
import random
import re
import subprocess

from checks import check, finish
from seeds import test_seed

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
DATA = os.path.join(SOURCE, "examples/data")
draw = random.Random(test_seed(12))


def run(*words, stdin=None, code=0):
    done = subprocess.run([SEPAL, *words], input=stdin, capture_output=True, text=True)
    check(done.returncode == code, " ".join(words), f"exit {done.returncode}", done.stdout[:300], done.stderr)
    return done.stdout if code == 0 else done.stdout + done.stderr


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def adds_up(numbers, score):
    return math.fsum(numbers) == score


# ---- one model: CSV, JSON, --top and text --------------------------------------------------------------

def columns_of(row):
    names = list(row)
    return names[names.index("baseline"):]


def score_of(printed, row, turned, pairs):
    """What predict --scores has for the function that was explained; None: votes."""
    if "score" in printed:
        return float(printed["score"]) * (-1 if turned else 1)
    return None if pairs else float(printed[row["class"]])


def check_csv(what, model, data, *options):
    scores = table(run("predict", model, data, "--scores"))
    rows = table(run("explain", model, data, "--csv", *options))
    turned = "--class" in options and options[options.index("--class") + 1] in ("benign", "no")
    check(len(rows) == len(scores), what, "as many rows")
    for row, printed in zip(rows, scores):
        if row["score"] == "":
            check(printed["label"] == "?" and all(row[c] == "" for c in columns_of(row)), what, "an empty row")
            continue
        score = float(row["score"])
        check(row["label"] == printed["label"], what, "label")
        check(adds_up([float(row[c]) for c in columns_of(row)], score), what, row["row"], "adds up")
        same = score_of(printed, row, turned, "against" in row)
        check(same is None or score == same, what, row["row"], f"{score} is not {same}")
    return rows


def check_json(what, model, data, *options):
    facts = json.loads(run("explain", model, data, "--json", *options))
    for row in facts["rows"]:
        if row["score"] is None:
            continue
        parts = [row["baseline"], row["rounding"], row.get("others", {}).get("contribution", 0)]
        parts += [one["contribution"] for one in row["contributions"]]
        check(adds_up(parts, row["score"]), what, options, row["row"], "JSON adds up")
        sizes = [abs(one["contribution"]) for one in row["contributions"]]
        check(sizes == sorted(sizes, reverse=True) and 0 not in sizes, what, "largest first")
    return facts


def check_text(what, model, data, *options):
    """Every table's lines, as printed, add up to its last: in units of the last digit, exactly."""
    text = run("explain", model, data, *options)
    tables, total = 0, 0
    for line in text.splitlines():
        found = re.match(r"  (.*?)  +([+-]\d+(?:\.(\d+))?)(?:  [+-]*)?$", line)
        if line.startswith("row"):
            total = 0
        elif found:
            units = int(found[2].replace(".", ""))
            if found[1].strip() == "score":
                check(units == total, what, f"{units} is not {total} in\n{text}")
                tables += 1
            total += units
    check(tables > 0, what, "there are tables")
    return text


def every_form(what, model, data, first):
    check_csv(what, model, data)
    check_csv(what, model, data, "--top", "2")
    check_csv(what, model, data, "--class", first)
    facts = check_json(what, model, data)
    check_json(what, model, data, "--top", "1")
    check_text(what, model, data, "--top", "3", "--rows", "1-20")
    return facts


# ---- learners, strategies, maps ------------------------------------------------------------------------

SPECS = [
    "logistic", "standardize | logistic(l1=0.01)", "minmax | svm", "svm(loss=hinge) | ovo",
    "standardize | softmax", "svm(loss=crammer_singer)", "least-squares", "mean-difference | ovr-1", "lda",
    "fisher | ovo", "perceptron", "perceptron(variant=averaged) | ovr", "gaussian", "gaussian(covariance=diagonal) | ovo",
    "gaussian(covariance=spherical)", "gaussian(covariance=shared)", "gaussian(estimate=unbiased) | ovr",
    "naive-bayes", "naive-bayes(kind=bernoulli)", "naive-bayes(kind=gaussian)", "naive-bayes(kind=complement)",
    "poly(degree=2) | standardize | logistic", "rbf(centres=6) | lda", "fourier(features=9) | softmax",
    "hash(bits=3) | logistic | ovo", "sigmoid(centres=4) | logistic | ovr-1",
]
for name, first in (("iris", "setosa"), ("breast_cancer", "benign")):
    with open(os.path.join(DATA, f"{name}.csv")) as file:
        head, *lines = file.read().splitlines()
    with open("some.csv", "w") as file:
        file.write("\n".join([head, *draw.sample(lines, 25)]) + "\n")
    for spec in SPECS:
        if name == "breast_cancer" and spec != "lda" and draw.random() < 0.7:
            continue # the wider set for some of them
        done = subprocess.run([SEPAL, "train", f"{DATA}/{name}.csv", "-m", spec, "-o", "m.sepal", "-q",
                               "--max-iter", "50"], capture_output=True, text=True)
        if done.returncode == 2 and "strateg" in done.stderr:
            continue
        check(done.returncode == 0, name, spec, done.stderr)
        every_form(f"{name}, {spec}", "m.sepal", "some.csv", first)
        if spec == "logistic":
            for method in ("platt", "isotonic", "temperature"):
                run("train", f"{DATA}/{name}.csv", "-m", spec, "--calibrate", method, "-o", "c.sepal", "-q")
                every_form(f"{name}, {method}", "c.sepal", "some.csv", first)
        if spec == "lda" and name == "iris":
            names = json.loads(run("inspect", "m.sepal", "--json"))["classes"]
            priors = ",".join(f"{k}:{1 / len(names)}" for k in names[1:]) + f",{names[0]}:{1 - (len(names) - 1) / len(names)}"
            changed = table(run("predict", "m.sepal", "some.csv", "--scores", "--priors", priors))
            for row, own in zip(table(run("explain", "m.sepal", "some.csv", "--csv", "--priors", priors)), changed):
                check(adds_up([float(row[c]) for c in columns_of(row)], float(row["score"])), "priors add up")
                check(score_of(own, row, False, False) == float(row["score"]), "priors change the score")

# ---- SHAP's identity: of a standardised model w_j (x_j - mean_j), in the user's units --------------------

with open(f"{DATA}/breast_cancer.csv") as file:
    cancer = list(csv.DictReader(file))
run("train", f"{DATA}/breast_cancer.csv", "-m", "standardize | logistic", "-o", "m.sepal", "-q")
facts = json.loads(run("inspect", "m.sepal", "--json"))
means = {f: math.fsum(float(row[f]) for row in cancer) / len(cancer) for f in facts["features"]}
rows = check_csv("identity", "m.sepal", f"{DATA}/breast_cancer.csv")
check(len({row["baseline"] for row in rows}) == 1, "one baseline")
base = facts["bias"][0] + math.fsum(w * means[f] for f, w in zip(facts["features"], facts["weights"][0]))
check(abs(base - float(rows[0]["baseline"])) < 1e-9, "the baseline is the score at the mean")
for row, x in zip(rows, cancer):
    for feature, weight in zip(facts["features"], facts["weights"][0]):
        expected = weight * (float(x[feature]) - means[feature])
        check(abs(expected - float(row[feature])) < 1e-9 * max(1, abs(expected)), "w (x - mean)", feature)
check('"exit": 3' in run("explain", "m.sepal", f"{DATA}/iris.csv", "--json", code=3), "other data")

# ---- text columns, missing values, categories never seen ------------------------------------------------

with open("t.csv", "w") as file:
    file.write('size,"col,our",class\n')
    for i in range(60):
        size = "" if i % 11 == 3 else f"{draw.uniform(0, 9):.3f}"
        file.write(f"{size},{draw.choice(['red', 'green', 'blue'])},{'yes' if i % 3 else 'no'}\n")
run("train", "t.csv", "-m", "logistic", "--missing", "indicator", "-o", "t.sepal", "-q")
rows = every_form("text columns", "t.sepal", "t.csv", "no")["rows"]
check({one["feature"] for row in rows for one in row["contributions"]} == {"size", "col,our"}, "one feature each")
check(all(one["value"] in ("red", "green", "blue") for row in rows for one in row["contributions"]
          if one["feature"] == "col,our"), "the category is shown")
check(any(one["value"] is None for row in rows for one in row["contributions"]), "a missing value is null")
facts = json.loads(run("inspect", "t.sepal", "--json"))
weight = dict(zip(facts["features"], facts["weights"][0]))
colour = {}
for row in rows:
    own = {one["feature"]: one for one in row["contributions"]}["col,our"]
    colour[own["value"]] = own["contribution"]
for one in colour:
    for other in colour:
        difference = weight[f"col,our={one}"] - weight[f"col,our={other}"]
        check(abs(colour[one] - colour[other] - difference) < 1e-12, "weights of categories", one, other)
new = 'size,"col,our"\n1,violet\n,red\n'
lines = table(run("explain", "t.sepal", "-", "--unknown", "zero", "--csv", stdin=new))
check(len(lines) == 2 and lines[0]["score"] != "", "a new category has a row")
check("(unknown)" in run("explain", "t.sepal", "-", "--unknown", "zero", stdin=new), "and is called unknown")
check("violet" in run("explain", "t.sepal", "-", stdin=new, code=3), "or is refused")
run("train", "t.csv", "-m", "logistic", "--missing", "drop", "-o", "d.sepal", "-q")
check_csv("dropped rows", "d.sepal", "t.csv")
dropped = check_json("dropped rows", "d.sepal", "t.csv")["rows"]
check([row["row"] for row in dropped if row["score"] is None] == [i + 1 for i in range(60) if i % 11 == 3], "which")
check("is missing" in run("explain", "d.sepal", "t.csv"), "said to people")
kept = table(run("explain", "d.sepal", "t.csv", "--csv", "--keep", "class"))
check([row["class"] for row in kept][-1] in ("yes", "no"), "--keep")

# ---- label sets, sparse rows, an odd choice of rows ------------------------------------------------------

with open("sets.svm", "w") as file:
    for i in range(50):
        labels = sorted({str(k) for k in (1, 2, 3) if draw.random() < 0.5})
        file.write(f"{','.join(labels)} " + " ".join(f"{j}:{draw.random():.3f}" for j in (1, 3, 9) if draw.random() < 0.7) + "\n")
run("train", "sets.svm", "-m", "multilabel", "-o", "s.sepal", "-q")
for row in check_json("label sets", "s.sepal", "sets.svm")["rows"]:
    check(isinstance(row["label"], list) and row["class"] in ("1", "2", "3"), "a set, and one of its labels")
check_csv("label sets", "s.sepal", "sets.svm", "--class", "2")
check_text("label sets", "s.sepal", "sets.svm")
whole = table(run("explain", "t.sepal", "t.csv", "--csv"))
some = table(run("explain", "t.sepal", "t.csv", "--csv", "--rows", "7,3-5,4,60"))
check(some == [row for row in whole if int(row["row"]) in (3, 4, 5, 7, 60)], "--rows")
for words, code in (("0", 2), ("3-", 2), ("5-3", 2), ("x", 2), ("1,", 2), ("", 2), ("99999999999999999999", 3), ("61", 3)):
    run("explain", "t.sepal", "t.csv", "--rows", words, code=code)
run("explain", "t.sepal", "t.csv", "--class", "perhaps", code=2)
run("explain", "t.sepal", "t.csv", "--csv", "--json", code=2)
run("explain", "t.csv", "t.sepal", code=4)
run("explain", "t.sepal", code=2)
run("explain", "t.sepal", "-", stdin='size,"col,our"\n', code=3)
finish(least=9000)
