"""Two tiny models, written as Hugging Face writes them, and their loss worked out in plain Python.

train-reference.py FOLDER: makes FOLDER/{gpt2,qwen3}/{config.json,model.safetensors,data,loss}.
"""
import json
import math
import os
import random
import struct
import sys

LENGTH, WORDS = 16, 64


def matrix(x, w, bias=None):
    """w is (out, in)"""
    y = [sum(a * b for a, b in zip(x, row)) for row in w]
    return [a + b for a, b in zip(y, bias)] if bias else y


def turned(w):
    return [list(column) for column in zip(*w)]


def layer_norm(x, w, b):
    mean = sum(x) / len(x)
    scale = 1 / math.sqrt(sum((a - mean) ** 2 for a in x) / len(x) + 1e-5)
    return [(a - mean) * scale * c + d for a, c, d in zip(x, w, b)]


def rms_norm(x, w, eps=1e-6):
    scale = 1 / math.sqrt(sum(a * a for a in x) / len(x) + eps)
    return [a * scale * c for a, c in zip(x, w)]


def attention(q, k, v, heads, groups, d):
    out = []
    for i, row in enumerate(q):
        y = []
        for a in range(heads):
            g = a // (heads // groups)
            query = row[a * d:(a + 1) * d]
            scores = [sum(p * r for p, r in zip(query, k[j][g * d:(g + 1) * d])) / math.sqrt(d)
                      for j in range(i + 1)]
            most = max(scores)
            e = [math.exp(s - most) for s in scores]
            y += [sum(e[j] * v[j][g * d + c] for j in range(i + 1)) / sum(e) for c in range(d)]
        out.append(y)
    return out


