#!/usr/bin/env python3
"""sepal split on files made here record by record: both parts begin as the file does, their records are those
of the file, each in one of them, byte for byte and in order; classes are shared out to the row; the same rows
as --holdout; groups stay whole; and nothing is written where something is wrong."""

import bz2
import gzip
import json
import os
import random
import struct
import subprocess

from checks import check, finish
from seeds import test_seed

SEPAL = os.environ["SEPAL"]
ROUNDS = 12 if os.environ.get("SEPAL_THIN") == "1" else 40


def run(*words, **more):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True, **more)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


class File:
    """A head, records, and the class and group of each."""

    def __init__(self, head, records, labels, groups, options=(), end="csv", delimiter=b","):
        self.head, self.records, self.labels, self.groups = head, records, labels, groups
        self.options, self.end, self.delimiter = list(options), end, delimiter

    def bytes(self):
        return self.head + b"".join(self.records)


def labels_of(rng, rows):
    classes = rng.sample(["no", "yes", "perhaps so", "2", "it's"], rng.randrange(2, 5))
    return [classes[0], classes[1]] + [rng.choice(classes) for _ in range(rows - 2)]


def draw_csv(rng, rows):
    eol = rng.choice([b"\n", b"\n", b"\r\n"])
    delimiter = rng.choice([b",", b";", b"\t"])
    labels, groups = labels_of(rng, rows), [rng.choice("abcdefgh") for _ in range(rows)]
    header = delimiter.join([b"x", b'"long name"', b"site", b"class"]) + eol
    head = rng.choice([b"", b"\xef\xbb\xbf"]) + header + rng.choice([b"", eol])
    records = []
    for label, group in zip(labels, groups):
        number = rng.choice([b"1.50", b"-0", b"", b"?", b"1e3", b" 7 ", b"NA"])
        text = rng.choice([b"plain", b'"a, b; c"', b'"two' + eol + b'lines"', b'"say ""so"""', b"", "Größe".encode()])
        cell = label if rng.random() < 0.7 else f'"{label}"'
        record = delimiter.join([number, text, group.encode(), cell.encode()]) + eol
        records.append(record + rng.choice([b"", b"", b"", eol]))
    return File(head, records, labels, groups, ["--header", "yes"], delimiter=delimiter)


def draw_libsvm(rng, rows):
    labels = [rng.choice(["1", "-1", "3"]) for _ in range(rows)]
    labels[:2] = "1", "-1"
    records = []
    for label in labels:
        entries = " ".join(f"{j}:{rng.choice(['1', '0.50', '-2e1'])}" for j in sorted(rng.sample(range(1, 9), 3)))
        records.append(f"{label} {entries}{rng.choice(['', '', ' # why'])}\n".encode() + rng.choice([b"", b"# no row\n"]))
    return File(rng.choice([b"", b"# a comment\n"]), records, labels, None, end="svm")


def draw_arff(rng, rows):
    labels = [rng.choice(["no", "yes"]) for _ in range(rows)]
    labels[:2] = "no", "yes"
    head = b"% about\n@relation r\n@attribute x numeric\n@attribute 'c d' {red, 'dark blue'}\n"
    head += b"@attribute class {no, yes}\n@data\n"
    records = [f"{rng.choice(['1', '?', '2.50'])},{rng.choice(['red', chr(39) + 'dark blue' + chr(39)])},{y}\n".encode() +
               rng.choice([b"", b"% between\n"]) for y in labels]
    return File(head, records, labels, None, end="arff")


def parts_of(file, made):
    """Which records are in the test: the bodies are gone through with the records of the file."""
    train, test = made
    check(train.startswith(file.head) and test.startswith(file.head), "the head is in both", train[:80], test[:80])
    train, test = train[len(file.head):], test[len(file.head):]
    chosen = []
    for k, record in enumerate(file.records):
        bare = record.rstrip(b"\r\n")
        # the last record of the file may end without a line end; one that comes after it gets one
        ends = [record] if k + 1 < len(file.records) else [record, bare]
        side = [any(part.startswith(end) for end in ends) for part in (train, test)]
        if side == [True, True]:
            return None  # two records of the same bytes: there is no telling
        if side == [False, False]:
            check(False, f"record {k} is in neither part", record, train[:60], test[:60])
            return None
        part = train if side[0] else test
        end = next(end for end in ends if part.startswith(end))
        train, test = (train[len(end):], test) if side[0] else (train, test[len(end):])
        chosen.append(side[1])
    check(train.strip() == b"" and test.strip() == b"", "more than the records", train[:60], test[:60])
    return chosen


