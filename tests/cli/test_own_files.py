#!/usr/bin/env python3
"""No command writes over a file that it reads, whatever the two are called: by its name, a hard link, a
symbolic link, /dev/stdin. Nor are two outputs one file. Every option that names a file is tried, against
every output of its command, and `sepal help` must know no other."""
import os
import re
import shutil
import subprocess

from checks import check, finish

SEPAL = os.environ["SEPAL"]
DATA = os.path.join(os.environ["SEPAL_SOURCE"], "examples", "data", "iris.csv")


def run(*words, **more):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True, **more)


# The command with all its inputs, of which none is an output; those inputs; its outputs.
TRAIN = ["train", "data.csv", "-m", "logistic", "-q", "--drop", "class"]
COMMANDS = {
    "train": (TRAIN + ["--labels", "labels.txt", "--weights", "weights.txt", "--warm", "warm.sepal",
                       "--test", "test.csv", "--test-labels", "test_labels.txt",
                       "--test-weights", "test_weights.txt"],
              ["data.csv", "labels.txt", "weights.txt", "warm.sepal", "test.csv",
               "test_labels.txt", "test_weights.txt"], ["--output", "--trace", "--report"]),
    "predict": (["predict", "model.sepal", "data.csv", "--weights", "weights.txt", "--labels",
                 "labels.txt"], ["model.sepal", "data.csv", "weights.txt", "labels.txt"],
                ["--output"]),
    "convert": (["convert", "data.csv", "--to", "csv", "--weights", "weights.txt", "--labels",
                 "labels.txt"], ["data.csv", "weights.txt", "labels.txt"], ["--output"]),
    "sample": (["sample", "density.sepal", "-n", "3"], ["density.sepal"], ["--output"]),
    "transform": (["transform", "axes.sepal", "data.csv", "--weights", "weights.txt"],
                  ["axes.sepal", "data.csv", "weights.txt"], ["--output"]),
    "separable": (["separable", "data.csv", "--labels", "labels.txt", "--weights", "weights.txt"],
                  ["data.csv", "labels.txt", "weights.txt"], ["--certificate"]),
    "tune": (["tune", "data.csv", "-m", "logistic", "--path", "--labels", "labels.txt", "--weights",
              "weights.txt", "--path-length", "2", "--folds", "2"],
             ["data.csv", "labels.txt", "weights.txt"], ["--output", "--csv"]),
    "cv": (["cv", "data.csv", "-m", "lda", "--labels", "labels.txt", "--weights", "weights.txt", "--fold-file",
            "folds.txt", "--drop", "class"],
           ["data.csv", "labels.txt", "weights.txt", "folds.txt"], ["--output", "--csv"]),
    "explain": (["explain", "model.sepal", "data.csv"], ["model.sepal", "data.csv"], ["--output"]),
    "report": (["report", "model.sepal", "data.csv"], ["model.sepal", "data.csv"], ["--output"]),
    "plot": (["plot", "confusion", "model.sepal", "data.csv", "--to", "svg"], ["model.sepal", "data.csv"], ["--output"]),
    "split": (["split", "data.csv", "--train-out", "new-train.csv", "-q"], ["data.csv"], ["--test-out"]),
}
# options that name a file and stand in none of the lines above
ELSEWHERE = {("separable", "check"), ("evaluate", "cost"), ("tune", "fold-file"), ("tune", "warm"), ("transform", "labels"), ("describe", "labels"),
             ("describe", "weights"), ("evaluate", "labels"), ("evaluate", "weights"),
             ("cv", "warm"), ("cv", "names"), ("report", "fit"), ("report", "cost"), ("plot", "cost"),
             ("report", "report"),  # of train, which its help names
             *((command, name) for command in ("explain", "report", "plot", "split")
               for name in ("labels", "weights", "names")),
             *((command, "names") for command in (  # see names
                 "train", "predict", "convert", "transform", "separable", "describe", "evaluate",
                 "tune"))}


def make_files():
    shutil.copy(DATA, "data.csv")
    shutil.copy(DATA, "test.csv")
    with open(DATA) as file:
        labels = [line.rsplit(",", 1)[1] for line in file][1:]
    for name in ("labels.txt", "test_labels.txt"):
        with open(name, "w") as file:
            file.writelines(labels)
    with open("folds.txt", "w") as file:
        file.writelines(f"{i % 3}\n" for i in range(len(labels)))
    for name in ("weights.txt", "test_weights.txt"):
        with open(name, "w") as file:
            file.write("1\n" * len(labels))
    for name, method in (("model", "logistic"), ("warm", "logistic"), ("density", "gaussian"),
                         ("axes", "lda")):
        made = run("train", "data.csv", "-m", method, "-q", "-o", name + ".sepal")
        check(made.returncode == 0, f"{method}: {made.stderr}")


def contents(folder="."):
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


