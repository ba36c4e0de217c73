#!/usr/bin/env python3
"""Bad and odd files: each is read exactly right, or refused at its line and column with exit 3.

A row of REFUSED is (name, bytes, line, column, words of the message, options). Nothing may be
written by a failing command. A row of READ is (name, bytes, expected facts of describe, options).
"""
import gzip
import json
import os
import subprocess
import sys

SEPAL = os.environ["SEPAL"]
failures = []


def run(*words, stdin=None):
    return subprocess.run([SEPAL, *words], input=stdin, capture_output=True, timeout=120)


def check(ok, name, why):
    if not ok:
        failures.append(f"{name}: {why}")


HEAD = b"a,b,class\n"
GOOD = HEAD + b"1,2,x\n3,4,y\n"

REFUSED = [
    ("empty.csv", b"", 1, 1, "nothing in this file", ()),
    ("blank.csv", b"\n\n  \n", None, 1, "nothing", ()),
    ("empty.svm", b"", 1, 1, "nothing in this file", ()),
    ("comment_only.svm", b"# nothing\n", None, 1, "no rows", ()),
    ("header_only.csv", HEAD, 2, 1, "no rows", ()),
    ("one_class.csv", HEAD + b"1,2,x\n3,4,x\n", None, None, "at least two classes", ()),
    ("short_row.csv", HEAD + b"1,2,x\n3,y\n", 3, 4, "2 cells", ()),
    ("long_row.csv", HEAD + b"1,2,x\n3,4,y,5\n", 3, 7, "more than 3 cells", ()),
    ("nan.csv", HEAD + b"1,2,x\nnan,4,y\n", 3, 1, "missing value", ()),
    ("inf.csv", HEAD + b"1,2,x\ninf,4,y\n5,6,x\n", 3, 1, "'inf' is not a decimal number", ()),
    ("huge.csv", HEAD + b"1,2,x\n1e999,4,y\n", 3, 1, "not a decimal number", ()),
    ("hex.csv", HEAD + b"1,2,x\n0x10,4,y\n", 3, 1, "not a decimal number", ()),
    ("underscore.csv", HEAD + b"1,2,x\n1_000,4,y\n", 3, 1, "not a decimal number", ()),
    ("mixed.csv", HEAD + b"1,2,x\n3,four,y\n", 3, 3, "--categorical", ()),
    ("header_in_doubt.csv", b"a,class\n1,x\nfoo,y\n", 1, 1, "--header yes", ()),
    ("mixed_before.csv", HEAD + b"one,2,x\n3,4,y\n", 2, 1, "'one' is not a decimal number", ()),
    ("decimal_comma.csv", b"a;b;class\n1,5;2;x\n2;3;y\n", 2, 1, "not a decimal number", ()),
    ("unclosed.csv", HEAD + b'1,2,x\n"3,4,y\n5,6,x\n', 3, 1, "never closed", ()),
    ("after_quote.csv", HEAD + b'1,2,x\n"3"z,4,y\n', 3, 4, "after the closing quote", ()),
    ("duplicate_names.csv", b"a,a,class\n1,2,x\n3,4,y\n", 1, 3, "name 'a'", ()),
    ("missing_label.csv", HEAD + b"1,2,x\n3,4,\n", 3, 5, "label is missing", ()),
    ("close_labels.csv", b"a,class\n1,0.1\n2,0.10000000000000000001\n", 1, 1, "same double", ()),
    ("id_labels.csv", b"a,class\n1,9007199254740993\n2,1\n", 1, 1, "same double", ()),
    ("unlabelled.csv", b"age,port\n1,S\n2,\n", 3, 3, "'port', which is taken as the target; name another one with --target", ()),
    ("question_label.csv", HEAD + b"1,2,x\n3,4,?\n", 3, 5, "label is missing", ()),
    ("missing.csv", HEAD + b"1,2,x\n,4,y\n,?,y\n", 3, 1, "a 2, b 1", ()),
    ("nul.csv", HEAD + b"1,2,x\n3,\x004,y\n", 3, 3, "0x00", ()),
    ("bell.csv", HEAD + b"1,2,x\n3,\x074,y\n", 3, 3, "0x07", ()),
    ("utf16.csv", "a,b,c\n1,2,x\n".encode("utf-16"), 1, None, "not text", ()),
    ("garbage.bin", bytes(range(256)) * 40, None, None, "not text", ()),
    ("latin1.csv", b"a,b,class\n1,2,caf\xe9\n3,4,y\n", 2, 5, "UTF-8", ()),
    ("unknown_target.csv", GOOD, 1, 1, "no column 'klass'", ("--target", "klass")),
    ("unknown_drop.csv", GOOD, 1, 1, "no column '9'", ("--drop", "9")),
    ("negative_weight.csv", b"a,w,class\n1,1,x\n2,-1,y\n", 3, 3, "weight", ("--weight", "w")),
    ("zero_weights.csv", b"a,w,class\n1,0,x\n2,0,y\n", None, None, "weight 0", ("--weight", "w")),
    ("categories.csv", b"n,class\n" + b"".join(b"t%d,%d\n" % (i, i % 2) for i in range(1001)),
     None, None, "--drop 'n'", ()),
    ("no_features.csv", b"class\nx\ny\n", None, None, "no feature columns", ()),
    ("big_index.svm", b"1 1:1\n-1 2147483648:1\n", 2, 4, "2147483647", ()),
    ("bigger_index.svm", b"1 1:1\n-1 99999999999999999999:1\n", 2, 4, "2147483647", ()),
    ("negative_index.svm", b"1 1:1\n-1 -3:1\n", 2, 4, "no sign", ()),
    ("duplicate.svm", b"1 1:1\n-1 3:1 2:5 3:2\n", 2, 12, "twice", ()),
    ("no_colon.svm", b"1 1:1\n-1 3 4:1\n", 2, 4, "colon", ()),
    ("no_value.svm", b"1 1:1\n-1 3: 4:1\n", 2, 6, "value is missing", ()),
    ("no_index.svm", b"1 1:1\n-1 :4\n", 2, 4, "index:value", ()),
    ("no_label.svm", b"1 1:1\n2:1 3:1\n", 2, 1, "label is missing", ()),
    ("nan.svm", b"1 1:1\n-1 2:nan\n", 2, 6, "not a decimal number", ()),
    ("inf.svm", b"1 1:1\n-1 2:-inf\n", 2, 6, "not a decimal number", ()),
    ("hex.svm", b"1 1:1\n-1 2:0x1p3\n", 2, 6, "not a decimal number", ()),
    ("huge.svm", b"1 1:1\n-1 2:1e999\n", 2, 6, "too large", ()),
    ("tail.svm", b"1 1:1\n-1 2:3x\n", 2, 6, "not a decimal number", ()),
    ("comma.svm", b"1 1:1\n-1 2:3,5\n", 2, 6, "not a decimal number", ()),
    ("nul.svm", b"1 1:1\n-1 2:3\x00\n", 2, 7, "0x00", ()),
    ("label_set.svm", b"1 1:1\n1,3 2:1\n-1 1:2\n", 2, 1, "set of labels", ()),
    ("nan_label.svm", b"1 1:1\nnan 2:1\n", 2, 1, "label is missing", ()),
    ("features.svm", b"1 1:1\n-1 7:1\n", 2, 4, "--n-features", ("--n-features", "5")),
    ("absent.csv", None, None, None, "cannot open", ()),
]


