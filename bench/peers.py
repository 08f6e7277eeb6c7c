"""GPT-2 124M's shape trained by PyTorch in 32 bits on one thread: what bench/peers.sh sets beside reckon.

peers.py SAMPLES SEQUENCE STEPS: prints the least processor time of a step, in seconds. Written as one writes it in PyTorch
without compiling: linear layers, layer norm, GELU (tanh), masked softmax, cross entropy, AdamW.
"""
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

LAYERS, HIDDEN, HEADS, VOCABULARY, POSITIONS = 12, 768, 12, 50257, 1024


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(HIDDEN), nn.LayerNorm(HIDDEN)
        self.qkv, self.out = nn.Linear(HIDDEN, 3 * HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.up, self.down = nn.Linear(HIDDEN, 4 * HIDDEN), nn.Linear(4 * HIDDEN, HIDDEN)
        self.register_buffer("mask", torch.ones(POSITIONS, POSITIONS, dtype=torch.bool).triu(1))

    def forward(self, x):
        samples, tokens, _ = x.shape
        q, k, v = (t.view(samples, tokens, HEADS, -1).transpose(1, 2)
                   for t in self.qkv(self.norm1(x)).split(HIDDEN, 2))
        scores = (q @ k.transpose(2, 3)) * (HIDDEN // HEADS) ** -0.5
        scores = scores.masked_fill(self.mask[:tokens, :tokens], float("-inf"))
        y = (scores.softmax(3) @ v).transpose(1, 2).reshape(samples, tokens, HIDDEN)
        x = x + self.out(y)
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(VOCABULARY, HIDDEN), nn.Embedding(POSITIONS, HIDDEN)
        self.blocks, self.norm = nn.ModuleList(Block() for _ in range(LAYERS)), nn.LayerNorm(HIDDEN)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.words.weight.T


def main():
    samples, sequence, steps = map(int, sys.argv[1:])
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = Model()
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.normal_(p, std=0.02)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=0.1)
    least = float("inf")
    for _ in range(steps):
        tokens = torch.randint(VOCABULARY, (samples, sequence + 1))
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
