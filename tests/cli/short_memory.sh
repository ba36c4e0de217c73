#!/usr/bin/env bash
# With too little memory a command ends: with its result, or with exit 6, one sentence and no file.
# It does not hang, does not die of a signal, and leaves no half of anything.
set -uo pipefail
examples=$SEPAL_SOURCE/examples/data
# sanitizers need terabytes of address space
(ulimit -v 1000000; "$SEPAL" --version >/dev/null 2>&1) || exit 77
export GCOV_PREFIX=$PWD/counts # where counts are taken, these runs must not spoil them

# The least, in KB, with which the system's libraries load: the loader and OpenBLAS end the process
# below, before any of our code has run.
floor=8000
until (ulimit -v $floor; exec timeout 120 "$SEPAL" --version) >/dev/null 2>&1; do floor=$((floor + 4000)); done

runs=0 bad=0 refused=0
complain() { echo "$*"; bad=$((bad + 1)); }
try() {
    local limit=$1 status lines
    shift
    (ulimit -v "$limit"; exec timeout 120 "$SEPAL" "$@" >out 2>err)
    status=$?
    lines=$(grep -vc '^sepal: warning: ' err)
    runs=$((runs + 1))
    case $status in
        0) ;;
        6)
            refused=$((refused + 1))
            if [ "$lines" != 1 ] || ! grep -q '^sepal: .*memory' err; then
                complain "not one sentence at $limit KB: $*: $(cat err)"
            fi
            [ ! -e new ] || complain "a file after a failure at $limit KB: $*"
            ;;
        *) complain "exit $status at $limit KB: $*: $(cat err)" ;;
    esac
    rm -f new
    [ -z "$(find . -maxdepth 1 -name 'new*')" ] || complain "left at $limit KB: $(find . -maxdepth 1 -name 'new*')"
}

cp "$examples/digits.csv" data.csv
gzip -k data.csv
packed=data.csv.gz
"$SEPAL" describe $packed -q >/dev/null 2>&1 || packed=data.csv # this build does not unpack
"$SEPAL" train data.csv -m least-squares -q -o model.sepal || exit 1
for ((i = 0; i < 40; i++)); do cat data.csv; done | sed '2,${/class/d}' >large.csv # 12 MB
step=6000
[ "${SEPAL_NIGHTLY:-}" != 1 ] || step=500
for ((limit = floor; limit < floor + 60000; limit += step)); do
    try $limit --version
    try $limit describe data.csv
    try $limit train data.csv -m least-squares -q -o new
    try $limit train data.csv -m least-squares --solver qr -q -o new
    try $limit train data.csv -m perceptron --epochs 2 -q -o new --threads 3
    try $limit predict model.sepal large.csv -o new
    try $limit evaluate model.sepal large.csv
    try $limit convert large.csv -o new --to csv
    try $limit describe $packed
    try $limit inspect model.sepal
done
for limit in 250000 400000 600000; do
    try $limit train large.csv -m least-squares -q -o new
done
[ $refused -gt 0 ] || complain "memory was never short"
echo "$runs runs from $floor KB on, $refused refused, $bad failures"
[ "$bad" = 0 ]
