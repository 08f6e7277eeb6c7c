#include "keys/detect.h"

#include "base/text.h"
#include "keys/said.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words are whole: letters, digits, "_" and "-" do not continue at their ends; "a+b" is a, then
 * blanks, then b. The first row that fits holds. What a comment or a description says is no sign.
 * Sources: the files that these tools' repositories publish, 2024 to 2026. */
/* clang-format off */
static const struct tool_sign signs[] = {
    {"hwloc",         "topology",          "hwloc",         "<topology", NULL},
    {"nvidia-smi",    "topology",          "nvidia-smi",    "GPU0 Affinity", NULL},
    {"Slurm",         "topology",          "slurm",         "SwitchName", NULL},
    {"PyTorch",       "out-of-memory traceback", NULL,      "OutOfMemoryError|torch.cuda.OutOfMemoryError", "give it to reckon doctor"},
    {"Primus",         "experiment of post-training",NULL,            "post_trainer: modules:|post_trainer: framework:", "say model, batch, degrees and lora as words of reckon predict"},
    {"Primus",         "experiment upon another",NULL,            "extends: lora: train_iters:|extends: micro_batch_size: train_iters:|extends: modules: overrides:", "give the experiment that it extends, and what this file changes with --set"},
    {"Primus",        "experiment",        "primus",        "work_group pre_trainer|work_group modules|pre_trainer overrides|primus-cli", NULL},
    {"Galvatron",     "script",            NULL,            "--set_model_config_manually|runtime.parallel.pp_deg|--set_layernum_manually|--galvatron_config_path", "say model, batch and degrees as words of reckon predict"},
    {"Hetu",          "script",            NULL,            "--ds_parallel_config|train_hetu.py|train_hetu_ds_parallel.py|train_hetu_multi_ds_parallel.py", "say model, batch and degrees as words of reckon predict"},
    {"LLaMA2-Accessory", "script",         NULL,            "--llama_type --llama_config", "say model, batch and sharding as words of reckon predict, framework=fsdp"},
    {"SwissArmyTransformer", "script",     NULL,            "--resume-dataloader --distributed-backend|--resume-dataloader --checkpoint-activations|--resume-dataloader --mode", "say model, batch and sharding as words of reckon predict, framework=deepspeed"},
    {"mPLUG-Owl",     "script",            NULL,            "--mm-config", "say model, batch and lora as words of reckon predict"},
    {"MLPerf",        "submission's configuration", NULL, "DGXNNODES|DGXSYSTEM|MLPERF_SUBMITTER|MLPERF_CLUSTER_NAME", "give its folder, with systems and results, to reckon import mlperf"},
    {"Kubernetes",    "manifest",          NULL,            "apiVersion: kind:|apiVersion: metadata:", "give the script or the configuration that its containers start"},
    {"Python",        "project file",      NULL,            "[build-system]", "give the configuration or the script of a run"},
    {"NeMo RL",       "configuration",     NULL,            "dtensor_cfg:|policy: megatron_cfg:|defaults: policy:|policy: cluster:|policy: grpo:|policy: sft:|policy: dpo:|policy: distillation:|policy: gpus_per_node:", "say model, batch and degrees as words of reckon predict"},
    {"NeMo Automodel", "training of a draft for speculative decoding",NULL,            "TrainEagle1Recipe|TrainEagle2Recipe|TrainEagle3Recipe|TrainDFlashRecipe|TrainDFlash2Recipe|TrainDSparkRecipe|TrainDominoRecipe|TrainJetSpecRecipe|TrainVispecRecipe|TrainVispecStage1Recipe", "models that learn from another are not covered"},
    {"NeMo Automodel", "configuration",    "automodel",           "nemo_automodel|step_scheduler: dist_env:|step_scheduler: distributed:", NULL},
    {"SkyRL",         "configuration",     NULL,            "policy_mini_batch_size: micro_train_batch_size_per_gpu:|skyrl_train|skyrl", "give the sizes and degrees of its policy as a plan"},
    {"oumi",          "training",          "oumi",          "model_name: trainer_type:", NULL},
    {"oumi",          "configuration",     NULL,            "from+oumi|import+oumi|-m+oumi|oumi+train|oumi+distributed|oumi+launch|oumi://", "say model, batch and sharding as words of reckon predict, framework=fsdp"},
    {"T5X",           "configuration",     NULL,            "t5x|__gin__|seqio", "models with an encoder and a decoder are not covered"},
    {"Psyche",        "configuration",     NULL,            "[model.LLM]|[model.LLM.checkpoint]", "say model and batch as words of reckon predict"},
    {"olmo-cookbook", "configuration",     NULL,            "rank_microbatch_size: sequence_length: tokenizer:", "say model, batch (here in tokens) and GPUs as words of reckon predict, framework=fsdp"},
    {"PipelineRL",    "configuration",     NULL,            "gradient_accumulation_passes: model_class:|gradient_accumulation_passes: train_batch_size:", "say model, batch and sharding as words of reckon predict, framework=deepspeed"},
    {"torchtitan",    "configuration of a model of images", NULL, "[training] img_size|[encoder] t5_encoder", "models of images are not covered"},
    {"lm-engine",     "configuration",     NULL,            "tuning_args: model_args:|model_args: training_parameters:", "say model, batch and sharding as words of reckon predict, framework=fsdp"},
    {"GitLab",        "pipeline",          NULL,            "stages: image: script:|before_script: stages:", "give the script or the configuration that it starts"},
    {"GitHub",        "workflow",          NULL,            "jobs: runs-on: steps:", "give the script or the configuration that it starts"},
    {"SageMaker HyperPod","recipe",              NULL,            "elastic_policy: instance_types:|instance_types: training_config:|training_config: scale_config:|display_name: training_config:", "say model, batch and sharding as words of reckon predict, framework=fsdp"},
    {"Data-Juicer",   "sandbox",           NULL,            "trainer_name: training_config:|env_manager: trainer_name:", "give the training's own configuration"},
    {"fms-hf-tuning", "job",               NULL,            "accelerate_launch_args", "give its accelerate_launch_args.config_file to reckon import accelerate, and the training's arguments with --set"},
    {"MaxDiffusion",  "configuration",     NULL,            "unet_checkpoint|num_inference_steps|diffusion_scheduler_config|flow_shift num_frames", "models of images are not covered"},
    {"KempnerForge",  "configuration",     NULL,            "[distributed] dp_shard|[distributed] dp_replicate", "say model, batch and degrees as words of reckon predict, framework=fsdp"},
    {"EasyEdit",      "file of hyperparameters", NULL,      "inner_params: model_class:|alg_name: model_name:|alg: inner_params:", "edits of models are not covered"},
    {"Zamba2",        "config.json of its own code", NULL,  "layer_mapping use_mem_mlp", "give the config.json that transformers has of it"},
    {"LLMForge",      "configuration",     NULL,            "train_batch_size_per_device: num_devices:|train_batch_size_per_device: context_length:", "give its deepspeed.config_path as a file, or say model, batch and sharding as words of reckon predict, framework=deepspeed"},
    {"Nemotron",      "stage of a recipe", NULL,            "artifact_root: run: env:|nemotron.steps|nemotron.recipes", "give the configuration that it starts, or say model and batch as words of reckon predict"},
    {"SimuMax",       "file of a model or a strategy", NULL, "layer_num head_num|micro_batch_num tp_size", "say model, batch and degrees as words of reckon predict"},
    {"llm-analysis",  "summary",           NULL,            "flops_efficiency hbm_memory_efficiency", "say model, batch and degrees as words of reckon predict"},
    {"llm-analysis",  "description of a model", NULL,       "hidden_dim n_head ffn_embed_dim|hidden_dim n_head max_seq_len", "say the model as words of reckon predict"},
    {"Cerebras Model Zoo", "configuration", NULL,           "backend_type: CSX|backend_type: model:|trainer: init: model:|runconfig: train_input:", "say model, batch and degrees as words of reckon predict"},
    {"recurrent-pretraining", "configuration", NULL,        "world_batch_size: fabric_strategy:|mean_recurrence", "say model and batch as words of reckon predict"},
    {"templar",       "file of hyperparameters", NULL,      "blocks_per_window inner_steps|spec_version inner_steps|spec_version model_size", "say model and batch as words of reckon predict, framework=fsdp"},
    {"BioNeMo",       "configuration",     NULL,            "wandb_init_args: dataset:|wandb_init_args: num_train_steps:", "say model and batch as words of reckon predict"},
    {"MosaicML cloud", "task",             NULL,            "integrations: image: command:|integration_type:", "give the configuration that its command starts"},
    {"LCM",           "configuration",     NULL,            "_trainer_: criterion:|lcm.train", "say model and batch as words of reckon predict, framework=fsdp"},
    {"SkyPilot",      "task",              NULL,            "resources: run: accelerators:|resources: setup: accelerators:", "give the script or the configuration that its run: starts"},
    {"ArcticTraining", "configuration",    NULL,            "arctic_training|name_or_path: deepspeed: data:|name_or_path: sources: data:", "give its deepspeed: as a file, or say model, batch and sharding as words of reckon predict, framework=deepspeed"},
    {"H2O LLM Studio", "experiment",       NULL,            "llm_backbone:", "say model and batch as words of reckon predict, framework=deepspeed"},
    {"Ludwig",        "configuration",     NULL,            "input_features: output_features:", "say model and batch as words of reckon predict, framework=fsdp"},
    {"neuronx-distributed-training", "configuration", NULL, "distributed_strategy: model_source:|distributed_strategy: exp_manager:", "say model, batch and degrees as words of reckon predict"},
    {"MindFormers",   "configuration",     NULL,            "runner_config: parallel_config:|recompute_config: parallel_config:", "say model, batch and degrees as words of reckon predict"},
    {"PaddleNLP",     "configuration",     NULL,            "sharding_parallel_degree|pipeline_parallel_degree sharding:|\"pipeline_parallel_degree\" \"sharding\"|fuse_attention_qkv|virtual_pp_degree", "say model, batch and degrees as words of reckon predict"},
    {"prime-rl",      "configuration",     NULL,            "[orchestrator]|[trainer.optim]|[diloco]|[ckpt] [data]|[ckpt] [model]|[renderer]|[deployment] [model]|[model.ac] [data]", "give the sizes and degrees of its trainer as a plan, framework=fsdp"},
    {"AReaL",         "configuration",     NULL,            "allocation_mode: actor:|allocation_mode: experiment_name:", "give the sizes and degrees of its actor as a plan"},
    {"ROLL",          "configuration",     NULL,            "actor_train: actor_infer:", "give the sizes and degrees of its actor_train as a plan"},
    {"fairseq",       "script or configuration", NULL,      "ddp_backend: criterion:|task: criterion: distributed_training:|fairseq-train|fairseq_cli.train|fairseq-hydra-train", "say model, batch and degrees as words of reckon predict"},
    {"litgpt",        "configuration",     "litgpt",        "lr_warmup_steps: global_batch_size: micro_batch_size: checkpoint_dir:|initial_checkpoint_dir:|lr_warmup_steps: global_batch_size: lora_r:", NULL},
    {"nanoGPT",       "configuration",     NULL,            "n_embd max_iters|out_dir always_save_checkpoint|wandb_log out_dir", "say model and batch as words of reckon predict"},
    {"nanotron",      "program",           NULL,            "nanotron.config|from+nanotron", "give the YAML that it writes"},
    {"Unsloth",       "program",           NULL,            "FastLanguageModel|FastModel.from_pretrained", "say model, batch and lora as words of reckon predict"},
    {"VeOmni",        "configuration",     NULL,            "dyn_bsz_buffer_size|ops_implementation:|ulysses_size: fsdp_config:|data_parallel_mode: train:", "say model, batch and sharding as words of reckon predict, framework=fsdp"},
    {"torchforge",    "configuration",     NULL,            "policy: ref_model: trainer:|provisioner: trainer:", "give what stands below trainer to reckon import torchtitan"},
    {"Fast-LLM",      "configuration",     NULL,            "from+fast_llm|import+fast_llm|-m+fast_llm|fast-llm+train|format:+fast_llm|decoder: pattern: blocks:|base_model: decoder:", "say model, batch and degrees as words of reckon predict"},
    {"TinyLlama",     "configuration",     NULL,            "num_of_devices: num_of_nodes:", "say model and batch as words of reckon predict, framework=fsdp"},
    {"LAVIS",         "configuration",     NULL,            "vis_processor: run:", "models of images are not covered"},
    {"dstack",        "task",              NULL,            "commands: resources:|commands: nvcc:|commands: backends:", "give the script or the configuration that its commands start"},
    {"Tunix",         "configuration",     NULL,            "rl_training_config:|training_config: actor_model_config:|model_config: tokenizer_config: training_config:", "say model, batch and degrees as words of reckon predict"},
    {"InstructLab",   "configuration",     NULL,            "taxonomy_path:|chat: evaluate: serve:", "say model, batch and sharding as words of reckon predict, framework=fsdp"},
    {"Lightning",     "configuration by Hydra", NULL,       "datamodule: train:|datamodule: trainer:|override /datamodule", "say model, batch and sharding as words of reckon predict"},
    {"ChatLearn",     "configuration",     NULL,            "sample_per_episode|runtime_args: rollout_backend:|runtime_args: model_server", "give the sizes and degrees of its policy_trainer as a plan"},
    {"ChatGLM",       "fine-tuning configuration", NULL,    "training_args: data_config:|training_args: peft_config:", "give what stands below training_args to reckon import trainer"},
    {"align-anything", "script or configuration", NULL,     "train_cfgs: data_cfgs:|align_anything", "say model, batch and sharding as words of reckon predict, framework=deepspeed"},
    {"LLM Finetuning Toolkit", "configuration", NULL,       "ablation: prompt_stub:|hf_model_ckpt:", "say model, batch and lora as words of reckon predict"},
    {"Unsloth Studio", "file of defaults", NULL,            "train_on_completions: lora:|training: lora: inference:", "say model, batch and lora as words of reckon predict"},
    {"fairseq2",      "configuration",     NULL,            "from+fairseq2|import+fairseq2|-m+fairseq2|fairseq2+lm|fairseq2+llm|trainer: regime:|gang: regime:", "say model, batch and sharding as words of reckon predict, framework=fsdp"},
    {"OpenLM",        "configuration",     NULL,            "chinchilla_multiplier|post_embed_norm", "say model and batch as words of reckon predict, framework=fsdp"},
    {"latent diffusion", "configuration",  NULL,            "target: ldm", "models of images are not covered"},
    {"verl",          "configuration",     NULL,            "actor_rollout_ref|verl.trainer|from+verl|import+verl|rollout_batch_size: worker:|partial_pretrain:|model.partial_pretrain|ulysses_sequence_parallel_size: trainer:", "give the sizes and degrees of its actor as a plan"},
    {"OpenRLHF",      "script",            NULL,            "openrlhf", "say model, batch and sharding as words of reckon predict, framework=deepspeed"},
    {"slime",         "script",            NULL,            "--actor-num-nodes|--actor-num-gpus-per-node", "give the sizes and degrees of its actor as a plan"},
    {"DeepSpeed-Chat", "script of PPO",    NULL,            "--actor_zero_stage|--actor_model_name_or_path", "predict what its actor and its critic take, each as a plan, framework=deepspeed"},
    {"SLAM-LLM",      "script",            NULL,            "++train_config.model_name|++model_config.llm_name", "say model, batch and sharding as words of reckon predict, framework=fsdp"},
    {"llama-recipes", "script",            NULL,            "--enable_fsdp|--use_peft --peft_method", "say model, batch and sharding as words of reckon predict, framework=fsdp"},
    {"ReaLHF",        "script",            NULL,            "from+realhf|import+realhf|-m+realhf|realhf.apps", "say model, batch and degrees as words of reckon predict"},
    {"OLMo",          "script",            NULL,            "OLMo scripts/train.py|allenai scripts/train.py", "give the YAML that it names to reckon import olmo"},
    {"llm-recipes",   "script",            NULL,            "--low-cpu-fsdp|--fsdp-activation-checkpointing --base-model", "say model, batch and sharding as words of reckon predict, framework=fsdp"},
    {"HALOs",         "script",            NULL,            "launch.py loss= model=|launch.py ++model.name_or_path", "say model, batch and sharding as words of reckon predict, framework=fsdp"},
    {"torchtune",      "configuration that trains nothing",NULL,            "_component_ torchtune max_new_tokens:|_component_ torchtune tasks: limit:", "give the one of a training"},
    {"torchtune",     "configuration",     "torchtune",     "_component_ torchtune", NULL},
    {"PEFT",          "adapter_config.json", "peft",        "\"peft_type\"", NULL},
    {"litgpt",        "script",            NULL,            "litgpt", "give its YAML to reckon import litgpt, or say model and batch as words of reckon predict, framework=fsdp"},
    {"OLMo-core",     "program",           "olmo-core",     "olmo_core TransformerTrainModuleConfig", NULL},
    {"OLMo-core",     "script",            NULL,            "olmo_core.config|olmo_core.train|olmo_core.internal|olmo_core.launch|olmo_core.data|olmo_core.nn", "say model and batch as words of reckon predict, framework=fsdp"},
    {"OLMo",          "training",          "olmo",          "d_model n_layers max_sequence_length|mlp_ratio max_duration|d_model mlp_hidden_size", NULL},
    {"llm-foundry",   "training",          "llm-foundry",   "mpt_causal_lm|hf_causal_lm", NULL},
    {"BERT of Composer", "configuration",  NULL,            "mosaic_bert|hf_bert|flex_bert|mlm_probability train_loader:", "encoders are read from their config.json: reckon import hf"},
    {"Composer",      "configuration",     NULL,            "global_train_batch_size|train_loader: max_duration:", "say model and batch as words of reckon predict, framework=fsdp"},
    {"BLT",           "configuration",     NULL,            "entropy_model:|patch_in_forward|patch_size: patching_mode:", "models of patches of bytes are not covered: say the sizes of another as words of reckon predict, framework=fsdp"},
    {"lingua",        "training",          "lingua",        "fsdp_type:|dump_dir: async_eval_gpus:|dump_dir: logging:", NULL},
    {"picotron",      "configuration",     NULL,            "tp_size pp_size pp_engine|cp_size pp_engine dp_size", "say its degrees as words of reckon predict"},
    {"ColossalAI",    "script or configuration", NULL,      "colossalai|HybridParallelPlugin|GeminiPlugin|TensorParallelEnv|NUM_MICRO_BATCHES parallel|gemini_plugin|titans", "say its degrees as words of reckon predict"},
    {"EasyNLP",       "script",            NULL,            "easynlp --app_name|easynlp --mode", "say model and batch as words of reckon predict, framework=fsdp"},
    {"Hugging Face",  "training",          "trainer",       "--per_device_train_batch_size --num_layers|--per_device_train_batch_size --num_attention_heads", NULL},
    {"XTuner",        "configuration",     "xtuner",        "xtuner accumulative_counts batch_size", NULL},
    {"XTuner",        "program",           NULL,            "xtuner", "say model, batch and sharding as words of reckon predict, framework=fsdp"},
    {"Megatron-LM",   "file of arguments", "megatron-yaml", "MODEL_ARGS: --num-layers:|MODEL_ARGS: --micro-batch-size:|language_model: model_parallel:", NULL},
    {"Megatron-LM",   "launch script",     "megatron",      "--num-layers --hidden-size --num-attention-heads|--num_layers --hidden_size --num_attention_heads|--tensor_model_parallel_size --micro_batch_size", NULL},
    {"InternEvo",     "configuration",     NULL,            "internlm parallel|zero1= tensor= pipeline=", "say its degrees as words of reckon predict"},
    {"Megatron-Bridge", "recipe",          "bridge-recipe", "megatron.bridge ConfigContainer", NULL},
    {"Megatron-Bridge", "configuration",   "nemo",          "train: ddp: checkpoint: model: logger: tensor_model_parallel_size:", NULL},
    {"Megatron-Bridge", "file of overrides", "nemo",          "model.num_layers train.global_batch_size", NULL},
    {"Megatron-Bridge", "script",          NULL,            "megatron.bridge|megatron_bridge|run_recipe.py|bridge_config|run_script.py --model_recipe_name", "give the recipe's YAML of overrides to reckon import nemo, or the recipe to reckon import bridge-recipe"},
    {"NeMo",          "recipe in Python",  NULL,            "nemo_run|nemo.collections.llm|MegatronStrategy", "give the degrees as words of reckon predict, or a YAML to reckon import nemo"},
    {"Primus",        "preset",            NULL,            "extends: num_layers:|extends: tokenizer_type:|extends: tokenizer_model:|extends: hidden_size:|includes: trainable:|extends: job:|extends: model:", "give the experiment that names it"},
    {"Modalities",    "configuration",     NULL,            "component_key variant_key", "say model, batch and degrees as words of reckon predict, framework=fsdp"},
    {"torchtitan",    "configuration",     "torchtitan",    "Trainer.Config|torchtitan.train|[parallelism]|[job]|parallelism.tensor_parallel_degree|data_parallel_shard_degree|job.config_file", NULL},
    {"MaxText",       "configuration",     "maxtext",       "base_emb_dim|per_device_batch_size|ici_fsdp_parallelism|base_num_decoder_layers|MaxText.train|maxtext.trainers|decoder_block|remat_policy|ici_tensor_parallelism|max_target_length base_output_directory", NULL},
    {"ms-swift",      "script",            NULL,            "megatron+sft|megatron+pt|megatron+rlhf", "say model, batch and degrees as words of reckon predict"},
    {"FlagScale",     "configuration",     "flagscale",     "experiment runner|system tensor_model_parallel_size data", NULL},
    {"NeMo",           "configuration of a model of images",NULL,            "unet: exp_manager:|unet_config: exp_manager:|vision: exp_manager:|first_stage_config: exp_manager:|mm_cfg: exp_manager:|vision_encoder: exp_manager:", "models of images are not covered"},
    {"NeMo",          "configuration",     "nemo",          "activations_checkpoint_granularity|exp_manager trainer|exp_manager|megatron_amp_O2|encoder_seq_length", NULL},
    {"ms-swift",      "script",            "ms-swift",      "swift+sft|swift+pt|swift+rlhf|NPROC_PER_NODE swift|swift_sft|train_type per_device_train_batch_size|tuner_type per_device_train_batch_size", NULL},
    {"open-instruct", "script or configuration", NULL,       "open_instruct|mason.py|use_slow_tokenizer|dataset_mixer_list", "say model, batch and sharding as words of reckon predict, framework=deepspeed"},
    {"LLaMA-Factory",  "file of an export or a server",NULL,            "export_dir: model_name_or_path:|infer_backend: model_name_or_path:", "it trains nothing: give the YAML of the training"},
    {"LLaMA-Factory", "training of version 1", NULL,        "model_class train_dataset|model_class dist_config|model_class sample_backend", "say model, batch and sharding as words of reckon predict, framework=fsdp"},
    {"LLaMA-Factory", "training",          "llama-factory", "finetuning_type|llamafactory-cli|llamafactory|stage cutoff_len|model_class dist_config|LLaMA-Factory/src/train.py|src/train.py+examples/", NULL},
    {"mistral-finetune","configuration",       NULL,            "model_id_or_path: instruct_data:|model_id_or_path: ckpt_freq:", "say model, batch and lora as words of reckon predict, framework=fsdp"},
    {"ms-swift",       "training on Megatron",NULL,            "rlhf_type: micro_batch_size:|tuner_type: micro_batch_size:|train_type: micro_batch_size:|\"tuner_type\" \"micro_batch_size\"", "say model, batch and degrees as words of reckon predict"},
    {"ms-swift",       "file of arguments",   "ms-swift",      "\"tuner_type\" \"per_device_train_batch_size\"|\"train_type\" \"per_device_train_batch_size\"|rlhf_type: model:", NULL},
    {"axolotl",       "training",          "axolotl",       "base_model: datasets:|base_model: sequence_len:|base_model: micro_batch_size:|base_model: gradient_accumulation_steps:|base_model: adapter:|axolotl", NULL},
    {"Levanter",      "training",          "levanter",      "train_batch_size num_train_steps|train_batch_size mp|train_batch_size per_device_parallelism|tensor_parallel_axes|fsdp_axis|model_axis_size|hidden_dim num_layers num_heads|num_train_steps mp|train_urls cache_dir|train_urls validation_urls", NULL},
    {"nanotron",      "training of a version before it was public", NULL, "tp_column_linear_async_communication|assert_make_sharded_vocab_size_divisible_by", "say model, batch and degrees as words of reckon predict"},
    {"nanotron",      "training",          "nanotron",      "model_config parallelism|tp_linear_async_communication", NULL},
    {"Megatron-LM",   "launch script",     "megatron",      "--num-layers|--micro-batch-size|--tensor-model-parallel-size|pretrain_gpt.py|pretrain_gpt", NULL},
    {"StripedHyena",  "configuration",     NULL,            "attn_layer_idxs hyena_layer_idxs|hyena_filter_groups", "convolutions as long as the sequence are not covered"},
    {"GPT-NeoX",      "configuration",     "gpt-neox",      "pipe_parallel_size|pipe-parallel-size|model_parallel_size|model-parallel-size|pos_emb|pos-emb|deepy.py|tokenizer_type vocab_file|data_path vocab_file|sparsity_config|train_data_paths|train-data-paths|text_gen_type|text-gen-type|num_workers tensorboard_dir log_dir|comet_workspace|wandb_group|output_layer_init_method override_lr_scheduler|checkpoint_activations synchronize_each_layer", NULL},
    {"accelerate",    "configuration",     "accelerate",    "compute_environment distributed_type|distributed_type: mixed_precision:|distributed_type: fsdp_config:|distributed_type: num_processes:", NULL},
    {"DeepSpeed",     "configuration",     "deepspeed",     "zero_optimization|train_micro_batch_size_per_gpu|\"train_batch_size\"|zero_allow_untested_optimizer|compression_training", NULL},
    {"Hugging Face",  "config.json",       "hf",            "\"model_type\"|\"architectures\"|\"num_hidden_layers\" \"num_attention_heads\" \"vocab_size\"", NULL},
    {"Hugging Face",  "training",          "trainer",       "per_device_train_batch_size|--per_device_train_batch_size|gradient_accumulation_steps|trl+sft|trl+dpo|trl+kto|trl+orpo|trl+cpo|trl+grpo|trl+reward|trl+rloo|model_name_or_path: dataset_name: learning_rate:", NULL},
    {"DeepSpeed",     "script",            "deepspeed",     "--deepspeed|--deepspeed_config|deepspeed", NULL},
    {"Hugging Face",  "file of --fsdp_config", NULL,         "fsdp_transformer_layer_cls_to_wrap|transformer_layer_cls_to_wrap|xla_fsdp_settings", "give the training's arguments to reckon import trainer, with what it says as --set fsdp_config.KEY=VALUE"},
    {"torchtitan",    "file",              NULL,            "torchtitan", "give its job file, or its module of configurations"},
};
/* clang-format on */

