"""Write inference.json: coefficient tables of logistic regression as statsmodels has them, for
tests/golden/test_inference.py. Run: python3 tests/golden/make_inference.py (needs statsmodels).

Each case has its rows, so the test needs nothing else. Where rows have no weights, Logit (Newton) and GLM
(IRLS, as R's glm) must agree to 1e-8; weights are GLM's freq_weights. Terms are those of R's
`glm(class ~ ., binomial)`: text columns against their first category, aliased terms None. Degrees of
freedom count rows, as R counts them: statsmodels counts freq_weights. A column of large mean or odd unit is
fitted centred and scaled, and the answer is folded back with the whole covariance. Numbers have 12 digits.
"""
import csv
import json
from pathlib import Path

import numpy as np
import statsmodels
import statsmodels.api as sm
from scipy.stats import norm

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "examples" / "data"
ROWS = 200


def fit(x, y, weights):
    """Estimates, covariance, deviance and null deviance; `x` has its column of ones, if any."""
    glm = sm.GLM(y, x, family=sm.families.Binomial(), freq_weights=weights).fit(tol=1e-14, maxiter=200)
    if weights is None:
        logit = sm.Logit(y, x).fit(method="newton", tol=1e-14, maxiter=200, disp=False)
        assert np.allclose(glm.params, logit.params, rtol=1e-8, atol=0)
        assert np.allclose(glm.bse, logit.bse, rtol=1e-8, atol=0)
        assert abs(glm.deviance + 2 * logit.llf) < 1e-8 * glm.deviance
    return np.asarray(glm.params), np.asarray(glm.cov_params()), glm.deviance


def table(columns, y, weights=None, intercept=True):
    """`columns`: pairs of a name and numbers, or None for an aliased term. Terms and what is below them."""
    used = [(name, np.asarray(values, float)) for name, values in columns if values is not None]
    means = np.array([values.mean() if intercept else 0 for _, values in used])
    scales = np.array([values.std() if intercept else 1 for _, values in used])
    x = np.column_stack([(values - mean) / scale for (_, values), mean, scale in zip(used, means, scales)])
    ones = np.ones((len(y), 1))
    params, cov, deviance = fit(np.hstack([ones, x]) if intercept else x, y, weights)
    if intercept:  # back to the user's units: intercept = a - sum b m / s
        back = np.diag(np.concatenate([[1], 1 / scales]))
        back[0, 1:] = -means / scales
        params, cov = back @ params, back @ cov @ back.T
    errors = np.sqrt(np.diag(cov))
    names = (["(intercept)"] if intercept else []) + [name for name, _ in used]
    rows = {}
    for name, estimate, error in zip(names, params, errors):
        z = estimate / error
        half = norm.ppf(0.975) * error
        rows[name] = [estimate, error, z, 2 * norm.sf(abs(z)), np.exp(estimate), estimate - half, estimate + half]
    every = (["(intercept)"] if intercept else []) + [name for name, _ in columns]
    w = np.ones(len(y)) if weights is None else weights
    share = (w @ y) / w.sum() if intercept else 0.5
    null = -2 * (w @ (y * np.log(share) + (1 - y) * np.log(1 - share)))
    round12 = lambda v: float(f"{v:.12g}")
    return {
        "terms": [[name, [round12(v) for v in rows[name]] if name in rows else None] for name in every],
        "null_deviance": round12(null),
        "residual_deviance": round12(deviance),
        "df_null": len(y) - intercept,
        "df_residual": len(y) - len(names),
        "aic": round12(deviance + 2 * len(names)),
    }


def generated():
    """Rows with two columns of numbers, two of text and weights, and overlapping classes."""
    rng = np.random.default_rng(20)
    a, b = rng.normal(size=ROWS).round(3), rng.exponential(size=ROWS).round(3)
    colour = rng.choice(["blue", "green", "red"], ROWS)
    size = rng.choice(["large", "small"], ROWS)
    eta = 0.4 + 0.9 * a - 0.7 * b + 0.8 * (colour == "red") - 0.5 * (size == "small")
    y = (rng.random(ROWS) < 1 / (1 + np.exp(-eta))).astype(float)
    return a, b, colour, size, y, rng.integers(1, 4, ROWS), rng.exponential(size=ROWS).round(3) + 0.01


