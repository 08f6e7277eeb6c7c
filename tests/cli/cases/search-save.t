# What a search finds goes on: the plan as a file, the script that launches it, the answer in a file of its own.
on="-m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256"
reckon search $on --top 1 -q -o answer.txt --save-plan plan.json --save-script run.sh; echo $?
sed -n 1,2p answer.txt
reckon import megatron run.sh --format json 2>/dev/null | grep -c '"tensor": 4'
reckon predict -m llama3.1-70b -s h100-sxm5-80g --plan plan.json | sed -n 2p
reckon fits llama3.1-70b h100-sxm5-80g -g 64 --save-script fits.sh >/dev/null; cmp run.sh fits.sh && echo 'fits launches the same'
reckon predict $on tp4 zero3 sp grad-overlap weight-overlap tp-overlap --save-script predict.sh >/dev/null; cmp run.sh predict.sh && echo 'predict too'
for framework in fsdp deepspeed; do
    reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 64 --pipeline 1 --framework $framework -q --save-script - 2>/dev/null | sed -n '$p'
done
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 64 --framework calculon -q --save-script x.sh >/dev/null
=== stdout
0
Best plan fits: P(fits) 78 %, 28.98 s per step (50 % 27.18-34.77 s), MFU 51.3 %, memory 65.1 of 79.2 GiB on stage 0 of 0-3, 611.6 USD per 1B tokens
llama3.1-70b on h100-sxm5-80g, 64 GPUs, batch 256 of 8K tokens, megatron, bf16, detailed model
1
  llama3.1-70b on h100-sxm5-80g, 64 GPUs, detailed model
fits launches the same
run.sh predict.sh differ: char 122, line 5
    -m torchtitan.train --job.config_file job.toml --checkpoint.enable --checkpoint.interval 9030 "$@"
    train.py --deepspeed ds_config.json "$@"
=== stderr
reckon: --save-script: calculon is a model of training, nothing that runs: choose framework megatron, fsdp or deepspeed
=== exit 2
