#include "workload/pattern.h"

#include <string.h>

const char mixer_letters[] = {
    [MIXER_ATTENTION] = 'a', [MIXER_LOCAL] = 'l', [MIXER_RECURRENT] = 'r', [MIXER_BOTH] = 'b',
    [MIXER_ENCODER] = 'e',   [MIXER_CROSS] = 'x', [MIXER_NONE] = '-',      [MIXERS] = '\0'};
const char mlp_letters[] = {
    [MLP_DENSE] = 'd', [MLP_EXPERTS] = 'e', [MLP_NONE] = '-', [MLP_KINDS] = '\0'};

/* ---- which layers are what ---- */

static int letter_of(const char *letters, const char *pattern, uint64_t i)
{
    const char *at = strchr(letters, pattern[i % strlen(pattern)]);
    return at ? (int)(at - letters) : 0;
}

enum mixer mixer_of(const struct rk_model *model, uint64_t i)
{
    if (*model->mixers) return (enum mixer)letter_of(mixer_letters, model->mixers, i);
    const bool all = model->window_every && (i + 1) % model->window_every == 0;
    return model->window && !all ? MIXER_LOCAL : MIXER_ATTENTION;
}

enum mlp_kind mlp_of(const struct rk_model *model, uint64_t i)
{
    if (*model->mlps) return (enum mlp_kind)letter_of(mlp_letters, model->mlps, i);
    const uint64_t every = model->expert_every ? model->expert_every : 1;
    const bool mixture =
        model->experts && i >= model->dense_layers && (i - model->dense_layers + 1) % every == 0;
    return mixture ? MLP_EXPERTS : MLP_DENSE;
}

/* ---- how many ---- */

static void count_letters(double *counts, const char *letters, const char *pattern, uint64_t layers)
{
    const uint64_t length = strlen(pattern);
    for (uint64_t i = 0; i < length; i++)
        counts[letter_of(letters, pattern, i)] += (double)(layers / length + (i < layers % length));
}

static double mixtures(const struct rk_model *model)
{
    const uint64_t every = model->expert_every ? model->expert_every : 1;
    if (!model->experts || model->dense_layers >= model->layers) return 0;
    return (double)((model->layers - model->dense_layers) / every);
}

struct pattern_counts pattern_count(const struct rk_model *model)
{
    struct pattern_counts counts = {.mixers = {0}};
    const double layers = (double)model->layers;
    if (*model->mixers) {
        count_letters(counts.mixers, mixer_letters, model->mixers, model->layers);
    } else {
        const uint64_t every = model->window_every;
        const double whole = !model->window ? layers : every ? (double)(model->layers / every) : 0;
        counts.mixers[MIXER_ATTENTION] = whole;
        counts.mixers[MIXER_LOCAL] = layers - whole;
    }
    if (*model->mlps) {
        count_letters(counts.mlps, mlp_letters, model->mlps, model->layers);
    } else {
        counts.mlps[MLP_EXPERTS] = mixtures(model);
        counts.mlps[MLP_DENSE] = layers - counts.mlps[MLP_EXPERTS];
    }
    return counts;
}

bool has_dense_mlps(const struct rk_model *model)
{
    return pattern_count(model).mlps[MLP_DENSE] > 0;
}

bool mixer_attends(enum mixer mixer)
{
    return mixer != MIXER_RECURRENT && mixer != MIXER_NONE;
}

bool mixer_recurs(enum mixer mixer)
{
    return mixer == MIXER_RECURRENT || mixer == MIXER_BOTH;
}

/* ---- shapes ---- */

static double kv_heads_of(const struct rk_model *model, double heads)
{
    if (model->attention == RK_ATTENTION_MULTIQUERY) return 1;
    return model->kv_heads && !model->kv_rank ? (double)model->kv_heads : heads;
}

struct head_shape head_shape_of(const struct rk_model *model, bool local)
{
    const bool own_heads = local && model->local_heads, own_kv = local && model->local_kv_heads;
    const bool own_width = local && model->local_head_dim;
    const double heads = (double)(own_heads ? model->local_heads : model->heads);
    const double width = (double)(own_width ? model->local_head_dim : model->head_dim);
    return (struct head_shape){
        .heads = heads,
        .kv_heads = own_kv ? (double)model->local_kv_heads : kv_heads_of(model, heads),
        .width = model->kv_rank ? width + (double)model->rope_dim : width,
        .value = model->value_dim ? (double)model->value_dim : width,
    };
}

