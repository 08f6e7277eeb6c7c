#!/bin/sh
# peers.sh - training GPT-2 124M's shape in 32 bits on one thread, beside PyTorch and llm.c, turn by turn in one run.
#
#   bench/peers.sh BUILD [LLM_C]    BUILD: a build folder with bench_run; LLM_C: a checkout of karpathy/llm.c
#
# llm.c is built as its Makefile says (-Ofast), and with -O3, where sums keep their order as reckon's own do.
# The least processor time of a step counts, over ROUNDS (3) turns of each. A peer that is not there is said so. PyTorch is
# Debian's python3-torch, where `python3 -c "import torch"` works with PYTHON (/usr/bin/python3).
set -eu
build=$1 llmc=${2:-} rounds=${ROUNDS:-3} python=${PYTHON:-/usr/bin/python3}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shapes='4x64 1x1024'

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
    cc -O3 -march=native -w -I"$llmc" -o "$work/llm.c-O3" "$work/peer.c" -lm # numbers as IEEE 754 says, as reckon's
else
    llmc=
    echo 'llm.c is not here: give a checkout of karpathy/llm.c'
fi

round=0
while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    [ "$round" -gt 1 ] && builds=llm.c-Ofast || builds='llm.c-Ofast llm.c-O3' # the latter takes minutes
    "$build/bench/bench_run" | sed -n 's/.*seq64 .*"step_s": \([0-9.]*\).*/reckon 4x64 \1/p; s/.*seq1024 .*"step_s": \([0-9.]*\).*/reckon 1x1024 \1/p'
    for shape in $shapes; do
        [ -z "$torch" ] || echo "PyTorch-$torch $shape $("$python" "$here/peers.py" "${shape%x*}" "${shape#*x}" 4)"
        [ -z "$llmc" ] || for peer in $builds; do
            echo "$peer $shape $("$work/$peer" "$work/zero.bin" "${shape%x*}" "${shape#*x}" 2 2>&1 >/dev/null | tail -n 1)"
        done
    done
done >"$work/times"
awk '
    { key = $1 " " $2; if (!(key in least) || $3 < least[key]) least[key] = $3 }
    !($1 in seen) { seen[$1] = 1; who[++peers] = $1 }
    END { for (i = 1; i <= peers; i++) for (k = split("4x64 1x1024", shape, " "); k >= 1; k--)
        printf "%-22s %-7s %8.3f s a step, %5.2f times reckon\n", who[i], shape[k], least[who[i] " " shape[k]],
            least[who[i] " " shape[k]] / least["reckon " shape[k]] }' "$work/times"
