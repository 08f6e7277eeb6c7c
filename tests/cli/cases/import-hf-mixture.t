cp "$RECKON_SOURCE/tests/data/hf/deepseek-v3.json" config.json; mkdir DeepSeek-V3; mv config.json DeepSeek-V3; reckon import hf DeepSeek-V3/config.json
=== stdout
DeepSeek-V3: a deepseek_v3 model, stored as bfloat16
671,026,419,200 parameters, of which 37,552,297,472 active

Model
id               DeepSeek-V3
parameters       671.03 B          trainable parameters
layers           61                transformer blocks
hidden           7168              width of the residual stream
feedforward      18,432            width inside the MLP
heads            128               attention heads
head dim         128               width of one head
sequence         4K                tokens of one sample
vocabulary       129,280           entries of the embedding table
attention        latent            which heads share keys and values
position         rope              how positions are told apart
tied embeddings  no                the head shares the embedding's weights
biases           no                linear layers have biases
embedding norm   no                a LayerNorm after the embedding

Unlike GPT-3
active parameters   37.55 B           those that one token meets
norm                rmsnorm           kind of all norms
gated mlp           yes               a gate next to the MLP's first matrix
activation          silu              between the MLP's matrices, or of its gate
no dropout          yes               trained without dropout
flash attention     yes               attention scores are never written to memory
causal skip         yes               flash attention leaves out what the causal mask hides
experts             256               routed experts of a layer; 0: dense
active experts      8                 routed experts that a token goes to
shared experts      1                 experts that every token goes through
expert feedforward  2048              width inside an expert; default feedforward
dense layers        3                 layers, the first ones, with a dense MLP
expert groups       8                 equal groups of neighbouring experts; 0: none
active groups       4                 groups that the experts of a token are chosen from; 0: all
router biases       yes               one value per expert to balance them by
q rank              1536              width of the latent query; 0: queries are not compressed
kv rank             512               width of the latent key and value; 0: no latent attention
rope dim            64                part of a latent head with position
value dim           128               width of a value head; default that of the others
predict layers      1                 layers for multi-token prediction, outside the parameter count

Assumed because the file does not state it
what             value    why
sequence         4096     original_max_position_embeddings, before the context was stretched to 163840; --sequence sets another
position         rope     of every deepseek_v3 model; no key says so
norm             rmsnorm  of every deepseek_v3 model; no key says so
gated_mlp        yes      of every deepseek_v3 model; no key says so
flash_attention  yes      as models are trained now; no key says so
causal_skip      yes      as models are trained now; no key says so
=== stderr
reckon: warning: DeepSeek-V3/config.json: num_nextn_predict_layers 1: layers for multi-token prediction are trained, but not counted as parameters
reckon: warning: DeepSeek-V3/config.json: quantization_config fp8: how the weights are stored; what training computes with is the strategy's datatype
