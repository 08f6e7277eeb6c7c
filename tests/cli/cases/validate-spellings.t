reckon validate "$SOURCE/tests/data/cases/validate-spellings/runs.csv" --rows --format csv
# frameworks and their trainers; "no torch.compile" is not compiled
runs=$SOURCE/tests/data/cases/validate-spellings/runs.csv
sed -n '2s/$/,framework,notes/p' "$runs" >names.csv
row=$(grep ',zero=FSDP,' "$runs" | sed 's/,FSDP,1,tokens/,3,1,tokens/')
while IFS='|' read -r name note; do
    echo "$(printf %s "$row" | sed "s/zero=FSDP/$name $note/"),$name,$note"
done >>names.csv <<'NAMES'
PyTorch|
PyTorch DDP|
nanoGPT|
Composer|
HF Trainer|
TRL|
axolotl|
LLaMA-Factory|
Unsloth|
Colossal-AI|
axolotl+DeepSpeed|
FSDP2|
FSDP2|torch.compile
FSDP2|no torch.compile
FSDP2|without torch.compile
somebody's own|
NAMES
reckon validate names.csv --rows --format csv | cut -d, -f1,6,12,14
=== stdout
id,source,gpu,metric,measured,predicted,low50,high50,low90,high90,error_pct,verdict,open,reason
gpu=8x H100 80GB HBM3,gpu=8x H100 80GB HBM,H100 80GB HBM3,tokens_per_s_per_gpu,9000,8026,6461,8660,4046,10560,12.14,compared,,
gpu=H100,gpu=H,H100,tokens_per_s_per_gpu,9000,8026,6461,8660,4046,10560,12.14,compared,,
gpu=h100 sxm,gpu=h100 sxm,h100 sxm,tokens_per_s_per_gpu,9000,8026,6461,8660,4046,10560,12.14,compared,,
gpu=Ampere (unnamed),gpu=Ampere (unnamed),Ampere (unnamed),tokens_per_s_per_gpu,3500,2841,2284,3087,1426,3744,23.2,compared,,
gpu=Hopper,gpu=Hopper,Hopper,tokens_per_s_per_gpu,9000,8026,6461,8660,4046,10560,12.14,compared,,
gpu=B200,gpu=B,B200,tokens_per_s_per_gpu,18000,12490,9818,14410,5801,16980,44.14,compared,,
precision=fp8,precision=fp,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,9889,7707,10790,4498,13560,-8.99,compared,,
precision=FP8 (tensorwise),precision=FP8 (tensorwise),H100-SXM5-80GB,tokens_per_s_per_gpu,9000,9889,7707,10790,4498,13560,-8.99,compared,,
recompute=selective,recompute=selective,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,7794,6290,8404,3959,10220,15.47,compared,,
recompute=Selective AC,recompute=Selective AC,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,7794,6290,8404,3959,10220,15.47,compared,,
recompute=selective (every 2nd layer),recompute=selective (every 2nd layer),H100-SXM5-80GB,tokens_per_s_per_gpu,9000,7184,5833,7729,3720,9349,25.28,compared,,
recompute=op-level,recompute=op-level,H100-SXM5-80GB,tokens_per_s_per_gpu,,,,,,,,not modelled,,"recompute: ""op-level"" is not known"
recompute=full AC,recompute=full AC,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,6502,5315,6979,3439,8391,38.42,compared,,
recompute=yes,recompute=yes,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,6502,5315,6979,3439,8391,38.42,compared,,
recompute=checkpointing,recompute=checkpointing,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,6502,5315,6979,3439,8391,38.42,compared,,
recompute=uniform 1,recompute=uniform ,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,6502,5315,6979,3439,8391,38.42,compared,,
recompute=block:8,recompute=block:,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,7581,6132,8168,3877,9917,18.71,compared,,
recompute=attn,recompute=attn,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,7794,6290,8404,3959,10220,15.47,compared,,
zero=FSDP,zero=FSDP,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8026,6461,8660,4046,10560,12.14,compared,,
zero=HSDP,zero=HSDP,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8026,6461,8660,4046,10560,12.14,compared,,
zero=distributed optimizer,zero=distributed optimizer,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,9204,7636,9827,5102,11660,-2.21,refused,,"needs 91.75 GiB, has 79.20"
flash_attn=FA2,flash_attn=FA,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8026,6461,8660,4046,10560,12.14,compared,,
flash_attn=flash_attn_3,flash_attn=flash_attn,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8026,6461,8660,4046,10560,12.14,compared,,
metric_name=MFU,metric_name=MFU,H100-SXM5-80GB,mfu_pct,45,46.98,37.82,50.69,23.68,61.8,-4.21,compared,,
metric_name=mfu_pct,metric_name=mfu_pct,H100-SXM5-80GB,mfu_pct,,,,,,,,not modelled,,a utilisation below 1 %: a share where percent are wanted?
metric_name=tok/s/gpu,metric_name=tok/s/gpu,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8026,6461,8660,4046,10560,12.14,compared,,
metric_name=seconds_per_iteration,metric_name=seconds_per_iteration,H100-SXM5-80GB,iter_time_s,1.8,2.041,1.892,2.536,1.552,4.05,13.42,compared,,
gpus=64 (8x8),gpus=64 (8x8),H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8026,6461,8660,4046,10560,12.14,compared,,
micro_batch=auto,micro_batch=auto,H100-SXM5-80GB,tokens_per_s_per_gpu,,,,,,,,not modelled,,"micro_batch: ""auto"" is not a number"
global_batch=4M tokens,global_batch=4M tokens,H100-SXM5-80GB,tokens_per_s_per_gpu,,,,,,,,not modelled,,"global_batch: ""4M tokens"" is not a number"
seq=8k,seq=8k,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8026,6461,8660,4046,10560,12.14,compared,,
layers=32L,layers=32L,H100-SXM5-80GB,tokens_per_s_per_gpu,,,,,,,,not modelled,,"model: layers: must be an integer, got the string ""32L"""
vpp=-,vpp=,H100-SXM5-80GB,tokens_per_s_per_gpu,9000,8026,6461,8660,4046,10560,12.14,compared,,
flash_attn=mine,flash_attn=mine,H100,tokens_per_s_per_gpu,,,,,,,,not modelled,,a kernel of attention that is not known
id,predicted,verdict,reason
PyTorch ,8861,compared,
PyTorch DDP ,8861,compared,
nanoGPT ,8861,compared,
Composer ,8861,compared,
HF Trainer ,7878,compared,
TRL ,7878,compared,
axolotl ,7878,compared,
LLaMA-Factory ,7878,compared,
Unsloth ,8861,compared,
Colossal-AI ,7062,compared,
axolotl+DeepSpeed ,7115,compared,
FSDP2 ,7856,compared,
FSDP2 torch.compile,8861,compared,
FSDP2 no torch.compile,7856,compared,
FSDP2 without torch.compile,7856,compared,
somebody's own ,,not modelled,"framework: ""somebody's own"" is not known"
