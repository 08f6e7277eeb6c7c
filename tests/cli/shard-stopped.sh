#!/bin/bash
# reckon shard that is killed, or meets a full disk: the same command then gives the same bytes. And
# folders that are not what they say: an index that names other folders, files that are cut off.
set -u
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" || exit 77
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
python=/usr/bin/python3
$python -c 'import numpy' 2>/dev/null || { echo "no python3 with numpy"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() { echo "$*"; failed=1; }
reader() { $python "$here/shard.py" "$@"; }
same() { diff -r "$1" "$2" >/dev/null || fail "$3: $1 and $2 differ"; }

whole() { [ -f "$1/reckon.index.json" ] && [ ! -f "$1/reckon.journal" ]; }

# ---- killed ----

reader make llama whole 4
reader make mixtral large
"$RECKON" shard large tp2 ep2 pp2 dp2 -o expected >/dev/null || fail "shard"
for delay in 0.002 0.004 0.006 0.008 0.01 0.015 0.02; do
    "$RECKON" shard large tp2 ep2 pp2 dp2 --threads 2 -o killed >/dev/null 2>&1 &
    sleep $delay
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    whole killed && break
done
whole killed || "$RECKON" shard large tp2 ep2 pp2 dp2 -o killed >/dev/null || fail "it does not go on"
same expected killed "killed"

# A journal of another transfer, and a folder that has something else.
mkdir other; echo "reckon 0000000000000001 x" >other/reckon.journal
"$RECKON" shard large tp2 -o other >/dev/null 2>err.txt && fail "a journal of another transfer"
grep -q 'is of another transfer that was not finished' err.txt || cat err.txt
rm other/reckon.journal; touch other/x
"$RECKON" shard large tp2 -o other >/dev/null 2>err.txt && fail "a folder that is not empty"
grep -q 'is not empty' err.txt || cat err.txt

# ---- a full disk: nothing is written, and with room it goes on ----

if unshare -rm true 2>/dev/null; then
    mkdir small
    unshare -rm sh -c 'mount -t tmpfs -o size=64k none small || exit 77
        "$0" shard whole tp2 -o small/shards >/dev/null 2>err.txt
        code=$?
        [ -f small/shards/rank-0000-0000-0000.safetensors ] && code=9
        mount -o remount,size=64m small && "$0" shard whole tp2 -o small/shards >/dev/null || exit 8
        cp -r small/shards full
        exit $code' "$RECKON"
    code=$?
    [ $code = 4 ] || [ $code = 77 ] || fail "a full disk: exit $code"
    if [ $code = 4 ]; then
        grep -q 'no room: .* bytes are to be written, .* are free; nothing was written' err.txt || cat err.txt
        "$RECKON" shard whole tp2 -o roomy >/dev/null
        same roomy full "a full disk"
    fi
fi

# ---- not what they say ----

refused() # what, text, command...
{
    what=$1 text=$2
    shift 2
    "$RECKON" "$@" >out.txt 2>err.txt
    code=$?
    [ $code = 3 ] || fail "$what: exit $code"
    grep -q "$text" err.txt || { fail "$what:"; cat err.txt; }
    rm -rf nothing
}
edit() { rm -rf wrong; cp -r whole wrong; sed -i "$1" wrong/model.safetensors.index.json; }
edit 's|"lm_head.weight": "[^"]*"|"lm_head.weight": "../../etc/passwd"|'
refused "another folder" 'is not a name of a .safetensors file in the folder of the index' shard wrong tp2 --dry-run
edit 's|"lm_head.weight": "[^"]*"|"lm_head.weight": "/etc/x.safetensors"|'
refused "a path" 'files elsewhere are not read' shard wrong tp2 --dry-run
edit 's|"lm_head.weight": "[^"]*"|"lm_head.weight": "..safetensors"|'
refused "a hidden file" 'files elsewhere are not read' shard wrong tp2 --dry-run
edit 's|00001-of|00009-of|'
refused "no file" 'No such file' shard wrong tp2 --dry-run
edit 's|"lm_head.weight"|"lm_head.other"|'
refused "a tensor nowhere" 'lm_head' shard wrong tp2 --dry-run
edit 's|"total_size": [0-9]*|"total_size": 7|'
refused "a sum" 'it says 7' shard wrong tp2 --dry-run
rm -rf wrong; cp -r whole wrong; truncate -s -1 wrong/model-00002-of-00004.safetensors
refused "cut off" 'is it cut off' shard wrong tp2 --dry-run
rm -rf wrong; cp -r whole wrong; rm wrong/config.json
refused "no model" 'has no config.json' shard wrong tp2 --dry-run
"$RECKON" shard wrong tp2 -m whole/config.json --dry-run >/dev/null || fail "-m"
refused "heads" '2 key and value heads are not divisible by tensor parallelism 3' shard whole tp3 --dry-run
rm -rf wrong; mkdir wrong; cp whole/config.json wrong
$python - "$here" <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
import shard
shard.write("wrong/model.safetensors", {"model.layers.0.self_attn.r_proj.weight": ("BF16", (8, 8))})
PY
refused "a name" 'the nearest name is self_attn.[a-z]*_proj' shard wrong tp2 --dry-run
"$RECKON" shard wrong tp2 --unknown replicate --dry-run >/dev/null 2>&1 || fail "--unknown"
"$RECKON" shard whole tp2 pp2 -o shards >/dev/null
cp -r shards lost; rm lost/rank-0001-0001-0000.safetensors
refused "a lost shard" 'No such file' merge lost -o nothing
sed -i 's|^    "rank-0001-0001-0000.safetensors"$||; s|^    "rank-0001-0000-0000.safetensors",$|    "rank-0001-0000-0000.safetensors"|; s|\[0, 1, 2, 3\]|[0, 1, 2]|' lost/reckon.index.json
refused "a shard too few" 'do not cover its' shard --check lost
sed -i 's|"rank-0000-0000-0000.safetensors"|"../shards/rank-0000-0000-0000.safetensors"|' lost/reckon.index.json
refused "shards elsewhere" 'files elsewhere are not read' merge lost -o nothing

# ---- as large as they are ----

reader holes llama_405b holes >/dev/null
reader peak 256 "$RECKON" shard holes tp8 pp16 --dry-run >/dev/null || fail "memory of 405B"
"$RECKON" shard holes tp8 pp16 --dry-run -f json | grep -q '"rank-0015-0007-0000.safetensors"' || fail "405B"
# A folder of weights is a model, and its headers have the last word.
"$RECKON" fits ./holes h100-sxm5-80g -g 512 >fits.txt 2>err.txt || fail "fits a folder"
grep -q '^  holes on h100-sxm5-80g, 512 GPUs' fits.txt && [ ! -s err.txt ] || cat fits.txt err.txt
"$RECKON" fits holes h100-sxm5-80g -g 512 2>err.txt | cmp - fits.txt || fail "a folder without a slash"
sed -i 's/128256/128000/' holes/config.json
"$RECKON" fits ./holes h100-sxm5-80g -g 512 2>err.txt | cmp - fits.txt || fail "shapes of the headers"
grep -q 'vocabulary: the files have 128256, config.json says 128000' err.txt || cat err.txt
exit $failed
