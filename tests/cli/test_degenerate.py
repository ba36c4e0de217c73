#!/usr/bin/env python3
"""Problems that have broken other programs, by every solver of the convex learners: whatever comes,
the numbers are finite, the promise of the gap is kept or its breach is said, the exit status is right,
and nothing takes longer than a minute. Solvers that converge agree. Nightly all solvers, else each
problem meets the solver of choice and two others, drawn by the seed."""

import json
import math
import os
import random
import re
import struct
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from seeds import test_seed

SEPAL = os.environ["SEPAL"]
NIGHTLY = "SEPAL_NIGHTLY" in os.environ
DRAWN = None if NIGHTLY else 2  # solvers of a problem; None: all
LEAST = 2100 if NIGHTLY else 600  # fits that must have been made
TOL = 1e-6
rng = random.Random(test_seed(7))
failures = []
slow = []


def fault(*what):
    failures.append(what)
    print("FAILED:", *what)


def run(words, seconds=60):
    start = time.monotonic()
    try:
        done = subprocess.run([SEPAL, *words], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        fault("more than", seconds, "seconds:", words)
        return None
    slow.append((time.monotonic() - start, words))
    return done


def no_constant(name):
    raise ValueError(f"{name} in JSON")


def strict(text):
    return json.loads(text, parse_constant=no_constant)


def solvers_of(learner):
    """What the refusal of a solver that is none lists."""
    write("ask.csv", [[0], [1]], ["a", "b"])
    done = run(["train", "ask.csv", "-m", learner, "--solver", "no-such", "-q"])
    names = re.search(r"choose (.*), or leave", done.stderr)
    assert done.returncode == 2 and names, done.stderr
    return re.split(r", | or |\|", names.group(1))


# ---- data --------------------------------------------------------------------------------------


def write(name, rows, labels, weights=None):
    with open(name, "w") as out:
        head = [f"x{j + 1}" for j in range(len(rows[0]))] + (["w"] if weights else []) + ["class"]
        out.write(",".join(head) + "\n")
        for i, row in enumerate(rows):
            cells = [v if isinstance(v, str) else repr(float(v)) for v in row]
            if weights:
                cells.append(str(weights[i]))
            out.write(",".join(cells + [str(labels[i])]) + "\n")


def write_sparse(name, rows, labels):
    with open(name, "w") as out:
        for row, label in zip(rows, labels):
            out.write(" ".join([str(label)] + [f"{j}:{v!r}" for j, v in sorted(row.items())]) + "\n")


def noisy(n=60, d=4, scale=lambda j: 1.0, mean=0.0, gap=1.0):
    """Two normal classes that overlap."""
    labels = ["ab"[i % 2] for i in range(n)]
    rows = [[mean + scale(j) * (rng.gauss(0, 1) + gap * (i % 2) * (j == 0)) for j in range(d)]
            for i in range(n)]
    return rows, labels


def apart(n=20, d=3):
    rows, labels = noisy(n, d)
    return [[4.0 * (label == "b") - 2 + 0.3 * math.tanh(row[0])] + row[1:]
            for row, label in zip(rows, labels)], labels


problems = []  # name, file, settings of the learner, options, exit statuses


def problem(name, rows, labels, parameters="", options=(), codes=(0,), weights=None, learners=None):
    file = f"{len(problems)}.csv"
    write(file, rows, labels, weights)
    options = list(options) + (["--weight", "w"] if weights else [])
    problems.append((name, file, parameters, options, codes, learners))


def sparse_problem(name, rows, labels, parameters="", options=(), codes=(0,), learners=None):
    file = f"{len(problems)}.svm"
    write_sparse(file, rows, labels)
    problems.append((name, file, parameters, list(options), codes, learners))


def again(name, parameters="", options=(), codes=(0,), learners=None):
    """The rows of the problem before."""
    problems.append((name, problems[-1][1], parameters, list(options), codes, learners))


def make_problems():
    X, y = noisy()
    ones = [1] * len(y)
    # refused
    problem("a weight that is no number", X, y, weights=["nan"] + ones[1:], codes=(3,))
    problem("a weight beyond all doubles", X, y, weights=["1e999"] + ones[1:], codes=(3,))
    problem("a negative weight", X, y, weights=[-1] + ones[1:], codes=(3,))
    problem("weights of 0 alone", X, y, weights=[0] * len(y), codes=(3,))
    problem("one class", X, ["a"] * len(y), codes=(3,))
    problem("one class left by weights", X, y, weights=[int(l == "a") for l in y], codes=(3,))
    problem("C and l2", X, y, "C=1, l2=0.1", codes=(2,))
    again("C and l1", "C=1, l1=0.1", codes=(2,))
    again("C is 0", "C=0", codes=(2,))
    again("C is infinite", "C=inf", codes=(2,))
    again("l2 below 0", "l2=-1", codes=(2,))
    again("l2 is no number", "l2=nan", codes=(2,))
    again("ratio above 1", "C=1, ratio=1.5", codes=(2,))
    again("ratio without C", "l1=0.1, ratio=0.5", codes=(2,))
    again("penalty none with C", "penalty=none, C=1", codes=(2,))
    again("the weight of an unknown class", 'class_weight="z:2"', codes=(2, 3))
    again("a class weight below 0", 'class_weight="a:-2"', codes=(2, 3))
    again("a class weight of 0", 'class_weight="a:0"', codes=(2, 3))
    # strengths
    again("the rows as they are")
    again("weights all 0", "l1=1e6")
    again("weights all 0 by both", "l1=1e6, l2=1")
    again("l1 as small as can be", "l1=1e-300")
    again("C=1e12", "C=1e12")
    again("C=1e-12", "C=1e-12")
    again("C=5e-324", "C=5e-324", codes=(2,))
    again("C=1.7e308", "C=1.7e308")
    again("l2=1e-300", "l2=1e-300")
    again("l2=5e-324", "l2=5e-324")
    again("l2=1e300", "l2=1e300")
    again("elastic net", "C=0.1, ratio=0.5")
    again("no penalty", "penalty=none")
    again("no penalty, no bias", "penalty=none, bias=false")
    again("huge class weights", 'class_weight="a:1e300,b:1e-300"')
    again("large class weights", 'class_weight="a:1e8,b:1"')
    again("one step only", options=["--max-iter", "1"])
    again("more digits than there are", options=["--tol", "1e-15"])
    again("no time", options=["--max-seconds", "1e-9"])
    # separable
    problem("separable", *apart(), "C=1")
    again("separable, no penalty", "penalty=none")
    again("separable, no penalty, no bias", "penalty=none, bias=false")
    again("separable, C=1e12", "C=1e12")
    again("separable, C=1e12, penalised bias", "C=1e12, bias=penalised")
    again("separable, l1=1e-10", "l1=1e-10")
    problem("touching classes, no penalty", [[-1], [0], [0], [1]] * 3, list("aabb") * 3, "penalty=none")
    # scales
    for power in (100, 150, 300):
        problem(f"features of 1e{power}", *noisy(scale=lambda j: 10.0**power), codes=(0, 3))
        problem(f"features of 1e-{power}", *noisy(scale=lambda j: 10.0**-power))
        again(f"features of 1e-{power}, no penalty", "penalty=none")
        mixed = noisy(scale=lambda j: 10.0 ** (power if j % 2 else -power))
        problem(f"features of 1e{power} and 1e-{power}", *mixed, codes=(0, 3))
    problem("features of 1e12 and 1e-12", *noisy(scale=lambda j: 10.0 ** (12 if j % 2 else -12)))
    problem("subnormal features", *noisy(scale=lambda j: 1e-315), "C=1")
    problem("a cell of 1e10", [[1e10 if i == j == 0 else v for j, v in enumerate(r)]
                               for i, r in enumerate(X)], y)
    problem("means of 1e8", *noisy(mean=1e8))
    again("means of 1e8, no bias", "bias=false")
    again("means of 1e8, penalised bias", "bias=penalised")
    # shapes
    problem("constant columns", [r + [3.0, 0.0, 1e8] for r in X], y)
    again("constant columns, no penalty", "penalty=none")
    problem("copies of columns", [r + r for r in X], y)
    again("copies of columns, no penalty", "penalty=none")
    problem("rows of 0", [r if i % 3 else [0.0] * 4 for i, r in enumerate(X)], y)
    problem("nothing but 0", [[0.0, 0.0]] * 10, list("aab") * 3 + ["b"])
    again("nothing but 0, no penalty", "penalty=none")
    again("nothing but 0, no bias", "bias=false")
    problem("all rows alike", [[1.5, -2.0]] * 12, list("abb") * 4)
    problem("opposite copies", X + X, y + ["ab"[l == "a"] for l in y])
    again("opposite copies, no penalty", "penalty=none")
    problem("two rows", [[1.0, 2.0], [3.0, 5.0]], ["a", "b"])
    again("two rows, C=1e12", "C=1e12")
    problem("two rows alike", [[1.0], [1.0]], ["a", "b"])
    problem("fewer rows than columns", *noisy(12, 40))
    again("fewer rows than columns, no penalty", "penalty=none")
    problem("one column of text", [[f"t{i % 5}"] for i in range(30)], ["ab"[i % 3 == 0] for i in range(30)])
    again("one column of text, no penalty", "penalty=none")
    problem("1 of 20000", [[rng.gauss(0, 1) + 3 * (i == 5)] for i in range(20000)],
            ["ba"[i == 5] for i in range(20000)], learners=("logistic", "svm(loss=hinge)"))
    problem("weights from 1e-300 to 1e300", X, y,
            weights=[10.0 ** rng.uniform(-300, 300) for _ in y])
    problem("weights of 1e300", X, y, weights=[1e300] * len(y))
    problem("weights of 1e-300", X, y, weights=[1e-300] * len(y))
    problem("50 classes of two rows", [[rng.gauss(k, 1), rng.gauss(-k, 1)] for k in range(50) for _ in "ab"],
            [f"c{k:02}" for k in range(50) for _ in "ab"], learners=("logistic", "svm(loss=hinge)"))
    # sparse
    wide = [{rng.randrange(1, 1000000): 1.0 for _ in range(30)} | {1000000: float(i)} for i in range(10)]
    sparse_problem("a million columns, ten rows", wide, [i % 2 for i in range(10)])
    again("a million columns, ten rows, l1", "penalty=l1")
    rows = [{j: 1e8 + rng.gauss(0, 1) for j in rng.sample(range(1, 61), 5)} for _ in range(50)]
    sparse_problem("sparse rows of 1e8", rows, [i % 2 for i in range(50)])
    rows = [{j: rng.uniform(0.5, 2) for j in rng.sample(range(1, 61), 5)} if i % 4 else {} for i in range(50)]
    sparse_problem("sparse rows, some empty", rows, [int(rng.random() < 0.5) for _ in range(50)])
    again("sparse rows, no penalty", "penalty=none")
    rows = [{j: 10.0 ** rng.uniform(-140, 140) for j in rng.sample(range(1, 61), 5)} for _ in range(50)]
    sparse_problem("sparse rows of all sizes", rows, [i % 2 for i in range(50)], codes=(0, 3))


def tensors(model):
    """The numbers of a model file: sooner there than by `inspect`."""
    with open(model, "rb") as file:
        head = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        start = file.tell()
        found = {}
        for name, part in head.items():
            if name != "__metadata__" and part["dtype"] == "F64":
                low, high = part["data_offsets"]
                file.seek(start + low)
                found[name] = [list(struct.unpack(f"<{(high - low) // 8}d", file.read(high - low)))]
    return found


# ---- what must hold ----------------------------------------------------------------------------


def numbers(tree):
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, list):
        for part in tree:
            yield from numbers(part)
    elif isinstance(tree, float):
        yield tree


