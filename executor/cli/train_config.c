#include "cli/train_config.h"

#include "cli/executor.h"
#include "cli/train_exact.h"
#include "cli/train_model.h"
#include "huggingface/hf.h"
#include "huggingface/hf_keys.h"
#include "workload/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Is the type's config.json kept with weights that were loaded with it? */
static bool kept_type(const char *name)
{
    const struct exact_type *type = train_exact_type(name);
    return type && !(type->facts & NAMED_OTHERWISE);
}

static const struct hf_type *hf_type_of(const char *name)
{
    const struct hf_type *type = hf_types;
    while (type->name && strcmp(type->name, name) != 0)
        type++;
    return type->name ? type : NULL;
}

/* ---- is it the same ---- */

static bool has_local_layers(const struct rk_model *m)
{
    return pattern_count(m).mixers[MIXER_LOCAL] > 0;
}

static bool same_heads(const struct rk_model *a, const struct rk_model *b, bool local)
{
    const struct head_shape x = head_shape_of(a, local), y = head_shape_of(b, local);
    return x.heads == y.heads && x.kv_heads == y.kv_heads && x.width == y.width &&
           x.value == y.value;
}

static bool same_layers(const struct rk_model *a, const struct rk_model *b)
{
    if (a->layers != b->layers || !same_heads(a, b, false)) return false;
    for (uint64_t i = 0; i < a->layers; i++)
        if (mixer_of(a, i) != mixer_of(b, i) || mlp_of(a, i) != mlp_of(b, i)) return false;
    return !has_local_layers(a) || same_heads(a, b, true);
}

/* Without what same_layers() compares, what says the same in another way, and what weights and
 * their arithmetic do not depend on. */
static struct rk_model reduced(struct rk_model m)
{
    const bool local = has_local_layers(&m), dense = has_dense_mlps(&m);
    const bool qkv = has_qkv_biases(&m), out = has_out_biases(&m), mlp = has_mlp_biases(&m);
    const double shared = m.experts ? shared_width(&m) : 0;
    if (!m.position_rows) m.position_rows = m.sequence;
    if (m.position != RK_POSITION_LEARNED) m.position_rows = 0;
    if (m.experts && !m.expert_feedforward) m.expert_feedforward = m.feedforward;
    if (!m.experts) m.active_experts = m.expert_feedforward = m.expert_groups = m.active_groups = 0;
    if (m.expert_hidden == m.hidden) m.expert_hidden = 0;
    if (!m.block_norms) m.block_norms = 2;
    if (!dense) m.feedforward = 0;
    if (!local) m.window = m.window_globals = m.window_chunks = 0;
    memset(m.id, 0, sizeof m.id);
    memset(m.mixers, 0, sizeof m.mixers);
    memset(m.mlps, 0, sizeof m.mlps);
    m.dense_layers = m.expert_every = m.window_every = m.sequence = 0;
    m.heads = m.kv_heads = m.head_dim = m.value_dim = 0;
    m.local_heads = m.local_kv_heads = m.local_head_dim = 0;
    m.attention = RK_ATTENTION_MULTIHEAD;
    m.shared_experts = 0;
    m.shared_feedforward = (uint64_t)shared;
    m.biases = false;
    m.qkv_biases = qkv;
    m.out_biases = out;
    m.mlp_biases = mlp;
    m.no_dropout = m.flash_attention = m.causal_skip = m.count_embeddings = false;
    return m;
}

static bool same_shape(const struct rk_model *of, const struct rk_model *other)
{
    if (!same_layers(of, other)) return false;
    const struct rk_model a = reduced(*of), b = reduced(*other);
    bool same = true;
#define MODEL_COUNT(key, need, least, most, help) same &= a.key == b.key;
#define MODEL_FLAG(key, preset, help)             same &= a.key == b.key;
#define MODEL_CHOICE(key, type, names, help)      same &= a.key == b.key;
#include <reckon/model.def>
    return same;
}

static enum rk_scores scores_of(const struct rk_model *m, const struct rk_train *t)
{
    if (t->scores != RK_SCORES_OF_MODEL) return t->scores;
    return m->router_biases ? RK_SCORES_SIGMOID : RK_SCORES_SOFTMAX;
}

