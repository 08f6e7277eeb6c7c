# Programs of OLMo-core, read as data.
cp $SOURCE/fuzz/corpus/readers/olmo-core train.py
plan() { reckon import "$@" 2>&1 | sed -n '/parameters,/p;/plan:/,/^$/p' | grep .; }
reckon import train.py --gpus 64 | sed -n '/^Model/,/^Unlike/!p'
echo "-- another model, long samples in parts, recomputation"
sed 's/olmo2_7B(/olmo3_32B(n_layers=4, /; s/ac_config=None/cp_config=TransformerContextParallelConfig.ulysses(degree=4),\n        ac_config=TransformerActivationCheckpointingConfig(\n            mode=TransformerActivationCheckpointingMode.selected_modules, modules=["blocks.*.feed_forward"])/; s/type.hsdp,/&\n            shard_degree=16,/I' train.py >b.py
plan b.py --gpus 64
sed 's/ac_config=None/ac_config=TransformerActivationCheckpointingConfig(TransformerActivationCheckpointingMode.full)/; s/hsdp,/hsdp, num_replicas=get_world_size() \/\/ 16,/; s/enabled=False/ao=AOFloat8LinearConfig.recommended()/' train.py >c.py
plan c.py --gpus 64
echo "-- options and conditions"
cat >official.py <<'END'
from olmo_core.train.train_module import TransformerTrainModuleConfig

DEFAULT = 8192


def build_config(opts, overrides):
    """Build it."""
    sequence_length = opts.sequence_length or DEFAULT
    tokenizer_config = TokenizerConfig.gpt2()
    model_config = TransformerConfig.llama3_1B(vocab_size=tokenizer_config.padded_vocab_size())
    loader = NumpyDataLoaderConfig(global_batch_size=512 * 8192, seed=1)
    module = TransformerTrainModuleConfig(
        rank_microbatch_size=2 * 8192,
        max_sequence_length=sequence_length,
        dp_config=TransformerDataParallelConfig(name=DataParallelType.fsdp, param_dtype=DType.bfloat16),
    )
    if get_world_size() >= 1024:
        module.rank_microbatch_size //= 2
        module.ac_config = other(1)
    return ExperimentConfig(model=model_config, train_module=module)
END
reckon import official.py --gpus 64
reckon import official.py --gpus 64 --set train_module.rank_microbatch_size=16384
plan official.py --gpus 64 --set train_module.rank_microbatch_size=16384 --set train_module.ac_config.mode=none
echo "-- what is not covered"
sed 's/olmo2_7B/olmoe_1B_7B/' train.py >m.py; reckon import m.py --gpus 64; plan m.py --gpus 64 --set model=olmoe-1b-7b
sed 's/^    return TransformerConfig.*/    config = TransformerConfig.olmo3_7B(vocab_size=1)\n    config.block = {"gdn": gdn_block}\n    return config/' train.py >h.py; reckon import h.py --gpus 64
sed 's/TransformerTrainModuleConfig(/&mystery_degree=2, /' train.py >u.py; reckon import u.py --gpus 64
reckon import train.py; reckon import train.py --gpus 96
cat train.py train.py >twice.py; sed -i '0,/2 \* common/s//3 * common/' twice.py; reckon import twice.py --gpus 64
echo 'import olmo_core.train' >launch.py; reckon import launch.py
echo "exit $?"
=== stdout
train: 7,298,617,344 parameters, 64 GPUs with OLMo-core
  plan: framework=fsdp dp64 mbs2 gbs1024 zero3 shard=8 grad-overlap weight-overlap

norm             rmsnorm           kind of all norms
gated mlp        yes               a gate next to the MLP's first matrix
activation       silu              between the MLP's matrices, or of its gate
qk norm          yes               norms on the heads of query and key
qk norm wide     yes               each head has weights of its own for its norm
no dropout       yes               trained without dropout
flash attention  yes               attention scores are never written to memory
causal skip      yes               flash attention leaves out what the causal mask hides

Assumed because the arguments do not state it
what                                 value   why
tokenizer                            dolma2  that of OLMo-core's programs
train_module.dp_config.shard_degree  8       the GPUs of a node: OLMo-core's default
-- another model, long samples in parts, recomputation
b: 2,978,026,496 parameters, 64 GPUs with OLMo-core
  plan: framework=fsdp dp16 cp4 mbs2 gbs1024 cp-kind=ulysses zero3 grad-overlap weight-overlap
  recompute=selective:mlp
c: 7,298,617,344 parameters, 64 GPUs with OLMo-core
  plan: framework=fsdp precision=fp8-current dp64 mbs2 gbs1024 zero3 shard=16 grad-overlap
  weight-overlap recompute=full weights-fp8
-- options and conditions
official: 1,179,191,296 parameters, 64 GPUs with OLMo-core
  plan: framework=fsdp dp64 mbs2 gbs512 zero3 grad-overlap weight-overlap no-fused
-- what is not covered
m: 6,919,161,856 parameters, of which 1,282,017,280 active, 64 GPUs with OLMo-core
  plan: framework=fsdp dp64 mbs2 gbs1024 zero3 shard=8 grad-overlap weight-overlap
exit 3
=== stderr
reckon: note: train.py is read as a program of OLMo-core: reckon import olmo-core
reckon: note: official.py is read as a program of OLMo-core: reckon import olmo-core
reckon: official.py:18:1: train_module.rank_microbatch_size module.rank_microbatch_size //= 2: must be a whole number, at least 0: correct it, or give --set train_module.rank_microbatch_size=VALUE; line 19:1: train_module.ac_config: is not known; and in one line: --set train_module.rank_microbatch_size=VALUE --set train_module.ac_config.mode=none
reckon: note: official.py is read as a program of OLMo-core: reckon import olmo-core
reckon: official.py:19:1: train_module.ac_config: is not known: give --set train_module.ac_config.mode=none, full, selected_blocks, selected_modules, selected_ops or budget
reckon: note: m.py is read as a program of OLMo-core: reckon import olmo-core
reckon: m.py:11:1: model: is not a model that is known here: give one with --set model=ID (an id of reckon models, or a file)
reckon: note: h.py is read as a program of OLMo-core: reckon import olmo-core
reckon: h.py:12:1: model.block {"gdn": gdn_block}: the blocks of the model are changed after it is made, which plans do not cover: give --ignore model.block to estimate the run without it
reckon: note: u.py is read as a program of OLMo-core: reckon import olmo-core
reckon: u.py:16:1: train_module.mystery_degree: is not known, and may decide what the run costs, did you mean train_module: correct it, or say it by --set and this tool's keys, and --ignore it then
reckon: note: train.py is read as a program of OLMo-core: reckon import olmo-core
reckon: train.py: the program does not say how many GPUs it is started on: give --gpus N
reckon: note: train.py is read as a program of OLMo-core: reckon import olmo-core
reckon: train.py: the batch of 1024 samples is not divisible by 96 data-parallel ranks of 2: give another --gpus
reckon: note: twice.py is read as a program of OLMo-core: reckon import olmo-core
reckon: twice.py: calls TransformerTrainModuleConfig more than once: give a file that does it once
reckon: launch.py: this is an OLMo-core script; reckon does not read it: say model and batch as words of reckon predict, framework=fsdp
