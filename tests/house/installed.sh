#!/bin/sh
# The installed library, used as others use it: found by pkg-config, shared and static, from a
# prefix that was moved, without RECKON_DATA.
set -eu
[ -x "$RECKON" ] || { echo "there is no executable yet"; exit 77; }
unset RECKON_DATA
CC=${CC:-gcc}
failed=0
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

fail() { echo "$*"; failed=1; }

cmake --install "$RECKON_BUILD" --prefix "$stage/first" >/dev/null
mv "$stage/first" "$stage/prefix"
prefix=$stage/prefix
cd "$stage"

# ---- what is there ----

for file in include/reckon/reckon.h bin/reckon share/reckon/models share/reckon/systems \
    share/man/man1/reckon.1 share/bash-completion/completions/reckon; do
    [ -e "$prefix/$file" ] || fail "not installed: $file"
done
[ ! -e "$prefix/share/reckon/formats" ] || fail "installed, though compiled in: formats"
pc=$(find "$prefix" -name reckon.pc)
library=$(find "$prefix" -name 'libreckon.so')
if [ ! -f "$pc" ] || [ ! -f "$library" ]; then
    fail "no reckon.pc or libreckon.so"
    exit 1
fi

others=$(nm -D --defined-only "$library" | awk '$3 !~ /^rk_/ { print $3 }')
[ -z "$others" ] || fail "symbols that are not public are exported: $others"

for binary in "$prefix/bin/reckon" "$library" "${library%.so}.a" "$pc"; do
    ! grep -qaF -e "$RECKON_SOURCE/" -e "$RECKON_BUILD/" "$binary" ||
        fail "$binary holds a path of the source tree"
done

# ---- the example ----

"$prefix/bin/reckon" search --model gpt3-175b --system a100-80g-nvl8 --gpus 64 --batch 64 \
    --precision fp16 --tensor 8 --pipeline 8 --data 1 --save-plan plan.json >/dev/null

PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
sources="$RECKON_SOURCE/examples/estimate.c"
flags="-std=c11 -Wall -Wextra -Werror"
# shellcheck disable=SC2046,SC2086
$CC $flags "$sources" $(pkg-config --cflags --libs reckon) -o shared
# shellcheck disable=SC2046,SC2086
$CC $flags "$sources" $(pkg-config --cflags reckon) "${library%.so}.a" \
    $(pkg-config --static --libs reckon | sed 's/-lreckon//') -o static

LD_LIBRARY_PATH=$(dirname "$library") ./shared gpt3-175b a100-80g-nvl8 ./plan.json >shared.txt ||
    fail "the example fails with the shared library"
# A static program lies where it likes: the catalog is found by RECKON_DATA.
RECKON_DATA=$prefix/share/reckon ./static gpt3-175b a100-80g-nvl8 ./plan.json >static.txt ||
    fail "the example fails with the static library"
cmp shared.txt static.txt || fail "shared and static library differ"
awk '$1 == "step_s" && $2 > 0 { found = 1 } END { exit !found }' shared.txt ||
    fail "the example shows no step_s"
figures=$(grep -cE '^FIGURE(_TIME)?\((RECKON|BOTH)' "$prefix/include/reckon/figures.def")
[ "$(wc -l <shared.txt)" -ge "$figures" ] || fail "the example does not show all $figures figures and the holdings"

status=0
LD_LIBRARY_PATH=$(dirname "$library") ./shared no-such-model x y >out.txt 2>err.txt || status=$?
if [ $status -eq 0 ] || [ $status -ge 5 ] || ! grep -q no-such-model err.txt; then
    fail "an unknown model: exit $status; expected an rk_status and a message, got:"
    cat err.txt
fi

# shellcheck disable=SC2046,SC2086
$CC $flags "$RECKON_SOURCE/examples/clusters.c" $(pkg-config --cflags --libs reckon) -o clusters
machine="h100-sxm5-80g x8 name=new + a100-sxm4-80g x8 name=old link=100Gb/s@50us"
LD_LIBRARY_PATH=$(dirname "$library") ./clusters llama3.1-8b "$machine" 64 >clusters.txt ||
    fail "the example of several clusters fails"
grep -q '^stage 0: .* layers on .*, tp' clusters.txt || fail "the example shows no stages"

# ---- a task of one's own, with the executor's library ----

if [ -f "$prefix/bin/reckon-run" ]; then
    # shellcheck disable=SC2046,SC2086
    $CC $flags "$RECKON_SOURCE/examples/tasks/classify.c" -D_GNU_SOURCE $(pkg-config --cflags --libs reckon-run) -o classify
    RECKON_DATA=$prefix/share/reckon ./classify "tp2 dp2 zero1" >classes.txt || fail "the task does not learn"
    ! grep -qaF -e "$RECKON_SOURCE/" -e "$RECKON_BUILD/" "${library%.so}_run.a" ||
        fail "libreckon_run.a holds a path of the source tree"
fi
exit $failed
