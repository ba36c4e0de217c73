#!/usr/bin/env python3
"""Laws of `sepal inspect --summary` and `--bootstrap`: units rescale estimates and errors, another name of a
class flips their signs, weights count as so many rows, sparse rows, maps and threads change nothing, p keeps
its digits in the tail. Where there are no standard errors, the reason is named and no table of nonsense shown;
what cannot be resampled is refused."""
import csv
import json
import math
import os
import random
import signal
import subprocess
import time

from checks import check, finish
from seeds import test_seed

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
NONE = "logistic(penalty=none)"


def run(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True)


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def summary(path, spec, *words):
    done = run("train", path, "-m", spec, "-q", "-o", "m.sepal", *words)
    check(done.returncode == 0, path, spec, words, done.stderr)
    shown = run("inspect", "m.sepal", "--summary", "--json")
    check(shown.returncode == 0, path, spec, shown.stderr)
    return json.loads(shown.stdout)["summary"]


def page():
    return run("inspect", "m.sepal", "--summary").stdout


def near(a, b, tolerance=1e-8):
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


def same(mine, theirs, why, factors=None, sign=1):
    """Of each term: estimates and errors times a factor of its own, z and p alike."""
    check([t["name"] for t in mine["terms"]] == [t["name"] for t in theirs["terms"]], why, "names")
    for a, b in zip(mine["terms"], theirs["terms"]):
        factor = (factors or {}).get(a["name"], 1)
        for key, wanted in (("estimate", sign * factor * b["estimate"]), ("std_error", factor * b["std_error"]),
                            ("z", sign * b["z"]), ("p", b["p"])):
            check(near(a[key], wanted), why, a["name"], key, a[key], wanted)
    for key in ("null_deviance", "residual_deviance", "aic"):
        check(near(mine[key], theirs[key]), why, key)


random.seed(test_seed(31))
ROWS = []
for i in range(150):
    a, b, kind = random.gauss(0, 1), random.gauss(5, 2), random.choice("pqr")
    odds = math.exp(-0.8 * a + 0.3 * (b - 5) + 0.6 * (kind == "q"))
    ROWS.append([round(a, 3), round(b, 3), kind, "yes" if random.random() < odds / (1 + odds) else "no"])
HEADER = ["a", "b", "kind", "class"]
write("rows.csv", HEADER, ROWS)
BASE = summary("rows.csv", NONE)
check(BASE["errors"] == "wald" and len(BASE["terms"]) == 5, BASE)

# ---- laws
write("scaled.csv", HEADER, [[a * 1024, b / 4096, k, y] for a, b, k, y in ROWS])
same(summary("scaled.csv", NONE), BASE, "units", {"a": 1 / 1024, "b": 4096})
write("named.csv", HEADER, [[a, b, k, "a-yes" if y == "yes" else y] for a, b, k, y in ROWS])
same(summary("named.csv", NONE), BASE, "classes the other way", sign=-1)
write("mixed.csv", HEADER, random.sample(ROWS, len(ROWS)))
same(summary("mixed.csv", NONE), BASE, "rows in another order")
for maps in ("standardize", "minmax", "minmax | standardize"):
    same(summary("rows.csv", f"{maps} | {NONE}"), BASE, maps)
for solver in ("newton", "newton-cg"):
    same(summary("rows.csv", NONE, "--solver", solver), BASE, solver)
write("twice.csv", HEADER, [row for i, row in enumerate(ROWS) for _ in range(1 + i % 3)])
write("counted.csv", [*HEADER, "n"], [[*row, 1 + i % 3] for i, row in enumerate(ROWS)])
TWICE, COUNTED = summary("twice.csv", NONE), summary("counted.csv", NONE, "--weight", "n", "--target", "class")
same(COUNTED, TWICE, "weights are as many rows")
BARE = "logistic(penalty=none, bias=false)"
same(summary("counted.csv", BARE, "--weight", "n", "--target", "class"), summary("twice.csv", BARE), "weights without an intercept")
check(COUNTED["df_null"] == len(ROWS) - 1, "degrees of freedom count rows")
with open("rows.svm", "w") as file:
    for a, b, k, y in ROWS:
        file.write(f"{int(y == 'yes')} 1:{a} 2:{b} {'3:1' if k == 'q' else '4:1' if k == 'r' else ''}\n")
