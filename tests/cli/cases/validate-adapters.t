# columns of fine-tuning: what is compared goes by memory_kind, what cannot be modelled is named
cat >runs.csv <<E
id,model,gpu,gpus,framework,micro_batch,global_batch,seq,recompute,zero,metric_name,metric_value,memory_kind,method,trainer,lora_rank,lora_targets,lora_dropout,adapter_element_bytes,base_weight_bits,quant,frozen,fused,loss,year,flash_attn
a_1,mistral-7b,A100-SXM4-80GB,1,fsdp,4,4,4096,full,0,peak_mem_gb,16.37,allocated,qlora,hf,16,q+k+v+o,0.1,4,4,nf4-dq,1,0,shifted,2024,1
a_2,mistral-7b,A100-SXM4-80GB,1,fsdp,4,4,4096,full,0,peak_mem_gb,18.5,nvidia-smi,qlora,hf,16,q_proj k_proj v_proj o_proj,0.1,4,4,nf4-dq,1,0,shifted,2024,1
a_3,mistral-7b,A100-SXM4-80GB,1,fsdp,4,4,4096,full,0,peak_mem_gb,17.5,reserved,qlora,hf,16,all-linear,0.1,4,4,nf4-dq,1,0,shifted,2024,1
a_4,mistral-7b,A100-SXM4-80GB,1,fsdp,4,4,4096,full,0,peak_mem_gb,24,stated,qlora,hf,16,q+v,0.1,4,4,nf4,1,0,shifted,2024,1
a_5,mistral-7b,A100-SXM4-80GB,1,fsdp,64,64,4096,full,0,OOM,OOM,allocated,lora,hf,16,q+v,0.1,4,16,,1,0,shifted,2024,1
a_6,mistral-7b,A100-SXM4-80GB,1,fsdp,4,4,4096,full,0,peak_mem_gb,16.37,allocated,adapter,hf,16,q+v,0.1,4,16,,1,0,shifted,2024,1
a_7,mistral-7b,A100-SXM4-80GB,1,fsdp,4,4,4096,full,0,peak_mem_gb,16.37,allocated,qlora,hf,16,q+z,0.1,4,16,,1,0,shifted,2024,1
E
reckon validate runs.csv --brief --unmodelled
reckon validate runs.csv -o - | cut -d, -f1,4,5,6,11,12,14
reckon validate runs.csv --sure 100,20 --brief | sed -n '/What fits/,$p'
reckon validate runs.csv --sure 1; echo "exit $?"
=== stdout
7 rows read

Errors of memory
of                 count  signed  mean  median  90th pct  worst  worst is
                               %     %       %         %      %
allocated              1   -0.65  0.65    0.65      0.65   0.65  a_1
reserved               1    8.81  8.81    8.81      8.81   8.81  a_3
in use                 1    0.48  0.48    0.48      0.48   0.48  a_2
peaks of adapters      3    2.88  3.31    0.65      7.18   8.81  a_3
all peaks              3    2.88  3.31    0.65      7.18   8.81  a_3

What fits
of                               count  right   share
                                                    %
out of memory, rejected              1      1  100.00
ran, accepted                        4      4  100.00
  sure, out of memory, rejected      1      1  100.00
  sure, ran, accepted                4      4  100.00
  unsure                             5      0    0.00

Rows that are not modeled
id   source  reason
a_6          adapters in series, prefixes and prompts
a_7          lora_targets: "z" is not known
id,metric,measured,predicted,error_pct,verdict,reason
a_1,memory.allocated,16370000000,16260000000,-0.65,compared, pipeline 1
a_2,memory.used,18500000000,18590000000,0.48,compared, pipeline 1
a_3,memory.reserved,17500000000,19040000000,8.81,compared, pipeline 1
a_4,memory.bound,24000000000,18480000000,,compared, pipeline 1
a_5,OOM,,,,oom rejected, pipeline 1
a_6,not given,,,,not modelled,"adapters in series
a_7,not given,,,,not modelled,"lora_targets: ""z"" is not known"
What fits
of                               count  right   share
                                                    %
out of memory, rejected              1      1  100.00
ran, accepted                        4      4  100.00
  sure, out of memory, rejected      1      1  100.00
  sure, ran, accepted                4      4  100.00
  unsure                             5      0    0.00
exit 2
=== stderr
reckon: --sure: "1" is not a pair of percentages of 5 to 100 such as 75,20, the larger first, and no single one such as 50: they are bounds of P(fits), not shares of the memory
