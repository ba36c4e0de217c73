#!/usr/bin/env bash
# With too little memory a command ends: with its result, or with exit 6 and a sentence. It does not
# hang and does not die.
set -uo pipefail
examples=$SEPAL_SOURCE/examples/data
# sanitizers need terabytes of address space
(ulimit -v 1000000; "$SEPAL" --version >/dev/null 2>&1) || exit 77

runs=0 bad=0
try() {
    local limit=$1 status
    shift
    (ulimit -v "$limit"; exec timeout 20 "$SEPAL" "$@" >out 2>err)
    status=$?
    runs=$((runs + 1))
    case $status in
        0) ;;
        6) [ -s err ] || { echo "silent at $limit KB: $*"; bad=$((bad + 1)); } ;;
        *) echo "exit $status at $limit KB: $*"; cat err; bad=$((bad + 1)) ;;
    esac
}

for limit in 150000 200000 250000 300000 400000 600000; do
    try $limit --version
    try $limit describe "$examples/digits.csv"
    try $limit train "$examples/digits.csv" -m least-squares -q -o m.sepal
    try $limit train "$examples/digits.csv" -m perceptron --epochs 3 -q -o m.sepal
done
[ -e m.sepal ] || { echo "no model was made at any limit"; bad=$((bad + 1)); }
echo "$runs runs, $bad failures"
[ "$bad" = 0 ]
