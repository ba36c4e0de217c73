#!/usr/bin/env python3
"""Files that are large, or become so: read right, or refused with bounded memory.

They are made while the test runs and removed with its folder. Memory is looked at only in plain
builds; sanitizers need much more.
"""
import gzip
import json
import os
import re
import subprocess
import sys
import time
from itertools import chain

SEPAL = os.environ["SEPAL"]
with open(SEPAL, "rb") as program:
    SANITIZER = re.search(rb"__[at]san_init", program.read())
if SANITIZER and SANITIZER[0] == b"__tsan_init":
    sys.exit(77)  # it takes minutes, and test_table.py shows it as many threads
PLAIN = not SANITIZER
MEGABYTE = 1 << 20
failures = []
files = 0


def describe(name, *options):
    """Exit status, what describe said, and the peak of its memory in megabytes."""
    with open("out", "wb") as out, open("err", "wb") as err:
        process = subprocess.Popen([SEPAL, "describe", name, "--json", *options], stdout=out,
                                   stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    with open("out", "rb") as out:
        said = out.read()
    try:
        return process.returncode, json.loads(said), usage.ru_maxrss / 1024
    except ValueError:
        return process.returncode, {}, usage.ru_maxrss / 1024


def check(name, ok, why):
    if not ok:
        failures.append(f"{name}: {why}")


def put(name, parts):
    """Parts, some repeated: (bytes, times). What this process takes counts for its children."""
    with open(name, "wb") as file:
        for part in parts:
            piece, times = part if isinstance(part, tuple) else (part, 1)
            for _ in range(times):
                file.write(piece)


def read(name, rows, features, classes, total, most_megabytes):
    global files
    files += 1
    start = time.monotonic()
    code, found, memory = describe(name)
    os.remove(name)
    check(name, code == 0, f"exit {code}: {found}")
    if code == 0:
        facts = (found["rows"], found["features"], len(found["classes"]), found["sum"])
        check(name, facts == (rows, features, classes, total), f"is {facts}")
    check(name, memory <= most_megabytes or not PLAIN, f"{memory:.0f} MB of memory")
    print(f"{name}: {time.monotonic() - start:.1f} s, {memory:.0f} MB")


def refused(name, words, most_megabytes, line=None, options=()):
    global files
    files += 1
    start = time.monotonic()
    code, found, memory = describe(name, *options)
    os.remove(name)
    error = found.get("error", {})
    check(name, code == 3, f"exit {code}: {found}")
    check(name, words in error.get("message", ""), f"says {error}")
    check(name, line is None or error.get("line") == line, f"at line {error.get('line')}")
    check(name, memory <= most_megabytes or not PLAIN, f"{memory:.0f} MB of memory")
    print(f"{name}: {time.monotonic() - start:.1f} s, {memory:.0f} MB")


def wide_and_long():
    ten = b"0,1,2,3,4,5,6,7,8,9,"
    names = (b"".join(b"c%d," % (i + j) for j in range(1000)) for i in range(0, 1_000_000, 1000))
    put("million_columns.csv", chain(names,
                                     [b"class\n", (ten, 100_000), b"x\n", (ten, 100_000), b"y\n"]))
    read("million_columns.csv", 2, 1_000_000, 2, 9_000_000, 600)
    # no notes for each cell of the rows that decide on a header, nor for each column every MB
    put("wide_rows.csv", [(ten, 20_000), b"x\n", (ten, 20_000), b"y\n"] * 25)
    read("wide_rows.csv", 50, 200_000, 2, 50 * 900_000, 280)
    put("ten_million_digits.csv", [b"a,class\n0.", (b"3" * 1000, 10_000), b",x\n1,y\n"])
    read("ten_million_digits.csv", 2, 1, 2, 1 + 1 / 3, 100)
    put("two_million_rows.csv", [(b"1,x\n2,y\n" * 1000, 1000)])
    read("two_million_rows.csv", 2_000_000, 1, 2, 3_000_000, 60)
    put("two_million_rows.svm", [(b"1 1:1\n-1 2:2\n" * 1000, 1000)])
    read("two_million_rows.svm", 2_000_000, 2, 2, 3_000_000, 120)
    put("hundred_thousand_classes.csv", chain([b"a,class\n"],
                                              (b"1,c%d\n" % i for i in range(100_000))))
    read("hundred_thousand_classes.csv", 100_000, 1, 100_000, 100_000, 80)
    put("blank_lines.csv", [b"a,class\n1,x\n", (b"\n" * MEGABYTE, 100), b"2,y\n"])
    read("blank_lines.csv", 2, 1, 2, 3, 40)
    put("blank_lines_first.csv", [(b"\n" * MEGABYTE, 20), b"a,class\n1,x\n2,y\n"])
    read("blank_lines_first.csv", 2, 1, 2, 3, 40)


def columns_first():
    """An array in column order is one piece, which no limit of a line may stop."""
    rows, columns = 34_000, 1000
    head = b"{'descr': '<f8', 'fortran_order': True, 'shape': (%d, %d), }" % (rows, columns)
    head += b" " * (117 - len(head)) + b"\n"
    with open("columns_first.npy", "wb") as file:
        file.write(b"\x93NUMPY\1\0" + len(head).to_bytes(2, "little") + head)
        file.truncate(file.tell() + 8 * rows * columns)  # zeros that take no room on the disk
    read("columns_first.npy", rows, columns - 1, 1, 0, 1100)


def bomb(name, before, unit, megabytes):
    """Members of one megabyte, each some kilobyte packed: whole, they are one gz file."""
    put(name, [gzip.compress(before), (gzip.compress(unit * (MEGABYTE // len(unit))), megabytes)])


def bombs():
    """Small files that unpack to gigabytes."""
    bomb("one_line.csv.gz", b"a,class\n1,x\n", b"a", 4000)
    refused("one_line.csv.gz", "line", 900, line=3)
    bomb("first_line.csv.gz", b"", b"a", 4000)
    refused("first_line.csv.gz", "line", 1300, line=1)
    bomb("first_line.svm.gz", b"", b"a", 4000)
    refused("first_line.svm.gz", "line", 900, line=1)
    bomb("quoted.csv.gz", b'a,class\n1,"', b"a\n", 4000)
    refused("quoted.csv.gz", "line", 900, line=2)
    bomb("zeros.csv.gz", b"", b"\0", 4000)
    refused("zeros.csv.gz", "not text", 100, line=1)
    bomb("tail.idx.gz", b"\0\0\x08\x02\0\0\0\2\0\0\0\2\1\0\3\1", b"\0", 300)
    refused("tail.idx.gz", "something else at its end", 100, options=("--target", "2"))
    bomb("newlines.csv.gz", b"", b"\n", 64)
    refused("newlines.csv.gz", "nothing", 100)


def main():
    wide_and_long()
    columns_first()
    put("probe.csv.gz", [gzip.compress(b"a,class\n1,x\n")])
    if describe("probe.csv.gz")[0] == 0:
        bombs()
    for failure in failures:
        print(failure)
    print(f"COUNT table-files {files} {len(failures)}")
    sys.exit(bool(failures))


main()
