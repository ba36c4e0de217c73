#!/usr/bin/env bash
# The command line itself: how options are read, which exit code what has, errors as JSON, help, and
# what happens when standard output goes away.
set -uo pipefail
ln -s "$SEPAL_SOURCE/examples" examples
iris=examples/data/iris.csv
failures=0 code=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect CODE WORDS... : run sepal with these words; its output is in the files out and err.
expect() {
    local want=$1 code
    shift
    "$SEPAL" "$@" >out 2>err </dev/null
    code=$?
    [ "$code" = "$want" ] || fail "exit $code, not $want: sepal $* ($(head -c 300 err))"
}
says() { grep -qF -- "$1" err || fail "standard error lacks '$1': $(cat err)"; }
shows() { grep -qF -- "$1" out || fail "standard output lacks '$1': $(head -c 300 out)"; }
silent() { [ ! -s out ] || fail "standard output is not empty: $(head -c 300 out)"; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ: $3"; }
# json EXPRESSION : the output is one JSON object for which the Python expression holds.
json() {
    python3 -c 'import json, sys; o = json.load(open("out")); sys.exit(not eval(sys.argv[1]))' "$1" ||
        fail "JSON is not as expected ($1): $(head -c 300 out)"
}

# ---- any order, = or blank, _ or -, letters, -- -----------------------------------------------
expect 0 train $iris -m perceptron -o a.sepal --max-iter 7 --target class -q
silent
for words in "-q --max_iter=7 -o b.sepal --target=class -m perceptron $iris" \
    "--output b.sepal --target 5 --method=perceptron $iris --max-iter 7 --quiet" \
    "-qob.sepal -mperceptron --max-iter 7 -- $iris" \
    "$iris -m perceptron(epochs=7) -qo b.sepal" \
    "$iris -m perceptron(epochs=7) --epochs 7 -qo b.sepal" \
    "$iris -m perceptron() --epochs=7 -qo b.sepal" \
    "$iris -m identity+perceptron --epochs=7 -qo b.sepal --target class --target class"; do
    rm -f b.sepal
    # shellcheck disable=SC2086
    expect 0 train $words
    "$SEPAL" predict a.sepal $iris --scores >a.scores
    "$SEPAL" predict b.sepal $iris --scores >b.scores
    same a.scores b.scores "$words"
done
cp $iris -- -odd.csv
expect 0 describe -q -- -odd.csv
expect 0 describe ./-odd.csv --json
cp out want
"$SEPAL" describe - --json <$iris >out
same out want "describe - is describe FILE"
expect 2 train -q -- $iris -m perceptron
says "-m"

# ---- wrong words ------------------------------------------------------------------------------
expect 2 train $iris -m perceptron --taget class
says "--target"
says "sepal help train"
expect 2 train $iris -m perceptron --tar class # no abbreviations
expect 2 train $iris -m perceptron --target class --target sepal_width
says "twice"
expect 2 train $iris -m perceptron --json=yes
says "takes no value"
expect 2 train $iris -m perceptron --target
says "needs a value"
expect 2 train $iris -m perceptron -o --json
[ ! -e --json ] || fail "-o swallowed --json"
expect 2 train $iris -m perceptron -z
expect 2 train
says "DATA"
expect 0 train $iris -q # the best of some usual learners
expect 2 train $iris $iris -m perceptron
expect 2 predict a.sepal
expect 2 trian
says "train"
expect 2 list lerners
says "learners"
expect 2 help nothing
for share in 0 1 1.5 nan 0x1p-1 half ""; do expect 2 train $iris -m perceptron --holdout "$share"; done
expect 2 train $iris -m perceptron --holdout 0.5 --test $iris
expect 3 train $iris -m perceptron --holdout 0.001
says "hold out a larger share"
for seed in -1 1.5 x 18446744073709551616; do expect 2 train $iris -m perceptron --seed $seed; done
expect 2 train $iris -m perceptron -o -
expect 2 convert $iris
expect 2 convert $iris -o -
expect 2 predict a.sepal $iris --proba --scores
expect 2 train $iris -m nonsense

# ---- parameters as options -------------------------------------------------------------------------
expect 0 train $iris -m perceptron --variant averaged --shuffle --epochs 3 --json
json '"variant=averaged" in o["spec"] and "shuffle=true" in o["spec"] and "epochs=3" in o["spec"]'
expect 0 train --shuffle $iris -m perceptron --epochs 3 --json # the file is no value of --shuffle
json '"shuffle=true" in o["spec"]'
expect 0 train --shuffle no $iris --json -m perceptron
json '"shuffle=false" in o["spec"]'
expect 0 train $iris -m "perceptron( eta = 2 )" --epochs 3 --json
json '"eta=2" in o["spec"] and "epochs=3" in o["spec"]'
expect 2 train $iris -m perceptron --eta 1 --eta 2
expect 2 train $iris -m "perceptron(eta=1)" --eta 2
expect 2 train $iris -m perceptron --eta -1 # a negative number is a value, out of range
says "eta"
expect 2 train $iris -m perceptron --epoch 3
says "--epochs"
expect 2 train $iris -m perceptron --l2 1
says "--eta"
expect 2 train $iris --eta 1
says "-m"

# ---- exit codes and errors as JSON ------------------------------------------------------------
expect 3 train missing.csv -m perceptron --json
json 'o["schema"] == 1 and o["command"] == "train" and o["error"]["exit"] == 3'
json 'o["error"]["file"] == "missing.csv" and o["error"]["line"] is None'
says "sepal: missing.csv: "
printf 'a,b,y\n1,2,p\n2,x,q\n3,2,p\n' >bad.csv
expect 3 train bad.csv -m perceptron --json -o never.sepal --trace never.jsonl
json 'o["error"]["file"] == "bad.csv" and o["error"]["line"] == 3 and o["error"]["column"] == 3'
says "sepal: bad.csv:3:3: "
expect 3 train bad.csv -m perceptron -o never.sepal
silent
expect 2 train $iris --nonsense --json
json 'o["command"] == "train" and o["error"]["exit"] == 2 and "--nonsense" in o["error"]["message"]'
json 'list(o) == ["schema", "command", "error"]'
json 'list(o["error"]) == ["exit", "message", "file", "line", "column"]'
expect 2 train $iris $'--\xff"\\\n' --json
json 'o["error"]["exit"] == 2'
[ "$(wc -l <err)" = 1 ] || fail "an error of more than one line"
expect 4 inspect missing.sepal
expect 4 inspect $iris --json
json 'o["error"]["exit"] == 4'
expect 4 predict a.sepal $iris --proba
says "--scores"
expect 3 train $iris -m perceptron --test missing.csv -o never.sepal
expect 6 train $iris -m perceptron -o missing/never.sepal
expect 6 predict a.sepal $iris -o missing/never.csv
expect 6 predict a.sepal $iris -o . --json
json 'o["error"]["exit"] == 6'
expect 6 train $iris -m perceptron -o never.sepal --trace missing/never
expect 5 train $iris -m perceptron --epochs 1 --strict -o strict.sepal --trace strict.trace
if ls strict.* 2>/dev/null; then echo "a fit that --strict refuses was saved"; failures=$((failures + 1)); fi
expect 0 train $iris -m perceptron --epochs 1
says "warning"
says "nothing is saved"
[ -z "$(find . -name '*never*')" ] || fail "a failure left files: $(find . -name '*never*')"

# ---- results ----------------------------------------------------------------------------------
expect 0 train $iris -m perceptron --holdout 0.3 --json -q
json 'o["rows"] == 105 and o["test"]["rows"] == 45'
expect 0 train $iris -m perceptron --test $iris --json -q --seed 18446744073709551615
json 'o["rows"] == 150 and o["test"]["rows"] == 150'
expect 0 train $iris -m perceptron --epochs 2 -q --trace steps.jsonl --threads 1
python3 -c 'import json; assert [json.loads(line) for line in open("steps.jsonl")]' || fail "trace"
expect 0 predict a.sepal $iris
[ "$(wc -l <out)" = 150 ] || fail "predict: $(wc -l <out) lines"
cp out want
echo old >labels
expect 0 predict a.sepal $iris -o labels
silent
same labels want "predict -o"
expect 0 predict a.sepal $iris --scores --keep sepal_width
shows "label,setosa,versicolor,virginica,sepal_width"
expect 0 predict a.sepal $iris --scores --json
json 'len(o["labels"]) == len(o["scores"]) == 150 and len(o["scores"][0]) == len(o["classes"]) == 3'
json 'o["schema"] == 1 and o["command"] == "predict" and o["warnings"] == []'
json 'o["labels"] == open("want").read().split()'
expect 0 evaluate a.sepal $iris -q
silent
expect 0 convert $iris --to libsvm -o -
cp out want
expect 0 convert $iris -o iris.libsvm
same iris.libsvm want "convert -o -"
expect 0 list --json
json '{"learners", "maps", "reading_options", "fit_options"} <= set(o) and o["learners"][0]["parameters"]'

# ---- standard output that goes away -----------------------------------------------------------
"$SEPAL" describe $iris >&- 2>err || code=$?
[ "$code" = 141 ] || fail "closed standard output: exit $code"
[ ! -s err ] || fail "closed standard output is not silent: $(cat err)"
code=0
mkfifo pipe
for words in "predict a.sepal $iris" "list options" "help train" "--version"; do
    exec 8<>pipe # opens without waiting for the other end
    exec 9>pipe
    exec 8<&- # now 9 is a pipe that nobody reads
    # shellcheck disable=SC2086
    "$SEPAL" $words >&9 2>err || code=$?
    exec 9>&-
    [ "$code" = 141 ] || fail "broken pipe: exit $code: $words"
    [ ! -s err ] || fail "broken pipe is not silent: $words: $(cat err)"
    code=0
done
for words in "predict a.sepal $iris" "describe $iris --json" "help" "--version"; do
    # shellcheck disable=SC2086
    "$SEPAL" $words >/dev/full 2>err || code=$?
    [ "$code" = 6 ] || fail "full standard output: exit $code: $words"
    says "standard output"
    code=0
done
mkdir nothing
for words in "" "--json"; do
    # shellcheck disable=SC2086
    "$SEPAL" train $iris -m least-squares -o nothing/m.sepal --trace nothing/t $words >/dev/full 2>err || code=$?
    [ "$code" = 6 ] || fail "full standard output: exit $code: train $words"
    code=0
    [ -z "$(ls nothing)" ] || fail "a failed command has written $(ls nothing)"
done

# ---- Ctrl-C -----------------------------------------------------------------------------------
"$SEPAL" train examples/data/breast_cancer.csv -m perceptron --epochs 1e12 -o stopped.sepal \
    --max-seconds 30 --json >out 2>err &
trained=$!
sleep 1
kill -INT $trained
wait $trained
[ $? = 130 ] || fail "Ctrl-C: exit code"
says "stopped.sepal.interrupted"
json 'o["interrupted"] is True and o["seconds"]["fit"] < 20'
expect 0 inspect stopped.sepal.interrupted

# ---- help -------------------------------------------------------------------------------------
expect 0
shows "sepal train"
expect 0 --help
expect 0 --version
grep -qE '^sepal [0-9.]+ \(kernels .+, BLAS .+\)$' out || fail "version: $(cat out)"
mkdir bin && ln -s "$SEPAL" bin/sepal
PATH="$PWD/bin:$PATH"
for command in train predict evaluate describe inspect separable cv tune convert list help; do
    expect 0 help $command
    cp out want
    shows "Usage: sepal $command"
    expect 0 $command --nonsense -h
    same out want "$command -h"
    expect 0 $command --help
    same out want "$command --help"
    sed -n '/^Examples:/,$ s/^  //p' want >examples.txt
    [ "$(wc -l <examples.txt)" = 2 ] || fail "$command: not two examples"
    while read -r line; do
        bash -c "$line" >out 2>err </dev/null || fail "example: $line: $(cat err)"
    done <examples.txt
done

[ "$failures" = 0 ] || exit 1
