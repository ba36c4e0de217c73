#!/usr/bin/env python3
"""Laws of `sepal inspect --summary` of softmax: two classes give the table of logistic; of more, the errors
are those of a Hessian by differences, and the class that others are told against changes no difference; units
rescale, weights count as so many rows, sparse rows, maps and threads change nothing. Where there are no
standard errors, the reason is named."""
import csv
import json
import math
import os
import random
import subprocess

from checks import check, finish
from seeds import test_seed

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
NONE = "softmax(penalty=none)"
KEYS = ("estimate", "std_error", "z", "p", "odds_ratio", "low", "high")


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


def near(a, b, tolerance=1e-8, size=0):
    return abs(a - b) <= tolerance * max(abs(a), abs(b), size)


def cells(facts):
    return {(t.get("class"), t["name"]): t for t in facts["terms"]}


def same(mine, theirs, why, factors=None, names=None):
    mine, theirs, given = cells(mine), cells(theirs), mine
    check(len(mine) == len(theirs), why, len(mine), len(theirs))
    for (label, name), b in theirs.items():
        a = mine[(names or {}).get(label, label), name]
        factor = (factors or {}).get(name, 1)
        error = factor * b["std_error"]
        for key, wanted, size in (("estimate", factor * b["estimate"], error), ("std_error", error, 0),
                                  ("z", b["z"], 1), ("p", b["p"], 1e-3)):
            check(near(a[key], wanted, 1e-7, size), why, label, name, key, a[key], wanted)
    return given


random.seed(test_seed(37))
ROWS = []
for i in range(240):
    a, b, kind = random.gauss(0, 1), random.gauss(5, 2), random.choice("pqr")
    odds = [math.exp(-0.5), math.exp(0.6 * a), math.exp(-0.4 * a + 0.2 * (b - 5) + 0.7 * (kind == "q"))]
    ROWS.append([round(a, 3), round(b, 3), kind, random.choices(["low", "mid", "top"], odds)[0]])
HEADER = ["a", "b", "kind", "class"]
write("rows.csv", HEADER, ROWS)
BASE = summary("rows.csv", NONE)
check(BASE["errors"] == "wald", BASE)
check([(t["class"], t["name"], t["reference"]) for t in BASE["terms"]]
      == [(k, t, "low") for k in ("mid", "top") for t in ("(intercept)", "a", "b", "kind=q", "kind=r")], "terms")
check(BASE["df_null"] == 238 and BASE["df_residual"] == 230, "degrees of freedom", BASE)
check(near(BASE["aic"], BASE["residual_deviance"] + 20), "AIC")
check(all(near(t["odds_ratio"], math.exp(t["estimate"])) and near(t["high"] - t["low"], 3.919927969080108 * t["std_error"])
          for t in BASE["terms"]), "odds ratios and intervals")
text = page()
check("log-odds of mid against low\n" in text and "log-odds of top against low\n" in text, text)
check("score of" not in text and "coded against: kind=p\n" in text and text.count("  kind=q ") == 2, text)

# ---- the covariance of a Hessian by differences
COLUMNS = [lambda r: 1, lambda r: r[0], lambda r: r[1] - 5]
CLASSES = ["low", "mid", "top"]


def likelihood(theta):
    total = 0
    for row in ROWS:
        x = [column(row) for column in COLUMNS]
        s = [0, *(sum(t * v for t, v in zip(theta[3 * k:], x)) for k in range(2))]
        total += s[CLASSES.index(row[3])] - max(s) - math.log(sum(math.exp(v - max(s)) for v in s))
    return total


def inverse(matrix):
    n = len(matrix)
    full = [[*row, *(float(i == j) for j in range(n))] for i, row in enumerate(matrix)]
    for k in range(n):
        top = max(range(k, n), key=lambda i: abs(full[i][k]))
        full[k], full[top] = full[top], full[k]
        full[k] = [v / full[k][k] for v in full[k]]
        for i in range(n):
            if i != k:
                full[i] = [v - full[i][k] * w for v, w in zip(full[i], full[k])]
    return [row[n:] for row in full]


write("numbers.csv", ["a", "b", "class"], [[a, round(b - 5, 3), y] for a, b, _, y in ROWS])
NUMBERS = summary("numbers.csv", NONE)
THETA, STEP = [t["estimate"] for t in NUMBERS["terms"]], 1e-3


def moved(*places):
    theta = list(THETA)
    for place, by in places:
        theta[place] += by * STEP
    return likelihood(theta)


HESSIAN = [[-(moved((i, 1), (j, 1)) - moved((i, 1), (j, -1)) - moved((i, -1), (j, 1)) + moved((i, -1), (j, -1)))
            / (4 * STEP * STEP) for j in range(6)] for i in range(6)]
