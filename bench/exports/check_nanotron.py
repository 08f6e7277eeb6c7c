"""check_nanotron.py CHECKOUT: reads configurations, one a line as JSON {"text": "...", "world": N}, and
says for each whether nanotron's own Config takes it, key by key and type by type. Needs PyYAML and
dacite; torch and the like are stand-ins: see stubs.py."""
import enum
import os
import sys
import types

import stubs


def plain(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


def main():
    sys.path.insert(0, os.path.join(sys.argv[1], "src"))
    stubs.install({"torch", "datasets", "transformers", "numpy", "flash_attn", "huggingface_hub", "s3fs",
                   "nanotron.nn.ring_attention", "nanotron.logging", "nanotron.distributed"})
    # What the configuration names of modules that need a GPU to load.
    attention = ["flash_attention_2", "flex_attention", "sdpa", "ring_flash_triton", "ring",
                 "llama3_ring_attention"]
    plain("nanotron.nn.attention", ALL_ATTENTION_FUNCTIONS=dict.fromkeys(attention),
          AttentionImplementation=str)
    engines = {n: type(n, (), {}) for n in ["PipelineEngine"]}
    for name in ["AllForwardAllBackwardPipelineEngine", "OneForwardOneBackwardPipelineEngine"]:
        engines[name] = type(name, (engines["PipelineEngine"],), {})
    plain("nanotron.parallel", __path__=[])
    plain("nanotron.parallel.pipeline_parallel", __path__=[])
    plain("nanotron.parallel.pipeline_parallel.engine", TensorPointer=object, **engines)
    plain("nanotron.parallel.tensor_parallel", __path__=[])
    plain("nanotron.parallel.tensor_parallel.nn", TensorParallelLinearMode=enum.Enum(
        "TensorParallelLinearMode", "ALL_REDUCE REDUCE_SCATTER"))
    plain("nanotron.generation", __path__=[])
    plain("nanotron.generation.sampler", SamplerType=enum.Enum("SamplerType", "GREEDY TOP_K TOP_P"))
    plain("datasets.download.streaming_download_manager", xPath=type("xPath", (str,), {}))
    import torch
    torch.dtype = type("dtype", (str,), {})
    for name in ["float32", "float64", "complex64", "complex128", "float16", "bfloat16", "uint8",
                 "int8", "int16", "int32", "int64", "bool"]:
        setattr(torch, name, torch.dtype(name))
    with stubs.quiet():
        import yaml
        from nanotron.config import config as module

    def check(run):
        made = module.get_config_from_dict(yaml.safe_load(run["text"]))
        p = made.parallelism
        if p.dp * p.tp * p.pp * p.context_parallel_size != run["world"]:
            raise ValueError(f"degrees do not make {run['world']}")
        if not isinstance(made.model.model_config, module.Qwen2Config):
            raise ValueError(f"model is read as {type(made.model.model_config).__name__}")

    return stubs.judge(check)


if __name__ == "__main__":
    sys.exit(main())
