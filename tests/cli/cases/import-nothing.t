reckon import
=== stdout
=== stderr
reckon: import: say which: reckon import hf, megatron, hwloc, nvidia-smi, slurm, mlperf, deepspeed, torchtitan, accelerate, trainer, axolotl, llama-factory, ms-swift, peft, torchtune, gpt-neox, nanotron, nemo, primus, mindspeed-fsdp2, flagscale, maxtext, bridge-recipe, levanter, litgpt, oumi, automodel, llm-foundry, xtuner, lingua, olmo, 
=== exit 2
