#!/usr/bin/env python3
"""nonneg= and bounds= of logistic and svm at the command line: what names mean, what is told, saved and
refused, and how bounded fits compare with others of the same rows."""
import json
import os
import subprocess
import sys

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
sys.path.insert(0, f"{SOURCE}/tests")
from checks import check, finish  # noqa: E402

CANCER, IRIS = (f"{SOURCE}/examples/data/{name}.csv" for name in ("breast_cancer", "iris"))


def run(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True)


def sepal(*words):
    done = run(*words)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}{done.stdout}")
    return done.stdout


def fit(data, spec, *words):
    """The report of a fit, and what inspect says of its model."""
    told = json.loads(sepal("train", data, "-m", spec, "-o", "m.sepal", "--json", "-q", *words))
    return told, json.loads(sepal("inspect", "m.sepal", "--json"))


def weights(shown, row=0):
    return dict(zip(shown["features"], shown["weights"][row]))


def write(name, text):
    with open(name, "w", newline="") as out:
        out.write(text)


def near(a, b, within=1e-4):
    return abs(a - b) <= within * (1 + abs(b))


write("table.csv", "age,colour,income,PAY_1,PAY_2,class\n" + "".join(
    f"{i % 7},{'red green blue'.split()[(i + i // 4) % 3]},{(i * 37) % 11 - 5},{i % 3},{i % 5},{'ny'[(i * i + i // 3) % 4 % 2]}\n"
    for i in range(60)))

# ---- which columns -----------------------------------------------------------------------------

for names, bounded in (("age", ["age"]), ("age, income", ["age", "income"]), ("PAY_*", ["PAY_1", "PAY_2"]),
                       ("1,4-5", ["age", "PAY_1", "PAY_2"]), ("colour=red", ["colour=red"]),
                       ("colour", ["colour=blue", "colour=green", "colour=red"]),
                       ("2", ["colour=blue", "colour=green", "colour=red"]),
                       ("col*", ["colour=blue", "colour=green", "colour=red"]),
                       ("all", ["age", "colour=blue", "colour=green", "colour=red", "income", "PAY_1", "PAY_2"])):
    told, shown = fit("table.csv", f'standardize | logistic(nonneg="{names}")')
    zeros = [name for name, low in zip(shown["features"], shown["bounds"]["low"]) if low is not None]
    check(sorted(zeros) == sorted(bounded), names, zeros)
    check(all(weights(shown)[name] >= 0 for name in bounded), names)
    check(told["bounds"]["columns"] == len(bounded), names, told["bounds"])
    at = [name for name, held in zip(shown["features"], shown["bounds"]["at"][0]) if held]
    check(len(at) == told["bounds"]["active"] and all(weights(shown)[name] == 0 for name in at), names, at)
    check(told["gap"] < 1e-6 and told["converged"], names, told["gap"])
_, shown = fit("table.csv", 'logistic(nonneg=all, bounds="age>=0.5; -1<=income<=3")')
both = dict(zip(shown["features"], zip(shown["bounds"]["low"], shown["bounds"]["high"])))
check(both["age"] == (0.5, None) and both["income"] == (0, 3) and both["PAY_1"] == (0, None), both)
check(weights(shown)["age"] >= 0.5, shown["weights"])
told, shown = fit(IRIS, 'poly(degree=2) | logistic(bounds="-0.5<=sepal_length^2<=0.1; petal_*>=0")')
bounds = dict(zip(shown["features"], zip(shown["bounds"]["low"], shown["bounds"]["high"])))
check(bounds["sepal_length^2"] == (-0.5, 0.1) and bounds["petal_length*petal_width"] == (0, None), bounds)
check(bounds["sepal_length"] == (None, None), bounds)
for row in range(3):  # of every class
    check(all((low is None or w >= low) and (high is None or w <= high)
              for w, (low, high) in zip(shown["weights"][row], bounds.values())), "row", row)
write("rows.svm", "".join(f"{i % 2} 1:{i % 7} 3:{(i * i) % 5} 17:{i % 3}\n" for i in range(40)))
told, shown = fit("rows.svm", 'svm(nonneg="3,10-20")')
check(told["bounds"]["columns"] == 9, told["bounds"])  # 3 and 10 ... 17

# ---- units and the file ------------------------------------------------------------------------

write("bounds.csv", 'column,low,high\r\nmean_radius,0.05,\r\n\r\n"mean_texture", -inf, -0.25\r\nworst_*,,0.01\r\n')
for maps in ("", "standardize | ", "minmax | ", "minmax | standardize | "):
    told, shown = fit(CANCER, f"{maps}svm(l2=0.01, bounds=bounds.csv)")
    w = weights(shown)
    check(w["mean_radius"] >= 0.05 and w["mean_texture"] <= -0.25, maps, w)
    check(all(value <= 0.01 for name, value in w.items() if name.startswith("worst_")), maps)
    check("bounds.csv" not in told["spec"] and "0.05<=mean_radius<=inf" in told["spec"], told["spec"])
    before = open("m.sepal", "rb").read()
    check(b"bounds.csv" not in before, "the model names the file")
    fit(CANCER, told["spec"])  # the spec says it all
    check(open("m.sepal", "rb").read() == before, maps, "the canonical spec gives another model")
    for threads in "13":
        fit(CANCER, f"{maps}svm(l2=0.01, bounds=bounds.csv)", "--threads", threads)
        check(open("m.sepal", "rb").read() == before, maps, threads, "threads")
