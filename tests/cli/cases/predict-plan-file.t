echo '{"tensor": 8, "pipelin": 4}' >plan.json; reckon predict -m llama3.1-70b -s h100-sxm5-80g -g 64 -p plan.json
echo '{"gpus": 64, "tensor": 8, "split": [40, 4O]}' >plan.json; reckon predict -m llama3.1-70b -s h100-sxm5-80g -p plan.json
echo '{"gpus": 60, "tensor": 8}' >plan.json; reckon predict -m llama3.1-70b -s h100-sxm5-80g -p plan.json
reckon predict -m llama3.1-70b -s h100-sxm5-80g -p nowhere.json
reckon predict -m - -s h100-sxm5-80g -p -
reckon predict -s h100-sxm5-80g tp8
=== stdout
=== stderr
reckon: plan.json:1:15: unknown key "pipelin"; did you mean "pipeline"?
reckon: plan.json:1:41: not JSON: ']' expected near 'O'
reckon: plan.json:1:10: gpus: 60 GPUs are not a multiple of tensor 8 * pipeline 1 = 8: use 56 or 64
reckon: nowhere.json: cannot open: No such file or directory; check the path
reckon: standard input (-) can be read once: give files for the others
reckon: --model is missing: give an id, such as llama3.1-70b (`reckon models` lists them), or a config.json
=== exit 2
