# A model file that import made of a config.json trains as that file: the same bits, however RoPE is stretched, and other ones than unstretched.
cp "$SOURCE/data/corpus/declaration/en.txt" en.txt
shape='"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 257'
of() { # NAME TYPE KEYS...
    echo "{\"model_type\": \"$2\", $shape, \"max_position_embeddings\": 64, $3}" >"$1.json"
    reckon import hf "$1.json" -o "$1-file.json" --sequence 64 >/dev/null
    for m in $1 $1-file; do
        reckon train -q -m "./$m.json" -d en.txt gbs2 seq64 -n 2 --warmup 0 --double --log "$m.log" >table || cat table
        cut -d, -f1-3 "$m.log" >"$m.bits"
    done
    cmp "$1.bits" "$1-file.bits" && echo "$1: the same bits"
    cmp -s "$1.bits" plain.bits || echo "    and other ones than a plain Llama's"
}
of plain llama '"rope_theta": 10000'
of linear llama '"rope_scaling": {"rope_type": "linear", "factor": 4.0}'
of llama3 llama '"rope_scaling": {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 2.0, "high_freq_factor": 3.0, "original_max_position_embeddings": 16}'
of yarn qwen2 '"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}'
of longrope phi3 '"original_max_position_embeddings": 16, "rope_scaling": {"type": "longrope", "short_factor": [1, 1, 1.5, 2], "long_factor": [1, 2, 3, 4]}'
of granite granite '"embedding_multiplier": 3, "logits_scaling": 2, "residual_multiplier": 0.5, "attention_multiplier": 0.1'
of smollm3 smollm3 '"no_rope_layers": [1, 0]'
# the shape alone, as import once wrote it
grep -v '"config"' plain-file.json | sed '/"model_type"/,/^    },/d' >old.json
reckon train -q -m ./old.json -d en.txt gbs2 -n 1
=== stdout
plain: the same bits
linear: the same bits
    and other ones than a plain Llama's
llama3: the same bits
    and other ones than a plain Llama's
yarn: the same bits
    and other ones than a plain Llama's
longrope: the same bits
    and other ones than a plain Llama's
granite: the same bits
    and other ones than a plain Llama's
smollm3: the same bits
    and other ones than a plain Llama's
=== stderr
reckon: ./old.json: it has the shape of a llama model, and not what else its config.json says of the arithmetic: import that again, or give it
=== exit 1