def facts(rows, features, classes, total):
    return {"rows": rows, "features": features, "classes": classes, "sum": total}


LONG = b"9" * 400
READ = [
    ("crlf.csv", GOOD.replace(b"\n", b"\r\n"), facts(2, 2, ["x", "y"], 10), ()),
    ("cr.csv", GOOD.replace(b"\n", b"\r"), facts(2, 2, ["x", "y"], 10), ()),
    ("bom.csv", b"\xef\xbb\xbf" + GOOD, facts(2, 2, ["x", "y"], 10), ()),
    ("no_newline.csv", GOOD[:-1], facts(2, 2, ["x", "y"], 10), ()),
    ("blank_lines.csv", b"\n" + GOOD.replace(b"\n", b"\n\n"), facts(2, 2, ["x", "y"], 10), ()),
    ("blanks.csv", b"a , b,class\n 1,\t2 , x\n3 ,4, y \n", facts(2, 2, ["x", "y"], 10), ()),
    ("quoted.csv", b'"a","b ""c""",class\n"1",2,"x, and\nmore"\n3,4,y\n',
     facts(2, 2, ["x, and\nmore", "y"], 10), ()),
    ("inner_quote.csv", b'a,size,class\n1,5" pipe,x\n3,6" pipe,y\n', facts(2, 2, ["x", "y"], 6), ()),
    ("semicolon.csv", GOOD.replace(b",", b";"), facts(2, 2, ["x", "y"], 10), ()),
    ("pipe.csv", GOOD.replace(b",", b"|"), facts(2, 2, ["x", "y"], 10), ()),
    ("tabs.tsv", GOOD.replace(b",", b"\t"), facts(2, 2, ["x", "y"], 10), ()),
    ("runs.txt", b"  1   2 x\n 3  4   y\n", facts(2, 2, ["x", "y"], 10), ()),
    ("headerless.csv", b"1,2,x\n3,4,y\n", facts(2, 2, ["x", "y"], 10), ()),
    ("header_no.csv", GOOD.replace(b"a,b,class", b"7,8,x"), facts(3, 2, ["x", "y"], 25), ()),
    ("all_text.csv", b"colour,shape,class\nred,box,x\nblue,ball,y\n", facts(2, 2, ["x", "y"], 4), ()),
    ("all_text_recurs.csv", b"red,box,x\nred,ball,y\n", facts(2, 2, ["x", "y"], 4), ()),
    ("target_first.csv", b"y,a,b\nx,1,2\nz,3,4\n", facts(2, 2, ["x", "z"], 10), ()),
    ("target_number.csv", b"1,x,2\n3,y,4\n", facts(2, 2, ["x", "y"], 10), ("--target", "2")),
    ("numeric_labels.csv", b"a,class\n1,10\n2,9\n3,+9.0\n4,9e0\n", facts(4, 1, ["9", "10"], 10), ()),
    ("equal_labels.csv", b"a,class\n1,100\n2,1e2\n3,+1.00E+02\n4,-0\n5,0.0\n", facts(5, 1, ["0", "100"], 15), ()),
    ("mixed_labels.csv", b"a,class\n1,10\n2,9\n3,b\n", facts(3, 1, ["10", "9", "b"], 6), ()),
    ("long_number.csv", b"a,class\n0." + LONG + b",x\n1" + b"0" * 300 + b",y\n",
     facts(2, 1, ["x", "y"], 1e300), ()),
    ("categorical.csv", b"zip,class\n007,x\n7,y\n", facts(2, 1, ["x", "y"], 2), ("--categorical", "zip")),
    ("weights.csv", b"a,w,class\n1,2,x\n2,0,z\n3,1,y\n", facts(2, 1, ["x", "y"], 4), ("--weight", "w")),
    ("mean.csv", b"a,class\n1,x\n,x\n3,y\n", facts(3, 1, ["x", "y"], 6), ("--missing", "mean")),
    ("indicator.csv", b"a,class\n1,x\n,x\n3,y\n", facts(3, 1, ["x", "y"], 7), ("--missing", "indicator")),
    ("drop.csv", b"a,class\n1,x\n,x\n3,y\n", facts(2, 1, ["x", "y"], 4), ("--missing", "drop")),
    ("only.csv", b"a,b,c,class\n1,2,3,x\n4,5,6,y\n", facts(2, 2, ["x", "y"], 14), ("--only", "a,c")),
    ("skip.csv", b"# made by hand\n" + GOOD, facts(2, 2, ["x", "y"], 10), ("--skip", "1")),
    ("plain.svm", b"1 1:1 3:0.5\n-1 2:2\n", facts(2, 3, ["-1", "1"], 3.5), ()),
    ("crlf.svm", b"1 1:1 3:0.5\r\n-1 2:2\r\n", facts(2, 3, ["-1", "1"], 3.5), ()),
    ("cr.svm", b"1 1:1 3:0.5\r-1 2:2\r", facts(2, 3, ["-1", "1"], 3.5), ()),
    ("unsorted.svm", b"1 3:0.5 1:1\n-1 2:2", facts(2, 3, ["-1", "1"], 3.5), ()),
    ("zero_based.svm", b"1 0:1 2:0.5\n-1 1:2\n", facts(2, 3, ["-1", "1"], 3.5), ()),
    ("comments.svm", b"# top\n1 1:1 # one\n-1 qid:7 2:2\n\n", facts(2, 2, ["-1", "1"], 3), ()),
    ("empty_row.svm", b"1\n-1 2:2\n", facts(2, 2, ["-1", "1"], 2), ()),
    ("zeros.svm", b"1 5:0\n-1 2:2\n", facts(2, 5, ["-1", "1"], 2), ()),
    ("text_labels.svm", b"spam 1:1\nham 2:2\n", facts(2, 2, ["ham", "spam"], 3), ()),
    ("sets.svm", b"1,3 1:1\n 2:2\n2 1:1\n", facts(3, 2, ["1", "2", "3"], 4), ()),
    ("set_twice.svm", b"1,1,3 1:1\n2 1:1\n", {**facts(2, 1, ["1", "2", "3"], 2), "counts": [1, 1, 1]}, ()),
    ("padded.svm", b"1 1:1\n-1 2:2\n", facts(2, 9, ["-1", "1"], 3), ("--n-features", "9")),
    ("no_extension", b"1 1:1\n-1 2:2\n", facts(2, 2, ["-1", "1"], 3), ()),
    ("subnormal.csv", b"a,class\n5e-324,x\n1e-400,y\n", facts(2, 1, ["x", "y"], 5e-324), ()),
]


