# A machine of such accelerators has one: no command asks how many, none takes eight; of others the number is asked for.
echo '{"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 2}}' >ds.json
of='-m llama3.2-1b -s rtx3090'
reckon predict $of gbs4 seq1024 | sed -n 2p
reckon fits llama3.2-1b rtx3090 gbs4 seq1024 | sed -n '2p; s/^  assumed: \(gpus [^,]*\),.*/\1/p'
reckon search $of -b 4 --sequence 1024 -k 1 -q | grep -o ', 1 GPU, batch 4'
reckon longest llama3.2-1b rtx3090 --step 4096 --no-lengths lora16 | grep -o 'on [0-9]* GPU[s]*;' | head -1
reckon budget -s rtx3090 -m llama3.2-1b --days 9 -b 4 | sed -n 's/, 9 days$//p'
reckon import ds.json $of | sed -n '/GPU of/p; /^gpus/p'
for command in "search -m llama3.2-1b -s rtx3090,h100 -b 4" "import ds.json -m llama3.2-1b -s h100"; do reckon $command 2>&1 | grep -o 'h100.* does not state a number\|give --gpus N'; done
=== stdout
  llama3.2-1b on rtx3090, 1 GPU, detailed model
  llama3.2-1b on rtx3090, 1 GPU, detailed model
gpus 1 (all of the system)
, 1 GPU, batch 4
on 1 GPUs;
1 rtx3090
llama3.2-1b: 1,235,814,400 parameters, 1 GPU of rtx3090 with DeepSpeed
gpus       1      all of the system
h100-sxm5-80g does not state a number
give --gpus N
=== stderr
reckon: note: ds.json is read as a configuration of DeepSpeed: reckon import deepspeed
