#!/usr/bin/env python3
"""What convert writes reads back to the same rows, labels and classes, whatever the formats.

Each input S is written in every format A, and each of these files in a format B again. S -> A -> B must
be the bytes of S -> B, but for names and the first index, which not all formats hold. So any chain of
conversions ends where it began. A table holds all that there is to hold, so B is csv; the inputs of
IN_ALL_PAIRS go to every B, and all their files must be described alike."""
import json
import os
import random
import re
import struct
import subprocess

from seeds import test_seed

SEPAL = os.environ["SEPAL"]
DATA = os.path.join(os.environ["SEPAL_SOURCE"], "examples", "data")
FORMATS = ["csv", "tsv", "libsvm", "arff", "npy", "idx"]
FIVE = ["csv", "libsvm", "arff", "npy", "idx"]
WITH_WEIGHTS = ["csv", "tsv", "arff"]
KEYS = ["rows", "features", "nonzeros", "classes", "counts", "sum", "storage", "memory"]
IN_ALL_PAIRS = ["iris.csv", "tight_labels.csv", "wide.svm", "zero_based.svm", "padded.svm", "missing.csv", "weights.csv"]
failures = []
conversions = 0


def check(ok, name, why):
    if not ok:
        failures.append(f"{name}: {why}")
    return ok


def run(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, timeout=120)


# ---- inputs: name, bytes, options of reading, formats that must refuse it


def table(header, rows):
    quote = lambda cell: '"' + cell.replace('"', '""') + '"' if re.search('[",\\s]', cell) else cell
    return "\n".join(",".join(map(quote, row)) for row in [header, *rows]).encode() + b"\n"


def labelled(labels):
    """Three rows for each label, so that no format can tell it by its place."""
    rows = [[str(i), str(i * i % 7), label] for i, label in enumerate(labels * 3)]
    return table(["a", "b", "class"], rows)


def numbers(values, classes=3, columns=4):
    cells = [repr(v) for v in values] + ["0"] * (-len(values) % columns)
    rows = [cells[i:i + columns] + [f"k{i // columns % classes}"] for i in range(0, len(cells), columns)]
    return table([f"v{j}" for j in range(columns)] + ["y"], rows)


def any_doubles(rng, n):
    found = []
    while len(found) < n:
        value = struct.unpack("<d", rng.randbytes(8))[0]
        if value == value and abs(value) < float("inf"):
            found.append(value)
    return found


def sparse(rng, rows, columns, values, base=1):
    lines = []
    for i in range(rows):
        entries = sorted(rng.sample(range(columns), 6))
        lines.append(f"{i % 4 - 1} " + " ".join(f"{j + base}:{values(rng)!r}" for j in entries))
    return ("\n".join(lines) + f"\n1 {columns - 1 + base}:1 {base}:1\n").encode()


def inputs():
    rng = random.Random(test_seed(11))
    for name in ("iris", "wine", "breast_cancer", "digits"):
        yield f"{name}.csv", open(f"{DATA}/{name}.csv", "rb").read(), (), ""
    odd = ["plain", "a b", "a,b", 'say "x"', "it's", "{a}", "%50", "a?", "a;b", "back\\slash", "\\", "'", "#1",
           "caf\u00e9", "\u82b1", "\U0001f337", "x:y", "@data", "1 2", "-", "+", "a|b", "=", "\u00a0"]
    yield "odd_labels.csv", labelled(odd), (), "libsvm"
    yield "tight_labels.csv", labelled([x for x in odd if not re.search("[ ,:#]", x)]), (), ""
    yield "blank_ends.csv", labelled([" a", "a", "a ", "tab\tin"]), (), "libsvm npy idx"
    yield "line_breaks.csv", labelled(["a\nb", "a", "b\r", "\\n"]), (), "libsvm npy idx"
    yield "number_labels.csv", labelled(["10", "9", "-1", "300"]), (), ""
    yield "byte_labels.csv", labelled(["0", "255", "7"]), (), ""
    yield "real_labels.csv", labelled(["0.1", "1e20", "-2.5", "3", "1e-300"]), (), ""
    yield "large_labels.csv", labelled(["2147483648", "-2147483649", "9007199254740992"]), (), ""
    yield "texts_and_numbers.csv", labelled(["1", "1.0", "+1", "01", "x"]), (), ""
    yield "doubles.csv", numbers(any_doubles(rng, 400)), (), ""
    extremes = [5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e23, 0.1, -0.0, 2.0**53 + 2]
    yield "extremes.csv", numbers(extremes), (), ""
    singles = [3.4028234663852886e38, 2.0**-149, 16777216.0, -0.5, 256.0, -1.0, 1e-3 * 1000]
    yield "singles.csv", numbers(singles), (), ""
    yield "bytes.csv", numbers([float(rng.randrange(256)) for _ in range(200)]), (), ""
    yield "one_row_each.csv", table(["a", "class"], [[str(i), f"c{i}"] for i in range(12)]), (), ""
    yield "two_rows.csv", b"a,class\n1,x\n2,y\n", (), ""
    yield "zero_columns.csv", table(["a", "b", "c", "class"], [["0", str(i), "0", "xy"[i % 2]] for i in range(5)]), (), ""
    yield "wide.svm", sparse(rng, 60, 500, lambda r: r.random()), (), ""
    yield "wide_ones.svm", sparse(rng, 40, 300, lambda r: 1), (), ""
    yield "wide_singles.svm", sparse(rng, 40, 300, lambda r: r.randrange(-500, 500) / 8 or 1), (), ""
    yield "zero_based.svm", sparse(rng, 30, 60, lambda r: r.random(), base=0), (), ""
    yield "padded.svm", b"x 1:2\ny 2:3\n", ("--n-features", "40"), ""
    yield "sets.svm", b"1,3 1:2\n 2:1\n2 1:1\n", (), "csv arff npy idx"
    colours = [["red", "1", "p"], ["it's, \"so\"", "2", "q"], ["{50%}", "3", "p"], ["caf\u00e9", "4", "q"]]
    yield "categories.csv", table(["colour", "n", "class"], colours * 2), (), ""
    yield "missing.csv", b"c,n,class\nred,1,p\n?,,q\nblue,3,p\n", ("--missing", "indicator"), ""
    yield "names.csv", table(["a b", "it's", "x,y", "\\", "%", "1", "{n}", "\u00e9", "species"],
                             [[str(i * j) for j in range(8)] + ["pq"[i % 2]] for i in range(4)]), ("--header", "yes"), ""


