#compdef sepal
# zsh completion of sepal. Its tables of commands and options were put in when it was built, so that
# sepal is not called while you type.

# Sets learner to the one that a spec names.
_sepal_find_learner() { # SPEC
    local stage spec=${1//_/-}
    for stage in ${=spec//[^a-z0-9-]/ }; do
        if (( $+functions[_sepal_parameters_$stage] )); then learner=$stage; fi
    done
}

# Stages with + between them: maps, a learner, and behind it a strategy.
_sepal_spec() {
    local learner
    local -a learners maps strategies
    #@methods
    _sepal_find_learner ${PREFIX%%[^+|]#}
    compset -P '*[+|]'
    if [[ -n $learner ]]; then
        _describe -t strategies strategy strategies
    else
        _describe -t learners learner learners -- maps
    fi
}

# Those of the learner that was found, or of all.
_sepal_solvers() {
    local row
    local -a solvers fit offered
    #@solvers
    for row in $solvers; do
        if (( $fit[(Ie)${row%%:*}] )); then offered+=("$row"); fi
    done
    _describe -t solvers solver offered
}

# Sets learner to the one that -m names, and adds its parameters to rows.
_sepal_parameters() {
    local i
    for (( i = 1; i <= $#words; i++ )); do
        (( i == CURRENT )) && continue
        case $words[i] in
            -m|--method) (( i + 1 == CURRENT )) || _sepal_find_learner "$words[i+1]" ;;
            -m?*) _sepal_find_learner "${words[i]#-m}" ;;
            --method=*) _sepal_find_learner "${words[i]#--method=}" ;;
        esac
    done
    [[ -z $learner ]] || _sepal_parameters_$learner
}

_sepal() {
    local curcontext=$curcontext state learner=''
    local -a line commands rows
    typeset -A opt_args
    setopt local_options extended_glob
    #@commands
    _arguments -C '(- *)'{-h,--help}'[this help]' '(- *)--version[what this build uses]' \
        '1:command:->command' '*::argument:->rest'
    case $state in
        command) _describe -t commands command commands ;;
        rest) (( $+functions[_sepal_$line[1]] )) && _sepal_$line[1] && _arguments -s -S $rows ;;
    esac
}

#@options

_sepal "$@"