def distinct(file):
    """Records that can be told apart, so that there is telling where each went."""
    for k, record in enumerate(file.records):
        if file.end == "svm":
            end = b" #" if b"#" in record.split(b"\n")[0] else b"\n"
            file.records[k] = record.replace(end, f" 1{k:05d}:1".encode() + end, 1)
        elif file.end == "arff":
            head, rest = record.split(b",", 1)
            file.records[k] = f"{k}.5".encode() + b"," + rest
        else:
            file.records[k] = f"{k}.5".encode() + record[record.index(file.delimiter):]


def check_counts(file, chosen, share, facts, what):
    for k, name in enumerate(facts["classes"]):
        rows = [i for i, label in enumerate(file.labels) if label == name]
        if not rows:
            continue
        n = sum(chosen[i] for i in rows)
        check(abs(n - share * len(rows)) <= 1, f"{what}: {n} of {len(rows)} rows of {name}, share {share}")
        check(facts["test"]["counts"][k] == n and facts["train"]["counts"][k] == len(rows) - n, f"{what}: {facts}")


def try_file(rng, file, what):
    if rng.random() < 0.8:
        distinct(file)
    if rng.random() < 0.5:
        file.records[-1] = file.records[-1].rstrip(b"\r\n")
    data = file.bytes()
    pack, name = rng.choice([(None, ""), (None, ""), (gzip.compress, ".gz"), (bz2.compress, ".bz2")])
    write(f"in.{file.end}{name}", pack(data) if pack else data)
    share = rng.choice([0.25, 0.1, 0.5, 0.8, 0.333])
    how = rng.choice(["", "", "--ordered", "--group"]) if file.groups else rng.choice(["", "", "--ordered"])
    words = [f"in.{file.end}{name}", "--test", str(share), "-o", "out", "--seed", str(rng.randrange(99)), "--json"]
    words += file.options + ([how, "site"] if how == "--group" else [how] if how else [])
    ended = run("split", *words)
    what = f"{what}, {' '.join(words)}"
    if not check_ended(ended, what):
        return
    facts = json.loads(ended.stdout)
    made = [read(f"out-{side}.{file.end}") for side in ("train", "test")]
    n = [facts[side]["rows"] for side in ("train", "test")]
    check(sum(n) == len(file.records) and min(n) > 0, f"{what}: {n} rows")
    again = run("split", *words, "--threads", rng.choice(["1", "4"]))
    check(again.stdout == ended.stdout and made == [read(f"out-{s}.{file.end}") for s in ("train", "test")], f"{what}: again")
    chosen = parts_of(file, made)
    if chosen is None:
        return
    check(sum(chosen) == n[1], f"{what}: {sum(chosen)} records and {n[1]} rows")
    if how == "--ordered":
        check(chosen == sorted(chosen), f"{what}: not the last ones")
        check(abs(sum(chosen) - share * len(chosen)) <= 1, f"{what}: {sum(chosen)} of {len(chosen)}")
    elif how == "--group":
        sides = {}
        for group, side in zip(file.groups, chosen):
            sides.setdefault(group, set()).add(side)
        check(all(len(s) == 1 for s in sides.values()), f"{what}: a group on both sides {sides}")
        largest = max(file.groups.count(group) for group in sides)
        check(abs(n[1] - share * sum(n)) <= largest, f"{what}: {n} rows, and {largest} in the largest group")
    else:
        check_counts(file, chosen, share, facts, what)


def check_ended(ended, what):
    check(ended.returncode == 0, f"{what}: exit {ended.returncode} {ended.stderr[:300]}")
    return ended.returncode == 0


def large(rng):
    """More than a chunk of the reader."""
    rows = 60000
    labels = [rng.choice("ab") for _ in range(rows)]
    records = [f'{k}.5,"line\n{k}",s{k % 7},{y}\n'.encode() for k, y in enumerate(labels)]
    file = File(b"x,t,site,class\n", records, labels, [f"s{k % 7}" for k in range(rows)], ["--categorical", "t"])
    write("in.csv", file.bytes())
    check(len(file.bytes()) > 1 << 20, "that is not large")
    ended = run("split", "in.csv", "-o", "out", "--drop", "t", "--json")
    if check_ended(ended, "large"):
        chosen = parts_of(file, [read("out-train.csv"), read("out-test.csv")])
        check_counts(file, chosen, 0.25, json.loads(ended.stdout), "large")


def npy(descr, order, shape, data):
    head = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data


def elements(blob):
    """(descr, fortran, shape, elements' bytes) of an npy file."""
    (length,) = struct.unpack("<H", blob[8:10])
    check((10 + length) % 64 == 0 and blob[9 + length : 10 + length] == b"\n", "the header is no multiple of 64")
    fields = eval(blob[10 : 10 + length].decode())  # as numpy's ast.literal_eval of the header
    return fields["descr"], fields["fortran_order"], fields["shape"], blob[10 + length :]