bool has_qkv_biases(const struct rk_model *model)
{
    return model->biases || model->qkv_biases;
}

bool has_out_biases(const struct rk_model *model)
{
    return model->biases || model->out_biases;
}

bool has_mlp_biases(const struct rk_model *model)
{
    return model->biases || model->mlp_biases;
}

double shared_width(const struct rk_model *model)
{
    if (model->shared_feedforward) return (double)model->shared_feedforward;
    return (double)model->shared_experts * (double)model->expert_feedforward;
}

double activation_parameters(const struct rk_model *model)
{
    return model->activation == RK_XIELU ? 2 : 0;
}

double norm_parameters(const struct rk_model *model, double width)
{
    static const double vectors[] = {[RK_LAYER_NORM] = 2,
                                     [RK_RMS_NORM] = 1,
                                     [RK_LAYER_NORM_UNBIASED] = 1,
                                     [RK_LAYER_NORM_PLAIN] = 0};
    return vectors[model->norm] * width;
}

/* ---- recurrences ---- */

struct recurrence_shape recurrence_shape_of(const struct rk_model *model)
{
    const double h = (double)model->hidden, n = (double)model->recurrent_heads;
    const double g = (double)(model->recurrent_groups ? model->recurrent_groups : 1);
    const double s = (double)model->state, v = (double)model->recurrent_dim;
    const double r = (double)model->time_rank, w = n * v;
    struct recurrence_shape shape = {
        .heads = n, .groups = g, .key = s, .value = v, .inner = w, .norm = v};
    switch (model->recurrence) {
    case RK_RECURRENCE_NONE:
        break;
    case RK_MAMBA:
        shape.channels = w;
        shape.projected = 2 * w;
        shape.low_rank = w * (r + 2 * s) + r * w;
        shape.vectors = w * s + 2 * w; /* A, D, biases of the steps */
        shape.norm = r + 2 * s;
        shape.conv_biases = true;
        break;
    case RK_MAMBA_2:
        shape.channels = w + 2 * g * s;
        shape.projected = 2 * w + 2 * g * s + n;
        shape.vectors = 3 * n;
        shape.norm = w;
        shape.conv_biases = true;
        break;
    case RK_GATED_DELTA:
        shape.channels = 2 * g * s + w;
        shape.projected = 2 * g * s + 2 * w + 2 * n;
        shape.vectors = 2 * n;
        break;
    case RK_KIMI_DELTA:
        shape.groups = n;
        shape.channels = 2 * n * s + w;
        shape.projected = 2 * n * s + w + n;
        shape.low_rank = h * r + r * n * s + h * r + r * w;
        shape.vectors = n + n * s;
        break;
    case RK_LIGHTNING:
        shape.groups = n;
        shape.projected = 2 * n * s + 2 * w;
        shape.norm = w;
        break;
    }
    if (!model->recurrent_norm) shape.norm = 0;
    return shape;
}

bool has_linear_layers(const struct rk_model *model)
{
    const char *mixers = model->mixers;
    return model->recurrence == RK_GATED_DELTA && *mixers && !mixers[strspn(mixers, "ra")];
}

/* ---- what is counted, but not predicted ---- */

struct feature {
    bool there;
    const char *name;
};

static const char *first_of(const struct feature *feature)
{
    while (feature->name && !feature->there)
        feature++;
    return feature->name;
}

const char *rk_model_unmodelled(const struct rk_model *model, uint64_t sequence)
{
    return first_of((const struct feature[]){
        /* one kernel of exponentials and sums on vector units, whose rate no catalog has */
        {model->recurrence == RK_MAMBA, "the selective scan of Mamba, counted but not predicted"},
        /* no public kernel trains with it: what it leaves out differs from token to token */
        {model->index_heads > 0 && sequence > 0,
         "attention to chosen tokens, counted but not predicted"},
        {.name = NULL},
    });
}
