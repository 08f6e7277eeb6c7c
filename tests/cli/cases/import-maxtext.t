# A model by its sizes and a mesh of 2 slices: 2 copies of 16 shards, 4 tensor ranks.
cat >run.yml <<'END'
base_emb_dim: 4096
base_num_query_heads: 32
base_num_kv_heads: 8
base_mlp_dim: 14336
base_num_decoder_layers: 32
head_dim: 128
mlp_activations: ["silu", "linear"]
vocab_size: 128256
decoder_block: "llama2"
max_target_length: 8192
per_device_batch_size: 0.5
dcn_data_parallelism: 2
ici_fsdp_parallelism: 16
ici_tensor_parallelism: 4
remat_policy: "full"
steps: 10
END
reckon import maxtext run.yml -o - | grep -v -e '^[{}]'
reckon import maxtext run.yml | sed -n '1,2p'
# The rest of the devices, 4 experts' ranks, a model of the catalog.
printf 'model_name: "mixtral-8x7b"\nper_device_batch_size: 4\nici_expert_parallelism: 4\nici_fsdp_parallelism: -1\nremat_policy: minimal\nquantization: fp8\n' >moe.yml
reckon import moe.yml --gpus 64 | sed -n '1,2p'
# Nothing is dropped: an unknown key, an axis that plans do not know, a decoder, a policy.
for line in 'base_emb_dimm: 8' 'ici_sequence_parallelism: 2' 'decoder_block: "qwen9"' 'remat_policy: "some"' 'quantization: "int8"' 'per_device_batch_size: 0.3'; do
    grep -v "^${line%%:*}:" run.yml >bad.yml; echo "$line" >>bad.yml
    reckon import maxtext bad.yml --gpus 128
done
echo 'base_config: "base.yml"' >none.yml; reckon import maxtext none.yml --gpus 8
# What a policy keeps, tensor by tensor, and where.
for line in 'save_qkv_proj' 'qkv_proj_offloaded' 'minimal_offloaded' 'custom'; do
    grep -v remat run.yml >keeps.yml; echo "remat_policy: $line" >>keeps.yml
    [ $line = custom ] && printf 'decoder_layer_input: offload\nquery_proj: device\nkey_proj: device\nvalue_proj: device\n' >>keeps.yml
    reckon import maxtext keeps.yml --gpus 128 -o - | grep -E 'recompute|qkv_kept|offload'
done
# The script that starts it; its arguments win.
printf '#!/bin/bash\npython3 -m maxtext.trainers.pre_train.train run.yml run_name=a per_device_batch_size=1 steps=5\n' >run.sh
reckon import maxtext run.sh --gpus 128 | sed -n '2p'
=== stdout
    "framework": "fsdp",
    "gpus": 128,
    "tensor": 4,
    "microbatch": 2,
    "batch": 64,
    "sequence_parallel": true,
    "context_kind": "gather",
    "zero": 3,
    "shard_ranks": 16,
    "gradient_overlap": true,
    "weight_overlap": true,
    "xla": true,
    "recompute": "full"
run: 8,030,261,248 parameters, 128 GPUs with MaxText
  plan: framework=fsdp dp32 tp4 mbs2 gbs64 sp cp-kind=gather zero3 shard=16 grad-overlap
moe: 46,702,792,704 parameters, of which 12,879,925,248 active, 64 GPUs with MaxText
  plan: framework=fsdp precision=fp8-current dp64 ep4 mbs4 gbs256 seq2048 cp-kind=gather zero3
    "recompute": "full",
    "qkv_kept": true
    "recompute": "full",
    "qkv_kept": true,
    "activation_offload": 0.6
    "recompute": "selective",
    "recompute_parts": ["moe_act", "layernorm"],
    "activation_offload": 0.9393939393939394
    "recompute": "full",
    "qkv_kept": true,
    "activation_offload": 0.4
  plan: framework=fsdp dp32 tp4 mbs4 gbs128 sp cp-kind=gather zero3 shard=16 grad-overlap
=== stderr
reckon: note: moe.yml is read as a configuration of MaxText: reckon import maxtext
reckon: warning: moe.yml: remat_policy minimal: is estimated as computing norms and activations again
reckon: bad.yml:17:16: base_emb_dimm: is not known, did you mean base_emb_dim: correct it, or give --ignore base_emb_dimm
reckon: bad.yml:17:27: ici_sequence_parallelism 2: an axis of the mesh that plans do not know, which plans do not cover: give --ignore ici_sequence_parallelism to estimate the run without it
reckon: bad.yml:16:16: decoder_block: its layers have more than the keys say, and the catalog has no bad, the file's name: give --set model_name=NAME
reckon: bad.yml:16:15: remat_policy: some is not known: give --set remat_policy=custom with what it keeps, or full, minimal or none, whichever is nearest
reckon: bad.yml:17:15: quantization: products in int8 are not covered: fp8 is
reckon: bad.yml:16:24: per_device_batch_size: times the 128 devices is not a whole number of samples
reckon: none.yml: names no model: give --set model_name=NAME (default: that of base.yml)
reckon: warning: keeps.yml: remat_policy minimal_offloaded: is estimated as computing norms and activations again