def refused(name, content, line, column, words, options):
    if content is not None:
        with open(name, "wb") as file:
            file.write(content)
    before = set(os.listdir("."))
    done = run("train", name, "-m", "perceptron", "-o", "m.sepal", "--json", *options)
    check(done.returncode == 3, name, f"exit {done.returncode}, not 3: {done.stderr!r}")
    check(set(os.listdir(".")) == before, name, "something was written")
    try:
        error = json.loads(done.stdout)["error"]
    except (ValueError, KeyError):
        return check(False, name, f"no error object: {done.stdout!r}")
    check(error["exit"] == 3, name, f"error.exit {error['exit']}")
    check(words in error["message"], name, f"message lacks {words!r}: {error['message']!r}")
    check(error["message"].count("\n") == 0, name, "the message has more than one line")
    for key, expected in (("line", line), ("column", column)):
        check(expected is None or error[key] == expected, name, f"{key} {error[key]}, not {expected}")
    place = f"{name}:{error['line']}:{error['column']}: " if error["line"] else name
    check(place.encode() in done.stderr, name, f"no place {place!r} in {done.stderr!r}")


def read(name, content, expected, options):
    with open(name, "wb") as file:
        file.write(content)
    done = run("describe", name, "--json", *options)
    if done.returncode:
        return check(False, name, f"exit {done.returncode}: {done.stderr!r}")
    found = json.loads(done.stdout)
    for key, value in expected.items():
        same = abs(found[key] - value) <= 1e-12 * abs(value) if key == "sum" else found[key] == value
        check(same, name, f"{key} is {found[key]!r}, not {value!r}")
    # through a pipe the name tells nothing, so the format is given where the content cannot tell
    form = {".tsv": "tsv", ".svm": "libsvm"}.get(os.path.splitext(name)[1], "auto")
    piped = run("describe", "-", "--json", "--format", form, *options, stdin=content)
    check(piped.stdout == done.stdout, name, f"a pipe reads it otherwise: {piped.stderr!r}")


