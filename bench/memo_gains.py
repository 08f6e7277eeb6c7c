#!/usr/bin/env python3
"""What two buffers [zhao2025memo] gain over Megatron-LM and DeepSpeed, by what is assumed of the baselines.

    bench/memo_gains.py RECKON

For the paper's four models and numbers of GPUs, `reckon longest` finds the fastest plan of each kind at each power of two of
tokens from 64 Ki on and where two buffers end. The baselines are found once with today's kernels, then with what their
attention may have been; two buffers keep today's. Two ways to take the mean: over the lengths where both run, and over all,
with an MFU of 0 where a baseline does not fit. The paper has 1.97 and 1.80, and 640 and 256 Ki tokens for 7B.
"""
import json
import subprocess
import sys

RUNS = (("memo-7b", 8), ("memo-13b", 16), ("memo-30b", 32), ("memo-65b", 64))
SYSTEM = "a800-sxm4-80g mem2=250GB@12GB/s"
BASELINES = (
    ("today's kernels, every plan", ()),
    ("keys and values in contiguous parts", ("cp-contiguous",)),
    ("FlashAttention-1", ("attention=flash1",)),
    ("a kernel that works out what the mask hides", ("full-attention",)),
)


def points(reckon, model, gpus, words):
    """MFU by kind and length, and where each kind ends."""
    command = [reckon, "longest", model, SYSTEM, "-g", str(gpus), "-f", "json", *words]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    mfu = {(row["kind"], row["tokens"]): row["mfu"] for row in answer["points"]}
    return mfu, {row["kind"]: row["tokens"] for row in answer["ends"]}


def lengths_of(end):
    powers = [1 << i for i in range(16, 31) if 1 << i < end]
    return powers + [end]


def gains(ours, theirs, kind, lengths):
    pairs = [(ours["two buffers", n], theirs.get((kind, n), 0)) for n in lengths]
    both = [a / b for a, b in pairs if b > 0]
    return sum(both) / len(both), sum(a for a, _ in pairs) / sum(b for _, b in pairs)


def main():
    reckon = sys.argv[1]
    ours = {model: points(reckon, model, gpus, ()) for model, gpus in RUNS}
    for name, words in BASELINES:
        print(f"{name}\n  {'model':9} {'over':10} {'both run':>8} {'0 where not':>11} {'ends at':>10}  MFU at 64, 128, 256, 512 Ki ...")
        sums = {}
        for model, gpus in RUNS:
            mine, ends = ours[model]
            theirs, their_ends = points(reckon, model, gpus, words)
            lengths = lengths_of(ends["two buffers"])
            for kind in ("megatron", "deepspeed"):
                both, all_ = gains(mine, theirs, kind, lengths)
                row = " ".join(f"{100 * theirs.get((kind, n), 0):.1f}" for n in lengths)
                sums.setdefault(kind, []).append((both, all_))
                print(f"  {model:9} {kind:10} {both:8.2f} {all_:11.2f} {their_ends[kind] >> 10:7} Ki  {row}")
        for kind, rows in sums.items():
            print(f"  mean      {kind:10} {sum(r[0] for r in rows) / 4:8.2f} {sum(r[1] for r in rows) / 4:11.2f}")


main()
