reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 -g64 -b96 -k2 -q --tensor=8 --tensor 4 --pipeline 1..64 --recompute full,attention --zero 0 --weight-offload no --data-network 1 -f csv | cut -d, -f1,13-22
=== stdout
rank,cost_usd,tensor,pipeline,data,microbatch,tensor_overlap,precision,recompute,chunks,zero
1,,8,8,1,3,ring,bf16,core_attn,6,0
2,,8,8,1,3,ring,bf16,core_attn,6,0
