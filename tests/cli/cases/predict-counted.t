cat > config.json <<'END'
{"model_type": "mamba", "hidden_size": 2560, "num_hidden_layers": 64, "vocab_size": 50280, "state_size": 16}
END
reckon predict -m config.json -s h100-sxm5-80g -g 8 gbs64 >out; code=$?; tail -3 out; exit $code
=== stdout
  plan: dp8 gbs64
  assumed: precision bf16, framework megatron, microbatch 1, sequence 4096 (not in the file,
  and usual in pre-training; seqN sets another), attention flash3
=== exit 1
