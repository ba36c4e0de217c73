#!/usr/bin/env python3
"""softmax by its solvers from the command line: exit status, reports, traces, what is refused and what the
answer says to type next."""
import csv
import io
import json
import os
import subprocess
import sys

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
IRIS, CANCER, DIGITS = (f"{SOURCE}/examples/data/{name}.csv" for name in ("iris", "breast_cancer", "digits"))
failures = []


def run(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True)


def check(truth, *what):
    if not truth:
        failures.append(" ".join(map(str, what)))


def report(*words):
    done = run("train", *words, "--json")
    check(done.returncode == 0, words, "exit", done.returncode, done.stderr)
    return json.loads(done.stdout)


def refused(words, *parts):
    done = run("train", *words, "-o", "none.sepal")
    check(done.returncode == 2, words, "exit", done.returncode, done.stderr)
    for part in parts:
        check(part in done.stderr, words, f"no '{part}' in:", done.stderr)
    check(not os.path.exists("none.sepal"), words, "wrote a model")


# ---- what is refused --------------------------------------------------------------------------------

refused((IRIS, "-m", "softmax(loss=mse, penalty=l1)"), "mse with an L1 penalty", "L2 penalty", "loss=cross_entropy",
        "--solver sgd")
refused((IRIS, "-m", "softmax(loss=mse, penalty=elasticnet, ratio=0.5)"), "L1 penalty", "--solver sgd")
refused((IRIS, "-m", "softmax(loss=mse)", "--solver", "newton-cg"), "not convex", "leave --solver out", "lbfgs")
refused((IRIS, "-m", "softmax(penalty=l1)", "--solver", "lbfgs"), "no slope at 0", "sgd")
refused((IRIS, "-m", "softmax", "--solver", "saga"), "newton-cg|lbfgs")
refused((IRIS, "-m", "softmax(loss=mae)"), "cross_entropy")
refused((IRIS, "-m", "softmax", "--eta", "0", "--solver", "sgd"), "eta")

# ---- every combination of loss, penalty and solver fits or is refused --------------------------------------

for loss in ("cross_entropy", "mse"):
    for penalty in ("l2", "none", "l1", "elasticnet, ratio=0.5"):
        for solver in (None, "newton-cg", "lbfgs", "sgd"):
            done = run("train", IRIS, "-m", f"standardize | softmax(loss={loss}, penalty={penalty})", "--json",
                       *(("--solver", solver) if solver else ()))
            check(done.returncode in (0, 2), loss, penalty, solver, "exit", done.returncode, done.stderr)
            if done.returncode == 0:
                said = json.loads(done.stdout)
                bounded = loss == "cross_entropy" and penalty != "none"
                check((said["gap"] is not None) == bounded, loss, penalty, solver, "gap", said["gap"])
                check(said["certificate"].get("convex", True) == (loss != "mse"), loss, "is said to be convex")
                check(bounded or said["certificate"]["gradient"] >= 0, loss, penalty, solver, "no gradient")
            else:
                check(penalty[0] == "l" and penalty != "l2" or "elastic" in penalty or (loss, solver) ==
                      ("mse", "newton-cg"), loss, penalty, solver, done.stderr)

# ---- reports ----------------------------------------------------------------------------------------

by = {solver: report(IRIS, "-m", "standardize | softmax", "--solver", solver, "--tol", "1e-9", "-o", solver + ".sepal")
      for solver in ("newton-cg", "lbfgs")}
check(abs(by["lbfgs"]["objective"] - by["newton-cg"]["objective"]) < 1e-9, "objectives", by)
check(by["lbfgs"]["converged"] and by["lbfgs"]["gap"] <= 1e-9, "lbfgs has a gap of", by["lbfgs"]["gap"])
mse = report(IRIS, "-m", "standardize | softmax(loss=mse)", "-o", "mse.sepal")
check(mse["converged"] and mse["gap"] is None and mse["solver"].startswith("lbfgs"), "mse", mse)
rows = list(csv.reader(io.StringIO(run("predict", "mse.sepal", IRIS, "--proba").stdout)))[1:]
own = [row[-1] for row in csv.reader(open(IRIS, encoding="ascii"))][1:]
names = mse["classes"]
error = sum(sum((float(p) - (name == label)) ** 2 for p, name in zip(row[1:], names))
            for row, label in zip(rows, own)) / len(own)
inside = json.loads(run("inspect", "mse.sepal", "--json").stdout)
check(all(abs(sum(column)) < 1e-9 for column in zip(*inside["weights"])), "weights that do not add up to 0")
check(abs(sum(inside["bias"])) < 1e-9, "biases that do not add up to 0:", inside["bias"])
penalty = mse["certificate"]["l2"] / 2 * sum(e * e for row in inside["effects"] for e in row)
check(abs(error + penalty - mse["objective"]) < 1e-9, "mse of", error, "and", penalty, "is not", mse["objective"])
text = run("train", IRIS, "-m", "softmax(loss=mse)").stdout
check("not convex" in text and "gradient" in text, "a report without the gradient:", text)

