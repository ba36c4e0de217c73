#!/usr/bin/env python3
"""Large npy files, which are used where they are: the same model as from a pipe, and a sentence, not a
crash, when another program cuts the file short meanwhile."""

import array
import os
import random
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from arrays import npy
from seeds import test_seed

SEPAL = os.environ["SEPAL"]
ROWS, COLS = 40_000, 14
PATIENCE = 60
failures = []


def check(ok, name, why):
    if not ok:
        failures.append(f"{name}: {why}")


def make_files():
    draw = random.Random(test_seed(31))
    cells = array.array("d", (draw.gauss(1, 2) for _ in range(ROWS * COLS)))
    labels = array.array("q", (1 if cells[i * COLS] + draw.gauss(0, 1) > 1 else -1 for i in range(ROWS)))
    with open("x.npy", "wb") as file:
        file.write(npy("<f8", (ROWS, COLS), cells.tobytes()))
    with open("y.npy", "wb") as file:
        file.write(npy("<i8", (ROWS,), labels.tobytes()))


def model(spec, way):
    """The model's bytes, from the file by its name, as standard input, or through a pipe."""
    words = [SEPAL, "train", "x.npy" if way == "name" else "-", "--labels", "y.npy", "-m", spec, "-o", "m.sepal", "-q"]
    with open("x.npy", "rb") as file:
        given = {"pipe": {"input": file.read()}, "input": {"stdin": file}, "name": {"stdin": subprocess.DEVNULL}}[way]
        file.seek(0)
        run = subprocess.run(words, capture_output=True, timeout=PATIENCE, **given)
    check(run.returncode == 0, f"{spec} by {way}", run.stderr)
    with open("m.sepal", "rb") as file:
        return file.read()


def same_models():
    for spec in ("logistic", "svm(loss=hinge)", "lda", "standardize | svm", "least-squares", "perceptron(epochs=2)"):
        mapped = model(spec, "name")
        for way in ("input", "pipe"): # an input that is a file is mapped, too
            check(model(spec, way) == mapped, spec, f"another model by {way}")


def is_mapped(pid):
    with open(f"/proc/{pid}/maps") as file:
        return "x.npy" in file.read()


def cut_short():
    """A fit without an end reads the rows again and again; half of them go away."""
    words = [SEPAL, "train", "x.npy", "--labels", "y.npy", "-m", "perceptron(epochs=1000000000)", "-o", "cut.sepal"]
    run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + PATIENCE
    while run.poll() is None and not is_mapped(run.pid) and time.monotonic() < end:
        time.sleep(0.01)
    check(run.poll() is None and is_mapped(run.pid), "cut short", "the file is not mapped")
    os.truncate("x.npy", 4096)
    _, errors = run.communicate(timeout=PATIENCE)
    check(run.returncode == 3, "cut short", f"exit {run.returncode}")
    check("cut short while it was in use" in errors, "cut short", errors)
    check(not [name for name in os.listdir() if name.startswith("cut.sepal")], "cut short", "a model was left")
    words[-3] = "perceptron"
    run = subprocess.run(words, capture_output=True, text=True)
    check(run.returncode == 3 and "the file is cut short" in run.stderr, "after it", run.stderr)


make_files()
same_models()
cut_short()
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
