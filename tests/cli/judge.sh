#!/bin/sh
# From text to a judged model, in few steps: every stage hands over to the next one, and no question stands in what is
# learnt from.
[ -x "${RECKON:-}" ] && [ -x "${RECKON_BUILD:-}/reckon-run" ] || exit 77
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$1"; tail -n 30 "$work/said"; exit 1; }
MEASURE='--seconds 1' "$RECKON_SOURCE/examples/judge/judge.sh" "$work/out" 4 >"$work/said" 2>&1 || fail 'it stops'
[ "$(wc -l <"$work/out/cloze.jsonl")" -eq 56 ] || fail 'there are not 56 questions'
for language in en es zh; do
    [ -s "$work/out/$language/validation.jsonl" ] || fail "no text of $language is kept apart"
    grep -q "/$language/validation.jsonl .* [0-9]" "$work/said" || fail "$language is not judged"
done
# 13 words of a question, as they stand in the work, are nowhere in the corpus
tr '\n' ' ' <"$RECKON_SOURCE/data/corpus/works/en.txt" | sed 's/[.;:?!]/\n/g' >"$work/sentences"
sed 's/\\n/ /g' "$work/out/train.jsonl" >"$work/train"
sed 's/.*"text": "\([^"]*\)".*/\1/' "$work/out/cloze.jsonl" | awk 'NF >= 13' >"$work/long"
[ "$(wc -l <"$work/long")" -gt 10 ] || fail 'no question has 13 words'
while read -r question; do
    grep -qF "$question" "$work/sentences" || fail "not of the work: $question"
    ! grep -qF "$question" "$work/train" || fail "learnt from: $question"
done <"$work/long"
grep -q 'cloze.jsonl  *56 ' "$work/said" || fail 'the questions are not asked'
grep -qE '^step +[0-9.]+ +[0-9.]+ +-?[0-9.]+ ' "$work/said" || fail 'no step is predicted beside measured'
