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
    "config": {
        "architectures": [
            "GPT2LMHeadModel"
        ],
        "model_type": "gpt2",
        "activation_function": "gelu_new",
        "attn_pdrop": 0.1,
        "embd_pdrop": 0.1,
        "resid_pdrop": 0.1,
        "n_ctx": 1024,
        "n_embd": 768,
        "n_head": 12,
        "n_layer": 12,
        "n_positions": 1024,
        "n_inner": null,
        "vocab_size": 50257
    },
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
