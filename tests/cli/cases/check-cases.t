printf "%s\n" "{\"id\": \"a\", \"input\": \"plan\", \"model\": \"llama3.1-70b\", \"system\": \"h100-sxm5-80g\", \"gpus\": 128, \"text\": \"tp16 pp4 gbs511\"}" "" "{\"id\": \"b\", \"input\": \"none\", \"system\": \"h100-sxm5-80g\", \"text\": \"\"}" "no json" "{\"id\": \"c\", \"ranks\": 2, \"logs\": {\"0\": [\"all_reduce 0,1 bf16 8 stream=s\"], \"1\": [\"all_reduce 0,1 bf16 4 stream=s\"]}}" >cases.jsonl; reckon check --cases cases.jsonl
=== stdout
{"id": "a", "errors": ["3.divide"], "warnings": ["9.tensor"]}
{"id": "b", "unreadable": "no format is called \"none\": give words, plan, megatron, deepspeed, galvatron, or one of reckon import"}
{"id": "", "unreadable": "is not a JSON object: '[' or '{' expected near 'no'"}
{"id": "c", "errors": ["7.match"], "warnings": []}
=== exit 3
