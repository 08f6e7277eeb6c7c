# Names of checkpoints stand for the catalog's models, also under another organisation.
reckon models meta-llama/Llama-3.3-70B-Instruct | head -n 1
reckon models unsloth/llama-3.2-1b | head -n 1
# Checkpoints of few bits have the shape of what they are made from; adapters are on them as they are.
for name in unsloth/Qwen2.5-7B-Instruct-unsloth-bnb-4bit Qwen/Qwen2.5-14B-Instruct-GPTQ-Int4 Qwen/Qwen3-8B-FP8; do reckon models $name | head -n 1; done
for base in "" base=nf4; do reckon predict unsloth/llama-3-8b-bnb-4bit rtx4090 -g 1 framework=fsdp gbs1 seq1024 lora16 $base | grep -oE "base=[a-z0-9-]*|base [^,]*name[)]"; done
# What is not there is near what people train now, by its size.
reckon models foo/Qwen3-9B
reckon models qwen3-7b
reckon models llama-70b
reckon models gpt5-175b
# Models of papers are there, and listed with --all.
reckon models | grep -c -e '^mt-nlg' -e '^calculon'
reckon models --all | grep -c -e '^mt-nlg' -e '^calculon'
reckon models | tail -n 1
=== stdout
llama3.3-70b: Llama 3.3 70B
llama3.2-1b: Llama 3.2 1B
qwen2.5-7b: Qwen2.5 7B
qwen2.5-14b: Qwen2.5 14B
qwen3-8b: Qwen3 8B
base=nf4-dq
base nf4-dq (the checkpoint's name)
base=nf4
0
7
--all lists 96 more, of papers and earlier years
=== stderr
reckon: foo/Qwen3-9B: there is no such file, and the catalog has no checkpoint of that name (the nearest is "qwen3-8b"): nothing is downloaded, give the model's config.json
reckon: unknown model "qwen3-7b": did you mean "qwen3-8b"? ("reckon models" lists them; a file's name ends in .json)
reckon: unknown model "llama-70b": there are llama2-70b, llama3.1-70b, llama3.3-70b ("reckon models" lists them; a file's name ends in .json)
reckon: unknown model "gpt5-175b": did you mean "gpt3-175b"? ("reckon models" lists them; a file's name ends in .json)
