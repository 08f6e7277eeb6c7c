# what is proposed is what the file of the framework runs, or the first lines say what it cannot
two="h100-sxm5-80g x16 + l40s x16 link=100Gb/s@50us"
# adapters are as wide in a search as in predict, whoever says the framework
for framework in '' framework=fsdp; do reckon search -m qwen3-14b -s "rtx4090 x4" -b 32 lora=16 $framework --top 1 -q | grep -o '[0-9.]* s per step\|reckon predict.*'; done
# read back, the file has the members that a search chose: experts, ZeRO, what is overlapped
same() { python3 -c "import json; a, b = (json.load(open(n)) for n in ('p.json', 'q.json')); keys = ('zero', 'keep_gathered', 'weight_overlap', 'expert', 'sequence_parallel'); print([k for k in keys if a.get(k) != b.get(k)], a.get('zero'))"; }
on="-g 16 -b 64 -k 1 -q mbs1 cp1 recompute=full"
reckon search -m qwen3-30b-a3b -s l40s $on framework=deepspeed --save-plan p.json >/dev/null
reckon export deepspeed -m qwen3-30b-a3b -p p.json -o f.json 2>/dev/null; reckon import deepspeed f.json -m qwen3-30b-a3b -g 16 -o q.json >/dev/null 2>&1; same
reckon search -m moonlight-16b-a3b -s a100-sxm4-80g -g 32 -b 64 -k 1 -q mbs1 cp1 pp1 framework=fsdp --save-plan p.json >/dev/null
reckon export torchtitan -m moonlight-16b-a3b -p p.json -o f.toml 2>/dev/null; reckon import torchtitan f.toml -m moonlight-16b-a3b -g 32 -o q.json >/dev/null 2>&1; same
# asked for, what no file says is found and the first lines say it
reckon search -m qwen3-30b-a3b -s l40s $on framework=deepspeed ep8 | sed -n 2,4p
reckon search -m qwen3-30b-a3b -s a100-sxm4-80g $on framework=fsdp pp1 tp1 zero2 | sed -n 2,4p
reckon check -m llama3.1-8b -s l40s -g 8 gbs64 framework=deepspeed zero1 grad-overlap weight-overlap recompute=full | grep zero3
# gradients sharded alone are FSDP2's weights that stay gathered
reckon export torchtitan -m llama3.1-8b -s h100-80g framework=fsdp gpus8 gbs64 zero2 2>/dev/null | grep reshard
# layers of their own: the head of a script and the first lines have what it loses
reckon search -m mistral-7b -s rtx4090 -g 8 -b 24 --layerwise -q --save-script s.sh 2>/dev/null | sed -n 2,7p
sed -n '/cannot express/,/^$/p' s.sh | head -3
# no file at all
reckon check -m nemotron-h-8b -s a100-sxm4-80g -g 16 gbs64 tp2 zero1 grad-overlap weight-overlap
reckon search -m llama3.1-8b -s gaudi3 -g 8 -b 64 -k 1 -q tp1 cp1 pp1 mbs1 zero3 | grep -n 'no launch file'
# over several clusters: a script has no places, host memory is assumed of each
reckon search -m qwen2.5-7b -s "$two" -b 256 -k 1 -q --save-script 2c.sh --save-plan 2c.json >/dev/null
reckon check 2c.sh -s "$two"
reckon check 2c.json -m qwen2.5-7b -s "$two"
reckon import 2c.sh -s "$two" 2>&1 | grep -o 'this takes.*'
reckon offload -m qwen2.5-7b -s "$two" -p 2c.json | grep 'host memory'
=== stdout
22.11 s per step
31.12 s per step
reckon predict -m qwen3-14b -s 'rtx4090 x4' -g 4 framework=fsdp dp4 mbs2 gbs32 zero3 grad-overlap weight-overlap lora16 offload-activations=1
22.11 s per step
31.12 s per step
reckon predict -m qwen3-14b -s 'rtx4090 x4' -g 4 framework=fsdp dp4 mbs2 gbs32 zero3 grad-overlap weight-overlap lora16 offload-activations=1
[] 2
[] 3
  `reckon export axolotl` cannot say expert 8 (the run has 1), recompute_layers 16 (the run has 0)
qwen3-30b-a3b on l40s, 16 GPUs, batch 64 of 8K tokens, deepspeed, bf16, detailed model
  without offload: 38.36 s, P(fits) 75 %; assumed: host memory 972 of 1024 GiB per node of 8 (the rest for the operating system) at 25 GB/s each, its processors at 614 GB/s together
  `reckon export torchtitan` cannot say zero 2 (the run has 3), keep_gathered no (the run has yes)
qwen3-30b-a3b on a100-sxm4-80g, 16 GPUs, batch 64 of 8K tokens, fsdp, bf16, detailed model
  cost: 1.99 USD per GPU-hour (cheapest listed: neocloud, 2026-01-15), without failures
warning 5.stage: stage 0 50.7 GiB: does not fit, P(fits) 15 %: 44 GiB are there: zero3 needs 30 GiB
error 12.needs: weight-overlap: needs zero 3: below it DeepSpeed gathers weights at the end of a step: give zero3, or leave weight-overlap out
fsdp_reshard_after_forward = "never"
  `reckon export megatron` cannot say layers 0-1: zero 2 (the run has 3),
  layers 0-1: recompute none (the run has selective),
  layers 0-1: recompute_parts none (the run has layernorm+mlp),
  layers 2-3: recompute_parts mlp (the run has layernorm+mlp),
  embedding and head: zero 2 (the run has 3)
  the best plan that the file can say, of reckon search without --layerwise: 16.85 s
# What the target cannot express:
#   layers 0-1: zero 2: cannot be expressed in Megatron-LM: the run has 3
#   layers 0-1: recompute none: cannot be expressed in Megatron-LM: the run has selective
warning 15.file: framework megatron: no file launches it: `reckon export megatron` refuses it: recurrence: layers that keep a state are written only as the gated delta rule, alternating with attention: framework=fsdp has files of this model
nemotron-h-8b on a100-sxm4-80g: 1 warning
2:  no launch file is written for gaudi3: framework=megatron stands for its maker's programs there;
qwen2.5-7b over 2 clusters: nothing found
this takes one cluster: give one of those that + joins; reckon search, predict and check take plans over several
h100-sxm5-80g x16: host memory 1945 of 2048 GiB per node of 8 (the rest for the operating system) at 50 GB/s each, its processors at 614 GB/s together, assumed
l40s x16: host memory 972 of 1024 GiB per node of 8 (the rest for the operating system) at 25 GB/s each, its processors at 614 GB/s together, assumed
=== stderr
reckon: 2c.sh does not say which cluster has which stage: check the plan that reckon search --save-plan wrote with it, or give one cluster
