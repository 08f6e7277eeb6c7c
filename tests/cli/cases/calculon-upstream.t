# figures of the published tool as they are: running sums where forward is recomputed, the extra tile of `pipe` twice
cat >execution.json <<'END'
{"num_procs": 3072, "tensor_par": 4, "pipeline_par": 64, "data_par": 12, "tensor_par_net": 0, "pipeline_par_net": 1, "data_par_net": 1,
 "batch_size": 3072, "microbatch_size": 4, "datatype": "float16", "fused_activation": true, "attention_type": "multihead",
 "activation_recompute": "full", "pipeline_interleaving": 1, "optimizer_sharding": true, "tensor_par_comm_type": "rs_ag",
 "tensor_par_overlap": "pipe", "seq_par_ag_redo": false, "data_par_overlap": false, "weight_offload": false,
 "activations_offload": false, "optimizer_offload": false, "training": true}
END
golden=$SOURCE/tests/golden
for more in "" --upstream; do
    reckon calculon llm $golden/models/megatron-1T.json execution.json $golden/systems/a100_80e.json stats.json $more
    grep -E '"(block_fw_time|block_re_flops|block_re_time|total_time|system_efficiency)"' stats.json
done
=== stdout
  "block_fw_time": 0.11660809809140257,
  "block_re_flops": 32648609136640,
  "block_re_time": 0.11660809809140257,
  "total_time": 120.55583170291455,
  "system_efficiency": 0.36447519126456157,
  "block_fw_time": 0.11904797132217179,
  "block_re_flops": 238977370030080,
  "block_re_time": 0.11904797132217179,
  "total_time": 123.03218196014531,
  "system_efficiency": 0.3647438407461008,