def rotary(x, position, heads, d, base):
    y = list(x)
    for a in range(heads):
        for i in range(d // 2):
            angle = position * base ** (-2 * i / d)
            c, s = math.cos(angle), math.sin(angle)
            p, r = x[a * d + i], x[a * d + i + d // 2]
            y[a * d + i], y[a * d + i + d // 2] = p * c - r * s, r * c + p * s
    return y


def added(a, b):
    return [[p + r for p, r in zip(x, y)] for x, y in zip(a, b)]


def gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def silu(x):
    return x / (1 + math.exp(-x))


class Weights:
    """Random, rounded to what 32 bits hold, in the order of their names."""

    def __init__(self):
        self.of = {}

    def __call__(self, name, *shape):
        count = math.prod(shape)
        values = [struct.unpack("<f", struct.pack("<f", random.gauss(0, 0.3)))[0] for _ in range(count)]
        self.of[name] = (shape, values)
        if len(shape) == 1:
            return values
        return [values[i * shape[1]:(i + 1) * shape[1]] for i in range(shape[0])]

    def write(self, path):
        header, data = {}, b""
        for name, (shape, values) in self.of.items():
            more = struct.pack("<%df" % len(values), *values)
            header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [len(data), len(data) + len(more)]}
            data += more
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text + data)


def gpt2(tokens):
    h, layers, heads = 32, 2, 4
    w = Weights()
    words, places = w("transformer.wte.weight", WORDS, h), w("transformer.wpe.weight", LENGTH, h)
    x = [[a + b for a, b in zip(words[t], places[i])] for i, t in enumerate(tokens)]
    for layer in range(layers):
        p = "transformer.h.%d." % layer
        n = [layer_norm(r, *g) for g in [(w(p + "ln_1.weight", h), w(p + "ln_1.bias", h))] for r in x]
        c, b = turned(w(p + "attn.c_attn.weight", h, 3 * h)), w(p + "attn.c_attn.bias", 3 * h)
        qkv = [matrix(r, c, b) for r in n]
        y = attention(*[[r[i * h:(i + 1) * h] for r in qkv] for i in range(3)], heads, heads, h // heads)
        c, b = turned(w(p + "attn.c_proj.weight", h, h)), w(p + "attn.c_proj.bias", h)
        x = added(x, [matrix(r, c, b) for r in y])
        n = [layer_norm(r, *g) for g in [(w(p + "ln_2.weight", h), w(p + "ln_2.bias", h))] for r in x]
        c, b = turned(w(p + "mlp.c_fc.weight", h, 4 * h)), w(p + "mlp.c_fc.bias", 4 * h)
        f = [[gelu(a) for a in matrix(r, c, b)] for r in n]
        c, b = turned(w(p + "mlp.c_proj.weight", 4 * h, h)), w(p + "mlp.c_proj.bias", h)
        x = added(x, [matrix(r, c, b) for r in f])
    g = w("transformer.ln_f.weight", h), w("transformer.ln_f.bias", h)
    config = {"model_type": "gpt2", "n_embd": h, "n_layer": layers, "n_head": heads, "n_positions": LENGTH,
              "vocab_size": WORDS, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5}
    return w, config, [matrix(layer_norm(r, *g), words) for r in x]


def qwen3(tokens):
    h, f, layers, heads, groups, d, base = 32, 48, 2, 4, 2, 8, 5000
    w = Weights()
    words = w("model.embed_tokens.weight", WORDS, h)
    x = [words[t] for t in tokens]
    for layer in range(layers):
        p = "model.layers.%d." % layer
        g = w(p + "input_layernorm.weight", h)
        n = [rms_norm(r, g) for r in x]
        q, k, v = [[matrix(r, m) for r in n] for m in (
            w(p + "self_attn.q_proj.weight", heads * d, h), w(p + "self_attn.k_proj.weight", groups * d, h),
            w(p + "self_attn.v_proj.weight", groups * d, h))]
        gq, gk = w(p + "self_attn.q_norm.weight", d), w(p + "self_attn.k_norm.weight", d)
        q = [sum((rms_norm(r[a * d:(a + 1) * d], gq) for a in range(heads)), []) for r in q]
        k = [sum((rms_norm(r[a * d:(a + 1) * d], gk) for a in range(groups)), []) for r in k]
        q = [rotary(r, i, heads, d, base) for i, r in enumerate(q)]
        k = [rotary(r, i, groups, d, base) for i, r in enumerate(k)]
        m = w(p + "self_attn.o_proj.weight", h, heads * d)
        x = added(x, [matrix(r, m) for r in attention(q, k, v, heads, groups, d)])
        g = w(p + "post_attention_layernorm.weight", h)
        n = [rms_norm(r, g) for r in x]
        gate, up = w(p + "mlp.gate_proj.weight", f, h), w(p + "mlp.up_proj.weight", f, h)
        y = [[silu(a) * b for a, b in zip(matrix(r, gate), matrix(r, up))] for r in n]
        m = w(p + "mlp.down_proj.weight", h, f)
        x = added(x, [matrix(r, m) for r in y])
    g, head = w("model.norm.weight", h), w("lm_head.weight", WORDS, h)
    config = {"model_type": "qwen3", "hidden_size": h, "intermediate_size": f, "num_hidden_layers": layers,
              "num_attention_heads": heads, "num_key_value_heads": groups, "head_dim": d, "vocab_size": WORDS,
              "max_position_embeddings": LENGTH, "rope_theta": base, "rms_norm_eps": 1e-6, "hidden_act": "silu",
              "tie_word_embeddings": False, "attention_bias": False}
    return w, config, [matrix(rms_norm(r, g), head) for r in x]


def loss_of(logits, targets):
    total = 0
    for row, target in zip(logits, targets):
        most = max(row)
        total += math.log(sum(math.exp(a - most) for a in row)) + most - row[target]
    return total / len(targets)


def main():
    random.seed(7)
    for make in (gpt2, qwen3):
        folder = os.path.join(sys.argv[1], make.__name__)
        os.makedirs(folder)
        text = [random.randrange(WORDS) for _ in range(LENGTH + 1)]
        weights, config, logits = make(text[:-1])
        weights.write(os.path.join(folder, "model.safetensors"))
        with open(os.path.join(folder, "config.json"), "w") as file:
            json.dump(config, file)
        with open(os.path.join(folder, "data"), "wb") as file:
            file.write(bytes(text))
        with open(os.path.join(folder, "loss"), "w") as file:
            file.write("%.10g\n" % loss_of(logits, text[1:]))


main()
