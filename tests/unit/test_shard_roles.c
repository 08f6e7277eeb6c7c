/* Names of tensors in checkpoints of the model types that are imported: none is unknown, and each
 * is what it should be. After the index files and the modelling code that are published with them.
 */
#include "huggingface/hf_types.h"
#include "shard/roles.h"

#include <criterion/criterion.h>
#include <string.h>

/* clang-format off */
static const struct { const char *type, *name; enum shard_role role; int turned, stacked; } names[] = {
    {"llama", "model.embed_tokens.weight", ROLE_EMBEDDING, 0, 0},
    {"llama", "lm_head.weight", ROLE_HEAD, 0, 0},
    {"llama", "model.norm.weight", ROLE_FINAL_NORM, 0, 0},
    {"llama", "model.layers.31.self_attn.rotary_emb.inv_freq", ROLE_BUFFER, 0, 0},
    {"llama4_text", "language_model.model.layers.0.feed_forward.experts.gate_up_proj", ROLE_EXPERT_HALVES, 1, 1},
    {"llama4_text", "language_model.model.layers.0.feed_forward.shared_expert.down_proj.weight", ROLE_DOWN, 0, 0},
    {"mixtral", "model.layers.3.block_sparse_moe.experts.7.w2.weight", ROLE_EXPERT_DOWN, 0, 0},
    {"mixtral", "model.layers.3.mlp.experts.gate_up_proj", ROLE_EXPERT_HALVES, 0, 1},
    {"phi3", "model.layers.3.self_attn.qkv_proj.weight", ROLE_THIRDS, 0, 0},
    {"phi", "model.layers.3.self_attn.dense.bias", ROLE_ATTENTION_OUT, 0, 0},
    {"phi", "model.final_layernorm.bias", ROLE_FINAL_NORM, 0, 0},
    {"qwen", "transformer.h.0.attn.c_attn.weight", ROLE_THIRDS, 0, 0},
    {"qwen", "transformer.h.0.mlp.w2.weight", ROLE_ROWS, 0, 0},
    {"qwen", "transformer.h.0.mlp.c_proj.weight", ROLE_DOWN, 0, 0},
    {"qwen2_moe", "model.layers.0.mlp.shared_expert_gate.weight", ROLE_WHOLE, 0, 0},
    {"qwen3_next", "model.layers.0.linear_attn.in_proj_qkvz.weight", ROLE_STATE_GROUPS, 0, 0},
    {"qwen3_next", "mtp.layers.0.mlp.experts.3.down_proj.weight", ROLE_EXPERT_DOWN, 0, 0},
    {"qwen3_next", "mtp.fc.weight", ROLE_PREDICT_IN, 0, 0},
    {"gpt2", "h.11.attn.c_attn.weight", ROLE_THIRDS, 1, 0},
    {"gpt2", "transformer.h.11.mlp.c_proj.weight", ROLE_DOWN, 1, 0},
    {"gpt2", "h.11.attn.bias", ROLE_BUFFER, 0, 0},
    {"gpt2", "wpe.weight", ROLE_POSITIONS, 0, 0},
    {"gpt_bigcode", "transformer.h.0.attn.c_attn.weight", ROLE_THIRDS, 0, 0},
    {"gptj", "transformer.h.0.attn.masked_bias", ROLE_BUFFER, 0, 0},
    {"gptj", "transformer.h.0.mlp.fc_out.weight", ROLE_DOWN, 0, 0},
    {"gpt_neox", "gpt_neox.layers.3.attention.query_key_value.bias", ROLE_HEADWISE, 0, 0},
    {"gpt_neox", "gpt_neox.layers.3.attention.masked_bias", ROLE_BUFFER, 0, 0},
    {"gpt_neox", "embed_out.weight", ROLE_HEAD, 0, 0},
    {"bloom", "transformer.word_embeddings_layernorm.bias", ROLE_EMBEDDING_NORM, 0, 0},
    {"bloom", "h.3.self_attention.query_key_value.weight", ROLE_HEADWISE, 0, 0},
    {"falcon", "transformer.h.3.self_attention.query_key_value.weight", ROLE_GROUPWISE, 0, 0},
    {"chatglm", "transformer.encoder.layers.3.self_attention.query_key_value.weight", ROLE_THIRDS, 0, 0},
    {"chatglm", "transformer.encoder.layers.3.mlp.dense_h_to_4h.weight", ROLE_HALVES, 0, 0},
    {"chatglm", "transformer.output_layer.weight", ROLE_HEAD, 0, 0},
    {"opt", "model.decoder.layers.3.fc1.bias", ROLE_ROWS, 0, 0},
    {"opt", "model.decoder.embed_positions.weight", ROLE_POSITIONS, 0, 0},
    {"mpt", "transformer.blocks.3.attn.Wqkv.weight", ROLE_THIRDS, 0, 0},
    {"mpt", "transformer.blocks.3.norm_1.weight", ROLE_NORM, 0, 0},
    {"dbrx", "transformer.blocks.3.ffn.experts.mlp.w2", ROLE_EXPERTS_ROWS, 0, 0},
    {"dbrx", "transformer.blocks.3.norm_attn_norm.attn.out_proj.weight", ROLE_ATTENTION_OUT, 0, 0},
    {"internlm2", "model.layers.3.attention.wqkv.weight", ROLE_GROUPWISE, 0, 0},
    {"internlm2", "output.weight", ROLE_HEAD, 0, 0},
    {"internlm2", "model.layers.3.feed_forward.w2.weight", ROLE_DOWN, 0, 0},
    {"baichuan", "model.layers.3.self_attn.W_pack.weight", ROLE_THIRDS, 0, 0},
    {"persimmon", "model.layers.3.self_attn.query_key_value.weight", ROLE_HEADWISE, 0, 0},
    {"bailing_moe", "model.layers.3.attention.query_key_value.weight", ROLE_THIRDS, 0, 0},
    {"exaone", "transformer.h.3.attn.attention.out_proj.weight", ROLE_ATTENTION_OUT, 0, 0},
    {"exaone", "transformer.h.3.mlp.c_fc_1.weight", ROLE_ROWS, 0, 0},
    {"minimax_text_01", "model.layers.3.self_attn.qkv_proj.weight", ROLE_HEADWISE, 0, 0},
    {"kimi_linear", "model.layers.3.self_attn.A_log", ROLE_STATE_HEADS, 0, 0},
    {"cohere", "model.layers.3.self_attn.q_norm.weight", ROLE_HEAD_NORM, 0, 0},
    {"granitemoe", "model.layers.3.block_sparse_moe.input_linear.weight", ROLE_EXPERT_HALVES, 0, 1},
    {"granitemoehybrid", "model.layers.3.shared_mlp.output_linear.weight", ROLE_DOWN, 0, 0},
    {"bamba", "model.layers.3.mamba.in_proj.weight", ROLE_STATE_IN, 0, 0},
    {"jamba", "model.layers.3.feed_forward.experts.2.up_proj.weight", ROLE_EXPERT_ROWS, 0, 0},
    {"jamba", "model.layers.3.mamba.x_proj.weight", ROLE_DOWN, 0, 0},
    {"mamba", "backbone.layers.3.mixer.conv1d.bias", ROLE_STATE_CONVOLUTION, 0, 0},
    {"mamba2", "backbone.embeddings.weight", ROLE_EMBEDDING, 0, 0},
    {"nemotron_h", "backbone.layers.3.mixer.o_proj.weight", ROLE_ATTENTION_OUT, 0, 0},
    {"arctic", "model.layers.3.residual_mlp.w2.weight", ROLE_DOWN, 0, 0},
    {"hunyuan_v1_moe", "model.layers.3.mlp.gate.wg.weight", ROLE_ROUTER, 0, 0},
    {"ernie4_5_moe", "model.layers.3.mlp.moe_statics.e_score_correction_bias", ROLE_ROUTER, 0, 0},
    {"gpt_oss", "model.layers.3.mlp.experts.gate_up_proj_blocks", ROLE_EXPERT_PAIRS, 0, 1},
    {"gpt_oss", "model.layers.3.mlp.experts.down_proj_bias", ROLE_EXPERT_WHOLE, 0, 1},
    {"gpt_oss", "model.layers.3.self_attn.sinks", ROLE_HEADS, 0, 0},
    {"deepseek_v3", "model.layers.61.shared_head.head.weight", ROLE_PREDICT_HEAD, 0, 0},
    {"deepseek_v3", "model.layers.61.eh_proj.weight", ROLE_PREDICT_IN, 0, 0},
    {"deepseek_v3", "model.layers.3.mlp.experts.255.up_proj.weight_scale_inv", ROLE_EXPERT_ROWS, 0, 0},
    {"deepseek_v32", "model.layers.3.self_attn.indexer.wq_b.weight", ROLE_WHOLE, 0, 0},
    {"mimo", "model.mtp_layers.0.input_proj.weight", ROLE_PREDICT_IN, 0, 0},
    {"apertus", "model.layers.3.mlp.act_fn.alpha_p", ROLE_WHOLE, 0, 0},
    {"llama", "model.vision_tower.layers.0.self_attn.q_proj.weight", ROLE_UNKNOWN, 0, 0},
    {"llama", "model.layers.0.self_attn.r_proj.weight", ROLE_UNKNOWN, 0, 0},
    {"llama", "9999999999.self_attn.q_proj.weight", ROLE_UNKNOWN, 0, 0},
    {"llama", "", ROLE_UNKNOWN, 0, 0},
};
/* clang-format on */

