#!/bin/sh
# The manual pages of section 1 and the completions are those that the tables make. To make them
# again: tests/cli/generated.sh --update (RECKON names the executable).
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/man" "$work/completions"

"$RECKON" __man >"$work/man/reckon.1"
for command in $("$RECKON" __list commands); do
    "$RECKON" __man "$command" >"$work/man/reckon-$command.1" || exit 1
done
"$RECKON" __complete bash >"$work/completions/reckon.bash"
"$RECKON" __complete zsh >"$work/completions/_reckon"
"$RECKON" __complete fish >"$work/completions/reckon.fish"

failed=0
cd "$work" || exit 1
for file in man/* completions/*; do
    if [ "${1:-}" = --update ]; then
        cp "$work/$file" "$root/$file"
    else
        diff -u "$root/$file" "$work/$file" || failed=1
    fi
done
[ $failed -eq 0 ] || echo "make them again with tests/cli/generated.sh --update"
exit $failed
