#!/usr/bin/env bash
# The public header needs nothing before it and is strict C99 and C++11.
set -euo pipefail
strict=(-pedantic-errors -Wall -Wextra -Werror -I "$SEPAL_SOURCE/include" -fsyntax-only)
echo '#include "sepal/sepal.h"' >alone.c
cp alone.c alone.cc
gcc -std=c99 "${strict[@]}" -Wstrict-prototypes alone.c
g++ -std=c++11 "${strict[@]}" alone.cc
# Twice in one file, and with every C standard that may come along.
cat alone.c alone.c >twice.c
for standard in c99 c11 c17; do gcc -std=$standard "${strict[@]}" twice.c; done