COVARIANCE = inverse(HESSIAN)
for i, term in enumerate(NUMBERS["terms"]):
    check(near(term["std_error"], math.sqrt(COVARIANCE[i][i]), 1e-4), "numeric Hessian", term, COVARIANCE[i][i])
    check(abs(moved((i, 1)) - moved((i, -1))) < 1e-6, "no maximum", term)
check(near(NUMBERS["residual_deviance"], -2 * likelihood(THETA), 1e-10), "deviance")
# of a difference of two classes' functions, neither of which is the reference: other first classes
OTHER = {"low": "z-low", "mid": "mid", "top": "top"}
write("other.csv", ["a", "b", "class"], [[a, round(b - 5, 3), OTHER[y]] for a, b, _, y in ROWS])
AGAINST_MID = cells(summary("other.csv", NONE))
for i, name in enumerate(("(intercept)", "a", "b")):
    top, low = AGAINST_MID["top", name], AGAINST_MID["z-low", name]
    check(top["reference"] == "mid", top)
    check(near(low["estimate"], -THETA[i], size=low["std_error"]) and near(low["std_error"], NUMBERS["terms"][i]["std_error"]), "the other way", name)
    check(near(top["estimate"], THETA[i + 3] - THETA[i], size=top["std_error"]), "difference", name)
    variance = COVARIANCE[i][i] + COVARIANCE[i + 3][i + 3] - 2 * COVARIANCE[i][i + 3]
    check(near(top["std_error"], math.sqrt(variance), 1e-4), "error of a difference", name, top["std_error"], variance)

# ---- two classes are logistic regression
TWO = [[*row[:3], "no" if row[3] == "low" else "yes"] for row in ROWS]
write("two.csv", HEADER, TWO)
for map_ in ("", "standardize | "):
    joint, single = summary("two.csv", map_ + NONE), summary("two.csv", map_ + "logistic(penalty=none)")
    same(joint, single, "two classes")
    check(all("class" not in t and "function" not in t for t in joint["terms"]), "one function", joint["terms"][0])
    check(all(near(a[key], b[key], size=b["std_error"]) for a, b in zip(joint["terms"], single["terms"]) for key in KEYS[4:]), "odds")
    for key in ("null_deviance", "residual_deviance", "df_null", "df_residual", "aic"):
        check(near(joint[key], single[key]), "two classes", key)
summary("two.csv", NONE)
check("log-odds of yes against no" in page(), page())

# ---- other laws
write("scaled.csv", HEADER, [[a * 1024, b / 4096, k, y] for a, b, k, y in ROWS])
same(summary("scaled.csv", NONE), BASE, "units", {"a": 1 / 1024, "b": 4096})
write("mixed.csv", HEADER, random.sample(ROWS, len(ROWS)))
same(summary("mixed.csv", NONE), BASE, "rows in another order")
for maps in ("standardize", "minmax | standardize"):
    same(summary("rows.csv", f"{maps} | {NONE}"), BASE, maps)
for solver in ("lbfgs", "newton-cg"):
    same(summary("rows.csv", NONE, "--solver", solver), BASE, solver)
write("twice.csv", HEADER, [row for i, row in enumerate(ROWS) for _ in range(1 + i % 3)])
write("counted.csv", [*HEADER, "n"], [[*row, 1 + i % 3] for i, row in enumerate(ROWS)])
COUNTED = summary("counted.csv", NONE, "--weight", "n", "--target", "class")
same(COUNTED, summary("twice.csv", NONE), "weights are as many rows")
check(COUNTED["df_null"] == 238, "degrees of freedom count rows")
with open("rows.svm", "w") as file:
    for a, b, k, y in ROWS:
        file.write(f"{CLASSES.index(y)} 1:{a} 2:{b} {'3:1' if k == 'q' else '4:1' if k == 'r' else ''}\n")
SPARSE = summary("rows.svm", NONE)
for term, name in zip(SPARSE["terms"], 2 * ["(intercept)", "a", "b", "kind=q", "kind=r"]):
    term["name"] = name
same(SPARSE, BASE, "sparse rows", names={"mid": "1", "top": "2"})
models = []
for threads in ("1", "2", "3"):
    run("train", "rows.csv", "-m", NONE, "--bootstrap", "20", "-q", "-o", "t.sepal", "--threads", threads)
    with open("t.sepal", "rb") as file:
        models.append(file.read())
check(models[0] == models[1] == models[2], "threads change the model")

