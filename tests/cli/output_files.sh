#!/usr/bin/env bash
# Where results go: through links, also to where there is no file yet; under the longest names; with
# the mode of what they replace; and what is said when there is no room.
set -uo pipefail
data=$SEPAL_SOURCE/examples/data/iris.csv
bad=0
is() { # what, wanted, found
    [ "$2" = "$3" ] || { echo "$1: '$3', not '$2'"; bad=$((bad + 1)); }
}
"$SEPAL" train "$data" -m perceptron -q -o model.sepal || exit 1
"$SEPAL" predict model.sepal "$data" >labels

# Each command that writes a file, to the path in $1.
write() {
    case $2 in
        train) "$SEPAL" train "$data" -m perceptron -q -o "$1" ;;
        trace) "$SEPAL" train "$data" -m perceptron -q --trace "$1" 2>err ;;
        predict) "$SEPAL" predict model.sepal "$data" -o "$1" ;;
        convert) "$SEPAL" convert "$data" --to csv -o "$1" ;;
    esac
}
longest=$(printf 'n%.0s' {1..255})
for what in train trace predict convert; do
    mkdir "$what" "$what/sub" && cd "$what" || exit 1
    ln -s ../model.sepal model.sepal
    ln -s sub/file far
    write far $what
    is "$what through a link to nothing" "0 1 1" "$? $([ -L far ] && echo 1) $([ -f sub/file ] && echo 1)"
    before=$(stat -c %i sub/file)
    chmod 640 sub/file
    write far $what
    is "$what through a link" "0 1 640" "$? $([ -L far ] && echo 1) $(stat -c %a sub/file)"
    [ "$before" != "$(stat -c %i sub/file)" ] || { echo "$what wrote into the file"; bad=$((bad + 1)); }
    ln -s loop loop
    write loop $what 2>err
    is "$what to a loop" 6 $?
    write "$longest" $what
    is "$what to the longest name" "0 1" "$? $([ -s "$longest" ] && echo 1)"
    write "${longest}n" $what 2>err
    is "$what to a name too long" 6 $?
    is "$what: files" "err far loop model.sepal $longest sub" "$(LC_ALL=C && echo *)"
    cd ..
done

if [ -w /dev/full ]; then
    for command in "describe $data" "predict model.sepal $data" "list" "train $data -m perceptron"; do
        # shellcheck disable=SC2086
        "$SEPAL" $command >/dev/full 2>err
        is "$command to a full disk" "6 1" "$? $(grep -c 'No space left.*make room' err)"
    done
    "$SEPAL" predict model.sepal "$data" -o /dev/full 2>err
    is "-o to a full disk" "6 1" "$? $(grep -c 'No space left.*make room' err)"
fi
echo "$bad failures"
[ "$bad" = 0 ]