# ---- conversions


def convert(source, target, options):
    """The files that were written, in the order rows, labels; None when it was refused."""
    global conversions
    conversions += 1
    done = run("convert", source, "-o", target, "--json", *options)
    if done.returncode:
        check(done.returncode == 3, target, f"exit {done.returncode}: {done.stderr!r}")
        check(not os.path.exists(target), target, "was written in spite of an error")
        return None
    facts = json.loads(done.stdout)
    check(facts["output"] == target, target, f"output {facts['output']!r}")
    check(("labels_output" in facts) == target.endswith((".npy", ".idx")), target, "labels_output")
    return [target] + ([facts["labels_output"]] if "labels_output" in facts else [])


def normal(files):
    """The bytes without names of columns, and LIBSVM counted from 1 without its entries of value 0."""
    content = [open(file, "rb").read() for file in files]
    text = content[0]
    if files[0].endswith((".csv", ".tsv")):
        content[0] = text[text.index(b"\n"):]
    elif files[0].endswith(".arff"):
        content[0] = re.sub(rb"(?m)^@attribute .*? (numeric|\{.*\})$", rb"\1", text)
    elif files[0].endswith(".libsvm"):
        rows = [line.split(b" ") for line in text.splitlines()]
        pairs = lambda row: [pair.split(b":") for pair in row[1:]]
        base = 0 if any(i == b"0" for row in rows for i, _ in pairs(row)) else 1
        content[0] = [(row[0], [(int(i) - base, v) for i, v in pairs(row) if v != b"0"]) for row in rows]
    return content


def describe(file, options):
    done = run("describe", file, "--json", *options)
    if not check(done.returncode == 0, file, f"cannot be described: {done.stderr!r}"):
        return None
    facts = json.loads(done.stdout)
    return {key: facts[key] for key in KEYS}


def describe_alike(files, options):
    wanted = describe(files[0], options)
    for file in files[1:]:
        found = describe(file, options)
        check(found == wanted, file, f"is described as {found}, not {wanted}")


def go_round(name, formats, options, options_between, refused):
    stem = re.sub(r"\..*", "", name)
    first = {to: convert(name, f"{stem}-1.{to}", options) for to in formats}
    for to in formats:
        check((first[to] is None) == (to in refused), f"{name} -> {to}", "refused or not, unlike expected")
    done = [to for to in formats if first[to]]
    if name in IN_ALL_PAIRS:
        describe_alike([first[to][0] for to in done], options_between)
    for between in done:
        for to in done if name in IN_ALL_PAIRS else done[:1]:
            second = convert(first[between][0], f"{stem}-2-{between}.{to}", options_between)
            if check(second is not None, f"{name} -> {between} -> {to}", "is refused"):
                check(normal(second) == normal(first[to]), f"{name} -> {between} -> {to}", "is not the same")


def main():
    listed = [row["name"] for row in json.loads(run("list", "formats", "--json").stdout)["formats"]]
    check(listed == FORMATS, "list formats", f"{listed}")
    check(b"csv, tsv, libsvm, arff, npy or idx" in run("convert", "--help").stdout, "help", "lacks a format")
    for name, content, options, refused in inputs():
        with open(name, "wb") as file:
            file.write(content)
        go_round(name, FIVE, options, (), refused.split())
    with open("weights.csv", "wb") as file:
        file.write(b"a,w,class\n1,2,x\n2,0.1,y\n3,1e-9,x\n")
    go_round("weights.csv", WITH_WEIGHTS, ("--weight", "w"), ("--weight", "w"), [])
    print("\n".join(failures[:40]))
    print(f"{conversions} conversions, {len(failures)} failures")
    raise SystemExit(1 if failures else 0)


main()
