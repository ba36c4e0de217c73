# fish completion of sepal. Its tables of commands and options were put in when it was built, so that
# sepal is not called while you type.

function __sepal_command -a name
    set -l words (commandline -opc)
    test "$words[2]" = $name
end

# The learner that a spec names.
function __sepal_learner_of -a spec
    for stage in (string split -n ' ' -- (string replace -ra '[^a-z0-9-]' ' ' -- (string replace -a _ - -- $spec)))
        contains -- $stage $__sepal_learners; and echo $stage
    end
end

# The learners that -m names.
function __sepal_learners_given
    set -l words (commandline -opc)
    for i in (seq 3 (count $words))
        set -l spec
        switch $words[$i]
            case -m --method
                set spec $words[(math $i + 1)]
            case '--method=*' '-m?*'
                set spec (string replace -r '^(--method=|-m)' '' -- $words[$i])
        end
        __sepal_learner_of "$spec"
    end
end

function __sepal_learner -a name
    contains -- $name (__sepal_learners_given)
end

# Those of the learner that -m names, or of all.
function __sepal_solvers
    set -l solvers
    switch "$(__sepal_learners_given)"
        #@solvers
    end
    printf '%s\n' $solvers
end

# Stages with + between them: maps, a learner, and behind it a strategy.
function __sepal_spec
    set -l spec (string replace -r '^(--method=|-m)' '' -- (commandline -ct))
    set -l before (string match -r '^.*[+|]' -- $spec)
    set -q before[1]; or set before ''
    if test -n "$(__sepal_learner_of "$before")"
        printf '%s\n' $before$__sepal_strategies
    else
        printf '%s\n' $before$__sepal_learners $before$__sepal_maps
    end
end

#@methods

complete -c sepal -f
complete -c sepal -n __fish_is_first_token -s h -l help -d 'this help'
complete -c sepal -n __fish_is_first_token -l version -d 'what this build uses'
#@options
