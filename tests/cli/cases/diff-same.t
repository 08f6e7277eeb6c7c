reckon diff 'gpus8 gbs8 zero1' 'gpus8 gbs8 zero1 dispatcher=deepep' -m llama3.1-8b -s h200-sxm-141g | grep same
=== stdout
both fit: the plans are the same
