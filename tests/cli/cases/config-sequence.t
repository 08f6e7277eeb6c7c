# a config.json that says the longest sample alone: what is taken, and why, is said; unless it is given
cp "$RECKON_SOURCE/tests/data/hf/llama-3.1-8b.json" stretched.json
sed '/rope_scaling/,/}/d' stretched.json >plain.json
for m in llama3.1-8b ./stretched.json ./plain.json; do
    reckon predict -m $m -s h100-sxm5-80g -g 8 tp8 gbs32 | sed -n '/assumed/,/attention/p'
done
reckon predict -m ./plain.json -s h100-sxm5-80g -g 8 tp8 gbs32 seq=8192 | sed -n 3,4p
reckon search -m ./plain.json -s h100-sxm5-80g -g 8 -b 32 -k 1 2>&1 | sed -n '/evaluated/d; 1,2p'
reckon search -m ./plain.json -s h100-sxm5-80g -g 8 -b 32 -k 1 --sequence 8192 2>&1 | sed -n '/evaluated/d; 1,2p'
reckon export megatron -m ./plain.json tp8 gbs32 2>&1 >script | grep sequence
reckon export megatron -m ./plain.json tp8 gbs32 seq8192 2>&1 >script | grep sequence
reckon check tp8 gbs32 -m ./plain.json -s h100-sxm5-80g 2>&1 >found | grep sequence
reckon check tp8 gbs32 seq8192 -m ./plain.json -s h100-sxm5-80g 2>&1 >found | grep sequence
reckon diff 'tp8 gbs32' 'tp4 gbs32 dp2' -m ./plain.json -s h100-sxm5-80g 2>&1 >found | grep sequence
# learned positions end: what is timed needs more of them
reckon predict -m gpt2-124m -s h100-sxm5-80g -g 8 seq=2048 gbs32 | sed -n '/assumed/,/attention/p'
=== stdout
  assumed: precision bf16, framework megatron, microbatch 1, sequence 8192 (the model's),
  attention flash3
  assumed: precision bf16, framework megatron, microbatch 1,
  sequence 8192 (original_max_position_embeddings, before the context was stretched to 131072;
  seqN sets another), attention flash3
  assumed: precision bf16, framework megatron, microbatch 1,
  sequence 4096 (usual in pre-training; the file allows up to 131072 and does not say; seqN sets
  another), attention flash3
  plan: tp8 gbs32 seq8192
  assumed: precision bf16, framework megatron, microbatch 1, attention flash3
reckon: ./plain.json: sequence 4096: usual in pre-training; the file allows up to 131072 and does not say; --sequence sets another
Best plan fits: P(fits) 76 %, 3.368 s per step (50 % 3.159-4.041 s), MFU 50.6 %, memory 69.4 of 79.2 GiB, 71.09 USD per 1B tokens
reckon: warning: ./plain.json: sequence 4096 is assumed (usual in pre-training; the file allows up to 131072 and does not say): give seqN
reckon: warning: ./plain.json: sequence 4096 is assumed (usual in pre-training; the file allows up to 131072 and does not say): give seqN
reckon: warning: ./plain.json: sequence 4096 is assumed (usual in pre-training; the file allows up to 131072 and does not say): give seqN
  assumed: precision bf16, framework megatron, microbatch 1,
  learned positions 2048 (the model's table has 1024), attention flash3
