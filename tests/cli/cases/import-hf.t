reckon import hf "$RECKON_SOURCE/tests/data/hf/llama-2-7b.json"
=== stdout
llama-2-7b: a llama model, stored as float16
6,738,415,616 parameters

Model
id               llama-2-7b
parameters       6.74 B            trainable parameters
layers           32                transformer blocks
hidden           4096              width of the residual stream
feedforward      11,008            width inside the MLP
heads            32                attention heads
head dim         128               width of one head
sequence         4K                tokens of one sample
vocabulary       32,000            entries of the embedding table
attention        multihead         which heads share keys and values
position         rope              how positions are told apart
tied embeddings  no                the head shares the embedding's weights
biases           no                linear layers have biases
embedding norm   no                a LayerNorm after the embedding

Unlike GPT-3
norm             rmsnorm           kind of all norms
gated mlp        yes               a gate next to the MLP's first matrix
activation       silu              between the MLP's matrices, or of its gate
no dropout       yes               trained without dropout
flash attention  yes               attention scores are never written to memory
causal skip      yes               flash attention leaves out what the causal mask hides

Assumed because the file does not state it
what                 value    why
num_key_value_heads  32       not in the file: as many as heads
head_dim             128      not in the file: hidden / heads
attention_dropout    0        not in the file: the library's default
attention_bias       no       not in the file: the library's default
mlp_bias             no       not in the file: the library's default
sequence             4096     the longest that the file allows; --sequence sets another
position             rope     of every llama model; no key says so
norm                 rmsnorm  of every llama model; no key says so
gated_mlp            yes      of every llama model; no key says so
flash_attention      yes      as models are trained now; no key says so
causal_skip          yes      as models are trained now; no key says so
