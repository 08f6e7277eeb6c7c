#!/bin/sh
# judge.sh FOLDER [STEPS] - from raw text to a judged model, in ten minutes on two cores: docs/judged.md
# explains each step. RECKON names the program, DATA the folder of shipped texts, MEASURE options of `reckon measure`.
set -eu
folder=$1 steps=${2:-600}
reckon=${RECKON:-reckon}
here=$(cd "$(dirname "$0")" && pwd)
data=${DATA:-$here/../../data/corpus}
model=$here/model.json
plan='dp2 zero1 mbs8 gbs16'
shown() { printf '\n$ reckon %s\n' "$*"; "$reckon" "$@"; }
heading() { printf '\n==== %s ====\n' "$*"; }
mkdir -p "$folder"
rm -rf "$folder/checkpoints" "$folder/en" "$folder/es" "$folder/zh"

heading 'The questions: sentences of the text without their last words; their passages leave the corpus'
# Every 23rd sentence of Mark that has 8 to 40 words; wrong choices are the last words of the next three.
tr '\n' ' ' <"$data/works/en.txt" | sed 's/[.;:?!]/\n/g; s/"//g' | awk '
    { gsub(/^ +| +$/, ""); n = split($0, word, " ") }
    n >= 8 && n <= 40 { kept++ } n < 8 || n > 40 { next }
    kept % 23 == 0 { text[++count] = $0; all[count] = $0; last[count] = word[n]; sub(/ [^ ]+$/, "", text[count]) }
    END { for (i = 1; i <= count; i++) {
        printf "{\"text\": \"%s\", \"context\": \"%s\", \"choices\": [\"%s\"", all[i], text[i], last[i]
        for (k = 1; k <= 3; k++) printf ", \"%s\"", last[(i + k - 1) % count + 1]
        print "], \"answer\": 0}" } }' >"$folder/cloze.jsonl"
wc -l <"$folder/cloze.jsonl"

heading 'The corpus: cleaned, without duplicates and the questions, one twentieth kept apart'
for language in en es zh; do
    shown corpus clean -o "$folder/$language" --unit paragraph --languages $language --validation 0.05 \
        -e "$folder/cloze.jsonl" "$data/works/$language.txt" "$data/declaration/$language.txt" >"$folder/$language.txt"
    grep -E '^(documents read|train documents|train bytes|validation doc|evaluation cut)' "$folder/$language.txt"
done
{
    echo name,weight,file
    for language in en es zh; do echo "$language,1,$folder/$language/train.jsonl"; done
} >"$folder/blend.csv"
shown corpus blend "$folder/blend.csv" -o "$folder/train.jsonl"

heading 'Tokens'
shown tokenizer train -v 4096 -o "$folder/tokenizer.json" "$folder/train.jsonl"
shown tokenize -t "$folder/tokenizer.json" --as bin -o "$folder/train.bin" "$folder/train.jsonl"

heading 'The machine, and what the plan will take'
# shellcheck disable=SC2086
shown measure ${MEASURE:-} -o "$folder/here.json"
# shellcheck disable=SC2086
shown predict -m "$model" -s "$folder/here.json" precision=fp32 $plan | sed '/^Stages/,$d'

heading 'Training'
# shellcheck disable=SC2086
shown train -m "$model" -d "$folder/train.bin" -s "$folder/here.json" -n "$steps" --repeat --rate 2e-3 \
    --log "$folder/log.jsonl" --save "$folder/checkpoints" $plan

heading 'The loss, every twentieth of the run'
awk -F'[:,]' -v steps="$steps" '
    { for (i = 1; i < NF; i++) { if ($i ~ /"step"/) step = $(i + 1) + 0; if ($i ~ /"loss"/) loss = $(i + 1) + 0 } sum += loss; n++ }
    step % int(steps / 20 + 0.5) == 0 { bar = sprintf("%*s", int(8 * sum / n), ""); gsub(/ /, "#", bar); printf "%5d  %6.3f  %s\n", step, sum / n, bar; sum = n = 0 }
    ' "$folder/log.jsonl"

heading 'Judged: texts kept apart, by language; the questions; samples'
shown eval -m "$model" -l "$folder/checkpoints" -t "$folder/tokenizer.json" --stride 64 \
    "$folder/en/validation.jsonl" "$folder/es/validation.jsonl" "$folder/zh/validation.jsonl"
shown eval -m "$model" -l "$folder/checkpoints" -t "$folder/tokenizer.json" --task "$folder/cloze.jsonl"
for prompt in 'Jesus said to them' 'Y aconteció que'; do
    shown generate -m "$model" -l "$folder/checkpoints" -t "$folder/tokenizer.json" --temperature 0.5 -n 40 "$prompt"
    echo
done
