"""Models trained by PyTorch in 32 bits on one thread: what bench/peers.sh sets beside reckon.

peers.py SHAPE SAMPLES SEQUENCE STEPS: prints the least processor time of a step, in seconds. SHAPE is gpt2 (GPT-2 124M's) or
llama (SmolLM2 135M's: RMSNorm, rotary positions, shared keys, a gated MLP). Written as one writes them in PyTorch without
compiling: linear layers, norms, masked softmax, cross entropy, AdamW.
"""
import sys
import time
from types import SimpleNamespace

import torch
from torch import nn
from torch.nn import functional as F

SHAPES = {
    "gpt2": SimpleNamespace(layers=12, hidden=768, heads=12, keys=12, inner=3072, vocabulary=50257, positions=1024),
    "llama": SimpleNamespace(layers=30, hidden=576, heads=9, keys=3, inner=1536, vocabulary=49152, positions=2048),
}


class RMSNorm(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


def turn(x, cos, sin):
    """Rotary positions of (samples, heads, tokens, width)."""
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


class Block(nn.Module):
    def __init__(self, s, llama):
        super().__init__()
        norm, width = RMSNorm if llama else nn.LayerNorm, s.hidden // s.heads
        self.s, self.width, self.llama = s, width, llama
        self.norm1, self.norm2 = norm(s.hidden), norm(s.hidden)
        self.qkv = nn.Linear(s.hidden, (s.heads + 2 * s.keys) * width, bias=not llama)
        self.out = nn.Linear(s.hidden, s.hidden, bias=not llama)
        self.up = nn.Linear(s.hidden, (2 if llama else 1) * s.inner, bias=not llama)
        self.down = nn.Linear(s.inner, s.hidden, bias=not llama)
        self.register_buffer("mask", torch.ones(s.positions, s.positions, dtype=torch.bool).triu(1))
        angle = torch.outer(torch.arange(s.positions), 1e4 ** (-torch.arange(0, width, 2) / width))
        self.register_buffer("cos", torch.cat((angle, angle), 1).cos())
        self.register_buffer("sin", torch.cat((angle, angle), 1).sin())

    def attend(self, x):
        s, (samples, tokens, _) = self.s, x.shape
        parts = self.qkv(x).split([s.heads * self.width, s.keys * self.width, s.keys * self.width], 2)
        q, k, v = (t.view(samples, tokens, -1, self.width).transpose(1, 2) for t in parts)
        if self.llama:
            q, k = (turn(t, self.cos[:tokens], self.sin[:tokens]) for t in (q, k))
            k, v = (t.repeat_interleave(s.heads // s.keys, 1) for t in (k, v))
        scores = (q @ k.transpose(2, 3)) * self.width ** -0.5
        scores = scores.masked_fill(self.mask[:tokens, :tokens], float("-inf"))
        return self.out((scores.softmax(3) @ v).transpose(1, 2).reshape(samples, tokens, s.hidden))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        y = self.up(self.norm2(x))
        if self.llama:
            gate, up = y.chunk(2, -1)
            return x + self.down(F.silu(gate) * up)
        return x + self.down(F.gelu(y, approximate="tanh"))


class Model(nn.Module):
    def __init__(self, s, llama):
        super().__init__()
        self.words = nn.Embedding(s.vocabulary, s.hidden)
        self.places = None if llama else nn.Embedding(s.positions, s.hidden)
        self.blocks = nn.ModuleList(Block(s, llama) for _ in range(s.layers))
        self.norm = RMSNorm(s.hidden) if llama else nn.LayerNorm(s.hidden)

    def forward(self, tokens):
        x = self.words(tokens)
        if self.places:
            x = x + self.places(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.words.weight.T


def main():
    shape = sys.argv[1]
    samples, sequence, steps = map(int, sys.argv[2:])
    torch.manual_seed(1)
    torch.set_num_threads(1)
    s = SHAPES[shape]
    model = Model(s, shape == "llama")
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.normal_(p, std=0.02)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.1)
    least = float("inf")
    for _ in range(steps):
        tokens = torch.randint(s.vocabulary, (samples, sequence + 1))
        since = time.process_time()
        logits = model(tokens[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        least = min(least, time.process_time() - since)
    if not 9 < float(loss) < 14:
        sys.exit(f"peers.py: the loss of PyTorch's model is {float(loss)}: it is not what it should be")
    print(f"{least:.4f}")


main()
