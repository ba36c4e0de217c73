#!/usr/bin/env python3
"""Every file of the tables under every hardship: calls that fail, cuts, other bytes.

The tables know the corners of each format, so this meets them all: with every allocation and every
system call failing in turn, cut off at every byte, and with another byte in every place. The reading
is done by helper_hardships.c, within one process, where a point takes some 20 us."""

import importlib
import os
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
TABLES = ["csv", "libsvm", "arff", "npy", "idx", "labels", "weights", "bad_lines", "packed",
          "predict"]
SEPAL = os.environ["SEPAL"]
LARGE = 50_000  # bytes: longer files have the same points, only slower ones
# Options of reading, as the library takes them.
NAMES = ("format delimiter header quote skip target drop only keep categorical missing unknown weight "
         "labels weights bad-lines n-features").split()


def put(path, data):
    with open(path, "wb") as file:
        file.write(data)


def library_options(line):
    """--name value --other=value, as name="value", other="value"."""
    words, settings = shlex.split(line), []
    while words:
        name, sign, value = words.pop(0).removeprefix("--").partition("=")
        if not sign:
            value = words.pop(0) if words and not words[0].startswith("--") else "true"
        if name in NAMES:
            quoted = value.replace("\\", "\\\\").replace('"', '\\"')
            settings.append(f'{name}="{quoted}"')
    return ", ".join(settings)


def train(model, number):
    folder = f"model{number}"
    os.mkdir(folder)
    put(f"{folder}/{model.name}", model.data)
    subprocess.run([SEPAL, "train", f"{folder}/{model.name}", "-m", "perceptron", "-o",
                    f"{folder}/m.sepal", *shlex.split(model.options)], check=True,
                   capture_output=True)
    return os.path.abspath(f"{folder}/m.sepal")


def lay_out():
    """Put the files in place; returns the fields that the helper takes."""
    models, fields = {}, []
    for table in TABLES:
        os.mkdir(table)
        for i, entry in enumerate(importlib.import_module("table_" + table).FILES):
            if entry.data is None or len(entry.data) > LARGE:
                continue
            if entry.model and entry.model not in models:
                models[entry.model] = train(entry.model, len(models))
            folder = os.path.abspath(f"{table}/{i}")
            os.mkdir(folder)
            for name, data in {**entry.beside, entry.name: entry.data}.items():
                if data is not None:
                    put(f"{folder}/{name}", data)
            fields += [folder, entry.name, library_options(entry.options),
                       models.get(entry.model, ""), "labels" if entry.command == "evaluate" else ""]
    return fields


def main():
    fields = lay_out()
    text = b"".join(os.fsencode(field) + b"\0" for field in fields)
    done = subprocess.run([os.environ["SEPAL_HELPERS"] + "/helper_hardships"], input=text)
    print(f"{len(fields) // 5} files")
    sys.exit(done.returncode)


main()
