#!/usr/bin/env python3
"""Rows of certificates, traces and messages are called by their number among the file's data rows,
from 0, also when rows before them were left out: of weight 0, with a missing value, of a bad line, or
held out. The law: a file with rows that are left out gives what the file without them gives, except
that row i is called by its number in the longer file; and --check takes these numbers."""
import gzip
import json
import os
import random
import struct
import subprocess
import sys

from seeds import test_seed

SEPAL = os.environ["SEPAL"]
random.seed(test_seed(7))
failures = []


def check(truth, what):
    if not truth:
        failures.append(what)


def run(*words, stdin=None):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True, timeout=200, stdin=stdin)


def done(*words, stdin=None):
    result = run(*words, stdin=stdin)
    if result.returncode:
        sys.exit(f"{words}: exit {result.returncode}: {result.stderr}")
    return result.stdout


# ---- files -------------------------------------------------------------------------------------


def problem(n, cols, classes):
    """Whole numbers that overlap; every class has a row that another has, too."""
    x = [[random.randrange(-4, 5) for _ in range(cols)] for _ in range(n)]
    y = [random.randrange(classes) for _ in range(n)]
    twins = random.sample(range(n), 2 * classes)
    for k in range(classes):
        a, b = twins[2 * k], twins[2 * k + 1]
        x[b], y[a], y[b] = x[a], k, (k + 1) % classes
    return x, y, set(twins)


