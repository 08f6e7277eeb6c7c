"""Checkpoints of made values for `reckon shard`, and an independent reader of what it writes.

    shard.py make KIND FOLDER        a small checkpoint of a model type
    shard.py same A B                the same tensors with the same bytes
    shard.py shards WHOLE DIR [TxM]  every file of DIR: header, data and boxes against WHOLE; for T
                                     tensor ranks and vocabularies padded to multiples of M T also
                                     by formulas of its own

    shard.py product WHOLE DIR       products of integers: the sum of the ranks' is the whole one's
    shard.py holes KIND FOLDER       files of the real size with nothing in them
    shard.py peak MIB COMMAND...     below so much memory?

Written from the description of the format alone, with numpy. Values follow from name and index.
"""
import hashlib
import json
import os
import struct
import sys

import numpy as np

SIZE = {"F32": 4, "BF16": 2, "F16": 2, "U8": 1, "F8_E4M3": 1, "I64": 8, "BOOL": 1, "F64": 8}


def fill(name, shape, dtype):
    seed = int.from_bytes(hashlib.sha1(name.encode()).digest()[:4], "little")
    count = int(np.prod(shape, dtype=np.int64)) * SIZE[dtype]
    return np.random.default_rng(seed).integers(1, 256, count, np.uint8)


def write(path, tensors, metadata=None):
    names = sorted(tensors, key=lambda n: (-SIZE[tensors[n][0]], n))  # as the format's library does
    header, at = {}, 0
    if metadata:
        header["__metadata__"] = metadata
    for n in names:
        dtype, shape = tensors[n]
        size = int(np.prod(shape, dtype=np.int64)) * SIZE[dtype]
        header[n] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for n in names:
            f.write(fill(n, tensors[n][1], tensors[n][0]).tobytes())
    return at


def read(path):
    """name -> (dtype, shape, bytes as an array of elements)"""
    data = open(path, "rb").read()
    (length,) = struct.unpack("<Q", data[:8])
    assert length % 8 == 0 and data[8:9] == b"{", path
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    body, out, spans = data[8 + length :], {}, []
    for n, t in header.items():
        begin, end = t["data_offsets"]
        size = SIZE[t["dtype"]]
        assert end - begin == int(np.prod(t["shape"], dtype=np.int64)) * size, n
        spans.append((begin, end))
        array = np.frombuffer(body[begin:end], np.uint8).reshape(t["shape"] + [size])
        out[n] = (t["dtype"], t["shape"], array)
    at = 0
    for begin, end in sorted(spans):
        assert begin == at, (path, begin, at)
        at = end
    assert at == len(body), path
    return out, metadata


def read_folder(folder):
    tensors = {}
    index = os.path.join(folder, "model.safetensors.index.json")
    if os.path.exists(index):
        index = json.load(open(index))
        for file in sorted(set(index["weight_map"].values())):
            part, _ = read(os.path.join(folder, file))
            for n in part:
                assert index["weight_map"][n] == file, n
            tensors.update(part)
        assert set(tensors) == set(index["weight_map"])
        assert index["metadata"]["total_size"] == sum(t[2].nbytes for t in tensors.values())
        return tensors
    return read(os.path.join(folder, "model.safetensors"))[0]


# ---- models ----

H, A, G, D, F, V = 64, 8, 2, 16, 96, 1003


def llama(config, tensors, layers=3):
    config.update(model_type="llama", hidden_size=H, intermediate_size=F, num_hidden_layers=layers,
                  num_attention_heads=A, num_key_value_heads=G, head_dim=D, vocab_size=V,
                  max_position_embeddings=128, hidden_act="silu", tie_word_embeddings=False)
    tensors.update({"model.embed_tokens.weight": (V, H), "model.norm.weight": (H,), "lm_head.weight": (V, H)})
    for i in range(layers):
        p = f"model.layers.{i}."
        tensors.update({p + "input_layernorm.weight": (H,), p + "post_attention_layernorm.weight": (H,),
                        p + "self_attn.q_proj.weight": (A * D, H), p + "self_attn.k_proj.weight": (G * D, H),
                        p + "self_attn.v_proj.weight": (G * D, H), p + "self_attn.o_proj.weight": (H, A * D),
                        p + "mlp.gate_proj.weight": (F, H), p + "mlp.up_proj.weight": (F, H),
                        p + "mlp.down_proj.weight": (H, F)})


def without(tensors, *parts):
    for n in [n for n in tensors if any(p in n for p in parts)]:
        del tensors[n]


