#!/bin/sh
# A page of each kind of answer, in Chromium: a verdict, a chart with marks, every row in reach, one button
# a card that copies its command, nothing wider than a phone, no markup from names, nothing on the console.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
command -v node >/dev/null || { echo "there is no node"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

page() # name command...
{
    name=$1
    shift
    "$RECKON" "$@" -o "$name.html" >/dev/null 2>said # also of what does not fit
    [ -s "$name.html" ] || { echo "no page $name"; cat said; exit 1; }
    pages="${pages:-} $name"
}

model="-m llama3.1-8b -s h100-sxm5-80g"
for step in 1 2 3 4 5 6 7 8 9; do
    echo "iteration $step/ 9 | consumed samples: 32 | elapsed time per iteration (ms): 9${step}00.0 | global batch size: 32 |"
done >train.log
# A name that would be a script, were it not a text.
sed 's/"name": *"[^"]*"/"name": "<img src=x onerror=\\"document.title=1\\"><script>throw 1<\/script>"/' \
    "$RECKON_SOURCE/data/models/llama3.1-8b.json" >'a<b>.json'

page predict predict $model -g 16 tp2 gbs64 zero1
page refused fits $model -g 2 gbs64
page search search -q $model -g 8 -b 64 --tokens 1T
page none search -q -m llama3.1-405b -s h100-sxm5-80g -g 8 -b 64
page grid search -q -m llama3.1-8b,llama3.1-70b -s h100-sxm5-80g,a100-sxm4-80g -g 8,16 -b 64
page machines search -q -m llama3.1-8b -s h100-sxm5-80g,a100-sxm4-80g -g 16 -b 64
page cheapest search -q -m llama3.1-8b -s h100-sxm5-80g,a100-sxm4-80g -g 16 -b 64 --tokens 1T --sort cost
page offload offload -m memo-7b -s "a800-sxm4-80g mem2=250GB@12GB/s" gpus8 cp8 cp-kind=ulysses zero3 gbs1 seq65536
page clusters search -q -m llama3.1-8b -b 32 -s "h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s@50us" tp8
page budget budget -s h100 -g 64 --days 5 -j 1
page doctor doctor train.log $model -g 8 tp2 zero1 gbs32 sp
page serve serve $model -g 8
page layouts serve -m llama3.1-70b -s h100-sxm5-80g -g 8 --search
page diff diff 'gpus16 tp2 gbs64 sp zero1' '+tp4' $model
page longest longest llama3.1-8b h100 -g 8
page timeline timeline $model -g 8 tp2 pp4 gbs16
page models models
page systems systems
page validate validate "$RECKON_SOURCE/data/measured/memory.csv" "$RECKON_SOURCE/data/measured/runs.csv" --brief
page check check $model -g 8 tp3 gbs63
page script check "$RECKON_SOURCE/tests/data/megatron/llama3-70b.sh" -s h100
page named predict -m 'a<b>.json' -s h100-sxm5-80g -g 8 tp2 gbs64
# shellcheck disable=SC2086
node "$RECKON_SOURCE/tests/browser/kinds.js" $pages
