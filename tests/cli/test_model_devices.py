#!/usr/bin/env python3
"""What is no model file is refused with exit 4, at once and without much memory, though it may never
end: devices, folders, pipes. A model that comes through a pipe is as good as its file."""
import os
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

SEPAL, SOURCE = os.environ["SEPAL"], Path(os.environ["SEPAL_SOURCE"])
DATA = SOURCE / "examples/data/iris.csv"
MOST_SECONDS, MOST_BYTES = 20, 64 << 20
failures = []


def run(*words, stdin=subprocess.DEVNULL):
    """Exit status, standard output and error, and the peak of memory in bytes."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([SEPAL, *map(str, words)], stdin=stdin, stdout=out, stderr=errors)
        watch = threading.Timer(MOST_SECONDS, process.kill)
        watch.start()
        _, status, usage = os.wait4(process.pid, 0)
        watch.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), errors.seek(0)
        return process.returncode, out.read(), errors.read().decode(), 1024 * usage.ru_maxrss


def fed(path, beginning, endless=True):
    """A pipe that gives these bytes, then zeros until nobody reads any more."""
    def write():
        try:
            with open(path, "wb", buffering=0) as pipe:
                pipe.write(beginning)
                while endless:
                    pipe.write(bytes(1 << 16))
        except BrokenPipeError:
            pass
    os.mkfifo(path)
    threading.Thread(target=write, daemon=True).start()
    return path


def promise(model, columns):
    """The beginning of a model that says that it has so many columns."""
    length, = struct.unpack("<Q", model[:8])
    old, size = b'"shape":[3,4],"data_offsets":[0,96]', 3 * columns * 8
    header = model[8:8 + length].rstrip(b" ")
    assert old in header
    header = header[:header.index(b',"weights"')] + (
        b',"weights":{"dtype":"F64","shape":[3,%d],"data_offsets":[0,%d]},"bias":{"dtype":"F64",'
        b'"shape":[3],"data_offsets":[%d,%d]}}' % (columns, size, size, size + 24))
    header += b" " * (-(8 + len(header)) % 64)
    return struct.pack("<Q", len(header)) + header


def main():
    assert run("train", DATA, "-m", "perceptron", "-q", "-o", "m.sepal")[0] == 0
    model = Path("m.sepal").read_bytes()
    Path("half.sepal").write_bytes(model[:-100])
    Path("folder").mkdir()
    small = run("--version")[3]
    cases = [("/dev/zero", "not a sepal model"), ("/dev/null", "empty"), ("folder", "directory"),
             ("/proc/self/status", "not a sepal model"), ("absent.sepal", "cannot open"),
             ("half.sepal", "cut short"),
             (fed("zeros", b""), "not a sepal model"),
             (fed("surplus", model), "more than its"),
             (fed("long", struct.pack("<Q", 1 << 62) + model[8:]), "too long"),
             (fed("gigabytes", promise(model, 10**8)), "no regular file"),
             (fed("more", promise(model, 2 * 10**9)), "no regular file"),
             (fed("less", model[:-100], endless=False), "cut short")]
    for path, why in cases:
        code, out, errors, memory = run("predict", path, DATA)
        if code != 4 or out or why not in errors or path not in errors:
            failures.append(f"{path}: exit {code}, {errors}")
        if memory > small + MOST_BYTES:
            failures.append(f"{path}: {memory >> 20} MB of memory")
    wanted = run("predict", "m.sepal", DATA)
    with open("m.sepal", "rb") as file:
        through = run("predict", "-", DATA, stdin=file)
    cat = subprocess.Popen(["cat", "m.sepal"], stdout=subprocess.PIPE)
    piped = run("predict", "-", DATA, stdin=cat.stdout)
    cat.stdout.close()
    cat.wait()
    if wanted[0] != 0 or not wanted[1] or not wanted[1] == through[1] == piped[1]:
        failures.append(f"a model through a pipe: {through[2]} {piped[2]}")
    print(*failures, f"{len(cases) + 2} models, {len(failures)} failures", sep="\n")
    return bool(failures)


sys.exit(main())
