"""Write maps.csv: what scikit-learn and NumPy make of columns, for tests/golden/test_golden_maps.c.

Lines: names,COLUMNS,DEGREE,PLACE,NAME and number,CASE,ROW,COLUMN,VALUE.
Run: python3 tests/golden/make_maps.py
"""
import csv
from pathlib import Path

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "examples" / "data"


def load(name):
    with open(DATA / f"{name}.csv") as file:
        return np.array([[float(cell) for cell in row[:-1]] for row in list(csv.reader(file))[1:]])


def names():
    for columns, degree in ((1, 5), (2, 2), (2, 3), (3, 2), (4, 4), (5, 3), (9, 2)):
        poly = PolynomialFeatures(degree, include_bias=False).fit(np.zeros((1, columns)))
        inputs = [f"x{j + 1}" for j in range(columns)]
        for place, name in enumerate(poly.get_feature_names_out(inputs)):
            yield f"names,{columns},{degree},{place},{name.replace(' ', '*')}"


def cases():
    cancer, iris = load("breast_cancer"), load("iris")
    weights = 1 + np.arange(len(cancer)) % 3
    yield "standardize", np.array([StandardScaler().fit(cancer).mean_, StandardScaler().fit(cancer).scale_])
    scaler = StandardScaler().fit(cancer, sample_weight=weights)
    yield "weighted", np.array([scaler.mean_, scaler.scale_])
    scaler = MinMaxScaler().fit(cancer)
    yield "minmax", np.array([scaler.data_min_, scaler.data_range_])
    yield "poly", PolynomialFeatures(3, include_bias=False).fit_transform(iris)[::29]
    yield "rbf", rbf_kernel(iris, [[5, 3.5, 1.5, 0.2], [6, 3, 4, 1.5]], gamma=1 / (2 * 0.7**2))[::29]
    levels = np.arange(1, 5) / 5
    yield "quantiles", np.quantile(iris, levels, axis=0, method="averaged_inverted_cdf")


def main():
    lines = list(names())
    for name, table in cases():
        lines += [f"number,{name},{i},{j},{float(value)!r}"
                  for i, row in enumerate(table) for j, value in enumerate(row)]
    (HERE / "maps.csv").write_text("\n".join(lines) + "\n")


main()
