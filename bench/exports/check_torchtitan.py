"""check_torchtitan.py CHECKOUT: reads job files, one a line as JSON {"text": "..."}, and says for
each whether torchtitan's own configuration class takes it (up to v0.2.2: torchtitan/config). Nothing
of torch is needed: see stubs.py."""
import sys
import tomllib

import stubs


def main():
    sys.path.insert(0, sys.argv[1])
    stubs.install({"torch", "tyro", "torchtitan.tools", "torchtitan.components"})
    from torchtitan.config.job_config import JobConfig
    from torchtitan.config.manager import ConfigManager

    manager = ConfigManager.__new__(ConfigManager)

    def check(run):
        config = manager._dict_to_dataclass(JobConfig, tomllib.loads(run["text"]))
        p = config.parallelism
        product = p.data_parallel_replicate_degree * p.data_parallel_shard_degree
        product *= p.tensor_parallel_degree * p.pipeline_parallel_degree
        product *= p.context_parallel_degree
        if product != run["world"]:  # ParallelDims._validate
            raise ValueError(f"degrees make {product} of {run['world']} ranks")

    return stubs.judge(check)


if __name__ == "__main__":
    sys.exit(main())
