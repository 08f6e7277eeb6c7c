# Conditions, orders, frontiers, explanations and states of the space of today's plans.
search() { reckon search -m mixtral-8x7b -s 'h100-sxm5-80g mem2=1TiB@50GB/s' -g 16 -b 16 --tensor 2 --context 1 --pipeline 1,2 --expert-tensor 1 --microbatch 1 --schedule gpipe,1f1b,zero-bubble,dualpipe --format csv -q "$@"; echo "$?"; }
search --where 'hbm <= 60GiB and schedule == zero-bubble and not recompute == full' --top 2
search --sort hbm --top 2 --explain
search --pareto time,hbm,mem2 | cut -d, -f1-10 | head -5
search --where 'mem2 > 0 and mfu > 0.2' --sort mfu --top 1
search --where 'schedule == zero_bubbles'
search --sort time --pareto time
search --state state --where 'recompute == layernorm+moe_act' --top 1
ls
=== stdout
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1,9029,1.9151488651452195,8.35444193983676,68439.58837114275,4277.474273196422,0.3585247506051279,57082795458.56,35028086784,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=zero-bubble sp tp-overlap zero1 grad-overlap weight-overlap offload-optimizer=1,0.8350102588603459,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,none,1,0,even,false,zero-bubble,1,0,false,true,true,false,true,false
2,9053,1.9151488651452195,8.35444193983676,68439.58837114275,4277.474273196422,0.3585247506051279,57082795458.56,35028086784,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=zero-bubble embedding-counts head-counts sp tp-overlap zero1 grad-overlap weight-overlap offload-optimizer=1,0.8350102588603459,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,none,1,0,ends,false,zero-bubble,1,0,false,true,true,false,true,false
0
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1,10025,2.668738941577515,5.9953410019723625,49113.833488157594,3069.6145930098496,0.2572856634834472,24990298931.2,35028086784,dp4 tp2 pp2 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap recompute=full offload-optimizer=1,1,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,full,1,0,even,false,1f1b,1,0,false,true,true,false,true,false
2,10027,2.680750664105065,5.968477491860065,48893.76761331765,3055.860475832353,0.25613283564255157,24990298931.2,36233306112,dp4 tp2 pp2 ep8 etp1 gbs16 sp tp-overlap zero1 shard=2 grad-overlap weight-overlap recompute=full offload-optimizer=1,1,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,full,1,0,even,false,1f1b,1,2,false,true,true,false,true,false
0
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan
1,1130,1.4745884980155528,10.850484743053546,88887.17101509465,5555.448188443415,0.4656405974764639,84214724239.36,0,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero3 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act
2,1144,1.477860715719759,10.826460051215015,88690.3607395534,5543.147546222088,0.4646095954404449,81938391572.48,0,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero3 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act+layernorm
3,9460,1.6338519076913252,9.792809204237129,80222.69300111056,5013.91831256941,0.42025122718625524,81867385241.6,0,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=zero-bubble sp tp-overlap zero1 grad-overlap weight-overlap recompute=selective:moe_act+layernorm
4,10871,1.716015221501685,9.323926617619627,76381.60685153998,4773.850428221249,0.4001294747531523,81654352117.76,35028080640,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=dualpipe sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act offload-optimizer=1
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1,1095,1.7228243326050785,9.287075703073244,76079.72415957601,4754.982759973501,0.39854804477345324,76333577338.88,35028080640,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap offload-optimizer=1,0.7530669992526777,,,2,1,1,8,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,true,none,1,0,even,false,1f1b,1,0,false,true,true,false,true,false
0
2
2
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1,1137,1.7415732932563677,9.187095405030838,75260.68555801263,4703.792847375789,0.3942574635857192,66090080337.92,35028080640,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act+layernorm offload-optimizer=1,0.7907271505521717,,,2,1,1,8,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,true,moe_act+layernorm,1,0,even,false,1f1b,1,0,false,true,true,false,true,false
0
=== stderr
pruned by                           plans   share
                                                %
a check, for many at once            6671  55.087
memory                               3886  32.089
a bound on the time of their group      0   0.000
evaluated                            1553  12.824
reckon: --where: column 13 of "schedule == zero_bubbles": no such value: zero_bubbles; did you mean zero-bubble
reckon: --sort and --pareto exclude each other: a frontier has an order of its own