def layers_of(tensors):
    return sorted({int(n.split(".")[2]) for n in tensors if n.startswith("model.layers.")})


def mixtral(config, tensors):
    llama(config, tensors)
    config.update(model_type="mixtral", num_local_experts=4, num_experts_per_tok=2)
    for i in layers_of(tensors):
        p = f"model.layers.{i}."
        without(tensors, p + "mlp")
        tensors[p + "block_sparse_moe.gate.weight"] = (4, H)
        for j in range(4):
            e = p + f"block_sparse_moe.experts.{j}."
            tensors.update({e + "w1.weight": (F, H), e + "w2.weight": (H, F), e + "w3.weight": (F, H)})


def phi3(config, tensors):
    llama(config, tensors)
    config.update(model_type="phi3")
    del config["head_dim"]
    config["hidden_size"] = h = A * D
    without(tensors, "")
    tensors.update({"model.embed_tokens.weight": (V, h), "model.norm.weight": (h,), "lm_head.weight": (V, h)})
    for i in range(3):
        p = f"model.layers.{i}."
        tensors.update({p + "input_layernorm.weight": (h,), p + "post_attention_layernorm.weight": (h,),
                        p + "self_attn.qkv_proj.weight": ((A + 2 * G) * D, h),
                        p + "self_attn.o_proj.weight": (h, h), p + "mlp.gate_up_proj.weight": (2 * F, h),
                        p + "mlp.down_proj.weight": (h, F)})


def gpt2(config, tensors):
    h = A * 8
    config.update(model_type="gpt2", n_embd=h, n_head=A, n_layer=4, n_positions=32, vocab_size=V,
                  n_inner=4 * h, activation_function="gelu_new")
    tensors.update({"wte.weight": (V, h), "wpe.weight": (32, h), "ln_f.weight": (h,), "ln_f.bias": (h,)})
    for i in range(4):
        p = f"h.{i}."
        tensors.update({p + "ln_1.weight": (h,), p + "ln_1.bias": (h,), p + "ln_2.weight": (h,),
                        p + "ln_2.bias": (h,), p + "attn.bias": (1, 1, 32, 32),
                        p + "attn.c_attn.weight": (h, 3 * h), p + "attn.c_attn.bias": (3 * h,),
                        p + "attn.c_proj.weight": (h, h), p + "attn.c_proj.bias": (h,),
                        p + "mlp.c_fc.weight": (h, 4 * h), p + "mlp.c_fc.bias": (4 * h,),
                        p + "mlp.c_proj.weight": (4 * h, h), p + "mlp.c_proj.bias": (h,)})


def gpt_neox(config, tensors):
    h = A * 8
    config.update(model_type="gpt_neox", hidden_size=h, intermediate_size=4 * h, num_hidden_layers=4,
                  num_attention_heads=A, vocab_size=V, max_position_embeddings=64, hidden_act="gelu",
                  tie_word_embeddings=False, use_parallel_residual=True)
    tensors.update({"gpt_neox.embed_in.weight": (V, h), "embed_out.weight": (V, h),
                    "gpt_neox.final_layer_norm.weight": (h,), "gpt_neox.final_layer_norm.bias": (h,)})
    for i in range(4):
        p = f"gpt_neox.layers.{i}."
        tensors.update({p + "attention.query_key_value.weight": (3 * h, h),
                        p + "attention.query_key_value.bias": (3 * h,), p + "attention.dense.weight": (h, h),
                        p + "attention.dense.bias": (h,), p + "attention.rotary_emb.inv_freq": (4,),
                        p + "mlp.dense_h_to_4h.weight": (4 * h, h), p + "mlp.dense_h_to_4h.bias": (4 * h,),
                        p + "mlp.dense_4h_to_h.weight": (h, 4 * h), p + "mlp.dense_4h_to_h.bias": (h,)})
        for n in ("input_layernorm", "post_attention_layernorm"):
            tensors.update({p + n + ".weight": (h,), p + n + ".bias": (h,)})


