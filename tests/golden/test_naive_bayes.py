#!/usr/bin/env python3
"""Naive Bayes against scikit-learn (make_naive_bayes.py made the numbers): posteriors and scores."""
import json
import os
import subprocess
import sys

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
PROBA_TOLERANCE, SCORE_TOLERANCE = 1e-9, 1e-11
compared = 0
worst = {"proba": 0.0, "joint": 0.0}


def sepal(*words):
    done = subprocess.run([SEPAL, *words], capture_output=True)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr.decode()}")
    return done.stdout


def predict(data, flag, key):
    return json.loads(sepal("predict", "m.sepal", data, flag, "--json"))[key]


def check(data, rows, expected, *options):
    """`rows`: the numbers of the rows that were kept."""
    global compared
    for name, golden in expected.items():
        kind, smoothing = name.split()
        sepal("train", data, "-m", f"naive-bayes(kind={kind}, smoothing={smoothing})", "-o", "m.sepal",
              "-q", *options)
        proba, scores = predict(data, "--proba", "proba"), predict(data, "--scores", "scores")
        for i, p, joint in zip(rows, golden["proba"], golden["joint"]):
            size = max(1, *map(abs, joint))
            if len(joint) == 2:
                joint = [joint[1] - joint[0]]
            for mine, theirs in zip(proba[i], p, strict=True):
                worst["proba"] = max(worst["proba"], abs(mine - theirs) / PROBA_TOLERANCE)
            for mine, theirs in zip(scores[i], joint, strict=True):
                worst["joint"] = max(worst["joint"], abs(mine - theirs) / size / SCORE_TOLERANCE)
            compared += len(p) + len(joint)


def main():
    with open(os.path.join(SOURCE, "tests/golden/naive_bayes.json")) as file:
        golden = json.load(file)
    digits = os.path.join(SOURCE, "examples/data/digits.csv")
    check(digits, range(0, 2000, golden["every"]), golden["digits"])
    for case in golden["counts"]:
        with open("counts.svm", "w") as file:
            file.write(case["rows"])
        with open("weights.txt", "w") as file:
            file.writelines(f"{weight!r}\n" for weight in case["weights"])
        check("counts.svm", range(12), case["plain"])
        check("counts.svm", range(12), case["weighted"], "--weights", "weights.txt")
    print(f"{compared} numbers, worst {worst['proba']:.2g} of {PROBA_TOLERANCE} in posteriors and "
          f"{worst['joint']:.2g} of {SCORE_TOLERANCE} in scores ({golden['made_with']})")
    sys.exit(max(worst.values()) > 1 or compared < 2000)


main()
