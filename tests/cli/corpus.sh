#!/bin/bash
# reckon corpus clean on made inputs: what is counted and what is refused; the same bytes for any
# number of threads, and after being killed.
set -u
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" || exit 77
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() { echo "$*"; failed=1; }

# documents SEED COUNT FIRST: JSON lines of 150 made words each; every tenth repeats the one before.
documents()
{
    awk -v seed="$1" -v count="$2" 'BEGIN {
        srand(seed)
        for (i = 0; i < count; i++) {
            if (i % 10 != 9) {
                text = ""
                for (k = 0; k < 150; k++)
                    text = text substr("babebibobu", 1 + 2 * int(rand() * 5), 2) \
                        substr("dadedidodu", 1 + 2 * int(rand() * 5), 2) int(rand() * 90) (k % 12 == 11 ? ".\\n" : " ")
            }
            printf "{\"text\": \"%s\"}\n", text
        }
    }'
}

count() { sed -n "s/^ *\"$2\": *\([0-9]*\).*/\1/p" "$1/report.json" | head -n 1; }
removed() { grep -c ",$2," "$1/removed.csv"; }
expect() { [ "$1" = "$2" ] || fail "$3: $1 instead of $2"; }

# ---- threads, packings, units: the same corpus ----

documents 1 3000 >a.jsonl
documents 2 1500 >b.jsonl
gzip -k a.jsonl b.jsonl
"$RECKON" corpus clean -o one --threads 1 --any-quality --validation 0.1 --test 0.05 --seed 7 a.jsonl b.jsonl >one.txt || fail one
"$RECKON" corpus clean -o four --threads 4 --any-quality --validation 0.1 --test 0.05 --seed 7 a.jsonl b.jsonl >four.txt || fail four
diff -r one four || fail "the number of threads changes the corpus"
[ -e one/work ] && fail "the folder of work is still there"
expect "$(removed one exact)" 450 "exact duplicates"
expect "$(cat one/*.jsonl | wc -l)" 4050 "documents written"
expect "$(cat one/*.jsonl | sort -u | wc -l)" 4050 "different documents written"
part=$(wc -l <one/validation.jsonl)
[ "$part" -gt 330 ] && [ "$part" -lt 480 ] || fail "a tenth of 4050 is $part"
cat a.jsonl.gz b.jsonl.gz >ab.jsonl.gz
"$RECKON" corpus clean -o packed --any-quality ab.jsonl.gz >/dev/null || fail packed
expect "$(wc -l <packed/train.jsonl)" 4050 "documents of two gzip members"

# ---- killed in the first pass, and later ----

for delay in 0.05 0.15 0.3 0.6; do
    "$RECKON" corpus clean -o killed --threads 2 --any-quality --validation 0.1 --test 0.05 --seed 7 a.jsonl b.jsonl >/dev/null 2>&1 &
    sleep $delay
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
done
[ -f killed/report.json ] || "$RECKON" corpus clean -o killed --any-quality --validation 0.1 --test 0.05 --seed 7 a.jsonl b.jsonl >/dev/null || fail "it does not go on"
diff -r one killed || fail "being killed changes the corpus"
mkdir -p other/work && "$RECKON" corpus clean -o other --any-quality a.jsonl >/dev/null || fail other
"$RECKON" corpus clean -o one a.jsonl >/dev/null 2>err && fail "a finished corpus is written over"
grep -q 'finished corpus' err || fail "$(cat err)"

# ---- bad documents are counted ----

