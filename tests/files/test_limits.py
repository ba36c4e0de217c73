#!/usr/bin/env python3
"""Every limit of docs/limits.md, tried at n - 1, n and n + 1.

The numbers are those of the document, not of the code: what it says must be so. Where n is too much
for every run (marked "nightly" there), SEPAL_NIGHTLY=1 tries it; n + 1 is always tried.
"""
import json
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from arrays import idx, npy  # noqa: E402

SEPAL = os.environ["SEPAL"]
with open(SEPAL, "rb") as program:
    SANITIZER = re.search(rb"__[at]san_init", program.read())
if SANITIZER and SANITIZER[0] == b"__tsan_init":
    sys.exit(77)  # it takes minutes, and test_table.py shows it as many threads
NIGHTLY = os.environ.get("SEPAL_NIGHTLY") == "1" and not SANITIZER
points = 0
failures = []


def document():
    """name -> number, from the rows of the document's table."""
    found = {}
    with open(os.environ["SEPAL_SOURCE"] + "/docs/limits.md", encoding="utf-8") as text:
        for row in re.findall(r"^\| ([^|]+) \| ([\d,]+) \|", text.read(), re.M):
            found[row[0].strip()] = int(row[1].replace(",", ""))
    return found


LIMITS = document()
tried = set()


def sepal(*words, stdin=None):
    """Run, with standard input in parts (bytes, times) so that none of it is large here."""
    with open("out", "wb") as out, open("err", "wb") as err:
        process = subprocess.Popen([SEPAL, *words], stdin=subprocess.PIPE, stdout=out, stderr=err)
        try:
            for piece, times in stdin or ():
                for _ in range(times):
                    process.stdin.write(piece)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it has seen enough
        process.wait(timeout=600)
    with open("out", "rb") as out, open("err", "rb") as err:
        return process.returncode, out.read(), err.read().decode(errors="replace")


def put(name, *parts):
    with open(name, "wb") as file:
        for part in parts:
            file.write(part)
    return name


def at_limit(name, run, beyond=3, says="", nightly=False):
    """run(k) must succeed for k = n - 1 and n, and exit with `beyond` for n + 1."""
    global points
    n = LIMITS[name]
    tried.add(name)
    start = time.monotonic()
    for k in (n - 1, n, n + 1):
        if nightly and k <= n and not NIGHTLY:
            continue
        points += 1
        code, said, why = run(k)
        wanted = beyond if k > n else 0
        if code != wanted:
            failures.append(f"{name}: {k} comes to exit {code}, not {wanted}: {why[:300]}")
        elif k > n and says not in why:
            failures.append(f"{name}: {k} says {why[:300]!r}, not {says!r}")
    print(f"{name}: {time.monotonic() - start:.1f} s")


def read(*words, **more):
    """describe would tell of what is too large instead of refusing it."""
    return sepal("convert", *words, "-o", "read.svm", "--json", **more)


# ---- sizes in text ------------------------------------------------------------------------------

def index(k):
    return read(put("i.svm", b"1 %d:1\n-1 1:2\n" % k))


def blanks(count):
    """Parts that make so many blanks."""
    return [(b" " * (1 << 20), count >> 20), (b" " * (count & ((1 << 20) - 1)), 1)]


def csv_line(k):
    """A row of k bytes, nearly all of them blanks around a cell."""
    return read("-", stdin=[(b"a,class\n1,x\n2,", 1), *blanks(k - 3), (b"y\n3,x\n", 1)])


def first_csv_line(k):
    """A header of k bytes."""
    return read("-", stdin=[(b"a,", 1), *blanks(k - 7), (b"class\n1,x\n3,y\n", 1)])


def last_csv_line(k):
    """The same without a line end."""
    return read("-", stdin=[(b"a,class\n1,x\n2,", 1), *blanks(k - 3), (b"y", 1)])


def svm_line(k):
    return read("-", "--format", "libsvm",
                    stdin=[(b"1 1:1\n-1 2:2", 1), *blanks(k - 6), (b"\n1 1:1\n", 1)])


