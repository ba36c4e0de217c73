#!/usr/bin/env bash
# tools/skips counts what the logs of ctest tell, and sees what tests/skips.txt does not expect.
set -euo pipefail -f # -f: a * is a name here
mkdir -p Testing/Temporary
cat >ctest.log <<'LOG'
 1/4 Test #7: test_aside ............   Passed    0.01 sec
 2/4 Test #9: header/installed ......***Skipped   0.02 sec
10/40 Test #91: cli/made_up .........***Skipped   0.02 sec
 3/4 Test #8: cli/loud ..............   Passed    0.02 sec
LOG
cat >Testing/Temporary/LastTest.log <<'LOG'
7/9 Testing: test_aside
Output:
[  SKIPPED ] test_packed
[  PASSED  ] 3 test(s).
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] test_packed
----------
8/9 Testing: cli/loud
Output:
SKIP part-of-it: it is not here
a SKIP in a sentence: no skip
----------
LOG
# want PRESET TESTS PARTS UNEXPECTED_TESTS UNEXPECTED_PARTS
want() {
    got=$("$SEPAL_SOURCE/tools/skips" "$1" . | tail -n 1)
    [ "$got" = "skips ${*:2}" ] || { echo "$1: $got, not ${*:2}"; exit 1; }
}
want bare 2 2 2 1
want tsan 2 2 1 2
want release 2 2 2 2
"$SEPAL_SOURCE/tools/skips" tsan . >out # no pipe: grep -q would close it early
grep -q 'cli/made_up: NOT EXPECTED' out
grep -q 'header/installed: a sanitized' out

# A reason that does not hold here is none.
echo ' 1/1 Test #1: cli/test_data_sets ....***Skipped   0.01 sec' >ctest.log
: >Testing/Temporary/LastTest.log
SEPAL_DATA=$PWD want release 1 0 1 0
SEPAL_DATA=$PWD/nowhere want release 1 0 0 0

# Every line names a preset and a test that there are.
while IFS='|' read -r presets name _; do
    name=$(tr -d ' ' <<<"$name")
    test=${name%%:*} part=${name#*:}
    [ "$part" != "$name" ] || part=
    for preset in $presets; do
        [ "$preset" = '*' ] || grep -q "\"name\": \"$preset\"" "$SEPAL_SOURCE/CMakePresets.json" ||
            { echo "no preset $preset"; exit 1; }
    done
    file=$(find "$SEPAL_SOURCE/tests" -path "*/$test.sh" -o -path "*/$test.py" -o -path "*/$test.c")
    [ -n "$file" ] || { echo "tests/skips.txt: no test $test"; exit 1; }
    grep -qE "${part:-.}" "$file" || { echo "tests/skips.txt: no part $part in $test"; exit 1; }
done < <(grep -E '^[^#]' "$SEPAL_SOURCE/tests/skips.txt")
