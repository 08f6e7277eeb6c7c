# Whose file it is: read by its tool's reader, or named as a tool's that is not read.
printf 'base_model: Qwen/Qwen3-8B\nmicro_batch_size: 1\ngradient_accumulation_steps: 2\nsequence_len: 4096\nbf16: true\ndeepspeed: null\n' >axolotl.yaml
reckon import axolotl.yaml --gpus 8 2>&1 | head -n 2
printf '{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 32000}' >c.json
reckon import c.json 2>&1 | sed -n 2,3p
printf 'model:\n  _component_: torchtune.models.llama3.llama3_8b\n' >tune.yaml
reckon import tune.yaml
reckon import axolotl tune.yaml -m llama3.1-8b --gpus 8
printf 'import colossalai\nfrom colossalai.booster.plugin import HybridParallelPlugin\n' >train.py
reckon import train.py
printf 'max_seq_len: 2048\nglobal_train_batch_size: 256\nmodel: {name: mpt_causal_lm}\nfsdp_config: {}\n' >mpt.yaml
reckon import mpt.yaml 2>&1 | head -n 1
echo 'swift sft --model Qwen/Qwen3-8B' >swift.sh; reckon import swift.sh
# documentation shows files of several tools, and words of them make none
echo 'as in `torchrun pretrain_gpt.py --num-layers 2`' >README.md; reckon import README.md
echo 'tp4 pp2 zero1, tensor and pipeline, weight' >words; reckon import words
printf 'export DGXNNODES=8\nexport MINIBS=16\n' >config_8x8.sh; reckon import config_8x8.sh
printf 'max_duration: 4800ba\nmodel: {name: mpt_causal_lm, d_model: 768, n_layers: 12}\ndevice_train_microbatch_size: 4\nglobal_train_batch_size: 256\n' >foundry.yaml; reckon import foundry.yaml 2>&1 | head -n 1
printf 'megatron sft --model Qwen/Qwen3-8B --tensor_model_parallel_size 2 --system data\n' >mcore.sh; reckon import mcore.sh
printf 'use_slow_tokenizer: true\nper_device_train_batch_size: 1\n' >tulu.yaml; reckon import tulu.yaml
printf 'torchrun -m verl.trainer.fsdp_sft_trainer data.train_batch_size=8\n' >sft.sh; reckon import sft.sh
printf 'accelerate launch open_instruct/finetune.py --per_device_train_batch_size 1\n' >tulu.sh; reckon import tulu.sh
printf 'work_group: amd\nmodules:\n  pre_trainer:\n    framework: torchtitan\n    overrides: {parallelism.tensor_parallel_degree: 8}\n' >primus.yaml; reckon import primus.yaml
printf 'model:\n  component_key: model\n  variant_key: gpt2\n' >gpt2.yaml; reckon import gpt2.yaml
printf '# as axolotl has it, and megatron sft\nper_device_train_batch_size: 2 # not torchtune\nbf16: true\nmax_length: 2048\n' >said.yaml; reckon import said.yaml -m llama3.1-8b --gpus 8 | sed -n 2p
printf '{"description": "taken from the files of axolotl", "train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}}' >said.json; reckon import said.json -m llama3.1-8b --gpus 8 | sed -n 2p
printf 'ENV_VARS:\n  TEST: 1\nMODEL_ARGS:\n  --num-layers: 12\n  --micro-batch-size: 4\n' >model_config.yaml; reckon import model_config.yaml 2>&1 | head -n 1
# tools that are not read, whose keys are others' too
printf 'model: {model_name: a/b}\ntraining:\n  trainer_type: TRL_SFT\n  per_device_train_batch_size: 2\n' >oumi.yaml; reckon import oumi.yaml 2>&1 | head -n 1
printf 'type: sft\nmodel: {name_or_path: a/b}\ndata: {sources: [c]}\ndeepspeed: {zero_optimization: {stage: 3}}\n' >arctic.yaml; reckon import arctic.yaml
printf 'recipe: Train\nstep_scheduler: {local_batch_size: 8}\nmodel: {_target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained}\n' >automodel.yaml; reckon import automodel.yaml 2>&1 | head -n 1
printf 'apiVersion: v1\nkind: Job\nspec: {command: [torchrun, --deepspeed]}\n' >job.yaml; reckon import job.yaml
printf 'extends: [base.yaml]\nnum_layers: 60\nhidden_size: 5120\n' >preset.yaml; reckon import preset.yaml
printf '{"tensor_parallel_degree": 4, "pipeline_parallel_degree": 2, "sharding": "stage1", "per_device_train_batch_size": 1}' >paddle.json; reckon import paddle.json
printf 'distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 2\nfsdp_config: {fsdp_sharding_strategy: FULL_SHARD}\n' >fsdp.yaml; reckon import fsdp.yaml -m llama3.2-1b | sed -n 2p
printf 'model: {ops_implementation: {a: 1}}\ntrain: {fsdp_config: {fsdp_mode: fsdp2}, global_train_batch_size: 8}\n' >veomni.yaml; reckon import veomni.yaml
printf 'policy: {sampling_params: {n: 1}}\nref_model: {training: {local_batch_size: 8}}\ntrainer: {parallelism: {tensor_parallel_degree: 2}}\n' >forge.yaml; reckon import forge.yaml
printf 'type: task\ncommands:\n- accelerate launch train.py --per_device_train_batch_size 2\nresources: {gpu: 24GB}\n' >task.yml; reckon import task.yml
# what the keys of such files say by their names; batches of tokens and of others than its own are left out
printf '{"layer_num": 80, "head_num": 64, "hidden_size": 8192, "expert_num": 256}' >ling.json; reckon import ling.json
printf 'nodes: 16\nglobal_batch_size: 2097152\nrank_microbatch_size: 8192\nsequence_length: 4096\ntokenizer: dolma2\n' >cookbook.yaml; reckon import cookbook.yaml
printf '[distributed]\ndp_shard = 4\ntp = 4\npp = 1\n[train]\nbatch_size = 4\nseq_len = 4_096\n' >kempner.toml; reckon import kempner.toml
printf 'policy:\n  tp: 2\nrollout:\n  tp: 4\nn_layers: 32\n' >both.yaml; reckon import both.yaml
printf 'stages: [a]\nimage: b\njob:\n  script: c\n  tokenizer_type: x\n  vocab_file: y\n' >ci.yml; reckon import ci.yml
# another tool's file is said to be one before anything is asked for
printf 'a:\n  per_device_train_batch_size: 2\n' >section.yaml; reckon import section.yaml
# a program has other tools' keys among its names
printf '# header\n"""Says what.\n"""\nimport torch\nmodel_config, parallelism, finetuning_type = 1, 2, 3\n' >config.py; reckon import config.py
echo 'hello: world' >what.yaml; reckon import what.yaml
reckon import nothing.yaml
# folders have names of tools, scripts write manifests, and not every -m starts a program
run='torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 512 --num-attention-heads 8 --seq-length 512 --max-position-embeddings 512 --micro-batch-size 1 --vocab-size 32000 --bf16'
for i in oumi realhf fairseq2 fast_llm; do echo "cd /data/$i; $run" >folder.sh; reckon import folder.sh 2>/dev/null | grep plan:; done
echo 'oumi train -c x.yaml' >oumi.sh; reckon import oumi.sh
echo 'python -m realhf.apps.quickstart sft' >real.sh; reckon import real.sh
printf 'kubectl apply -f - <<E\napiVersion: v1\nkind: Job\nE\n' >apply.sh; reckon import apply.sh
echo "$run" >>apply.sh; reckon import apply.sh 2>/dev/null | grep plan:
printf 'git commit -m fix\npython3 prepare.py;\n' >git.sh; reckon import git.sh
echo 'git commit -m fix; python3 -m torch.distributed.run -m own.train; ls' >git.sh; reckon import git.sh
printf "'''Says what.'''\nimport torch\nmodel_config, parallelism, finetuning_type = 1, 2, 3\n" >config.py; reckon import config.py
=== stdout
reckon: note: axolotl.yaml is read as a training of axolotl: reckon import axolotl
qwen3-8b: 8,190,735,360 parameters, 8 GPUs with axolotl
c: a llama model
6,738,415,616 parameters
reckon: note: mpt.yaml is read as a training of llm-foundry: reckon import llm-foundry
reckon: note: foundry.yaml is read as a training of llm-foundry: reckon import llm-foundry
  plan: framework=fsdp dp8 mbs2 gbs16 seq2048 grad-overlap no-fused loss=padded autocast
