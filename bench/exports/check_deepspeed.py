"""check_deepspeed.py CHECKOUT: reads configurations, one a line as JSON {"text": "...", "data": N}, and
says for each whether DeepSpeed's own configuration class takes it. Needs pydantic; torch and the
like are stand-ins: see stubs.py."""
import json
import sys

import stubs


def main():
    sys.path.insert(0, sys.argv[1])
    stubs.install({"torch", "hjson", "numpy", "cpuinfo", "ninja", "tqdm", "deepspeed.ops",
                   "deepspeed.accelerator", "triton", "deepspeed.moe", "deepspeed.module_inject",
                   "deepspeed.inference", "deepspeed.model_implementations", "deepspeed.pipe",
                   "deepspeed.runtime.engine", "deepspeed.runtime.hybrid_engine", "psutil",
                   "deepspeed.runtime.pipe", "deepspeed.comm", "deepspeed.nebula.engine",
                   "deepspeed.checkpoint", "deepspeed.utils.groups", "deepspeed.runtime.utils",
                   "deepspeed.runtime.lr_schedules", "deepspeed.runtime.compiler",
                   "deepspeed.runtime.activation_checkpointing.checkpointing",
                   "deepspeed.runtime.zero.partition_parameters", "deepspeed.git_version_info",
                   "deepspeed.runtime.zero.tiling", "deepspeed.runtime.zero.mics"})
    import types
    git = types.ModuleType("deepspeed.git_version_info")
    git.version, git.git_hash, git.git_branch = "0.14.5", "", ""
    sys.modules["deepspeed.git_version_info"] = git
    import torch
    torch.__version__ = "2.4.0"
    with stubs.quiet():
        from deepspeed.runtime import config as module

    def check(run):
        mesh = type("Mesh", (), {"get_data_parallel_world_size": lambda self: run["data"]})()
        module.dist.get_world_size = lambda group=None: run["data"]
        module.dist.get_rank = lambda group=None: 0
        module.DeepSpeedConfig(json.loads(run["text"]), mpu=mesh)

    return stubs.judge(check)


if __name__ == "__main__":
    sys.exit(main())
