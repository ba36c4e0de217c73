#!/usr/bin/env python3
"""The doctor on tables drawn here: none of its findings about a clean one, and for each fault planted into
one the finding that names its column, and whose advice, typed as it stands, leaves it without that finding."""

import csv
import json
import os
import re
import shlex
import subprocess

from checks import check, finish
from seeds import test_seed

import random

SEPAL = os.environ["SEPAL"]
ROUNDS = 3 if os.environ.get("SEPAL_THIN") == "1" else 8
NAMES = ["age", "sepal width", "2019", "a,b", "x*", "it's", "Größe", "-v", "weight.kg", 'say "so"', "0", "p?"]
METHOD = "logistic"


class Table:
    """Columns of overlapping classes that a statistician finds nothing wrong with."""

    def __init__(self, rng, rows, classes=2):
        self.rng = rng
        self.rows = rows
        self.label = [rng.randrange(classes) for _ in range(rows)]
        self.names, self.columns = [], []
        names = rng.sample(NAMES, 6)
        for k in range(3):
            scale = 10 ** rng.uniform(-1, 1)
            self.add(names[k], [repr(scale * rng.gauss(0.7 * (y if k else 0), 1)) for y in self.label])
        self.add(names[3], [str(rng.randrange(10)) for _ in range(rows)])
        self.add(names[4], [rng.choice(["red", "green", "blue"]) for _ in range(rows)])
        self.spare = names[5]
        self.class_names = [f"class {k}" for k in range(classes)]

    def add(self, name, cells, at=None):
        at = len(self.names) if at is None else at
        self.names.insert(at, name)
        self.columns.insert(at, cells)

    def plant(self, cells):
        """The name of a new column among the others."""
        self.add(self.spare, cells, self.rng.randrange(len(self.names) + 1))
        return self.spare

    def write(self, path):
        with open(path, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(self.names + ["class"])
            for i in range(self.rows):
                out.writerow([column[i] for column in self.columns] + [self.class_names[self.label[i]]])


def run(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True)


def findings(command, path, *options):
    method = [] if "-m" in options else ["-m", METHOD]
    if command == "train":
        method += ["--max-iter", "20"]
    ended = run(command, path, "--json", *method, *options)
    check(ended.returncode == 0, f"{command} {options}: {ended.stderr[:300]}")
    facts = json.loads(ended.stdout)
    for one in facts.get("doctor", []):
        check(set(one) == {"code", "columns", "message", "advice"}, f"keys of {one}")
        check("\n" not in one["message"] + one["advice"], f"lines in {one}")
    return {one["code"]: one for one in facts.get("doctor", [])}


def typed(advice):
    """What the advice says to type."""
    found = re.search(r"""(?:--[a-z][a-z0-9-]* |-m ").*$""", advice)
    check(found is not None, f"nothing to type in: {advice}")
    return shlex.split(found[0]) if found else []


def see(table, code, columns, what, options=(), command="train", others=(), follow=True):
    """The finding is there, about these columns; and no more when its advice is followed."""
    table.write("planted.csv")
    found = findings(command, "planted.csv", *options)
    check(code in found, f"{what}: no finding '{code}' but {list(found)}")
    check(set(found) <= {code, *others}, f"{what}: besides '{code}' {found}")
    if code not in found:
        return
    check(found[code]["columns"] == columns, f"{what}: {found[code]['columns']}, not {columns}")
    for name in columns[:1]:
        check(name in found[code]["message"], f"{what}: {found[code]['message']}")
    if not follow:
        return
    words = typed(found[code]["advice"])
    kept = list(options)
    for option in {word for word in words if word.startswith("-")} & set(kept):
        at = kept.index(option)
        del kept[at : at + 2]
    after = findings("train" if command == "doctor" else command, "planted.csv", *kept, *words)
    check(code not in after, f"{what}: {words} leaves {after.get(code)}")


def gauss(table, scale=1.0):
    return [repr(scale * table.rng.gauss(0, 1)) for _ in range(table.rows)]


def plant_columns(rng, rows):
    one = Table(rng, rows)
    see(one, "constant", [one.plant([rng.choice(["7", "blue"])] * rows)], "constant")

    one = Table(rng, rows)
    start = rng.choice([0, 1, 1000000])
    see(one, "id", [one.plant([str(start + i) for i in range(rows)])], "rows by number")
    one = Table(rng, 200)
    see(one, "id", [one.plant([f"Mr {i}" for i in range(200)])], "rows by name")
    one = Table(rng, rows)
    one.spare = rng.choice(["PatientID", "patient_id", "id", "Unnamed: 0"])
    numbers = rng.sample(range(10 * rows), rows)
    see(one, "id", [one.plant([str(n) for n in numbers])], "shuffled numbers that are called so")

    one = Table(rng, rows)
    one.spare += "#"
    at = rng.randrange(len(one.names))
    one.add(one.spare, list(one.columns[at]))
    see(one, "duplicate", [one.spare], "copy")

    one = Table(rng, rows)
    numbers = [j for j in range(4)]
    a, b = rng.sample(numbers[:3], 2)
    cells = [repr(3 * float(x) - 0.5 * float(y) + 7) for x, y in zip(one.columns[a], one.columns[b])]
    one.add(one.spare, cells)
    see(one, "collinear", [one.spare], "sum of two")

    one = Table(rng, rows)
    name = one.plant(gauss(one, 1e6))
    one.write("planted.csv")
    found = findings("train", "planted.csv").get("scale")
    check(found and found["columns"][0] == name, f"large units: {found}")
    see(one, "scale", found["columns"], "large units") if found else None
    for method in ["naive-bayes(kind=gaussian)", "lda", "minmax+logistic", "logistic(penalty=none)"]:
        check("scale" not in findings("train", "planted.csv", "-m", method), f"{method} does not depend on units")


    one = Table(rng, rows)
    many = [f"many {k}" for k in range(30)]
    for k, name in enumerate(many):
        one.add(name, [str(k)] * rows, 2)
    see(one, "constant", many[::-1], "thirty side by side")
    one = Table(rng, rows)
    name = one.plant([""] * rows)
    see(one, "missing", [name], "nothing at all", options=["--missing", "mean"], follow=False)


def plant_leaks(rng, rows):
    for classes in 2, 3:
        one = Table(rng, rows, classes)
        cells = [repr(10 * y + rng.uniform(0, 5)) for y in one.label]
        see(one, "leak", [one.plant(cells)], f"threshold, {classes} classes")
        one = Table(rng, rows, classes)
        codes = rng.sample(["A", "B", "C", "D"], classes)
        see(one, "leak", [one.plant([codes[y] for y in one.label])], f"code, {classes} classes")
        one = Table(rng, rows, classes)
        codes = rng.sample(["5", "17", "-2", "0.5"], classes)
        see(one, "leak", [one.plant([codes[y] for y in one.label])], f"number, {classes} classes")
    # very good is not perfect
    one = Table(rng, rows)
    one.plant([repr(10 * (y if rng.random() < 0.95 else 1 - y) + rng.uniform(0, 5)) for y in one.label])
    one.write("planted.csv")
    found = findings("train", "planted.csv")
    check(found == {}, f"a column that is right for 95 % of the rows: {found}")


def plant_classes(rng, rows):
    one = Table(rng, rows)
    one.label = [int(i % 25 == 0) for i in range(rows)]
    see(one, "imbalance", [], "one in 25")
    one = Table(rng, rows, 3)
    one.label = [2 if i < 5 else i % 2 for i in range(rows)]
    one.write("planted.csv")
    found = findings("train", "planted.csv")
    check(list(found) == ["rare-class"] and "'class 2' has 5 rows" in found["rare-class"]["message"], f"rare: {found}")
    one.label = [min(y, 1) for y in one.label]
    one.write("planted.csv")
    check(findings("train", "planted.csv") == {}, "a rare class as a part of another is not rare")


def plant_gaps(rng, rows):
    one = Table(rng, rows)
    name = one.plant(["" if rng.random() < 0.2 else x for x in gauss(one)])
    see(one, "missing", [name], "refused", command="doctor")
    see(one, "missing", [name], "means", options=["--missing", "mean"])
    check(findings("train", "planted.csv", "--missing", "indicator") == {}, "an indicator of few")
    check(findings("train", "planted.csv", "--missing", "drop") == {}, "rows left out")
    one = Table(rng, rows)
    name = one.plant(["?" if rng.random() < 0.7 else x for x in gauss(one)])
    see(one, "missing", [name], "most", options=["--missing", "indicator"])
    one = Table(rng, rows)
    name = one.plant([rng.choice("abc") if rng.random() < 0.1 else str(rng.randrange(9)) for _ in range(rows)])
    see(one, "odd-cells", [name], "text among numbers", command="doctor")


def plant_separation(rng, rows):
    one = Table(rng, rows)
    cells = ["only" if y and rng.random() < 0.1 else rng.choice(["both", "other"]) for y in one.label]
    name = one.plant(cells)
    see(one, "separation", [name], "a category of one class", options=["--penalty", "none"])
    one = Table(rng, rows)
    name = one.plant([str(int(y == 0 and rng.random() < 0.2)) for y in one.label])
    see(one, "separation", [name], "a 1 of one class", options=["--penalty", "none"])


def check_words(rng):
    """The same in words, few of them; silence; the same at any number of threads."""
    one = Table(rng, 2500)
    one.spare = "all at once"
    one.add("same", ["1"] * 2500)
    one.add("copy", list(one.columns[0]))
    one.add("number", [str(i) for i in range(2500)])
    one.add("far", [repr(float(x) * 1e9) for x in gauss(one)])
    one.add("told", [repr(y + rng.uniform(0, 0.5)) for y in one.label])
    one.write("planted.csv")
    found = findings("train", "planted.csv")
    check(list(found) == ["id", "leak", "duplicate", "scale", "constant"], f"the most important first: {list(found)}")
    method = ["-m", METHOD, "--max-iter", "20"]
    few = [line for line in run("train", "planted.csv", *method).stderr.splitlines() if "doctor:" in line]
    check(len(few) == 5 and "1 more" in few[4] and "-v" in few[4], f"in few words: {few}")
    more = [line for line in run("train", "planted.csv", *method, "-v").stderr.splitlines() if "doctor:" in line]
    check(len(more) == 5 and all(f["message"] in " ".join(more) for f in found.values()), f"-v: {more}")
    for silent in "--no-doctor", "-q":
        check("doctor" not in run("train", "planted.csv", *method, silent).stderr, f"{silent} is not silent")
    check("doctor" not in json.loads(run("train", "planted.csv", *method, "--no-doctor", "--json").stdout), "nothing asked")
    page = run("doctor", "planted.csv", "-m", METHOD).stdout
    check(all(f["message"] in page and f["advice"] in page for f in found.values()), f"the page: {page}")
    check(findings("doctor", "planted.csv") == found, "doctor and train find the same")
    for threads in "1", "4":
        check(findings("train", "planted.csv", "--threads", threads) == found, f"{threads} threads find others")
    path = run("tune", "planted.csv", "-m", METHOD, "--path", "--path-length", "3", "--folds", "2", "--json")
    told = {one["code"]: one for one in json.loads(path.stdout)["doctor"]} if path.returncode == 0 else path.stderr
    check(told == found, f"tune: {told}")
    wrong = run("doctor", "planted.csv", "-m", "logistick")
    check(wrong.returncode == 2 and "logistic" in wrong.stderr, f"a spec that is none: {wrong.stderr}")
    check(run("doctor", "absent.csv").returncode == 3, "a file that is not there")


def main():
    rng = random.Random(test_seed(18))
    for k in range(ROUNDS):
        rows = rng.choice([60, 300, 2000, 3000])
        for classes in 2, 3:
            Table(rng, rows, classes).write("clean.csv")
            for command in "train", "doctor":
                found = findings(command, "clean.csv")
                check(found == {}, f"a clean table of {rows} rows: {found}")
        plants = [plant_columns, plant_leaks, plant_classes, plant_gaps, plant_separation]
        for plant in plants if k < 2 else [rng.choice(plants)]:
            plant(rng, max(rows, 300))
    check_words(rng)
    for name in "iris", "wine":
        found = findings("train", f"{os.environ['SEPAL_SOURCE']}/examples/data/{name}.csv")
        check(found == {}, f"{name}: {found}")
    finish(60)


main()