def refused(name, words, before, said="would be lost", **more):
    done = run(*words, **more)
    check(done.returncode == 2 and said in done.stderr,
          f"{name}: exit {done.returncode}: {done.stderr}")
    after = contents()
    changed = [file for file in set(before) | set(after) if before.get(file) != after.get(file)]
    check(not changed, f"{name}: {changed} changed")
    for file in changed:
        if file in before:
            with open(file, "wb") as out:
                out.write(before[file])


def inputs():
    for command, (words, reads, writes) in COMMANDS.items():
        for output in writes:
            for path in reads:
                if output == "--output" and path == "warm.sepal":
                    continue  # see going_on
                before = contents()
                refused(f"{command} {output} {path}", words + [output, path], before)
                os.link(path, "hard")
                refused(f"{command} {output} hard link to {path}", words + [output, "hard"],
                        contents())
                os.unlink("hard")
                os.symlink(path, "soft")
                refused(f"{command} {output} symbolic link to {path}", words + [output, "soft"],
                        contents())
                os.unlink("soft")


def going_on():
    """A model may be replaced by the one that goes on from it; its file stays whole if that fails."""
    words = ["train", "data.csv", "-m", "logistic", "-q", "--warm", "warm.sepal", "-o", "warm.sepal"]
    before = contents()
    done = run(*words)
    check(done.returncode == 0, f"--warm and -o: exit {done.returncode}: {done.stderr}")
    check(contents().keys() == before.keys(), "--warm and -o leave other files")
    again = contents()
    done = run(*words, "--max-iter", "1", "--tol", "1e-300", "--strict")
    check(done.returncode == 5 and contents() == again, "--warm and -o of a fit that fails")


def fresh():
    """The same lines with an output of its own are done."""
    for command, (words, _, writes) in COMMANDS.items():
        for output in writes:
            if output == "--trace":  # logistic does not walk
                continue
            done = run(*words, output, "new.csv")
            check(done.returncode == 0 and os.path.exists("new.csv"),
                  f"{command} {output}: exit {done.returncode}: {done.stderr}")
            if os.path.exists("new.csv"):
                os.unlink("new.csv")


def standard_input():
    for word in ("-", "/dev/stdin"):
        with open("data.csv") as file:
            refused(f"train {word}", ["train", word, "-m", "lda", "-q", "-o", "data.csv"], contents(),
                    stdin=file)


def siblings():
    """Labels that are found beside their rows, or written there."""
    done = run("convert", "data.csv", "-o", "rows.npy")
    check(done.returncode == 0 and os.path.exists("rows.labels.npy"), done.stderr)
    refused("train, labels found", ["train", "rows.npy", "-m", "lda", "-q", "-o", "rows.labels.npy"],
            contents())
    refused("convert, labels written",
            ["convert", "data.csv", "--labels", "rows.labels.npy", "-o", "rows.npy"], contents())


def outputs():
    perceptron = ["train", "data.csv", "-m", "perceptron", "-q"]
    said = "the same file"
    refused("two outputs", perceptron + ["-o", "new", "--trace", "./new"], contents(), said)
    with open("old", "w") as file:
        file.write("old")
    os.link("old", "hard")
    refused("two links", perceptron + ["-o", "old", "--trace", "hard"], contents(), said)
    os.unlink("hard")
    os.unlink("old")
    os.mkdir("links")
    os.symlink("../new", "links/soft")  # to where there is no file yet
    done = run(*perceptron, "-o", "links/soft", "--trace", "new")
    check(done.returncode == 2 and said in done.stderr, f"link to nothing: {done.stderr}")
    check(not os.path.exists("new"), "link to nothing: written")
    shutil.rmtree("links")


def names():
    """The names of features, which only rows without names have."""
    with open("data.svm", "w") as rows, open("names.txt", "w") as file:
        rows.write("1 1:1 2:2\n-1 1:2\n1 2:1\n")
        file.write("a\nb\n")
    made = run("train", "data.svm", "-m", "lda", "-q", "--names", "names.txt", "-o", "named.sepal")
    check(made.returncode == 0, made.stderr)
    for words, output in ((["train", "data.svm", "-m", "logistic", "-q"], "--output"),
                          (["predict", "named.sepal", "data.svm"], "--output"),
                          (["convert", "data.svm", "--to", "csv"], "--output"),
                          (["transform", "named.sepal", "data.svm"], "--output"),
                          (["separable", "data.svm"], "--certificate")):
        refused(f"{words[0]} {output} names.txt",
                words + ["--names", "names.txt", output, "names.txt"], contents())
    for name in ("data.svm", "names.txt", "named.sepal"):
        os.unlink(name)


def known():
    """What help calls a file is tried above."""
    for command in ("train", "predict", "convert", "sample", "transform", "separable", "describe",
                    "evaluate", "tune", *COMMANDS):
        text = run("help", command).stdout
        words, _, writes = COMMANDS.get(command, ([], [], []))
        for name in re.findall(r"--([a-z-]+) (?:FILE|DATA|MODEL|OUT)\b", text):
            check("--" + name in words + writes or (command, name) in ELSEWHERE,
                  f"{command} --{name} is not tried")


make_files()
for part in (inputs, going_on, fresh, standard_input, siblings, outputs, names, known):
    part()
finish()
