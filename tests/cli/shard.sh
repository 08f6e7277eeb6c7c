#!/bin/bash
# reckon shard, merge, reshard on made checkpoints of nine model types: every file by an independent
# reader (shard.py, numpy), round trips byte for byte, from plan to plan as from the whole.
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
shard() { "$RECKON" shard "$@" >out.txt 2>err.txt || { fail "shard $*"; cat err.txt; return 1; }; }

# round KIND DEGREE PLAN...: shards by an independent reader, merged again
round()
{
    kind=$1 tensor=$2
    shift 2
    rm -rf shards merged
    shard "$kind" "$@" -o shards || return
    [ -s err.txt ] && { fail "$kind $*"; cat err.txt; }
    reader shards "$kind" shards $tensor || fail "$kind $*: the shards are wrong"
    "$RECKON" merge shards -o merged >/dev/null || fail "$kind $*: merge"
    cmp "$kind/model.safetensors" merged/model.safetensors || fail "$kind $*: not the same bytes"
    cmp "$kind/config.json" merged/config.json || fail "$kind $*: config.json"
}

for kind in llama mixtral phi3 gpt2 gpt_neox falcon gpt_oss deepseek_v3 qwen3_next; do
    reader make $kind $kind || fail "make $kind"
done
round llama 1 tp1
round llama 2x128 tp2 pp2 vocab-multiple=128 --zero none
round llama 8 tp8 pp3
round llama 4 tp4 order=pp-dp-cp-tp pp2 dp2
round phi3 4 tp4 pp3
round gpt2 2 tp2 pp2 vpp2
round gpt2 8 tp8
round gpt_neox 4 tp4 pp2 dp2
round falcon 2 tp2 pp4
round falcon 4 tp4
round mixtral 2 tp2 pp2 ep2 dp2
round mixtral 4 tp4 etp1 ep4 dp2
round gpt_oss 2 tp2 ep2 etp2 dp2
round gpt_oss 1 ep4 dp4 pp4 first-layers=1
round deepseek_v3 "" tp2 pp3 ep4 dp4 etp1 --scales copy
round deepseek_v3 "" pp4 ep8 dp8 schedule=dualpipe gbs128
round qwen3_next "" tp2 pp2 ep2 dp2
round llama "" tp2 dp4 zero3 --zero fsdp
round llama "" tp2 dp3 zero1 --zero megatron
round gpt2 "" tp1 dp5 zero2 --zero deepspeed
round deepseek_v3 "" ep4 dp8 zero3 --zero megatron
round mixtral "" ep2 dp4 zero3 --zero fsdp pp2
round llama "" tp4 --split redco
round llama "" tp8 --split redco-first
round gpt2 "" tp8 --split redco
round gpt2 "" tp16 --split cost
round llama "" tp4 pp2 --split cost
round phi3 "" tp16 --split cost
round falcon "" tp4 --split cost
"$RECKON" shard deepseek_v3 tp4 --dry-run 2>err.txt && fail "a cut through a block of scales"
grep -q 'goes through a block of 128 that share a scale' err.txt || cat err.txt

# ---- from plan to plan as from the whole ----

again()
{
    kind=$1 from=$2 to=$3
    rm -rf a b c
    shard "$kind" $from -o a
    shard "$kind" $to -o b
    "$RECKON" reshard a --to "${to%% --*}" $(case $to in *" --"*) echo "--${to#* --}" ;; esac) -o c >/dev/null || fail "$kind: reshard $from to $to"
    for file in b/*; do
        cmp "$file" "c/${file#b/}" || fail "$kind: $from to $to: $file"
    done
}
again llama "tp8 pp3" "tp2 pp2"
again llama "tp2 dp4 zero3 --zero fsdp" "tp4 dp2 zero1 --zero megatron"
again mixtral "tp2 ep2 dp2" "ep4 dp4 pp3"
again gpt2 "dp5 zero1 --zero deepspeed" "tp4 pp2"
again gpt_oss "tp2 etp2 ep2 dp2" "tp1 ep4 dp4"

shard llama tp4 -o four
reader product llama four || fail "products of the ranks"
"$RECKON" reshard four --to tp4 --dry-run | grep -q '506.* stay where they are, 0 B come' || fail "what stays"

# ---- a tree that nobody described: Flax's names, no config.json that is known ----

reader make flax flax
round flax "" tp2 --split redco
round flax "" tp4 pp2 --split redco-first
"$RECKON" shard flax tp2 --split redco -o flat >/dev/null
$python - <<'PY'
import json, struct
data = open("flat/rank-0000-0001-0000.safetensors", "rb").read()
header = json.loads(data[8 : 8 + struct.unpack("<Q", data[:8])[0]])
shapes = {n: t["shape"] for n, t in header.items() if n != "__metadata__"}
assert shapes["params/layers/0/attn/q/kernel"] == [32, 16], shapes
assert shapes["params/layers/0/attn/o/kernel"] == [16, 32], shapes
assert shapes["params/layers/1/mlp/up/kernel"] == [32, 48] and shapes["params/layers/1/mlp/down/kernel"] == [48, 32], shapes
assert shapes["params/embed/embedding"] == [50, 32] and shapes["params/layers/0/norm/scale"] == [32], shapes
PY
[ $? = 0 ] || fail "Redco's dimensions"

# ---- an index, files of a size, one rank ----

reader make llama indexed 4
shard indexed tp2 pp2 -o many
"$RECKON" merge many --max-shard 100KiB -o sized >/dev/null || fail "merge --max-shard"
reader same indexed sized || fail "an index"
[ "$(ls sized/model-*.safetensors | wc -l)" -gt 4 ] || fail "files of at most 100 KiB"
shard indexed tp2 pp2 --rank 2 -o one
cmp one/rank-0001-0000-0000.safetensors many/rank-0001-0000-0000.safetensors || fail "the file of one rank"
[ "$(ls one/*.safetensors | wc -l)" = 1 ] || fail "more than one rank"
"$RECKON" shard --check many >/dev/null || fail "--check"

# ---- padding that somebody wrote to: 1,003 words of 64 numbers over 4 ranks, 251 rows a rank ----

shard llama tp4 -o odd
last=odd/rank-0000-0003-0000.safetensors
$python - $last <<'PY'
import json, struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
(length,) = struct.unpack("<Q", data[:8])
begin, end = json.loads(data[8 : 8 + length])["lm_head.weight"]["data_offsets"]
assert data[8 + length + end - 128 : 8 + length + end] == bytes(128)
data[8 + length + end - 1] = 1
open(sys.argv[1], "wb").write(data)
PY
"$RECKON" merge odd -o even 2>err.txt >/dev/null || fail "odd padding"
grep -q 'lm_head.weight: its padding is not zero, and is cut off' err.txt || fail "odd padding is not said"
reader same llama even || fail "odd padding"

# ---- any number of threads, any way to read and write ----

for way in "--threads 1 --io plain" "--threads 3 --io plain" "--threads 2 --sync"; do
    rm -rf way
    shard indexed tp2 pp2 $way -o way
    for file in many/*; do cmp "$file" "way/${file#many/}" || fail "$way"; done
done
exit $failed