SPARSE = summary("rows.svm", NONE)
for term, name in zip(SPARSE["terms"], ["(intercept)", "a", "b", "kind=q", "kind=r"]):
    term["name"] = name
same(SPARSE, BASE, "sparse rows")

# the text columns' reference, and p in the tail
check(all(t.get("against") == ("kind=p" if t["name"].startswith("kind") else None) for t in BASE["terms"]), "against")
summary("rows.csv", NONE)
check("coded against: kind=p\n" in page(), page())
write("steep.csv", ["x", "class"], [[i % 97, "y" if (i % 97 > 48) != (i % 7 == 0) else "n"] for i in range(3000)])
STEEP = summary("steep.csv", NONE)["terms"]
check(all(near(t["p"], math.erfc(abs(t["z"]) / math.sqrt(2)), 1e-12) for t in STEEP), "tail", STEEP)
check(any(0 < t["p"] < 1e-50 for t in STEEP), "no p is small", STEEP)

# ---- same bytes at any number of threads, other resamples by another seed
models = []
for words in (["--threads", "1"], ["--threads", "2"], ["--seed", "2"]):
    done = run("train", "rows.csv", "-m", NONE, "--bootstrap", "40", "-q", "-o", "t.sepal", *words)
    check(done.returncode == 0, words, done.stderr)
    with open("t.sepal", "rb") as file:
        models.append(file.read())
check(models[0] == models[1], "threads change the model")
check(models[0] != models[2], "the seed changes nothing")

# ---- where there are no standard errors
flag = [[a, int(y == "yes" and i % 5 == 0), k, y] for i, (a, b, k, y) in enumerate(ROWS)]
write("quasi.csv", ["a", "flag", "kind", "class"], flag)
write("apart.csv", ["a", "b", "class"], [[a, b, "yes" if a + b > 5 else "no"] for a, b, k, y in ROWS])
write("few.csv", ["a", "b", "c", "class"], [[1, 2, 3, "x"], [3, 1, 4, "y"], [2, 2, 9, "x"], [1, 5, 2, "y"]])
with open("wide.svm", "w") as file:
    for _ in range(8000):
        columns = sorted(random.sample(range(1, 1002), 6))
        file.write(f"{random.randrange(2)} {' '.join(f'{j}:{random.gauss(0, 1):.3f}' for j in columns)}\n")
IRIS = os.path.join(SOURCE, "examples/data/iris.csv")
for path, spec, words, code, says in (
        ("quasi.csv", NONE, [], "quasi-separable", "each by itself: flag\n"),
        ("quasi.csv", f"standardize | {NONE}", [], "quasi-separable", "each by itself: flag\n"),
        ("quasi.csv", "logistic(penalty=none, class_weight=balanced)", [], "quasi-separable", "by itself: flag\n"),
        ("apart.csv", NONE, [], "separable", "no column does it by itself; these have the largest part in it: a, b\n"),
        ("few.csv", NONE, [], "few-rows", "not more rows than parameters"),
        ("rows.csv", "logistic", [], "penalty", "penalty=none"),
        ("rows.csv", "logistic(penalty=l1)", [], "penalty", "--bootstrap 1000"),
        ("rows.csv", "logistic(penalty=none, class_weight=balanced)", [], "class-weights", "class_weight=none"),
        ("rows.csv", 'logistic(penalty=none, bounds="a<=-2")', [], "bounds", "train without bounds and nonneg"),
        ("rows.csv", "svm(penalty=none)", [], "no-likelihood", "does not maximise the likelihood of the labels"),
        ("rows.csv", "lda", [], "no-likelihood", "--bootstrap"),
        ("rows.csv", NONE, ["--max-iter", "1"], "not-converged", "--max-iter"),
        (IRIS, NONE, ["--drop", "petal_length,petal_width,sepal_width"], "several-problems", "fitted apart"),
        ("wide.svm", NONE, [], "wide", "more than 1000 terms")):
    facts = summary(path, spec, *words)
    check(facts["errors"] is None and facts["code"] == code, path, spec, facts.get("code"), "is not", code)
    check(says in page(), path, spec, page())
    shown = [t for t in facts["terms"] if t["estimate"] is not None]
    check(bool(shown) == (code not in ("quasi-separable", "separable", "few-rows")), path, spec, "terms", len(shown))
    check(all(t["std_error"] is None and t["p"] is None and t["low"] is None for t in facts["terms"]), path, spec)
    check(facts["aic"] is None and facts["residual_deviance"] is None, path, spec, "deviance")
