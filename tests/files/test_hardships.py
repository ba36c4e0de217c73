#!/usr/bin/env python3
"""Every file of the tables under every hardship: calls that fail, cuts, other bytes.

The tables know the corners of each format, so this meets them all: with every allocation and every
system call failing in turn, cut off at every byte, and with another byte in every place. The reading
is done by helper_hardships.c, within one process, where a point takes some 20 us."""

import importlib
import os
import shlex
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
from arrays import npy
from entry import Entry, Model

TABLES = ["csv", "libsvm", "arff", "npy", "idx", "labels", "weights", "bad_lines", "packed",
          "predict"]
SEPAL = os.environ["SEPAL"]
LARGE = 200_000  # bytes: longer files have the same points, only slower ones
# Options of reading, as the library takes them.
NAMES = ("format delimiter header quote skip target drop only keep categorical missing unknown weight "
         "labels weights bad-lines n-features").split()


# ---- corners that the tables have no line for ------------------------------------------------

HEAD = b"a,b,class\n"
ARFF = b"@relation r\n@attribute a %s\n@attribute w %s\n@attribute class {x,y}\n@data\n%s"
SPARSE = b"{0 1, 1 2, 2 x}\n{0 1, 2 y}\n{0 1, 1 0, 2 x}\n{1 '', 2 y}\n{ }\n{1 z}\n{0 'q}\n{0 1, 1 1}\n"
WIDE = b"a,b,c,d,e,f,class\n1,1,1,1,1,1,x\n,,,,,,y\n"
ASIDE = {"l.txt": b"x\ny\n", "w.txt": b"1\n0\n"}
BARE = Model("t.csv", b"1,1,x\n2,2,x\n-1,-1,y\n")
NAMED = Model("t.csv", b"a,b,class\n1,1,x\n2,2,x\n-1,-1,y\n")
WEIGHED = Model("t.csv", b"1,1,x,2\n2,2,x,1\n-1,-1,y,1\n", "--weight 4 --target 3")
DOUBLES = b"".join(struct.pack("<d", x) for x in (1, 2, 0, 3, 4, 1))


def corner(name, data, options="", beside=None, model=None, command=""):
    return Entry(name, data, options, beside or {}, model=model, command=command)


