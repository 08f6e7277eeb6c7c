#!/bin/sh
# What README and docs name is there: files of the tree, the pages they link to, and every command of
# ./dev in its help and in docs/building.md.
set -u
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$root" || exit 1
failed=0
fail() { echo "$*"; failed=1; }

rooms='core|formats|executor|published/[a-z]+|cli|tests|tools|include|cmake|docs|data|studies|bench|mpi|examples|man'
ends='c|h|def|sh|md|json|csv|sql|jsonl|5|1'
for page in README.md ARCHITECTURE.md CHANGELOG.md docs/*.md docs/notes/*.md; do
    for path in $(grep -oE "\b($rooms)/[A-Za-z0-9_./-]+\.($ends)\b" "$page" | grep -v NAME | sort -u); do
        [ -e "$path" ] || fail "$page names $path, which is not there"
    done
    for link in $(grep -oE '\]\([A-Za-z0-9_./-]+(#[^)]*)?\)' "$page" | sed 's/^](//; s/[#)].*//' | sort -u); do
        [ -e "$(dirname "$page")/$link" ] || fail "$page links to $link, which is not there"
    done
done

for command in $(sed -n 's/^cmd_\([a-z]*\)().*/\1/p' dev); do
    ./dev help | grep -qE "^  ([a-z]+, )*${command}[ ,]" || fail "./dev help lacks $command"
    grep -q "\`./dev $command" docs/building.md || fail "docs/building.md lacks ./dev $command"
done
exit $failed