check(all(t["odds_ratio"] is None for t in summary("rows.csv", "svm")["terms"]), "an svm has no odds")
for spec in ("logistic", "lda"):
    check(all(t["odds_ratio"] is None for t in summary(IRIS, spec)["terms"]), spec, "odds of one of three classes")
ODDS = summary("rows.csv", "logistic")["terms"]
check(all(near(t["odds_ratio"], math.exp(t["estimate"])) for t in ODDS), "odds ratios")
check([t["name"] for t in summary("rows.csv", "logistic(bias=false)")["terms"]]
      == ["a", "b", "kind=p", "kind=q", "kind=r"], "no intercept: all categories")
write("holes.csv", HEADER, [[a, b, "?" if i % 7 == 0 else k, y] for i, (a, b, k, y) in enumerate(ROWS)])
names = [t["name"] for t in summary("holes.csv", NONE, "--missing", "indicator")["terms"]]
check(len(names) == len(set(names)) == 6, "each term once, that of missing cells too", names)
facts = summary("rows.csv", f"poly | {NONE}")
check(facts["errors"] == "wald" and "a^2" in [t["name"] for t in facts["terms"]], "mapped names")
check(any(t.get("note") and t["estimate"] is None for t in facts["terms"]), "kind=p^2 is kind=p")

# ---- the bootstrap
LOGIT = summary("rows.csv", NONE, "--bootstrap", "400")
check(LOGIT["resamples"] == 400 and LOGIT["errors"] == "wald", LOGIT["resamples"])
for term in LOGIT["terms"]:
    other = term["bootstrap"]
    check(0.6 < other["std_error"] / term["std_error"] < 1.7, "bootstrap and theory differ", term)
    check(other["low"] < term["estimate"] < other["high"], term)
    check(2 < (other["high"] - other["low"]) / other["std_error"] < 6, term)
# a column of 0 and 1 and many rows: both are near the truth; without the counts it would be 0.76 of that
write("bits.csv", ["x", "class"], [[i % 2, "yes" if random.random() < 0.4 + 0.2 * (i % 2) else "no"] for i in range(2000)])
for term in summary("bits.csv", NONE, "--bootstrap", "1000")["terms"]:
    check(0.88 < term["bootstrap"]["std_error"] / term["std_error"] < 1.13, "bootstrap of many rows", term)
# of two resamples, x apart: a deviation of x / sqrt 2, and percentiles 2.5 and 97.5 on the line between them
for term in summary("rows.csv", "logistic", "--bootstrap", "2")["terms"]:
    check(near(term["high"] - term["low"], 0.95 * math.sqrt(2) * term["std_error"]), "two resamples", term)
PENALISED = summary("rows.csv", "standardize | logistic", "--bootstrap", "300")
check(PENALISED["errors"] == "bootstrap" and PENALISED["code"] == "penalty", PENALISED["errors"])
check(all(t["std_error"] > 0 and t["p"] is None and t["low"] < t["high"] for t in PENALISED["terms"]), "penalised")
check("--bootstrap" not in PENALISED["reason"], "advice that was followed")
for spec in ("svm", "lda", "least-squares", "perceptron(variant=averaged, epochs=5)", "mean-difference"):
    facts = summary("rows.csv", spec, "--bootstrap", "30")
    check(facts["errors"] == "bootstrap" and all(t["std_error"] > 0 for t in facts["terms"]), spec, facts["terms"])
