# GPU-hours of published runs (docs/campaign.md has the published ones beside), failures and checkpoints included
hours() { reckon predict --verbose "$@" grad-overlap weight-overlap --price 1 2>/dev/null | sed -n '/^GPU-hours/p'; }
echo 'Llama 3.1 405B, its plan and phases'
hours -m llama3.1-405b -s h100 -g 16384 tp8 pp16 vpp8 sp zero1 gbs2048 embedding-counts head-counts --tokens usual --phases "252M gbs1024 seq4096; 2.618T gbs1024; rest"
echo 'BLOOM 176B, its plan and its four adapters of 100 Gb/s a node; the batch grows by 16 from 192 over 9.77 million samples, here in four parts'
hours -m bloom-176b -s 'a100-sxm4-80g net1=50Gb/s' -g 384 framework=deepspeed attention=unfused tp4 pp12 mbs2 gbs2048 zero1 recompute=full --tokens usual --failures bloom --phases "5G gbs416; 5G gbs880; 5G gbs1344; 5G gbs1808; rest"
echo 'LLaMA 65B: fully sharded behind 8 tensor ranks, overlapped, outputs of linear layers kept, one microbatch'
hours -m llama-65b -s a100-sxm4-80g -g 2048 framework=fsdp zero3 tp8 sp tp-overlap attention=flash recompute=selective mbs8 gbs2048 --tokens usual
sed 's/"power_W": 400,/"power_W": 350,/' "$RECKON_SOURCE/data/systems/a100-sxm4-80g.json" >a100-350w.json
for plan in '7b 1' '13b 2' '34b 4' '70b 8'; do
    set -- $plan
    echo "Llama 2 $1: likewise behind $2, everything computed again to its end (torch before 2.1), 1,024 GPUs held at 350 W"
    [ $2 = 1 ] || set -- $1 "$2 tp-overlap" $2
    hours -m llama2-$1 -s a100-350w.json -g 1024 framework=fsdp zero3 tp$2 sp attention=flash recompute=full recompute-to-end mbs${3:-$2} gbs1024 --tokens usual
done
# power of a node of eight H100 without cooling: measured are 7.75 kW in training of transformers [newkirk2025], 6.74 and 5.85 kW of Llama 2 70B's adapters on one and
# eight nodes, immersed and without fans [mlperf2024power]
node() { reckon predict -s h100 --tokens 1T --price 1 -f json "$@" 2>/dev/null | awk -F'[:,]' '/"gpu_hours"/ { h = $2 } /"energy_kWh"/ { printf "%.1f kW\n", $2 / h * 8 / 1.1 }'; }
node -m llama2-13b -g 8 tp2 sp zero1 gbs64 grad-overlap weight-overlap
node -m llama2-70b -g 8 tp4 cp2 sp gbs8 seq8192 frozen recompute=full
node -m llama2-70b -g 64 tp4 pp2 sp gbs8 seq8192 frozen
=== stdout
Llama 3.1 405B, its plan and phases
GPU-hours                      36.498 M
BLOOM 176B, its plan and its four adapters of 100 Gb/s a node; the batch grows by 16 from 192 over 9.77 million samples, here in four parts
GPU-hours                      1.027 M
LLaMA 65B: fully sharded behind 8 tensor ranks, overlapped, outputs of linear layers kept, one microbatch
GPU-hours                      1.125 M
Llama 2 7b: likewise behind 1, everything computed again to its end (torch before 2.1), 1,024 GPUs held at 350 W
GPU-hours                      185.071 K
Llama 2 13b: likewise behind 2, everything computed again to its end (torch before 2.1), 1,024 GPUs held at 350 W
GPU-hours                      343.916 K
Llama 2 34b: likewise behind 4, everything computed again to its end (torch before 2.1), 1,024 GPUs held at 350 W
GPU-hours                      843.936 K
Llama 2 70b: likewise behind 8, everything computed again to its end (torch before 2.1), 1,024 GPUs held at 350 W
GPU-hours                      1.687 M
6.9 kW
6.9 kW
5.1 kW
