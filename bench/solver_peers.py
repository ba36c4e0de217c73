"""The peers of bench/solvers: how each is called at its best, and what it found.

A peer gives its ways of solving a problem, each with tolerances from loose to tight; a way solves to a
tolerance and gives back the seconds of the fit alone, the weights and the biases. What can be done
before the clock starts is done before: the peer's own layout of the rows, compiling, imports.

Each fit is timed in a child of the process that holds the rows, so that one that takes too long can be
ended. The parent itself never fits with what starts threads: their pools do not outlive a fork.
"""
import importlib
import importlib.metadata
import multiprocessing
import os
import time
import warnings

import numpy as np
from scipy import sparse

from fits import CPU
from solver_problems import Data, Problem

CORES = os.cpu_count()
DISTRIBUTION = {"LIBLINEAR": "liblinear-official", "scikit-learn": "scikit-learn", "Snap ML": "snapml",
                "celer": "celer", "skglm": "skglm"}


class Way:
    def __init__(self, name, tolerances, fit):
        self.name, self.tolerances, self.fit = name, tolerances, fit


def powers(first, last):
    """10^-first, ..., 10^-last."""
    return [10.0**-k for k in range(first, last + 1)]


def timed(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clock = time.process_time if CPU else time.perf_counter
        start = clock()
        found = call()
        return clock() - start, found


# ---- LIBLINEAR ------------------------------------------------------------------------------------

LIBLINEAR_SOLVERS = {("logistic", "l2"): (0, 7), ("squared_hinge", "l2"): (1, 2), ("hinge", "l2"): (3,),
                     ("logistic", "l1"): (6,), ("crammer_singer", "l2"): (4,)}


def liblinear_rows(data):
    from liblinear import liblinear
    return data.form("liblinear", lambda d: liblinear.problem(d.y, sparse.csr_matrix(d.x)))


def liblinear_fit(problem, solver, tolerance):
    from liblinear import liblinear, liblinearutil
    rows = liblinear_rows(problem.data)
    parameter = liblinear.parameter(f"-s {solver} -c 1 -e {tolerance!r} -q")
    seconds, model = timed(lambda: liblinearutil.train(rows, parameter))
    labels = model.get_labels()
    count = 1 if len(labels) == 2 else len(labels)
    w = np.ctypeslib.as_array(model.w, (model.nr_feature, count)).T.copy()
    if count == 1:  # positive scores are those of the label it saw first
        return seconds, w if labels[0] == problem.data.classes[1] else -w, 0.0
    return seconds, w[np.argsort(labels)], 0.0


def liblinear_ways(problem):
    def way(solver):
        tolerances = powers(-2, 4) if solver in (1, 3, 4, 7) else powers(0, 6)
        return Way(f"-s {solver} -e", tolerances, lambda e: liblinear_fit(problem, solver, e))
    solvers = LIBLINEAR_SOLVERS[problem.loss, problem.penalty]
    if len(problem.data.classes) > 2:  # the dual ones, which the table asks for
        solvers = [s for s in solvers if s in (1, 4, 7)]
    return [way(s) for s in solvers]


# ---- scikit-learn ---------------------------------------------------------------------------------

def singles(data):
    return data.form("singles", lambda d: d.x.astype(np.float32))


def sklearn_fit(problem, solver, tolerance, rows=None):
    from sklearn.linear_model import LogisticRegression
    model = LogisticRegression(solver=solver, tol=tolerance, fit_intercept=problem.bias, max_iter=100000)
    x = problem.data.x if rows is None else rows(problem.data)
    seconds, _ = timed(lambda: model.fit(x, problem.data.y))
    return seconds, model.coef_, model.intercept_


def sklearn_sets_fit(problem, solver, tolerance):
    """Of label sets: one fit for each label, in as many processes as there are cores."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    model = OneVsRestClassifier(LogisticRegression(solver=solver, tol=tolerance, fit_intercept=problem.bias,
                                                   max_iter=100000), n_jobs=CORES)
    seconds, _ = timed(lambda: model.fit(problem.data.x, problem.data.y))
    return seconds, np.vstack([e.coef_ for e in model.estimators_]), \
        np.hstack([e.intercept_ for e in model.estimators_])


def sklearn_ways(problem):
    data = problem.data
    if problem.loss == "multilabel":
        return [Way(f"OneVsRest {s} tol=", powers(1, 6), lambda t, s=s: sklearn_sets_fit(problem, s, t))
                for s in ("liblinear", "lbfgs", "newton-cg")]
    weights = data.x.shape[1] * (len(data.classes) if problem.loss == "softmax" else 1)
    solvers = ["newton-cholesky"] if weights <= (1000 if problem.loss == "softmax" else 5000) else []  # it keeps a square of that
    if data.name != "tall":
        solvers += ["newton-cg", "lbfgs"]
    first = 0 if problem.loss == "softmax" else 3
    ways = [Way(f"{s} tol=", powers(first, 8), lambda t, s=s: sklearn_fit(problem, s, t)) for s in solvers]
    if problem.loss == "softmax":
        ways.append(Way("lbfgs, f32, tol=", powers(first, 5), lambda t: sklearn_fit(problem, "lbfgs", t, singles)))
    return ways


# ---- Snap ML --------------------------------------------------------------------------------------


def snap_fit(problem, jobs, tolerance):
    import snapml
    rows = singles(problem.data)
    model = snapml.LogisticRegression(regularizer=1.0, n_jobs=jobs, tol=tolerance, max_iter=100000,
                                      fit_intercept=False, normalize=False, random_state=1)
    seconds, _ = timed(lambda: model.fit(rows, problem.data.y))
    return seconds, np.asarray(model.coef_).reshape(1, -1), 0.0


def snap_ways(problem):
    return [Way(f"n_jobs={jobs} tol=", powers(1, 7), lambda t, jobs=jobs: snap_fit(problem, jobs, t))
            for jobs in sorted({1, CORES})]


# ---- celer and skglm ------------------------------------------------------------------------------

def by_columns(data):
    return data.form("columns", lambda d: d.x.tocsc())


def celer_fit(problem, newton, tolerance):
    from celer import celer_path
    rows, y = by_columns(problem.data), problem.targets()[:, 0]
    seconds, found = timed(lambda: celer_path(rows, y, pb="logreg", alphas=[1.0], tol=tolerance,
                                              max_iter=1000, use_PN=newton))
    return seconds, found[1].T, 0.0


def celer_ways(problem):
    return [Way(f"{'prox-Newton' if newton else 'coordinates'} tol=", powers(1, 9),
                lambda t, newton=newton: celer_fit(problem, newton, t)) for newton in (True, False)]


def skglm_fit(problem, tolerance):
    from skglm import SparseLogisticRegression
    rows, y = by_columns(problem.data), problem.targets()[:, 0]
    model = SparseLogisticRegression(alpha=problem.strength, tol=tolerance, fit_intercept=False, max_iter=200)
    seconds, _ = timed(lambda: model.fit(rows, y))
    return seconds, model.coef_.reshape(1, -1), 0.0


def skglm_ways(problem):
    return [Way("tol=", powers(3, 8), lambda t: skglm_fit(problem, t))]


PEERS = {"LIBLINEAR": liblinear_ways, "scikit-learn": sklearn_ways, "Snap ML": snap_ways,
         "celer": celer_ways, "skglm": skglm_ways}
LAYOUT = {"LIBLINEAR": liblinear_rows, "Snap ML": singles, "celer": by_columns, "skglm": by_columns}
MODULE = {"LIBLINEAR": "liblinear.liblinearutil", "scikit-learn": "sklearn.linear_model",
          "Snap ML": "snapml", "celer": "celer", "skglm": "skglm"}
COMPILED = set()  # peers that have compiled themselves


def version(peer):
    """Of an installed peer that can be imported, else None."""
    try:
        importlib.import_module(MODULE[peer])
        return importlib.metadata.version(DISTRIBUTION[peer])
    except ImportError:
        return None


class Died(Exception):
    """The peer ended without a result: there is nothing to compare with."""


def warm_up(peer, problem, only=None):
    """Small fits, of one way or of all, so that no fit that counts is the first."""
    whole = problem.data
    some = np.arange(min(100, len(whole.y))) if whole.y.ndim > 1 else \
        np.sort(np.concatenate([np.flatnonzero(whole.y == k)[:100] for k in whole.classes]))
    few = Data(whole.name, whole.x[some], whole.y[some], None)
    for way in PEERS[peer](Problem(few, problem.loss, problem.penalty, problem.bias)):
        if only in (None, way.name):
            way.fit(way.tolerances[0])


def prepare(peer, problem):
    """The peer's ways, when all is done that a child inherits."""
    if peer in LAYOUT:
        LAYOUT[peer](problem.data)
    if peer in ("celer", "skglm") and peer not in COMPILED:
        warm_up(peer, problem)
        COMPILED.add(peer)
    return PEERS[peer](problem)


def in_child(peer, problem, way, tolerance, limit):
    """Seconds of a fit and the value it reached; the limit and infinity when it took longer."""
    def work(end):
        warm_up(peer, problem, way.name)
        end.send("ready")
        seconds, w, b = way.fit(tolerance)
        end.send((seconds, problem.value(w, b)))

    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=work, args=(there,))
    child.start()
    there.close()
    try:
        here.recv()
        return here.recv() if here.poll(limit) else (limit, float("inf"))
    except EOFError:
        raise Died(f"{peer} {way.name}{tolerance:.2g} ended without a result") from None
    finally:
        child.kill()
        child.join()
