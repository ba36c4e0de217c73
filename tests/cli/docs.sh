#!/usr/bin/env bash
# What the documents say is so. The generated parts of README.md are up to date; and in
# README.md, docs/*.md and docs/methods/*.md, a block of the kind
#   ```console   is run: a line "$ COMMAND", then exactly what it prints ("time" lines are not compared)
#   ```c         that begins with /* NAME.c is written to that file, for a command to compile.
# The commands of a document run one after the other in a folder where examples/ is, with sepal on
# the PATH and the library as if it were installed.
set -u
libraries=$(dirname "$SEPAL_SHARED")
export PATH=$PWD/bin:$PATH LC_ALL=C.UTF-8
export C_INCLUDE_PATH=$SEPAL_SOURCE/include LIBRARY_PATH=$libraries LD_LIBRARY_PATH=$libraries
mkdir bin && ln -s "$SEPAL" bin/sepal
sanitized=no # such a library needs a sanitized program: commands with gcc are left out
if nm "$SEPAL_STATIC" | grep -E ' U __(asan|tsan)_' >/dev/null; then sanitized=yes; fi
failures=0 commands=0

# what changes from run to run, or in its last digits from one BLAS to another
comparable() { sed -E -e '/^time /d' -e 's/([0-9]\.[0-9]{9})[0-9]+/\1/g'; }

# check COMMAND : it prints what is in the file want
check() {
    commands=$((commands + 1))
    if [[ "$1" == gcc* && $sanitized = yes ]]; then return; fi
    (eval "$1") </dev/null >got 2>&1
    diff -u <(comparable <want) <(comparable <got) && return
    echo "FAILED: $document: $1"
    failures=$((failures + 1))
}

# run_blocks FILE
run_blocks() {
    local line kind='' command='' source=/dev/null
    while IFS= read -r line; do
        case $kind$line in
            '```'*) kind="${line#'```'}:" source=/dev/null ;;
            *:'```')
                [ -z "$command" ] || check "$command"
                kind='' command=''
                ;;
            'console:$ '*)
                [ -z "$command" ] || check "$command"
                command=${line#'$ '}
                : >want
                ;;
            console:*) printf '%s\n' "$line" >>want ;;
            c:*)
                if [[ "$line" =~ ^'/* '([a-z_]+\.c) ]]; then source=${BASH_REMATCH[1]}; fi
                printf '%s\n' "$line" >>"$source"
                ;;
        esac
    done <"$1"
}

for document in "$SEPAL_SOURCE"/README.md "$SEPAL_SOURCE"/docs/*.md "$SEPAL_SOURCE"/docs/methods/*.md; do
    folder=${document#"$SEPAL_SOURCE"/}
    mkdir "${folder//\//_}.run" && cd "${folder//\//_}.run" || exit 1
    ln -s "$SEPAL_SOURCE/examples" examples
    run_blocks "$document"
    cd ..
done
[ $commands -gt 0 ] || { echo "FAILED: no command was found"; failures=1; }

cp "$SEPAL_SOURCE/README.md" generated.md
"$SEPAL_SOURCE/tools/gen-docs" generated.md || failures=$((failures + 1))
if ! diff -u "$SEPAL_SOURCE/README.md" generated.md; then
    echo "FAILED: README.md is behind the tables; type: tools/gen-docs"
    failures=$((failures + 1))
fi
echo "$commands commands, $failures failed"
[ $failures = 0 ]
