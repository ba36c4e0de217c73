#!/usr/bin/env python3
"""Bad and odd files: each is read exactly right, or refused at its line and column.

The files are in table_csv.py, table_libsvm.py, ... beside this script, the words of these tables in
entry.py. Every file is read from disk with one thread, then through a pipe with two; every fifth
also packed. All must come to the same. A refusal is one line on standard error and an object on
standard output, and leaves nothing behind.

    test_table.py [REGEX]          only the files whose names match
    test_table.py --write FOLDER   put the files there, as seeds for other tests
"""
import gzip
import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
TABLES = ["csv", "libsvm", "arff", "npy", "idx", "labels", "weights", "bad_lines", "packed",
          "predict"]
SEPAL = os.environ.get("SEPAL", "sepal")
PACKED_EVERY = 5
PIPE = "<stdin>"


def put(path, data):
    with open(path, "wb") as file:
        file.write(data)


class Unexpected(Exception):
    pass


def check(ok, why):
    if not ok:
        raise Unexpected(why)


class Run:
    """One entry in a folder of its own."""

    def __init__(self, entry, folder, model):
        self.entry, self.folder, self.model = entry, folder, model
        os.mkdir(folder)
        for name, data in {**entry.beside, entry.name: entry.data}.items():
            if data is not None:
                put(f"{folder}/{name}", data)

    def sepal(self, name, threads, more="", stdin=None):
        entry = self.entry
        command = entry.command or ("train" if entry.exit else "describe")
        args = [command, *([self.model] if self.model else []), name, "--threads", str(threads)]
        if command == "train":
            args += ["-m", "perceptron"]
        if command == "train" or (command == "predict" and entry.exit):
            args += ["-o", "out"]
        if command != "predict" or entry.exit:
            args += ["--json"]
        args += shlex.split(entry.options) + shlex.split(more)
        done = subprocess.run([SEPAL, *args], cwd=self.folder, input=stdin, capture_output=True,
                              stdin=None if stdin is not None else subprocess.DEVNULL, timeout=120)
        check(b"Sanitizer" not in done.stderr, done.stderr.decode(errors="replace"))
        return done

    def refused(self, done):
        entry = self.entry
        said = done.stderr.decode(errors="replace")
        check(done.returncode == entry.exit, f"exit {done.returncode}, not {entry.exit}: {said}")
        error = json.loads(done.stdout)["error"]
        check(set(error) >= {"exit", "message", "file", "line", "column"}, f"error is {error}")
        check(error["exit"] == entry.exit, f"error.exit is {error['exit']}")
        check(entry.says in error["message"], f"no {entry.says!r} in {error['message']!r}")
        place = ""
        if entry.exit != 2:
            at = (error["line"], error["column"])
            check(error["file"] == (entry.file or entry.name), f"file is {error['file']}")
            fits = all(w in (None, x) for w, x in zip(entry.at or (), at))
            check(fits, f"at {at}, not {entry.at}: {said}")
            place = error["file"] + (f":{at[0]}:{at[1]}" if at[0] else "") + ": "
        *warnings, last = said.splitlines()
        check(last.startswith(f"sepal: {place}"), f"no {place!r} in {last!r}")
        check(all(line.startswith("sepal: warning: ") for line in warnings),
              f"more lines: {said!r}")

    def warned(self, warnings, said):
        wanted = self.entry.warns
        fits = len(warnings) == len(wanted) and all(w in x for w, x in zip(wanted, warnings))
        check(fits, f"warnings are {warnings}, not {wanted}")
        for line in said.splitlines():
            check(line.startswith("sepal: "), f"{line!r} on standard error")

    def read(self, done):
        entry = self.entry
        said = done.stderr.decode()
        check(done.returncode == 0, f"exit {done.returncode}: {said}")
        found = json.loads(done.stdout)
        names = ["rows", "accuracy"] if entry.command == "evaluate" else ["rows", "features", "sum"]
        for name in names:
            wanted = entry.sum if name == "accuracy" else getattr(entry, name)
            check(found[name] == wanted, f"{name} is {found[name]}, not {wanted}")
        classes = found["labels" if entry.command == "evaluate" else "classes"]
        check(tuple(classes) == entry.classes, f"classes are {classes}, not {entry.classes}")
        check(entry.counts is None or tuple(found["counts"]) == entry.counts,
              f"counts are {found.get('counts')}, not {entry.counts}")
        self.warned([f"{w['code']} {w['message']}" for w in found["warnings"]], said)

    def predicted(self, done):
        said = done.stderr.decode()
        check(done.returncode == 0, f"exit {done.returncode}: {said}")
        labels = tuple(done.stdout.decode().splitlines())
        check(labels == self.entry.labels, f"predicts {labels}, not {self.entry.labels}")
        self.warned([line for line in said.splitlines() if "warning: " in line], said)

    def all(self, packed):
        entry, before = self.entry, sorted(os.listdir(self.folder))
        first = self.sepal(entry.name, 1)
        if entry.exit:
            self.refused(first)
        elif entry.labels:
            self.predicted(first)
        else:
            self.read(first)
        if not entry.pipe or entry.data is None:
            self.same(first, self.sepal(entry.name, 2), entry.name, "with two threads")
        else:
            piped = self.sepal("-", 2, entry.piped, stdin=entry.data)
            self.same(first, piped, PIPE, "through a pipe with two threads")
            if packed:
                name = entry.name + ".gz"
                put(f"{self.folder}/{name}", gzip.compress(entry.data, mtime=0))
                self.same(first, self.sepal(name, 2), name, "packed")
                os.remove(f"{self.folder}/{name}")
        check(sorted(os.listdir(self.folder)) == before,
              f"leaves {sorted(set(os.listdir(self.folder)) - set(before))}")

    def same(self, first, other, name, how):
        def plain(text):
            return text.replace(name.encode(), self.entry.name.encode())
        check(other.returncode == first.returncode and plain(other.stdout) == first.stdout and
              plain(other.stderr) == first.stderr,
              f"{how} comes to exit {other.returncode}: {(other.stderr or other.stdout)[:400]!r}")


