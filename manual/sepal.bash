# shellcheck shell=bash disable=SC2034,SC2154 # the functions share the variables of _sepal
# bash completion of sepal. Its tables of commands and options were put in when it was built, so
# that sepal is not called while you type.

# Sets learner to the one that a spec names.
_sepal_find_learner() { # SPEC
    local stage stages spec=${1//_/-}
    read -ra stages <<<"${spec//[^a-z0-9-]/ }"
    for stage in "${stages[@]}"; do
        if declare -F "_sepal_parameters_$stage" >/dev/null; then learner=$stage; fi
    done
}

# Stages with + between them: maps, a learner, and behind it a strategy.
_sepal_spec() {
    local before='' learner='' learners maps strategies i
    #@methods
    if [[ $cur = *+* ]]; then before=${cur%+*}+ cur=${cur##*+}; fi
    _sepal_find_learner "$before"
    if [ -n "$learner" ]; then
        _sepal_offer words "$strategies"
    else
        _sepal_offer words "$learners $maps"
    fi
    for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=$before${COMPREPLY[i]}; done
}

# Those of the learner that was found, or of all.
_sepal_solvers() {
    local words
    case $learner in
        #@solvers
    esac
    _sepal_offer words "$words"
}

_sepal_offer() { # KIND WORDS
    case $1 in
        words) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$2" -- "$cur") ;;
        files) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
        models) mapfile -t COMPREPLY < <(compgen -d -- "$cur" && true; compgen -f -X '!*.sepal' -- "$cur") ;;
        spec) _sepal_spec ;;
        solvers) _sepal_solvers ;;
    esac
    if [[ $1 = files || $1 = models ]]; then compopt -o filenames 2>/dev/null; fi
}

# What an option takes: sets kind (none, text, words, files, models, spec, solvers; maybe: words or
# nothing) and words, and besides what the command has: options, arguments (a kind each), argument_words.
_sepal_look_up() { # OPTION
    kind=text words=''
    "_sepal_$command" "$1"
    if [ -n "$learner" ]; then "_sepal_parameters_$learner" "$1"; fi
}

_sepal_takes() { # OPTION WORD
    _sepal_look_up "$1"
    case $kind in
        none) return 1 ;;
        maybe) [[ -n $equals || " $words true false yes no 1 0 " = *" $2 "* ]] ;;
    esac
}

# Sets, from the words before the cursor: position, the number of arguments; option, the one that a
# value may follow now; equals, whether "=" stands behind it; open, whether options may follow.
_sepal_walk() {
    local i word
    for ((i = 2; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ -n $option && $word = '=' ]]; then
            equals=yes
        elif [ -n "$option" ] && _sepal_takes "$option" "$word"; then
            if [[ $option = -m || $option = --method ]]; then _sepal_find_learner "$word"; fi
            option='' equals=''
        elif [[ -n $open && $word = -- ]]; then
            open='' option=''
        elif [[ -n $open && $word = -?* ]]; then
            option=$word equals=''
            if [[ $word = -m?* ]]; then _sepal_find_learner "${word#-m}" && option=''; fi
        else
            position=$((position + 1)) option=''
        fi
    done
    if [[ -n $option && $cur = '=' ]]; then equals=yes cur=''; fi
}

_sepal() {
    local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} commands
    local position=0 option='' equals='' open=yes learner=''
    local kind words options arguments argument_words
    COMPREPLY=()
    #@commands
    if ((COMP_CWORD == 1)); then _sepal_offer words "$commands --help --version"; fi
    if ((COMP_CWORD == 1)) || [[ " $commands " != *" $command "* ]]; then return; fi
    _sepal_walk
    _sepal_look_up "$option"
    if [ -z "$option" ]; then kind=none; fi
    if [ "$kind" = maybe ]; then
        _sepal_offer words "$words"
        if [ -n "$equals" ]; then return; fi
    elif [ "$kind" != none ]; then
        _sepal_offer "$kind" "$words"
        return
    fi
    if [[ -n $open && $cur = -* ]]; then
        _sepal_offer words "$options"
    elif ((position < ${#arguments[@]})); then
        _sepal_offer "${arguments[position]}" "$argument_words"
    fi
}
complete -F _sepal sepal

#@options