def main():
    a, b, colour, size, y, counts, fractions = generated()
    labels = ["yes" if v else "no" for v in y]

    def text(values, whole=False):
        name, cells = values
        return [(f"{name}={k}", cells == k) for k in sorted(set(cells))[not whole:]]

    big, tiny = 1e6 + 1000 * a, 1e-7 * b
    data = {
        "plain": {"a": a, "b": b},
        "text": {"a": a, "colour": colour, "b": b, "size": size},
        "weights": {"a": a, "b": b, "colour": colour, "w": counts},
        "fractions": {"a": a, "b": b, "w": fractions},
        "collinear": {"a": a, "one": np.full(ROWS, 5.0), "b": b, "again": 3 * a, "sum": a + b},
        "near": {"a": a, "close": (a + 3e-4 * fractions).round(9), "b": b},
        "scales": {"big": big.round(3), "tiny": tiny},
    }
    cases = []

    def case(name, rows, spec, expected, *words):
        cases.append({"name": name, "data": rows, "spec": spec, "words": list(words), **expected})

    logistic = "logistic(penalty=none)"
    plain = table([("a", a), ("b", b)], y)
    for maps in ("", "standardize | ", "minmax | ", "standardize | minmax | "):
        case(f"{maps}plain", "plain", maps + logistic, plain)
    with_text = table([("a", a), *text(("colour", colour)), ("b", b), *text(("size", size))], y)
    case("text", "text", logistic, with_text)
    case("text, standardized", "text", "standardize | " + logistic, with_text)
    case("no intercept", "plain", "logistic(penalty=none, bias=false)",
         table([("a", a), ("b", b)], y, intercept=False))
    case("text, no intercept", "text", "logistic(penalty=none, bias=false)",
         table([("a", a), *text(("colour", colour), True), ("b", b), *text(("size", size))], y, intercept=False))
    case("weights", "weights", logistic,
         table([("a", a), ("b", b), *text(("colour", colour))], y, counts.astype(float)), "--weight", "w")
    case("fractions", "fractions", "standardize | " + logistic, table([("a", a), ("b", b)], y, fractions),
         "--weight", "w")
    case("collinear", "collinear", logistic,
         table([("a", a), ("one", None), ("b", b), ("again", None), ("sum", None)], y))
    case("collinear, standardized", "collinear", "standardize | " + logistic,
         table([("a", a), ("one", None), ("b", b), ("again", None), ("sum", None)], y))
    case("near", "near", logistic, table([("a", a), ("close", (a + 3e-4 * fractions).round(9)), ("b", b)], y))
    case("scales", "scales", logistic, table([("big", big.round(3)), ("tiny", tiny)], y))
    with open(DATA / "breast_cancer.csv") as file:
        rows = list(csv.DictReader(file))
    three = ["mean_radius", "mean_texture", "mean_smoothness"]
    case("breast_cancer", None, logistic,
         table([(name, [float(row[name]) for row in rows]) for name in three],
               np.array([float(row["class"] == "malignant") for row in rows])), "--only", ",".join(three))
    stored = {name: {"header": [*columns, "class"],
                     "rows": [[v.item() if hasattr(v, "item") else v for v in row] + [label]
                              for row, label in zip(zip(*columns.values()), labels)]}
              for name, columns in data.items()}
    with open(HERE / "inference.json", "w") as out:
        out.write(f'{{"made_by": "statsmodels {statsmodels.__version__}",\n "data": {{\n')
        out.write(",\n".join(f"  {json.dumps(name)}: {json.dumps(rows)}" for name, rows in stored.items()))
        out.write('},\n "cases": [\n')
        out.write(",\n".join(f"  {json.dumps(one)}" for one in cases))
        out.write("]}\n")


main()
