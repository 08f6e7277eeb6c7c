cp "$RECKON_SOURCE/tests/data/hf/llama-3.1-8b.json" config.json
reckon fits config.json h100-sxm5-80g -g 8 framework=fsdp | sed -n '1s/:.*//p'
mkdir Mistral; cp "$RECKON_SOURCE/tests/data/hf/mistral-7b.json" Mistral/config.json
reckon fits Mistral/config.json h100-sxm5-80g -g 8 framework=fsdp zero3 | sed -n '1s/:.*//p'
reckon predict -m Mistral/config.json -s h100-sxm5-80g -g 8 framework=fsdp zero3 2>/dev/null | sed -n '1s/:.*//p'
echo '{"model_type": "gemma3"}' >config.json; reckon fits config.json h100-sxm5-80g -g 8
=== stdout
fits
fits
fits
=== stderr
reckon: config.json:1:16: model_type: "gemma3" is not known (did you mean "gemma"?); reckon import hf --help lists the types that are. If its layers are made like those of one of them, give --as TYPE
=== exit 3