static const char *const scripts[] = {".sh", ".bash", ".slurm", ".sbatch", NULL};

static bool goes_on(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* How much of the text the word takes; 0: it does not begin with it. */
static size_t taken(const char *text, const char *word, size_t length)
{
    const char *at = text;
    for (size_t i = 0; i < length; i++) {
        const size_t blanks = word[i] == '+' ? strspn(at, " \t") : 0;
        if (!blanks && *at != word[i]) return 0;
        at += blanks ? blanks : 1;
    }
    return (size_t)(at - text);
}

static bool has(const char *text, const char *word, size_t length)
{
    for (const char *at = text; (at = strchr(at, word[0])); at++) {
        const size_t n = taken(at, word, length);
        if (n && (at == text || !goes_on(at[-1]) || !goes_on(*word)) &&
            (!goes_on(at[n]) || !goes_on(word[length - 1])))
            return true;
    }
    return false;
}

/* One of "a b|c d", all words of it. */
static bool fits(const char *text, const char *words)
{
    bool all = true;
    while (*words) {
        const size_t length = strcspn(words, " |");
        all = all && has(text, words, length);
        words += length;
        if (*words != ' ' && all) return true;
        if (*words == '|') all = true;
        words += *words != '\0';
    }
    return false;
}

static bool is_prose(const char *string, size_t length)
{
    int spaces = 0;
    for (size_t i = 0; i < length; i++)
        spaces += string[i] == ' ';
    return spaces > 2;
}

/* The strings of JSON that are sentences, as blanks. */
static void blank_sentences(char *text)
{
    for (char *at = strchr(text, '"'); at; at = strchr(at + 1, '"')) {
        char *end = at + 1;
        while (*end && *end != '"')
            end += end[0] == '\\' && end[1] ? 2 : 1;
        if (!*end) return;
        if (is_prose(at + 1, (size_t)(end - at - 1))) memset(at + 1, ' ', (size_t)(end - at - 1));
        at = end;
    }
}

/* From a "#" at the beginning of a word to the end of the line. */
static void blank_comments(char *text)
{
    for (char *at = strchr(text, '#'); at; at = strchr(at + 1, '#')) {
        if (at > text && !isspace((unsigned char)at[-1])) continue;
        memset(at, ' ', strcspn(at, "\n"));
    }
}

static char *without_prose(const char *text)
{
    char *copy = strdup(text);
    if (copy && text[strspn(text, " \t\r\n")] == '{')
        blank_sentences(copy);
    else if (copy)
        blank_comments(copy);
    return copy;
}

/* The first statement after comments and a docstring. */
static const char *first_statement(const char *text)
{
    while (true) {
        text += strspn(text, " \t\r\n");
        const bool docstring = strncmp(text, "\"\"\"", 3) == 0 || strncmp(text, "'''", 3) == 0;
        const char quotes[] = {*text, *text, *text, '\0'};
        const char *end = docstring ? strstr(text + 3, quotes) : NULL;
        if (*text == '#')
            text += strcspn(text, "\n");
        else if (end)
            text = end + 3;
        else
            return text;
    }
}

static bool is_python(const char *text)
{
    static const char *const starts[] = {"import ", "from ", "class ", "def ", "@"};
    const char *first = first_statement(text);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(first, starts[i], strlen(starts[i])) == 0) return true;
    return false;
}

