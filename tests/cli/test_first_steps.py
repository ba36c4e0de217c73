#!/usr/bin/env python3
"""What a newcomer types first: names from other programs, files and methods in the place of commands, arguments
the wrong way round, and what `make run` shows. Each mistake is answered by what to type, and that works."""
import os
import re
import shutil
import subprocess

from checks import check, finish

SEPAL, SOURCE = os.environ["SEPAL"], os.environ["SEPAL_SOURCE"]


def run(*words):
    return subprocess.run([SEPAL, *words], capture_output=True, text=True)


def refused(code, words, *said):
    done = run(*words)
    check(done.returncode == code and done.stdout == "", f"{words}: exit {done.returncode}, {done.stdout}")
    for text in said:
        check(text in done.stderr, f"{words}: {text!r} is not in {done.stderr}")
    return done.stderr


shutil.copytree(f"{SOURCE}/examples/data", "examples/data")
shutil.copy("examples/data/iris.csv", "iris.csv")
os.mkdir("build")

# ---- Names from elsewhere -----------------------------------------------------------------------------

with open(f"{SOURCE}/src/core/synonyms.c") as file:
    source = file.read()


def table(name):
    part = source[source.index(f"synonym {name}[]"):]
    return dict(re.findall(r'\{"([^"]+)",\s+"([^"]+)"', part[:part.index("{0}")]))


STAGES, PARAMETERS = table("stages"), table("parameters")
check(len(STAGES) > 20 and len(PARAMETERS) > 20, "the tables are not found")
MEANT = {"ridge": "least-squares(l2=1)", "linearsvc": "svm", "svc": "svm", "logreg": "logistic", "qda": "gaussian",
         "zscore": "standardize", "scale": "standardize", "standardscaler": "standardize", "minmaxscaler": "minmax"}
for word, here in MEANT.items():
    check(STAGES.get(word) == here, f"{word} is {STAGES.get(word)}, not {here}")

maps = {word.split()[0] for word in re.findall(r"^  (\S+)", run("list", "maps").stdout, re.M)}
strategies = {word.split()[0] for word in re.findall(r"^  (\S+)", run("list", "strategies").stdout, re.M)}
for word, here in STAGES.items():
    refused(2, ["train", "iris.csv", "-m", word], f"'{word}' is not a learner", f"did you mean '{here}'?")
    name = here.split("(")[0]
    spec = f"{here} | LEARNER" if name in maps else f"LEARNER | {here}" if name in strategies else here
    kind = "maps" if name in maps else "strategies" if name in strategies else "learners"
    refused(2, [word], f"'{word}' is a method, no command", f'sepal train DATA -m "{spec}"', f"`sepal list {kind}`")
    done = run("train", "iris.csv", "-m", spec.replace("LEARNER", "lda"), "-q")
    check(done.returncode == 0, f"{word}: {spec}: {done.stderr}")

for word in "LinearSVC", "linear_svc", "linear-svc", "LINEAR_SVC":
    refused(2, ["train", "iris.csv", "-m", word], "did you mean 'svm'?")
refused(2, ["train", "iris.csv", "-m", "OneHotEncoder+svm"], "one-hot encoded without being asked (--categorical")
refused(2, ["train", "iris.csv", "-m", "SGDClassifier"], "with --solver sgd")

for learner, word, here in [("logistic", "l1_ratio", "ratio"), ("logistic", "alpha", "l2"), ("svm", "lambda", "l2"),
                            ("naive-bayes", "alpha", "smoothing"), ("logistic", "fit_intercept", "bias"),
                            ("perceptron", "eta0", "eta"), ("lda", "n_components", "axes")]:
    refused(2, ["train", "iris.csv", "-m", f"{learner}({word}=1)"], f"did you mean '{here}'?")
    refused(2, ["train", "iris.csv", "-m", learner, f"--{word}", "1"], f"did you mean '--{here}'?")
