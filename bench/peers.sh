#!/bin/sh
# peers.sh - training on one thread beside PyTorch and llm.c, turn by turn in one run, and the bars of it.
#
#   bench/peers.sh BUILD [LLM_C]    BUILD: a build folder with bench_run; LLM_C: a checkout of karpathy/llm.c
#
# The least processor time of a step counts, over ROUNDS (2) turns of 4 x 64 tokens and one of 1 x 1,024; of two threads it is
# the clock's. A peer that is not there is said so. PyTorch is Debian's python3-torch, where `python3 -c "import torch"` works
# with PYTHON (/usr/bin/python3). llm.c is built as its Makefile says (-Ofast) without OpenMP; with O3=1 also with -O3, where
# sums keep their order as reckon's own do. "limit" is what no step in 32 bits can be below on this core (bench_run.c).
# Two idle cores take under four minutes; with O3=1 one more.
set -eu
build=$1 llmc=${2:-} rounds=${ROUNDS:-2} python=${PYTHON:-/usr/bin/python3}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if "$python" -c 'import torch' 2>/dev/null; then torch=$("$python" -c 'import torch; print(torch.__version__)'); else torch=; fi
[ -n "$torch" ] || echo 'PyTorch is not here: apt-get install python3-torch'
if [ -f "$llmc/train_gpt2.c" ]; then
    cat >"$work/peer.c" <<'C'
#define TESTING
#include "train_gpt2.c"
int main(int count, char **words) { /* samples, sequence, steps: the least processor time of a step */
    int B = atoi(words[2]), T = atoi(words[3]), steps = atoi(words[4]);
    GPT2 model;
    gpt2_build_from_checkpoint(&model, words[1]);
    int *x = malloc(sizeof(int) * B * T);
    double least = 1e30;
    (void)count;
    for (int i = 0; i < B * T; i++) x[i] = i * 7919 % 50257;
    for (int step = 1; step <= steps; step++) {
        struct timespec a, b;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
        gpt2_forward(&model, x, x, B, T);
        gpt2_zero_grad(&model);
        gpt2_backward(&model);
        gpt2_update(&model, 1e-4f, 0.9f, 0.999f, 1e-8f, 0.1f, step);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
        double s = b.tv_sec - a.tv_sec + 1e-9 * (b.tv_nsec - a.tv_nsec);
        if (s < least) least = s;
        if (step == 1 && fabsf(model.mean_loss - logf(50257)) > 0.01f) return 1; /* weights of zero */
    }
    fprintf(stderr, "%.4f\n", least);
    return 0;
}
C
    # header: magic, version 3, positions, vocabulary, layers, heads, hidden, padded vocabulary; then weights of zero
    "$python" -c 'import struct, sys
weights = 50304 * 768 + 1024 * 768 + 12 * (12 * 768 * 768 + 13 * 768) + 2 * 768
with open(sys.argv[1], "wb") as f:
    f.write(struct.pack("<8i", 20240326, 3, 1024, 50257, 12, 12, 768, 50304) + bytes(4 * 248))
    f.truncate(1024 + 4 * weights)' "$work/zero.bin"
    cc -Ofast -march=native -w -I"$llmc" -o "$work/llm.c-Ofast" "$work/peer.c" -lm # as its Makefile has it
    [ -z "${O3:-}" ] || cc -O3 -march=native -w -I"$llmc" -o "$work/llm.c-O3" "$work/peer.c" -lm # numbers as IEEE 754 says, as reckon's
else
    llmc=
    echo 'llm.c is not here: give a checkout of karpathy/llm.c'
fi

load() { cut -d' ' -f1 /proc/loadavg; }

# NAME SHAPE SECONDS of each row, and the limit of each shape
reckon() {
    "$build/bench/bench_run" "$@" | sed -n 's/.*"name": "\([^"]*\)", "shape": "\([^"]*\)".*"step_s": \([0-9.]*\)'\
'.*"share": \([0-9.]*\), "limit_s": \([0-9.]*\).*/\1 \2 \3\nlimit \2 \5\nshare-\1 \2 \4/p'
}

pytorch() { [ -z "$torch" ] || echo "PyTorch $1 $("$python" "$here/peers.py" "$2" "$3" "$4" "$5")"; }

peer() {
    [ ! -x "$work/$1" ] || echo "$1 4x64 $("$work/$1" "$work/zero.bin" 4 64 3 2>&1 >/dev/null | tail -n 1)"
}

echo "load before: $(load)"
round=0
while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    reckon 4x64 llama-4x64
    pytorch 4x64 gpt2 4 64 4
    pytorch llama-4x64 llama 4 64 4
    peer llm.c-Ofast
    [ "$round" -gt 1 ] || peer llm.c-O3
done >"$work/times"
{
    reckon 1x1024
    pytorch 1x1024 gpt2 1 1024 2
} >>"$work/times"
echo "PyTorch ${torch:-none}; load after: $(load)"
awk '
    function time(name, shape) { return least[name " " shape] }
    function bar(who, whose, shape, over, asked) {
        if (!time(who, shape) || !time(over, shape)) { printf "%-46s not measured\n", shape " " whose; return }
        is = time(over, shape) / time(who, shape)
        printf "%-46s %6.2f times  bar %-4s %s\n", shape " " whose, is, asked, (asked == "-" ? "" : is >= asked ? "held" : "MISSED")
    }
    $1 ~ /^share-/ { if ($1 == "share-fp32" && $2 == "4x64" && $3 > share) share = $3; next }
    { key = $1 " " $2; if (!(key in least)) order[++keys] = key; if (!(key in least) || $3 < least[key]) least[key] = $3 }
    END {
        for (i = 1; i <= keys; i++) printf "%-24s %8.3f s a step\n", order[i], least[order[i]]
        bar("fp32", "fp32 over PyTorch", "4x64", "PyTorch", 1.9)
        bar("limit", "... if a step took its limit", "4x64", "PyTorch", "-")
        bar("bf16", "bf16 over PyTorch", "4x64", "PyTorch", 2.7)
        bar("fp32", "fp32 over PyTorch", "1x1024", "PyTorch", 1.7)
        bar("bf16", "bf16 over PyTorch", "1x1024", "PyTorch", "-")
        bar("fp32", "fp32 over PyTorch", "llama-4x64", "PyTorch", 1.7)
        bar("fp32", "fp32 over llm.c -Ofast", "4x64", "llm.c-Ofast", 6)
        bar("limit", "... if a step took its limit", "4x64", "llm.c-Ofast", "-")
        bar("bf16", "bf16 over llm.c -Ofast", "4x64", "llm.c-Ofast", "-")
        bar("fp32", "fp32 over llm.c -O3", "4x64", "llm.c-O3", "-")
        bar("two-threads", "two threads over one", "4x64", "fp32", 1.8)
        bar("bf16", "bf16 over fp32", "4x64", "fp32", 1.6)
        printf "%-46s %6.1f %%     bar 85   %s\n", "4x64 of OpenBLAS'"'"'s sgemm", 100 * share, (share >= 0.85 ? "held" : "MISSED")
    }' "$work/times"
