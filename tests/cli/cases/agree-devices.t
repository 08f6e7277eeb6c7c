# On a device that Megatron-LM does not run on, all commands take what does, and no file is proposed that
# nothing there reads.
plan='-m llama3.1-8b -s tpu-v5p -g 8'
reckon predict $plan gbs32 zero3 | sed -n '1p; /plan:/p; /framework/p'
reckon fits llama3.1-8b tpu-v5p -g 8 | grep plan:
reckon search $plan -b 32 -k 1 -q | sed -n '2p; /^To/,$p'
reckon longest llama3.1-8b 'tpu-v5p x8' --no-lengths | sed -n 2p
reckon timeline $plan gbs32 zero3 | grep plan:
reckon budget 'tpu-v5p x8' --days 300 -m llama3.1-8b | grep plan:
reckon diff $plan 'gbs32 zero3' 'gbs32 zero2' | grep plan: | head -1
echo '{"models": ["llama3.1-8b"], "systems": ["tpu-v5p", "h100-sxm5-80g"], "gpus": 8, "batch": 32, "columns": ["plan"]}' > study.json
reckon study study.json -q --export csv
reckon check $plan gbs32 zero1 framework=megatron
reckon predict $plan gbs32 zero1 framework=megatron | sed -n 1p
reckon export torchtitan $plan gbs32 zero3
reckon search $plan -b 32 -q --save-script job.toml >/dev/null; ls
reckon report $plan gbs32 zero3 grad-overlap weight-overlap --format json | grep -c 'reckon export'
=== stdout
fits: P(fits) 91 %, 6.657 s per step (50 % 6.497-8.674 s), MFU 55.2 %, memory 56.2 of 95.7 GiB
  plan: framework=fsdp dp8 gbs32 zero3 xla
  plan: framework=fsdp dp8 gbs32 zero3 xla
  assumed: precision bf16, framework fsdp, microbatch 1, sequence 8192 (the model's),
  no launch file is written for tpu-v5p: framework=fsdp stands for its maker's programs there;
  plan: framework=fsdp dp8 gbs32 zero2 grad-overlap weight-overlap xla
  no launch file is written for tpu-v5p: framework=fsdp stands for its maker's programs there;
To see where the time of the best plan goes:
  reckon predict -m llama3.1-8b -s tpu-v5p -g 8 framework=fsdp dp8 gbs32 zero2 grad-overlap weight-overlap xla
  plan: framework=fsdp cp8 gbs1 seq720896 cp-kind=ulysses zero3 grad-overlap weight-overlap xla
  plan: framework=fsdp dp8 gbs32 zero3 xla
  plan: framework=fsdp dp8 gbs512 zero2 grad-overlap weight-overlap xla
  plan: framework=fsdp dp8 gbs32 zero3 xla
figure,point,model,system,gpus,max_batch,datatype,framework,sequence,strategies,fits,plan
study,1,llama3.1-8b,tpu-v5p,8,32,bf16,fsdp,8192,43018,20535,framework=fsdp dp8 gbs32 zero2 grad-overlap weight-overlap xla
study,2,llama3.1-8b,h100-sxm5-80g,8,32,bf16,megatron,8192,56200,25811,dp8 gbs32 zero3 grad-overlap weight-overlap
error 12.needs: framework megatron: is not on tpu-v5p, which has fsdp: give framework=fsdp
llama3.1-8b on tpu-v5p: 1 error
cannot run: framework megatron: is not on tpu-v5p, which has fsdp: give framework=fsdp
study.db
study.json
0
=== stderr
reckon: no launch file is written for tpu-v5p: framework=fsdp stands for its maker's programs there; give yours the degrees of the plan
reckon: no launch file is written for tpu-v5p: framework=fsdp stands for its maker's programs there; give yours the degrees of the plan
=== exit 1
