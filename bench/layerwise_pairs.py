#!/usr/bin/env python3
"""The table of docs/layerwise.md: for pairs of model and machine the best plan whose layers are alike, the best of
Galvatron's plans, and the best in which each layer has its own way.

    python3 bench/layerwise_pairs.py [build/reckon] [WORD...]     (rows that contain all words)

Galvatron's: its search on profiles that Reckon predicts, for memory limits from 1.25 times the device's (it leaves a fifth to
the allocator) down, each plan predicted by Reckon; the fastest that fits.
"""
import json
import subprocess
import sys
import tempfile

PAIRS = [
    ("llama3.1-8b", "rtx4090", 8, 64), ("gpt3-175b", "h100-sxm5-80g", 128, 256), ("llama3.1-8b", "a100-sxm4-40g", 8, 64),
    ("llama3.1-70b", "h100-sxm5-80g", 64, 256), ("llama3.1-405b", "h100-sxm5-80g", 1024, 1024),
    ("llama3.1-405b", "h100-sxm5-80g", 512, 1024), ("llama3.1-70b", "h100-sxm5-80g", 32, 128),
    ("llama3.1-70b", "a100-sxm4-80g", 64, 256), ("gpt3-175b", "a100-sxm4-80g", 128, 256),
    ("mixtral-8x7b", "h100-sxm5-80g", 64, 256), ("deepseek-v3", "h100-sxm5-80g", 1024, 4096),
]
reckon = sys.argv[1] if len(sys.argv) > 1 else "build/reckon"


def ask(*words):
    done = subprocess.run([reckon, *map(str, words)], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def answer(*words):
    text = ask(*words)
    return json.loads(text) if text else None


def galvatron(model, system, gpus, batch, layers, sequence, memory_GiB, folder):
    best = None
    ask("galvatron", "profile", "-m", model, "-s", system, "-g", gpus, "--sequence", sequence, "-o", f"{folder}/p.json")
    for share in range(125, 45, -5):
        found = ask("galvatron", "search", "--profiles", f"{folder}/p.json", f"layers={layers}", f"sequence={sequence}",
                    f"memory_GB={int(memory_GiB * share / 100)}", f"batch={batch}", "default_dp_type=zero2",
                    "pipeline_type=pipedream_flush", "-o", f"{folder}/s.json")
        words = ask("galvatron", "plan", f"{folder}/s.json").split() if found else []
        if not words:
            continue
        got = answer("predict", "-m", model, "-s", system, *words, f"seq{sequence}", "-f", "json")
        if got and got["fits"] and (best is None or got["rates"]["step_s"] < best):
            best = got["rates"]["step_s"]
    return best


def cell(value, form):
    return "" if value is None else form % value


for model, system, gpus, batch in PAIRS:
    if not all(word in (model, system, str(gpus)) for word in sys.argv[2:]):
        continue
    shape = answer("models", model, "-f", "json")["model"]
    machine = answer("systems", system, "-f", "json")["system"]
    own = answer("search", "-m", model, "-s", system, "-g", gpus, "-b", batch, "--layerwise", "-f", "json")
    with tempfile.TemporaryDirectory() as folder:
        other = galvatron(model, system, gpus, batch, shape["layers"], shape["sequence"],
                          machine["memories"][0]["capacity_bytes"] / 2**30, folder)
    proof = own["bound_s"] and 100 * (own["step_s"] / own["bound_s"] - 1)
    print("|", " | ".join([model, system, str(gpus), str(batch), cell(own["any_s"], "%.4g s"), cell(own["uniform_s"], "%.4g s"),
                           cell(other, "%.4g s"), cell(own["step_s"], "%.4g s"),
                           cell(own["gain"] and 100 * own["gain"], "%.2g %%"),
                           cell(own["walk_gap"] and 100 * own["walk_gap"], "%.2g %%"), cell(proof, "%.2g %%")]), "|", flush=True)
