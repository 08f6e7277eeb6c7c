#!/bin/sh
# The build makes the manual pages and the completions from the tables: there is one of each command,
# the keys of plans are in theirs, and no page has a fault that mandoc knows.
set -u
[ -x "${RECKON:-}" ] && [ -d "${RECKON_BUILD:-}/man" ] || { echo "nothing was built"; exit 77; }
failed=0
fail() { echo "$*"; failed=1; }
for command in $("$RECKON" __list commands); do
    "$RECKON" __man "$command" | cmp -s - "$RECKON_BUILD/man/reckon-$command.1" || fail "man page of $command"
done
for shell in bash zsh fish; do
    name=reckon.$shell
    [ $shell = zsh ] && name=_reckon
    "$RECKON" __complete $shell | cmp -s - "$RECKON_BUILD/completions/$name" || fail "completion of $shell"
done
! "$RECKON" __complete fish | grep " -d ''" || fail "an option without a text in man/commands"
for file in "$RECKON_SOURCE"/man/commands/*.txt; do
    name=${file##*/}
    page=$RECKON_BUILD/man/reckon-${name%%[-.]*}.1
    [ "$name" != options.txt ] || page="$RECKON_BUILD/man/reckon-*.1"
    for option in $(sed -nE 's/^--([a-z0-9-]+)$/\1/p' "$file"); do
        # shellcheck disable=SC2086
        cat $page "$RECKON_BUILD/man/reckon-${name%.txt}.1" 2>/dev/null | sed 's/\\-/-/g' |
            grep -q -e "--$option\b" || fail "$file: no command has --$option"
    done
done
grep -q '^\.It Ic tensor , tp' "$RECKON_BUILD/man/reckon-plan.5" || fail "reckon-plan.5 lacks the keys"
! grep -q @KEYS@ "$RECKON_BUILD/man/reckon-plan.5" || fail "reckon-plan.5 has a mark left"
if command -v mandoc >/dev/null; then
    mandoc -Tlint -W error "$RECKON_BUILD"/man/reckon*.5 || fail "mandoc"
fi
[ $failed -eq 0 ] || echo "./dev update pages makes them again"
exit $failed
