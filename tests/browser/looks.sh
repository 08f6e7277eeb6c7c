#!/bin/sh
# The pages in Chromium as people meet them: at three widths, light, dark and as printed nothing is
# cut, covered or too pale (audit.js); by pointer and by keyboard values, zoom, order, filter and legend
# work (looks.js).
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
command -v node >/dev/null || { echo "there is no node"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

cat >study.json <<'TEXT'
{"title": "A small study", "datatype": "float8", "batch": 512, "figures": [
  {"name": "capacity", "gpus": [512], "models": ["multi-1t", "multi-2t"],
   "systems": ["h100-80g-nvl8", {"base": "h100-80g-nvl8", "mem2": ["256GiB@100GB/s", "1TiB@100GB/s"]}]},
  {"name": "scaling", "models": ["gpt3-175b"], "systems": ["h100-80g-nvl8", "h100-80g-nvl16"], "gpus": "64..1024 x2"}]}
TEXT
"$RECKON" study study.json --db study.db -q >/dev/null || exit 1
"$RECKON" report study.db -o study.html || exit 1
"$RECKON" report -m llama3.1-70b -s h100 -g 64 dp2 tp4 pp8 vpp2 gbs64 sp zero1 recompute=full --addresses --tokens 1T -o plan.html || exit 1
"$RECKON" report -m gpt3-175b -s h100 -g 128 dp2 tp8 pp8 vpp12 mbs4 gbs256 sp zero1 \
    "stages=1*7,1/tp4,1*7,1/tp4,1*7,1/tp4,1*32,1/tp16/zero0,1*7,1/tp16/zero0,1*7,1/tp16/zero0,1*4,1/tp4*2,1,1/tp16/zero0,1*4,1/tp4*2,1,1/tp16/zero0,1*4,1/tp4/recompute=selective:layernorm,1/tp4,1" -o layers.html || exit 1
"$RECKON" report -m llama3.1-405b -s h100 -g 8 tp8 gbs64 -o refused.html && exit 1
"$RECKON" report --search -m mixtral-8x7b -s h100 -g 32 -b 64 -o search.html || exit 1
"$RECKON" report 'gpus16 tp2 gbs64 sp zero1' '+tp4' -m llama3.1-8b -s h100 -o both.html || exit 1
"$RECKON" report -m gpt2-124m -s h100 gpus16 pp2 mbs1 gbs16 precision=bf16 \
    --measured "$RECKON_SOURCE/tests/data/cases/report-measured/step.json" -o measured.html || exit 1
"$RECKON" report -m llama3.1-8b gbs64 -s "h100 x8 + a100-sxm4-80g x8 link=100Gb/s@50us" tp2 \
    -o clusters.html || exit 1
"$RECKON" diff "$RECKON_SOURCE/tests/data/megatron/llama3-70b.sh" --best -s h100 -o script.html || exit 1
"$RECKON" longest llama3.1-8b h100 -g 8 -o longest.html >/dev/null || exit 1
cat "$RECKON_SOURCE"/data/corpus/declaration/e*.txt >book.txt
pages=
"$RECKON" train -m "$RECKON_SOURCE/examples/train/tiny.json" -d book.txt -n 20 gbs2 seq32 -q -o train.html 2>said && pages=train
[ "$pages" ] || grep -q 'not installed next to this executable' said || exit 1
node "$RECKON_SOURCE/tests/browser/looks.js" $pages plan layers refused search study both measured clusters longest script