def falcon(config, tensors):
    h = A * D
    config.update(model_type="falcon", hidden_size=h, num_hidden_layers=4, num_attention_heads=A,
                  num_kv_heads=G, vocab_size=V, new_decoder_architecture=True, bias=False,
                  parallel_attn=True, alibi=False, max_position_embeddings=64)
    tensors.update({"transformer.word_embeddings.weight": (V, h), "transformer.ln_f.weight": (h,),
                    "transformer.ln_f.bias": (h,)})
    for i in range(4):
        p = f"transformer.h.{i}."
        tensors.update({p + "self_attention.query_key_value.weight": ((A + 2 * G) * D, h),
                        p + "self_attention.dense.weight": (h, h),
                        p + "mlp.dense_h_to_4h.weight": (4 * h, h), p + "mlp.dense_4h_to_h.weight": (h, 4 * h)})
        for n in ("ln_attn", "ln_mlp"):
            tensors.update({p + n + ".weight": (h,), p + n + ".bias": (h,)})


def gpt_oss(config, tensors):
    llama(config, tensors, 4)
    config.update(model_type="gpt_oss", num_local_experts=4, num_experts_per_tok=2, sliding_window=16,
                  attention_bias=True)
    for i in layers_of(tensors):
        p = f"model.layers.{i}."
        without(tensors, p + "mlp")
        for x, n in (("q", A * D), ("k", G * D), ("v", G * D), ("o", H)):
            tensors[p + f"self_attn.{x}_proj.bias"] = (n,)
        tensors.update({p + "self_attn.sinks": (A,), p + "mlp.router.weight": (4, H), p + "mlp.router.bias": (4,),
                        p + "mlp.experts.gate_up_proj": (4, H, 2 * F), p + "mlp.experts.gate_up_proj_bias": (4, 2 * F),
                        p + "mlp.experts.down_proj": (4, F, H), p + "mlp.experts.down_proj_bias": (4, H)})