Test(shard_roles, names)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct part part = part_of(names[i].name, names[i].type);
        int known = 0;
        for (const char *const *type = hf_type_names; *type; type++)
            known |= strcmp(*type, names[i].type) == 0;
        cr_expect(known, "%s is not a model type", names[i].type);
        cr_expect_eq(part.role, names[i].role, "%s: %s: %s", names[i].type, names[i].name,
                     shard_role_name(part.role));
        cr_expect_eq(part.turned, names[i].turned, "%s", names[i].name);
        cr_expect_eq(part.stacked, names[i].stacked, "%s", names[i].name);
    }
}

Test(shard_roles, numbers)
{
    const struct part expert =
        part_of("model.layers.61.mlp.experts.255.up_proj.weight_scale_inv", "");
    cr_assert_eq(expert.layer, 61);
    cr_assert_eq(expert.expert, 255);
    cr_assert_eq(expert.leaf, LEAF_BLOCK_SCALES);
    cr_assert_not(expert.parameter);
    cr_assert_eq(part_of("mtp.layers.0.mlp.gate.weight", "").layer, PART_PREDICTING);
    cr_assert_eq(part_of("lm_head.bias", "").leaf, LEAF_BIAS);
    cr_assert_eq(part_of("lm_head.bias", "").layer, -1);
    cr_assert_str_eq(part_nearest("model.layers.0.mlp.gate_projj.weight"), "mlp.gate_proj");
}