def check_answer(what, report, inspected, options):
    warned = [w["code"] for w in report["warnings"]]
    weights = [x for row in inspected["weights"] for x in row]
    tol = float(options[options.index("--tol") + 1]) if "--tol" in options else TOL
    if not all(map(math.isfinite, list(numbers(report)) + list(numbers(inspected)))):
        fault(what, "a number is not finite")
    if report["objective"] is None:
        fault(what, "no objective")
    if report["converged"] is not True and not warned:
        fault(what, "did not converge, and says nothing")
    if report["converged"] and report["gap"] is not None and report["gap"] > tol:
        fault(what, "converged with a gap of", report["gap"])
    if report["gap"] is not None and not report["gap"] > 0:
        fault(what, "a gap of", report["gap"])
    if "weights all 0" in what[0] and report["converged"]:
        if any(weights) or "zero-weights" not in warned:
            fault(what, "weights of 0 are not said:", warned, weights)


def check(what, command, codes, options):
    model = f"{abs(hash(what))}.sepal"
    done = run(["train", *command, "--json", "-o", model])
    if done is None:
        return None
    if done.returncode == 2 and "cannot do this" in done.stdout and 2 not in codes:
        able = re.search(r"take one of: (.*)\"", done.stdout)
        return ("refused", set(able.group(1).split(", ")) if able else set())
    if done.returncode not in codes:
        fault(what, "exit", done.returncode, done.stdout[-300:] + done.stderr[-300:])
        return None
    try:
        report = strict(done.stdout)
        if done.returncode:
            assert report["error"]["exit"] == done.returncode and not os.path.exists(model)
            return None
        inspected = tensors(model)
        if what[2] == "by itself" and report["columns"] <= 1000:
            inspected = strict(run(["inspect", model, "--json"]).stdout)
            flag = "--proba" if what[1].startswith("logistic") else "--scores"
            said = strict(run(["predict", model, command[0], flag, "--json"]).stdout)
            said = said.get("proba") or said["scores"]
            if len(said) != report["rows"] or not all(map(math.isfinite, numbers(said))):
                fault(what, "answers that are not finite")
        os.remove(model)
    except (ValueError, KeyError, AssertionError) as error:
        fault(what, repr(error), done.stdout[:300])
        return None
    check_answer(what, report, inspected, options)
    return ("done", report)


