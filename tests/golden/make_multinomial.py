"""Write multinomial.json: coefficient tables of multinomial logistic regression as statsmodels' MNLogit has
them, for tests/golden/test_multinomial.py. Run: python3 tests/golden/make_multinomial.py (needs statsmodels).

Each case has its rows. MNLogit's reference is the first class, as in the table. Columns are fitted centred
and scaled, and the answer is folded back with the whole covariance, so that columns of large means keep
their digits; Newton steps end at a gradient of 1e-13 of the rows. Where the columns are tame, the covariance of a
plain fit must agree to 1e-7. Weights, which MNLogit has not, are rows written as often. Numbers have 12
digits.
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
ROWS = 240


def fit(x, y):
    """Parameters (class by class but the first, terms within), covariance, log-likelihood."""
    model = sm.MNLogit(y, x)
    result = model.fit(method="newton", maxiter=200, tol=1e-14, disp=False, warn_convergence=False)
    params = np.asarray(result.params).T.ravel()
    for _ in range(3):  # to the last digits, which columns that nearly depend on each other need
        params = params - np.linalg.solve(model.hessian(params), model.score(params))
    assert np.abs(model.score(params)).max() < 1e-13 * len(y)
    return params, np.linalg.inv(-model.hessian(params)), model.loglike(params)


def odds(estimate):
    """None: no number is as large."""
    return np.exp(estimate) if estimate < 709 else np.inf


def table(columns, labels, times=None, intercept=True, plain=True):
    """`columns`: pairs of a name and numbers, or None for an aliased term."""
    times = np.ones(len(labels), int) if times is None else times
    used = [(name, np.repeat(np.asarray(values, float), times)) for name, values in columns if values is not None]
    classes = sorted(set(labels))
    y = np.repeat(np.array([classes.index(label) for label in labels]), times)
    means = np.array([v.mean() if intercept else 0 for _, v in used])
    scales = np.array([v.std() if intercept else 1 for _, v in used])
    x = np.column_stack([(v - mean) / scale for (_, v), mean, scale in zip(used, means, scales)])
    ones = np.ones((len(y), 1))
    params, cov, llf = fit(np.hstack([ones, x]) if intercept else x, y)
    if intercept:
        back = np.diag(np.concatenate([[1], 1 / scales]))
        back[0, 1:] = -means / scales
        back = np.kron(np.eye(len(classes) - 1), back)
        params, cov = back @ params, back @ cov @ back.T
        if plain:
            raw = fit(np.hstack([ones, np.column_stack([v for _, v in used])]), y)
            assert np.allclose(raw[0], params, rtol=1e-7) and np.allclose(raw[1], cov, rtol=1e-6)
    names = (["(intercept)"] if intercept else []) + [name for name, _ in used]
    every = (["(intercept)"] if intercept else []) + [name for name, _ in columns]
    errors = np.sqrt(np.diag(cov))
    number = lambda v: float(f"{v:.12g}") if np.isfinite(v) else None
    terms = []
    for k, label in enumerate(classes[1:]):
        for name in every:
            if name not in names:
                terms.append([label, name, None])
                continue
            at = k * len(names) + names.index(name)
            estimate, error = params[at], errors[at]
            z, half = estimate / error, norm.ppf(0.975) * error
            terms.append([label, name, [number(v) for v in (estimate, error, z, 2 * norm.sf(abs(z)), odds(estimate),
                                                            estimate - half, estimate + half)]])
    shares = np.bincount(y) / len(y) if intercept else np.full(len(classes), 1 / len(classes))
    free, rows = len(classes) - 1, len(labels)
    return {"reference": classes[0], "terms": terms, "null_deviance": number(-2 * np.log(shares[y]).sum()),
            "residual_deviance": number(-2 * llf), "df_null": rows - free * intercept,
            "df_residual": rows - free * len(names), "aic": number(-2 * llf + 2 * free * len(names))}


def generated():
    """Two columns of numbers, two of text, counts and four overlapping classes, of which the first is rare."""
    rng = np.random.default_rng(21)
    a, b = rng.normal(size=ROWS).round(3), rng.exponential(size=ROWS).round(3)
    colour, size = rng.choice(["blue", "green", "red"], ROWS), rng.choice(["large", "small"], ROWS)
    eta = np.column_stack([np.full(ROWS, -0.8), 0.7 * a - 0.3 * b, 0.5 - 0.6 * a + 0.8 * (colour == "red"),
                           0.3 + 0.4 * b - 0.5 * (size == "small")])
    p = np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)
    y = (rng.random((ROWS, 1)) > p.cumsum(axis=1)).sum(axis=1)
    return a, b, colour, size, np.array(["ash", "beech", "cedar", "dogwood"])[y], rng.integers(1, 4, ROWS), rng


def main():
    a, b, colour, size, labels, counts, rng = generated()

    def text(name, cells, whole=False):
        return [(f"{name}={k}", cells == k) for k in sorted(set(cells))[not whole:]]

    big, close = (1e6 + 1000 * a).round(3), (a + 3e-4 * rng.normal(size=ROWS)).round(9)
    data = {
        "plain": {"a": a, "b": b},
        "text": {"a": a, "colour": colour, "b": b, "size": size},
        "weights": {"a": a, "b": b, "w": counts},
        "collinear": {"a": a, "one": np.full(ROWS, 5.0), "b": b, "again": 3 * a, "sum": a + b},
        "near": {"a": a, "close": close, "b": b},
        "scales": {"big": big, "tiny": 1e-7 * b},
    }
    cases = []

    def case(name, rows, spec, expected, *words):
        cases.append({"name": name, "data": rows, "spec": spec, "words": list(words), **expected})

    softmax, no_bias = "softmax(penalty=none)", "softmax(penalty=none, bias=false)"
    plain = table([("a", a), ("b", b)], labels)
    for maps in ("", "standardize | ", "minmax | standardize | "):
        case(f"{maps}plain", "plain", maps + softmax, plain)
    with_text = table([("a", a), *text("colour", colour), ("b", b), *text("size", size)], labels)
    case("text", "text", softmax, with_text)
    case("text, standardized", "text", "standardize | " + softmax, with_text)
    case("no intercept", "plain", no_bias, table([("a", a), ("b", b)], labels, intercept=False))
    case("text, no intercept", "text", no_bias,
         table([("a", a), *text("colour", colour, True), ("b", b), *text("size", size)], labels, intercept=False))
    case("weights", "weights", softmax, table([("a", a), ("b", b)], labels, counts), "--weight", "w")
    aliased = table([("a", a), ("one", None), ("b", b), ("again", None), ("sum", None)], labels)
    case("collinear", "collinear", softmax, aliased)
    case("collinear, standardized", "collinear", "standardize | " + softmax, aliased)
    case("near", "near", softmax, table([("a", a), ("close", close), ("b", b)], labels, plain=False))
    case("scales", "scales", softmax, table([("big", big), ("tiny", 1e-7 * b)], labels, plain=False))
    with open(DATA / "wine.csv") as file:
        wine = list(csv.DictReader(file))
    some = ["malic_acid", "ash", "magnesium"]
    case("wine", "wine.csv", softmax, table([(name, [float(row[name]) for row in wine]) for name in some],
                                            [row["class"] for row in wine]), "--only", ",".join(some))
    stored = {name: {"header": [*columns, "class"],
                     "rows": [[v.item() if hasattr(v, "item") else v for v in row] + [str(label)]
                              for row, label in zip(zip(*columns.values()), labels)]}
              for name, columns in data.items()}
    with open(HERE / "multinomial.json", "w") as out:
        out.write(f'{{"made_by": "statsmodels {statsmodels.__version__}",\n "data": {{\n')
        out.write(",\n".join(f"  {json.dumps(name)}: {json.dumps(rows)}" for name, rows in stored.items()))
        out.write('},\n "cases": [\n')
        out.write(",\n".join(f"  {json.dumps(one)}" for one in cases))
        out.write("]}\n")


main()
