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
1,18906,2.0762330537101588,7.706263981978583,63129.71454036855,3945.6071587730344,0.3307086687695786,63645609000.96,0,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=zero-bubble sp tp-overlap zero1 grad-overlap weight-overlap recompute=selective:layernorm+moe,0.8071090677566001,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,layernorm+moe,1,0,even,false,zero-bubble,1,0,false,true,true,false,false,false
2,18930,2.0762330537101588,7.706263981978583,63129.71454036855,3945.6071587730344,0.3307086687695786,63645609000.96,0,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=zero-bubble embedding-counts head-counts sp tp-overlap zero1 grad-overlap weight-overlap recompute=selective:layernorm+moe,0.8071090677566001,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,false,layernorm+moe,1,0,ends,false,zero-bubble,1,0,false,true,true,false,false,false
0
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1,22135,16.620261890208056,0.9626803780647111,7886.277657106113,492.89235356913207,0.04131272261434192,24319210291.2,35028086784,dp4 tp2 pp2 ep8 etp1 gbs16 sp zero1 grad-overlap weight-overlap recompute=full offload-optimizer=1,1,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,none,ring,0,bf16,flash3,1,alltoall,false,full,1,0,even,false,1f1b,1,0,false,true,true,false,true,false
2,22137,17.110941021162965,0.9350742300035432,7660.128092189026,478.7580057618141,0.04012802501035189,24319210291.2,36233306112,dp4 tp2 pp2 ep8 etp1 gbs16 sp zero1 shard=2 grad-overlap weight-overlap recompute=full offload-optimizer=1,1,,,2,1,2,4,1,8,tp-cp-dp-pp,1,true,none,ring,0,bf16,flash3,1,alltoall,false,full,1,0,even,false,1f1b,1,2,false,true,true,false,true,false
0
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan
1,2040,1.498727432876853,10.67572371667843,87455.5286870297,5465.970542939356,0.45814085615946837,84214724239.36,0,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero3 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act
2,2054,1.5019996505810593,10.652465860301822,87265.00032759253,5454.062520474533,0.45714276230507545,81938391572.48,0,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero3 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act+layernorm
3,2418,1.5245451595098343,10.494933456181945,85974.4948730425,5373.405929565156,0.45038237468061987,81267302932.48,0,dp8 tp2 ep8 etp1 gbs16 sp zero3 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act+layernorm
4,21570,1.6601319487739463,9.637788135946932,78952.76040967727,4934.547525604829,0.41359861169768924,81196296601.6,0,dp4 tp2 pp2 ep8 etp1 gbs16 schedule=zero-bubble sp zero1 grad-overlap weight-overlap recompute=selective:moe_act+layernorm
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1
2
2
rank,index,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,offload_bytes,plan,fits_share,days,cost_usd,tensor,context,pipeline,data,expert_tensor,expert,order,microbatch,sequence_parallel,tensor_overlap,context_kind,ulysses,precision,attention,sequence_chunks,dispatcher,expert_overlap,recompute,chunks,recompute_layers,split,pipeline_blocking,schedule,zero,shard_ranks,keep_gathered,gradient_overlap,weight_overlap,activation_offload,optimizer_offload,weight_offload
1,2047,15.677679239307244,1.0205592138844524,8360.421080141434,522.5263175088396,0.043796550418403885,66090080337.92,35028080640,dp8 tp2 ep8 etp1 gbs16 sp tp-overlap zero1 grad-overlap weight-overlap ep-overlap recompute=selective:moe_act+layernorm offload-optimizer=1,0.7944046234657345,,,2,1,1,8,1,8,tp-cp-dp-pp,1,true,ring,ring,0,bf16,flash3,1,alltoall,true,moe_act+layernorm,1,0,even,false,1f1b,1,0,false,true,true,false,true,false
0
=== stderr
pruned by                            plans   share
                                                 %
a check, for many at once           13,342  55.087
memory                                7745  31.978
a bound on the time of their group       0   0.000
evaluated                             3133  12.936
reckon: --where: column 13 of "schedule == zero_bubbles": no such value: zero_bubbles; did you mean zero-bubble
reckon: --sort and --pareto exclude each other: a frontier has an order of its own
