"""check_accelerate.py CHECKOUT: reads configurations, one a line as JSON {"text": "...", "world": N}, and
says for each whether accelerate's own classes take it: the file's ClusterConfig, the launcher's
arguments with its checks, and the parallelism that the launched processes make of them. Needs
PyYAML; torch and the like are stand-ins: see stubs.py."""
import importlib.metadata
import os
import sys
import tempfile
import types

import stubs


def main():
    sys.path.insert(0, os.path.join(sys.argv[1], "src"))
    stubs.install({"torch", "numpy", "psutil", "huggingface_hub", "safetensors", "rich",
                   "accelerate.accelerator", "accelerate.big_modeling", "accelerate.data_loader",
                   "accelerate.inference", "accelerate.launchers", "accelerate.state",
                   "accelerate.utils.modeling", "accelerate.utils.fsdp_utils",
                   "accelerate.utils.versions", "accelerate.utils.operations",
                   "accelerate.utils.memory", "accelerate.utils.offload"})
    package = types.ModuleType("accelerate")  # its own would load the trainer
    package.__path__ = [os.path.join(sys.argv[1], "src", "accelerate")]
    sys.modules["accelerate"] = package
    importlib.metadata.version = lambda name: "2.8.0"
    with stubs.quiet():
        from accelerate.commands import launch
        from accelerate.commands.config import config_args
        from accelerate.utils import launch as environment
        from accelerate.parallelism_config import ParallelismConfig
        environment.is_port_in_use = lambda port: False
        environment.is_fp8_available = lambda: True
    parser = launch.launch_command_parser()
    of_file = set(config_args.ClusterConfig.__dataclass_fields__)

    def judge(run, path):
        args = parser.parse_args(["--config_file", path, "train.py"])
        known = set(vars(args))
        args, _, _ = launch._validate_launch_command(args)
        if set(vars(args)) - known - of_file:
            raise ValueError(f"not read: {set(vars(args)) - known - of_file}")
        args.main_process_ip = "localhost"
        args.deepspeed_fields_from_accelerate_config = ""
        if args.use_deepspeed:
            environment.prepare_deepspeed_cmd_env(args)
        else:
            environment.prepare_multi_gpu_env(args)
        if int(args.num_processes) != run["world"]:
            raise ValueError(f"{args.num_processes} processes")
        if args.use_parallelism_config:
            os.environ.update(environment.prepare_extend_env_parallelism_config(args, {}))
            made = ParallelismConfig()
            if made.total_size != run["world"]:
                raise ValueError(f"degrees make {made.total_size} of {run['world']}")

    def check(run):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
            file.write(run["text"])
        try:
            judge(run, file.name)
        finally:
            for name in [n for n in os.environ if n.startswith("PARALLELISM_CONFIG_")]:
                del os.environ[name]
            os.unlink(file.name)

    return stubs.judge(check)


if __name__ == "__main__":
    sys.exit(main())
