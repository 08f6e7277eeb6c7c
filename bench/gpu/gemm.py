#!/usr/bin/env python3
"""Times matrix products of PyTorch for `reckon calibrate --gemm`.

    bench/gpu/gemm.py >gemm.csv

Shapes are those of training: tokens by widths, forward and both gradients, products of short k,
few rows, and batches of experts. Data are random (a product of zeros runs faster), every shape is
repeated for at least --seconds so that clocks settle as in training, and the median of CUDA events
over single products is printed. Nothing is changed on the device.
"""
import argparse
import random
import statistics
import sys

import torch

DATATYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}


def shapes(seed, number):
    """(count, m, n, k): the same list for the same seed."""
    draw = random.Random(seed)
    tokens = [512, 1024, 2048, 4096, 8192, 16384]
    widths = [512, 768, 1024, 2048, 2560, 4096, 5120, 6144, 8192, 11008, 14336, 28672, 53248]
    chosen = []
    while len(chosen) < number:
        m, n, k = draw.choice(tokens), draw.choice(widths), draw.choice(widths)
        kind = draw.random()
        if kind < 0.25:
            m, n, k = n, k, m  # a weight gradient: tokens are summed over
        elif kind < 0.35:
            k = draw.choice([64, 128, 256])
        elif kind < 0.45:
            m += draw.choice([1, 37, 100])  # no multiple of a tile
        elif kind < 0.55:
            chosen.append((draw.choice([4, 8, 16]), max(128, m // 8), draw.choice(widths[:6]), n))
            continue
        if m * n + m * k + n * k < 2**31 and 2 * m * n * k < 2e13:
            chosen.append((1, m, n, k))
    return chosen


def timed(product, seconds):
    """Median seconds of one product."""
    for _ in range(3):
        product()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    product()
    end.record()
    torch.cuda.synchronize()
    once = max(start.elapsed_time(end) / 1e3, 1e-6)
    times = []
    for _ in range(max(10, min(2000, int(seconds / once)))):
        pair = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        pair[0].record()
        product()
        pair[1].record()
        times.append(pair)
    torch.cuda.synchronize()
    return statistics.median(a.elapsed_time(b) for a, b in times) / 1e3


def operands(count, m, n, k, datatype):
    batch = (count,) if count > 1 else ()
    a = torch.randn(*batch, m, k, device="cuda").to(datatype)
    b = torch.randn(*batch, n, k, device="cuda").to(datatype).transpose(-1, -2)
    return a, b


def product_of(count, m, n, k, name):
    if name == "float8":
        one = torch.ones((), device="cuda")
        a, b = operands(1, m, n, k, torch.float8_e4m3fn)
        return lambda: torch._scaled_mm(a, b, one, one, out_dtype=torch.bfloat16)
    torch.backends.cuda.matmul.allow_tf32 = name == "tfloat32"
    a, b = operands(count, m, n, k, DATATYPES.get(name, torch.float32))
    return lambda: torch.matmul(a, b)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datatypes", default="bfloat16,float8", help="of %s, float8, tfloat32" % ", ".join(DATATYPES))
    parser.add_argument("--number", type=int, default=400, help="shapes of each datatype")
    parser.add_argument("--seconds", type=float, default=0.2, help="of each shape")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print("#", torch.cuda.get_device_name(), "PyTorch", torch.__version__, "CUDA", torch.version.cuda)
    print("m,n,k,count,datatype,time_s")
    for name in arguments.datatypes.split(","):
        for count, m, n, k in shapes(arguments.seed, arguments.number):
            if name == "float8" and (count > 1 or m % 16 or n % 16 or k % 16):
                continue
            try:
                time_s = timed(product_of(count, m, n, k, name), arguments.seconds)
            except RuntimeError as problem:
                print(f"{name} {count} x ({m}, {k}) x ({k}, {n}): {problem}", file=sys.stderr)
                continue
            print(f"{m},{n},{k},{count},{name},{time_s:.9g}", flush=True)


if __name__ == "__main__":
    main()
