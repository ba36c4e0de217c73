#!/usr/bin/env python3
"""Which column the labels are from is said by train and evaluate, whether it was only guessed, too; and
labels that are no classes are questioned before the fit: every row a class of its own, numbers of a
regression."""
import json
import os
import subprocess

from checks import check, finish

SEPAL = os.environ["SEPAL"]


def run(*words, **more):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True, **more)


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    return path


def table(path, rows, head="a,b,species"):
    return write(path, "\n".join([*([head] if head else []), *rows]) + "\n")


ROWS = ["1,2,x", "3,1,y", "2,5,x", "7,1,y"]
table("guessed.csv", ROWS)
table("named.csv", ROWS, "a,b,Label")
table("bare.csv", ROWS, None)
table("features.csv", [row[:3] for row in ROWS], "a,b")
write("labels.txt", "x\ny\nx\ny\n")
write("rows.svm", "x 1:1 2:2\ny 1:3 2:1\nx 1:2 2:5\ny 1:7 2:1\n")

LAST = " (the last column; name another with --target)"
# words of train, target.name, .guessed, .from, the line for people
TARGETS = [
    (["guessed.csv"], "species", True, "column", "species" + LAST),
    (["guessed.csv", "--target", "species"], "species", False, "column", "species"),
    (["guessed.csv", "--target", "3"], "species", False, "column", "species"),
    (["named.csv"], "Label", False, "column", "Label"),
    (["bare.csv", "--header", "no"], "x3", True, "column", "x3" + LAST),
    (["features.csv", "--labels", "labels.txt"], "labels.txt", False, "file", "the labels of labels.txt"),
    (["rows.svm"], None, False, "first field", "the first field of each line"),
]
for words, name, guessed, source, line in TARGETS:
    for more in [], ["--holdout", "0.5"]:
        spec = ["-m", "mean-difference", *more]
        report = json.loads(run("train", *words, *spec, "--json").stdout)
        found = report.get("target")
        check(found == {"name": name, "guessed": guessed, "from": source}, f"{words} {more}: {found}")
        text = run("train", *words, *spec).stdout
        check(f"\ntarget      {line}\n" in text, f"{words} {more}: {line!r} is not in {text}")
    # the model knows its target, so evaluate guesses nothing
    run("train", *words, "-m", "mean-difference", "-q", "-o", "m.sepal")
    data = [word for word in words if word not in ("--target", "species", "3")]
    judged = run("evaluate", "m.sepal", *data, "--json")
    found = json.loads(judged.stdout).get("target")
    check(found == {"name": name, "guessed": False, "from": source}, f"evaluate {data}: {found}")
    text = run("evaluate", "m.sepal", *data).stdout
    check(f"\ntarget      {line.removesuffix(LAST)}\n" in text, f"evaluate {data}: {text}")

# ---- Every row a class of its own -----------------------------------------------------------------


def codes(done):
    return [warning["code"] for warning in json.loads(done.stdout)["warnings"]]


def fit(*words):
    return run("train", *words, "-m", "mean-difference", "--json", "-o", "alone.sepal")


UNIQUE = [f"{i},{i * i % 7},r{i}" for i in range(9)]
for head, name, guessed in ("a,b,id", "id", True), ("a,b,class", "class", False), (None, "x3", True):
    header = ["--header", "no"] if head is None else []
    table("unique.csv", UNIQUE, head)
    done = fit("unique.csv", *header)
    error = json.loads(done.stdout).get("error", {})
    check(done.returncode == 3 and error.get("file") == "unique.csv", f"{head}: {done.returncode} {done.stdout}")
    message = error.get("message", "")
    last = " (the last column)" if guessed else ""
    check(message.startswith(f"the target '{name}'{last} has 9 different values in 9 rows"), message)
    check("--target NAME" in message and f"--target '{name}' if it is this one" in message, message)
    check(not os.path.exists("alone.sepal"), "a model is there")
    # who insists gets it, with a warning
    done = fit("unique.csv", *header, "--target", name)
    check(done.returncode == 0 and codes(done) == ["class-per-row"], f"{head}: {done.stdout}")
    os.unlink("alone.sepal")
    # a holdout leaves fewer rows than classes, and that is no better
    check(fit("unique.csv", *header, "--holdout", "0.3").returncode == 3, f"{head}: holdout")

