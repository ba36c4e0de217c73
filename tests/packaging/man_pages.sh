#!/usr/bin/env bash
# The manual pages are well-formed, name everything that the program knows, and their examples run.
# They are the same bytes whenever they are made.
set -uo pipefail
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
pages=("$SEPAL_SHARE"/man/man[13]/*)
train=$SEPAL_SHARE/man/man1/sepal-train.1

# ---- Form: no date is wanted, see roff_begin ----
if command -v mandoc >/dev/null; then
    mandoc -Tlint -W warning "${pages[@]}" 2>&1 | grep -v 'missing date, using "": TH$' >lint
    [ ! -s lint ] || fail "mandoc: $(cat lint)"
else
    echo "SKIP mandoc: it is not here"
fi
if command -v groff >/dev/null; then
    for page in "${pages[@]}"; do groff -man -ww -z -Tutf8 "$page"; done >lint 2>&1
    [ ! -s lint ] || fail "groff: $(cat lint)"
else
    echo "SKIP groff: it is not here"
fi
if LC_ALL=C grep -n '[^ -~]' "${pages[@]}"; then fail "these are not plain ASCII"; fi
for section in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
    grep -L "^\.SH $section\$" "${pages[@]}" | grep -v 'libsepal.3$' >lacking
    [ ! -s lacking ] || fail "no section $section in $(cat lacking)"
done
if grep -lF "$SEPAL_SOURCE" -r "$SEPAL_SHARE"; then fail "these name a path of this machine"; fi

# ---- Contents ----
# typed PAGE WORD : the page has the word in bold, as it is typed
typed() { grep -qF -- "\\fB${2//-/\\-}\\fR" "$1" || fail "$(basename "$1") lacks $2"; }

checked=0
"$SEPAL" help | sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p' >commands
[ -s commands ] || fail "sepal help lists no commands"
while read -r command; do
    page=$SEPAL_SHARE/man/man1/sepal-$command.1
    [ -f "$page" ] || { fail "no page for $command"; continue; }
    grep -qF "sepal\\-$command (1)" "$SEPAL_SHARE/man/man1/sepal.1" || fail "sepal.1 lacks $command"
    for option in $("$SEPAL" help "$command" | grep -oE '^  (-[a-z],|   ) --[a-z0-9-]+' | tr -d ,); do
        typed "$page" "$option"
        checked=$((checked + 1))
    done
done <commands
"$SEPAL" list --json | python3 -c '
import json, sys
tables = json.load(sys.stdin)
for kind in "learners", "maps", "strategies":
    for row in tables[kind]:
        print(row["name"], *(parameter["name"] for parameter in row["parameters"]), sep="\n")' >methods
while read -r name; do
    typed "$train" "$name"
    checked=$((checked + 1))
done <methods
for code in 0 1 2 3 4 5 6 130 141; do typed "$train" "$code"; done
gcc -E -P "$SEPAL_SOURCE/include/sepal/sepal.h" | grep -oE 'sepal_[a-z0-9_]+\(' | sort -u >functions
while read -r name; do
    grep -qF "$name" "$SEPAL_SHARE/man/man3/libsepal.3" || fail "libsepal.3 lacks $name)"
    checked=$((checked + 1))
done <functions
[ "$checked" -gt 100 ] || fail "only $checked names were looked for"

# ---- Examples, those of sepal(1) and sepal-train(1) first: they make the models that others use ----
ln -s "$SEPAL_SOURCE/examples" examples
sepal() { "$SEPAL" "$@"; }
ran=0
for page in "$SEPAL_SHARE"/man/man1/{sepal,sepal-train}.1 "$SEPAL_SHARE"/man/man1/sepal-*.1; do
    sed -n '/^\.EX/,/^\.EE/p' "$page" | grep -v '^\.E' |
        sed -e 's/\\-/-/g' -e 's/\\(dq/"/g' -e "s/\\\\(aq/'/g" >example
    while read -r line; do
        (eval "$line") >out 2>&1 </dev/null || fail "$(basename "$page"): $line: $(head -c 300 out)"
        ran=$((ran + 1))
    done <example
done
[ $ran -ge "$(wc -l <commands)" ] || fail "only $ran examples"

"$SEPAL_SHARE/../manual/write_manual" "$SEPAL_SOURCE" again || fail "write_manual"
diff -rq --exclude=written "$SEPAL_SHARE" again || fail "the pages differ from run to run"
echo "$checked names, $ran examples, $failures failures"
[ $failures = 0 ]
