#!/usr/bin/env python3
"""sepal separable against exact arithmetic: fractions judge every certificate, and whether a problem is
quasi-completely separated is decided by a simplex method on fractions. Then what --check refuses."""

import copy
import json
import os
import random
import subprocess
from fractions import Fraction as F

from seeds import test_seed

SEPAL = os.environ["SEPAL"]
EXAMPLES = os.path.join(os.environ["SEPAL_SOURCE"], "examples", "data")
failures = 0


def run(*words):
    return subprocess.run([SEPAL, "separable", *words], capture_output=True, text=True, timeout=200)


def ask(*words):
    done = run(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def write(name, rows, labels):
    with open(name, "w") as out:
        for row, label in zip(rows, labels):
            out.write(",".join([repr(float(x)) for x in row] + [label]) + "\n")


def fault(what, *details):
    global failures
    failures += 1
    print("FAILED:", what, *details)


# ---- exact judges ------------------------------------------------------------------------------


def kernel(equations):
    """A basis of the vectors that solve the equations."""
    rows, n, pivots = [r[:] for r in equations], len(equations[0]), []
    for column in range(n):
        at = next((i for i in range(len(pivots), len(rows)) if rows[i][column]), None)
        if at is None:
            continue
        r = len(pivots)
        rows[r], rows[at] = rows[at], rows[r]
        rows[r] = [x / rows[r][column] for x in rows[r]]
        for i, row in enumerate(rows):
            if i != r and row[column]:
                rows[i] = [x - row[column] * y for x, y in zip(row, rows[r])]
        pivots.append(column)
    chain = []
    for free in set(range(n)) - set(pivots):
        vector = [F(0)] * n
        vector[free] = F(1)
        for i, column in enumerate(pivots):
            vector[column] = -rows[i][free]
        chain.append(vector)
    return chain


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def judge_plane(rows, signs, answer):
    w, b = [F(x) for x in answer["certificate"]["w"]], F(answer["certificate"]["b"])
    assert all(t * (dot(w, x) + b) > 0 for x, t in zip(rows, signs)), "a row on the wrong side"
    low, high = (F(x) for x in answer["margin"])
    gap = min(dot(w, x) for x, t in zip(rows, signs) if t > 0)
    gap -= max(dot(w, x) for x, t in zip(rows, signs) if t < 0)
    assert 0 < low <= high and high - low <= high / 10**6, "bounds that are not tight"
    assert (gap / 2) ** 2 <= high**2 * dot(w, w), "a margin beyond its upper bound"
    assert (gap / 2) ** 2 >= low**2 * dot(w, w) * F(999999, 1000000), "w is not that of the lower bound"


def judge_gordan(rows, signs, answer):
    used, numbers = answer["certificate"]["rows"], answer["certificate"]["multipliers"]
    assert len(set(used)) == len(used) == len(numbers) <= len(rows[0]) + 2, "too many rows"
    assert answer["margin"] == [0, 0], "a margin where there is none"
    equations = [[signs[i] * rows[i][j] for i in used] for j in range(len(rows[0]))]
    equations.append([F(signs[i]) for i in used])
    if isinstance(numbers[0], str):
        numbers = [int(x) for x in numbers]
        assert min(numbers) > 0 and all(dot(e, numbers) == 0 for e in equations), "not a sum of 0"
        return
    vectors = kernel(equations)
    assert len(vectors) == 1, "no exact multipliers"
    total, given = sum(vectors[0]), sum(F(x) for x in numbers)
    for exact, near in zip(vectors[0], numbers):
        assert exact / total > 0 and abs(exact / total * given / F(near) - 1) < F(1, 10**5), "not near"


def feasible(equations, values):
    """Whether some x >= 0 solves the equations (values >= 0): phase 1 of the simplex method with the
    rule of Bland, on fractions."""
    m, n = len(equations), len(equations[0])
    table = [e + [F(i == k) for k in range(m)] + [v] for i, (e, v) in enumerate(zip(equations, values))]
    chain = list(range(n, n + m))
    cost = [-sum(row[j] for row in table) for j in range(n)] + [F(0)] * m + [-sum(values)]
    while True:
        enter = next((j for j in range(n) if cost[j] < 0), None)
        if enter is None:
            return cost[-1] == 0
        _, _, leave = min((row[-1] / row[enter], chain[i], i) for i, row in enumerate(table) if row[enter] > 0)
        table[leave] = [x / table[leave][enter] for x in table[leave]]
        for i, row in enumerate(table):
            if i != leave and row[enter]:
                table[i] = [x - row[enter] * y for x, y in zip(row, table[leave])]
        cost = [x - cost[enter] * y for x, y in zip(cost, table[leave])]
        chain[leave] = enter


def is_weak(rows, signs):
    """Whether some w~ has t w~.(x, 1) >= 0 everywhere and > 0 somewhere."""
    points = sorted({tuple([t * v for v in x] + [F(t)]) for x, t in zip(rows, signs)})
    n, equations = len(points), []
    for i, p in enumerate(points):
        equations.append([*p, *(-v for v in p), *(F(-(k == i)) for k in range(n))])
    total = [sum(p[j] for p in points) for j in range(len(points[0]))]
    equations.append([*total, *(-v for v in total), *([F(0)] * n)])
    return feasible(equations, [F(0)] * n + [F(1)])


# ---- random problems ---------------------------------------------------------------------------


def problem(rng):
    kind = rng.choice(["gauss", "whole", "tenths", "halves", "twins", "one-hot", "large"])
    cols, n = rng.choice([1, 2, 2, 3, 4, 6]), rng.choice([2, 4, 6, 8, 12, 20])
    signs = [1, -1] + [rng.choice([-1, 1]) for _ in range(n - 2)]
    if kind == "gauss":
        rows = [[rng.gauss(0, 1) for _ in range(cols)] for _ in signs]
    elif kind == "one-hot":
        rows = []
        for _ in signs:
            a, b = rng.randrange(3), rng.randrange(2)
            rows.append([float(a == i) for i in range(3)] + [float(b == i) for i in range(2)])
    else:
        size = 2**52 if kind == "large" else 4
        rows = [[rng.randint(-size, size) for _ in range(cols)] for _ in signs]
    if kind == "tenths":
        rows = [[x / 10 for x in row] for row in rows]
    if kind == "halves":  # labels by a hyperplane, ties at random
        w = [rng.randint(-2, 2) for _ in range(cols)]
        signs = [(1 if dot(w, x) > 0 else -1 if dot(w, x) < 0 else t) for x, t in zip(rows, signs)]
    if kind == "twins":
        rows[1] = rows[0]
    signs[0], signs[1] = 1, -1
    return rows, signs


def random_problems():
    rng, seen = random.Random(test_seed(4)), {}
    for number in range(110):
        rows, signs = problem(rng)
        labels = ["b" if t > 0 else "a" for t in signs]
        write("data.csv", rows, labels)
        answer = ask("data.csv", "--header", "no", "--certificate", "proof.json")
        exact = [[F(float(x)) for x in row] for row in rows]
        try:
            assert answer["separable"] is not None, "not decided"
            (judge_plane if answer["separable"] else judge_gordan)(exact, signs, answer)
            weak = is_weak(exact, signs)
            assert answer["quasi"] == (weak and not answer["separable"]), "quasi is wrong"
            assert run("data.csv", "--header", "no", "--check", "proof.json").returncode == 0, "refused"
        except AssertionError as error:
            fault(error, rows, signs, answer)
        key = (answer["separable"], answer["quasi"], isinstance(answer["certificate"].get("multipliers", [0])[0], str))
        seen[key] = seen.get(key, 0) + 1
    if len(seen) < 4:  # every kind of answer and of proof comes up
        fault("the problems are not various enough", seen)
    print("random problems:", sum(seen.values()), seen)


# ---- certificates that do not hold -------------------------------------------------------------


def numbers_of(tree, path=()):
    """The places of all numbers, and of texts that are labels or whole numbers."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        if isinstance(value, (dict, list)):
            yield from numbers_of(value, (*path, key))
        elif not isinstance(value, bool) and value is not None:
            yield (*path, key)


def changed(tree, path):
    copied = copy.deepcopy(tree)
    at = copied
    for key in path[:-1]:
        at = at[key]
    value = at[path[-1]]
    at[path[-1]] = value + "1" if isinstance(value, str) else value + max(1, abs(value))
    return copied


def refused(words, file, what):
    with open("other.json", "w") as out:
        json.dump(file, out)
    done = run(*words, "--check", "other.json")
    if done.returncode != 3 or "certificate" not in done.stderr and "is not a" not in done.stderr:
        fault(what, done.returncode, done.stderr)


def damaged_certificates():
    count = 0
    write("xor.csv", [[0, 0], [0, 1], [1, 0], [1, 1]], "abba")
    write("touch.csv", [[0, 0], [2, 4], [1, 2], [3, 9]], "bbab")
    write("apart.csv", [[0, 0], [2, 1], [5, 7], [9, 4]], "aabb")
    iris = os.path.join(EXAMPLES, "iris.csv")
    for words in (["xor.csv"], ["touch.csv"], ["apart.csv"], ["xor.csv", "-m", "poly(degree=2)"], [iris]):
        ask(*words, "--certificate", "proof.json")
        with open("proof.json") as file:
            proof = json.load(file)
        with open("same.json", "w") as out:
            json.dump(proof, out)  # other blanks are no change
        if run(words[0], "--check", "same.json").returncode:
            fault("a certificate written anew is refused", words)
        places = list(numbers_of(proof))
        for path in places[:: 1 + len(places) // 60]:
            refused(words[:1], changed(proof, path), f"{words} {path} is not missed")
            count += 1
        # without the checksum the proof alone has to tell
        del proof["checksum"]
        for path in places:
            if path[-1] in ("format", "maps", "checksum", "kind") or len(words) > 2 and path[-1] == "b":
                continue
            # a weight of a hyperplane may change, as long as it separates
            if "w" in path or path[-1] == "b" or "b" in path:
                continue
            refused(words[:1], changed(proof, path), f"{words} {path}, no checksum, is not missed")
            count += 1
        # the other answer
        lie = copy.deepcopy(proof)
        lie["separable"] = not lie["separable"]
        refused(words[:1], lie, "a lie")
    # other data
    ask("xor.csv", "--certificate", "proof.json")
    write("more.csv", [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], "abbaa")
    write("labels.csv", [[0, 0], [0, 1], [1, 0], [1, 1]], "acca")
    write("moved.csv", [[0, 0], [0, 1], [1, 0], [1, 1.5]], "abba")
    write("turned.csv", [[0, 0], [0, 1], [1, 0], [1, 1]], "aabb")
    write("wide.csv", [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]], "abba")
    for other in ("more.csv", "labels.csv", "moved.csv", "turned.csv", "wide.csv"):
        done = run(other, "--check", "proof.json")
        if done.returncode != 3:
            fault(other, "is taken for xor.csv", done.stderr)
    for text in ("", "{", "[]", "{}", '{"kind":"gordan"}', '{"kind":"gordan","rows":[],"multipliers":[]}',
                 '{"kind":"gordan","rows":[0],"multipliers":["0"]}', '{"kind":"hyperplane","w":[1],"b":0}',
                 '{"kind":"hyperplane","w":[1,2],"b":null}', '{"kind":"gordan","rows":[0,1],"multipliers":[1,"1"]}',
                 '{"kind":"gordan","rows":[0.5,1],"multipliers":["1","1"]}', '{"separable":null}',
                 '{"kind":"gordan","rows":[0,1e99],"multipliers":["1","1"]}'):
        with open("odd.json", "w") as out:
            out.write(text)
        done = run("xor.csv", "--check", "odd.json")
        if done.returncode != 3:
            fault("taken for a certificate:", text, done.returncode)
    # three classes: machines without weights, machines with ties, and a row as its own rival
    write("three.csv", [[1, 0], [0, 1], [-1, -1], [0, 0]], "abcc")
    for text in ('{"kind":"machine","w":[[0,0],[0,0],[0,0]],"b":[0,0,0]}',
                 '{"kind":"machine","w":[[1,1],[1,1],[1,1]],"b":[5,5,5]}',
                 '{"kind":"machine","w":[[2,0],[0,2],[-1,-1]],"b":[0,0,0]}',
                 '{"kind":"machine","w":[[2,0],[0,2],[-1,-1]],"b":[0,0.5,0.5]}',
                 '{"kind":"machine","w":[[2,0],[0,2]],"b":[0,0]}', '{"kind":"hyperplane","w":[0,0],"b":0}',
                 '{"kind":"gordan","rows":[0],"rivals":["a"],"multipliers":["1"]}',
                 '{"kind":"gordan","rows":[0,1],"rivals":["b","a"],"multipliers":[1,1]}',
                 '{"kind":"gordan","rows":[2,3],"rivals":["a","b"],"multipliers":["0","0"]}'):
        with open("odd.json", "w") as out:
            out.write(text)
        done = run("three.csv", "--header", "no", "--check", "odd.json")
        if done.returncode != 3:
            fault("taken for a certificate of three classes:", text, done.returncode)
    with open("good.json", "w") as out:
        out.write('{"kind":"machine","w":[[2,0],[0,2],[-1,-1]],"b":[0,0,0.5]}')
    if run("three.csv", "--header", "no", "--check", "good.json").returncode:
        fault("a machine that wins everywhere is refused")
    # a certificate as the report shows it, by itself
    with open("bare.json", "w") as out:
        json.dump(ask("xor.csv")["certificate"], out)
    if run("xor.csv", "--check", "bare.json").returncode:
        fault("a bare certificate is refused")
    for words, code in ((["--check", "nosuch.json"], 3), (["--check", "a", "--certificate", "b"], 2),
                        (["--certificate", "xor.csv"], 2), (["--certificate", "nosuch/c.json"], 6),
                        (["-m", "perceptron"], 2), (["--max-seconds", "x"], 2), (["--maps", "nothing"], 2)):
        done = run("xor.csv", *words)
        if done.returncode != code:
            fault(words, done.returncode, done.stderr)
    print("damaged certificates:", count)


# ---- known sets --------------------------------------------------------------------------------


def known_sets():
    iris = ask(os.path.join(EXAMPLES, "iris.csv"))
    pairs = {tuple(p["classes"]): p["separable"] for p in iris["pairs"]}
    rest = {r["class"]: r["separable"] for r in iris["rest"]}
    if pairs != {("setosa", "versicolor"): True, ("setosa", "virginica"): True, ("versicolor", "virginica"): False}:
        fault("pairs of iris", pairs)
    if rest != {"setosa": True, "versicolor": False, "virginica": False}:
        fault("classes of iris against the rest", rest)
    if iris["machine"] is not False or iris["separable"] is not False:
        fault("a machine for iris")
    wine = ask(os.path.join(EXAMPLES, "wine.csv"))
    if not (wine["machine"] and all(p["separable"] for p in wine["pairs"] + wine["rest"])):
        fault("wine is separable in every sense")
    # pairwise but not by a machine: total => machine => pairwise, and none of them back
    write("ring.csv", [[0, 0], [4, 0], [1, 4], [2, 5], [1.2, 1.2], [2.5, 1.5], [0.5, 2.2]], "aabbccc")
    ring = ask("ring.csv", "--header", "no")
    truth = [all(p["separable"] for p in ring["pairs"]), ring["machine"], all(r["separable"] for r in ring["rest"])]
    if truth != sorted(truth, reverse=True):
        fault("the order of the three senses", truth)
    rng = random.Random(test_seed(1))
    disc = [[rng.gauss(0, 1), rng.gauss(0, 1)] for _ in range(200)]
    labels = ["in" if x * x + y * y < 1 else "out" for x, y in disc]
    disc = [[x, y] if t == "in" else [1.5 * x, 1.5 * y] for (x, y), t in zip(disc, labels)]
    write("disc.csv", disc, labels)
    if ask("disc.csv", "--header", "no")["separable"] is not False:
        fault("a disc in a ring is not separable")
    if ask("disc.csv", "--header", "no", "-m", "poly(degree=2)")["separable"] is not True:
        fault("a disc in a ring is separable by squares")
    keys = ["schema", "command", "separable", "quasi", "margin", "updates", "certificate", "warnings"]
    if list(ask("disc.csv", "--header", "no")) != keys:
        fault("the keys of the report")
    if list(iris) != keys[:-1] + ["pairs", "rest", "machine", "warnings"]:
        fault("the keys of a report on three classes", list(iris))


def stopped_early():
    rng = random.Random(test_seed(2))
    rows = [[rng.gauss(0, 1) for _ in range(60)] for _ in range(3000)]
    write("large.csv", rows, ["ab"[i % 2] for i in range(len(rows))])
    answer = ask("large.csv", "--header", "no", "--max-seconds", "1e-9")
    low, high = answer["margin"]
    if answer["separable"] is not None or low != 0 or not high > 0:
        fault("stopped at once", answer)
    if [w["code"] for w in answer["warnings"]] != ["not-decided"]:
        fault("the warning of an answer that is missing", answer["warnings"])
    if ask("large.csv", "--header", "no")["separable"] is not False:
        fault("labels by turns are not separable")


random_problems()
damaged_certificates()
known_sets()
stopped_early()
raise SystemExit(failures > 0)
