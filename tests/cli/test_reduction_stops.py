#!/usr/bin/env python3
"""Ctrl-C and --max-seconds in the middle of a reduction: the model is whole and can be used, the exit
status and the words say what it is; a learner that has nothing so far says that nothing is saved."""
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


def interrupted(reduction):
    spec = f"perceptron(epochs=1000000000) | {reduction}"
    process = subprocess.Popen([SEPAL, "train", "rows.csv", "-m", spec, "-o", "m.sepal"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    while not works(process) and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    words = err.decode()
    check(process.returncode == 130, f"{reduction}: exit {process.returncode}: {words}")
    check("best model so far is in m.sepal" in words, f"{reduction}: {words}")
    check("two-class problems were only begun" in words, f"{reduction}: {words}")
    use(reduction)


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
for reduction in ("ovr", "ovo"):
    interrupted(reduction)
out_of_time("ovr-1")
print("\n".join(failures) or "all well")
sys.exit(bool(failures))
