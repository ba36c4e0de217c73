#!/usr/bin/env bash
# Every examples/*.c compiles without a warning against the public header and the shared library,
# runs from a folder where examples/ is, prints what its .out file says, and draws the pictures beside it.
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
# Pictures that they draw are those that stand beside them; UPDATE=1 puts them there, to be looked at.
for picture in [0-9]*.svg; do
    if [ "${UPDATE:-}" = 1 ]; then cp "$picture" examples/; fi
    cmp "examples/$picture" "$picture" || { echo "FAILED: $picture; UPDATE=1 make test NAME=cli/examples"; failures=1; }
    grep -q "($picture)" examples/README.md || { echo "FAILED: $picture is shown nowhere"; failures=1; }
done
for picture in examples/*.svg; do
    [ -f "$(basename "$picture")" ] || { echo "FAILED: $picture is drawn by no example"; failures=1; }
done
exit $failures
