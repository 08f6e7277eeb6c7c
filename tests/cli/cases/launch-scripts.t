# Each script that is written is bash, has nothing that check objects to, and gives its plan back.
try() { # SYSTEM MODEL WORDS...
    system=$1 model=$2; shift 2
    for launcher in torchrun slurm mpirun; do
        reckon export megatron -m $model -s "$system" --tokens 1T --launcher $launcher -o run.sh "$@" 2>/dev/null || return
        bash -n run.sh && { ! command -v shellcheck >/dev/null || shellcheck run.sh; } && { reckon check run.sh -s "$system" >said 2>&1 || cat said; }
        reckon import megatron run.sh --format json 2>/dev/null | python3 -c "
import json, subprocess, sys
run = json.load(sys.stdin)['plan']
asked = json.loads(subprocess.check_output(['reckon', 'predict', '-m', '$model', '-s', '$system', '--format', 'json'] + sys.argv[1:]))['plan']
print('$launcher', 'gives' if run == asked else [(k, asked[k], run.get(k)) for k in asked if run.get(k) != asked[k]], 'the plan back')" "$@"
    done
}
try "h100 net1.name=InfiniBand" llama3.1-70b gpus64 tp4 pp4 vpp5 cp2 sp zero1 grad-overlap weight-overlap gbs256 framework=megatron
try "h200 net1.name=EFA" mixtral-8x7b gpus64 tp2 pp2 ep8 etp1 sp zero1 gbs128 grad-overlap mbs2 framework=megatron
try "h200 net1.name=RoCE" llama3.1-8b gpus16 tp2 sp zero3 grad-overlap weight-overlap gbs256 recompute=full framework=megatron
try "h800 net1.name=Slingshot" gpt3-175b gpus512 tp8 pp8 vpp2 sp gbs1536 recompute=selective framework=megatron
# The same code writes what search saves, and other tools' scripts; variables are of fabrics that are known.
reckon search -m llama3.1-8b -s "h200 net1.name=RoCE" -g 16 -b 256 --tokens 100G --launcher slurm --save-script run.sh -q >table && sed -n '/SBATCH/,/append/p; /^# Yours/,/^$/p; /^# The run/,/^$/p; /NCCL/p' run.sh
reckon export megatron -m llama3.1-8b -s h200 --launcher slurm gpus16 gbs256 zero1 2>/dev/null | grep -E 'time|SAVE_INTERVAL=|TRAIN_ITERS=|NCCL'
reckon export torchtitan -m llama3.1-8b -s "h200 net1.name=InfiniBand" --tokens 100G --launcher slurm framework=fsdp gpus16 zero3 gbs256 -o titan.sh 2>/dev/null; grep -E 'SBATCH|NCCL|checkpoint' titan.sh; bash -n titan.sh
reckon export deepspeed -m llama3.1-8b -s "h200 net1.name=EFA" --tokens 100G --launcher mpirun framework=deepspeed gpus16 zero2 gbs256 2>/dev/null | grep -vE '^ |^[{}]'
# Nodes have as many GPUs as the system's, trays of a rack as many as are known.
for s in gb200-nvl72 "a100-sxm4-80g nvl4" h100; do reckon export megatron -m llama3.1-8b -s "$s" --launcher slurm gpus72 tp2 gbs288 framework=megatron 2>/dev/null | grep -E 'nodes=|per-node=[0-9]*$' | tr '\n' ' '; echo; done
reckon search -m llama3.1-8b -s h200 -g 16 -b 256 --launcher slurm
reckon search -m llama3.1-8b -s h200 -g 16 -b 256 --launcher kubernetes --save-script run.sh
# What Megatron-LM left in front of the limit is queued again, but neither a run that did nothing nor one at its end.
mkdir bin
printf '#!/bin/sh\nmkdir -p checkpoints; echo $ITERATION >checkpoints/latest_checkpointed_iteration.txt\n' >bin/srun
printf '#!/bin/sh\n[ $1 = requeue ] && echo "queued $2 again" || echo node1\n' >bin/scontrol
chmod +x bin/srun bin/scontrol
steps=$(sed -n 's/^TRAIN_ITERS=\([0-9]*\).*/\1/p' run.sh)
for at in 500 500 900 $steps; do
    echo "at ${at%$steps}: $(ITERATION=$at SLURM_JOB_ID=7 SLURM_JOB_NODELIST=n PATH=$PWD/bin:$PATH bash run.sh)"
