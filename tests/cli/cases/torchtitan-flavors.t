# Models of torchtitan's own are named in its job file; a trial, which saves where checkpoints are on, claims nothing about that.
for m in qwen3-32b qwen3-235b-a22b llama3.1-70b mistral-7b; do
    reckon export torchtitan -m $m framework=fsdp gpus256 gbs512 zero3 grad-overlap weight-overlap -o job.toml 2>/dev/null
    grep "^name\|^flavor\|^# name\|^steps" job.toml
done
=== stdout
name = "qwen3"
flavor = "32B"
steps = 20 # a trial: --tokens says the run
name = "qwen3"
flavor = "235B-A22B"
steps = 20 # a trial: --tokens says the run
name = "llama3"
flavor = "70B"
steps = 20 # a trial: --tokens says the run
# name and flavor: of mistral-7b, in your fork of torchtitan
steps = 20 # a trial: --tokens says the run
