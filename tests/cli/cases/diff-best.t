cp "$RECKON_SOURCE/tests/data/megatron/llama3-70b.sh" .
reckon diff llama3-70b.sh --best -s h100-sxm5-80g -f json | grep -E '"(command|a|a_verdict|b_verdict)"' | head -4
=== stdout
  "command": "diff",
  "a": "llama3-70b.sh",
  "a_verdict": "fits",
  "b_verdict": "fits",
