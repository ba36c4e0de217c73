"""Write least_squares.csv: what numpy finds for the example data.

usage: python make_least_squares.py     (needs numpy; run it again only when the examples change)

One line for each number: problem, output, column (0 is the bias), weight. W is the solution of least
norm of the centred problem by numpy's lstsq (SVD), corrected once with a residual in long double;
the bias is outside the norm. Two classes have targets -1 and 1, more have 1-of-K targets."""

import csv
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "examples" / "data"


def load(name):
    with open(DATA / name) as file:
        rows = list(csv.reader(file))[1:]
    labels = sorted({row[-1] for row in rows})
    return np.array([[float(cell) for cell in row[:-1]] for row in rows]), np.array(
        [labels.index(row[-1]) for row in rows]
    )


def solve(x, y):
    classes = y.max() + 1
    t = np.where(y == 1, 1.0, -1.0)[:, None] if classes == 2 else np.eye(classes)[y]
    long_x, long_t = x.astype(np.longdouble), t.astype(np.longdouble)
    m, mean = long_x.mean(axis=0), long_t.mean(axis=0)
    xc, tc = long_x - m, long_t - mean
    a = xc.astype(float)
    full = np.linalg.matrix_rank(a / np.maximum(np.linalg.norm(a, axis=0), 1e-300)) == a.shape[1]
    # Where the solution is unique, columns of unit norm find it with fewer errors.
    scale = np.linalg.norm(a, axis=0) if full else np.ones(a.shape[1])
    w = np.zeros((a.shape[1], t.shape[1]), dtype=np.longdouble)
    for _ in range(3):
        residual = (tc - xc @ w).astype(float)
        w += (np.linalg.lstsq(a / scale, residual, rcond=1e-12)[0].T / scale).T
    return np.vstack([(mean - m @ w)[None, :], w]).astype(float)


def main():
    digits, cancer = load("digits.csv"), load("breast_cancer.csv")
    problems = {
        "digits": digits,
        "breast_cancer": cancer,
        "digits_20": (digits[0][:20], digits[1][:20]),
    }
    with open(HERE / "least_squares.csv", "w") as out:
        out.write("problem,output,column,weight\n")
        for name, (x, y) in problems.items():
            for (column, output), weight in np.ndenumerate(solve(x, y)):
                out.write(f"{name},{output},{column},{float(weight)!r}\n")


main()