/* Programs may have any tool's keys among their names: only what is written in Python counts. */
static bool may_be(const struct tool_sign *sign, bool python, bool keys)
{
    if (keys && sign->format && strcmp(sign->what, "script") == 0) return false;
    static const char *const formats[] = {"torchtitan", "bridge-recipe", "olmo-core", "xtuner"};
    bool reads = !sign->format;
    for (size_t i = 0; !reads && i < sizeof formats / sizeof *formats; i++)
        reads = strcmp(sign->format, formats[i]) == 0;
    return !python || reads;
}

/* Are keys and values what it begins with, "kind: Job"? */
static bool has_keys(const char *text)
{
    const char *first = first_statement(text);
    const size_t n = strcspn(first, " \t\r\n");
    return n && (first[n - 1] == ':' || *first == '{' || strncmp(first, "---", 3) == 0);
}

/* The manifest in a script's here-document says less than what the script starts. */
static bool comes_last(const struct tool_sign *sign, bool keys)
{
    return !keys && strcmp(sign->what, "manifest") == 0;
}

const struct tool_sign *detect_tool(const char *text)
{
    static const struct tool_sign program = {
        "Python", "program", NULL, NULL,
        "give the configuration or the script that it is started with"};
    const size_t count = sizeof signs / sizeof *signs;
    char *copy = without_prose(text);
    const bool python = is_python(text), keys = has_keys(text);
    const struct tool_sign *found = NULL;
    for (size_t i = 0; !found && i < 2 * count; i++) {
        const struct tool_sign *sign = &signs[i % count];
        if (comes_last(sign, keys) == (i >= count) && may_be(sign, python, keys) &&
            fits(copy ? copy : text, sign->words))
            found = sign;
    }
    free(copy);
    return !found && python ? &program : found;
}

