# what a plan leaves open is what the system decides, in every command: all its GPUs, the precision and the attention that it has
system='v100-sxm2-32g x16'; plan='tp2 zero1 gbs64'
reckon predict -m gpt2-124m -s "$system" $plan | grep plan:
reckon diff -m gpt2-124m -s "$system" "$plan" "$plan mbs2" | grep plan:
echo '{"tensor": 2, "zero": 1, "batch": 64}' >plan.json; reckon diff -m gpt2-124m -s "$system" plan.json '+mbs2' | grep plan:
reckon export megatron -m gpt2-124m -s "$system" $plan 2>fit | grep plan:; head -1 fit
reckon export megatron -m gpt2-124m -s 'h100-sxm5-80g x16' $plan offload-optimizer 2>&1 >run.sh | head -1

# --gpus wins over a file's, as of predict
echo '{"tensor": 2, "zero": 1, "batch": 64, "gpus": 16}' >plan.json; for ask in 'predict --plan' diff; do reckon $ask plan.json $([ "$ask" = diff ] && echo +mbs2) -m llama3.1-8b -s h100-sxm5-80g -g 32 | grep -m 1 plan:; done

# --log of calibrate, too: the plan is that of the 16 GPUs
for i in 1 2 3 4 5 6 7 8 9; do echo "iteration $i/ 100 | elapsed time per iteration (ms): 246.1 | global batch size: 64 |"; done >log
reckon calibrate -s "$system" --log log -m gpt2-124m --plan "$plan" | sed -n 3,4p
=== stdout
  plan: precision=fp16 dp8 tp2 gbs64 zero1 attention=unfused
  plan: precision=fp16 dp8 tp2 gbs64 zero1 attention=unfused
  plan: precision=fp16 dp8 tp2 mbs2 gbs64 zero1 attention=unfused
  plan: precision=fp16 dp8 tp2 gbs64 zero1 attention=unfused
  plan: precision=fp16 dp8 tp2 mbs2 gbs64 zero1 attention=unfused
# plan:  precision=fp16 dp8 tp2 gbs64 zero1 attention=unfused
reckon: on v100-sxm2-32g x16: 0.2443 s per step, 2.12 of 31.73 GiB
reckon: on h100-sxm5-80g x16 mem2=1945GiB@50GB/s,update=614GB/s,capacity_shared_by=8: 0.2181 s per step, 2.35 of 79.20 GiB
  plan: dp16 tp2 gbs64 zero1
  plan: dp16 tp2 gbs64 zero1
                          %            %      %            %
steps             4     0.7          0.7    0.0          0.0
