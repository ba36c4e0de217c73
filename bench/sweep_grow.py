"""bench/sweep --grow: time and memory of each learner as the rows become many, beside one pass over them."""
import json
import os
import re
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from fits import ROOT, WORK, times

ROWS = (100_000, 400_000, 1_600_000, 4_000_000)
COLUMNS = 20
RUNS = 3  # medians are shown
LEARNERS = ("logistic", "svm", "svm(loss=hinge)", "least-squares", "lda", "fisher", "gaussian", "naive-bayes(kind=gaussian)",
            "mean-difference", "perceptron(epochs=5)", "logistic(penalty=l1)")


def make_rows(count):
    """Doubles that are no singles, two classes that overlap."""
    rows, labels = WORK / f"grow-{count}.npy", WORK / f"grow-{count}.labels.npy"
    if not labels.exists():
        draw = np.random.default_rng(count)
        x = draw.standard_normal((count, COLUMNS))
        score = x @ (draw.standard_normal(COLUMNS) / COLUMNS**0.5) - 0.3
        np.save(rows, x)
        np.save(labels, np.where(draw.random(count) < 1 / (1 + np.exp(-2 * score)), 1, -1))
    return rows, labels


def pass_seconds(rows):
    """The time in which all cores read the rows once: the best of five."""
    x = np.load(rows).reshape(-1)
    parts = np.array_split(x, os.cpu_count())
    best = float("inf")
    with ThreadPoolExecutor(len(parts)) as pool:
        for _ in range(5):
            start = time.perf_counter()
            list(pool.map(np.max, parts))
            best = min(best, time.perf_counter() - start)
    return best


def fit(rows, labels, spec):
    """Seconds of reading and of the fit, the peak of memory in bytes, and whether it converged."""
    words = [ROOT / "build/bin/sepal", "train", rows, "--labels", labels, "-m", spec, "--max-seconds", "120",
             "--json", "-q"]
    run = subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, text=True)
    text = run.stdout.read()
    _, _, used = os.wait4(run.pid, 0)
    report = json.loads(text)
    seconds = report["seconds"]
    return seconds["load"], seconds["fit"], 1024 * used.ru_maxrss, report.get("converged", True)


def grow(show, pattern, markdown):
    show(["learner", "rows", "load", "fit", "passes", "memory / rows"], markdown)
    if markdown:
        show(["---", "---:", "---:", "---:", "---:", "---:"], True)
    last = {}
    for count in ROWS:
        rows, labels = make_rows(count)
        one = pass_seconds(rows)
        for spec in LEARNERS:
            if not re.search(pattern, spec):
                continue
            runs = [fit(rows, labels, spec) for _ in range(RUNS)]
            load, seconds, memory = (statistics.median(run[k] for run in runs) for k in range(3))
            converged = all(run[3] for run in runs)
            growth = f", x{seconds / last[spec][1] / (count / last[spec][0]):.2f} linear" if spec in last else ""
            last[spec] = count, seconds
            show([spec, f"{count:,}", times(load), f"{times(seconds)}{'' if converged else ', not converged'}",
                  f"{seconds / one:.1f}{growth}", f"{memory / (8 * COLUMNS * count):.1f}"], markdown)
        rows.unlink()
        labels.unlink()
