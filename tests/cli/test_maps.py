#!/usr/bin/env python3
"""Maps from the command line: phi computed here, from the formulas and the numbers in the model file,
is what `transform` writes, and a model trained on it has the scores of the built-in chain."""
import csv
import itertools
import json
import math
import os
import random
import resource
import struct
import subprocess
import sys

from checks import check, finish
from seeds import test_seed

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]


def run(*words, limit=None):
    less = (lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))) if limit else None
    return subprocess.run([SEPAL, *words], capture_output=True, text=True, preexec_fn=less)


def sepal(*words):
    done = run(*words)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


def table(text):
    head, *rows = csv.reader(text.splitlines())
    return head, [[float(cell) for cell in row] for row in rows]


def numbers_of(file):
    """The tensors map1, map2, ... of a model, as lists of rows."""
    with open(file, "rb") as model:
        size, = struct.unpack("<Q", model.read(8))
        header, data = json.loads(model.read(size)), model.read()
    tensors = {}
    for name, tensor in header.items():
        if name.startswith("map"):
            first, end = tensor["data_offsets"]
            values = struct.unpack(f"<{(end - first) // 8}d", data[first:end])
            width = tensor["shape"][1]
            tensors[name] = [values[i:i + width] for i in range(0, len(values), width)]
    return tensors


# ---- the formulas ------------------------------------------------------------------------------

def affine(x, numbers):
    return [(v - shift) / divisor for v, shift, divisor in zip(x, *numbers)]


def poly(x, degree, interactions):
    terms = itertools.chain.from_iterable(
        itertools.combinations_with_replacement(range(len(x)), g) if interactions
        else [(j,) * g for j in range(len(x))] for g in range(1, degree + 1))
    return [math.prod(x[j] for j in term) for term in terms]


def rbf(x, numbers):
    return [math.exp(-math.dist(x, row[:-1]) ** 2 / (2 * row[-1] ** 2)) for row in numbers]


def sigmoid(x, numbers):
    *centres, widths = numbers
    return [1 / (1 + math.exp(-(v - row[j]) / widths[j])) for j, v in enumerate(x) for row in centres]


def fourier(x, numbers):
    *omega, phase = numbers
    n = len(phase)
    return [math.sqrt(2 / n) * math.cos(sum(v * row[f] for v, row in zip(x, omega)) + phase[f])
            for f in range(n)]


def hashed(x, bits):
    out, state, mask = [0.0] * 2 ** bits, 0, 2 ** 64 - 1
    for v in x:
        state = state + 0x9E3779B97F4A7C15 & mask
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        z ^= z >> 31
        out[z % 2 ** bits] += -v if z >> 63 else v
    return out


CHAINS = [
    ("identity", lambda x, m: x),
    ("standardize", lambda x, m: affine(x, m["map1"])),
    ("minmax", lambda x, m: affine(x, m["map1"])),
    ("poly", lambda x, m: poly(x, 2, True)),
    ("poly(degree=3, interactions=false)", lambda x, m: poly(x, 3, False)),
    ("rbf(centres=6)", lambda x, m: rbf(x, m["map1"])),
    ("sigmoid(centres=2)", lambda x, m: sigmoid(x, m["map1"])),
    ("fourier(features=7, width=3)", lambda x, m: fourier(x, m["map1"])),
    ("hash(bits=3)", lambda x, m: hashed(x, 3)),
    ("standardize | poly", lambda x, m: poly(affine(x, m["map1"]), 2, True)),
    ("poly | standardize", lambda x, m: affine(poly(x, 2, True), m["map2"])),
    ("minmax | rbf(centres=4) | identity | standardize",
     lambda x, m: affine(rbf(affine(x, m["map1"]), m["map2"]), m["map4"])),
]


def near(a, b, tolerance):
    return abs(a - b) <= tolerance * max(1, abs(b))