def write_lines(name, lines):
    with open(name, "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


def write_npy(name, x):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(x)}, {len(x[0])}), }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    with open(name, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for row in x:
            out.write(struct.pack(f"<{len(row)}d", *row))


def cells(row, label, extra=()):
    return ",".join([str(v) for v in row] + [str(v) for v in extra] + [f"c{label}"])


def entries(row, label):
    return f"{label} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(row) if v)


def header(cols, *extra):
    return ",".join([f"x{j}" for j in range(cols)] + list(extra) + ["class"])


def csv(name, x, y, out):
    write_lines(name, [header(len(x[0]))] + [cells(*row) for row in zip(x, y)])
    return [name], []


def csv_weight(name, x, y, out):
    weights = [0 if i in out else 1 for i in range(len(x))]
    write_lines(name, [header(len(x[0]), "w")] + [cells(r, k, [w]) for r, k, w in zip(x, y, weights)])
    return [name, "--weight", "w"], []


def csv_weights_file(name, x, y, out):
    csv(name, x, y, out)
    write_lines(name + ".w", [str(int(i not in out)) for i in range(len(x))])
    return [name, "--weights", name + ".w"], []


def csv_missing(name, x, y, out):
    holes = [["?" if i in out and j == i % len(r) else v for j, v in enumerate(r)]
             for i, r in enumerate(x)]
    csv(name, holes, y, out)
    return [name, "--missing", "drop"], []


def csv_bad_lines(name, x, y, out):
    lines = [cells(r, k) + (",surplus" if i in out else "") for i, (r, k) in enumerate(zip(x, y))]
    write_lines(name, [header(len(x[0]))] + lines)
    return [name, "--bad-lines", "skip"], []


def csv_odd_text(name, x, y, out):
    odd = [["word" if i in out and j == 0 else v for j, v in enumerate(r)] for i, r in enumerate(x)]
    csv(name, odd, y, out)
    return [name, "--bad-lines", "skip"], []


def csv_every_way(name, x, y, out):
    """Some by weight, some for a missing value, some as bad lines; a stream that was packed."""
    lines = []
    for i, (row, label) in enumerate(zip(x, y)):
        way = sorted(out).index(i) % 3 if i in out else None
        lines.append(cells([""] + row[1:] if way == 1 else row, label, [int(way != 0)])
                     + (",surplus" if way == 2 else ""))
    with gzip.open(name, "wt", encoding="ascii") as file:
        file.write("\n".join([header(len(x[0]), "w")] + lines) + "\n")
    return ["-", "--weight", "w", "--missing", "drop", "--bad-lines", "skip"], [name]


def libsvm_weights(name, x, y, out):
    # an empty line and a comment are no rows
    write_lines(name, ["# rows", ""] + [entries(*row) for row in zip(x, y)])
    write_lines(name + ".w", [str(int(i not in out)) for i in range(len(x))])
    return [name, "--format", "libsvm", "--weights", name + ".w"], []


def libsvm_bad_lines(name, x, y, out):
    write_lines(name, [entries(*r) + (" 3:what" if i in out else "") for i, r in enumerate(zip(x, y))])
    return [name, "--format", "libsvm", "--bad-lines", "skip"], []


def arff(name, x, y, out):
    lines = ["@relation r"] + [f"@attribute x{j} numeric" for j in range(len(x[0]))]
    lines += ["@attribute class {" + ",".join(f"c{k}" for k in sorted(set(y))) + "}", "@data"]
    lines += [cells(["?"] + r[1:] if i in out else r, k) for i, (r, k) in enumerate(zip(x, y))]
    write_lines(name, lines)
    return [name, "--format", "arff", "--missing", "drop"], []


def npy(name, x, y, out):
    write_npy(name, x)
    write_lines(name + ".l", [f"c{k}" for k in y])
    write_lines(name + ".w", [str(int(i not in out)) for i in range(len(x))])
    return [name, "--labels", name + ".l", "--weights", name + ".w"], []


WAYS = (csv_weight, csv_weights_file, csv_missing, csv_bad_lines, csv_odd_text, csv_every_way,
        libsvm_weights, libsvm_bad_lines, arff, npy)


def opened(inputs):
    """What stands at standard input: a file descriptor, or nothing."""
    return open(inputs[0], "rb") if inputs else None


# ---- traces and certificates -------------------------------------------------------------------


def trace(args, inputs, *words):
    done("train", *args, "-q", *words, "--trace", "steps.json", stdin=opened(inputs))
    with open("steps.json", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def certificates(answer):
    """All Gordan certificates of a report."""
    claims = [answer, *answer.get("pairs", ()), *answer.get("rest", ())]
    return [c["certificate"] for c in claims if (c["certificate"] or {}).get("kind") == "gordan"]


def renumber(lines, names):
    for line in lines:
        if "example" in line:
            line["example"] = names[line["example"]]
    return lines


rounds = 6 if os.environ.get("SEPAL_NIGHTLY") == "1" else 1
for number, way in enumerate(WAYS * rounds):
    n, cols, classes = random.randrange(30, 60), random.randrange(2, 6), 2 + number % 3
    x, y, twins = problem(n, cols, classes)
    out = set(random.sample(sorted(set(range(n)) - twins), n // 3)) | {n // 2} - twins
    names = [i for i in range(n) if i not in out]
    args, inputs = way("full", x, y, out)
    # libsvm's labels are numbers, and its columns have other names: the short file is its twin
    short, nothing = (libsvm_weights if way in (libsvm_weights, libsvm_bad_lines) else csv)(
        "short", [x[i] for i in names], [y[i] for i in names], ())
    what = f"{way.__name__}, {classes} classes"

    for spec in ("perceptron", "standardize+perceptron+ovo", "poly(degree=2)+perceptron+ovr"):
        words = ("-m", spec, "--epochs", "3")
        full, rest = trace(args, inputs, *words), trace(short, nothing, *words)
        check(full == renumber(rest, names), f"{what}: trace of {spec}")
    answer = json.loads(done("separable", *args, "--json", "--certificate", "full.json",
                             stdin=opened(inputs)))
    brief = json.loads(done("separable", *short, "--json"))
    mine, theirs = certificates(answer), certificates(brief)
    check(mine and len(mine) == len(theirs), f"{what}: {len(mine)} certificates")
    for a, b in zip(mine, theirs):
        check(a["rows"] == [names[i] for i in b["rows"]] and a["multipliers"] == b["multipliers"],
              f"{what}: rows {a['rows']} are not {b['rows']} of {names}")
    done("separable", *args, "--check", "full.json", stdin=opened(inputs))
    # rows that were left out prove nothing, nor do rows beyond the end
    for wrong in (min(out), n):
        lone = dict(mine[0], rows=[wrong, *mine[0]["rows"][1:]])
        with open("wrong.json", "w", encoding="ascii") as file:
            json.dump(lone, file)
        result = run("separable", *args, "--check", "wrong.json", stdin=opened(inputs))
        check(result.returncode == 3 and "row" in result.stderr, f"{what}: row {wrong} is taken")

# ---- rows held out -----------------------------------------------------------------------------

x, y, _ = problem(80, 4, 2)
csv("all.csv", x, y, ())
weights, bias, seen = [0.0] * 4, 0.0, set()
for line in trace(["all.csv"], [], "-m", "perceptron", "--epochs", "4", "--holdout", "0.4"):
    i = line["example"]
    check(line["label"] == f"c{y[i]}", f"held out: row {i} is not of class {line['label']}")
    score = sum(a * b for a, b in zip(weights, x[i])) + bias
    check(score == line["score_before"], f"held out: row {i} has the score {score}")
    weights, bias = line["weights"][0], line["bias"][0]
    seen.add(i)
check(max(seen) >= 48, "held out: no row has a number beyond the count of those that stay")

# ---- many chunks -------------------------------------------------------------------------------

# Over a megabyte of rows, of which the last but few meet a twin.
n = 90000
lines = [f"{2.5 * (i % 2) + random.random():.6f},c{i % 2},{int(i % 7 != 3)}" for i in range(n)]
lines[n - 50], lines[n - 20] = "0.5,c0,1", "0.5,c1,1"
write_lines("large.csv", ["x,class,w", *lines])
large = ["large.csv", "--weight", "w", "--target", "class"]
answer = json.loads(done("separable", *large, "--json", "--certificate", "large.json"))
check(sorted(answer["certificate"]["rows"])[-1] == n - 20,
      f"large: {answer['certificate']['rows']}")
done("separable", *large, "--check", "large.json")
with open("large.csv", "rb") as file:
    done("separable", "-", *large[1:], "--check", "large.json", stdin=file)

# ---- messages count from 1 ---------------------------------------------------------------------

write_lines("counts.csv", ["a,class,w", "1,u,1", "1,u,0", "1,v,0", "-3,v,1"])
result = run("train", "counts.csv", "-m", "naive-bayes", "--weight", "w", "--target", "class")
check("of row 4 is -3" in result.stderr, f"naive-bayes: {result.stderr}")
write_lines("huge.csv", ["a,class,w", "1,u,1", "1,u,0", "1,v,0", "1e200,v,1"])
result = run("train", "huge.csv", "-m", "poly(degree=2)+logistic", "--weight", "w", "--target", "class")
check("number of row 4 " in result.stderr, f"poly: {result.stderr}")

for failure in failures:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(bool(failures))
