#!/usr/bin/env python3
"""The tables of `sepal inspect --summary` of softmax against those of statsmodels' MNLogit (make_multinomial.py
wrote them down), to 1e-6: estimates, standard errors, z, p, odds ratios, intervals, aliased terms, deviances."""
import csv
import json
import os
import subprocess
import sys

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from checks import check, finish  # noqa: E402

TOLERANCE = 1e-6
KEYS = ("estimate", "std_error", "z", "p", "odds_ratio", "low", "high")


def sepal(*words):
    done = subprocess.run([SEPAL, *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


def near(mine, theirs, tolerance=TOLERANCE):
    if mine is None or theirs is None:
        return mine == theirs
    return abs(mine - theirs) <= tolerance * abs(theirs)


def compare(case, data):
    path = os.path.join(SOURCE, "examples/data", case["data"])
    if case["data"] in data:
        path = "rows.csv"
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([data[case["data"]]["header"], *data[case["data"]]["rows"]])
    sepal("train", path, "-m", case["spec"], *case["words"], "-q", "-o", "m.sepal")
    summary = json.loads(sepal("inspect", "m.sepal", "--summary", "--json"))["summary"]
    name = case["name"]
    check(summary["errors"] == "wald", name, summary.get("reason"))
    check([[term["class"], term["name"]] for term in summary["terms"]]
          == [[label, term] for label, term, _ in case["terms"]], name, "terms")
    for mine, (label, term, theirs) in zip(summary["terms"], case["terms"]):
        check(mine["reference"] == case["reference"], name, "reference", mine["reference"])
        if theirs is None:
            check(all(mine[key] is None for key in KEYS) and mine["note"], name, label, term, "aliased", mine)
            continue
        for key, value in zip(KEYS, theirs, strict=True):
            # p and the odds ratio are exponentials: their relative error is z's, or the estimate's, absolute one
            tolerance = 1e-5 if key in ("p", "odds_ratio") else TOLERANCE
            if key in ("low", "high"):  # differences of estimate and error
                tolerance *= max(1, abs(theirs[0] / value))
            check(near(mine[key], value, tolerance), name, label, term, key, mine[key], value)
    for key in ("null_deviance", "residual_deviance", "df_null", "df_residual", "aic"):
        check(near(summary[key], case[key]), name, key, summary[key], case[key])


with open(os.path.join(SOURCE, "tests/golden/multinomial.json")) as file:
    golden = json.load(file)
for case in golden["cases"]:
    compare(case, golden["data"])
finish(900)
