# complete.zsh SHARE <LINES : for each line what zsh offers at its end: LINE|WORD WORD ...
# A second zsh on a terminal of its own is typed into. Its compadd notes what it was asked to offer.
zmodload zsh/zpty
: >offered
zpty child zsh -f -i

# Reads what the child prints until this mark comes.
await() {
    local seen chunk
    while [[ $seen != *$1* ]] && zpty -r child chunk; do seen+=$chunk; done
}

zpty -w child "PROMPT=; stty -echo; fpath=(${(q)1}/zsh/site-functions \$fpath)"
zpty -w child 'autoload -Uz compinit; compinit -D -u'
zpty -w child 'compadd() {
    local -a found
    builtin compadd -A found "$@"
    print -rl -- $found >>offered
    builtin compadd "$@"
}'
zpty -w child "offer() { zle list-choices; zle kill-whole-line; print OFF''ERED }; zle -N offer"
zpty -w child "bindkey '^T' offer; print READ''Y"
await READY
while IFS= read -r line; do
    : >offered
    zpty -w -n child $line$'\C-T'
    await OFFERED
    # When a value behind "=" is completed, the option's own name is noted as well.
    name=${line##* }
    [[ $name = *=* ]] && name=${name%%=*} || name=
    print -r -- "$line|$(grep -vxF -e '' -e "$name" offered | LC_ALL=C sort -u | paste -sd' ')"
done
zpty -d child