reckon: note: model_config.yaml is read as a file of arguments of Megatron-LM: reckon import megatron-yaml
reckon: note: oumi.yaml is read as a training of oumi: reckon import oumi
reckon: note: automodel.yaml is read as a configuration of NeMo Automodel: reckon import automodel
  plan: framework=fsdp dp2 gbs2 zero3 grad-overlap weight-overlap flat-units no-fused loss=padded
  plan: dp8 gbs8 vocab-multiple=128
  plan: dp8 gbs8 vocab-multiple=128
  plan: dp8 gbs8 vocab-multiple=128
  plan: dp8 gbs8 vocab-multiple=128
  plan: dp8 gbs8 vocab-multiple=128
=== stderr
reckon: note: tune.yaml is read as a configuration of torchtune: reckon import torchtune
reckon: tune.yaml: the file does not say how many GPUs the recipe is started on: give --gpus N
reckon: tune.yaml:2:16: model._component_: is not known: correct it, or give --ignore model._component_
reckon: tune.yaml: this looks like a configuration of torchtune: reckon import torchtune
reckon: train.py: this is a ColossalAI script or configuration; reckon does not read it: say its degrees as words of reckon predict
reckon: note: swift.sh is read as a script of ms-swift: reckon import ms-swift
reckon: swift.sh: no command of this script starts ms-swift
reckon: README.md: is documentation: give the script or the configuration that it shows
reckon: words: is not known to be a file of any tool that reckon reads: give the format, reckon import FORMAT FILE (reckon import --help lists them), or say model, batch and degrees as words of reckon predict
reckon: config_8x8.sh: this is an MLPerf submission's configuration; reckon does not read it: give its folder, with systems and results, to reckon import mlperf
reckon: mcore.sh: this is a ms-swift script; reckon does not read it: say model, batch and degrees as words of reckon predict; its keys, by their names, say tp=2
reckon: tulu.yaml: this is an open-instruct script or configuration; reckon does not read it: say model, batch and sharding as words of reckon predict, framework=deepspeed; its keys, by their names, say mbs=1
reckon: sft.sh: this is a verl configuration; reckon does not read it: give the sizes and degrees of its actor as a plan
reckon: tulu.sh: this is an open-instruct script or configuration; reckon does not read it: say model, batch and sharding as words of reckon predict, framework=deepspeed; its keys, by their names, say mbs=1
reckon: note: primus.yaml is read as an experiment of Primus: reckon import primus
reckon: primus.yaml: model.flavor, by which torchtitan's model is found in the catalog, is missing or not there: write what stands below overrides into a file of its own, for reckon import torchtitan --model MODEL --gpus N
reckon: gpt2.yaml: this is a Modalities configuration; reckon does not read it: say model, batch and degrees as words of reckon predict, framework=fsdp
reckon: note: said.yaml is read as a training of Hugging Face: reckon import trainer
reckon: note: said.json is read as a configuration of DeepSpeed: reckon import deepspeed
reckon: said.json:1:17: description: is not known: correct it, or give --ignore description
reckon: arctic.yaml: this is an ArcticTraining configuration; reckon does not read it: give its deepspeed: as a file, or say model, batch and sharding as words of reckon predict, framework=deepspeed
reckon: job.yaml: this is a Kubernetes manifest; reckon does not read it: give the script or the configuration that its containers start
reckon: preset.yaml: this is a Primus preset; reckon does not read it: give the experiment that names it
reckon: paddle.json: this is a PaddleNLP configuration; reckon does not read it: say model, batch and degrees as words of reckon predict; its keys, by their names, say tp=4 pp=2 mbs=1
reckon: note: fsdp.yaml is read as a configuration of accelerate: reckon import accelerate
reckon: veomni.yaml: this is a VeOmni configuration; reckon does not read it: say model, batch and sharding as words of reckon predict, framework=fsdp; its keys, by their names, say gbs=8
reckon: forge.yaml: this is a torchforge configuration; reckon does not read it: give what stands below trainer to reckon import torchtitan
reckon: task.yml: this is a dstack task; reckon does not read it: give the script or the configuration that its commands start
reckon: ling.json: this is a SimuMax file of a model or a strategy; reckon does not read it: say model, batch and degrees as words of reckon predict; its keys, by their names, say -m "MODEL layers=80 heads=64 hidden=8192 experts=256"
reckon: cookbook.yaml: this is an olmo-cookbook configuration; reckon does not read it: say model, batch (here in tokens) and GPUs as words of reckon predict, framework=fsdp; its keys, by their names, say seq=4096
reckon: kempner.toml: this is a KempnerForge configuration; reckon does not read it: say model, batch and degrees as words of reckon predict, framework=fsdp; its keys, by their names, say tp=4 mbs|gbs=4 seq=4096
reckon: both.yaml: is not known to be a file of any tool that reckon reads: give the format, reckon import FORMAT FILE (reckon import --help lists them), or say model, batch and degrees as words of reckon predict; its keys, by their names, say -m "MODEL layers=32"
reckon: ci.yml: this is a GitLab pipeline; reckon does not read it: give the script or the configuration that it starts
reckon: note: section.yaml is read as a training of Hugging Face: reckon import trainer
reckon: section.yaml:2:32: a.per_device_train_batch_size 2: this tool has the key without a name before it: this is another's file: give what is below a as a file of its own
reckon: config.py: this is a Python program; reckon does not read it: give the configuration or the script that it is started with
reckon: what.yaml: is not known to be a file of any tool that reckon reads: give the format, reckon import FORMAT FILE (reckon import --help lists them), or say model, batch and degrees as words of reckon predict
reckon: nothing.yaml: cannot open: No such file or directory; check the path
reckon: oumi.sh: this is an oumi configuration; reckon does not read it: say model, batch and sharding as words of reckon predict, framework=fsdp
reckon: real.sh: this is a ReaLHF script; reckon does not read it: say model, batch and degrees as words of reckon predict
reckon: apply.sh: this is a Kubernetes manifest; reckon does not read it: give the script or the configuration that its containers start
reckon: git.sh: starts prepare.py, a program of no tool that reckon reads: say model, batch and sharding as words of reckon predict; or give the format, reckon import FORMAT FILE
reckon: git.sh: starts own.train, a program of no tool that reckon reads: say model, batch and sharding as words of reckon predict; or give the format, reckon import FORMAT FILE
reckon: config.py: this is a Python program; reckon does not read it: give the configuration or the script that it is started with
=== exit 3
