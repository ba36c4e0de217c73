#!/usr/bin/env bash
# The shared and the static library export exactly what the header declares, and the library keeps
# no variable that is shared by all its users: its data is constant, but for the count in
# blas_threads.c.
set -euo pipefail
export LC_ALL=C
# A library that counts its branches exports what counts.
if nm "$SEPAL_STATIC" | grep ' U __gcov_' >/dev/null; then exit 77; fi

nm -D --defined-only "$SEPAL_SHARED" | awk '{ print $3 }' | sort >exported
gcc -E -P "$SEPAL_SOURCE/include/sepal/sepal.h" | tr '\n' ' ' | tr ';' '\n' |
    sed -nE 's/.*visibility\("default"\).*[ *](sepal_[a-z0-9_]+)\(.*/\1/p' | sort >declared
[ -s exported ] || { echo "nothing is exported"; exit 1; }
diff -u declared exported || { echo "the header (-) and the shared library (+) differ"; exit 1; }

# Sanitizers put variables of their own into every object.
if nm "$SEPAL_STATIC" | grep -E ' U __(asan|tsan)_' >/dev/null; then exit 0; fi
nm --extern-only --defined-only "$SEPAL_STATIC" | awk 'NF == 3 { print $3 }' | sort >global
diff -u declared global || { echo "the header (-) and the static library (+) differ"; exit 1; }
objdump -t "$SEPAL_STATIC" 2>/dev/null |
    grep -v ' blas_threads_' | # one number that OpenBLAS has for the process
    awk '/ O \.(data|bss)/ && !/ \.data\.rel\.ro/ || / O \*COM\*/ || / \.t(data|bss)\t/' >variables
[ ! -s variables ] || { echo "these can change while the program runs:"; cat variables; exit 1; }
