#!/usr/bin/env python3
"""Output far wider than its rows takes little memory: 600 rows of 65,536 mapped features would be
300 MB, and are written some rows at a time. A row is what it is among few others, wherever it stands."""
import os
import resource
import subprocess
import sys

SEPAL = os.environ["SEPAL"]
ROWS, BITS = 600, 16

def write_rows(path, numbers):
    with open(path, "w") as file:
        for i in numbers:
            file.write(f"{i % 2} {1 + i % 97}:1 {200 + i}:{i + 1}\n")


write_rows("rows.svm", range(ROWS))
spec = f"hash(bits={BITS}) | perceptron(epochs=1)"
subprocess.run([SEPAL, "train", "rows.svm", "-m", spec, "-o", "m.sepal", "-q"], check=True,
               stderr=subprocess.DEVNULL)
before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
out = subprocess.Popen([SEPAL, "transform", "m.sepal", "rows.svm", "--threads", "2"],
                       stdout=subprocess.PIPE)
lines, cells, kept = 0, set(), {}
some = [0, 1, 30, 31, 32, 33, 63, 64, 299, 300, 511, 512, ROWS - 1]
for line in out.stdout:
    if lines - 1 in some:
        kept[lines - 1] = line
    lines += 1
    cells.add(line.count(b","))
code = out.wait()
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"{lines} lines, {most // 1024} MB at most, {before // 1024} MB to train")
if code or lines != ROWS + 1 or cells != {(1 << BITS) - 1}:
    sys.exit(f"exit {code}, {lines} lines, commas: {cells}")
if most > before + 150 * 1024:
    sys.exit("too much memory")

write_rows("some.svm", some)
done = subprocess.run([SEPAL, "transform", "m.sepal", "some.svm"], stdout=subprocess.PIPE, check=True)
for i, line in zip(some, done.stdout.splitlines(keepends=True)[1:]):
    if kept[i] != line:
        sys.exit(f"row {i} has other numbers among others")