def deepseek_v3(config, tensors):
    h, a, q, kv, nope, rope, v, f, fe, e = 256, 4, 128, 64, 32, 32, 64, 512, 128, 8
    config.update(model_type="deepseek_v3", hidden_size=h, intermediate_size=f, moe_intermediate_size=fe,
                  num_hidden_layers=4, num_attention_heads=a, num_key_value_heads=a, q_lora_rank=q,
                  kv_lora_rank=kv, qk_nope_head_dim=nope, qk_rope_head_dim=rope, v_head_dim=v,
                  n_routed_experts=e, num_experts_per_tok=2, n_shared_experts=1, first_k_dense_replace=1,
                  num_nextn_predict_layers=1, vocab_size=V, max_position_embeddings=64,
                  hidden_act="silu", tie_word_embeddings=False, topk_method="noaux_tc")
    tensors.update({"model.embed_tokens.weight": (V, h), "model.norm.weight": (h,), "lm_head.weight": (V, h)})

    def matrix(name, rows, columns):
        tensors[name + ".weight"] = ("F8_E4M3", (rows, columns))
        tensors[name + ".weight_scale_inv"] = ("F32", (-(-rows // 128), -(-columns // 128)))

    for i in range(5):
        p = f"model.layers.{i}."
        tensors.update({p + "input_layernorm.weight": (h,), p + "post_attention_layernorm.weight": (h,),
                        p + "self_attn.q_a_layernorm.weight": (q,), p + "self_attn.kv_a_layernorm.weight": (kv,)})
        matrix(p + "self_attn.q_a_proj", q, h)
        matrix(p + "self_attn.q_b_proj", a * (nope + rope), q)
        matrix(p + "self_attn.kv_a_proj_with_mqa", kv + rope, h)
        matrix(p + "self_attn.kv_b_proj", a * (nope + v), kv)
        matrix(p + "self_attn.o_proj", h, a * v)
        mlps = [("mlp.", f)] if i < 1 else [(f"mlp.experts.{j}.", fe) for j in range(e)] + [("mlp.shared_experts.", fe)]
        for m, width in mlps:
            matrix(p + m + "gate_proj", width, h)
            matrix(p + m + "up_proj", width, h)
            matrix(p + m + "down_proj", h, width)
        if i >= 1:
            tensors.update({p + "mlp.gate.weight": (e, h), p + "mlp.gate.e_score_correction_bias": ("F32", (e,))})
        if i == 4:
            tensors.update({p + "embed_tokens.weight": (V, h), p + "enorm.weight": (h,), p + "hnorm.weight": (h,),
                            p + "eh_proj.weight": (h, 2 * h), p + "shared_head.norm.weight": (h,),
                            p + "shared_head.head.weight": (V, h)})


def qwen3_next(config, tensors):
    llama(config, tensors, 4)
    n, g, s, v, e = 4, 2, 16, 16, 4
    config.update(model_type="qwen3_next", num_experts=e, num_experts_per_tok=2, moe_intermediate_size=32,
                  shared_expert_intermediate_size=32, linear_num_value_heads=n, linear_value_head_dim=v,
                  linear_num_key_heads=g, linear_key_head_dim=s, linear_conv_kernel_dim=4,
                  full_attention_interval=4, decoder_sparse_step=1)
    for i in layers_of(tensors):
        p = f"model.layers.{i}."
        without(tensors, p + "mlp")
        tensors.update({p + "mlp.gate.weight": (e, H), p + "mlp.shared_expert_gate.weight": (1, H)})
        for m in [f"mlp.experts.{j}." for j in range(e)] + ["mlp.shared_expert."]:
            tensors.update({p + m + "gate_proj.weight": (32, H), p + m + "up_proj.weight": (32, H),
                            p + m + "down_proj.weight": (H, 32)})
        if i % 4 == 3:
            tensors.update({p + "self_attn.q_proj.weight": (2 * A * D, H), p + "self_attn.q_norm.weight": (D,),
                            p + "self_attn.k_norm.weight": (D,)})
            continue
        without(tensors, p + "self_attn")
        q = p + "linear_attn."
        tensors.update({q + "in_proj_qkvz.weight": (2 * g * s + 2 * n * v, H), q + "in_proj_ba.weight": (2 * n, H),
                        q + "conv1d.weight": (2 * g * s + n * v, 1, 4), q + "A_log": (n,), q + "dt_bias": (n,),
                        q + "norm.weight": (v,), q + "out_proj.weight": (H, n * v)})


def flax(config, tensors):
    config.update(model_type="nobody-knows")
    tensors.update({"params/embed/embedding": (100, 32), "params/norm/scale": (32,)})
    for i in range(2):
        p = f"params/layers/{i}/"
        tensors.update({p + "attn/q/kernel": (32, 32), p + "attn/k/kernel": (32, 32), p + "attn/o/kernel": (32, 32),
                        p + "mlp/up/kernel": (32, 96), p + "mlp/down/kernel": (96, 32), p + "norm/scale": (32,)})


KINDS = {f.__name__: f for f in (llama, mixtral, phi3, gpt2, gpt_neox, falcon, gpt_oss, deepseek_v3, qwen3_next, flax)}


def make(kind, folder, files=1):
    config, tensors = {"torch_dtype": "bfloat16"}, {}
    KINDS[kind](config, tensors)
    tensors = {n: t if isinstance(t[0], str) else ("BF16", t) for n, t in tensors.items()}
    os.makedirs(folder, exist_ok=True)
    json.dump(config, open(os.path.join(folder, "config.json"), "w"))
    if files == 1:
        write(os.path.join(folder, "model.safetensors"), tensors, {"format": "pt"})
        return
    names, index, total = sorted(tensors), {}, 0
    for k in range(files):
        file = f"model-{k + 1:05d}-of-{files:05d}.safetensors"
        own = names[k::files]
        total += write(os.path.join(folder, file), {n: tensors[n] for n in own}, {"format": "pt"})
        index.update({n: file for n in own})
    json.dump({"metadata": {"total_size": total}, "weight_map": index},
              open(os.path.join(folder, "model.safetensors.index.json"), "w"))


# ---- as large as they are: files of holes ----

def llama_405b():
    h, f, a, g, d, layers, v = 16384, 53248, 128, 8, 128, 126, 128256
    config = dict(model_type="llama", hidden_size=h, intermediate_size=f, num_hidden_layers=layers,
                  num_attention_heads=a, num_key_value_heads=g, head_dim=d, vocab_size=v,
                  max_position_embeddings=8192, hidden_act="silu", tie_word_embeddings=False)
    tensors = {"model.embed_tokens.weight": (v, h), "model.norm.weight": (h,), "lm_head.weight": (v, h)}
    for i in range(layers):
        p = f"model.layers.{i}."
        tensors.update({p + "input_layernorm.weight": (h,), p + "post_attention_layernorm.weight": (h,),
                        p + "self_attn.q_proj.weight": (a * d, h), p + "self_attn.k_proj.weight": (g * d, h),
                        p + "self_attn.v_proj.weight": (g * d, h), p + "self_attn.o_proj.weight": (h, a * d),
                        p + "mlp.gate_proj.weight": (f, h), p + "mlp.up_proj.weight": (f, h),
                        p + "mlp.down_proj.weight": (h, f)})
    return config, {n: ("BF16", t) for n, t in tensors.items()}, 191


def deepseek_v3_671b():
    h, a, q, kv, f, fe, e, v = 7168, 128, 1536, 512, 18432, 2048, 256, 129280
    config = json.load(open(os.path.join(os.path.dirname(__file__), "../data/hf/deepseek-v3.json")))
    config["num_nextn_predict_layers"] = 0
    tensors = {"model.embed_tokens.weight": ("BF16", (v, h)), "model.norm.weight": ("BF16", (h,)),
               "lm_head.weight": ("BF16", (v, h))}

    def matrix(name, rows, columns):
        tensors[name + ".weight"] = ("F8_E4M3", (rows, columns))
        tensors[name + ".weight_scale_inv"] = ("F32", (-(-rows // 128), -(-columns // 128)))

    for i in range(61):
        p = f"model.layers.{i}."
        for n, width in (("input_layernorm", h), ("post_attention_layernorm", h),
                         ("self_attn.q_a_layernorm", q), ("self_attn.kv_a_layernorm", kv)):
            tensors[p + n + ".weight"] = ("BF16", (width,))
        matrix(p + "self_attn.q_a_proj", q, h)
        matrix(p + "self_attn.q_b_proj", a * 192, q)
        matrix(p + "self_attn.kv_a_proj_with_mqa", kv + 64, h)
        matrix(p + "self_attn.kv_b_proj", a * 256, kv)
        matrix(p + "self_attn.o_proj", h, a * 128)
        mlps = [("mlp.", f)] if i < 3 else [(f"mlp.experts.{j}.", fe) for j in range(e)] + [("mlp.shared_experts.", fe)]
        for m, width in mlps:
            matrix(p + m + "gate_proj", width, h)
            matrix(p + m + "up_proj", width, h)
            matrix(p + m + "down_proj", h, width)
        if i >= 3:
            tensors[p + "mlp.gate.weight"] = ("BF16", (e, h))
            tensors[p + "mlp.gate.e_score_correction_bias"] = ("F32", (e,))
    return config, tensors, 163


def holes(kind, folder):
    config, tensors, files = {"llama_405b": llama_405b, "deepseek_v3_671b": deepseek_v3_671b}[kind]()
    os.makedirs(folder, exist_ok=True)
    json.dump(config, open(os.path.join(folder, "config.json"), "w"))
    names, index, total = sorted(tensors), {}, 0
    for k in range(files):
        file = f"model-{k + 1:05d}-of-{files:05d}.safetensors"
        own = names[len(names) * k // files : len(names) * (k + 1) // files]
        header, at = {}, 0
        for n in own:
            dtype, shape = tensors[n]
            size = int(np.prod(shape, dtype=np.int64)) * SIZE[dtype]
            header[n] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + size]}
            at += size
            index[n] = file
        text = json.dumps(header).encode()
        with open(os.path.join(folder, file), "wb") as f:
            f.write(struct.pack("<Q", len(text)) + text)
            f.truncate(8 + len(text) + at)
        total += at
    json.dump({"metadata": {"total_size": total}, "weight_map": index},
              open(os.path.join(folder, "model.safetensors.index.json"), "w"))
    print(len(names), total)


def peak(limit, *command):
    """Runs a command; fails when its peak resident memory is `limit` MiB or more."""
    import resource
    import subprocess
    status = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{most:.0f} MiB")
    assert status == 0 and most < float(limit), (status, most)


# ---- checks ----

def same(a, b):
    a, b = read_folder(a), read_folder(b)
    assert set(a) == set(b), set(a) ^ set(b)
    for n in a:
        assert a[n][:2] == b[n][:2] and np.array_equal(a[n][2], b[n][2]), n


def box(b, what="begin", until="end"):
    return tuple(slice(x, y) for x, y in zip(b[what], b[until]))


def shards(whole, folder, degree=None):
    whole = read_folder(whole)
    index = json.load(open(os.path.join(folder, "reckon.index.json")))
    seen = {n: np.zeros(t[1], bool) for n, t in whole.items()}
    for file in index["files"]:
        tensors, metadata = read(os.path.join(folder, file))
        boxes = json.loads(metadata["reckon.boxes"])
        assert set(boxes) == set(tensors), file
        for n, (dtype, shape, data) in tensors.items():
            t, b = whole[n], boxes[n]
            assert dtype == t[0] and b["shape"] == t[1] and file in index["weight_map"][n], n
            local = np.zeros(b["local"] + [SIZE[dtype]], np.uint8)
            for one in b["boxes"]:
                size = [y - x for x, y in zip(one["begin"], one["end"])]
                at = tuple(slice(x, x + s) for x, s in zip(one["at"], size))
                local[at] = t[2][box(one)]
                seen[n][box(one)] = True
            if "flat" in b:
                first, count = b["flat"]
                local = local.reshape(-1, SIZE[dtype])[first : first + count]
                # padding apart, what is outside the boxes is no part of the shard
            assert np.array_equal(local.reshape(data.shape), data), (file, n)
        if degree:
            by_hand(degree, file, tensors, whole)
    for n, s in seen.items():
        assert s.all(), n


def expected(name, whole, t, r, multiple):
    """What tensor rank r of t has of some tensors, worked out anew."""
    w = whole[name][2]
    tail = name.split(".", 3)[-1] if name.startswith("model.layers") else name
    if tail in ("self_attn.q_proj.weight", "mlp.gate_proj.weight", "mlp.up_proj.weight"):
        return np.split(w, t)[r]
    if tail in ("self_attn.k_proj.weight", "self_attn.v_proj.weight"):
        return np.split(w, t)[r] if t <= G else np.split(w, G)[r // (t // G)]
    if tail in ("self_attn.o_proj.weight", "mlp.down_proj.weight"):
        return np.split(w, t, 1)[r]
    if tail == "mlp.gate_up_proj.weight":
        return np.concatenate([np.split(half, t)[r] for half in np.split(w, 2)])
    if tail == "self_attn.qkv_proj.weight":
        parts = np.split(w, [A * D, (A + G) * D])
        kv = [np.split(x, t)[r] if t <= G else np.split(x, G)[r // (t // G)] for x in parts[1:]]
        return np.concatenate([np.split(parts[0], t)[r]] + kv)
    if name.endswith("self_attention.query_key_value.weight"):
        groups = np.split(w, G)
        if t <= G:
            return np.concatenate(np.split(np.stack(groups), t)[r])
        group, sub = groups[r // (t // G)], r % (t // G)
        queries = np.split(group[: A // G * D], t // G)[sub]
        return np.concatenate([queries, group[A // G * D :]])
    if name.endswith("attention.query_key_value.weight"):
        return np.concatenate(np.split(np.stack(np.split(w, A)), t)[r])
    if name.endswith("attn.c_attn.weight"):
        return np.concatenate([np.split(x, t, 1)[r] for x in np.split(w, 3, 1)], 1)
    if tail in ("model.embed_tokens.weight", "lm_head.weight", "wte.weight"):
        rows = -(-len(w) // (t * multiple)) * multiple
        padded = np.concatenate([w, np.zeros((rows * t - len(w),) + w.shape[1:], np.uint8)])
        return np.split(padded, t)[r]
    return None


def by_hand(degree, file, tensors, whole):
    t, multiple = [int(x) for x in (degree + "x1").split("x")[:2]]
    r = int(file.split("-")[2])
    for n in tensors:
        e = expected(n, whole, t, r, multiple)
        assert e is None or np.array_equal(e, tensors[n][2]), (file, n)


def product(whole, folder):
    """A column- then a row-split pair: the sum of the ranks' products is the whole product, exactly."""
    def numbers(array):
        return np.ascontiguousarray(array).view(np.uint16)[..., 0].astype(np.uint64)

    whole = {n: numbers(t[2]) for n, t in read_folder(whole).items() if t[0] == "BF16"}
    ranks = [read(os.path.join(folder, f))[0] for f in sorted(os.listdir(folder)) if f.endswith("safetensors")]
    for up, down in (("mlp.up_proj", "mlp.down_proj"), ("self_attn.q_proj", "self_attn.o_proj")):
        names = [f"model.layers.1.{n}.weight" for n in (up, down)]
        x = numbers(fill("x", (H, 3), "BF16").reshape(H, 3, 2))
        total = sum(numbers(r[names[1]][2]) @ (numbers(r[names[0]][2]) @ x) for r in ranks)
        assert len(ranks) > 1 and np.array_equal(total, whole[names[1]] @ (whole[names[0]] @ x)), names


if __name__ == "__main__":
    command, args = sys.argv[1], sys.argv[2:]
    if command == "make":
        make(args[0], args[1], int(args[2]) if len(args) > 2 else 1)
    else:
        {"same": same, "shards": shards, "holes": holes, "peak": peak, "product": product}[command](*args)