CORNERS = [
    *[corner("column.csv", HEAD + b"1,2,x\n3,4,y\n", options)
      for options in ("--target " + "n" * 130, "--target 1234567890", "--drop 'a, '", "--only ' '",
                      "--keep a", "--drop a --categorical b", "--weight nosuch", "--delimiter ''",
                      *(f"--delimiter '{c}'" for c in "!~^/:*=a5Z_-.+@[`{"), '--delimiter "\'"',
                      "--delimiter ,,", "--delimiter tab", "--delimiter blank", "--delimiter '\x7f'",
                      "--quote no --bad-lines skip", "--labels l.txt", "--labels l.txt --drop class",
                      "--weights w.txt --bad-lines skip")],
    *[corner("labels.csv", b"a,class\n1,%s\n2,%s\n" % pair)
      for pair in ((b"0e99999999999999999999", b"0"), (b"1e-400", b"1e-500"), (b"1e-400", b"-1e-400"),
                   (b"1e-400", b"10e-401"), (b"-0", b"0"), (b"1.50", b"+15e-1"))],
    *[corner("bz2.csv", b"BZh%s,class\n1,x\n2,y\n" % tail)
      for tail in (b"", b":", b"0", b"9", b"91", b"9\x17", b"5x")],
    corner("missing.csv", WIDE), corner("missing.csv", WIDE, "--missing drop"),
    corner("odd.csv", b"class,a\nx,1\ny,z\nx,2\ny,?\ny,3\n", "--bad-lines skip --missing drop"),
    corner("weight.csv", b"a,w,class\n1,0,x\n2,1,x\n3,0\n4,\"1,y\n5,1,y\n", "--weight w"),
    *[corner("weight.arff", ARFF % (kind, b"numeric", body), "--weight w" + more)
      for kind in (b"numeric", b"string", b"{p,q}") for more in ("", " --bad-lines skip", " --drop a")
      for body in (b"1,1,x\n2,0,y\n3,'',y\n4\n5,z,x\n'6\n7,1,x\n8,2,y\n", SPARSE)],
    *[corner("cut.arff", ARFF % (b"numeric", b"numeric", b"1 2 x\n3 4 y\n") + tail)
      for tail in (b"", b"'", b"{", b"1 2 ")],
    *[corner("rows.svm", data, options)
      for data in (b"1 1:1\n-1 2:1\n", b"1 0:0\n-1 0:0\n", b"1#c\n-1 1:1 # c\n", b"1.#INF 1:1\n2 1:1\n",
                   b"1 1:1 1:2 qid:1\n2 x\n", b"1 2:1 1:1 2:5\n")
      for options in ("", "--skip 5", "--weights w.txt", "--labels l.txt", "--bad-lines skip")],
    *[corner("rows.npy", npy("", (), DOUBLES, header=text))
      for text in ("{'descr': ", "{'descr': [", "{'descr': (", "{'descr'", "{", "")],
    *[corner("rows.npy", npy("<f8", shape, DOUBLES))
      for shape in ("(9223372036854775808, 0)", "(0, 9223372036854775808)", "(2, 0)", "(1, 6)",
                    "(1000000007, 1000000007, 1000000007, 1000000007, 1000000007, 1000000007, "
                    "1000000007, 1000000007, 1000000007, 1000000007, 1000000007, 1000000007)")],
    *[corner("rows.npy", npy("<f8", (2, 3), DOUBLES), options)
      for options in ("--categorical 1", "--drop 1", "--only 2", "--weight 1", "--target 1")],
    *[corner("rows.npy", npy("<f8", (2, 3), DOUBLES), options, model=BARE, command=command)
      for options in ("", "--keep 1", "--keep 3", "--target 1") for command in ("predict", "evaluate")],
    *[corner("aside.csv", b"a,b\n1,2\n3,4\n", "--labels l.npy", {"l.npy": labels})
      for labels in (npy("<i4", "(1, 2, 1)", bytes(8)), npy("<i4", "(1, 2)", bytes(8)))],
    *[corner("aside.csv", b"a,class\n1,x\n3,y\n", "--weights w.npy", {"w.npy": weights})
      for weights in (npy("<f8", "(2,)", struct.pack("<dd", float("inf"), 1)),)],
    *[corner("aside.csv", b"a,b\n1,2\n3,4\n", "--labels l.txt", {"l.txt": labels})
      for labels in (b"x" * 140_000 + b"\ny\n", b"x\n" + b" " * 140_000 + b"y\n", b"x\ny\n" * 40_000)],
    *[corner("model.csv", data, options, model=model, command=command)
      for model in (BARE, NAMED, WEIGHED) for command in ("predict", "evaluate")
      for data in (b"1,2\n3,4\n", b"1,2,x\n3,4,z\n", b"1,2,x,1\n3,4,y,0\n", b"a,b\n1,2\n", b"a,b,class\n1,2,x\n",
                   b"1\n", b"1,2,3,4,5\n")
      for options in ("", "--target nosuch", "--weight nosuch", "--keep 1", "--header no")],
]


def put(path, data):
    with open(path, "wb") as file:
        file.write(data)


def library_options(line):
    """--name value --other=value, as name="value", other="value"."""
    words, settings = shlex.split(line), []
    while words:
        name, sign, value = words.pop(0).removeprefix("--").partition("=")
        if not sign:
            value = words.pop(0) if words and not words[0].startswith("--") else "true"
        if name in NAMES:
            quoted = value.replace("\\", "\\\\").replace('"', '\\"')
            settings.append(f'{name}="{quoted}"')
    return ", ".join(settings)


def train(model, number):
    folder = f"model{number}"
    os.mkdir(folder)
    put(f"{folder}/{model.name}", model.data)
    subprocess.run([SEPAL, "train", f"{folder}/{model.name}", "-m", "perceptron", "-o",
                    f"{folder}/m.sepal", *shlex.split(model.options)], check=True,
                   capture_output=True)
    return os.path.abspath(f"{folder}/m.sepal")


def lay_out():
    """Put the files in place; returns the fields that the helper takes."""
    models, fields = {}, []
    tables = {name: importlib.import_module("table_" + name).FILES for name in TABLES}
    for table, entries in {**tables, "corners": CORNERS}.items():
        os.mkdir(table)
        for i, entry in enumerate(entries):
            if entry.data is None or len(entry.data) > LARGE:
                continue
            if entry.model and entry.model not in models:
                models[entry.model] = train(entry.model, len(models))
            folder = os.path.abspath(f"{table}/{i}")
            os.mkdir(folder)
            for name, data in {**ASIDE, **entry.beside, entry.name: entry.data}.items():
                if data is not None:
                    put(f"{folder}/{name}", data)
            fields += [folder, entry.name, library_options(entry.options),
                       models.get(entry.model, ""), "labels" if entry.command == "evaluate" else ""]
    return fields


def main():
    fields = lay_out()
    text = b"".join(os.fsencode(field) + b"\0" for field in fields)
    done = subprocess.run([os.environ["SEPAL_HELPERS"] + "/helper_hardships"], input=text)
    print(f"{len(fields) // 5} files")
    sys.exit(done.returncode)


main()