static bool same_details(const struct rk_arithmetic *a, const struct rk_arithmetic *b)
{
    const double x[] = {a->embedding_scale, a->residual_scale, a->logit_scale, a->attention_scale,
                        a->attention_cap,   a->logit_cap,      a->norm_offset, a->rotary_part,
                        a->local_base,      a->gate_limit};
    const double y[] = {b->embedding_scale, b->residual_scale, b->logit_scale, b->attention_scale,
                        b->attention_cap,   b->logit_cap,      b->norm_offset, b->rotary_part,
                        b->local_base,      b->gate_limit};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (fabs(x[i] - y[i]) > 1e-12 * fabs(x[i])) return false;
    return a->naming == b->naming && a->first_position == b->first_position &&
           memcmp(a->unturned, b->unturned, sizeof a->unturned) == 0 &&
           a->norms_after == b->norms_after && a->routers_add == b->routers_add &&
           a->wide_norms == b->wide_norms && a->neighbours == b->neighbours;
}

static bool same_arithmetic(const struct rk_model *m, const struct rk_train *a,
                            const struct rk_train *b)
{
    const struct rk_rotary_stretch *x = &a->rotary_stretch, *y = &b->rotary_stretch;
    const bool turns = m->position == RK_POSITION_ROPE;
    if (!same_details(&a->arithmetic, &b->arithmetic)) return false;
    if (a->norm_eps != b->norm_eps || (turns && a->rotary_base != b->rotary_base)) return false;
    if (turns &&
        (x->yarn != y->yarn || x->fractional != y->fractional ||
         fabs(x->magnitude - y->magnitude) > 1e-12 || fabs(x->softmax - y->softmax) > 1e-12))
        return false;
    if (turns && (x->factor != y->factor || x->context != y->context || x->low != y->low ||
                  x->high != y->high || x->factors != y->factors ||
                  memcmp(x->divide, y->divide, sizeof x->divide) != 0))
        return false;
    if (m->activation == RK_GELU && a->exact_gelu != b->exact_gelu) return false;
    return !m->experts || (scores_of(m, a) == scores_of(m, b) && a->renormalise == b->renormalise &&
                           a->route_scale == b->route_scale);
}

/* GPT-2's tensors have other names where the head has a table of its own. */
static bool reads_back(const char *text, const struct rk_model *model, const struct rk_train *train)
{
    const struct hf_options options = {.type = -1};
    struct document document = {.root = NULL};
    struct rk_train read = cli_executor->defaults();
    struct rk_error error;
    struct hf_import *import = malloc(sizeof *import);
    const bool same =
        import && document_parse("config.json", text, strlen(text), &document, &error) == RK_OK &&
        hf_read(&document, model->id, &options, import, &error) == RK_OK &&
        kept_type(import->type) &&
        train_model_details(&document, &import->model, &read, &error) == RK_OK &&
        same_shape(model, &import->model) && same_arithmetic(model, train, &read) &&
        (strcmp(import->type, "gpt2") != 0 || model->tied_embeddings);
    document_release(&document);
    free(import);
    return same;
}

/* ---- writing ---- */

static void set(json_t *root, const char *key, json_t *value)
{
    json_object_set_new(root, key, value);
}

static void set_count(json_t *root, const char *key, uint64_t count)
{
    set(root, key, json_integer((json_int_t)count));
}

static const char *activation_of(const struct rk_model *m, const struct rk_train *train)
{
    static const char *const names[] = {[RK_GELU] = "gelu_pytorch_tanh",
                                        [RK_SILU] = "silu",
                                        [RK_SQUARED_RELU] = "relu2",
                                        [RK_RELU] = "relu",
                                        [RK_XIELU] = "xielu"};
    if (m->activation != RK_GELU) return names[m->activation];
    if (train->exact_gelu) return "gelu";
    return m->gated_mlp ? names[RK_GELU] : "gelu_new";
}

/* The tokens of the longest sample. */
static uint64_t positions_of(const struct rk_model *m)
{
    return rk_model_positions(m, 0);
}

static void set_gpt2(json_t *root, const struct rk_model *m, const struct rk_train *train)
{
    static const char *const dropouts[] = {"attn_pdrop", "embd_pdrop", "resid_pdrop"};
    set_count(root, "n_embd", m->hidden);
    set_count(root, "n_layer", m->layers);
    set_count(root, "n_head", m->heads);
    set_count(root, "n_inner", m->feedforward);
    set_count(root, "n_positions", positions_of(m));
    set(root, "activation_function", json_string(activation_of(m, train)));
    set(root, "layer_norm_epsilon", json_real(train->norm_eps));
    for (int i = 0; i < 3; i++)
        set(root, dropouts[i], json_real(0));
}

