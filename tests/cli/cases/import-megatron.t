cp "$RECKON_SOURCE/tests/data/megatron/llama3-70b.sh" .
reckon import megatron llama3-70b.sh
=== stdout
llama3-70b: 70,553,706,496 parameters, 128 GPUs with Megatron-LM
The arguments are those of Megatron Core 0.11 to 0.19
  plan: dp4 tp4 pp4 vpp5 cp2 gbs512 sp tp-overlap zero1 grad-overlap weight-overlap loss-compiled
  vocab-multiple=128

Model
id               llama3-70b
parameters       70.55 B           trainable parameters
layers           80                transformer blocks
hidden           8192              width of the residual stream
feedforward      28,672            width inside the MLP
heads            64                attention heads
head dim         128               width of one head
sequence         8K                tokens of one sample
vocabulary       128,256           entries of the embedding table
attention        grouped-query     which heads share keys and values
position         rope              how positions are told apart
tied embeddings  no                the head shares the embedding's weights
biases           no                linear layers have biases
embedding norm   no                a LayerNorm after the embedding

Unlike GPT-3
kv heads         8                 key and value heads, each shared by a group of heads
norm             rmsnorm           kind of all norms
gated mlp        yes               a gate next to the MLP's first matrix
activation       silu              between the MLP's matrices, or of its gate
no dropout       yes               trained without dropout
flash attention  yes               attention scores are never written to memory
causal skip      yes               flash attention leaves out what the causal mask hides

Assumed because the arguments do not state it
what           value  why
--kv-channels  128    not given: hidden / heads
