"""Tiny models of each family, written as Hugging Face writes them, and ten steps of AdamW with PyTorch in 64 bits.

/usr/bin/python3 tests/data/torch/make.py tests/data/torch   (with Debian's python3-torch 1.13; run once, its output is kept)
Names of families behind the folder make these alone.

Each family is a plain function of a table of weights, so that autograd is all that is taken from PyTorch. Weights are
numbers of 16 bits (bf16), to be small on disk.
"""
import json
import math
import os
import random
import struct
import sys

import torch
import torch.nn.functional as F

import families as others

torch.set_default_dtype(torch.float64)
LENGTH, WORDS, STEPS = 16, 64, 10
RATE, BETAS, EPS, DECAY, CLIP, BIAS_RATE = 1e-2, (0.9, 0.95), 1e-8, 0.1, 1.0, 1e-3
AHEAD = 0.1  # weight of the mean loss of multi-token prediction layers


class Weights:
    """Made as they are asked for first."""

    def __init__(self):
        self.of = {}
        self.loads = {}  # of experts: tokens that chose each, in the last pass
        self.ahead = []  # logits of prediction layers, in the last pass

    def __call__(self, name, *shape):
        if name not in self.of:
            raw = (torch.randn(*shape) * (0.1 if len(shape) == 1 else 0.2) + (1 if "norm" in name or "ln_" in name else 0))
            self.of[name] = raw.bfloat16().double().requires_grad_()
        return self.of[name]

    def write(self, path):
        header, data = {}, b""
        for name, w in self.of.items():
            more = struct.pack("<%dH" % w.numel(), *[struct.unpack("<I", struct.pack("<f", x))[0] >> 16
                                                     for x in w.detach().flatten().tolist()])
            header[name] = {"dtype": "BF16", "shape": list(w.shape), "data_offsets": [len(data), len(data) + len(more)]}
            data += more
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text + data)


def rms(x, g, eps):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * g


