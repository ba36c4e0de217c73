#!/usr/bin/env python3
"""tools/new in a copy of the sources: each kind changes one line of one table and adds a source file, a
test and words of documentation, and nothing else; all that it wrote together builds without a warning, is
listed, fits, decides, measures and reads, and its tests pass. What it refuses leaves the copy as it was."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from checks import check, failures, finish

SOURCE = Path(os.environ["SEPAL_SOURCE"])
TREE, BUILD = Path("tree").resolve(), Path("out").resolve()
# a kind, a name, and the table, source and test that follow from them
NEW = [
    ("learner", "near-mean", "src/learners/learners.def", "src/learners/near_mean.c", "contract"),
    ("map", "max-abs", "src/maps/maps.def", "src/maps/max_abs.c", "unit"),
    ("strategy", "one-rest", "src/linear/strategies.def", "src/linear/strategy_one_rest.c", "contract"),
    ("solver", "plain-descent", "src/solvers/solvers.def", "src/solvers/plain_descent.c", "contract"),
    ("format", "semi", "src/io/formats.def", "src/io/read_semi.c", "unit"),
    ("metric", "mean-recall", "src/eval/metrics.def", "src/eval/metric_mean_recall.c", "contract"),
    ("decision", "plain", "src/model/decisions.def", "src/model/decision_plain.c", "contract"),
]
REFUSED = [
    (["banana", "a"], "there is no kind"),
    (["learner", "Near"], "cannot be a name"),
    (["learner", "2near"], "cannot be a name"),
    (["learner", "../near"], "cannot be a name"),
    (["learner", "near_mean"], "cannot be a name"),
    (["learner", "lda"], "there is a learner 'lda' already"),
    (["map", "naive-bayes"], "there is a learner 'naive-bayes' already"),
    (["solver", "newton-cg"], "there is a solver 'newton-cg' already"),
    (["metric", "tables"], "tests/contract/test_tables.c is there already"),
    (["format", "two-words"], "without -"),
    (["learner"], "usage"),
]


def copy_sources():
    """What git knows or would; outside of git all but what was built."""
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-coz", "--exclude-standard"],
                            capture_output=True, text=True)
    if listed.returncode != 0:
        shutil.copytree(SOURCE, TREE, ignore=shutil.ignore_patterns("build", ".git"))
        return
    for name in filter(None, listed.stdout.split("\0")):
        if (SOURCE / name).is_file():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, TREE / name)


def texts():
    return {str(path.relative_to(TREE)): path.read_bytes() for path in TREE.rglob("*") if path.is_file()}


def new(*words):
    return subprocess.run([TREE / "tools/new", *words], capture_output=True, text=True)


def refusals():
    before = texts()
    for words, why in REFUSED:
        done = new(*words)
        check(done.returncode != 0 and why in done.stdout + done.stderr,
              f"tools/new {' '.join(words)}: exit {done.returncode}: {done.stdout}{done.stderr}")
        check(texts() == before, f"tools/new {' '.join(words)} changed files")


def writes(kind, name, table, source, tests):
    before = texts()
    done = new(kind, name)
    after = texts()
    check(done.returncode == 0, f"{kind}: exit {done.returncode}: {done.stderr}")
    added = {file for file in after if file not in before and not file.startswith("docs/")}
    test = f"tests/{tests}/test_{name.replace('-', '_')}.c"
    check(added == {source, test}, f"{kind}: the new files are {sorted(added)}")
    changed = {file for file in before if after[file] != before[file] and not file.startswith("docs/")}
    check(changed == {table}, f"{kind}: what changed is {sorted(changed)}")
    rows = before[table].splitlines(), after[table].splitlines()
    here = [line for line in rows[1] if line not in rows[0]]
    check(len(here) == 1 and [line for line in rows[1] if line != here[0]] == rows[0],
          f"{kind}: {here} were put into {table}")
    check(sum(after[file] != before.get(file) for file in after if file.startswith("docs/")) == 1,
          f"{kind}: it has not one page")
    check(new(kind, name).returncode != 0 and texts() == after, f"{kind}: it is written twice")


def must(*words, **how):
    done = subprocess.run(words, capture_output=True, text=True, **how)
    if done.returncode != 0:
        print("\n".join(failures))
        print(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout[-6000:]}{done.stderr[-6000:]}")
        sys.exit(1)
    return done.stdout


def build(tests):
    """Unoptimised, since the time goes into compiling; with the warnings of the project, as errors."""
    launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    must("cmake", "-G", "Ninja", "-S", TREE, "-B", BUILD, "-DCMAKE_BUILD_TYPE=Debug",
         "-DCMAKE_C_FLAGS_DEBUG=-O0", *launcher)
    must("cmake", "--build", BUILD, "--parallel", "2", "--target", "sepal", *tests)


def uses():
    """The command knows all of them."""
    sepal = lambda *words: must(BUILD / "bin/sepal", *words)
    iris = TREE / "examples/data/iris.csv"
    for kind, name, *_ in NEW:
        topic = {"strategy": "strategies", "decision": "options"}.get(kind, kind + "s")
        if kind == "metric":  # a key of the report
            name = name.replace("-", "_")
        check(name in sepal("list", topic), f"sepal list {topic} has no {name}")
    said = sepal("train", iris, "-m", "max-abs | near-mean", "-o", "mean.sepal")
    check("max-abs | near-mean" in said and "accuracy 0.9" in said, said)
    said = sepal("train", iris, "-m", "logistic | one-rest", "--solver", "plain-descent", "-o", "rest.sepal")
    check("plain-descent (as asked)" in said and "converged   yes" in said, said)
    report = json.loads(sepal("evaluate", "rest.sepal", iris, "--json"))
    check(abs(report["mean_recall"] - report["macro"]["recall"]) < 1e-12, "mean_recall is not the mean recall")
    check(sepal("predict", "rest.sepal", iris, "--decide", "plain") == sepal("predict", "rest.sepal", iris),
          "--decide plain is not the class of the best score")
    rows = iris.read_text().splitlines()[1:]
    Path("iris.semi").write_text("".join(row.replace(",", ";") + "\n" for row in rows))
    sepal("convert", "iris.semi", "back.csv", "--to", "csv")
    check(Path("back.csv").read_text().splitlines()[1:] == rows, "iris.semi is not iris.csv")


copy_sources()
refusals()
for row in NEW:
    writes(*row)
names = [f"test_{name.replace('-', '_')}" for _, name, *_ in NEW]
build(names)
uses()
for name in names:
    must(BUILD / "tests" / name)
shutil.rmtree(BUILD)
shutil.rmtree(TREE)
finish(least=43)
