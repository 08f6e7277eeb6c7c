/* sizes.c - the models of lingua and of llm-foundry's MPT by the sizes in a configuration.
 *
 * Keys and presets: lingua's transformer.py and apps/main/transformer.py (BaseTransformerArgs,
 * FeedForward), llm-foundry's models/mpt/configuration_mpt.py, models/utils/config_defaults.py,
 * models/layers/ffn.py. */
#include "keys/key_rows.h"
#include "keys/keys.h"
#include "keys/model_numbers.h"
#include "trainers/by_words.h"

#include <inttypes.h>
#include <string.h>

struct sizes {
    uint64_t hidden, layers, heads, kv_heads, head_dim, sequence, vocabulary, multiple;
    uint64_t feedforward;
    double ratio;
    const char *kind, *norm, *mlp;
    bool alibi, rope, no_bias, tied, learned, qk_norm;
};

#define AT(member) offsetof(struct sizes, member)

/* clang-format off */
static const struct key lingua_rows[] = {
    READ("model.dim", KEY_COUNT, hidden), READ("model.n_layers", KEY_COUNT, layers), READ("model.n_heads", KEY_COUNT, heads), READ("model.n_kv_heads", KEY_COUNT, kv_heads),
    READ("model.head_dim", KEY_COUNT, head_dim), READ("model.ffn_dim_multiplier", KEY_NUMBER, ratio), READ("model.multiple_of", KEY_COUNT, multiple),
    READ("model.vocab_size", KEY_COUNT, vocabulary), READ("model.weight_tying", KEY_FLAG, tied), READ("data.seq_len", KEY_COUNT, sequence),
};

static const struct key mpt_rows[] = {
    READ("model.d_model", KEY_COUNT, hidden), READ("model.n_layers", KEY_COUNT, layers), READ("model.n_heads", KEY_COUNT, heads), READ("model.head_dim", KEY_COUNT, head_dim),
    READ("model.expansion_ratio", KEY_NUMBER, ratio), READ("model.ffn_config.ffn_hidden_size", KEY_COUNT, feedforward), READ("model.ffn_config.ffn_type", KEY_TEXT, mlp),
    READ("model.max_seq_len", KEY_COUNT, sequence), READ("model.vocab_size", KEY_COUNT, vocabulary), READ("model.no_bias", KEY_FLAG, no_bias), READ("model.norm_type", KEY_TEXT, norm),
    READ("model.tie_word_embeddings", KEY_FLAG, tied), READ("model.learned_pos_emb", KEY_FLAG, learned), READ("model.attn_config.alibi", KEY_FLAG, alibi), READ("model.attn_config.rope", KEY_FLAG, rope),
    READ("model.attn_config.qk_ln", KEY_FLAG, qk_norm), READ("model.attn_config.attn_type", KEY_TEXT, kind), READ("model.attn_config.kv_n_heads", KEY_COUNT, kv_heads),
};
/* clang-format on */
static const struct key_table lingua_sizes = KEY_TABLE(lingua_rows),
                              mpt_sizes = KEY_TABLE(mpt_rows);

static void set_mpt(const struct sizes *s, struct rk_model *m)
{
    const bool rms = s->norm && strstr(s->norm, "rms");
    const bool grouped = s->kind && strcmp(s->kind, "grouped_query_attention") == 0;
    m->feedforward = s->feedforward ? s->feedforward : (uint64_t)(s->ratio * (double)s->hidden);
    m->kv_heads = s->kind && strcmp(s->kind, "multiquery_attention") == 0 ? 1
                  : grouped                                               ? s->kv_heads
                                                                          : 0;
    m->position = s->alibi     ? RK_POSITION_ALIBI
                  : s->rope    ? RK_POSITION_ROPE
                  : s->learned ? RK_POSITION_LEARNED
                               : RK_POSITION_NONE;
    m->norm = rms ? RK_RMS_NORM : s->no_bias ? RK_LAYER_NORM_UNBIASED : RK_LAYER_NORM;
    m->gated_mlp = s->mlp && strcmp(s->mlp, "mptglu") == 0;
    m->activation = RK_GELU;
    m->biases = !s->no_bias;
    m->qk_norm = m->qk_norm_wide = s->qk_norm;
}

static void set_lingua(const struct sizes *s, struct rk_model *m)
{
    const uint64_t two_thirds = 8 * s->hidden / 3;
    const uint64_t width = (uint64_t)(s->ratio * (double)two_thirds);
    m->feedforward = s->multiple * ((width + s->multiple - 1) / s->multiple);
    m->kv_heads = s->kv_heads == s->heads ? 0 : s->kv_heads;
    m->position = RK_POSITION_ROPE;
    m->norm = RK_RMS_NORM;
    m->gated_mlp = true;
    m->activation = RK_SILU;
}

static enum rk_status check(const struct settings *settings, const struct sizes *s, bool mpt,
                            struct rk_error *error)
{
    if (!s->vocabulary)
        return settings_fail_key(settings, "model.vocab_size", error,
                                 "is the tokenizer's, and not in the file: give --set "
                                 "model.vocab_size=N");
    if (!s->layers)
        return settings_fail_key(settings, "model.n_layers", error,
                                 "is missing: give --set model.n_layers=N");
    if (!s->head_dim && (!s->heads || s->hidden % s->heads))
        return settings_fail_key(settings, "model.n_heads", error,
                                 "must divide the width: give --set model.n_heads=N");
    if (!mpt && !s->multiple)
        return settings_fail_key(settings, "model.multiple_of", error, "must be at least 1");
    return RK_OK;
}

enum rk_status model_by_sizes(const struct settings *settings, struct rk_model *model, bool *found,
                              struct rk_error *error)
{
    const bool mpt = settings_find(settings, "model.d_model") != NULL;
    struct sizes s = {.multiple = 256, .ratio = mpt ? 4 : 1, .tied = mpt, .learned = true};
    *found = mpt || settings_find(settings, "model.dim");
    if (!*found) return RK_OK;
    if (mpt) s.vocabulary = 50368, s.sequence = 2048, s.heads = 16, s.layers = 24;
    enum rk_status status = keys_take(settings, mpt ? &mpt_sizes : &lingua_sizes, &s, error);
    if (status == RK_OK) status = check(settings, &s, mpt, error);
    if (status != RK_OK) return status;
    if (!s.heads && s.head_dim) s.heads = s.hidden / s.head_dim;
    *model = (struct rk_model){.layers = s.layers,
                               .hidden = s.hidden,
                               .heads = s.heads,
                               .head_dim = s.head_dim ? s.head_dim : s.hidden / s.heads,
                               .sequence = s.sequence,
                               .vocabulary = s.vocabulary,
                               .tied_embeddings = s.tied,
                               .no_dropout = true,
                               .flash_attention = true,
                               .causal_skip = true,
                               .count_embeddings = true};
    if (mpt)
        set_mpt(&s, model);
    else
        set_lingua(&s, model);
    return model_numbers_check(model, settings->path, error);
}