refused(2, ["train", "iris.csv", "-m", "rbf(gamma=1) | lda"], "did you mean 'width'?")
refused(2, ["train", "iris.csv", "-m", "perceptron(alpha=1)"], "it has: variant")
for word, here in [("model", "method"), ("n_jobs", "threads"), ("random_state", "seed"), ("sep", "delimiter")]:
    refused(2, ["train", "iris.csv", "-m", "lda", f"--{word}", "1"], f"did you mean '--{here}'?")
refused(2, ["train", "iris.csv", "-m", "ridge", "--alpha", "1"], "did you mean 'least-squares(l2=1)'?")
# every name of here is the one of some parameter or option
known = "".join(run(*words.split()).stdout for words in ("list learners", "list maps", "help train", "help inspect"))
for word, here in PARAMETERS.items():
    for name in here.split("|"):
        check(re.search(rf"(^ +|--){name.replace('-', '[-_]')}\b", known, re.M), f"{word}: {name}")

# ---- In the place of a command, or of another argument --------------------------------------------------

version = run("--version").stdout
check(version.startswith("sepal ") and run("-V").stdout == version == run("version").stdout, version)

run("train", "iris.csv", "-m", "lda", "-q", "-o", "m.sepal")
refused(2, ["iris.csv"], "'iris.csv' is a file", "sepal describe iris.csv", "sepal train iris.csv -m logistic")
refused(2, ["m.sepal"], "'m.sepal' is a file", "sepal inspect m.sepal")
refused(2, ["fit"], "did you mean 'train'?")
refused(2, ["pedict"], "did you mean 'predict'?")
refused(2, ["banana"], "there is no command 'banana'; `sepal help`")
refused(2, ["help", "logistic"], 'sepal train DATA -m "logistic"', "`sepal list learners`")
refused(2, ["help", "poly"], 'sepal train DATA -m "poly | LEARNER"', "`sepal list maps`")
refused(2, ["help", "ovo"], 'sepal train DATA -m "LEARNER | ovo"', "`sepal list strategies`")
refused(2, ["train", "iris.csv", "poly"], 'sepal train iris.csv -m "poly | LEARNER"')
for words in ["iris.csv", "logreg"], ["logreg", "iris.csv"]:
    refused(2, ["train", *words], 'sepal train iris.csv -m "logistic"')
refused(2, ["train", "iris.csv", "wine.csv"], "'wine.csv' is one argument too many")
for command in "predict", "evaluate", "transform":
    refused(4, [command, "iris.csv", "m.sepal"], f"the model comes first: sepal {command} m.sepal iris.csv")
    said = refused(4, [command, "iris.csv", "iris.csv"], "this is not a sepal model; sepal train -o makes one")
    check("comes first" not in said, said)
refused(3, ["train", "nofile"], "nofile: cannot open it: No such file or directory; DATA is")
refused(2, ["train", "logreg"], 'type: sepal train DATA -m "logistic"')
refused(2, ["train", "ovr"], 'type: sepal train DATA -m "LEARNER | ovr"')
refused(3, ["train", "nofile", "-m", "lda"], "nofile: cannot open it: No such file or directory; DATA is")
refused(2, ["train", "nofile", "-m", "banana"], "'banana' is not")

# ---- What is shown first: it runs, without a doubt about anything ---------------------------------------

with open(f"{SOURCE}/tools/demo") as file:
    demo = file.read()
shown = re.findall(r"^show 'build/bin/sepal (.*)'$", demo, re.M)
first = [line.removeprefix("  sepal ") for line in run().stdout.splitlines() if line.startswith("  sepal ")]
check(len(shown) == 5 and len(first) == 3, f"{shown} {first}")
for line in shown + first:
    done = run(*line.split())
    check(done.returncode == 0 and done.stdout and done.stderr == "", f"{line}: {done.stderr}")
    check("train " not in line or "converged   yes" in done.stdout, f"{line}: {done.stdout}")
page = demo.rstrip().splitlines()[-2].strip().removeprefix("$PWD/")
with open(page, encoding="utf-8") as file:
    check("</html>" in file.read(), "the page that `make run` ends with", page)

finish()
