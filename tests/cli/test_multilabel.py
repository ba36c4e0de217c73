#!/usr/bin/env python3
"""Sets of labels from the command line: every way to write them in a file gives the same model, the file that
was learnt from can be predicted and judged with or without its targets, sets print as they are read, and
what is no set is refused at its place."""
import csv
import io
import json
import os
import random
import subprocess

from checks import check, finish

SEPAL = os.environ["SEPAL"]
NAMES = ["beach", "sunset", "urban"]


def run(*words, **more):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True, **more)


def done(*words, **more):
    made = run(*words, **more)
    check(made.returncode == 0, f"{words}: {made.returncode} {made.stderr}")
    return made.stdout


def facts(*words):
    return json.loads(done(*words, "--json"))


def refused(code, words, *says):
    made = run(*words)
    check(made.returncode == code, f"{words}: exit {made.returncode}, {made.stderr}")
    for part in says:
        check(part in made.stderr, f"{words}: no '{part}' in: {made.stderr}")


def write(path, lines):
    with open(path, "w") as file:
        file.writelines(f"{line}\n" for line in lines)
    return path


draw = random.Random(5)  # fixed: some rows must have no label, and some two
ROWS = []
for _ in range(70):
    x = [round(draw.gauss(0, 1), 6) for _ in range(3)]
    ROWS.append((x, [x[0] + draw.gauss(0, 0.5) > 0, x[1] - x[2] + draw.gauss(0, 0.5) > 0.5, x[2] + draw.gauss(0, 0.3) > 1]))


def set_of(bits, mark):
    return mark.join(name for name, bit in zip(NAMES, bits) if bit)


def cells(x):
    return ",".join(map(repr, x))


ARFF = ["@relation r", *(f"@attribute {c} numeric" for c in "abc"), *(f"@attribute {name} {{0,1}}" for name in NAMES), "@data"]
write("bits.csv", ["a,beach,b,sunset,c,urban"] + [
    f"{x[0]!r},{int(t[0])},{x[1]!r},{int(t[1])},{x[2]!r},{int(t[2])}" for x, t in ROWS])
write("truths.tsv", ["a\tb\tc\t" + "\t".join(NAMES)] + [
    cells(x).replace(",", "\t") + "\t" + "\t".join(map(str, map(bool, t))) for x, t in ROWS])
write("plain.csv", [f"{x[0]!r},{int(t[0])},{x[1]!r},{int(t[1])},{x[2]!r},{int(t[2])}" for x, t in ROWS])
write("tags.csv", ["a,b,c,tags"] + [f"{cells(x)},{set_of(t, '; ')}" for x, t in ROWS])
write("quoted.csv", ["a,b,c,tags"] + [f'{cells(x)},"{set_of(t, ",")}"' for x, t in ROWS])
write("dense.arff", ARFF + [f"{cells(x)},{','.join(str(int(b)) for b in t)}" for x, t in ROWS])
write("sparse.arff", ARFF + ["{" + ",".join(
    [f"{j} {v!r}" for j, v in enumerate(x)] + [f"{3 + k} 1" for k in range(3) if t[k]]) + "}" for x, t in ROWS])
