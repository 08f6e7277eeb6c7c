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
1,18785,1.9022438651452194,8.411119254038725,68903.88892908524,4306.493058067827,0.360957015989885,57231735193.6,35028086784,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=zero-bubble sp tp-overlap zero1 grad-overlap weight-overlap offload-optimizer=1,0.8667148978290874,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,none,1,0,even,false,zero-bubble,1,0,false,true,true,false,true,false
2,18833,1.9022438651452194,8.411119254038725,68903.88892908524,4306.493058067827,0.360957015989885,57231735193.6,35028086784,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=zero-bubble embedding-counts head-counts sp tp-overlap zero1 grad-overlap weight-overlap offload-optimizer=1,0.8667148978290874,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,none,1,0,ends,false,zero-bubble,1,0,false,true,true,false,true,false
0
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1,20487,2.616022612059619,6.116155084532335,50103.54245248889,3131.4714032805555,0.26247031125900505,23648603668.48,43492442112,dp4 tp2 pp2 ep8 etp1 gbs16 sp tp-overlap grad-overlap recompute=selective:layernorm+moe offload-activations=1 offload-optimizer=1,1,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,layernorm+moe,1,0,even,false,1f1b,0,0,false,true,false,true,true,false
2,20491,2.5800160186031915,6.201511883892227,50802.78535284512,3175.17408455282,0.26613333572231884,23648603668.48,39876820992,dp4 tp2 pp2 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap recompute=selective:layernorm+moe offload-activations=1 offload-optimizer=1,1,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,layernorm+moe,1,0,even,false,1f1b,1,0,false,true,true,true,true,false
0
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan
1,22684,1.4290701815702498,11.196091141177783,91718.3786285284,5732.398664283025,0.4804720426630289,84517987287.04,0,dp4 tp2 pp2 vpp16 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act
2,22972,1.432393527676084,11.170114700223763,91505.57962423307,5719.098726514567,0.47935728274468653,82170519224.32,0,dp4 tp2 pp2 vpp16 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act+layernorm
3,2813,1.7117983326050787,9.34689542292672,76569.76730461569,4785.61045653848,0.4011151641928211,76482517073.92,35028080640,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap offload-optimizer=1
4,21784,1.7124621019786184,9.343272462212875,76540.08801044787,4783.755500652992,0.40095968749003985,77337549864.96,0,dp4 tp2 pp2 vpp8 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap recompute=full recompute-layers=1
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1,2849,1.7162783326050788,9.322497229056175,76369.89730042819,4773.118581276762,0.4000681335909395,74206184407.04,35028080640,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap recompute=selective:layernorm offload-optimizer=1,0.7592571656136091,,,2,1,1,8,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,true,layernorm,1,0,even,false,1f1b,1,0,false,true,true,false,true,false
0
2
2
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1,2921,1.7305472932563677,9.245630016786672,75740.20109751642,4733.762568594776,0.39676943353328203,66487993958.4,35028080640,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act+layernorm offload-optimizer=1,0.8013154113374156,,,2,1,1,8,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,true,moe_act+layernorm,1,0,even,false,1f1b,1,0,false,true,true,false,true,false
0
=== stderr
settled by                           plans   share
                                                 %
a check, of many at once            11,544  46.272
memory                                7647  30.652
a bound on the time of their group       0   0.000
their own time                        5757  23.076
reckon: --where: column 13 of "schedule == zero_bubbles": no such value: zero_bubbles; did you mean zero-bubble
reckon: --sort and --pareto exclude each other: a frontier has an order of its own
