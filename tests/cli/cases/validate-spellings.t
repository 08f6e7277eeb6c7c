reckon validate "$SOURCE/tests/data/cases/validate-spellings/runs.csv" --rows --format csv
=== stdout
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
gpu=8x H100 80GB HBM3,gpu=8x H100 80GB HBM,H100 80GB HBM3,tokens_per_s_per_gpu,9000,8030,5972,8265,2817,9935,12.08,compared,,
gpu=H100,gpu=H,H100,tokens_per_s_per_gpu,9000,8030,5972,8265,2817,9935,12.08,compared,,
gpu=h100 sxm,gpu=h100 sxm,h100 sxm,tokens_per_s_per_gpu,9000,8030,5972,8265,2817,9935,12.08,compared,,
gpu=Ampere (unnamed),gpu=Ampere (unnamed),Ampere (unnamed),tokens_per_s_per_gpu,3500,2827,2100,2897,980.4,3507,23.78,compared,,
gpu=Hopper,gpu=Hopper,Hopper,tokens_per_s_per_gpu,9000,8030,5972,8265,2817,9935,12.08,compared,,
gpu=B200,gpu=B,B200,tokens_per_s_per_gpu,18000,12220,8629,12650,3834,15470,47.26,compared,,
precision=fp8,precision=fp,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,9896,7039,10230,2966,12640,-9.05,compared,,
precision=FP8 (tensorwise),precision=FP8 (tensorwise),H100-SXM5-80GB,tokens_per_s_per_gpu,9000,9896,7039,10230,2966,12640,-9.05,compared,,
recompute=selective,recompute=selective,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,7798,5818,8024,2768,9626,15.41,compared,,
recompute=Selective AC,recompute=Selective AC,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,7798,5818,8024,2768,9626,15.41,compared,,
recompute=selective (every 2nd layer),recompute=selective (every 2nd layer),H100-SXM5-80GB,tokens_per_s_per_gpu,9000,7187,5408,7389,2628,8818,25.22,compared,,
recompute=op-level,recompute=op-level,H100-SXM5-80GB,tokens_per_s_per_gpu,,,,,,,,not modelled,,"recompute: ""op-level"" is not known"
recompute=full AC,recompute=full AC,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,6505,4939,6682,2456,7928,38.36,compared,,
recompute=yes,recompute=yes,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,6505,4939,6682,2456,7928,38.36,compared,,
recompute=checkpointing,recompute=checkpointing,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,6505,4939,6682,2456,7928,38.36,compared,,
recompute=uniform 1,recompute=uniform ,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,6505,4939,6682,2456,7928,38.36,compared,,
recompute=block:8,recompute=block:,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,7585,5676,7803,2721,9343,18.65,compared,,
recompute=attn,recompute=attn,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,7798,5818,8024,2768,9626,15.41,compared,,
zero=FSDP,zero=FSDP,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8030,5972,8265,2817,9935,12.08,compared,,
zero=HSDP,zero=HSDP,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8030,5972,8265,2817,9935,12.08,compared,,
zero=distributed optimizer,zero=distributed optimizer,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,9209,7136,9441,3737,11060,-2.27,refused,,"needs 91.75 GiB, has 80.00"
flash_attn=FA2,flash_attn=FA,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8030,5972,8265,2817,9935,12.08,compared,,
flash_attn=flash_attn_3,flash_attn=flash_attn,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8030,5972,8265,2817,9935,12.08,compared,,
metric_name=MFU,metric_name=MFU,H100-SXM5-80GB,mfu_pct,45,47,34.95,48.38,16.49,58.15,-4.26,compared,,
metric_name=mfu_pct,metric_name=mfu_pct,H100-SXM5-80GB,mfu_pct,,,,,,,,not modelled,,a utilisation below 1 %: a share where percent are wanted?
metric_name=tok/s/gpu,metric_name=tok/s/gpu,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8030,5972,8265,2817,9935,12.08,compared,,
metric_name=seconds_per_iteration,metric_name=seconds_per_iteration,H100-SXM5-80GB,iter_time_s,1.8,2.04,1.982,2.744,1.649,5.815,13.36,compared,,
gpus=64 (8x8),gpus=64 (8x8),H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8030,5972,8265,2817,9935,12.08,compared,,
micro_batch=auto,micro_batch=auto,H100-SXM5-80GB,tokens_per_s_per_gpu,,,,,,,,not modelled,,"micro_batch: ""auto"" is not a number"
global_batch=4M tokens,global_batch=4M tokens,H100-SXM5-80GB,tokens_per_s_per_gpu,,,,,,,,not modelled,,"global_batch: ""4M tokens"" is not a number"
seq=8k,seq=8k,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8030,5972,8265,2817,9935,12.08,compared,,
layers=32L,layers=32L,H100-SXM5-80GB,tokens_per_s_per_gpu,,,,,,,,not modelled,,"model: layers: must be an integer, got the string ""32L"""
vpp=-,vpp=,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8030,5972,8265,2817,9935,12.08,compared,,
flash_attn=mine,flash_attn=mine,H100,tokens_per_s_per_gpu,,,,,,,,not modelled,,a kernel of attention that is not known
