from x import y

def base(flavor, *, tokens: int = 2 * 8192) -> Trainer.Config:
    """A base."""
    return Trainer.Config(
        model_spec=model_registry(flavor, attn_backend="flex"),  # "8B"
        training=TrainingConfig(num_tokens_per_microbatch_per_dp_rank=tokens, max_context_length=8192),
        parallelism=ParallelismConfig(tensor_parallel_degree=2),
        activation_checkpoint=FullAC.Config(),
        names=["a", Part.Config(x=(1 + 2) * 3 - 4 // 2), -7],
    )

def llama3_8b() -> Trainer.Config:
    config = base('8B', tokens=8192)
    config.training.disable_cuda_graphs = True
    return replace(config, compile=CompileConfig(enable=True))
