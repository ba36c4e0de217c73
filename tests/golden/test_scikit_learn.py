#!/usr/bin/env python3
"""Sepal's numbers against those of NumPy and scikit-learn (make_scikit_learn.py made them)."""
import json
import os
import subprocess
import sys

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
TOLERANCE = 1e-9
compared = 0
failures = []


def sepal(*words):
    done = subprocess.run([SEPAL, *words], capture_output=True)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr.decode()}")
    return json.loads(done.stdout) if "--json" in words else None


def compare(found, expected, where):
    """Every number of `expected`, however deep."""
    global compared
    if isinstance(expected, dict):
        for key, value in expected.items():
            compare(found[key], value, f"{where}.{key}")
    elif isinstance(expected, list):
        if len(found) != len(expected):
            failures.append(f"{where}: {len(found)} values, not {len(expected)}")
        for i, (mine, theirs) in enumerate(zip(found, expected)):
            compare(mine, theirs, f"{where}[{i}]")
    else:
        compared += 1
        found = 0 if found is None else found  # 0/0, which scikit-learn was told to call 0
        if abs(found - expected) > TOLERANCE * max(1, abs(expected)):
            failures.append(f"{where}: {found}, not {expected}")


def main():
    with open(os.path.join(SOURCE, "tests/golden/scikit_learn.json")) as file:
        golden = json.load(file)
    for name, expected in golden["least_squares"].items():
        data = os.path.join(SOURCE, "examples/data", f"{name}.csv")
        sepal("train", data, "-m", "least-squares", "-o", "m.sepal", "-q")
        compare(sepal("evaluate", "m.sepal", data, "--json"), expected, name)
    for reduction in ("machine", "ovr", "ovo"):
        for name, expected in golden[reduction].items():
            data = os.path.join(SOURCE, "examples/data", f"{name}.csv")
            spec = f"lda(shrinkage=0.1, estimate=ml) | {reduction}"
            sepal("train", data, "-m", spec, "-o", "m.sepal", "-q")
            rejected = expected.pop("reject", None)
            compare(sepal("evaluate", "m.sepal", data, "--json"), expected, f"{spec}, {name}")
            if rejected:
                words = ("--decide", "reject", "--cutoff", "0.9", "--json")
                compare(sepal("evaluate", "m.sepal", data, *words), rejected, f"{spec}, {name}, 0.9")
    data = os.path.join(SOURCE, "examples/data/breast_cancer.csv")
    for epochs, expected in golden["perceptron"].items():
        sepal("train", data, "-m", "perceptron", "--epochs", epochs, "-o", "m.sepal", "-q")
        model = sepal("inspect", "m.sepal", "--json")
        compare({"weights": model["weights"][0], "bias": model["bias"][0]}, expected, f"epochs {epochs}")
    for failure in failures[:20]:
        print(failure)
    print(f"{compared} numbers, {len(failures)} failures ({golden['made_with']})")
    sys.exit(bool(failures) or compared < 1000)


main()
