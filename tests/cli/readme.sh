#!/bin/sh
# What README.md and docs/walk.md show is what the commands print: below each line "$ reckon ..." stands
# its output, up to the end of the block. --update writes it (RECKON names the executable).
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/cwd"
ln -s "$RECKON" "$work/bin/reckon"
ln -s "$root/tests" "$work/cwd/tests"
PATH=$work/bin:$PATH
cd "$work/cwd" || exit 1

# A page with the outputs of today.
filled() # page
{
    skipping=
    while IFS= read -r line; do
        [ "$line" = '```' ] && skipping=
        [ "$skipping" ] && continue
        printf '%s\n' "$line"
        case $line in
            '$ reckon '*)
                LC_ALL=C.UTF-8 NO_COLOR=1 sh -c "${line#??}" 2>/dev/null </dev/null ||
                    echo "exit status $?"
                skipping=yes
                ;;
        esac
    done <"$1"
}

failed=0
for page in README.md docs/walk.md; do
    filled "$root/$page" >"$work/page"
    if [ "${1:-}" = --update ]; then
        cp "$work/page" "$root/$page"
    elif ! diff -u "$root/$page" "$work/page"; then
        echo "$page shows what is no longer printed: read the diff; ./dev update readme takes it over"
        failed=1
    fi
done
exit $failed