def train(model, number):
    """The path of the trained model."""
    folder = f"model{number}"
    os.mkdir(folder)
    put(f"{folder}/{model.name}", model.data)
    subprocess.run([SEPAL, "train", f"{folder}/{model.name}", "-m", "perceptron", "-o",
                    f"{folder}/m.sepal", *shlex.split(model.options)], check=True,
                   capture_output=True)
    return os.path.abspath(f"{folder}/m.sepal")


def is_packed(table, entry):
    return table == "packed" or any(name.endswith(".gz") for name in entry.beside)


def unpacks():
    """Whether this build unpacks at all."""
    put("probe.csv.gz", gzip.compress(b"a,class\n1,x\n"))
    return subprocess.run([SEPAL, "describe", "-q", "probe.csv.gz"], capture_output=True,
                          check=False).returncode == 0


def write(tables, folder):
    for table, entries in tables.items():
        os.makedirs(f"{folder}/{table}", exist_ok=True)
        for entry in entries:
            if entry.data is not None:
                put(f"{folder}/{table}/{entry.name}", entry.data)


def test(tables, pattern):
    packs, models, jobs = unpacks(), {}, []
    for table, entries in tables.items():
        names = [entry.name for entry in entries]
        assert len(set(names)) == len(names), f"{table}: two files of one name"
        os.mkdir(table)
        for i, entry in enumerate(entries):
            if not re.search(pattern, f"{table}/{entry.name}") or (is_packed(table, entry) and not packs):
                continue
            if entry.model and entry.model not in models:
                models[entry.model] = train(entry.model, len(models))
            jobs.append((table, i, entry))

    def work(job):
        table, i, entry = job
        folder = f"{table}/{i}"
        packed = packs and table != "packed" and i % PACKED_EVERY == 0
        try:
            Run(entry, folder, models.get(entry.model)).all(packed)
        except Unexpected as why:
            return f"{table}/{entry.name}: {why}"
        except (ValueError, KeyError, subprocess.TimeoutExpired) as why:
            return f"{table}/{entry.name}: {why!r}"
        shutil.rmtree(folder)
        return None

    with ThreadPoolExecutor(2) as pool:
        return len(jobs), [failure for failure in pool.map(work, jobs) if failure]


def main():
    tables = {table: importlib.import_module("table_" + table).FILES for table in TABLES}
    if sys.argv[1:2] == ["--write"]:
        write(tables, sys.argv[2])
        return
    start = time.monotonic()
    count, failures = test(tables, "".join(sys.argv[1:]))
    for failure in failures:
        print(failure.rstrip())
    print(f"{time.monotonic() - start:.1f} s")
    print(f"COUNT table-files {count} {len(failures)}")
    sys.exit(bool(failures))


main()