def check_all(job):
    (name, file, parameters, options, codes, _), learner, solvers = job
    spec = learner
    if parameters:
        spec = f"{learner[:-1]}, {parameters})" if learner.endswith(")") else f"{learner}({parameters})"
    answers, refused = {}, {}
    for solver in [None, *solvers]:
        limit = [] if "--max-seconds" in options else ["--max-seconds", "20" if NIGHTLY else "3"]
        words = [file, "-m", spec, *options, *limit] + (["--solver", solver] if solver else [])
        answer = check((name, spec, solver or "by itself"), words, codes, options)
        if answer:
            (answers if answer[0] == "done" else refused)[solver] = answer[1]
        if 2 in codes or (codes == (3,) and solver is None):
            break  # refused before there is a solver
    for solver, able in refused.items():
        if able & set(solvers) != set(answers) - {None}:
            fault(name, spec, solver, "names", able, "as able, but", set(answers), "are")
    converged = [(r["objective"], s) for s, r in answers.items() if r["converged"] and r["gap"] and r["objective"] is not None]
    if converged:
        low, high = min(converged, key=lambda x: x[0]), max(converged, key=lambda x: x[0])
        if high[0] - low[0] > TOL * abs(high[0]) * (1 + 1e-9):
            fault(name, spec, "solvers differ:", low, high)
    return len(answers) + len(refused)


