#!/usr/bin/env python3
"""A save that is killed leaves the old model or the new one, whole.

First `sepal train -o` over an old model is killed before and after every system call from the first
file that it creates beside the model to its end. Then a program that does nothing but save, and the
command itself, are killed at random moments. A temporary file may stay behind, never under the
model's name, and does not hinder the next save. Where ptrace is not allowed, the kills at system calls
cannot be made: the rest is done, and the test counts as skipped.
"""
import os
import random
import subprocess
import sys
import time
from pathlib import Path

from seeds import test_seed

SEPAL, SOURCE = os.environ["SEPAL"], Path(os.environ["SEPAL_SOURCE"])
HELPERS = Path(os.environ["SEPAL_HELPERS"])
NIGHTLY, THIN = "SEPAL_NIGHTLY" in os.environ, os.environ.get("SEPAL_THIN") == "1"
# Kills at random of the program that saves small models, large ones, and of the command.
SMALL, LARGE, COMMAND = (1500, 500, 500) if NIGHTLY else (300, 60, 60) if THIN else (600, 200, 200)
PLACE = Path("model.sepal")
# one thread, so that the calls of the saving phase are those of one thread and always the same
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # which needs ptrace for itself
kills, failures = 0, []


def train(spec, place, data, *options):
    return [SEPAL, "train", str(data), "-m", spec, "-q", "--threads", "1", "-o", str(place), *options]


def run(command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def must(command):
    done = run(command)
    if done.returncode:
        sys.exit(f"{command}: exit {done.returncode}: {done.stderr}")


def killed(what, old, new):
    """Count a kill and look at what it left; the bytes of the model."""
    global kills
    kills += 1
    found = PLACE.read_bytes() if PLACE.exists() else None
    if found not in (old, new):
        size = "no file" if found is None else f"{len(found)} bytes"
        failures.append(f"{what}: {size}, neither the old model nor the new one")
    return found


def strays():
    return list(Path(".").glob(PLACE.name + ".*"))


def loads(what):
    done = run([SEPAL, "inspect", PLACE])
    if done.returncode:
        failures.append(f"{what}: the model does not load: {done.stderr}")


def sweep():
    for stray in strays():
        stray.unlink()


def at_every_call(old, new, data):
    """Kill at stop 1, 2, 3, ... until the command comes through; False where this is not allowed."""
    command = train("perceptron", PLACE, data)
    helper = HELPERS / "helper_kill_at"
    PLACE.write_bytes(old)
    calls = run([helper, 0, ".tmp", *command])
    if calls.returncode == 77:
        print("ptrace is not allowed here: no kills at system calls")
        return False
    # the warning of this run goes out between the two steps of the save
    if calls.stdout.split() != ["write", "fsync", "write", "rename", "fsync"]:
        failures.append(f"a save makes these calls: {calls.stdout.split()}")
    seen = []
    for stop in range(1, 1000):
        PLACE.write_bytes(old)
        done = run([helper, stop, PLACE.name + ".", *command])
        if done.returncode == 1:
            break
        if done.returncode:
            failures.append(f"stop {stop}: the helper gives {done.returncode}: {done.stderr}")
            break
        seen.append(killed(f"killed at stop {stop}", old, new) == new)
        if stop % 8 == 0:
            loads(f"killed at stop {stop}")
    # the files that all these runs left behind did not hinder the last one
    if not strays() or PLACE.read_bytes() != new:
        failures.append("the save that was not killed did not save")
    if seen != sorted(seen) or not seen or seen[0] or not seen[-1]:
        failures.append(f"old and new models do not follow on each other: {seen}")
    print(f"{len(seen)} kills at system calls, {seen.count(False)} leave the old model")
    sweep()
    return True


def at_random(count, first, second, longest):
    """Kill the program that saves, `longest` seconds after it began at most."""
    old, new = Path(first).read_bytes(), Path(second).read_bytes()
    PLACE.write_bytes(old)
    helper = HELPERS / "helper_save_forever"
    half = 0
    for i in range(count):
        process = subprocess.Popen([helper, first, second, PLACE], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        line = process.stdout.readline()
        time.sleep(random.uniform(0, longest))
        process.kill()
        errors = process.communicate()[1]
        if line != b"saving\n" or errors or process.returncode != -9:
            failures.append(f"{helper.name}: {line} {errors} {process.returncode}")
        killed(f"{helper.name}, kill {i}", old, new)
        half = max(half, len(strays()))
        if i % 100 == 99:
            loads(f"{helper.name}, kill {i}")
            sweep()
    if half == 0:
        failures.append(f"{helper.name}: no kill came between the creation and the rename")
    sweep()


def whole_runs(count, old, new, data):
    """Kill the command at any moment of its life."""
    command = train("perceptron", PLACE, data)
    PLACE.write_bytes(old)
    start = time.perf_counter()
    must(command)
    length = time.perf_counter() - start
    for i in range(count):
        PLACE.write_bytes(old)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 1.2 * length))
        process.kill()
        process.wait()
        killed(f"sepal train, kill {i}", old, new)
    loads("sepal train")
    sweep()


def main():
    random.seed(test_seed(1))
    data = SOURCE / "examples/data/iris.csv"
    Path("wide.svm").write_text("a 1:1 2:5\nb 2:1 3:1\nb 7:1\n")
    must(train("least-squares", "old.sepal", data))
    must(train("perceptron", "new.sepal", data))
    # files of 2 and 4 MB, so that a kill can come in the middle of writing
    must(train("perceptron", "wide1.sepal", "wide.svm", "--n-features", "250000"))
    must(train("perceptron", "wide2.sepal", "wide.svm", "--n-features", "500000"))
    old, new = Path("old.sepal").read_bytes(), Path("new.sepal").read_bytes()
    traced = at_every_call(old, new, data)
    at_random(SMALL, "old.sepal", "new.sepal", 0.01)
    at_random(LARGE, "wide1.sepal", "wide2.sepal", 0.04)
    whole_runs(COMMAND, old, new, data)
    must(train("perceptron", PLACE, data))
    if strays() or PLACE.read_bytes() != new:
        failures.append("a save that nobody disturbs leaves something behind")
    print(*failures[:20], sep="\n")
    print(f"COUNT kills {kills} {len(failures)}")
    return 1 if failures else 0 if traced else 77


sys.exit(main())
