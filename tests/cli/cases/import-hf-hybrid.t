cat > config.json <<'END'
{"model_type": "nemotron_h", "hidden_size": 4480, "intermediate_size": 15680, "num_hidden_layers": 56, "num_attention_heads": 40,
 "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 131072, "max_position_embeddings": 131072, "mlp_hidden_act": "relu2",
 "hybrid_override_pattern": "M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-", "mamba_num_heads": 128,
 "mamba_head_dim": 80, "n_groups": 8, "ssm_state_size": 128, "conv_kernel": 4, "time_step_limit": [0.0, Infinity]}
END
reckon import hf config.json -o model.json && reckon predict -m ./model.json -s h100-sxm5-80g -g 64 tp4 sp zero1 gbs256 mbs1 | head -1
=== stdout
model: a nemotron_h model
8,888,227,328 parameters

Model
id               model
parameters       8.89 B            trainable parameters
layers           56                transformer blocks
hidden           4480              width of the residual stream
feedforward      15,680            width inside the MLP
heads            40                attention heads
head dim         128               width of one head
sequence         4K                tokens of one sample
vocabulary       131,072           entries of the embedding table
attention        grouped-query     which heads share keys and values
position         none              how positions are told apart
tied embeddings  no                the head shares the embedding's weights
biases           no                linear layers have biases
embedding norm   no                a LayerNorm after the embedding

Unlike GPT-3
kv heads          8                 key and value heads, each shared by a group of heads
norm              rmsnorm           kind of all norms
activation        squared_relu      between the MLP's matrices, or of its gate
no dropout        yes               trained without dropout
flash attention   yes               attention scores are never written to memory
causal skip       yes               flash attention leaves out what the causal mask hides
mixers            r-r-r-rr-r-r-ra-r-r-ra-r-r-r-ra-r-r-r-ra-r-rr-r-r-r-r-  what mixes the tokens of each layer, in letters of reckon-model(5)
mlps              -d-d-d--d-d-d--d-d-d--d-d-d-d--d-d-d-d--d-d--d-d-d-d-d  the MLP of each layer, in letters of reckon-model(5)
recurrence        mamba2            kind of the recurrent layers
recurrent heads   128               heads of a recurrence; of mamba 1
recurrent dim     80                width of its heads, of values; of mamba the inner width
recurrent groups  8                 groups of them that share keys (B and C of a state space)
state             128               width of its keys (B and C of a state space)
convolution       4                 tokens that its convolution reads; 0: none
recurrent norm    yes               a norm on its output (of mamba on step sizes, B and C)

Assumed because the file does not state it
what                 value         why
attention_dropout    0             not in the file: the library's default
tie_word_embeddings  no            not in the file: the library's default
attention_bias       no            not in the file: the library's default
mlp_bias             no            not in the file: the library's default
hidden_dropout       0             not in the file: the library's default
sequence             4096          usual in pre-training; the file allows up to 131072 and does not say; --sequence sets another
position             none          of every nemotron_h model; no key says so
norm                 rmsnorm       of every nemotron_h model; no key says so
activation           squared_relu  of every nemotron_h model; no key says so
recurrence           mamba2        of every nemotron_h model; no key says so
recurrent_norm       yes           of every nemotron_h model; no key says so
flash_attention      yes           as models are trained now; no key says so
causal_skip          yes           as models are trained now; no key says so
fits: P(fits) 100 %, 2.741 s per step (50 % 2.513-3.510 s), MFU 30.8 %, memory 21.8 of 79.2 GiB, 115.7 USD per 1B tokens
