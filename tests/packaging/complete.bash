# shellcheck shell=bash
# complete.bash SHARE <LINES : for each line what bash offers at its end: LINE|WORD WORD ...
# shellcheck source=/dev/null
source "$1/bash-completion/completions/sepal"
while IFS= read -r line; do
    read -ra COMP_WORDS <<<"${line//=/ = }" # readline cuts at "=", too
    if [[ $line = *' ' ]]; then COMP_WORDS+=(''); fi
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _sepal
    printf '%s|%s\n' "$line" "$(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u | paste -sd' ')"
done