/* As transformers' modeling_rope_utils.py reads it. */
static void set_yarn(json_t *root, const struct rk_rotary_stretch *s)
{
    json_t *said = json_object();
    set(said, "rope_type", json_string("yarn"));
    set(said, "factor", json_real(s->factor));
    set_count(said, "original_max_position_embeddings", (uint64_t)s->context);
    set(said, "beta_fast", json_real(s->high));
    set(said, "beta_slow", json_real(s->low));
    set(said, "attention_factor", json_real(s->magnitude));
    if (s->fractional) set(said, "truncate", json_false());
    if (s->softmax > 0) /* 0.1 m log(factor) + 1 is its root */
        set(said, "mscale_all_dim", json_real((sqrt(s->softmax) - 1) / (0.1 * log(s->factor))));
    set(root, "rope_scaling", said);
    set_count(root, "max_position_embeddings", (uint64_t)(s->factor * s->context));
}

static json_t *numbers_of(const double *numbers, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_real(numbers[i]));
    return list;
}

static void set_longrope(json_t *root, const struct rk_rotary_stretch *s)
{
    json_t *said = json_object();
    set(said, "rope_type", json_string("longrope"));
    set(said, "short_factor", numbers_of(s->divide[0], s->factors));
    set(said, "long_factor", numbers_of(s->divide[1], s->factors));
    set(said, "attention_factor", json_real(s->magnitude));
    set(root, "rope_scaling", said);
    set_count(root, "original_max_position_embeddings", (uint64_t)s->context);
    set_count(root, "max_position_embeddings", (uint64_t)(s->factor * s->context + 0.5));
}

static void set_stretch(json_t *root, const struct rk_rotary_stretch *s)
{
    if (s->yarn) {
        set_yarn(root, s);
        return;
    }
    if (s->factors) {
        set_longrope(root, s);
        return;
    }
    json_t *said = json_object();
    const bool linear = !(s->context > 0);
    if (s->factor == 1 && linear) {
        json_decref(said);
        return;
    }
    set(said, "rope_type", json_string(linear ? "linear" : "llama3"));
    set(said, "factor", json_real(s->factor));
    if (!linear) {
        set_count(said, "original_max_position_embeddings", (uint64_t)s->context);
        set(said, "low_freq_factor", json_real(s->low));
        set(said, "high_freq_factor", json_real(s->high));
    }
    set(root, "rope_scaling", said);
}

static void set_experts(json_t *root, const struct rk_model *m, const struct rk_train *train)
{
    json_t *dense = json_array();
    for (uint64_t i = 0; i < m->layers; i++)
        if (mlp_of(m, i) == MLP_DENSE) json_array_append_new(dense, json_integer((json_int_t)i));
    set(root, "mlp_only_layers", dense);
    set_count(root, "decoder_sparse_step", 1);
    set_count(root, "num_experts", m->experts);
    set_count(root, "num_experts_per_tok", m->active_experts);
    set_count(root, "moe_intermediate_size",
              m->expert_feedforward ? m->expert_feedforward : m->feedforward);
    set(root, "norm_topk_prob", json_boolean(train->renormalise));
    set(root, "router_aux_loss_coef", json_real(train->balance));
}

