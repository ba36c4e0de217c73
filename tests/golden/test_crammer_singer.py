#!/usr/bin/env python3
"""The objective of svm(loss=crammer_singer) against the least that LIBLINEAR finds (make_crammer.py wrote it
down): not above it, and below it by no more than LIBLINEAR's own tolerance leaves."""
import json
import os
import subprocess
import sys

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]
with open(os.path.join(SOURCE, "tests/golden/crammer.json")) as file:
    cases = json.load(file)["liblinear"]
for case in cases:
    spec = f"svm(loss=crammer_singer, C={case['C']}, bias={case['bias']})"
    data = os.path.join(SOURCE, "examples/data", f"{case['data']}.csv")
    done = subprocess.run([SEPAL, "train", data, "-m", spec, "--tol", "1e-9", "--json"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{spec}: {done.stderr}")
    report = json.loads(done.stdout)
    part = report["objective"] / case["objective"] - 1
    if not (report["converged"] and -1e-5 < part < 1e-9):
        sys.exit(f"{case['data']}, {spec}: {report['objective']}, LIBLINEAR has {case['objective']}: {part:.2g}")
if len(cases) < 8:
    sys.exit("too few cases")
print(f"COUNT crammer-singer-objectives {len(cases)} 0")
