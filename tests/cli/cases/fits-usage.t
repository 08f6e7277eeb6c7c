reckon fits
reckon fits llama3.1-70b
reckon fits llama3.1-70b h100-sxm5-80g
reckon fits llama3.1-70b h100-sxm5-80g -g 60 tp8
reckon fits llama3.1-70b h100-sxm5-80g -g 64 tq8
reckon fits llama3.1-70b h100-sxm5-80q -g 64
reckon fits llama3.1-70b h100-sxm5-80g x0
reckon fits llama3.1-70c h100-sxm5-80g -g 64
=== stdout
=== stderr
reckon: --model is missing: give an id, such as llama3.1-70b (`reckon models` lists them), or a config.json
reckon: --system is missing: give an id, such as h100 or "h100 x64" (`reckon systems` lists them), or a file
reckon: --gpus is missing: how many accelerators? The system may say it, "h100-sxm5-80g x64", or the plan
reckon: --gpus: 60 GPUs are not a multiple of tensor 8 * pipeline 1 = 8: use 56 or 64
reckon: "tq8":1:1: unknown word "tq": did you mean "tp"?
reckon: unknown system "h100-sxm5-80q": did you mean "h100-sxm5-80g"? ("reckon systems" lists them; a file's name ends in .json)
reckon: "h100-sxm5-80g x0":1:16: must be a number of accelerators from 1 to 2^53: x4096
reckon: unknown model "llama3.1-70c": did you mean "llama3.1-70b"? ("reckon models" lists them; a file's name ends in .json)
=== exit 2
