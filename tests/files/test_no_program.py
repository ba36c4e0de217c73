#!/usr/bin/env python3
"""Some packings are unpacked by programs of the system's: a data file must not start any."""
import gzip
import os
import subprocess
import sys

SEPAL = os.environ["SEPAL"]
PROGRAMS = {"lrzip": b"LRZI\0\6", "lzop": b"\x89LZO\0\r\n\x1a\n", "grzip": b"GRZipII\0\2\4:)"}
failures = []

os.mkdir("bin")
for program in PROGRAMS:
    with open(f"bin/{program}", "w", encoding="ascii") as script:
        script.write("#!/bin/sh\ntouch started\n")
    os.chmod(f"bin/{program}", 0o755)
path = {**os.environ, "PATH": os.getcwd() + "/bin:" + os.environ["PATH"]}

for program, magic in PROGRAMS.items():
    for name, data in (("plain.csv", magic + bytes(100)),
                       ("packed.csv.gz", gzip.compress(magic + bytes(100)))):
        with open(name, "wb") as file:
            file.write(data)
        done = subprocess.run([SEPAL, "describe", name], capture_output=True, env=path, check=False)
        if done.returncode not in (2, 3):
            failures.append(f"{program}, {name}: exit {done.returncode}")
        if os.path.exists("started"):
            failures.append(f"{program}, {name}: was started")
            os.remove("started")
for failure in failures:
    print(failure)
print(f"COUNT table-files {2 * len(PROGRAMS)} {len(failures)}")
sys.exit(bool(failures))