text = sepal("inspect", "m.sepal", "--top", "30")
check("bounds      on the weights of 12 columns" in text and "(at its upper bound)" in text, text)
text = sepal("train", CANCER, "-m", "standardize | logistic", "--nonneg", "all", "--bounds", "mean_area<=2", "-o", "m.sepal")
check("weights bounded: 29 columns >= 0, 1 otherwise (" in text and " at a bound)" in text, text)

# to the last digit: narrow bounds of all columns, most of which are met
limits = {name: (j + 1) * 1e-5 / 7 for j, name in enumerate(shown["features"])}
write("narrow.csv", "column,low,high\n" + "".join(f"{name},{-x!r},{x!r}\n" for name, x in limits.items()))
for maps in ("standardize | ", "minmax | standardize | "):
    told, shown = fit(CANCER, f"{maps}logistic(l2=1e-4, bounds=narrow.csv)")
    check(told["bounds"]["active"] > 20, maps, told["bounds"])
    for name, w in weights(shown).items():
        check(abs(w) <= limits[name], maps, name, w, limits[name])

# from a pipe, which can be read once
with open("bounds.csv") as text:
    done = subprocess.run([SEPAL, "train", CANCER, "-m", "svm(l2=0.01, bounds=-)", "-o", "piped.sepal", "-q"], stdin=text,
                          capture_output=True, text=True)
fit(CANCER, "svm(l2=0.01, bounds=bounds.csv)")
check(done.returncode == 0 and open("piped.sepal", "rb").read() == open("m.sepal", "rb").read(), done.stderr)

# ---- against other fits ------------------------------------------------------------------------

for learner in ("logistic", "svm"):
    for penalty in ("l2=0.01", "l1=0.003", "l1=0.002, l2=0.01"):
        free, own = fit(CANCER, f"standardize | {learner}({penalty})", "--tol", "1e-10")
        wide, same = fit(CANCER, f'standardize | {learner}({penalty}, bounds="-1e6<=*<=1e6")', "--tol", "1e-10")
        check(near(wide["objective"], free["objective"], 1e-9), learner, penalty, "idle bounds")
        zero, fixed = fit(CANCER, f'standardize | {learner}({penalty}, bounds="0<=mean_*<=0")', "--tol", "1e-10")
        less, _ = fit(CANCER, f"standardize | {learner}({penalty})", "--tol", "1e-10", "--drop", "mean_*")
        check(near(zero["objective"], less["objective"], 1e-9), learner, penalty, "fixed at 0")
        check(all(w == 0 for name, w in weights(fixed).items() if name.startswith("mean_")), learner, penalty)
        check({"fixed"} == {at for at in fixed["bounds"]["at"][0] if at}, fixed["bounds"]["at"])
        held, _ = fit(CANCER, f"standardize | {learner}({penalty}, nonneg=all)", "--tol", "1e-10")
        check(held["objective"] >= free["objective"], learner, penalty, "bounds help")
# a start out of bounds
fit(CANCER, "standardize | logistic(l2=0.01)")
os.rename("m.sepal", "free.sepal")
cold, first = fit(CANCER, "standardize | logistic(l2=0.01, nonneg=all)", "--tol", "1e-11")
warm, second = fit(CANCER, "standardize | logistic(l2=0.01, nonneg=all)", "--tol", "1e-11", "--warm", "free.sepal")
check(all(near(a, b) for a, b in zip(first["weights"][0], second["weights"][0])), "a warm start")
# without a penalty: columns that separate the classes, but not within the bounds; no gap, nothing claimed
write("apart.csv", "x,class\n" + "".join(f"{i},{'a' if i < 5 else 'b'}\n" for i in range(10)))
done = run("train", "apart.csv", "-m", "logistic(penalty=none, bounds=\"x<=0\")", "--json", "-q", "-o", "m.sepal")
told = json.loads(done.stdout)
check(told["converged"] and weights(json.loads(sepal("inspect", "m.sepal", "--json")))["x"] == 0, told)
check(not [w for w in told["warnings"] if "separa" in w["message"]], told["warnings"])
told = json.loads(run("train", "apart.csv", "-m", "logistic(penalty=none, nonneg=x)", "--json", "-q", "-o", "m.sepal").stdout)
check(not told["converged"] and told["gap"] is None and told["warnings"][0]["code"] == "not-converged", told)
check("without end" in told["warnings"][0]["message"], told["warnings"])
told, shown = fit("apart.csv", 'logistic(penalty=none, bounds="-1<=x<=3")')
check(told["gap"] < 1e-6 and weights(shown)["x"] == 3, told["gap"])

# ---- refusals ----------------------------------------------------------------------------------