{
    printf '{"text": "short"}\n{"text": ""}\nnot json\n{"body": 1}\n\n[1]\n'
    printf '{"text": "  \\n "}\n'
    head -c 3000 /dev/zero | tr '\0' 'x' | sed 's/^/{"text": "/; s/$/"}/'
    printf '\n'
} >bad.jsonl
printf 'one\r\ntwo\rthree\xff\x00\x01' >ends.txt
: >empty.txt
"$RECKON" corpus clean -o bad --most-bytes 2000 bad.jsonl ends.txt empty.txt >/dev/null || fail bad
expect "$(removed bad not_json)" 4 "lines that are not JSON"
expect "$(removed bad empty)" 3 "empty documents"
expect "$(removed bad too_long)" 1 "long documents"
expect "$(removed bad few_words)" 1 "short documents"
expect "$(removed bad broken)" 1 "broken documents"
expect "$(count bad documents_read)" 10 "documents read"
expect "$(count bad other_line_ends)" 1 "documents with other line ends"
expect "$(count bad not_utf8)" 1 "documents that are not UTF-8"
[ -f bad/train.jsonl ] && [ ! -s bad/train.jsonl ] || fail "nothing is left, and the file is not empty"

# ---- WARC ----

record() # type content-type text
{
    printf 'WARC/1.0\r\nWARC-Type: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n' "$1" "$2" ${#3} "$3"
}
html=$(printf 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html><p>A page.<script>x</script></html>')
image=$(printf 'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\nxyz')
{
    record warcinfo application/warc-fields 'software: x' | gzip
    record conversion text/plain 'Plain text of a page.' | gzip
    record response 'application/http; msgtype=response' "$html" | gzip
    record response 'application/http; msgtype=response' "$image" | gzip
} >x.warc.gz
"$RECKON" corpus clean -o warc --any-quality x.warc.gz >/dev/null || fail warc
expect "$(wc -l <warc/train.jsonl)" 2 "texts of a WARC file"
expect "$(count warc records_passed_over)" 2 "other records"
grep -q '"A page."' warc/train.jsonl || fail "$(cat warc/train.jsonl)"

# ---- files that are refused, with the place ----

refused() # what command...
{
    what=$1
    shift
    rm -rf refused
    "$RECKON" corpus clean -o refused "$@" >out 2>err
    expect $? 3 "exit of $*"
    grep -q "$what" err || fail "$*: $(cat err)"
    [ -s out ] || [ -e refused/train.jsonl ] && fail "$*: something was written"
}
head -c 20000 a.jsonl.gz >cut.jsonl.gz
refused 'gzip data near byte' cut.jsonl.gz
{ head -c 5000 a.jsonl.gz; echo damage; tail -c +6000 a.jsonl.gz; } >damaged.jsonl.gz
refused 'gzip data near byte' damaged.jsonl.gz
head -c 200000000 /dev/zero | gzip -9 >bomb.jsonl.gz
refused 'a bomb' bomb.jsonl.gz
printf 'GET / HTTP/1.1\r\n' >no.warc
refused 'near byte' no.warc
printf 'WARC/1.0\r\nContent-Length: 100\r\n\r\nshort' >short.warc
refused 'ends too early' short.warc
refused 'cannot open' missing.jsonl
if command -v zstd >/dev/null; then
    zstd -q a.jsonl
    "$RECKON" corpus clean -o zst --any-quality a.jsonl.zst >/dev/null || fail zst
    expect "$(wc -l <zst/train.jsonl)" 2700 "documents of a Zstandard file"
    head -c 20000 a.jsonl.zst >cut.jsonl.zst
    refused 'Zstandard data near byte' cut.jsonl.zst
fi

# ---- evaluation passages ----

sed -n 5p a.jsonl >evaluation.jsonl
"$RECKON" corpus clean -o evaluated --any-quality -e evaluation.jsonl a.jsonl >/dev/null || fail evaluated
expect "$(removed evaluated evaluation)" 1 "documents that were an evaluation set"

# ---- blending ----

printf 'name,weight,file\na,1,a.jsonl\nb,3,b.jsonl\n' >blend.csv
"$RECKON" corpus blend blend.csv --most-epochs 2 -o blend.jsonl >/dev/null || fail blend
expect "$(grep -c '"source": "b"' blend.jsonl)" 3000 "documents of a set of two epochs"
lines=$(grep -c '"source": "a"' blend.jsonl)
[ "$lines" -gt 1350 ] && [ "$lines" -lt 1650 ] || fail "half an epoch of 3000 is $lines"
exit $failed
