#!/usr/bin/env python3
"""What documents and messages name is there: every METHOD(PARAMETER=...) in a document is in the tables,
and a spec that a warning advises is taken, and ends the warning."""
import glob
import json
import math
import os
import re
import subprocess

from checks import check, finish

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]


def run(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True)


def parameters():
    """Those of every learner and map, by name."""
    tables = json.loads(run("list", "--json").stdout)
    found = {}
    for kind in tables.values():
        for row in kind if isinstance(kind, list) else []:
            names = [parameter["name"].replace("_", "-") for parameter in row.get("parameters", [])]
            found[row["name"]] = set(names)
    return found


def documents():
    known = parameters()
    pages = [os.path.join(SOURCE, "README.md")]
    pages += sorted(glob.glob(os.path.join(SOURCE, "docs", "**", "*.md"), recursive=True))
    for page in pages:
        with open(page) as file:
            text = file.read()
        for name, inner in re.findall(r"(?<![\w.-])([a-z][a-z0-9-]*)\(([a-zA-Z][\w-]*=[^)\n]*)\)", text):
            if name == "learner":  # stands for any
                continue
            where = f"{os.path.relpath(page, SOURCE)}: {name}({inner})"
            check(name in known, f"{where}: there is no {name}")
            for word in re.findall(r"(?:^|, ?)([a-zA-Z][\w-]*)=", inner):
                check(word.replace("_", "-") in known.get(name, {word}), f"{where}: it has no {word}")


def advice():
    """A column without variance in a class."""
    with open("rows.csv", "w") as file:
        file.write("a,b,class\n1,2,x\n1,3,x\n2,5,y\n3,4,y\n")
    with open("points.csv", "w") as file:  # a class that is one point
        file.write("a,b,class\n1,2,x\n1,2,x\n2,5,y\n3,4,y\n")
    for data, spec in (("rows.csv", "naive-bayes(kind=gaussian)"),
                       ("rows.csv", "gaussian(covariance=diagonal)"),
                       ("points.csv", "gaussian(covariance=spherical)")):
        first = run("train", data, "-m", spec, "-q")
        found = re.search(r"variances are 0.*; ([a-z-]+\([^)]*\)) would", first.stderr)
        check(found is not None, f"{spec}: no advice: {first.stderr}")
        if found is None:
            continue
        second = run("train", data, "-m", found[1], "-q")
        check(second.returncode == 0 and "variances are 0" not in second.stderr,
              f"{spec}: advised {found[1]}: exit {second.returncode}: {second.stderr}")


def width():
    """Of a radial basis function, as list has it and as it is: rows 0 and 2 about a centre at 1, and one
    at its centre 10, have a mean square of 2/3."""
    tables = json.loads(run("list", "--json").stdout)
    parameters = next(row for row in tables["maps"] if row["name"] == "rbf")["parameters"]
    said = next(parameter for parameter in parameters if parameter["name"] == "width")["help"]
    check("root mean square distance of the rows to their nearest centre" in said, said)
    with open("line.csv", "w") as file:
        file.write("a,class\n0,x\n2,y\n10,x\n")
    run("train", "line.csv", "-m", 'rbf(centres="1;10")+least-squares', "-q", "-o", "m.sepal")
    first = run("transform", "m.sepal", "line.csv").stdout.splitlines()[1]
    found, wanted = float(first.split(",")[0]), math.exp(-1 / (2 * 2 / 3))
    check(abs(found - wanted) < 1e-12, f"rbf of distance 1 is {found}, not {wanted}")


documents()
advice()
width()
finish(least=50)
