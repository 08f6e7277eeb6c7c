#!/bin/sh
# What README.md and the pages below show is what the commands print: below each line
# "$ reckon ..." stands its output, up to the end of the block, and a comment "<!-- FILE.svg: COMMAND -->"
# names a picture of what one prints. README.md's outputs stand in one block. --update writes them (RECKON
# names the executable).
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/cwd" "$work/kept"
ln -s "$RECKON" "$work/bin/reckon"
ln -s "$root/tests" "$work/cwd/tests"
PATH=$work/bin:$PATH
export LC_ALL=C.UTF-8
cd "$work/cwd" || exit 1

# Runs a line; what stands before its first pipe runs once for all lines.
asked() # line
{
    first=${1%% | *}
    kept=$work/kept/$(printf '%s' "$first" | cksum | tr ' ' -)
    if [ ! -e "$kept" ]; then
        sh -c "$first" >"$kept" 2>"$kept.said" </dev/null || echo "exit status $?" >>"$kept"
    fi
    if [ "$first" = "$1" ]; then cat "$kept"; else sh -c "cat | ${1#* | }" <"$kept"; fi
}

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
                NO_COLOR=1 asked "${line#??}"
                skipping=yes
                ;;
        esac
    done <"$1"
}

failed=0
compared() # file, made
{
    if [ "${update:-}" ]; then
        cp "$2" "$root/$1"
    elif ! diff -u "$root/$1" "$2"; then
        echo "$1 shows what is no longer printed: read the diff; ./dev update readme takes it over"
        failed=1
    fi
}

[ "${1:-}" = --update ] && update=yes
pages='README.md docs/walk.md docs/accuracy.md docs/memory.md docs/imports.md docs/exports.md'
for page in $pages; do
    filled "$root/$page" >"$work/page"
    compared "$page" "$work/page"
done

sed -nE 's/^<!-- ([^ ]+\.svg): (reckon .*) -->$/\1 \2/p' "$root/README.md" >"$work/pictures"
while read -r picture command; do
    asked "$command --color always --width 110" | "$root/tools/terminal-picture" "$command" >"$work/picture"
    compared "$picture" "$work/picture"
done <"$work/pictures"

awk '/^<!-- numbers:/ { inside = 1 } /^<!-- end of numbers/ { inside = 0 }
    /^\$ reckon / && !inside { print "README.md:" FNR ": an output outside of the block of numbers"; bad = 1 }
    END { exit bad }' "$root/README.md" || failed=1
[ "$(wc -l <"$root/README.md")" -le 180 ] || { echo "README.md has more than 180 lines"; failed=1; }
exit $failed
