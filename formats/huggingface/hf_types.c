#include "huggingface/hf_types.h"

#include <stddef.h>

/* Words that many types share. */
/* clang-format off */
#define SHAPE   "hidden_size! num_hidden_layers! num_attention_heads! vocab_size! max_position_embeddings dtype layer_types "
#define LLAMA   SHAPE "intermediate_size! num_key_value_heads head_dim hidden_act attention_dropout " UNTIED
#define UNTIED  "tie_word_embeddings=no "
#define TIED    "tie_word_embeddings=yes "
#define GPT     SHAPE "n_inner activation_function attn_pdrop=0.1 resid_pdrop=0.1 embd_pdrop=0.1 " TIED
#define ATTENTION_BIAS "attention_bias=no "
#define EXPERTS "num_experts! num_experts_per_tok! "
#define WINDOW  "sliding_window layer_types "
#define QWEN    "use_sliding_window=no " WINDOW "max_window_layers=28 "
#define SPARSE  "decoder_sparse_step=1 mlp_only_layers moe_intermediate_size! mlp_layer_types "
#define SHARED  "n_shared_experts moe_intermediate_size! first_k_dense_replace=0 "
#define LATENT  "q_lora_rank!? kv_lora_rank! qk_nope_head_dim! qk_rope_head_dim! v_head_dim! "
#define DEEPSEEK SHAPE "intermediate_size! hidden_act attention_dropout " UNTIED ATTENTION_BIAS LATENT \
    "num_experts!? num_experts_per_tok!? " SHARED "moe_layer_freq=1 topk_method num_nextn_predict_layers num_key_value_heads:same head_dim:rope mlp_layer_types qk_head_dim:any "
#define INDEX   "index_n_heads! index_head_dim! index_topk qk_head_dim:any "
#define MAMBA   "state_size=16 conv_kernel=4 expand=2 time_step_rank intermediate_size:inner use_conv_bias:on use_bias:off "
#define MAMBA_2 "state_size=128 n_groups=8 conv_kernel=4 use_conv_bias:on "
#define HYBRID  "mamba_d_state=256 mamba_n_heads=128 mamba_d_head mamba_n_groups=1 mamba_d_conv=4 mamba_expand=2 mamba_conv_bias:on mamba_proj_bias:off "
#define DELTA   "linear_num_value_heads=32 linear_value_head_dim=128 linear_num_key_heads=16 linear_key_head_dim=128 linear_conv_kernel_dim=4 full_attention_interval=4 layer_types attn_output_gate:on mtp_num_hidden_layers "

#define MODERN  "norm=rmsnorm position=rope gated_mlp=yes biases=no "
#define CLASSIC "norm=layernorm gated_mlp=no biases=yes "
#define QK      "qk_norm=yes "
#define FOUR    "block_norms=4 "
#define GELU    "activation=gelu "
/* clang-format on */

const struct hf_type hf_types[] = {
#define ROW(name, class, keys, facts) {name, class, keys, facts},
#include "tables/hf-types.h"
#undef ROW
    {.name = NULL},
};

const char *const hf_type_names[] = {
#define ROW(name, class, keys, facts) name,
#include "tables/hf-types.h"
#undef ROW
    NULL,
};