def arrays(rng):
    for descr, code in ("<f8", "<d"), (">i2", ">h"), ("|u1", "<B"), ("<f4", "<f"):
        for fortran in False, True:
            rows, cols, item = rng.randrange(8, 40), rng.randrange(1, 5), struct.calcsize(code)
            table = [[(7 * i + j) % 120 for j in range(cols)] for i in range(rows)]
            labels = [i % 2 for i in range(rows)]
            order = [(i, j) for j in range(cols) for i in range(rows)] if fortran else \
                    [(i, j) for i in range(rows) for j in range(cols)]
            write("in.npy", npy(descr, fortran, (rows, cols), b"".join(struct.pack(code, table[i][j]) for i, j in order)))
            write("in.labels.npy", npy("<i4", False, (rows,), struct.pack(f"<{rows}i", *labels)))
            ended = run("split", "in.npy", "-o", "out", "--json")
            if not check_ended(ended, f"npy {descr} {fortran}"):
                continue
            seen = []
            for side in "train", "test":
                kind, by_column, shape, data = elements(read(f"out-{side}.npy"))
                check((kind, by_column, shape[1]) == (descr, fortran, cols), f"{kind} {by_column} {shape}")
                kind, _, count, own = elements(read(f"out-{side}.labels.npy"))
                check(kind == "<i4" and count == (shape[0],), f"labels {kind} {count}")
                own = struct.unpack(f"<{count[0]}i", own)
                check(len(data) == shape[0] * cols * item, f"{len(data)} bytes of {shape}")
                for i in range(shape[0]):
                    at = [(j * shape[0] + i if fortran else i * cols + j) * item for j in range(cols)]
                    seen.append((tuple(struct.unpack(code, data[a : a + item])[0] for a in at), own[i]))
                check(run("describe", f"out-{side}.npy").returncode == 0, "describe reads what was written")
            check(sorted(seen) == sorted((tuple(r), y) for r, y in zip(table, labels)), f"npy {descr} {fortran}: rows")
    rows = 30
    write("x-images-idx3-ubyte", struct.pack(">IIII", 0x803, rows, 2, 2) + bytes(range(4 * rows)))
    write("x-labels-idx1-ubyte", struct.pack(">II", 0x801, rows) + bytes(i % 3 for i in range(rows)))
    ended = run("split", "x-images-idx3-ubyte", "--test", "0.2", "-o", "idx", "--json")
    if check_ended(ended, "idx"):
        seen = []
        for side, n in ("train", 24), ("test", 6):
            data, own = read(f"idx-{side}"), read(f"idx-{side}.labels.idx")
            check(struct.unpack(">IIII", data[:16]) == (0x803, n, 2, 2) and struct.unpack(">II", own[:8]) == (0x801, n), side)
            seen += [(data[16 + 4 * i : 20 + 4 * i], own[8 + i]) for i in range(n)]
            check(json.loads(run("describe", f"idx-{side}", "--json").stdout)["counts"] == [n / 3] * 3, f"{side} is read back")
        check(sorted(seen) == [(bytes(range(4 * i, 4 * i + 4)), i % 3) for i in range(rows)], "idx rows")


def beside(rng):
    """Labels and weights in files of lines go with their rows."""
    rows = 50
    write("b.csv", b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(rows)))
    write("b.txt", b"".join(b"class %d\n" % (i % 2) for i in range(rows)))
    write("w.txt", b"".join(b"%d\n" % (i % 5) for i in range(rows)))
    ended = run("split", "b.csv", "--labels", "b.txt", "--weights", "w.txt", "-o", "out", "--json")
    if not check_ended(ended, "labels beside"):
        return
    facts, seen = json.loads(ended.stdout), []
    check(facts["left_out"] == 10, f"rows of weight 0: {facts['left_out']}")
    for side in "train", "test":
        table = read(f"out-{side}.csv").splitlines()[1:]
        own, weights = read(facts[side]["labels_output"]).splitlines(), read(facts[side]["weights_output"]).splitlines()
        check(len(table) == len(own) == len(weights) == facts[side]["rows"], f"{len(table)} {len(own)} {len(weights)}")
        for row, label, weight in zip(table, own, weights):
            i = int(row.split(b",")[0])
            seen.append(i)
            check(label == b"class %d" % (i % 2) and weight == b"%d" % (i % 5), f"row {i}: {label} {weight}")
    check(sorted(seen) == [i for i in range(rows) if i % 5], f"rows {sorted(seen)}")


