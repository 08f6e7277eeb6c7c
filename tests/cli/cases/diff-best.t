cp "$RECKON_SOURCE/tests/data/megatron/llama3-70b.sh" .
reckon diff llama3-70b.sh --best -s h100-sxm5-80g -f json | grep -E '"(command|a|a_verdict|b_verdict)"' | head -4
# a file that takes more than the headroom leaves is asked for no less by the default than by its name
printf '[parallelism]\nfsdp_reshard_after_forward = "never"\n[training]\nlocal_batch_size = 1\nglobal_batch_size = 64\nseq_len = 8192\n[compile]\nenable = true\n[activation_checkpoint]\nmode = "none"\n' >full.toml
for h in "" "--headroom learned" "--headroom 10GiB"; do reckon diff full.toml --best -m llama3.1-8b -s "h100-sxm5-80g x8" $h | sed -n '/^[AB]  /p'; done
=== stdout
  "command": "diff",
  "a": "llama3-70b.sh",
  "a_verdict": "fits",
  "b_verdict": "fits",
A  full.toml: 7.278 s per step, 73.66 GiB, unsure: P(fits) 60 %
B  best of 578 by its keys: 7.278 s per step, 73.66 GiB, unsure: P(fits) 60 %
A  full.toml: 7.278 s per step, 73.66 GiB, unsure: P(fits) 60 %
B  best of 578 by its keys: 7.278 s per step, 73.66 GiB, unsure: P(fits) 60 %
A  full.toml: 7.278 s per step, 73.66 GiB, unsure: P(fits) 60 %
B  best of 585 by its keys: 7.335 s per step, 64.03 GiB