def stretch(frequency, s):  # as in transformers' modeling_rope_utils.py
    if not s:
        return frequency
    if s.get("rope_type") == "linear":
        return frequency / s["factor"]
    if s.get("type") == "yarn":
        d, n = 2 * len(frequency), s["original_max_position_embeddings"]
        low, high = (d * math.log(n / (b * 2 * math.pi)) / (2 * math.log(s["base"])) for b in (s["beta_fast"], s["beta_slow"]))
        low, high = max(math.floor(low), 0), min(math.ceil(high), d - 1)
        whole = 1 - ((torch.arange(d // 2) - low) / max(high - low, 1e-3)).clamp(0, 1)
        return frequency / s["factor"] * (1 - whole) + frequency * whole
    n, low, high = s["original_max_position_embeddings"], s["low_freq_factor"], s["high_freq_factor"]
    wave = 2 * math.pi / frequency
    mixed = (n / wave - low) / (high - low)
    mixed = (1 - mixed) * frequency / s["factor"] + mixed * frequency
    return torch.where(wave > n / low, frequency / s["factor"], torch.where(wave < n / high, frequency, mixed))


def yarn_scale(factor, times):
    return 0.1 * times * math.log(factor) + 1 if factor > 1 else 1


def scores_scale(s):
    """DeepSeek-V2 and V3 as released, modeling_deepseek.py: scores times the square of mscale_all_dim's scale (transformers' deepseek_v2
    since pull request 47435); what turns has a scale of one, as both are equal."""
    return yarn_scale(s["factor"], s["mscale_all_dim"]) ** 2 if s else 1


def turn(x, base, scaling=None):  # (heads, tokens, d), halves
    d = x.shape[-1]
    angle = torch.arange(x.shape[-2])[:, None] * stretch(base ** (-2 * torch.arange(d // 2) / d), scaling)
    c, s = torch.cos(angle), torch.sin(angle)
    a, b = x[..., :d // 2], x[..., d // 2:]
    return torch.cat((a * c - b * s, b * c + a * s), -1)


def attend(q, k, v, window=None):  # (heads, tokens, d)
    k, v = (t.repeat_interleave(q.shape[0] // t.shape[0], 0) for t in (k, v))
    n = q.shape[1]
    i, j = torch.arange(n)[:, None], torch.arange(n)[None]
    hidden = (j > i) | (j <= i - window if window else torch.zeros(n, n, dtype=torch.bool))
    scores = (q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])).masked_fill(hidden, -math.inf)
    return (torch.softmax(scores, -1) @ v).transpose(0, 1).flatten(1)


def heads_of(x, heads):
    return x.view(x.shape[0], heads, -1).transpose(0, 1)


def gpt2(w, tokens):
    h, layers, heads = 32, 2, 4
    words = w("transformer.wte.weight", WORDS, h)
    x = words[tokens] + w("transformer.wpe.weight", LENGTH, h)
    for layer in range(layers):
        p = "transformer.h.%d." % layer
        n = F.layer_norm(x, (h,), w(p + "ln_1.weight", h), w(p + "ln_1.bias", h))
        q, k, v = (n @ w(p + "attn.c_attn.weight", h, 3 * h) + w(p + "attn.c_attn.bias", 3 * h)).chunk(3, -1)
        y = attend(*(heads_of(t, heads) for t in (q, k, v)))
        x = x + y @ w(p + "attn.c_proj.weight", h, h) + w(p + "attn.c_proj.bias", h)
        n = F.layer_norm(x, (h,), w(p + "ln_2.weight", h), w(p + "ln_2.bias", h))
        f = n @ w(p + "mlp.c_fc.weight", h, 4 * h) + w(p + "mlp.c_fc.bias", 4 * h)
        f = 0.5 * f * (1 + torch.tanh(math.sqrt(2 / math.pi) * (f + 0.044715 * f ** 3)))
        x = x + f @ w(p + "mlp.c_proj.weight", 4 * h, h) + w(p + "mlp.c_proj.bias", h)
    x = F.layer_norm(x, (h,), w("transformer.ln_f.weight", h), w("transformer.ln_f.bias", h))
    return x @ words.T


GPT2 = {"model_type": "gpt2", "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": LENGTH, "vocab_size": WORDS,
        "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5}


def gated(x, gate, up, down):
    return (F.silu(x @ gate.T) * (x @ up.T)) @ down.T


def best_of_groups(chances, bias, k, c):
    """DeepSeek-V3's: chosen by chances and biases, in the groups whose best two have the largest sums; weighed by chances alone."""
    wanted, groups = (chances + bias), c["n_group"]
    sums = wanted.view(len(wanted), groups, -1).topk(2, -1)[0].sum(-1)
    here = torch.zeros_like(sums).scatter(1, sums.topk(c["topk_group"], -1)[1], 1).repeat_interleave(wanted.shape[1] // groups, 1)
    which = wanted.masked_fill(here == 0, 0).topk(k, -1)[1]
    return chances.gather(1, which), which


def mixture(w, p, n, c, names):
    """Softmax over all, the k largest, divided by their sum where the configuration says so."""
    h, f, experts, k = c["hidden_size"], c.get("moe_intermediate_size", c["intermediate_size"]), c["experts"], c["num_experts_per_tok"]
    logits = n @ w(p + names["router"], experts, h).T
    if c.get("topk_method") == "noaux_tc":
        bias = p + "mlp.gate.e_score_correction_bias"
        best, which = best_of_groups(torch.sigmoid(logits), w(bias, experts).detach(), k, c)
        w.loads[bias] = torch.bincount(which.flatten(), minlength=experts).double()
    else:
        best, which = torch.topk(torch.softmax(logits, -1), k, -1)
    if c.get("norm_topk_prob", True):
        best = best / best.sum(-1, keepdim=True)
    best = best * c.get("routed_scaling_factor", 1)
    y = torch.zeros_like(n)
    for e in range(experts):
        q = p + names["expert"] % e
        out = gated(n, w(q + names["gate"], f, h), w(q + names["up"], f, h), w(q + names["down"], h, f))
        y = y + out * (best * (which == e)).sum(-1, keepdim=True)
    s = c.get("shared_expert_intermediate_size")
    if s:
        q = p + "mlp.shared_expert."
        out = gated(n, w(q + "gate_proj.weight", s, h), w(q + "up_proj.weight", s, h), w(q + "down_proj.weight", h, s))
        y = y + out * torch.sigmoid(n @ w(p + "mlp.shared_expert_gate.weight", 1, h).T)
    return y


QWEN_NAMES = {"router": "mlp.gate.weight", "expert": "mlp.experts.%d.", "gate": "gate_proj.weight",
              "up": "up_proj.weight", "down": "down_proj.weight"}
MIXTRAL_NAMES = {"router": "block_sparse_moe.gate.weight", "expert": "block_sparse_moe.experts.%d.", "gate": "w1.weight",
                 "up": "w3.weight", "down": "w2.weight"}


def llama(c, names=None):
    def forward(w, tokens):
        h, f, eps, base = c["hidden_size"], c["intermediate_size"], c["rms_norm_eps"], c["rope_theta"]
        heads, groups = c["num_attention_heads"], c["num_key_value_heads"]
        d = c.get("head_dim", h // heads)
        words = w("model.embed_tokens.weight", WORDS, h)
        x = words[tokens]
        for layer in range(c["num_hidden_layers"]):
            p = "model.layers.%d." % layer
            n = rms(x, w(p + "input_layernorm.weight", h), eps)
            q, k, v = (n @ w(p + "self_attn.%s_proj.weight" % a, b * d, h).T for a, b in
                       (("q", heads), ("k", groups), ("v", groups)))
            if c.get("qkv_bias"):
                q, k, v = (t + w(p + "self_attn.%s_proj.bias" % a, t.shape[-1]) for a, t in zip("qkv", (q, k, v)))
            q, k, v = heads_of(q, heads), heads_of(k, groups), heads_of(v, groups)
            if c["model_type"].startswith("qwen3"):
                q, k = rms(q, w(p + "self_attn.q_norm.weight", d), eps), rms(k, w(p + "self_attn.k_norm.weight", d), eps)
            s = c.get("rope_scaling")
            y = attend(turn(q, base, s), turn(k, base, s), v, c.get("sliding_window"))
            x = x + y @ w(p + "self_attn.o_proj.weight", h, heads * d).T
            n = rms(x, w(p + "post_attention_layernorm.weight", h), eps)
            if names:
                x = x + mixture(w, p, n, c, names)
            else:
                x = x + gated(n, w(p + "mlp.gate_proj.weight", f, h), w(p + "mlp.up_proj.weight", f, h),
                              w(p + "mlp.down_proj.weight", h, f))
        head = words if c["tie_word_embeddings"] else w("lm_head.weight", WORDS, h)
        return rms(x, w("model.norm.weight", h), eps) @ head.T
    return forward


def deepseek(c):
    """Latent attention, positions of neighbours; shared experts without a gate; multi-token prediction layers, which read what the
    head in front of them has normed, as in Megatron-LM's multi_token_prediction.py."""
    def block(w, x, layer):
        h, eps, heads = c["hidden_size"], c["rms_norm_eps"], c["num_attention_heads"]
        nope, rope, dv, latent = (c[k] for k in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim", "kv_lora_rank"))
        halves = torch.cat((torch.arange(0, rope, 2), torch.arange(1, rope, 2)))
        n_tokens = len(x)
        p = "model.layers.%d." % layer
        n = rms(x, w(p + "input_layernorm.weight", h), eps)
        if c["q_lora_rank"]:
            q = rms(n @ w(p + "self_attn.q_a_proj.weight", c["q_lora_rank"], h).T,
                    w(p + "self_attn.q_a_layernorm.weight", c["q_lora_rank"]), eps)
            q = q @ w(p + "self_attn.q_b_proj.weight", heads * (nope + rope), c["q_lora_rank"]).T
        else:
            q = n @ w(p + "self_attn.q_proj.weight", heads * (nope + rope), h).T
        q = heads_of(q, heads)
        down = n @ w(p + "self_attn.kv_a_proj_with_mqa.weight", latent + rope, h).T
        up = rms(down[:, :latent], w(p + "self_attn.kv_a_layernorm.weight", latent), eps)
        up = heads_of(up @ w(p + "self_attn.kv_b_proj.weight", heads * (nope + dv), latent).T, heads)
        s = c.get("rope_scaling") and {**c["rope_scaling"], "base": c["rope_theta"]}
        k = turn(down[None, :, latent:][..., halves], c["rope_theta"], s).expand(heads, n_tokens, rope)
        q = torch.cat((q[..., :nope], turn(q[..., nope:][..., halves], c["rope_theta"], s)), -1) * scores_scale(s)
        y = attend(q, torch.cat((up[..., :nope], k), -1), up[..., nope:])
        x = x + y @ w(p + "self_attn.o_proj.weight", h, heads * dv).T
        n = rms(x, w(p + "post_attention_layernorm.weight", h), eps)
        if layer < c["first_k_dense_replace"]:
            f = c["intermediate_size"]
            return x + gated(n, w(p + "mlp.gate_proj.weight", f, h), w(p + "mlp.up_proj.weight", f, h),
                             w(p + "mlp.down_proj.weight", h, f))
        f, q = c["n_shared_experts"] * c["moe_intermediate_size"], p + "mlp.shared_experts."
        x = x + mixture(w, p, n, {**c, "experts": c["n_routed_experts"]}, QWEN_NAMES)
        return x + gated(n, w(q + "gate_proj.weight", f, h), w(q + "up_proj.weight", f, h), w(q + "down_proj.weight", h, f))

    def forward(w, tokens):
        h, eps, layers = c["hidden_size"], c["rms_norm_eps"], c["num_hidden_layers"]
        words = w("model.embed_tokens.weight", WORDS, h)
        x = words[tokens]
        for layer in range(layers):
            x = block(w, x, layer)
        x = rms(x, w("model.norm.weight", h), eps)
        head = w("lm_head.weight", WORDS, h)
        logits, w.ahead = x @ head.T, []
        for depth in range(1, c.get("num_nextn_predict_layers", 0) + 1):
            p = "model.layers.%d." % (layers + depth - 1)
            next_ones = torch.cat((tokens[depth:], torch.zeros(depth, dtype=tokens.dtype)))
            both = torch.cat((rms(words[next_ones], w(p + "enorm.weight", h), eps), rms(x, w(p + "hnorm.weight", h), eps)), -1)
            x = block(w, both @ w(p + "eh_proj.weight", h, 2 * h).T, layers + depth - 1)
            x = rms(x, w(p + "shared_head.norm.weight", h), eps)
            w.ahead.append(x @ head.T)
        return logits
    return forward


def config(kind, **more):
    return {"model_type": kind, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
            "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": WORDS, "max_position_embeddings": LENGTH,
            "rope_theta": 10000.0, "rms_norm_eps": 1e-6, "hidden_act": "silu", "tie_word_embeddings": False, **more}


def families():
    yield "gpt2", GPT2, gpt2
    c = config("llama", rms_norm_eps=1e-5)
    yield "llama", c, llama(c)
    c = config("llama", head_dim=16, rope_scaling={"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                                                   "high_freq_factor": 4.0, "original_max_position_embeddings": 64})
    yield "llama3", c, llama(c)
    c = config("llama", rope_scaling={"rope_type": "linear", "factor": 4.0}, tie_word_embeddings=True)
    yield "llama_linear", c, llama(c)
    c = config("mistral", sliding_window=5, rms_norm_eps=1e-5)
    yield "mistral", c, llama(c)
    c = config("qwen2", tie_word_embeddings=True, use_sliding_window=False)
    yield "qwen2", c, llama({**c, "qkv_bias": True})
    c = config("qwen3", head_dim=16)
    yield "qwen3", c, llama(c)
    c = config("mixtral", num_local_experts=4, num_experts_per_tok=2)
    yield "mixtral", c, llama({**c, "experts": 4}, MIXTRAL_NAMES)
    c = config("qwen2_moe", num_experts=4, num_experts_per_tok=2, moe_intermediate_size=24, norm_topk_prob=True,
               shared_expert_intermediate_size=40, decoder_sparse_step=1, mlp_only_layers=[], use_sliding_window=False)
    yield "qwen2_moe", c, llama({**c, "experts": 4, "qkv_bias": True}, QWEN_NAMES)
    c = config("qwen3_moe", num_experts=4, num_experts_per_tok=2, moe_intermediate_size=24, norm_topk_prob=True,
               decoder_sparse_step=1, mlp_only_layers=[], head_dim=8)
    yield "qwen3_moe", c, llama({**c, "experts": 4}, QWEN_NAMES)
    c = config("deepseek_v2", num_key_value_heads=4, kv_lora_rank=12, q_lora_rank=None, qk_nope_head_dim=8,
               qk_rope_head_dim=4, v_head_dim=6, n_routed_experts=4, num_experts_per_tok=2, n_shared_experts=2,
               moe_intermediate_size=16, first_k_dense_replace=1, moe_layer_freq=1, norm_topk_prob=False,
               scoring_func="softmax", topk_method="greedy", n_group=1, topk_group=1, routed_scaling_factor=1.0,
               attention_bias=False)
    yield "deepseek_v2", c, deepseek(c)
    yarn = {"type": "yarn", "factor": 40, "original_max_position_embeddings": 16, "beta_fast": 2, "beta_slow": 0.5, "mscale": 0.707,
            "mscale_all_dim": 0.707}
    wide = {**c, "qk_rope_head_dim": 8, "max_position_embeddings": 640, "rope_scaling": yarn, "routed_scaling_factor": 16.0}
    yield "deepseek_v2_yarn", wide, deepseek(wide)
    c = {**c, "q_lora_rank": 16, "norm_topk_prob": True}
    yield "deepseek_v2_q", c, deepseek(c)
    c = {**c, "model_type": "deepseek_v3", "scoring_func": "sigmoid", "topk_method": "noaux_tc", "n_routed_experts": 8, "n_group": 4,
         "topk_group": 2, "routed_scaling_factor": 2.5, "num_nextn_predict_layers": 0}
    yield "deepseek_v3", c, deepseek(c)
    yield "kimi_k2", {**c, "model_type": "kimi_k2"}, deepseek(c)
    c = {**c, "num_nextn_predict_layers": 2}
    yield "deepseek_v3_mtp", c, deepseek(c)
    yield from others.families(config)


def decays(name):
    return "norm" not in name and "ln_" not in name and not name.endswith("bias") and "sinks" not in name


def train(forward, w, text):
    tokens, targets = torch.tensor(text[:-1]), torch.tensor(text[1:])
    moments, lines = {}, []
    for step in range(1, STEPS + 1):
        loss = F.cross_entropy(forward(w, tokens), targets)
        ahead = [F.cross_entropy(x[:-d], targets[d:], reduction="sum") / LENGTH for d, x in enumerate(w.ahead, 1)]
        ahead = sum(ahead) / max(len(ahead), 1)
        for x in w.of.values():
            x.grad = None
        (loss + AHEAD * ahead).backward()
        norm = math.sqrt(sum((x.grad ** 2).sum().item() for x in w.of.values() if x.grad is not None))
        lines.append("%.15g %.15g" % (loss.item(), norm) + (" %.15g" % ahead.item() if w.ahead else ""))
        scale = CLIP / norm if norm > CLIP else 1
        with torch.no_grad():
            for name, x in w.of.items():
                if x.grad is None:  # biases of routers, which the load moves
                    x.sub_(BIAS_RATE * torch.sign(w.loads[name] - w.loads[name].mean()))
                    continue
                m, v = moments.setdefault(name, [torch.zeros_like(x), torch.zeros_like(x)])
                g = x.grad * scale
                m.mul_(BETAS[0]).add_(g, alpha=1 - BETAS[0])
                v.mul_(BETAS[1]).add_(g * g, alpha=1 - BETAS[1])
                a, b = m / (1 - BETAS[0] ** step), v / (1 - BETAS[1] ** step)
                x.mul_(1 - RATE * (DECAY if decays(name) else 0)).sub_(RATE * a / (b.sqrt() + EPS))
    return lines


def main():
    for name, about, forward in families():
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        torch.manual_seed(7)
        random.seed(7)
        folder = os.path.join(sys.argv[1], name)
        os.makedirs(folder, exist_ok=True)
        text = [random.randrange(WORDS) for _ in range(LENGTH + 1)]
        w = Weights()
        forward(w, torch.tensor(text[:-1]))
        w.write(os.path.join(folder, "model.safetensors"))
        with open(os.path.join(folder, "config.json"), "w") as file:
            json.dump(about, file, indent=1)
            file.write("\n")
        with open(os.path.join(folder, "data"), "wb") as file:
            file.write(bytes(text))
        with open(os.path.join(folder, "steps"), "w") as file:
            file.write("\n".join(train(forward, w, text)) + "\n")


main()
