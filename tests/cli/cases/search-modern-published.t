# What is in the spaces of three well-known runs; what is best there is a matter of the model.
count() { reckon search "$@" -q --top 1 -f json | tr ',{}' '\n\n\n' | grep -E '^(  "(predictor|complete)|    "plans)":'; }
count -m llama3.1-70b -s h100-sxm5-80g -g 512 -b 1024 --schedule gpipe,1f1b,zero-bubble,dualpipe --tensor 8 --microbatch 1
count -m mixtral-8x7b -s h100-sxm5-80g -g 64 -b 256 --schedule gpipe,1f1b,zero-bubble,dualpipe --expert 8 --tensor 1
count -m deepseek-v3 -s h800-sxm5-80g -g 2048 -b 15360 --schedule gpipe,1f1b,zero-bubble,dualpipe --precision fp8-block --tensor 1 --pipeline 16 --expert 64 --microbatch 1
=== stdout
  "predictor": "reckon"
  "complete": true
    "plans": 103656
  "predictor": "reckon"
  "complete": true
    "plans": 389084
  "predictor": "reckon"
  "complete": true
    "plans": 10656