def refused(exit_code, words, *said, data="table.csv"):
    if os.path.exists("none.sepal"):
        os.remove("none.sepal")
    done = run("train", data, *words, "-o", "none.sepal")
    check(done.returncode == exit_code, words, done.returncode, done.stderr)
    check(all(part in done.stderr for part in said), words, done.stderr)
    check(not os.path.exists("none.sepal"), words, "a model was written")


def refused_file(text, *said, exit_code=3):
    write("bad.csv", text)
    refused(exit_code, ("-m", "logistic(bounds=bad.csv)"), *said)


refused_file("column,low,high\nage,1,0\n", "bad.csv:2:5:", "the bounds cross", "1", "0")
refused_file("column,low,high\nage,0,\nincome,inf,\n", "bad.csv:3:8:", "cross")
refused_file("column,low,high\nagee,0,\n", "bad.csv:2:1:", "no column 'agee'", "did you mean 'age'?")
refused_file("column,low,high\nage,0,\nincome,,1\nage,,2\n", "bad.csv:4:1:", "'age'", "line 2")
refused_file("column,low,high\nPAY_1,0,\nPAY_*,,2\n", "bad.csv:3:1:", "'PAY_1'", "line 2")
refused_file("column,low,high\nage,zero,\n", "bad.csv:2:5:", "'zero' is no bound")
refused_file("column,low,high\nage,0,1e999\n", "bad.csv:2:7:", "'1e999' is no bound")
refused_file("column,low,high\nage,nan,\n", "bad.csv:2:5:", "'nan' is no bound")
refused_file("column,low,high\nage,0\n", "bad.csv:2:1:", "2 cells")
refused_file("column,low,high\nage,0,1,2\n", "bad.csv:2:1:", "4 cells")
refused_file("column,low,high\n,0,1\n", "bad.csv:2:1:", "of no column")
refused_file('column,low,high\n"age,0,1\n', "bad.csv:2:1:", "quote")
refused_file('column,low,high\n"age"x,0,1\n', "bad.csv:2:6:", "closing quote")
refused_file("column,low,high\n", "bad.csv:1:1:", "no bounds")
refused_file("age,0,1\n", "bad.csv:1:1:", "column,low,high")
refused_file("", "bad.csv:1:1:", "column,low,high")
refused_file("column,low,high\nclass,0,\n", "no column 'class'")
refused_file("column,low,high\n" + "".join(f"a_column_{j},0,\n" for j in range(4000)), "bad.csv:1:1:", "patterns")
refused(3, ("-m", "logistic(bounds=missing.csv)"), "missing.csv")
refused(3, ("-m", "logistic", "--nonneg", "agee"), "no column 'agee'", "did you mean 'age'?")
refused(3, ("-m", "logistic", "--nonneg", "X*"), "no column 'X*'")
refused(3, ("-m", "logistic", "--nonneg", "6"), "no column '6'")  # the target
refused(3, ("-m", "poly | logistic", "--nonneg", "colour"), "no column 'colour'")
refused(3, ("-m", "logistic", "--bounds", "colour=rad>=0"), "did you mean 'colour=red'?")
refused(2, ("-m", "logistic", "--bounds", "2<=age<=1"), "cross")
refused(2, ("-m", "logistic", "--bounds", "age<=1; 0<=age<=1"), "bounded twice")
refused(2, ("-m", "logistic", "--bounds", "0<=1"), "which of the two")
refused(2, ("-m", "logistic", "--bounds", "age<=income"), "no bound with a number")
refused(2, ("-m", "logistic", "--bounds", "0<=age<=x"), "numbers at both ends")
refused(2, ("-m", "logistic", "--bounds", "0<=age<=1<=2"), "too many parts")
refused(2, ("-m", "logistic", "--bounds", "0<='age<=1"), "quote")
refused(2, ("-m", "logistic", "--bounds", "age<=-1", "--nonneg", "age"), "cross", "'age'")
refused(2, ("-m", "svm(loss=hinge)", "--nonneg", "age"), "squared_hinge")
refused(2, ("-m", "lda", "--nonneg", "age"), "nonneg")
for solver in ("newton", "newton-cg", "lbfgs", "dual", "sgd"):
    refused(2, ("-m", "logistic", "--nonneg", "age", "--solver", solver), "no bounds on weights", "prox-newton")

# odd names are written out so that they can be read again
write("odd.csv", "\"a;b\",\"c<=d\",'q', e ,y\n" + "".join(f"{i % 5},{i % 3},{i % 7},{i % 2},{'no'[i % 4 // 2]}\n" for i in range(40)))
write("odd_bounds.csv", "column,low,high\n\"a;b\",0,\n\"c<=d\",,0\n'q',0,1\ne,0,2\n")
told, shown = fit("odd.csv", "logistic(bounds=odd_bounds.csv)")
check(shown["bounds"]["low"] == [0, None, 0, 0] and shown["bounds"]["high"] == [None, 0, 1, 2], shown["bounds"])
before = open("m.sepal", "rb").read()
fit("odd.csv", told["spec"])
check(open("m.sepal", "rb").read() == before, told["spec"])
finish(200)