def svm_classes(k):
    return read("-", stdin=[(b"".join(b"%d 1:1\n" % j for j in range(i, min(i + 1000, k))), 1)
                                for i in range(0, k, 1000)])


def categories(k):
    return read(put("c.csv", b"t,class\n", *(b"c%d,x\n" % i for i in range(k))))


def declared(k):
    values = b",".join(b"c%d" % i for i in range(k))
    return read(put("c.arff", b"@relation r\n@attribute t {" + values +
                        b"}\n@attribute class {x,y}\n@data\nc0,x\nc1,y\n"))


def piped_kinds(k):
    """Rows of k bytes, with few numbers in a column of text."""
    line, numbers = b"text,x" + b" " * 57 + b"\n", b"1,x\nu,y\n"
    times, rest = divmod(k - len(numbers), len(line))
    last = b"text,y" + b" " * (rest + len(line) - 7) + b"\n"
    return read("-", stdin=[(b"a,class\n", 1), (line * 1024, (times - 1) // 1024),
                                (line, (times - 1) % 1024), (last, 1), (numbers, 1)])


# ---- bytes of texts, read and kept in a model ---------------------------------------------------

def kept(name, *options):
    """Train, save, load, predict: what can be read can be kept."""
    code, out, err = sepal("train", name, "-m", "perceptron", "-q", "-o", "m.sepal", *options)
    return (code, out, err) if code else sepal("predict", "m.sepal", name, "-q")


def label(k):
    return kept(put("l.csv", b"a,class\n1,x\n2,", b"y" * k, b"\n"))


def quoted_label(k):
    return kept(put("l.csv", b'a,class\n1,x\n2,"', b'""' * k, b'"\n'))


def svm_label(k):
    return kept(put("l.svm", b"x 1:1\n", b"y" * k, b" 2:2\n"))


def arff_label(k):
    return kept(put("l.arff", b"@relation r\n@attribute a numeric\n",
                    b"@attribute class string\n@data\n1,x\n2,",
                    b"y" * k, b"\n"))


def label_file(k):
    put("l.txt", b"x\n  ", b"y" * k, b"  \r\n")
    return kept(put("l.csv", b"a\n1\n2\n"), "--labels", "l.txt")


def npy_label(k):
    put("l.npy", npy(f"|S{k}", "(2,)", b"x" + bytes(k - 1) + b"y" * k))
    return kept(put("l.csv", b"a\n1\n2\n"), "--labels", "l.npy")


def category(k):
    return kept(put("t.csv", b"t,class\np,x\n", b"q" * k, b",y\n"))


def declared_category(k):
    return kept(put("t.arff", b"@relation r\n@attribute t {p,", b"q" * k,
                    b"}\n@attribute class {x,y}\n@data\np,x\n", b"q" * k, b",y\n"))


def column_name(k):
    return kept(put("n.csv", b"n" * k, b",class\n1,x\n2,y\n"))


def attribute_name(k):
    return kept(put("n.arff", b"@relation r\n@attribute ", b"n" * k,
                    b" numeric\n@attribute class {x,y}\n@data\n1,x\n2,y\n"))


# ---- columns, arrays, options -------------------------------------------------------------------

def csv_columns(k):
    row = [(b"0," * 1024, (k - 1) // 1024), (b"0," * ((k - 1) % 1024), 1)]
    return read("-", "--format", "csv", stdin=[*row, (b"x\n", 1), *row, (b"y\n", 1)])


def npy_columns(k):
    return read(put("c.npy", npy("|u1", (2, k), bytes(k) + b"\1" * k)))


def idx_columns(k):
    put("l.txt", b"x\ny\n")
    return read(put("c.idx", idx(8, (2, k), bytes(2 * k))), "--labels", "l.txt")


def npy_header(k):
    head = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }"
    text = head.encode().ljust(k - 13) + b"\n"  # twelve bytes come before it
    return read(put("h.npy", b"\x93NUMPY\2\0" + len(text).to_bytes(4, "little") + text,
                        bytes((1, 0, 2, 1))))


def array_bytes(k):
    """No such array can be had: up to the limit it is cut short, beyond it there can be none."""
    factor = next(f for f in (7, 2, 8) if k % f == 0)
    code, out, err = read(put("b.npy", npy("|u1", (k // factor, factor), bytes(8))))
    return (0, out, err) if code == 3 and "cut short" in err else (code, out, err)


def arff_header(k):
    rest = b"@attribute a numeric\n@attribute class {x,y}\n@data\n"
    line = b"%" + b" " * 62 + b"\n"
    lines, odd = divmod(k - len(rest), len(line))
    if odd == 1:
        lines, odd = lines - 1, odd + len(line)
    parts = [(line * 1024, lines // 1024), (line * (lines % 1024), 1)]
    if odd:
        parts.append((b"%" * (odd - 1) + b"\n", 1))
    return read("-", "--format", "arff", stdin=[*parts, (rest + b"1,x\n2,y\n", 1)])


def option(name, extra=(), data=b"1 1:1\n-1 2:2\n"):
    def run(k):
        return read(put("o.svm", data), f"--{name}", str(k), *extra)
    return run


def skip(k):
    code, out, err = option("skip")(k)
    return (0, out, err) if code == 3 and "nothing" in err else (code, out, err)


def pairs(k):
    """Classes of one row each, told apart two by two."""
    rows = b"".join(b"%d 1:%d\n" % (i, i) for i in range(k))
    return sepal("train", put("k.svm", rows), "-m", "mean-difference | ovo", "-q")


def maps(k):
    return sepal("train", put("m.svm", b"1 1:1\n-1 2:2\n"), "-m", "identity | " * k + "perceptron",
                 "-q")


def file_name(k):
    """The error names a file in so many bytes; longer names are cut, and the error is the same."""
    folders = "/".join("f" * 200 for _ in range((k - 10) // 201))
    path = folders + "/" + "n" * (k - len(folders) - 1)
    code, out, err = read(path)
    whole = json.loads(out)["error"]["file"] == path
    return (0 if whole else 1, out, err) if code == 3 else (code, out, err)


def main():
    at_limit("LIBSVM index", index, says="2147483647")
    at_limit("bytes of a line", csv_line, says="268435456")
    at_limit("bytes of a line", first_csv_line, says="268435456", nightly=True)
    at_limit("bytes of a line", last_csv_line, says="268435456", nightly=True)
    at_limit("bytes of a line", svm_line, says="268435456", nightly=True)
    at_limit("classes", svm_classes, says="1048576")
    at_limit("categories of a column", categories, says="1000")
    at_limit("categories of a column", declared, says="1000")
    for run in (label, quoted_label, svm_label, arff_label, label_file, category, declared_category,
                column_name, attribute_name):
        at_limit("bytes of a label, category or name", run, says="65536")
    at_limit("bytes of a label, category or name", npy_label, says="65536")
    for run in (csv_columns, npy_columns, idx_columns):
        at_limit("columns of a table", run, says="4194304", nightly=True)
    at_limit("bytes of an npy header", npy_header, says="65536")
    at_limit("bytes of an array", array_bytes)
    at_limit("bytes of rows in a pipe, where a text column has numbers", piped_kinds,
             says="--categorical 'a'")
    at_limit("bytes before the rows of an ARFF file", arff_header, says="64 MB")
    at_limit("classes of `ovo`", pairs, says="use ovr")
    at_limit("maps of a spec", maps, beyond=2, says="at most 8 maps")
    at_limit("`--n-features`", option("n-features"), beyond=2)
    at_limit("`--threads`", option("threads"), beyond=2)
    at_limit("`--skip`", skip, beyond=2)
    at_limit("bytes of a file's name in an error", file_name, beyond=1)
    for name in LIMITS.keys() - tried:
        failures.append(f"{name}: nothing tries it")
    for failure in failures:
        print(failure)
    print(f"COUNT limits {points} {len(failures)}")
    sys.exit(bool(failures))


main()
