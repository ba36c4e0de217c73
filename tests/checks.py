"""Checks of a script: all are made, and those that fail are printed at the end."""

import sys

failures = []
_checks = 0


def check(ok, *why):
    global _checks
    _checks += 1
    if not ok:
        failures.append(": ".join(map(str, why)))


def finish(least=1):
    """Exit, with 0 if no check failed and at least so many were made."""
    print("\n".join(failures))
    print(f"{_checks} checks, {len(failures)} failures")
    sys.exit(bool(failures) or _checks < least)