done
=== stdout
torchrun gives the plan back
slurm gives the plan back
mpirun gives the plan back
torchrun gives the plan back
slurm gives the plan back
mpirun gives the plan back
torchrun gives the plan back
slurm gives the plan back
mpirun gives the plan back
torchrun gives the plan back
slurm gives the plan back
mpirun gives the plan back
#SBATCH --job-name=reckon
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --exclusive
#SBATCH --time=7-06:00:00
# ^ the run takes 6.57 days, failures and checkpoints included; the limit is longer
#SBATCH --requeue
# ^ after a node fails it starts again, from the newest checkpoint
#SBATCH --open-mode=append
# Yours:
MEGATRON=${MEGATRON:-.} # its folder
DATA=${DATA:-/path/to/data_text_document} # the .bin and .idx of tools/preprocess_data.py, without their ends
TOKENIZER=${TOKENIZER:-/path/to/tokenizer} # a folder or a name of Hugging Face
CHECKPOINTS=${CHECKPOINTS:-checkpoints} # a folder that all nodes share
LEARNING_RATE=${LEARNING_RATE:-1e-4}
LAST_LEARNING_RATE=${LAST_LEARNING_RATE:-1e-5} # by a cosine, over all iterations
EVAL_INTERVAL=${EVAL_INTERVAL:-1000} # and 10 batches each time

# The run:
TRAIN_ITERS=47684 # 100 billion tokens, 2097152 a step
SAVE_INTERVAL=3029 # 596.1 minutes, against a failure every 3167 hours, 56.2 s for each checkpoint
WARMUP_ITERS=${WARMUP_ITERS:-$((TRAIN_ITERS / 100))} # a hundredth of the run

export NCCL_NET="${NCCL_NET:-IB}" # RoCE goes by verbs, too; fails where it is missing
export NCCL_IB_GID_INDEX="${NCCL_IB_GID_INDEX:-3}" # RoCE v2 over IPv4, see show_gids; NCCL 2.21 finds it
# Yours: --time, which --tokens and --system say.
EVAL_INTERVAL=${EVAL_INTERVAL:-1000} # and 10 batches each time
TRAIN_ITERS=${TRAIN_ITERS:-1000} # --tokens says it
SAVE_INTERVAL=3000 # 596.2 minutes, against a failure every 3167 hours, 56.2 s for each checkpoint
# The system calls what joins its nodes "NIC" and does not say what that is: NCCL looks.
# Before the time limit the run saves and stops; the remaining steps are queued again below.
#SBATCH --job-name=reckon
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --exclusive
#SBATCH --time=9-21:00:00
# ^ the run takes 8.95 days, failures and checkpoints included; the limit is longer
#SBATCH --requeue
# ^ after a node fails it starts again, from the newest checkpoint
#SBATCH --open-mode=append
export NCCL_NET="${NCCL_NET:-IB}" # fails where it is missing, instead of TCP in silence
export NCCL_IB_HCA="${NCCL_IB_HCA:-mlx5}" # adapters whose names begin so; list those for training
export TORCH_NCCL_ASYNC_ERROR_HANDLING=1
[activation_checkpoint]
    -m torchtitan.train --job.config_file job.toml --checkpoint.enable --checkpoint.interval 2059 --training.steps 47684
#!/bin/bash
# The run: 47684 steps, 100 billion tokens, 2097152 a step.
# A checkpoint every 2562 steps is best: 596 minutes, against a failure every 3167 hours, 56.2 s for each checkpoint.
set -euo pipefail

HOSTFILE=${HOSTFILE:-hosts} # yours: a line for each node

export FI_PROVIDER="${FI_PROVIDER:-efa}" # libfabric's provider for EFA, instead of TCP in silence
export FI_EFA_FORK_SAFE="${FI_EFA_FORK_SAFE:-1}" # loaders of data fork
unset CUDA_DEVICE_MAX_CONNECTIONS # gathers overlap with computation
export TORCH_NCCL_ASYNC_ERROR_HANDLING=1

cat > ds_config.json <<'RECKON'
RECKON

MASTER_ADDR=$(head -n 1 "$HOSTFILE" | cut -d ' ' -f 1)
mpirun -np 2 --hostfile "$HOSTFILE" --map-by ppr:1:node --bind-to none -x PATH -x FI_PROVIDER -x FI_EFA_FORK_SAFE \
#SBATCH --nodes=18 #SBATCH --ntasks-per-node=1 #SBATCH --gpus-per-node=4 
#SBATCH --nodes=18 #SBATCH --ntasks-per-node=1 #SBATCH --gpus-per-node=4 
#SBATCH --nodes=9 #SBATCH --ntasks-per-node=1 #SBATCH --gpus-per-node=8 
at 500: queued 7 again
at 500: 
at 900: queued 7 again
at : 
=== stderr
reckon: --launcher is of the script that --save-script FILE writes: give that, too
reckon: --launcher: of kubernetes there are manifests for torchtitan and nanotron; Megatron-LM is started by torchrun, slurm or mpirun
