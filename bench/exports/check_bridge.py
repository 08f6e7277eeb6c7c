"""check_bridge.py BRIDGE MEGATRON: reads overrides, one run a line as JSON {"text": "...", "world": N}, and
says for each whether all of its keys are members of the configuration classes in the checkouts of
Megatron-Bridge and Megatron-LM, its recipe of mixed precision exists, and the degrees divide the
world. The classes are read, not imported: their checks of values are not asked."""
import ast
import os
import sys

import stubs

SECTIONS = {"model": "GPTModelProvider", "train": "TrainingConfig", "dataset": "GPTDatasetConfig",
            "tokenizer": "TokenizerConfig", "ddp": "DistributedDataParallelConfig",
            "optimizer": "OptimizerConfig", "dist": "DistributedInitConfig",
            "checkpoint": "CheckpointConfig"}


def read_classes(roots):
    """{name: (members, names of bases)} of all files, and the names of functions."""
    classes, functions = {}, set()
    for root in roots:
        for folder, _, files in os.walk(root):
            for name in files:
                if not name.endswith(".py"):
                    continue
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    tree = ast.parse(file.read())
                for node in ast.walk(tree):
                    if isinstance(node, ast.FunctionDef):
                        functions.add(node.name)
                    if not isinstance(node, ast.ClassDef):
                        continue
                    members = {n.target.id for n in node.body
                               if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
                    bases = [b.id if isinstance(b, ast.Name) else b.attr for b in node.bases
                             if isinstance(b, (ast.Name, ast.Attribute))]
                    classes.setdefault(node.name, []).append((members, bases))
    return classes, functions


def members_of(classes, name, seen=()):
    found = set()
    for members, bases in classes.get(name, []):
        found |= members
        for base in bases:
            plain = base.replace("MTrain", "").replace("MCore", "")  # imported under another name
            for each in {base, plain} - {name, *seen}:
                found |= members_of(classes, each, (*seen, name))
        if name in bases or f"MTrain{name}" in bases or f"MCore{name}" in bases:
            continue
    return found


def check(run, members, functions):
    values = dict(line.split(": ", 1) for line in run["text"].splitlines()
                  if line and not line.startswith("#"))
    recipe = values.pop("mixed_precision")
    if recipe not in functions:
        raise ValueError(f"no recipe {recipe}")
    for key in values:
        section, name = key.split(".", 1)
        if name not in members[section]:
            raise ValueError(f"{key} is no member of {SECTIONS[section]}")
    degrees = 1
    for name in ("tensor", "pipeline", "context"):
        degrees *= int(values.get(f"model.{name}_{'' if name == 'context' else 'model_'}parallel_size", 1))
    if run["world"] % degrees:
        raise ValueError(f"degrees do not divide {run['world']}")


def main():
    classes, functions = read_classes([os.path.join(sys.argv[1], "src"), os.path.join(sys.argv[2], "megatron")])
    members = {section: members_of(classes, name) for section, name in SECTIONS.items()}
    return stubs.judge(lambda run: check(run, members, functions), "have only keys of Megatron-Bridge")


if __name__ == "__main__":
    sys.exit(main())