def check_chain(chain, formula, data, rows, labels):
    sepal("train", data, "-m", f"{chain} | least-squares", "-q", "-o", "inside.sepal")
    model = numbers_of("inside.sepal")
    head, found = table(sepal("transform", "inside.sepal", data))
    phi = [formula(row, model) for row in rows]
    check(len(found) == len(rows) and len(head) == len(phi[0]), f"{chain}: shape of transform")
    check(all(near(a, b, 1e-12) for one, other in zip(found, phi) for a, b in zip(one, other)),
          f"{chain} on {data}: transform is not the formula")
    with open("outside.csv", "w") as file:
        file.write(",".join(f"z{j}" for j in range(len(phi[0]))) + ",class\n")
        for row, label in zip(phi, labels):
            file.write(",".join(map(repr, row)) + f",{label}\n")
    for learner in ("least-squares(l2=1e-3)", "perceptron(epochs=3)"):
        sepal("train", data, "-m", f"{chain} | {learner}", "-q", "-o", "inside.sepal")
        sepal("train", "outside.csv", "-m", learner, "-q", "-o", "outside.sepal")
        inside = sepal("predict", "inside.sepal", data, "--scores")
        outside = sepal("predict", "outside.sepal", "outside.csv", "--scores")
        pairs = list(zip(csv.reader(inside.splitlines()), csv.reader(outside.splitlines())))
        same = all(near(float(a), float(b), 1e-7) for one, other in pairs[1:]
                   for a, b in zip(one[1:], other[1:]))
        check(len(pairs) == len(rows) + 1 and same, f"{chain} | {learner} on {data}: scores differ")


def write_sparse(name, rows, labels):
    with open(name, "w") as file:
        for row, label in zip(rows, labels):
            cells = " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row) if v)
            file.write(f"{label} {cells}\n")


def test_oracle():
    iris = os.path.join(SOURCE, "examples/data/iris.csv")
    with open(iris) as file:
        _, *lines = csv.reader(file)
    rows, labels = [[float(c) for c in line[:-1]] for line in lines], [line[-1] for line in lines]
    random.seed(test_seed(1))
    thin = [[random.gauss(0, 1) if random.random() < 0.12 else 0.0 for _ in range(40)]
            for _ in range(150)]
    for row in thin:
        row[39] = 1.0  # every column is there to be seen
    marks = [int(sum(row[:20]) > sum(row[20:39])) for row in thin]
    write_sparse("thin.svm", thin, marks)
    for chain, formula in CHAINS:
        check_chain(chain, formula, iris, rows, labels)
        check_chain(chain, formula, "thin.svm", thin, marks)


def errors(data, spec):
    return json.loads(sepal("train", data, "-m", spec, "--json", "-q"))["train"]["errors"]


def test_what_basis_functions_are_for():
    with open("xor.csv", "w") as file:
        file.write("u,v,class\n0,0,a\n0,1,b\n1,0,b\n1,1,a\n")
    check(errors("xor.csv", "perceptron(variant=pocket)") > 0, "XOR is separable as it is")
    check(errors("xor.csv", "poly(degree=2) | perceptron") == 0, "XOR with products")
    check(errors("xor.csv", "poly(degree=2, interactions=false) | perceptron(variant=pocket)") > 0,
          "XOR with powers alone")
    check(errors("xor.csv", 'rbf(centres="0,0;1,1") | perceptron') == 0, "XOR with two bumps")
    random.seed(test_seed(2))
    with open("ring.csv", "w") as file:
        file.write("u,v,class\n")
        for i in range(400):
            radius, angle = (random.uniform(0, 1), random.uniform(1.5, 2))[i % 2], random.uniform(0, 7)
            file.write(f"{radius * math.cos(angle)},{radius * math.sin(angle)},{'io'[i % 2]}\n")
    check(errors("ring.csv", "perceptron(variant=pocket)") > 50, "a disc in a ring as it is")
    for maps in ("poly", "rbf(centres=10)", "fourier"):
        check(errors("ring.csv", f"{maps} | perceptron(epochs=10000)") == 0, f"a disc in a ring by {maps}")