def holdout():
    """train --holdout of the file, and train of one part tested on the other, are the same."""
    data = f"{os.environ['SEPAL_SOURCE']}/examples/data/"
    for name, share, seed in ("iris", "0.3", "1"), ("wine", "0.25", "5"), ("breast_cancer", "0.4", "9"):
        whole = run("train", f"{data}{name}.csv", "-m", "lda", "--holdout", share, "--seed", seed, "--json", "-o", "whole.sepal")
        ended = run("split", f"{data}{name}.csv", "--test", share, "--seed", seed, "-o", "h")
        check_ended(ended, name)
        parts = run("train", "h-train.csv", "-m", "lda", "--test", "h-test.csv", "--seed", seed, "--json", "-o", "parts.sepal")
        same = [json.loads(ran.stdout) for ran in (whole, parts)]
        check(same[0]["test"] == same[1]["test"] and same[0]["train"] == same[1]["train"], f"{name}: {same}")
        check(read("whole.sepal") == read("parts.sepal"), f"{name}: other models")
        check(same[0]["test"]["rows"] == json.loads(run("describe", "h-test.csv", "--json").stdout)["rows"], name)


def refused():
    """Nothing is written, nothing of what was there is lost, and it is said what to do."""
    good = b"x,class\n" + b"".join(b"%d,%s\n" % (i, b"ab"[i % 2 : i % 2 + 1]) for i in range(20))
    write("blank.csv", b"x,g,class\n1,p,a\n2,q,b\n3,,a\n4,p,b\n")
    write("g.csv", good)
    write("r-train.csv", b"precious")
    cases = [
        (["g.csv", "--test", "0"], 2, "(0, 1)"), (["g.csv", "--test", "1"], 2, "(0, 1)"),
        (["g.csv", "--test", "x"], 2, "test"), (["-"], 2, "twice"), (["absent.csv"], 3, "absent.csv"),
        (["g.csv", "--ordered", "--group", "x"], 2, "--ordered"), (["g.csv", "--stratified", "--ordered"], 2, "--stratified"),
        (["g.csv", "--group", "nobody"], 3, "--group"), (["g.csv", "--train-out", "r", "--test-out", "./r"], 2, "same file"),
        (["g.csv", "--train-out", "g.csv"], 2, "lost"), (["g.csv", "--test-out", "no/such/folder.csv"], 6, "folder"),
        (["g.csv", "--test-out", "-"], 2, "--test-out"), (["one.csv"], 3, "1 row"), (["same.csv", "--group", "x"], 3, "--group"),
        (["blank.csv", "--group", "g"], 3, "row 3 has no group in column 'g'"),
        (["bad.csv"], 3, "--bad-lines"), (["none.csv"], 3, "no label"), (["g.svm", "--group", "1"], 2, "--group"),
        (["g.csv", "--test", "0.001"], 3, "--test"), (["pipe"], 3, "save it"),
    ]
    write("one.csv", b"x,class\n1,a\n")
    write("same.csv", b"x,class\n1,a\n1,b\n1,a\n")
    write("bad.csv", good + b"1,2,3\n" + good[8:])
    write("none.csv", good + b"3,\n")
    write("g.svm", b"1 1:2\n2 1:3\n" * 5)
    os.mkfifo("pipe")
    before = sorted(os.listdir("."))
    for words, code, word in cases:
        more = {"stdin": subprocess.DEVNULL}
        writer = subprocess.Popen(["sh", "-c", "cat g.csv > pipe"]) if words == ["pipe"] else None
        ended = run("split", *words, *([] if "-out" in " ".join(words) else ["-o", "r"]), **more)
        if writer:
            writer.wait()
        check(ended.returncode == code and word in ended.stderr, f"{words}: exit {ended.returncode}, {ended.stderr}")
        check(read("g.csv") == good and read("r-train.csv") == b"precious", f"{words}: something is lost")
        check(sorted(os.listdir(".")) == before, f"{words}: {set(os.listdir('.')) - set(before)}")
    ended = run("split", "bad.csv", "--bad-lines", "skip", "-o", "r", "--json")
    check(ended.returncode == 0 and json.loads(ended.stdout)["left_out"] == 1, f"a bad line is left out: {ended.stderr}")
    lines = read("r-train.csv").splitlines()[1:] + read("r-test.csv").splitlines()[1:]
    check(sorted(lines) == sorted(good.splitlines()[1:] * 2), "all rows but the bad one")
    # without -o the parts lie beside the file, and a packed one is written unpacked
    os.mkdir("folder.d")
    write("folder.d/g.csv.gz", gzip.compress(good))
    check(run("split", "folder.d/g.csv.gz").returncode == 0, "beside the file")
    check(sorted(os.listdir("folder.d")) == ["g-test.csv", "g-train.csv", "g.csv.gz"], f"{os.listdir('folder.d')}")


def main():
    rng = random.Random(test_seed(71))
    for k in range(ROUNDS):
        draw = [draw_csv, draw_libsvm, draw_arff][k % 3]
        try_file(rng, draw(rng, rng.randrange(8, 90)), draw.__name__)
    large(rng)
    arrays(rng)
    beside(rng)
    holdout()
    refused()
    finish(150)


main()
