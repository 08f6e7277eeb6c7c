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
1,9892,2.0762330537101588,7.706263981978583,63129.71454036855,3945.6071587730344,0.3307086687695786,63645609000.96,0,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=zero-bubble sp tp-overlap zero1 grad-overlap weight-overlap recompute=selective:layernorm+moe,0.8071090677566001,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,layernorm+moe,1,0,even,false,zero-bubble,1,0,false,true,true,false,false,false
2,9916,2.0762330537101588,7.706263981978583,63129.71454036855,3945.6071587730344,0.3307086687695786,63645609000.96,0,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=zero-bubble embedding-counts head-counts sp tp-overlap zero1 grad-overlap weight-overlap recompute=selective:layernorm+moe,0.8071090677566001,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,layernorm+moe,1,0,ends,false,zero-bubble,1,0,false,true,true,false,false,false
0
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1,10025,16.580703512578427,0.9649771487598282,7905.092802640513,494.06830016503204,0.0414112868447949,24990298931.2,35028086784,dp4 tp2 pp2 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap recompute=full offload-optimizer=1,1,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,full,1,0,even,false,1f1b,1,0,false,true,true,false,true,false
2,10027,17.071382643533337,0.9372410152179924,7677.878396665794,479.8673997916121,0.040221011009203715,24990298931.2,36233306112,dp4 tp2 pp2 ep8 etp1 gbs16 sp tp-overlap zero1 shard=2 grad-overlap weight-overlap recompute=full offload-optimizer=1,1,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,full,1,0,even,false,1f1b,1,2,false,true,true,false,true,false
0
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan
1,1130,1.498727432876853,10.67572371667843,87455.5286870297,5465.970542939356,0.45814085615946837,84214724239.36,0,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero3 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act
2,1144,1.5019996505810593,10.652465860301822,87265.00032759253,5454.062520474533,0.45714276230507545,81938391572.48,0,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero3 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act+layernorm
3,9460,1.6338519076913252,9.792809204237129,80222.69300111056,5013.91831256941,0.42025122718625524,81867385241.6,0,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=zero-bubble sp tp-overlap zero1 grad-overlap weight-overlap recompute=selective:moe_act+layernorm
4,1088,1.7353053242659777,9.220279438010651,75532.52915618326,4720.7830722614535,0.3956815320314439,76591913574.4,0,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero3 grad-overlap weight-overlap recompute=full recompute-layers=16
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1
2
2
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1,1137,15.677679239307244,1.0205592138844524,8360.421080141434,522.5263175088396,0.043796550418403885,66090080337.92,35028080640,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act+layernorm offload-optimizer=1,0.7944046234657345,,,2,1,1,8,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,true,moe_act+layernorm,1,0,even,false,1f1b,1,0,false,true,true,false,true,false
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
