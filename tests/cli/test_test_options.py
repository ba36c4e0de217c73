#!/usr/bin/env python3
"""The rows of --test are read as evaluate would read them: what is said of the shape of the files holds for
both. Each option of reading that concerns the file, not the columns, is tried on files that cannot be
read, or are read otherwise, without it."""
import json
import os
import subprocess

from checks import check, finish

SEPAL = os.environ["SEPAL"]


def run(*words):
    return subprocess.run([SEPAL, *words, "--json"], capture_output=True, text=True)


ROWS = ["1,2,red,x", "3,1,blue,y", "2,5,red,x", "7,1,blue,y", "4,4,red,x", "1,9,blue,y", "6,3,red,y"]
HEAD = "a,b,colour,class"


def table(rows, head=HEAD, before=(), mark=","):
    lines = [*before, *([head] if head else []), *rows]
    return "\n".join(lines).replace(",", mark) + "\n"



# option, training rows, test rows that need it
CASES = {
    "unknown": (["--unknown", "zero"], table(ROWS), table(ROWS + ["3,3,green,x", "9,9,pink,y"])),
    "skip": (["--skip", "2", "--header", "yes"], table(ROWS, before=["some words", "and, more"]),
             table(ROWS[::-1], before=["other words", "here, too"])),
    "delimiter": (["--delimiter", ";"], table(ROWS, mark=";"),
                  table([row.replace("red", "red") for row in ROWS[1:]], mark=";")),
    "header": (["--header", "no"], table(ROWS, head=None), table(ROWS[2:], head=None)),
    "bad-lines": (["--bad-lines", "skip"], table(ROWS), table(ROWS + ["1,2,3", "oh,1,red,x"])),
    "quote": (["--quote", "no"], table(ROWS).replace("red", '"red'),
              table(ROWS[::-1]).replace("red", '"red')),
    "decimal": (["--decimal", "comma"], table(ROWS, mark=";").replace("1;2", "1,5;2"),
                table(ROWS[::-1], mark=";").replace("1;9", "1,25;9")),
    "format": (["--format", "tsv"], table(ROWS, mark="\t"), table(ROWS[::-1], mark="\t")),
}
NEEDED = {"unknown", "skip", "bad-lines", "quote", "decimal"}  # without it the test rows cannot be read


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


for name, (option, train, test) in CASES.items():
    write("train.csv", train)
    write("test.csv", test)
    fit = run("train", "train.csv", "-m", "lda", "-o", "m.sepal", "--test", "test.csv", *option)
    judged = run("evaluate", "m.sepal", "test.csv", *option)
    check(fit.returncode == 0, f"{name}: exit {fit.returncode}: {fit.stderr}")
    check(judged.returncode == 0, f"{name}: evaluate: exit {judged.returncode}: {judged.stderr}")
    if fit.returncode == 0 and judged.returncode == 0:
        found, wanted = json.loads(fit.stdout)["test"], json.loads(judged.stdout)
        for key in ("schema", "command", "warnings"):
            wanted.pop(key)
        found.pop("baseline")  # of the training rows, which evaluate does not know
        check(found == wanted, f"{name}: other rows than evaluate's: {found['rows']}, {wanted['rows']}")
    if name in NEEDED:
        check(run("evaluate", "m.sepal", "test.csv").returncode == 3, f"{name} is not needed")
# and the labels of rows that have none
write("train.svm", "1 1:1\n2 2:1\n1 1:2\n2 2:3\n")
write("labels.txt", "1\n2\n2\n")
write("test.svm", "1:1\n2:1\n1:3\n")
fit = run("train", "train.svm", "-m", "lda", "--test", "test.svm", "--test-labels", "labels.txt")
check(fit.returncode == 0 and json.loads(fit.stdout)["test"]["rows"] == 3, f"labels: {fit.stderr}")
# rows that begin further down than those of training, as adult.test has it
write("train.csv", table(ROWS, before=["one line"]))
write("test.csv", table(ROWS[::-1], head=None, before=["|1x3 Cross validator", "and, more"]))
fit = run("train", "train.csv", "-m", "lda", "--header", "no", "--skip", "2", "--test", "test.csv")
check(fit.returncode == 0 and json.loads(fit.stdout)["rows"] == 7, f"skip alone: {fit.stderr}")
write("train.csv", table(ROWS, head=None))
fit = run("train", "train.csv", "-m", "lda", "--test", "test.csv")
message = json.loads(fit.stdout)["error"]["message"]
check(fit.returncode == 3 and "--test-skip N" in message and "1 column;" in message, f"a word before the rows: {message}")
fit = run("train", "train.csv", "-m", "lda", "--test", "test.csv", "--test-skip", "2")
check(fit.returncode == 0, f"test-skip: {fit.stdout}")
found = json.loads(fit.stdout)
check((found["rows"], found["test"]["rows"]) == (7, 7), f"test-skip: {found['rows']}, {found['test']['rows']}")
write("train.csv", table(ROWS, head=None, before=["a word"]))
fit = run("train", "train.csv", "-m", "lda", "--skip", "1", "--test", "test.csv", "--test-skip", "2")
found = json.loads(fit.stdout)
check((found["rows"], found["test"]["rows"]) == (7, 7), f"both: {found['rows']}, {found['test']['rows']}")
fit = run("train", "train.csv", "-m", "lda", "--skip", "1", "--test-skip", "2")
check(fit.returncode == 2 and "--test DATA" in fit.stdout, f"test-skip alone: {fit.stdout}")
# labels that training has not: each is an error, and that is said
write("train.csv", table(ROWS))
write("test.csv", table([row + "." for row in ROWS]))
fit = run("train", "train.csv", "-m", "lda", "--test", "test.csv")
said = [w["message"] for w in json.loads(fit.stdout)["warnings"] if w["code"] == "unseen-labels"]
check(len(said) == 1 and said[0].startswith("7 of the 7 rows") and "'x.'" in said[0] and "'x' and 'y'" in said[0], said)
check("'x.' may be meant for 'x'" in said[0] and "sed 's/[.]$//'" in said[0], said)
write("test.csv", table(ROWS + ["1,1,red,z"]))
fit = run("train", "train.csv", "-m", "lda", "--test", "test.csv")
said = [w["message"] for w in json.loads(fit.stdout)["warnings"] if w["code"] == "unseen-labels"]
check(len(said) == 1 and said[0].startswith("1 of the 8 rows") and "meant" not in said[0], said)
# other writings of a known label, and one that is only near it
for label, known in (("X", "x"), ("'y'", "y"), ('" y "', "y"), ("y;", "y"), ("Y!", "y"), ("xy", None), (".", None)):
    write("test.csv", table(ROWS + ["1,1,red," + label]))
    fit = run("train", "train.csv", "-m", "lda", "--test", "test.csv")
    said = [w["message"] for w in json.loads(fit.stdout)["warnings"] if w["code"] == "unseen-labels"]
    meant = f"may be meant for '{known}'" if known else "meant"
    check(len(said) == 1 and (meant in said[0]) == bool(known), f"{label}: {said}")
# two labels that are nothing but marks are not alike
write("marks.csv", table([row[:-1] + ("!" if row.endswith("x") else "y") for row in ROWS]))
write("test.csv", table(["1,1,red,."]))
fit = run("train", "marks.csv", "-m", "lda", "--test", "test.csv")
said = [w["message"] for w in json.loads(fit.stdout)["warnings"] if w["code"] == "unseen-labels"]
check(len(said) == 1 and "meant" not in said[0], said)
finish()