table("unique.csv", [row for row in UNIQUE for _ in range(2)], "a,b,id")
done = fit("unique.csv")
check(done.returncode == 0 and codes(done) == [], f"two rows a class: {done.stdout}")
table("two.csv", UNIQUE[:2], "a,b,id")
done = fit("two.csv")
check(done.returncode == 0 and codes(done) == [], f"two rows of two classes: {done.stdout}")
write("unique.svm", "".join(f"{i} 1:{i * i} 2:1\n" for i in range(5)))
done = fit("unique.svm")
check(done.returncode == 0 and codes(done) == ["class-per-row"], f"libsvm: {done.stdout}")

# ---- Numbers of a regression ----------------------------------------------------------------------


def numbers(n, form="{}"):
    return [f"{i},{i * i % 11},{form.format(i % n / 4)}" for i in range(2 * n)]


for n, form, expected in (100, "{}", []), (101, "{}", ["looks-like-regression"]), (101, "v{}", []):
    table("numbers.csv", numbers(n, form), "a,b,price")
    done = fit("numbers.csv")
    check(done.returncode == 0 and codes(done) == expected, f"{n} {form}: {done.stdout[:400]}")
done = run("train", write("numbers.svm", "".join(f"{i % 150} 1:{i}\n" for i in range(300))), "-m", "lda", "--json")
check(codes(done) == ["looks-like-regression"], done.stdout[:400])

# ---- Classes in the first column --------------------------------------------------------------------

LETTERS = [f"{'ABC'[i % 3]},{i % 7},{i * i % 5}" for i in range(30)]
for rows, words, expected in [
        (LETTERS, [], ["target-elsewhere"]), (LETTERS, ["--target", "3"], []), (LETTERS, ["--target", "1"], []),
        ([row[:-1] + str(i % 2) for i, row in enumerate(LETTERS)], [], []),  # 0 and 1 are likely classes
        ([f"{i % 7},{row}" for i, row in enumerate(LETTERS)], [], []),  # text that is not first may be a feature
        ([row + ',' + 'uv'[i % 2] for i, row in enumerate(LETTERS)], [], []),  # the last is text itself
        ([f"{'ABC'[i % 3]},{'uv'[i % 2]},{i * i % 5}" for i in range(30)], [], [])]:
    done = run("train", table("letters.csv", rows, None), "--header", "no", "-m", "lda", "--json", *words)
    check([c for c in codes(done) if c == "target-elsewhere"] == expected, f"{rows[0]} {words}: {codes(done)}")

# text in the last column, a guess, that hardly two rows share: no classes; --target believes the user
WORDS = [f"{'ham' if i % 3 else 'spam'}\tword{i - i % 29 // 28}" for i in range(30)]
for rows, words, expected in [(WORDS, [], ["target-guessed"]), (WORDS, ["--target", "2"], []),
                              (WORDS, ["--target", "1"], []), (WORDS[:9] + [WORDS[0]], [], []),
                              ([f"{i}\tword{i % 15}" for i in range(30)], [], [])]:
    done = run("train", table("words.tsv", rows, None), "--header", "no", "-m", "naive-bayes", "--json", *words)
    check([c for c in codes(done) if c == "target-guessed"] == expected, f"{rows[0]} {words}: {codes(done)}")

# the doubt is told before the fit: a fit that fails has it said already
table("numbers.csv", numbers(600), "a,b,price")
done = run("train", "numbers.csv", "-m", "mean-difference | ovo", "--no-doctor")
lines = done.stderr.splitlines()
check(done.returncode != 0 and len(lines) == 2, done.stderr)
check("warning: the target 'price' has 600 different numbers: this looks like regression" in lines[0]
      and lines[0].endswith("name another column with --target"), done.stderr)
done = run("train", "numbers.csv", "-m", "mean-difference")
check(done.stderr.count("regression") == 1, f"said twice: {done.stderr}")

finish()
