"""The families of make.py that differ from Llama's: what each modelling class of transformers 4.57 works out, one sample.

A family is a plain function of a table of weights and of tokens, as in make.py, whose helpers it is given.
"""
import math

import torch
import torch.nn.functional as F

LENGTH, WORDS = 16, 64


def layer_norm(w, name, x, eps, bias=True, plain=False, offset=0):
    h = x.shape[-1]
    if plain:
        return F.layer_norm(x, (h,), None, None, eps)
    return F.layer_norm(x, (h,), offset + w(name + ".weight", h), w(name + ".bias", h) if bias else None, eps)


def rms_norm(w, name, x, eps, offset=0):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * (offset + w(name + ".weight", x.shape[-1]))


def turn(x, base, part=1, neighbours=False, factors=None, size=1):
    """x (heads, tokens, d): the first `part` of each head, its halves or its neighbours against each other."""
    n = int(x.shape[-1] * part)
    x, rest = x[..., :n], x[..., n:]
    frequency = base ** (-2 * torch.arange(n // 2) / n)
    angle = torch.arange(x.shape[-2])[:, None] * (frequency / torch.tensor(factors) if factors else frequency)
    c, s = size * torch.cos(angle), size * torch.sin(angle)
    a, b = (x[..., ::2], x[..., 1::2]) if neighbours else (x[..., :n // 2], x[..., n // 2:])
    y = (a * c - b * s, b * c + a * s)
    return torch.cat((torch.stack(y, -1).flatten(-2) if neighbours else torch.cat(y, -1), rest), -1)


def longrope(c):
    """Phi-3's, as transformers' modeling_rope_utils.py has it: factors by the length of the sample; and what both parts grow by."""
    before, said = c["original_max_position_embeddings"], c["rope_scaling"]
    factor = c["max_position_embeddings"] / before
    return {"factors": said["long_factor" if LENGTH > before else "short_factor"], "size": math.sqrt(1 + math.log(factor) / math.log(before))}


def yarn(c):
    """As transformers' modeling_rope_utils.py has it, as factors by which frequencies are divided."""
    s, d, base = c["rope_scaling"], c["head_dim"], c["rope_theta"]

    def number(turns):
        return d * math.log(s["original_max_position_embeddings"] / (turns * 2 * math.pi)) / (2 * math.log(base))
    low, high = max(math.floor(number(s["beta_fast"])), 0), min(math.ceil(number(s["beta_slow"])), d - 1)
    ramp = [min(max((i - low) / max(high - low, 1e-3), 0), 1) for i in range(d // 2)]
    return {"factors": [1 / (x / s["factor"] + 1 - x) for x in ramp], "size": s["attention_factor"]}


def slopes_of(heads, most=8):
    """ALiBi's, of a power of two, or with those of the next one between them."""
    power = 2 ** math.floor(math.log2(heads))
    first = [2 ** (-most * (i + 1) / power) for i in range(power)]
    return first + [2 ** (-most * (2 * i + 1) / (2 * power)) for i in range(heads - power)]


def attend(q, k, v, scale=None, window=None, cap=None, slopes=None, sinks=None):
    k, v = (t.repeat_interleave(q.shape[0] // t.shape[0], 0) for t in (k, v))
    n = q.shape[1]
    i, j = torch.arange(n)[:, None], torch.arange(n)[None]
    scores = q @ k.transpose(1, 2) * (scale or q.shape[-1] ** -0.5)
    if cap:
        scores = cap * torch.tanh(scores / cap)
    if slopes:
        scores = scores + torch.tensor(slopes)[:, None, None] * (j - i)
    scores = scores.masked_fill((j > i) | (j <= i - (window or n)), -math.inf)
    if sinks is not None:
        scores = torch.cat((scores, sinks[:, None, None].expand(-1, n, 1)), -1)
    return (torch.softmax(scores, -1)[..., :n] @ v).transpose(0, 1).flatten(1)


def heads_of(x, heads):
    return x.view(x.shape[0], heads, -1).transpose(0, 1)


ACT = {"silu": F.silu, "relu": F.relu, "relu2": lambda x: F.relu(x) ** 2, "gelu": F.gelu,
       "tanh": lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))}


def modern(c, norm="rms", act="silu", offset=0, embed=1, before="input_layernorm", after=None, mlp_before="post_attention_layernorm",
           mlp_after=None, scale=None, cap=None, logit_cap=None, logits=1, residual=1, qk=None, parallel=False, local=(), local_base=None,
           unturned=(), part=1, neighbours=False, fused="", biases="", gated=True, mixture=None, sinks=False, rope={}, dense=0, whole_stretched=False):
    """Llama's, and what differs from it. fused: matrices in one, of "qkv" and "gate". dense: layers in front without a mixture. whole_stretched: RoPE of local layers is not stretched. qk: norms of heads, "one" for all, weights of "each", or over all "wide" heads."""
    def forward(w, tokens):
        h, f, heads, groups = c["hidden_size"], c["intermediate_size"], c["num_attention_heads"], c["num_key_value_heads"]
        eps = c.get("rms_norm_eps", c.get("layer_norm_eps", c.get("norm_epsilon", 1e-5)))
        d = c.get("head_dim", h // heads)

        def normed(name, x):
            if not name:
                return x
            if norm == "rms":
                return rms_norm(w, name, x, eps, offset)
            return layer_norm(w, name, x, eps, norm == "layer", norm == "plain", offset)

        def linear(name, x, out, bias=False):
            y = x @ w(name + ".weight", out, x.shape[-1]).T
            return y + w(name + ".bias", out) if bias else y

        def attention(p, x, layer):
            a = p + "self_attn."
            if "qkv" in fused:
                q, k, v = linear(a + "qkv_proj", x, (heads + 2 * groups) * d).split((heads * d, groups * d, groups * d), -1)
            else:
                q, k, v = (linear(a + name + "_proj", x, n * d, "q" in biases) for name, n in (("q", heads), ("k", groups), ("v", groups)))
            if qk == "wide":
                q, k = rms_norm(w, a + "q_norm", q, eps), rms_norm(w, a + "k_norm", k, eps)
            q, k, v = heads_of(q, heads), heads_of(k, groups), heads_of(v, groups)
            if qk == "one":
                q, k = rms_norm(w, a + "q_norm", q, eps, offset), rms_norm(w, a + "k_norm", k, eps, offset)
            if qk == "each":
                q, k = (F.layer_norm(t, (d,), None, None, eps) * w(a + name + "_norm.weight", t.shape[0], d)[:, None]
                        for name, t in (("q", q), ("k", k)))
            here = layer in local
            base = local_base if here and local_base else c.get("rope_theta", 1e4)
            if layer not in unturned:
                how = {} if here and whole_stretched else rope
                q, k = turn(q, base, part, neighbours, **how), turn(k, base, part, neighbours, **how)
            y = attend(q, k, v, scale, c["sliding_window"] if here else None, cap, None, w(a + "sinks", heads) if sinks else None)
            return linear(a + "o_proj", y, h, "o" in biases)

        def mlp(p, x, layer):
            if mixture and layer >= dense:
                return mixture(w, p, x, c)
            m = p + "mlp."
            if "gate" in fused:
                gate, up = linear(m + "gate_up_proj", x, 2 * f).chunk(2, -1)
            elif act == "relu2":
                return linear(m + "down_proj", ACT[act](linear(m + "up_proj", x, f)), h)
            elif gated:
                gate, up = linear(m + "gate_proj", x, f), linear(m + "up_proj", x, f)
            else:
                return linear(m + "c_proj", ACT[act](linear(m + "c_fc", x, f, True)), h, True)
            return linear(m + "down_proj", ACT[act](gate) * up, h)

        words = w("model.embed_tokens.weight", WORDS, h)
        x = words[tokens] * embed
        for layer in range(c["num_hidden_layers"]):
            p = "model.layers.%d." % layer
            n = normed(before and p + before, x)
            y = residual * normed(after and p + after, attention(p, n, layer))
            if parallel:
                x = x + y + mlp(p, n, layer)
                continue
            x = x + y
            x = x + residual * normed(mlp_after and p + mlp_after, mlp(p, normed(mlp_before and p + mlp_before, x), layer))
        head = words if c["tie_word_embeddings"] else w("lm_head.weight", WORDS, h)
        y = normed("model.norm", x) @ head.T * logits
        return logit_cap * torch.tanh(y / logit_cap) if logit_cap else y
    return forward


def classic(h, layers, heads, groups=None, words="wte", places=None, norm_of_words=None, block="h.%d.", ln_1="ln_1", ln_2="ln_2", qkv=None,
            separate="attn.%s_proj", stacked="apart", out="attn.out_proj", up="mlp.fc_in", down="mlp.fc_out", act="tanh", final="ln_f",
            head=None, head_bias=False, attention_bias=True, mlp_bias=True, norm_bias=True, parallel=False, rotary=None, neighbours=False,
            base=1e4, alibi=False, prefix="transformer.", eps=1e-5):
    """GPT's kin. stacked: rows of the one matrix of queries, keys and values, "apart" or by "head"s (groups of heads)."""
    groups, d = groups or heads, h // heads

    def forward(w, tokens):
        def linear(name, x, out, bias):
            y = x @ w(name + ".weight", out, x.shape[-1]).T
            return y + w(name + ".bias", out) if bias else y

        def attention(p, n):
            wide = (heads + 2 * groups) * d
            if not qkv:
                q, k, v = (linear(p + separate % a, n, h, attention_bias) for a in "qkv")
                q, k, v = heads_of(q, heads), heads_of(k, heads), heads_of(v, heads)
            elif stacked == "apart":
                q, k, v = linear(p + qkv, n, wide, attention_bias).split((heads * d, groups * d, groups * d), -1)
                q, k, v = heads_of(q, heads), heads_of(k, groups), heads_of(v, groups)
            else:
                y = linear(p + qkv, n, wide, attention_bias).view(len(n), groups, heads // groups + 2, d)
                q, k, v = y[:, :, :-2].flatten(1, 2).transpose(0, 1), y[:, :, -2].transpose(0, 1), y[:, :, -1].transpose(0, 1)
            if rotary:
                q, k = turn(q, base, rotary, neighbours), turn(k, base, rotary, neighbours)
            return linear(p + out, attend(q, k, v, slopes=slopes_of(heads) if alibi else None), h, attention_bias)

        def mlp(p, n):
            return linear(p + down, ACT[act](linear(p + up, n, 4 * h, mlp_bias)), h, mlp_bias)

        table = w(prefix + words + ".weight", WORDS, h)
        x = table[tokens]
        if places:
            x = x + w(prefix + places + ".weight", LENGTH + 2, h)[torch.arange(len(tokens)) + 2]
        if norm_of_words:
            x = layer_norm(w, prefix + norm_of_words, x, eps)
        for layer in range(layers):
            p = prefix + block % layer
            n = layer_norm(w, p + ln_1, x, eps, norm_bias)
            if parallel:
                x = x + attention(p, n) + mlp(p, layer_norm(w, p + ln_2, x, eps, norm_bias) if ln_2 else n)
                continue
            x = x + attention(p, n)
            x = x + mlp(p, layer_norm(w, p + ln_2, x, eps, norm_bias))
        y = layer_norm(w, prefix + final, x, eps, norm_bias)
        return linear(head, y, WORDS, head_bias) if head else y @ table.T
    return forward


def olmoe_mixture(w, p, n, c):
    h, f, experts, k = c["hidden_size"], c["intermediate_size"], c["num_experts"], c["num_experts_per_tok"]
    best, which = torch.topk(torch.softmax(n @ w(p + "mlp.gate.weight", experts, h).T, -1), k, -1)
    y = torch.zeros_like(n)
    for e in range(experts):
        q = p + "mlp.experts.%d." % e
        out = (F.silu(n @ w(q + "gate_proj.weight", f, h).T) * (n @ w(q + "up_proj.weight", f, h).T)) @ w(q + "down_proj.weight", h, f).T
        y = y + out * (best * (which == e)).sum(-1, keepdim=True)
    return y


def minimax_mixture(w, p, n, c):
    """MiniMax-M2's: chosen by a sigmoid and biases, weighed by the sigmoid alone, whose sum is one; nothing is shared."""
    h, f, experts, k = c["hidden_size"], c["intermediate_size"], c["num_local_experts"], c["num_experts_per_tok"]
    m = p + "block_sparse_moe."
    chances, bias = torch.sigmoid(n @ w(m + "gate.weight", experts, h).T), m + "e_score_correction_bias"
    which = torch.topk(chances + w(bias, experts).detach(), k, -1)[1]
    w.loads[bias] = torch.bincount(which.flatten(), minlength=experts).double()
    best = chances.gather(1, which)
    best = best / best.sum(-1, keepdim=True)
    y = torch.zeros_like(n)
    for e in range(experts):
        q = m + "experts.%d." % e
        out = (F.silu(n @ w(q + "w1.weight", f, h).T) * (n @ w(q + "w3.weight", f, h).T)) @ w(q + "w2.weight", h, f).T
        y = y + out * (best * (which == e)).sum(-1, keepdim=True)
    return y


def oss_mixture(w, p, n, c):
    h, f, experts, k, limit = c["hidden_size"], c["intermediate_size"], c["num_local_experts"], c["num_experts_per_tok"], c["swiglu_limit"]
    best, which = torch.topk(n @ w(p + "mlp.router.weight", experts, h).T + w(p + "mlp.router.bias", experts), k, -1)
    best = torch.softmax(best, -1)
    m = p + "mlp.experts."
    both, both_bias = w(m + "gate_up_proj", experts, h, 2 * f), w(m + "gate_up_proj_bias", experts, 2 * f)
    down, down_bias = w(m + "down_proj", experts, f, h), w(m + "down_proj_bias", experts, h)
    y = torch.zeros_like(n)
    for e in range(experts):
        x = n @ both[e] + both_bias[e]
        gate, up = x[:, ::2].clamp(max=limit), x[:, 1::2].clamp(-limit, limit)
        y = y + ((gate * torch.sigmoid(1.702 * gate) * (up + 1)) @ down[e] + down_bias[e]) * (best * (which == e)).sum(-1, keepdim=True)
    return y


def granite_mixture(w, p, n, c):
    """Softmax over those chosen; gates and what they open in one matrix of all experts."""
    h, f, experts, k = c["hidden_size"], c["intermediate_size"], c["num_local_experts"], c["num_experts_per_tok"]
    m = p + "block_sparse_moe."
    best, which = torch.topk(n @ w(m + "router.layer.weight", experts, h).T, k, -1)
    best = torch.softmax(best, -1)
    both, down = w(m + "input_linear.weight", experts, 2 * f, h), w(m + "output_linear.weight", experts, h, f)
    y = torch.zeros_like(n)
    for e in range(experts):
        gate, up = (n @ both[e].T).chunk(2, -1)
        y = y + ((F.silu(gate) * up) @ down[e].T) * (best * (which == e)).sum(-1, keepdim=True)
    return y


def shared_mixture(w, p, n, c):
    """DeepSeek-V3's router with one group: chosen by a sigmoid and biases, weighed by the sigmoid alone; a shared expert beside it."""
    h, f, experts, k = c["hidden_size"], c["moe_intermediate_size"], c["n_routed_experts"], c["num_experts_per_tok"]
    chances, bias = torch.sigmoid(n @ w(p + "mlp.gate.weight", experts, h).T), p + "mlp.gate.e_score_correction_bias"
    which = torch.topk(chances + w(bias, experts).detach(), k, -1)[1]
    best = chances.gather(1, which)
    w.loads[bias] = torch.bincount(which.flatten(), minlength=experts).double()
    if c["norm_topk_prob"]:
        best = best / best.sum(-1, keepdim=True)

    def gated(q, f):
        return (F.silu(n @ w(q + "gate_proj.weight", f, h).T) * (n @ w(q + "up_proj.weight", f, h).T)) @ w(q + "down_proj.weight", h, f).T
    y = gated(p + "mlp.shared_experts.", f * c["n_shared_experts"])
    for e in range(experts):
        out = gated(p + "mlp.experts.%d." % e, f)
        y = y + c["routed_scaling_factor"] * out * (best * (which == e)).sum(-1, keepdim=True)
    return y


class Renamed:
    """A table of weights under other names."""

    def __init__(self, w, names):
        self.w, self.names = w, names

    def __call__(self, name, *shape):
        for ours, theirs in self.names:
            name = name.replace(ours, theirs)
        return self.w(name, *shape)


EXAONE_NAMES = (("model.embed_tokens", "transformer.wte"), ("model.layers", "transformer.h"), ("model.norm", "transformer.ln_f"),
                ("input_layernorm", "ln_1"), ("post_attention_layernorm", "ln_2"), ("self_attn.o_proj", "attn.attention.out_proj"),
                ("self_attn.", "attn.attention."), ("gate_proj", "c_fc_0"), ("up_proj", "c_fc_1"), ("down_proj", "c_proj"))


def families(config):
    c = config("gemma", head_dim=8, tie_word_embeddings=True, hidden_act="gelu_pytorch_tanh")
    yield "gemma", c, modern(c, act="tanh", offset=1, embed=math.sqrt(32))
    four = dict(act="tanh", offset=1, embed=math.sqrt(32), after="post_attention_layernorm", mlp_before="pre_feedforward_layernorm",
                mlp_after="post_feedforward_layernorm", local=(0,))
    c = config("gemma2", head_dim=8, tie_word_embeddings=True, hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=20, sliding_window=5,
               attn_logit_softcapping=2.0, final_logit_softcapping=3.0)
    yield "gemma2", c, modern(c, scale=20 ** -0.5, cap=2.0, logit_cap=3.0, **four)
    c = config("gemma3_text", head_dim=16, tie_word_embeddings=True, hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=24,
               sliding_window=5, layer_types=["sliding_attention", "full_attention"], rope_theta=1e6, rope_local_base_freq=1e3)
    yield "gemma3_text", c, modern(c, scale=24 ** -0.5, qk="one", local_base=1e3, **four)
    c = config("olmo", clip_qkv=None)
    del c["rms_norm_eps"]
    yield "olmo", c, modern(c, norm="plain")
    after = dict(before=None, after="post_attention_layernorm", mlp_before=None, mlp_after="post_feedforward_layernorm", qk="wide")
    c = config("olmo2")
    yield "olmo2", c, modern(c, **after)
    c = config("olmo3", sliding_window=5, layer_types=["sliding_attention", "full_attention"])
    yield "olmo3", c, modern(c, local=(0,), **after)
    c = config("olmo3", sliding_window=5, layer_types=["sliding_attention", "full_attention"], head_dim=16, rope_scaling={
        "rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 32, "beta_fast": 4.0, "beta_slow": 1.0, "attention_factor": 1.2})
    c["max_position_embeddings"] = 8 * 32
    yield "olmo3_yarn", c, modern(c, local=(0,), rope=yarn(c), whole_stretched=True, **after)
    c = config("olmoe", num_experts=4, num_experts_per_tok=2, norm_topk_prob=False, clip_qkv=None)
    yield "olmoe", c, modern(c, qk="wide", mixture=olmoe_mixture)
    c = config("gpt_oss", num_local_experts=4, num_experts_per_tok=2, head_dim=8, swiglu_limit=0.7, attention_bias=True, sliding_window=5,
               layer_types=["sliding_attention", "full_attention"], rope_theta=150000, rope_scaling=None)
    yield "gpt_oss", c, modern(c, biases="qo", local=(0,), sinks=True, mixture=oss_mixture)
    c = config("granite", embedding_multiplier=12.0, attention_multiplier=0.3, residual_multiplier=0.22, logits_scaling=4.0, attention_bias=False)
    yield "granite", c, modern(c, embed=12.0, scale=0.3, residual=0.22, logits=1 / 4.0)
    c = config("granitemoe", embedding_multiplier=12.0, attention_multiplier=0.3, residual_multiplier=0.22, logits_scaling=4.0,
               attention_bias=False, num_local_experts=4, num_experts_per_tok=2)
    yield "granitemoe", c, modern(c, embed=12.0, scale=0.3, residual=0.22, logits=1 / 4.0, mixture=granite_mixture)
    c = config("arcee", hidden_act="relu2", mlp_bias=False, attention_bias=False)
    yield "arcee", c, modern(c, act="relu2")
    c = config("minicpm", scale_emb=12, scale_depth=1.4, dim_model_base=16, num_experts=0)
    yield "minicpm", c, modern(c, embed=12, residual=1.4 / math.sqrt(2), logits=0.5)
    c = config("smollm3", no_rope_layers=[1, 0], no_rope_layer_interval=2, use_sliding_window=False, tie_word_embeddings=True)
    yield "smollm3", c, modern(c, unturned=(1,))
    c = config("phi3", head_dim=8, partial_rotary_factor=0.5, original_max_position_embeddings=LENGTH)
    yield "phi3", c, modern(c, fused="qkv gate", part=0.5)
    for name, before in (("phi3_short", LENGTH), ("phi3_long", LENGTH // 2)):
        c = config("phi3", head_dim=8, partial_rotary_factor=0.5, original_max_position_embeddings=before,
                   rope_scaling={"type": "longrope", "short_factor": [1.0, 1.25], "long_factor": [1.5, 3.75]})
        c["max_position_embeddings"] = 4 * LENGTH
        yield name, c, modern(c, fused="qkv gate", part=0.5, rope=longrope(c))
    c = config("stablelm", partial_rotary_factor=0.25, layer_norm_eps=1e-5, use_qkv_bias=True, head_dim=16)
    del c["rms_norm_eps"]
    yield "stablelm", c, modern(c, norm="layer", part=0.25, biases="q")
    c = config("starcoder2", norm_epsilon=1e-5, use_bias=True, hidden_act="gelu_pytorch_tanh", tie_word_embeddings=True, sliding_window=None)
    del c["rms_norm_eps"]
    yield "starcoder2", c, modern(c, norm="layer", biases="qo", gated=False, act="tanh")
    c = config("cohere", layer_norm_eps=1e-5, logit_scale=0.25, use_qk_norm=True, tie_word_embeddings=True)
    del c["rms_norm_eps"]
    yield "cohere", c, modern(c, norm="unbiased", parallel=True, neighbours=True, logits=0.25, qk="each")
    c = config("cohere2", layer_norm_eps=1e-5, logit_scale=0.25, tie_word_embeddings=True, sliding_window=5,
               layer_types=["sliding_attention", "full_attention"])
    del c["rms_norm_eps"]
    yield "cohere2", c, modern(c, norm="unbiased", parallel=True, neighbours=True, logits=0.25, local=(0,), unturned=(1,))
    yield "gpt_neox", {"model_type": "gpt_neox", "hidden_size": 32, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
                       "vocab_size": WORDS, "max_position_embeddings": LENGTH, "rotary_pct": 0.5, "rotary_emb_base": 5000, "hidden_act": "gelu",
                       "layer_norm_eps": 1e-5, "use_parallel_residual": True, "tie_word_embeddings": False}, \
        classic(32, 2, 4, prefix="gpt_neox.", words="embed_in", block="layers.%d.", ln_1="input_layernorm", ln_2="post_attention_layernorm",
                qkv="attention.query_key_value", stacked="head", out="attention.dense", up="mlp.dense_h_to_4h", down="mlp.dense_4h_to_h", act="gelu",
                final="final_layer_norm", head="embed_out", parallel=True, rotary=0.5, base=5000)
    yield "phi", {"model_type": "phi", "hidden_size": 32, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2,
                  "vocab_size": WORDS, "max_position_embeddings": LENGTH, "partial_rotary_factor": 0.5, "rope_theta": 1e4, "hidden_act": "gelu_new",
                  "layer_norm_eps": 1e-5, "tie_word_embeddings": False}, \
        classic(32, 2, 2, prefix="model.", words="embed_tokens", block="layers.%d.", ln_1="input_layernorm", ln_2=None,
                separate="self_attn.%s_proj", out="self_attn.dense", up="mlp.fc1", down="mlp.fc2", final="final_layernorm", head="lm_head",
                head_bias=True, parallel=True, rotary=0.5)
    yield "gptj", {"model_type": "gptj", "n_embd": 32, "n_inner": None, "n_layer": 2, "n_head": 2, "vocab_size": WORDS, "n_positions": LENGTH,
                   "rotary_dim": 8, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "tie_word_embeddings": False}, \
        classic(32, 2, 2, attention_bias=False, ln_2=None, head="lm_head", head_bias=True, parallel=True, rotary=0.5, neighbours=True)
    yield "opt", {"model_type": "opt", "hidden_size": 32, "ffn_dim": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": WORDS,
                  "max_position_embeddings": LENGTH, "activation_function": "relu", "do_layer_norm_before": True, "word_embed_proj_dim": 32,
                  "tie_word_embeddings": True}, \
        classic(32, 2, 4, prefix="model.decoder.", words="embed_tokens", places="embed_positions", block="layers.%d.", ln_1="self_attn_layer_norm",
                ln_2="final_layer_norm", separate="self_attn.%s_proj", out="self_attn.out_proj", up="fc1", down="fc2", act="relu",
                final="final_layer_norm")
    yield "bloom", {"model_type": "bloom", "hidden_size": 32, "n_layer": 2, "n_head": 4, "vocab_size": WORDS, "seq_length": LENGTH,
                    "layer_norm_epsilon": 1e-5, "tie_word_embeddings": True}, \
        classic(32, 2, 4, words="word_embeddings", norm_of_words="word_embeddings_layernorm", ln_1="input_layernorm",
                ln_2="post_attention_layernorm", qkv="self_attention.query_key_value", stacked="head", out="self_attention.dense",
                up="mlp.dense_h_to_4h", down="mlp.dense_4h_to_h", alibi=True)
    yield "mpt", {"model_type": "mpt", "d_model": 48, "n_heads": 6, "n_layers": 2, "expansion_ratio": 4, "vocab_size": WORDS, "max_seq_len": LENGTH,
                  "no_bias": True, "attn_config": {"alibi": True, "alibi_bias_max": 8, "attn_type": "multihead_attention"},
                  "learned_pos_emb": False, "tie_word_embeddings": True}, \
        classic(48, 2, 6, block="blocks.%d.", ln_1="norm_1", ln_2="norm_2", qkv="attn.Wqkv", out="attn.out_proj", up="ffn.up_proj",
                down="ffn.down_proj", act="gelu", final="norm_f", attention_bias=False, mlp_bias=False, norm_bias=False, alibi=True)
    falcon = {"model_type": "falcon", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": WORDS,
              "max_position_embeddings": LENGTH, "layer_norm_epsilon": 1e-5, "bias": False, "parallel_attn": True, "alibi": False,
              "multi_query": True, "new_decoder_architecture": False, "tie_word_embeddings": True}
    same = dict(words="word_embeddings", qkv="self_attention.query_key_value", out="self_attention.dense", up="mlp.dense_h_to_4h",
                down="mlp.dense_4h_to_h", act="gelu", attention_bias=False, mlp_bias=False, parallel=True, rotary=1)
    yield "falcon", falcon, classic(32, 2, 4, 1, ln_1="input_layernorm", ln_2=None, **same)
    yield "falcon_40b", {**falcon, "new_decoder_architecture": True, "num_kv_heads": 2}, \
        classic(32, 2, 4, 2, ln_1="ln_attn", ln_2="ln_mlp", stacked="head", **same)
    half = dict(part=0.5, neighbours=True, fused="gate", biases="q")
    c = config("glm", head_dim=8, attention_bias=True, partial_rotary_factor=0.5)
    yield "glm", c, modern(c, **half)
    c = config("glm4", head_dim=8, attention_bias=True)
    yield "glm4", c, modern(c, after="post_self_attn_layernorm", mlp_after="post_mlp_layernorm", **half)
    mixed = dict(n_routed_experts=8, n_shared_experts=1, num_experts_per_tok=2, moe_intermediate_size=16, first_k_dense_replace=1, n_group=1,
                 topk_group=1, norm_topk_prob=True, routed_scaling_factor=2.5, attention_bias=True)
    c = config("glm4_moe", head_dim=16, use_qk_norm=True, num_nextn_predict_layers=0, **mixed)
    yield "glm4_moe", c, modern(c, part=0.5, biases="q", qk="one", mixture=shared_mixture, dense=1)
    c = config("dots1", head_dim=8, sliding_window=None, **{**mixed, "attention_bias": False, "norm_topk_prob": False, "n_shared_experts": 2})
    yield "dots1", c, modern(c, qk="one", mixture=shared_mixture, dense=1)
    c = config("minimax_m2", head_dim=16, rotary_dim=8, num_local_experts=8, num_experts_per_tok=2, scoring_func="sigmoid", use_qk_norm=True,
               qk_norm_type="per_layer", use_routing_bias=True, attn_type_list=[1, 1], shared_intermediate_size=0, num_mtp_modules=0,
               sliding_window=None)
    yield "minimax_m2", c, modern(c, part=0.5, qk="wide", mixture=minimax_mixture)
    same = dict(qk="one", before=None, after="post_attention_layernorm", mlp_before=None, mlp_after="post_feedforward_layernorm")
    c = config("exaone4", head_dim=8, sliding_window=5, sliding_window_pattern="LG")
    yield "exaone4", c, modern(c, local=(0,), unturned=(1,), **same)
    c = config("exaone4", sliding_window=None, sliding_window_pattern=None)
    yield "exaone4_whole", c, modern(c, **same)
    c = config("exaone", activation_function="silu", layer_norm_epsilon=1e-6)
    del c["rms_norm_eps"], c["hidden_act"]
    exaone = modern({**c, "rms_norm_eps": 1e-6})
    yield "exaone", c, lambda w, tokens: exaone(Renamed(w, EXAONE_NAMES), tokens)
    c = config("ernie4_5", head_dim=8, use_bias=False, tie_word_embeddings=True)
    yield "ernie4_5", c, modern(c, neighbours=True)
    c = config("seed_oss", head_dim=8, attention_bias=True, attention_out_bias=False, mlp_bias=False)
    yield "seed_oss", c, modern(c, biases="q")
    c = config("nemotron", norm_eps=1e-5, hidden_act="relu2", partial_rotary_factor=0.5, attention_bias=False, mlp_bias=False)
    del c["rms_norm_eps"]
    yield "nemotron", c, modern(c, norm="layer", offset=1, act="relu2", part=0.5)