write("sets.svm", [f"{set_of(t, ',')} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x)) for x, t in ROWS])

# ---- every way to write a set ----------------------------------------------------------------------

WAYS = {
    "bits.csv": ("--target", "beach,sunset,urban"),
    "truths.tsv": ("--target", "urban,4-5"),
    "plain.csv": ("--target", "2,4,6"),
    "tags.csv": ("--target", "tags", "--label-separator", ";"),
    "quoted.csv": ("--label-separator", ","),
    "dense.arff": ("--target", "4-6"),
    "sparse.arff": ("--target", "beach,sun*,urban"),
    "sets.svm": (),
}
objectives, printed = set(), set()
for path, how in WAYS.items():
    fit = facts("train", path, *how, "-m", "multilabel", "-o", "m.sepal")
    objectives.add(fit["objective"])
    check(fit["label_sets"] is True and len(fit["problems"]) == 3, f"{path}: {fit}")
    judged = facts("evaluate", "m.sepal", path)
    check(judged["subset_accuracy"] == fit["train"]["subset_accuracy"], f"{path}: {judged}")
    check(judged["micro"]["f1"] == fit["train"]["micro_f1"], f"{path}: {judged}")
    text = done("predict", "m.sepal", path)
    printed.add(text.replace("x2", "beach").replace("x4", "sunset").replace("x6", "urban"))
    again = facts("train", path, *how, "-m", "multilabel", "--holdout", "0.3", "-o", "n.sepal")
    check(again["test"]["label_sets"] is True, f"{path}: no test in {again}")
check(len(objectives) == 1 and len(printed) == 1, f"objectives {objectives}, {len(printed)} predictions")
lines = printed.pop().split("\n")[:-1]
check("" in lines and any("," in line for line in lines), f"sets: {lines}")

# ---- what predict prints ---------------------------------------------------------------------------

done("train", "bits.csv", *WAYS["bits.csv"], "-m", "multilabel", "-q", "-o", "m.sepal")
table = list(csv.reader(io.StringIO(done("predict", "m.sepal", "bits.csv", "--proba"))))
scores = list(csv.reader(io.StringIO(done("predict", "m.sepal", "bits.csv", "--scores"))))
shown = facts("predict", "m.sepal", "bits.csv", "--proba")
check(table[0] == ["label", *NAMES] == scores[0], f"header {table[0]}")
for i, line in enumerate(lines):
    p = [float(cell) for cell in table[i + 1][1:]]
    check(table[i + 1][0] == line == ",".join(shown["labels"][i]), f"row {i}: {table[i + 1]}, {line}")
    check(line == set_of([value >= 0.5 for value in p], ","), f"row {i}: {p} and {line}")
    check(line == set_of([float(cell) >= 0 for cell in scores[i + 1][1:]], ","), f"row {i}: {scores[i + 1]}")
    check(p == shown["proba"][i], f"row {i}: {p} and {shown['proba'][i]}")
often = done("predict", "m.sepal", "bits.csv", "--cutoff", "0").split("\n")
check(set(often[:-1]) == {",".join(NAMES)}, f"cutoff 0: {set(often)}")
done("train", "bits.csv", *WAYS["bits.csv"], "-m", "multilabel", "--cutoff", "0", "-q", "-o", "c.sepal")
check(done("predict", "c.sepal", "bits.csv").split("\n") == often, "the model does not keep its cutoff")
check("each label from a probability of 0 on" in done("evaluate", "c.sepal", "bits.csv"), "decision in words")
# rows without the targets; with some of them; with a label that has a comma
write("features.csv", ["a,b,c"] + [cells(x) for x, _ in ROWS])
check(done("predict", "m.sepal", "features.csv").split("\n")[:-1] == lines, "without targets")
refused(3, ("evaluate", "m.sepal", "features.csv"), "beach", "--target")
write("comma.csv", ["a,b,tags", '1,2,"one,two|three"', "2,1,three", '3,3,"one,two"', "0,1,"])
done("train", "comma.csv", "--label-separator", "|", "-m", "multilabel(C=1000)", "-q", "-o", "k.sepal")
check('"one,two",three' in done("predict", "k.sepal", "comma.csv", "--cutoff", "0"), "a label with a comma")
check('"""one,two"",three"' in done("predict", "k.sepal", "comma.csv", "--cutoff", "0", "--proba"), "the same in CSV")
# rows that cannot be predicted
write("gaps.csv", ["a,b,t1,t2", *(f"{i},{i % 5},{i % 2},{i % 3 > 0:d}" for i in range(12)), "1,?,0,1"])
done("train", "gaps.csv", "--target", "t1,t2", "--missing", "drop", "-m", "multilabel", "-q", "-o", "g.sepal")
check(done("predict", "g.sepal", "gaps.csv").split("\n")[-2] == "?", "a row without a value")
check(facts("predict", "g.sepal", "gaps.csv")["labels"][-1] is None, "the same in JSON")

# ---- describe, inspect, convert -----------------------------------------------------------------------

told = facts("describe", "bits.csv", *WAYS["bits.csv"])
counts = [sum(t[k] for _, t in ROWS) for k in range(3)]
check(told["classes"] == NAMES and told["counts"] == counts, f"describe: {told['classes']} {told['counts']}")
check(abs(told["cardinality"] - sum(counts) / 70) < 1e-12, f"cardinality {told['cardinality']}")
check(told["empty_sets"] == sum(not any(t) for _, t in ROWS), f"empty sets {told['empty_sets']}")
roles = {row["name"]: (row["role"], row["distinct"]) for row in told["table"]}
check(roles["beach"] == ("target", 2) and roles["a"][0] == "feature", f"roles {roles}")
model = facts("inspect", "m.sepal")
check(model["rows"] == NAMES and len(model["weights"]) == 3 and "boundaries" not in model, f"inspect: {model['rows']}")
done("convert", "bits.csv", *WAYS["bits.csv"], "-o", "made.svm")
check(facts("train", "made.svm", "-m", "multilabel")["objective"] in objectives, "converted")
refused(3, ("convert", "bits.csv", *WAYS["bits.csv"], "-o", "made.csv"), "libsvm")

# ---- labels that never vary ---------------------------------------------------------------------------

write("never.csv", ["a,b,t,u,v"] + [f"{x[0]!r},{x[1]!r},{int(t[0])},0,1" for x, t in ROWS])
fit = facts("train", "never.csv", "--target", "t,u,v", "-m", "multilabel", "-o", "v.sepal")
check(sorted(w["message"][:2] for w in fit["warnings"]) == ["ev", "no"], f"warnings {fit['warnings']}")
check(fit["constant_labels"] == [{"label": "u", "present": False}, {"label": "v", "present": True}], f"{fit}")
check(fit["converged"] is True and fit["gap"] <= 1e-6, f"gap {fit['gap']}")
sets = {line for line in done("predict", "v.sepal", "never.csv").split("\n")[:-1]}
check(sets == {"v", "t,v"}, f"sets {sets}")
judged = facts("evaluate", "v.sepal", "never.csv")
check("precision:u" in judged["undefined"] and "recall:u" in judged["undefined"], f"{judged['undefined']}")
fit = facts("train", "never.csv", "--target", "u,v", "-m", "multilabel", "-o", "v.sepal")
check(set(done("predict", "v.sepal", "never.csv").split("\n")[:-1]) == {"v"}, "nothing but labels that never vary")
fit = facts("train", "never.csv", "--target", "t*", "-m", "multilabel", "-o", "one.sepal")
check(fit["classes"] == ["t"], f"one label: {fit['classes']}")
check(done("predict", "one.sepal", "never.csv", "--proba").split("\n")[0] == "label,t", "the column of one label")
write("empty.svm", [", 1:1", ", 1:2", ", 2:1"])
refused(3, ("train", "empty.svm", "-m", "multilabel"), "empty.svm:1:1", "no row has a label")
write("few.svm", ["1 1:1 2:1", "1:2", "2 2:1", "1 1:3 2:1", "2:2"])  # no set has two labels
refused(3, ("train", "few.svm", "-m", "multilabel"), "few.svm:2:1", "--label-separator ,")
fit = facts("train", "few.svm", "--label-separator", ",", "-m", "multilabel", "-o", "f.sepal")
check(fit["classes"] == ["1", "2"] and facts("evaluate", "f.sepal", "few.svm")["rows"] == 5, f"{fit['classes']}")
for penalty in ("none", "l1", "elasticnet", "l2"):
    done("train", "never.csv", "--target", "t,u,v", "-m", f"multilabel(penalty={penalty})", "-q")

# ---- labels that the model has not seen ------------------------------------------------------------------

write("other.svm", ["7,beach 1:1 2:1 3:0", "urban 1:0.5"])
done("train", "sets.svm", "-m", "multilabel", "-q", "-o", "s.sepal")
judged = facts("evaluate", "s.sepal", "other.svm")
check(judged["labels"] == [*NAMES, "7"] and judged["log_loss"] is None, f"{judged['labels']}")
check(judged["per_class"][3]["fn"] == 1, f"{judged['per_class'][3]}")
chances = facts("predict", "s.sepal", "other.svm", "--proba")["proba"]
square = 1 + sum((p - t) ** 2 for row, has in zip(chances, ((1, 0, 0), (0, 0, 1))) for p, t in zip(row, has))
check(abs(judged["brier"] - square / 2) < 1e-12, f"brier {judged['brier']}, not {square / 2}: 7 had no chance")
judged = facts("evaluate", "s.sepal", "sets.svm", "--positive", "beach")
check(judged["warnings"][0]["code"] == "positive-ignored", f"{judged['warnings']}")

# ---- refused ----------------------------------------------------------------------------------------------

for strategy in ("ovr", "ovr-1", "ovo", "machine"):
    refused(2, ("train", "sets.svm", "-m", f"multilabel | {strategy}"), strategy, "leave")
refused(3, ("train", "sets.svm", "-m", "logistic"), "sets.svm:2:1", "multilabel")
refused(3, ("train", "bits.csv", *WAYS["bits.csv"], "-m", "svm"), "bits.csv:2:", "multilabel")
refused(3, ("train", "bits.csv", "--target", "beach,sunst", "-m", "multilabel"), "'sunst'", "'sunset'")
write("odd.csv", ["a,t,u", "1,0,1", "2,1,2", "3,0,0"])
refused(3, ("train", "odd.csv", "--target", "t,u", "-m", "multilabel"), "odd.csv:3:5", "'2'", "neither 0 nor 1")
done("train", "odd.csv", "--target", "t,u", "--bad-lines", "skip", "-m", "multilabel", "-q")
write("hole.csv", ["a,t,u", "1,0,1", "2,?,1", "3,1,0"])
refused(3, ("train", "hole.csv", "--target", "t,u", "-m", "multilabel"), "hole.csv:3:3", "'?'")
write("torn.csv", ["a,tags", "1,x;y", "2,x;;y", "3,y"])
refused(3, ("train", "torn.csv", "--label-separator", ";", "-m", "multilabel"), "torn.csv:3:3", "missing")
write("twice.csv", ["a,1,1.0", "1,0,1", "2,1,0"])
refused(3, ("train", "twice.csv", "--target", "1.0,2", "--header", "yes", "-m", "multilabel"), "rename")
refused(2, ("train", "tags.csv", "--label-separator", "ab", "-m", "multilabel"), "'ab'", ", ; |")
refused(2, ("train", "bits.csv", *WAYS["bits.csv"], "--label-separator", ";", "-m", "multilabel"), "several")
refused(2, ("train", "sets.svm", "--label-separator", ";", "-m", "multilabel"), "commas")
refused(2, ("train", "bits.csv", "--labels", "sets.svm", "--label-separator", ";", "-m", "multilabel"), "--labels")
refused(3, ("train", "bits.csv", *WAYS["bits.csv"], "--weight", "urban", "-m", "multilabel"), "'urban'")
refused(2, ("predict", "m.sepal", "bits.csv", "--decide", "reject"), "reject")
refused(4, ("train", "sets.svm", "-m", "multilabel", "--warm", "m.sepal"), "m.sepal")
refused(3, ("separable", "sets.svm"), "sets.svm:2:1")
# ---- the table of coefficients: a block for each label, and why it has no errors

for labels in (NAMES, NAMES[:2]):
    words = ("bits.csv", "--target", ",".join(labels), "--only", "a,b,c", "-m", "multilabel(C=1)", "-o", "table.sepal", "-q")
    done("train", *words)
    table, page = facts("inspect", "table.sepal", "--summary")["summary"], done("inspect", "table.sepal", "--summary")
    check(table["code"] == "several-problems" and table["errors"] is None, f"{labels}: {table['code']}")
    check(all(t["odds_ratio"] > 0 for t in table["terms"]), f"{labels}: odds of each label")
    check([line for line in page.splitlines() if "log-odds" in line] == [f"log-odds of {name}" for name in labels], page)
    check(f"labels      {', '.join(labels)}" in page and "against" not in page, page)

finish()