# ---- where there are no standard errors
IRIS, DIGITS = (os.path.join(SOURCE, f"examples/data/{name}.csv") for name in ("iris", "digits"))
write("quasi.csv", ["a", "flag", "class"], [[a, int(y == "top" and i % 5 == 0), y] for i, (a, b, k, y) in enumerate(ROWS)])
write("few.csv", ["a", "b", "class"], [[1, 2, "x"], [3, 1, "y"], [2, 2, "z"], [1, 5, "y"], [4, 4, "x"], [2, 3, "z"]])
write("wide.csv", [*(f"x{j}" for j in range(60)), "class"],
      [[*(round(random.gauss(0, 1), 2) for _ in range(60)), f"c{i % 18:02}"] for i in range(2400)])
for path, spec, words, code, says in (
        ("quasi.csv", NONE, [], "quasi-separable", "each by itself: flag\n"),
        ("quasi.csv", f"standardize | {NONE}", [], "quasi-separable", "each by itself: flag\n"),
        ("quasi.csv", "softmax(penalty=none, class_weight=balanced)", [], "quasi-separable", "each by itself: flag\n"),
        (IRIS, NONE, ["--only", "petal_length,sepal_width"], "quasi-separable", "each by itself: petal_length\n"),
        ("few.csv", NONE, [], "few-rows", "not more rows than parameters"),
        ("rows.csv", "softmax", [], "penalty", "penalty=none"),
        ("rows.csv", "softmax(penalty=none, class_weight=balanced)", [], "class-weights", "class_weight=none"),
        ("rows.csv", "softmax(loss=mse)", [], "no-likelihood", "loss=cross_entropy"),
        ("rows.csv", NONE, ["--max-iter", "1"], "not-converged", "--max-iter"),
        ("rows.csv", "logistic(penalty=none)", [], "several-problems", "softmax(penalty=none)"),
        ("rows.csv", f"{NONE} | ovo", [], "several-problems", "fitted apart"),
        ("wide.csv", NONE, [], "wide", "more than 1000 parameters")):
    facts = summary(path, spec, *words)
    check(facts["errors"] is None and facts["code"] == code, path, spec, facts.get("code"), "is not", code)
    check(says in page(), path, spec, page())
    shown = [t for t in facts["terms"] if t["estimate"] is not None]
    check(bool(shown) == (code not in ("quasi-separable", "separable", "few-rows")), path, spec, "terms", len(shown))
    check(all(t["std_error"] is None and t["p"] is None and t["low"] is None for t in facts["terms"]), path, spec)
    check(facts["aic"] is None and facts["residual_deviance"] is None, path, spec, "deviance")
PENALISED = summary("rows.csv", "softmax")
check({(t["class"], t["reference"]) for t in PENALISED["terms"]} == {("mid", "low"), ("top", "low")}, "penalised")
check(all(near(t["odds_ratio"], math.exp(t["estimate"])) for t in PENALISED["terms"]), "odds of a penalised fit")
check(all(t["odds_ratio"] is None and "class" not in t for t in summary("rows.csv", "logistic")["terms"]), "ovr")

# ---- the bootstrap, of the same differences
BOTH = summary("rows.csv", NONE, "--bootstrap", "300")
check(BOTH["resamples"] == 300 and BOTH["errors"] == "wald" and len(BOTH["terms"]) == 10, BOTH["resamples"])
check(BOTH["failed"] <= 6, "fits that end before they converge", BOTH["failed"])
for term in BOTH["terms"]:
    other = term["bootstrap"]
    check(0.6 < other["std_error"] / term["std_error"] < 1.7, "bootstrap and theory differ", term)
    check(other["low"] < term["estimate"] < other["high"], term)
text = page()
check(text.count("log-odds of mid against low\n") == 2 and text.count("  kind=q ") == 4, text)
# fits of few rows end at the maximum, if there is one, though rows do not see all directions of the weights
ENDED = 0
for i in range(40):
    write("small.csv", ["a", "kind", "class"],
          [[row[0], row[2], random.choice(CLASSES)] for row in random.choices(ROWS[:60], k=60)])
    told = json.loads(run("train", "small.csv", "-m", NONE, "--json").stdout)
    ENDED += told["converged"]
    codes = [w["code"] for w in told["warnings"]]
    check(told["converged"] or {"separable", "quasi-separable"} & set(codes), "small", i, codes, told["iterations"])
check(ENDED > 30, "all but few have a maximum", ENDED)
for spec in ("softmax", "softmax(loss=mse)"):
    facts = summary("rows.csv", spec, "--bootstrap", "30")
    check(facts["errors"] == "bootstrap" and len(facts["terms"]) == 10, spec, facts["errors"])
    check(all(t["std_error"] > 0 and t["low"] < t["high"] and t["reference"] == "low" for t in facts["terms"]), spec)
    check(page().count("log-odds of") == 2, page())
finish(500)
