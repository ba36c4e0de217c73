#!/usr/bin/env bash
# Completion as it happens: each shell that is here loads its script and is asked what it offers at
# the end of a line. The options must be exactly those of `sepal help`, parameters and solvers those
# of `sepal list`; the table below has the rest.
set -uo pipefail
here=$SEPAL_SOURCE/tests/packaging
touch a.sepal b.csv
mkdir folder
failures=0

declare -A run=(
    [bash]="bash --norc $here/complete.bash"
    [zsh]="zsh -f $here/complete.zsh"
    [fish]="fish --no-config $here/complete.fish"
)

# SHELLS|LINE|what is offered. fish offers other files, too, behind what fits better.
cat >cases <<'END'
bash zsh fish|sepal tr|train transform
bash zsh fish|sepal nothing |
bash zsh fish|sepal help e|evaluate explain
bash zsh fish|sepal list |formats learners maps metrics options plots solvers strategies
bash zsh fish|sepal list m|maps metrics
bash zsh fish|sepal plot re|regions
bash zsh fish|sepal plot losses --theme |auto dark light
bash zsh fish|sepal train --mis|--missing
bash zsh fish|sepal train --missing m|mean
bash zsh fish|sepal train --missing=|drop indicator mean refuse
bash zsh fish|sepal train --missing=d|drop
bash zsh fish|sepal train --header |auto no yes
bash zsh|sepal train --quote=|no yes
bash zsh fish|sepal train --seed |
bash zsh fish|sepal train --target |
bash zsh fish|sepal train b|b.csv
bash zsh fish|sepal train --test b|b.csv
bash zsh fish|sepal train --labels b|b.csv
bash zsh fish|sepal train -q -v --format csv b|b.csv
bash zsh fish|sepal train b.csv -m per|perceptron
bash zsh fish|sepal train b.csv --method=per|perceptron
bash|sepal train b.csv -m identity+per|identity+perceptron
zsh|sepal train b.csv -m identity+per|perceptron
fish|sepal train b.csv -m identity+per|identity+perceptron
bash|sepal train b.csv -m perceptron+mach|perceptron+machine
zsh|sepal train b.csv -m perceptron+mach|machine
fish|sepal train b.csv -m perceptron+mach|perceptron+machine
bash zsh fish|sepal train b.csv -m identity+mach|
bash zsh fish|sepal train b.csv --eta|
bash zsh fish|sepal train b.csv -m perceptron --eta|--eta
bash zsh fish|sepal train b.csv --method=perceptron --eta|--eta
bash zsh fish|sepal train b.csv -mperceptron --eta|--eta
bash zsh fish|sepal train b.csv -m identity+perceptron --eta|--eta
bash zsh fish|sepal train b.csv -m least-squares --eta|
bash zsh fish|sepal train b.csv -m least_squares --targ|--target --targets
bash zsh fish|sepal train b.csv -m perceptron --variant p|pocket
bash zsh|sepal train b.csv -m perceptron --shuffle=|no yes
bash zsh fish|sepal train b.csv -m logistic --solver n|newton newton-cg
bash zsh fish|sepal train b.csv --method=standardize+svm --solver=a|augmented
bash zsh fish|sepal train b.csv -m logistic --solver aug|
bash zsh fish|sepal convert b.csv --to lib|libsvm
bash zsh|sepal train -o |a.sepal folder
bash zsh|sepal predict |a.sepal folder
bash zsh|sepal predict -q --missing mean |a.sepal folder
bash zsh fish|sepal predict a.sepal b|b.csv
bash zsh|sepal inspect |a.sepal folder
bash|sepal inspect a.sepal |
bash|sepal train -- -|
END

# "options LINE" and the options that must be offered, by what the program says of itself.
python3 - "$SEPAL" >options <<'END'
import json, re, subprocess, sys
ask = lambda *words: subprocess.run([sys.argv[1], *words], capture_output=True, text=True, check=True).stdout
commands = re.findall(r"^  (\w+) ", ask("help").split("Commands:")[1], re.M)
options = {c: set(re.findall(r"^  (?:-\w,|   ) (--[\w-]+)", ask("help", c), re.M)) for c in commands}
for c in commands:
    print(f"sepal {c} --|{' '.join(sorted(options[c]))}")
for row in json.loads(ask("list", "learners", "--json"))["learners"]:
    parameters = {"--" + parameter["name"] for parameter in row["parameters"]}
    used = " ".join(sorted(options["train"] | parameters))
    print(f"sepal train b.csv -m {row['name']} --|{used}")
solvers = {row["name"]: row["learners"] for row in json.loads(ask("list", "solvers", "--json"))["solvers"]}
print(f"sepal train b.csv --solver |{' '.join(sorted(solvers))}")
for row in json.loads(ask("list", "learners", "--json"))["learners"]:
    own = [solver for solver in solvers if row["name"] in solvers[solver]]
    print(f"sepal train b.csv -m {row['name']} --solver |{' '.join(sorted(own))}")
END

for shell in bash zsh fish; do
    command -v $shell >/dev/null || { echo "SKIP $shell: it is not here"; continue; }
    { sed -n "s/^[a-z ]*${shell}[a-z ]*|//p" cases; cat options; } >want
    # The option that is there already, zsh does not offer again.
    if [ $shell = zsh ]; then sed -i -E 's/^(sepal .*-m .*--\|.*) --method/\1/' want; fi
    cut -d'|' -f1 want | ${run[$shell]} "$SEPAL_SHARE" >got
    diff -u --label "wanted of $shell" want --label "$shell offers" got || failures=$((failures + 1))
    echo "$shell: $(wc -l <want) lines"
done
exit $failures
