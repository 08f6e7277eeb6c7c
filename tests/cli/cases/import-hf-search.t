reckon import hf "$RECKON_SOURCE/tests/data/hf/llama-3.1-8b.json" -o llama.json >/dev/null &&
reckon search -m ./llama.json -s h100-80g-nvl8 -g 64 -b 128 --top 2 -f csv 2>/dev/null | wc -l &&
reckon predict --framework calculon -m ./llama.json -s h100-80g-nvl8 --tensor 8 --pipeline 1 --data 8 -b 128 --zero 1 >/dev/null && echo estimated
=== stdout
3
estimated
