#!/usr/bin/env python3
"""Ctrl-C and --max-seconds in the middle of a reduction. Interrupted, there is no model before every class
has weights: the old one stays, no other file appears, and the words say which classes were done. Out of
time, every problem had its share, and the model can be used."""
import json
import os
import random
import signal
import subprocess
import sys
import time

from seeds import test_seed

SEPAL = os.environ["SEPAL"]
failures = []


def check(ok, why):
    if not ok:
        failures.append(why)


def make_rows():
    numbers = random.Random(test_seed(1))
    with open("rows.csv", "w") as file:
        file.write("a,b,class\n")
        for _ in range(400):
            file.write(f"{numbers.randrange(100)},{numbers.randrange(100)},{numbers.choice('vwxyz')}\n")


def works(process):
    """Computing, not loading: it has used half a second of processor time."""
    with open(f"/proc/{process.pid}/stat") as file:
        return int(file.read().rsplit(")", 1)[1].split()[11]) > 50


def use(name):
    done = subprocess.run([SEPAL, "evaluate", "m.sepal", "rows.csv", "--json"], capture_output=True)
    check(done.returncode == 0, f"{name}: {done.stderr.decode()}")
    os.unlink("m.sepal")


def start(spec):
    """A fit, when it computes; where the model should be there is an old one."""
    with open("m.sepal", "w") as file:
        file.write("old")
    process = subprocess.Popen([SEPAL, "train", "rows.csv", "-m", spec, "-o", "m.sepal"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    while not works(process) and time.monotonic() < end:
        time.sleep(0.02)
    return process


def interrupted(reduction, problems):
    process = start(f"perceptron(epochs=1000000000) | {reduction}")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    words = err.decode()
    check(process.returncode == 130, f"{reduction}: exit {process.returncode}: {words}")
    check(f"interrupted when 0 of {problems} had weights of their own" in words,
          f"{reduction}: {words}")
    check("nothing to save" in words, f"{reduction}: {words}")
    found = sorted(os.listdir("."))
    check(found == ["m.sepal", "rows.csv"], f"{reduction}: files {found}")
    with open("m.sepal", "rb") as file:
        check(file.read() == b"old", f"{reduction}: the old model is gone")


def one_is_done(reduction, far_class, done):
    """The first problem is separable and soon done, the second has no end."""
    numbers = random.Random(test_seed(2))
    with open("rows.csv", "w") as file:
        file.write("a,b,class\n")
        for i in range(300):
            label = "vxy"[i % 3]
            far = 1000 if label == far_class else 0
            file.write(f"{numbers.randrange(100) - far},{numbers.randrange(100)},{label}\n")
    process = start(f"perceptron(epochs=1000000000) | {reduction}")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    words = err.decode()
    check(process.returncode == 130, f"{reduction}: exit {process.returncode}: {words}")
    check(f"interrupted when {done}; a model" in words, f"{reduction}: {words}")


def out_of_time(reduction):
    spec = f"perceptron(epochs=1000000000) | {reduction}"
    done = subprocess.run([SEPAL, "train", "rows.csv", "-m", spec, "-o", "m.sepal", "--max-seconds",
                           "2", "--json"], capture_output=True, timeout=120)
    check(done.returncode == 0, f"{reduction}: exit {done.returncode}: {done.stderr.decode()}")
    report = json.loads(done.stdout)
    check(report["stopped"] == "time limit" and not report["converged"], f"{reduction}: {report}")
    epochs = [problem["iterations"] for problem in report["problems"]]
    check(min(epochs) > 1, f"{reduction}: epochs {epochs}")
    use(reduction)


make_rows()
for reduction, problems in (("ovr", "5 classes"), ("ovr-1", "4 classes"),
                            ("ovo", "10 pairs of classes")):
    interrupted(reduction, problems)
out_of_time("ovr-1")
one_is_done("ovr", "v", "1 of 3 classes had weights of their own: 'v'")
one_is_done("ovo", "x", "1 of 3 pairs of classes had weights of their own: 'x' against 'v'")
print("\n".join(failures) or "all well")
sys.exit(bool(failures))
