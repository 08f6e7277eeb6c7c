#!/bin/sh
# On a terminal of 80 and of 200 columns no line of a command's answer is wider than the terminal, but for
# commands to copy and messages. The terminal is script(1)'s.
set -u
command -v script >/dev/null || { echo "there is no script(1)"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
failed=0

fits() # words of a command, as a shell reads them
{
    for columns in 80 200; do
        TERM=xterm NO_COLOR=1 LC_ALL=C.UTF-8 script -qec "stty cols $columns; '$RECKON' $*" /dev/null </dev/null |
            sed "s/\r\$//; s/.*\r//; s/$(printf '\033')\\[[0-9;]*[A-Za-z]//g" >shown # a bar is drawn over
        grep -v '^ *reckon[: ]' shown >lines
        wide=$(LC_ALL=C.UTF-8 wc -L <lines)
        if [ "$wide" -gt "$columns" ] || [ "$(wc -l <lines)" -lt 3 ]; then
            echo "reckon $*: $wide columns, $(wc -l <lines) lines on a terminal of $columns:"
            LC_ALL=C.UTF-8 grep -E "^.{$((columns + 1))}" lines | head -n 3
            failed=1
        fi
    done
}

cases=$RECKON_SOURCE/tests/data/cases
fits predict -m llama3.1-70b -s h100 -g 64 dp2 tp4 pp8 vpp2 gbs64 sp zero1 recompute=full --tokens 1T
fits fits -m llama3.1-70b -s h100 -g 64 -b 128
fits search -m llama3.1-8b -s h100 -g 8 -b 16
fits search -m llama3.1-8b -s h100 -g 8,16 -b 16
fits diff "'gpus16 tp2 gbs64 sp zero1'" +tp4 -m llama3.1-8b -s h100
fits timeline -m llama3.1-8b -s h100 gpus16 pp4 tp2 gbs32
fits longest llama3.1-8b h100 -g 8
fits budget -s h100 -g 512 --days 30 -m llama3.1-8b --law llama3
fits offload -m llama3.1-8b -s "'a100-pcie-40g mem2=100GiB@25GB/s ssd=4*samsung-980pro-1tb'" --lifetime 3 gpus8 tp8 gbs8
fits place -m llama3.1-8b -s h100-sxm5-80g gpus8 tp2 zero1 gbs32 --alignment 512
fits search -q -m llama3.1-8b -b 64 -s "'h100 x8 + a100-sxm4-80g x8 link=100Gb/s@50us'" tp2
fits serve -m llama2-70b -s h100-sxm5-80g tp4 --batch 1,64
fits serve -m llama3.1-8b -s h100 -g 2 --search --token-ms 20
fits serve --validate
cp "$cases"/papers-mini/mini.* "$cases"/papers-mini/published.csv .
fits study mini.json --compare --quiet
cp "$RECKON_SOURCE/tests/golden/galvatron/profiles.json" .
fits galvatron search --profiles profiles.json -m llama2-7b -s shipped-1x8 layers=32 sequence=2048 memory_GB=20 batch=32
fits galvatron strategies -g 8
fits shard -m gpt2-124m tp2 pp2 --explain
fits models
fits systems
fits program -m llama3.1-8b -s h100 -g 8 tp2 pp2 gbs16
exit $failed
