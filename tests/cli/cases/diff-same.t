reckon diff 'gpus8 gbs8 zero1' 'gpus8 gbs8 zero1 dispatcher=deepep' -m llama3.1-8b -s h200-sxm-141g | grep same
# for programs an empty list, and a header
reckon diff tp8 tp8 -m llama3.1-8b -s "h100 x8" --format json | grep '"differences"'; reckon diff tp8 tp8 -m llama3.1-8b -s "h100 x8" --format csv
=== stdout
both fit: the plans are the same
  "differences": [],
key,a,b,alone_verdict,alone_step_s,alone_need_bytes,without_verdict,without_step_s,without_need_bytes
