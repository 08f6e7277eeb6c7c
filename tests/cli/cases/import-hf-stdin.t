reckon import hf - -o - <"$RECKON_SOURCE/tests/data/hf/gpt2.json"
=== stdout
{
    "name": "gpt2",
    "layers": 12,
    "hidden": 768,
    "feedforward": 3072,
    "heads": 12,
    "head_dim": 64,
    "sequence": 1024,
    "vocabulary": 50257,
    "flash_attention": true,
    "causal_skip": true,
    "source": [
        "config.json of Hugging Face transformers, model_type gpt2",
        "assumed: n_inner 3072: null in the file: 4 * hidden",
        "assumed: tie_word_embeddings yes: not in the file: the library's default",
        "assumed: sequence 1024: the longest that the file allows; --sequence sets another",
        "assumed: position learned: of every gpt2 model; no key says so",
        "assumed: norm layernorm: of every gpt2 model; no key says so",
        "assumed: biases yes: of every gpt2 model; no key says so",
        "assumed: flash_attention yes: as models are trained now; no key says so",
        "assumed: causal_skip yes: as models are trained now; no key says so"
    ]
}
