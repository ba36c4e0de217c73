# complete.fish SHARE <LINES : for each line what fish offers at its end: LINE|WORD WORD ...
source $argv[1]/fish/vendor_completions.d/sepal.fish
while read -l line
    # What is offered is a whole token with its explanation; folders end with a slash.
    set -l words (complete -C $line | string replace -r '\t.*' '' | string replace -r '/$' '' |
        string replace -r '^--[a-z-]+=' '' | string match -v '' | LC_ALL=C sort -u)
    echo "$line|$words"
end
