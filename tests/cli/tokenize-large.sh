#!/bin/sh
# The ids of GPT-2, Llama 3 and Qwen 3, where their vocabularies are; see tests/data/tokens/README.md.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
data=$RECKON_SOURCE/tests/data/tokens
failed=0
for name in gpt2 llama3 qwen3; do
    file=${RECKON_TOKENIZERS:-}/$name.json
    [ -f "$file" ] || { echo "RECKON_TOKENIZERS names no folder with $name.json"; exit 77; }
    "$RECKON" tokenize -t "$file" "$data/hard.jsonl" | cmp - "$data/$name.ids" || failed=1
done
exit $failed
