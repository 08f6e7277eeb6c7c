#!/bin/sh
# Ids and merges equal to those of Hugging Face's tokenizers; see tests/data/tokens/README.md.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
data=$RECKON_SOURCE/tests/data/tokens
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

for name in default arithmetic character llama3 qwen; do
    for threads in 1 3; do
        "$RECKON" tokenize --threads $threads -t "$data/$name.json" "$data/hard.jsonl" |
            cmp - "$data/small-$name.ids" || failed=1
    done
done

cd "$RECKON_SOURCE/data/corpus/declaration" || exit 1
for name in default case arithmetic combined character; do
    for threads in 1 3; do
        "$RECKON" tokenizer train -v 420 -c $name --threads $threads -o "$work/$name.json" \
            ar.txt de.txt en.txt hi.txt ja.txt ru.txt zh.txt
        cmp "$work/$name.json" "$data/$name.json" || failed=1
    done
    for file in ./*.txt; do
        "$RECKON" tokenize -t "$work/$name.json" "$file" | "$RECKON" tokenize -t "$work/$name.json" -d |
            cmp - "$file" || failed=1
    done
done
sed -n '/"merges"/,$p' "$data/default.json" | tr -d ' \n' | sed 's/\],\[/\n/g' |
    sed -n 's/.*"\(.*\)","\(.*\)".*/\1 \2/p' >"$work/merges"
echo >>"$work/merges"
[ -s "$work/merges" ] && cmp "$work/merges" "$data/trained.merges" || failed=1
exit $failed