static void set_llama(json_t *root, const struct hf_type *type, const struct rk_model *m,
                      const struct rk_train *train)
{
    const struct head_shape heads = head_shape_of(m, false);
    set_count(root, "hidden_size", m->hidden);
    set_count(root, "intermediate_size", m->feedforward ? m->feedforward : m->expert_feedforward);
    set_count(root, "num_hidden_layers", m->layers);
    set_count(root, "num_attention_heads", m->heads);
    set_count(root, "num_key_value_heads", (uint64_t)heads.kv_heads);
    set_count(root, "head_dim", (uint64_t)heads.width);
    set_count(root, "max_position_embeddings", positions_of(m));
    set(root, "hidden_act", json_string(activation_of(m, train)));
    set(root, "rms_norm_eps", json_real(train->norm_eps));
    set(root, "rope_theta", json_real(train->rotary_base));
    set_stretch(root, &train->rotary_stretch);
    set(root, "attention_dropout", json_real(0));
    if (hf_type_has(type, "attention_bias"))
        set(root, "attention_bias", json_boolean(has_qkv_biases(m)));
    if (hf_type_has(type, "qkv_bias")) set(root, "qkv_bias", json_boolean(has_qkv_biases(m)));
    if (hf_type_has(type, "mlp_bias")) set(root, "mlp_bias", json_boolean(has_mlp_biases(m)));
    if (hf_type_has(type, "use_sliding_window"))
        set(root, "use_sliding_window", json_false());
    else if (hf_type_has(type, "sliding_window"))
        set(root, "sliding_window", m->window ? json_integer((json_int_t)m->window) : json_null());
    if (m->experts && hf_type_has(type, "num_experts")) set_experts(root, m, train);
    if (m->experts && hf_type_has(type, "shared_expert_intermediate_size"))
        set_count(root, "shared_expert_intermediate_size", (uint64_t)shared_width(m));
}

static void set_saved(json_t *root, const struct rk_train *train)
{
    json_object_del(root, "dtype"); /* as transformers 5 calls it */
    set(root, "torch_dtype", json_string(train->double_precision ? "float64" : "float32"));
}

static json_t *config_of(const struct hf_type *type, const struct rk_model *m,
                         const struct rk_train *train)
{
    char name[64];
    const bool gpt2 = strcmp(type->name, "gpt2") == 0;
    json_t *root = json_object(), *classes = json_array();
    snprintf(name, sizeof name, "%s%s", type->architecture, gpt2 ? "LMHeadModel" : "ForCausalLM");
    json_array_append_new(classes, json_string(name));
    set(root, "architectures", classes);
    set(root, "model_type", json_string(type->name));
    set_count(root, "vocab_size", m->vocabulary);
    if (gpt2)
        set_gpt2(root, m, train);
    else
        set_llama(root, type, m, train);
    set(root, "tie_word_embeddings", json_boolean(m->tied_embeddings));
    set(root, "bos_token_id", json_null()); /* tokenizers know them */
    set(root, "eos_token_id", json_null());
    set_saved(root, train);
    return root;
}

/* What the run was told otherwise, or the file leaves to a default. */
static void set_number(json_t *object, const char *key, double number)
{
    const json_t *said = json_object_get(object, key);
    if (!json_is_number(said) || json_number_value(said) != number)
        set(object, key, json_real(number));
}

static json_t *config_from(const char *source, const struct rk_model *m,
                           const struct rk_train *train)
{
    json_t *root = source ? json_load_file(source, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const char *name = json_string_value(json_object_get(root, "model_type"));
    if (!kept_type(name)) {
        json_decref(root);
        return NULL;
    }
    if (train->arithmetic.naming != RK_NAMES_OF_MODEL) { /* it is as it was, or read back in vain */
        json_object_del(root, "quantization_config");
        set_saved(root, train);
        return root;
    }
    const bool gpt2 = strcmp(name, "gpt2") == 0;
    json_t *rope = json_object_get(root, "rope_parameters"); /* of transformers 5 */
    set_number(root, gpt2 ? "layer_norm_epsilon" : "rms_norm_eps", train->norm_eps);
    if (!gpt2) set_number(json_is_object(rope) ? rope : root, "rope_theta", train->rotary_base);
    if (m->experts) set(root, "norm_topk_prob", json_boolean(train->renormalise));
    json_object_del(root, "quantization_config"); /* weights are saved as they are */
    set_saved(root, train);
    return root;
}

/* Takes `root`. NULL: it is not what ran. */
static char *checked(json_t *root, const struct rk_model *model, const struct rk_train *train)
{
    enum { FORM = JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15) };
    char *text = root ? json_dumps(root, FORM) : NULL;
    json_decref(root);
    if (text && reads_back(text, model, train)) return text;
    free(text);
    return NULL;
}

char *train_config_text(const char *source, const struct rk_model *model,
                        const struct rk_train *train)
{
    if (train->block_tokens) return NULL;
    char *text = checked(config_from(source, model, train), model, train);
    /* of several that have a shape the first is written */
    for (const struct exact_type *type = train_exact_types; !text && type->name; type++)
        if (type->facts & SAVED)
            text = checked(config_of(hf_type_of(type->name), model, train), model, train);
    return text;
}
