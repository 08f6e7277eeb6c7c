# Restrictions of both spaces, alone or as lists; the plan in words shows what was chosen.
search() { reckon search -m llama3.1-8b -s h100-sxm5-80g -g 16 -b 64 --top 1 -q "$@" -f csv | tail -1 | tr ',' '\n' | grep gbs64; }
search --pipeline 4 --schedule zero-bubble --zero 0 --recompute none --tensor 2 --split even
search --pipeline 4 --chunks 2 --zero 0 --recompute full --recompute-layers 2 --tensor 2 --split ends
search --pipeline 4 --uneven --chunks 1 --schedule 1f1b --zero 1 --recompute full --recompute-layers 0 --tensor 2 --microbatch 1
search --pipeline 2 --zero 1 --schedule dualpipe --recompute-parts core_attn+mlp,layernorm+mlp --tensor 4 --microbatch 1 --split even --chunks 1
search --context 4 --context-kind ulysses --tensor 1 --pipeline 1 --zero 3 --shard-ranks 8 --recompute selective --keep-gathered yes
search --framework fsdp --precision fp8-current --tensor 1 --pipeline 1 --context 1 --zero 3 --microbatch 1 --recompute full --recompute-layers 0 --keep-gathered no
=== stdout
dp2 tp2 pp4 gbs64 schedule=zero-bubble sp tp-overlap grad-overlap
tp2 pp4 vpp2 cp2 gbs64 embedding-counts head-counts sp tp-overlap grad-overlap recompute=full recompute-layers=2
"tp2 pp4 cp2 gbs64 split=8
dp2 tp4 pp2 gbs64 schedule=dualpipe sp tp-overlap zero1 grad-overlap weight-overlap recompute=selective:layernorm+mlp
dp4 cp4 mbs2 gbs64 cp-kind=ulysses zero3 shard=8 grad-overlap weight-overlap keep-gathered recompute=selective
framework=fsdp precision=fp8-current dp16 gbs64 zero3 grad-overlap weight-overlap recompute=full
