#!/usr/bin/env bash
# Every examples/*.c compiles without a warning against the public header and the shared library,
# runs from a folder where examples/ is, and prints what its .out file says.
set -euo pipefail

# A sanitized library needs a sanitized program.
if nm "$SEPAL_STATIC" | grep -E ' U __(asan|tsan)_' >/dev/null; then exit 77; fi
ln -s "$SEPAL_SOURCE/examples" examples
libraries=$(dirname "$SEPAL_SHARED")
failures=0
for source in examples/*.c; do
    name=$(basename "$source" .c)
    gcc -std=c17 -Wall -Wextra -Wconversion -Werror -I "$SEPAL_SOURCE/include" "$source" \
        "$SEPAL_SHARED" -Wl,-rpath,"$libraries" -lm -o "$name"
    "./$name" >"$name.got" || { echo "FAILED: $source ends with $?"; failures=1; }
    want=examples/$name.out
    [ ! -f "$want" ] || diff -u "$want" "$name.got" || failures=1
done
exit $failures