facts = summary(IRIS, "logistic", "--bootstrap", "20")
check(len(facts["terms"]) == 15 and {t["function"] for t in facts["terms"]} == {0, 1, 2}, "three functions")
# a category of one row is missing in a third of the resamples
rare = [[*row[:2], "z" if i == 7 else row[2], row[3]] for i, row in enumerate(ROWS)]
write("rare.csv", HEADER, rare)
terms = {t["name"]: t for t in summary("rare.csv", "logistic", "--bootstrap", "200")["terms"]}
check(terms["a"]["resamples"] == 200 and 90 < terms["kind=z"]["resamples"] < 165, terms["kind=z"])
first = [[*row[:2], "0" if i == 7 else row[2], row[3]] for i, row in enumerate(ROWS)]
write("first.csv", HEADER, first)
terms = {t["name"]: t for t in summary("first.csv", "logistic", "--bootstrap", "200")["terms"]}
check(90 < terms["kind=q"]["resamples"] < 165, "against a category that some resamples lack", terms["kind=q"])
# the intercept is that of rows of the first category: of the resamples that have it, as those against it. Of
# two categories none is left beside the first; without an intercept the first text column has it in its place
OTHERS = {"first.csv": ("kind=q", "(intercept)"), "two.csv": ("kind=q", "(intercept)"), "lasting.csv": ("kind=q", "more=a")}
write("two.csv", HEADER, [[*row[:2], "0" if i == 7 else "q", row[3]] for i, row in enumerate(ROWS)])
write("lasting.csv", ["a", "more", "kind", "class"], [[row[0], "ab"[i % 2], "0" if i == 7 else "q", row[3]] for i, row in enumerate(ROWS)])
for path, (against, rest) in OTHERS.items():
    spec = "logistic(bias=false)" if rest != "(intercept)" else "logistic"
    terms = {t["name"]: t for t in summary(path, spec, "--bootstrap", "200")["terms"]}
    check(90 < terms[against]["resamples"] == terms[rest]["resamples"] < 165, path, terms[rest])
    check(terms["a"]["resamples"] == 200, path, terms["a"])
# resamples that lack a class, or are separated, have no estimates
write("lone.csv", ["a", "class"], [[i % 10, "x" if i in (3, 14) else "y"] for i in range(30)])
facts = summary("lone.csv", "logistic", "--bootstrap", "200")
check(5 < facts["failed"] < 60, "failed", facts["failed"])
done = run("train", "lone.csv", "-m", "logistic", "--bootstrap", "200", "--json")
told = json.loads(done.stdout)
check(told["bootstrap"] == {"resamples": 200, "failed": facts["failed"]}, told["bootstrap"])
check([w["code"] for w in told["warnings"]] == ["bootstrap-failed"], told["warnings"])
done = run("train", "rows.csv", "-m", "logistic", "--bootstrap", "10", "--json")
check([w["code"] for w in json.loads(done.stdout)["warnings"]] == ["bootstrap-few"], done.stdout)

# an end by the clock or by Ctrl-C leaves the model, without a bootstrap
ENDLESS = ["train", "rows.csv", "-m", NONE, "--bootstrap", "1000000", "-o", "stopped.sepal"]


def stopped(code, errors, wanted):
    check(code == wanted, "stopped", code, errors)
    check("the model keeps no bootstrap" in errors, "stopped", errors)
    facts = json.loads(run("inspect", "stopped.sepal", "--summary", "--json").stdout)["summary"]
    check(facts["errors"] == "wald" and "resamples" not in facts, "stopped", facts)
    os.remove("stopped.sepal")


done = run(*ENDLESS, "--max-seconds", "0.5")
stopped(done.returncode, done.stderr, 0)
process = subprocess.Popen([SEPAL, *ENDLESS], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
used = 0
while used < 50:  # ticks, of which a fit takes one
    time.sleep(0.01)
    with open(f"/proc/{process.pid}/stat") as file:
        used = int(file.read().rsplit(")", 1)[1].split()[11])
process.send_signal(signal.SIGINT)
errors = process.communicate()[1]
stopped(process.returncode, errors, 130)

# ---- bad input
for words, says in ((["-m", "logistic", "--bootstrap", "1"], "no standard deviation"),
                    (["-m", "logistic", "--bootstrap", "-5"], "bootstrap"),
                    (["-m", "logistic", "--bootstrap", "2.5"], "bootstrap"),
                    (["-m", "logistic", "--bootstrap", "1e7"], "bootstrap"),
                    (["-m", "logistic(bootstrap=5)"], "--bootstrap"),
                    (["-m", "rbf(centres=3) | logistic", "--bootstrap", "20"], "leave --bootstrap out"),
                    (["-m", "gaussian(shrinkage=0.5)", "--bootstrap", "20"], "no coefficients to resample")):
    done = run("train", "rows.csv", *words, "-o", "bad.sepal")
    check(done.returncode == 2 and says in done.stderr, words, done.returncode, done.stderr)
    check(not os.path.exists("bad.sepal"), words, "something was written")
check(run("inspect", "m.sepal", "--summary", "yes").returncode == 2, "--summary takes no value")
check(run("inspect", "rows.csv", "--summary").returncode == 4, "no model")
finish(250)
