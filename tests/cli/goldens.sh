#!/usr/bin/env bash
# Commands and what they print: each goldens/NAME.txt begins with the command line and goes on with
# what it must print on standard output and error and with its exit status. Times are left out.
# UPDATE=1 writes the files anew; look at the difference before you keep it.
set -uo pipefail
goldens=$SEPAL_SOURCE/tests/cli/goldens
cp -r "$SEPAL_SOURCE/examples/data" data
sepal() { "$SEPAL" "$@"; }

# what changes from run to run, or in its last digits from one BLAS to another
blank() {
    sed -E -e 's/^(time +).*/\1.../' -e 's/("(load|fit|total|peak_memory|threads)": )[0-9.e+-]+/\1.../' \
        -e 's/("residual": )[0-9.e+-]+/\1.../' -e 's/([0-9]\.[0-9]{6})[0-9]+/\1/g' \
        -e 's/kernels [a-z0-9]+, BLAS [^)]*/kernels ..., BLAS .../'
}

count=0 bad=0
for golden in "$goldens"/*.txt; do
    command=$(sed -n '1s/^\$ //p' "$golden")
    { echo "\$ $command"; (eval "$command") 2>&1 | blank; echo "exit ${PIPESTATUS[0]}"; } >found
    count=$((count + 1))
    if [ -n "${UPDATE:-}" ]; then
        cp found "$golden"
    elif ! diff -u "$golden" found; then
        bad=$((bad + 1))
    fi
done
echo "$count commands, $bad failures"
[ "$bad" = 0 ] && [ "$count" -gt 0 ]
