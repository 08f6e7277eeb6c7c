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
1,18785,1.9022438651452194,8.411119254038725,68903.88892908524,4306.493058067827,0.360957015989885,57082795458.56,35028086784,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=zero-bubble sp tp-overlap zero1 grad-overlap weight-overlap offload-optimizer=1,0.9199218431597215,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,none,1,0,even,false,zero-bubble,1,0,false,true,true,false,true,false
2,18833,1.9022438651452194,8.411119254038725,68903.88892908524,4306.493058067827,0.360957015989885,57082795458.56,35028086784,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=zero-bubble embedding-counts head-counts sp tp-overlap zero1 grad-overlap weight-overlap offload-optimizer=1,0.9199218431597215,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,none,1,0,ends,false,zero-bubble,1,0,false,true,true,false,true,false
0
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1,2579,2.1808997085362867,7.336421724196762,60099.96676461987,3756.247922788742,0.3148371594348623,23282457354.24,40468158464,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero3 grad-overlap weight-overlap recompute=selective:layernorm+moe offload-activations=1 offload-optimizer=1,1,,,2,1,1,8,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,layernorm+moe,1,0,even,false,1f1b,3,0,false,true,true,true,true,false
2,3047,2.1084829039523854,7.588394465996258,62164.12746544134,3885.257966590084,0.3256503849098268,23282457354.24,40468158464,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero3 grad-overlap weight-overlap ep-overlap recompute=selective:layernorm+moe offload-activations=1 offload-optimizer=1,1,,,2,1,1,8,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,true,layernorm+moe,1,0,even,false,1f1b,3,0,false,true,true,true,true,false
0
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan
1,22684,1.4290701815702498,11.196091141177783,91718.3786285284,5732.398664283025,0.4804720426630289,84517987287.04,0,dp4 tp2 pp2 vpp16 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act
2,22972,1.432393527676084,11.170114700223763,91505.57962423307,5719.098726514567,0.47935728274468653,82170519224.32,0,dp4 tp2 pp2 vpp16 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act+layernorm
3,2936,1.4668347157197592,10.907841100658011,89357.03429659043,5584.814643536902,0.46810200351098374,81938391572.48,0,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero3 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act+layernorm
4,19648,1.6209469076913257,9.87077363489246,80861.37761703903,5053.83610106494,0.4235970135664907,81867385241.6,0,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=zero-bubble sp tp-overlap zero1 grad-overlap weight-overlap recompute=selective:moe_act+layernorm
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1,2813,1.7117983326050787,9.34689542292672,76569.76730461569,4785.61045653848,0.4011151641928211,76333577338.88,35028080640,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap offload-optimizer=1,0.7549197152277238,,,2,1,1,8,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,true,none,1,0,even,false,1f1b,1,0,false,true,true,false,true,false
0
2
2
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1,2921,1.7305472932563677,9.245630016786672,75740.20109751642,4733.762568594776,0.39676943353328203,66090080337.92,35028080640,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act+layernorm offload-optimizer=1,0.8307527383758047,,,2,1,1,8,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,true,moe_act+layernorm,1,0,even,false,1f1b,1,0,false,true,true,false,true,false
0
=== stderr
pruned by                           plans   share
                                                 %
a check, for many at once            11,544  46.272
memory                                7637  30.612
a bound on the time of their group       0   0.000
evaluated                        5767  23.116
reckon: --where: column 13 of "schedule == zero_bubbles": no such value: zero_bubbles; did you mean zero-bubble
reckon: --sort and --pareto exclude each other: a frontier has an order of its own
