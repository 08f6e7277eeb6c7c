"""Two checkpoints of optimizer=muon, one step apart: is the second what NumPy makes of the first?"""
import json
import sys

import numpy

RATE, DECAY, MOMENTUM, BETAS, EPS = 0.01, 0.1, 0.9, (0.9, 0.95), 1e-8


def read(path):
    raw = open(path, "rb").read()
    size = int.from_bytes(raw[:8], "little")
    head = json.loads(raw[8:8 + size])
    out = {}
    for name, entry in head.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        assert entry["dtype"] == "F64", entry
        out[name] = numpy.frombuffer(raw[8 + size + begin:8 + size + end]).reshape(entry["shape"])
    return out


def orthogonal(x):
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    x = x / (numpy.linalg.norm(x) + 1e-7)
    for _ in range(5):
        s = x @ x.T
        x = 3.4445 * x + (-4.7750 * s + 2.0315 * s @ s) @ x
    return x.T if tall else x


def main(before, behind, step):
    w0, m0 = read(before + "/model.safetensors"), read(before + "/moments.safetensors")
    w1, m1 = read(behind + "/model.safetensors"), read(behind + "/moments.safetensors")
    worst, matrices = 0, 0
    for name, old in w0.items():
        first, second = "first." + name, "second." + name
        block = name.startswith("model.layers.") and old.ndim == 2
        keep = 1 - RATE * DECAY * (old.ndim == 2)
        if block:
            d = (m1[first] - MOMENTUM * m0[first]) / (1 - MOMENTUM)
            update = (1 - MOMENTUM) * d + MOMENTUM * m1[first]
            new = keep * old - RATE * 0.2 * max(old.shape) ** 0.5 * orthogonal(update)
            assert not m1[second].any(), name
            matrices += 1
        else:
            d = (m1[first] - BETAS[0] * m0[first]) / (1 - BETAS[0])
            v = BETAS[1] * m0[second] + (1 - BETAS[1]) * d * d
            assert numpy.abs(v - m1[second]).max() < 1e-12, name
            mean, square = m1[first] / (1 - BETAS[0] ** step), v / (1 - BETAS[1] ** step)
            new = keep * old - RATE * mean / (numpy.sqrt(square) + EPS)
        off = numpy.abs(new - w1[name]).max()
        if off > 1e-9:
            sys.exit(f"{name} is off by {off:g}")
        worst = max(worst, off)
    if matrices != 28:
        sys.exit(f"{matrices} matrices")


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
