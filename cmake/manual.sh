#!/bin/sh
# manual.sh RECKON SOURCE OUT: the manual pages and completions, from the tables of the executable
# and the pages written by hand.
set -eu
reckon=$1 source=$2 out=$3
mkdir -p "$out/man" "$out/completions"
cp "$source"/man/*.[1-8] "$out/man/"
"$reckon" __man >"$out/man/reckon.1"
for command in $("$reckon" __list commands); do
    "$reckon" __man "$command" >"$out/man/reckon-$command.1"
done
"$reckon" __man plan-keys >"$out/man/keys"
sed -e "/@KEYS@/r $out/man/keys" -e '/@KEYS@/d' "$source/man/reckon-plan.5" >"$out/man/reckon-plan.5"
rm "$out/man/keys"
"$reckon" __complete bash >"$out/completions/reckon.bash"
"$reckon" __complete zsh >"$out/completions/_reckon"
"$reckon" __complete fish >"$out/completions/reckon.fish"