# many weights: lbfgs begins, and where it is slow Newton's method takes over; asked for, it goes on
digits = report(DIGITS, "-m", "softmax")
check(digits["solver"].startswith("lbfgs (") and digits["converged"], "digits", digits["solver"])
hard = report(DIGITS, "-m", "softmax(C=1e6)")
check(hard["solver"].startswith("lbfgs, then newton-cg"), "hard digits", hard["solver"])
newton = report(DIGITS, "-m", "softmax(C=1e6)", "--solver", "newton-cg")
check(abs(hard["objective"] - newton["objective"]) < 1e-3 * newton["objective"], "hard digits", hard, newton)
few = report(DIGITS, "-m", "softmax(C=1e6)", "--max-iter", "25")
check(few["iterations"] == 25 and not few["converged"], "--max-iter for both took", few["iterations"])
asked = report(DIGITS, "-m", "softmax(C=1e6)", "--solver", "lbfgs", "--max-iter", "90")
check(asked["solver"].startswith("lbfgs (as asked") and asked["iterations"] == 90, "asked", asked["solver"])

# logistic regression names the joint alternative, where there is one
rest = report(IRIS, "-m", "logistic")
check(rest.get("strategy") == "ovr" and rest.get("joint_alternative") == "softmax", "logistic of three classes", rest)
check("softmax fits all classes jointly" in run("train", IRIS, "-m", "logistic | ovo").stdout, "ovo")
for words in ((CANCER, "-m", "logistic"), (IRIS, "-m", "softmax"), (IRIS, "-m", "svm")):
    check("joint_alternative" not in report(*words), words, "names an alternative")

# ---- an L1 penalty where curvature vanishes: rare pixels, once standardised, are alike in all rows that have any

for strength, value in (("1", 0.114849246), ("100", 0.0032187621)):
    lasso = report(DIGITS, "-m", f"standardize | softmax(penalty=l1, C={strength})")
    check(lasso["converged"] and abs(lasso["objective"] - value) < 1e-6 * value, "an L1 penalty, C", strength,
          "objective", lasso["objective"], "gap", lasso["gap"])

# ---- the delta rule ---------------------------------------------------------------------------------

walk = report(IRIS, "-m", "softmax", "--solver", "sgd", "--epochs", "7", "--trace", "walk.jsonl", "-o", "sgd.sepal")
with open("walk.jsonl", encoding="ascii") as file:
    lines = [json.loads(line) for line in file]
check(len(lines) == 7 and [line["steps"] for line in lines] == [150 * k for k in range(1, 8)], "a trace of", lines)
inside = json.loads(run("inspect", "sgd.sepal", "--json").stdout)
check(lines[-1]["weights"] == inside["weights"] and lines[-1]["bias"] == inside["bias"], "the last epoch is the model")
check(lines[-1]["objective"] == walk["objective"] or abs(lines[-1]["objective"] - walk["objective"]) < 1e-12,
      "objectives", lines[-1]["objective"], walk["objective"])
check(not walk["converged"] and "not-converged" in [w["code"] for w in walk["warnings"]], "sgd converged")
done = run("train", IRIS, "-m", "softmax", "--trace", "empty.jsonl")
check("--solver sgd" in done.stderr, "an empty trace:", done.stderr)
# three epochs and four more are seven, to the bit
run("train", IRIS, "-m", "softmax", "--solver", "sgd", "--epochs", "3", "-o", "three.sepal")
run("train", IRIS, "-m", "softmax", "--solver", "sgd", "--epochs", "4", "--warm", "three.sepal", "-o", "seven.sepal")
near = json.loads(run("inspect", "seven.sepal", "--json").stdout)
check(all(abs(a - b) < 1e-12 for x, y in zip(near["weights"], inside["weights"]) for a, b in zip(x, y)),
      "three and four epochs", near["weights"], inside["weights"])

# ---- limits -----------------------------------------------------------------------------------------

for solver in ("lbfgs", "sgd"):
    for spec in ("softmax", "softmax(loss=mse)"):
        for most in (1, 2, 7):
            said = report(IRIS, "-m", spec, "--solver", solver, "--max-iter", str(most))
            check(said["iterations"] == most, spec, solver, "--max-iter", most, "took", said["iterations"])
        done = run("train", IRIS, "-m", spec, "--solver", solver, "--max-seconds", "1e-9", "-o", "early.sepal")
        check(done.returncode == 0 and "time limit" in done.stderr, spec, solver, "a limit:", done.stderr)
        check(run("predict", "early.sepal", IRIS).returncode == 0, spec, solver, "no model when time is up")
bits = {(spec, threads): (run("train", IRIS, "-m", spec, "--threads", threads, "-o", "bits.sepal"),
                          open("bits.sepal", "rb").read())[1]
        for spec in ("softmax(loss=mse)", "softmax(epochs=2)") for threads in "123"}
check(len(set(bits.values())) == 2, "threads change bits")

for failure in failures:
    print("FAIL", failure)
sys.exit(1 if failures else 0)