def long_lines():
    """A line of 10 MB: 1,000,000 cells of a row, and one cell of 10 million digits."""
    cells = b",".join(b"%d" % (i % 10) for i in range(1_000_000))
    with open("wide.csv", "wb") as file:
        file.write(b",".join(b"c%d" % i for i in range(1_000_000)) + b",class\n")
        file.write(cells + b",x\n" + cells + b",y\n")
    done = run("describe", "wide.csv", "--json")
    found = json.loads(done.stdout) if done.returncode == 0 else {}
    check(found.get("features") == 1_000_000 and found.get("sum") == 9_000_000, "wide.csv",
          f"{done.returncode} {done.stderr[:200]!r}")
    with open("digits.csv", "wb") as file:
        file.write(b"a,class\n0." + b"3" * 10_000_000 + b",x\n1,y\n")
    done = run("describe", "digits.csv", "--json")
    found = json.loads(done.stdout) if done.returncode == 0 else {}
    check(found.get("sum") == 1 + 1 / 3, "digits.csv", f"{done.returncode} {found}")


def window_edges():
    """The first 64 KiB decide on delimiter and line ends; what they cut in two must not."""
    row = b"2020-01-01 10:00:%02d," + b",".join(b"%d.%03d" % (i, i) for i in range(20)) + b",%s\n"
    text = b"".join(row % (i % 60, b"xy"[i % 2:i % 2 + 1]) for i in range(600))
    read("dates.csv", text, {"rows": 600, "features": 20, "classes": ["x", "y"]}, ("--drop", "1"))
    for length in range(65534, 65538):  # the CR of the first line end is near byte 65536
        head = b"a," + b"b" * (length - len(b"a,,class")) + b",class"
        read("crlf_edge.csv", head + b"\r\n1,2,x\r\n3,4,y\r\n", facts(2, 2, ["x", "y"], 10), ())


def no_program_runs():
    """Some packings are unpacked by programs of the system's: none may be started by a data file."""
    os.makedirs("bin", exist_ok=True)
    for program, magic in (("lrzip", b"LRZI\0\6"), ("lzop", b"\x89LZO\0\r\n\x1a\n"), ("grzip", b"GRZipII\0\2\4:)")):
        with open(f"bin/{program}", "w") as script:
            script.write("#!/bin/sh\ntouch started\n")
        os.chmod(f"bin/{program}", 0o755)
        with open("inner.csv.gz", "wb") as file:
            file.write(gzip.compress(magic + bytes(100)))
        path = os.getcwd() + "/bin:" + os.environ["PATH"]
        done = subprocess.run([SEPAL, "describe", "inner.csv.gz"], capture_output=True,
                              env={**os.environ, "PATH": path})
        check(done.returncode in (2, 3), program, f"exit {done.returncode}")
        check(not os.path.exists("started"), program, "was started")


def main():
    for row in REFUSED:
        refused(*row)
    for row in READ:
        read(*row)
    long_lines()
    window_edges()
    no_program_runs()
    for failure in failures:
        print(failure)
    cases = len(REFUSED) + len(READ) + 10
    print(f"{cases} files, {len(failures)} failures")
    sys.exit(bool(failures))


main()
