#!/bin/sh
# No path or host of one machine in the tree; one that is there is caught.
set -eu
check=$RECKON_SOURCE/tools/check-words
"$check" "$RECKON_SOURCE"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
home=home
for text in "open(\"/$home/someone/x\")" "see https://registry.np""mjs.org" "/wo""rk/x"; do
    printf '%s\n' "$text" >"$tree/a.c"
    if (cd "$tree" && GIT_CEILING_DIRECTORIES=$(dirname "$tree") "$check" "$tree") >/dev/null; then
        echo "not caught: $text"
        exit 1
    fi
done

# The words of tools/words.def only become fewer; one more is caught, an exception needs its reason.
command -v python3 >/dev/null || { echo "no python3: words are not counted"; exit 0; }
"$RECKON_SOURCE/tools/plain-words"

mkdir "$tree/tools" "$tree/cli"
cp "$RECKON_SOURCE/tools/words.def" "$tree/tools"
printf 'help 0\ntext 0\ndocs 0\ncomments 0\n' >"$tree/tools/words.most"
: >"$tree/tools/words.allow"
counted() { RECKON_SOURCE=$tree RECKON='' "$RECKON_SOURCE/tools/plain-words" >/dev/null 2>&1; }
printf 'puts("no word of the list");\n' >"$tree/cli/a.c"
counted || { echo "a plain text is refused"; exit 1; }
printf 'puts("it stands beside the other");\n' >"$tree/cli/a.c"
! counted || { echo "a word of the list is not counted"; exit 1; }
echo "cli/a.c:beside:a test" >"$tree/tools/words.allow"
counted || { echo "an exception does not hold"; exit 1; }
echo "cli/a.c:beside:" >"$tree/tools/words.allow"
! counted || { echo "an exception needs no reason"; exit 1; }

# A sentence of a script or a page counts as one of C.
mkdir "$tree/web"
rm "$tree/cli/a.c"
: >"$tree/tools/words.allow"
for text in "a.js show(\`stands beside it\`);" "b.html <b>stands beside it</b>"; do
    printf '%s\n' "${text#* }" >"$tree/web/${text%% *}"
    ! counted || { echo "a word of a page is not counted: $text"; exit 1; }
    rm "$tree/web/${text%% *}"
done