def test_units():
    """Column-by-column maps are folded back: least squares without a penalty is the same model."""
    wine = os.path.join(SOURCE, "examples/data/wine.csv")
    def weights(maps):
        sepal("train", wine, "-m", maps + "least-squares", "-q", "-o", "m.sepal")
        model = json.loads(sepal("inspect", "m.sepal", "--json"))
        return [v for row in model["weights"] for v in row] + model["bias"]
    plain = weights("")
    for maps in ("standardize | ", "minmax | ", "standardize | minmax | identity | "):
        check(all(near(a, b, 1e-9) for a, b in zip(weights(maps), plain)), f"{maps} in the user's units")


def test_identity():
    """It changes no bit, in whatever form rows are kept: here a row has one value, beside its columns."""
    rows = [[i / 7 if (i * j) % 37 in (1, 2, 5, 9) else 0 for j in range(40)] for i in range(1, 400)]
    write_sparse("sparse.libsvm", rows, [i % 3 % 2 for i in range(1, 400)])
    said = []
    for maps in ("", "identity | ", "identity | identity | "):
        sepal("train", "sparse.libsvm", "-m", maps + "least-squares", "-q", "-o", "m.sepal")
        said.append(sepal("predict", "m.sepal", "sparse.libsvm", "--scores"))
    check(said[0] == said[1] == said[2], "identity changes scores")


def test_seeds():
    iris = os.path.join(SOURCE, "examples/data/iris.csv")
    for maps in ("fourier(features=5)", "rbf(centres=5)"):
        models = []
        for seed in ("1", "1", "2"):
            sepal("train", iris, "-m", f"{maps} | perceptron", "--seed", seed, "-q", "-o", "m.sepal")
            models.append(numbers_of("m.sepal")["map1"])
        check(models[0] == models[1], f"{maps}: one seed, two results")
        check(models[0] != models[2], f"{maps}: two seeds, one result")


def test_refusals():
    iris = os.path.join(SOURCE, "examples/data/iris.csv")
    write_sparse("wide.svm", [[0.0] * 89526 + [1.0], [1.0]], ["a", "b"])
    for spec, data, status, words in (
            ('rbf(centres="1,2,3")', iris, 3, "has 3 coordinates, the rows have 4"),
            ("rbf(centres=ten)", iris, 2, "neither a number of centres"),
            ("rbf(centres=1000)", iris, 3, "write centres=149"),
            ("rbf(width=0)", iris, 2, "width=0 is outside (0, inf)"),
            ("sigmoid(centres=\"a,b\")", iris, 2, "numbers like"),
            ("poly(degree=11)", iris, 2, "outside [1, 10]"),
            ("poly", "wide.svm", 3, "would make 4007676155 columns"),
            ("hash(bits=31)", iris, 2, "outside [1, 30]"),
            ("fourier(features=0)", iris, 2, "outside"),
            ("poly(degre=2)", iris, 2, "did you mean 'degree'")):
        done = run("train", data, "-m", f"{spec} | perceptron", "-q", "-o", "none.sepal")
        check(done.returncode == status and words in done.stderr and not os.path.exists("none.sepal"),
              f"{spec}: exit {done.returncode}, {done.stderr}")
    limit = 2 ** 30
    if run("--version", limit=limit).returncode == 0:  # sanitizers need terabytes
        with open("dense.csv", "w") as file:
            for i in range(300):
                file.write(",".join(str(1 + i * j % 7) for j in range(150)) + f",{i % 2}\n")
        done = run("train", "dense.csv", "-m", "poly(degree=3) | perceptron", "-q", limit=limit // 2)
        check(done.returncode == 6 and "300 x 585275 numbers that poly makes" in done.stderr,
              f"too large: exit {done.returncode}, {done.stderr}")


def main():
    test_oracle()
    test_what_basis_functions_are_for()
    test_units()
    test_identity()
    test_seeds()
    test_refusals()
    finish(90)


main()