/* "python3", "/usr/bin/torchrun", "torch.distributed.run" */
static bool starts_modules(const char *word, size_t length)
{
    static const char *const names[] = {"python", "torchrun", "torch.distributed", "accelerate",
                                        "deepspeed"};
    const char *name = word + length;
    while (name > word && name[-1] != '/')
        name--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* Does a command end here? A line goes on after a backslash. */
static bool ends_command(const char *text, const char *at)
{
    return strchr(";&|()", *at) || (*at == '\n' && (at == text || at[-1] != '\\'));
}

/* `ps aux | grep pretrain.py`: what such a command is given is not started. */
static bool looks_only(const char *word, size_t length)
{
    static const char commands[] =
        " source . grep egrep pgrep pkill ps echo printf ls cp cat sed awk rm ";
    char text[16];
    snprintf(text, sizeof text, " %.*s ", length < 12 ? (int)length : 12, word);
    return length < 12 && strstr(commands, text);
}

/* "automaldesc.train", also where the launcher stands in another variable. */
static bool is_module(const char *word, size_t length)
{
    const char *dot = memchr(word, '.', length);
    if (!isalpha((unsigned char)*word) || !dot || dot == word + length - 1) return false;
    for (size_t i = 0; i < length; i++)
        if (word[i] != '.' && !goes_on(word[i])) return false;
    return true;
}

/* The length of "NAME=" before a value; 0: it is none. */
static size_t assigned(const char *word, size_t length)
{
    size_t n = 0;
    while (n < length && goes_on(word[n]))
        n++;
    return n && n < length && word[n] == '=' ? n + 1 : 0;
}

/* "src.sft.prepare_data" next to a program that trains */
static bool prepares(const char *word, size_t length)
{
    static const char *const parts[] = {"prepar", "preprocess", "download", "convert",
                                        "infer",  "eval",       "generate", "merge"};
    char name[128];
    snprintf(name, sizeof name, "%.*s", length < 127 ? (int)length : 127, word);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

/* The first word with this ending, or after -m, of a command that starts something. */
static size_t find_started(const char *text, const char *ending, bool any, const char **program)
{
    static const char between[] = " \t\r\n\"';&|()\\";
    bool starts = false, module = false, first = true, looks = false;
    for (const char *at = text; *at;) {
        const size_t n = strcspn(at, between);
        if (*at == '#') {
            at += strcspn(at, "\n");
        } else if (!n) {
            if (ends_command(text, at)) starts = module = looks = false, first = true;
            at++;
        } else {
            const bool starter = starts_modules(at, n);
            const size_t name = *at == '-' ? 0 : assigned(at, n); /* "TRAIN=run/train.py" */
            *program = at + name;
            looks |= first && looks_only(at, n);
            if (!looks && (any || !prepares(at, n)) &&
                ((module && !starter && (starts || is_module(at, n))) ||
                 (n > 3 && strncmp(at + n - 3, ending, 3) == 0 &&
                  (!name || strcmp(ending, ".py") == 0))))
                return n - name;
            module = (n == 2 && strncmp(at, "-m", 2) == 0) ||
                     (n == 8 && strncmp(at, "--module", 8) == 0);
            starts |= starter;
            first = name > 0; /* "TP=2 python train.py" */
            at += n;
        }
    }
    return 0;
}

size_t detect_program(const char *text, const char **program)
{
    const size_t length = find_started(text, ".py", false, program);
    return length ? length : find_started(text, ".py", true, program);
}

/* The configuration that the program's command names, after " --config" or alone. */
static size_t find_given(const char *program, const char **file)
{
    static const char *const endings[] = {".yaml", ".yml", ".toml"};
    for (const char *at = program; *at && (*at != '\n' || at[-1] == '\\'); at++) {
        const size_t n = strcspn(at, " \t\r\n\"'=;&|\\");
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
            const size_t length = strlen(endings[i]);
            *file = at;
            if (n > length && strncmp(at + n - length, endings[i], length) == 0) return n;
        }
        at += n;
        if (!*at) return 0;
        if (strchr(";&|", *at)) return 0;
    }
    return 0;
}

/* What its keys say by their names, where that is what is to be given instead. */
static const char *words_said(const char *text, const char *instead, char *words, size_t size)
{
    char found[400];
    *words = '\0';
    if (!text || (instead && !strstr(instead, "words"))) return words;
    char *copy = without_prose(text);
    said_words(copy ? copy : text, found, sizeof found);
    free(copy);
    if (*found) snprintf(words, size, "; its keys, by their names, say %s", found);
    return words;
}

void detect_fail(const struct tool_sign *sign, const char *path, const char *text,
                 struct rk_error *error)
{
    const char *program = NULL;
    const bool script = text && text_ends_in_any(path, scripts);
    const size_t length = script && !sign ? detect_program(text, &program) : 0;
    const size_t other = script && !sign && !length ? find_started(text, ".sh", true, &program) : 0;
    char said[480];
    words_said(text, sign ? sign->instead ? sign->instead : "" : NULL, said, sizeof said);
    const char *file = NULL;
    const size_t given = length ? find_given(program + length, &file) : 0;
    if (given)
        rk_fail(
            error, RK_BAD_INPUT, path, 0, 0,
            "starts %.*s, a program of no tool that reckon reads, with %.*s: give that file, or "
            "say model, batch and sharding as words of reckon predict",
            length < 120 ? (int)length : 120, program, given < 120 ? (int)given : 120, file);
    else if (length)
        rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                "starts %.*s, a program of no tool that reckon reads: say model, batch and "
                "sharding as words of reckon predict; or give the format, reckon import FORMAT "
                "FILE",
                length < 120 ? (int)length : 120, program);
    else if (other)
        rk_fail(error, RK_BAD_INPUT, path, 0, 0, "starts the script %.*s: give that one",
                other < 120 ? (int)other : 120, program);
    else if (!sign)
        rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                "is not known to be a file of any tool that reckon reads: give the format, reckon "
                "import FORMAT FILE (reckon import --help lists them), or say model, batch "
                "and degrees as words of reckon predict%s%s",
                said, script ? "; reckon capture -- bash FILE records what it starts" : "");
    else
        rk_fail(error, RK_BAD_INPUT, path, 0, 0, "this is %s %s %s; reckon does not read it%s%s%s",
                strchr("AEIOXaeio", sign->tool[0]) || strncmp(sign->tool, "ML", 2) == 0 ||
                        strncmp(sign->tool, "LCM", 3) == 0 || strncmp(sign->tool, "llm", 3) == 0 ||
                        strncmp(sign->tool, "LLM", 3) == 0
                    ? "an"
                    : "a",
                sign->tool, sign->what, sign->instead ? ": " : "",
                sign->instead ? sign->instead : "", said);
}

enum rk_status detect_document(const char *path, struct rk_error *error)
{
    static const char *const endings[] = {".md", ".rst", ".html", ".pdf", NULL};
    if (!text_ends_in_any(path, endings)) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                   "is documentation: give the script or the configuration that it shows");
}

const char *detect_article(const char *what)
{
    return strchr("aeio", what[0]) ? "an" : "a";
}
