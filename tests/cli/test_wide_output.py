#!/usr/bin/env python3
"""Output far wider than its rows takes little memory: 600 rows of 65,536 mapped features would be
300 MB, and are written some rows at a time."""
import os
import resource
import subprocess
import sys

SEPAL = os.environ["SEPAL"]
ROWS, BITS = 600, 16

with open("rows.svm", "w") as file:
    for i in range(ROWS):
        file.write(f"{i % 2} {1 + i % 97}:1 {200 + i}:{i + 1}\n")
spec = f"hash(bits={BITS}) | perceptron(epochs=1)"
subprocess.run([SEPAL, "train", "rows.svm", "-m", spec, "-o", "m.sepal", "-q"], check=True,
               stderr=subprocess.DEVNULL)
before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
out = subprocess.Popen([SEPAL, "transform", "m.sepal", "rows.svm", "--threads", "2"],
                       stdout=subprocess.PIPE)
lines, cells = 0, set()
for line in out.stdout:
    lines += 1
    cells.add(line.count(b","))
code = out.wait()
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"{lines} lines, {most // 1024} MB at most, {before // 1024} MB to train")
if code or lines != ROWS + 1 or cells != {(1 << BITS) - 1}:
    sys.exit(f"exit {code}, {lines} lines, commas: {cells}")
if most > before + 150 * 1024:
    sys.exit("too much memory")
