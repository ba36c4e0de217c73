"""The seeds of the tests' random numbers, as in seed.h: each place has a usual one; SEPAL_TEST_SEED=n,
n > 0, gives all of them others; a nightly run (SEPAL_NIGHTLY) draws n. What is printed repeats the run."""

import os
import random

_run = os.environ.get("SEPAL_TEST_SEED")
if not _run:
    _run = random.SystemRandom().randrange(1, 10**9) if os.environ.get("SEPAL_NIGHTLY") else 0
_run = int(_run)
print(f"SEPAL_TEST_SEED={_run}", flush=True)


def test_seed(usual):
    return random.Random(f"{_run} {usual}").getrandbits(64) if _run else usual
