# LLaMA-Factory trains only where do_train says so: exports say it, and check misses it in files and scripts alike.
reckon export llama-factory -m qwen3-8b gpus2 framework=fsdp dp2 gbs2 grad-overlap recompute=full loss-in-chunks lora16 lora-bytes=4 base=nf4-dq -o said.yaml
grep do_train said.yaml
grep -v do_train said.yaml >left.yaml; sed 's/do_train: true/do_train: false/' said.yaml >off.yaml
echo "llamafactory-cli train left.yaml do_train=true" >given.sh
echo "llamafactory-cli train left.yaml" >left.sh
for f in said.yaml left.yaml off.yaml given.sh left.sh; do reckon check $f -m qwen3-8b -s "rtx4090 x2" -g 2 --waste 100; echo "exit $?"; done
reckon import left.yaml -m qwen3-8b -g 2 | head -1
=== stdout
do_train: true
qwen3-8b on rtx4090 x2: nothing found
exit 0
left.yaml: error 1.missing: do_train: nothing is trained without it: give do_train: true
qwen3-8b on rtx4090 x2: 1 error
exit 1
off.yaml:22:11: error 1.missing: do_train false: nothing is trained without it: give do_train: true
qwen3-8b on rtx4090 x2: 1 error
exit 1
qwen3-8b on rtx4090 x2: nothing found
exit 0
left.sh: error 1.missing: do_train: nothing is trained without it: give do_train: true
qwen3-8b on rtx4090 x2: 1 error
exit 1
qwen3-8b: 8,190,735,360 parameters, 2 GPUs with LLaMA-Factory
=== stderr
reckon: note: left.yaml is read as a training of LLaMA-Factory: reckon import llama-factory
reckon: warning: left.yaml: do_train: nothing is trained without it: give do_train: true
