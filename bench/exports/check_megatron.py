"""check_megatron.py CHECKOUT: reads launch scripts' arguments, one run a line as JSON
{"words": [...], "world": N}, and says for each whether Megatron-LM's own parse_args, validate_args
and configuration class take it. Nothing of torch is needed: see stubs.py."""
import contextlib
import os
import sys
import typing

import stubs

MISSING = ("torch", "transformer_engine", "apex", "numpy", "einops", "zarr",
           "tensorstore", "modelopt", "multistorageclient", "flash_attn", "flashattn_hopper",
           "nvtx", "wandb", "triton", "yaml", "transformers", "tqdm", "requests",
           "emerging_optimizers", "omegaconf", "megatron.rl", "regex", "sentencepiece", "psutil")


def prepare(checkout):
    sys.path.insert(0, checkout)
    if not hasattr(typing, "override"):  # Python 3.11
        typing.override = lambda method: method
    stubs.install(MISSING)
    import torch
    import torch.cuda
    import torch.distributed
    torch.cuda.get_device_properties = lambda device=0: type("P", (), {"major": 9, "minor": 0})()
    torch.cuda.get_device_capability = lambda device=0: (9, 0)
    torch.cuda.device_count = lambda: 8
    torch.cuda.is_available = lambda: True
    torch.distributed.is_initialized = lambda: False
    torch.distributed.get_rank = lambda *a: 0


def main():
    prepare(sys.argv[1])
    with contextlib.redirect_stdout(sys.stderr):
        from megatron.training import arguments

    def check(run):
        os.environ.update(WORLD_SIZE=str(run["world"]), RANK="0", LOCAL_RANK="0")
        os.environ.pop("CUDA_DEVICE_MAX_CONNECTIONS", None)
        os.environ.update(run.get("environment", {}))
        sys.argv = ["pretrain_gpt.py"] + run["words"]
        args = arguments.parse_args()
        arguments.validate_args(args)
        args.padded_vocab_size = getattr(args, "padded_vocab_size", None) or args.vocab_size
        arguments.core_transformer_config_from_args(args)

    return stubs.judge(check)


if __name__ == "__main__":
    sys.exit(main())