def check_options():
    """--strict makes a shortfall a failure; --positive changes no weight."""
    write("plain.csv", *noisy())
    for learner in ("logistic", "svm", "svm(loss=hinge)"):
        common = ["train", "plain.csv", "-m", learner, "-q", "-o"]
        done = run([*common, "none.sepal", "--solver", "sgd", "--tol", "1e-14", "--strict"])
        if done.returncode != 5 or os.path.exists("none.sepal"):
            fault(learner, "--strict: exit", done.returncode)
        models = set()
        for positive in ([], ["--positive", "a"], ["--positive", "b"]):
            done = run([*common, "model.sepal", *positive])
            with open("model.sepal", "rb") as file:
                models.add(file.read())
        if len(models) != 1:
            fault(learner, "--positive changes the model")


def main():
    make_problems()
    check_options()
    learners = ("logistic", "svm", "svm(loss=hinge)")
    solvers = {name: solvers_of(name) for name in ("logistic", "svm")}
    jobs = []
    for p in problems:
        for learner in p[5] or learners:
            able = solvers[learner.partition("(")[0]]
            jobs.append((p, learner, able if DRAWN is None else rng.sample(able, DRAWN)))
    rng.shuffle(jobs)
    with ThreadPoolExecutor(2) as pool:
        runs = sum(pool.map(check_all, jobs))
    for seconds, words in sorted(slow, reverse=True)[:5]:
        print(f"{seconds:6.2f} s", *words)
    if runs < LEAST:
        fault(f"{runs} fits, and {LEAST} are the least")
    print(f"{len(problems)} problems, {runs} fits, {len(failures)} failures")
    return 1 if failures else 0


raise SystemExit(main())
