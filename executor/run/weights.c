#include "run/weights.h"

#include "base/memory.h"
#include "plan/layers.h"

#include "base/hash.h"
#include "workload/pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a list that grows ---- */

struct builder {
    const struct rk_model *model;
    const struct rk_arithmetic *arithmetic;
    const struct rk_plan *plan;
    struct weights *out;
    bool no_memory;
    struct weight_names names;
    uint64_t tensor, t; /* this tensor rank, of their number */
    uint64_t expert, experts_ranks, expert_tensor, x;
    uint64_t pad;
    int local; /* how the layers at hand see the plan */
    struct rk_plan own;
    int64_t layer, expert_number; /* -1: none */
};

static struct weight_group *open_group(struct builder *b, int id, bool expert)
{
    struct weights *w = b->out;
    if (!ARRAY_ROOM(w->group, w->groups)) {
        b->no_memory = true;
        return NULL;
    }
    struct weight_group *g = &w->group[w->groups++];
    *g = (struct weight_group){.id = id, .expert = expert, .local = b->local, .first = w->weights};
    for (int i = 0; i < WEIGHT_ROLES; i++)
        g->at[i] = -1;
    return g;
}

static void close_group(struct builder *b)
{
    struct weight_group *g = &b->out->group[b->out->groups - 1];
    g->size = (g->size + b->pad - 1) / b->pad * b->pad;
}

/* How a tensor is cut; zeroed: not at all. */
struct cut {
    uint64_t row0, rows; /* 0: all */
    uint64_t col0, cols;
    enum weight_sum sum;
    bool copy; /* another rank counts it */
};

/* Are matrices of all experts one tensor of the file? */
static bool joins_experts(const struct builder *b)
{
    return b->names.naming == RK_NAMES_GPT_OSS || b->names.naming == RK_NAMES_GRANITE_MOE;
}

static void name_weight(const struct builder *b, struct weight *w)
{
    char own[64];
    const bool last_norm = w->role == WEIGHT_FINAL_NORM || w->role == WEIGHT_FINAL_NORM_BIAS;
    const char *name = weight_name(&b->names, w->role, own);
    const char *shared = "mlp.shared_expert.";
    char plural[48];
    if (strncmp(name, shared, strlen(shared)) == 0 && !b->model->shared_gate) { /* DeepSeek's */
        snprintf(plural, sizeof plural, "mlp.shared_experts.%s", name + strlen(shared));
        name = plural;
    }
    if (b->layer >= 0 && last_norm)
        name = w->role == WEIGHT_FINAL_NORM ? "shared_head.norm.weight" : "shared_head.norm.bias";
    if (b->expert_number >= 0 && !joins_experts(b))
        snprintf(w->name, sizeof w->name, "model.layers.%lld.%s.experts.%lld.%.30s",
                 (long long)b->layer,
                 b->names.naming == RK_NAMES_MINIMAX ? "block_sparse_moe" : "mlp",
                 (long long)b->expert_number, name);
    else if (b->layer >= 0)
        snprintf(w->name, sizeof w->name, "%.24s%lld.%.50s", weight_prefix(&b->names),
                 (long long)b->layer, name);
    else
        snprintf(w->name, sizeof w->name, "%s", name);
}

/* GPT-2 starts what it adds to the stream smaller, by the root of the additions [radford2019]. */
static double spread_of(const struct builder *b, enum weight_role role)
{
    const bool adds = role == WEIGHT_OUT || role == WEIGHT_DOWN || role == WEIGHT_EXPERT_DOWN ||
                      role == WEIGHT_SHARED_DOWN || role == WEIGHT_ASCEND;
    if (!weight_is_matrix(role)) return 0;
    return adds ? 0.02 / sqrt(2 * (double)b->model->layers) : 0.02;
}

static struct weight *add(struct builder *b, enum weight_role role, uint64_t rows, uint64_t cols,
                          struct cut cut)
{
    struct weights *all = b->out;
    if (!ARRAY_ROOM(all->weight, all->weights)) {
        b->no_memory = true;
        return NULL;
    }
    struct weight_group *g = &all->group[all->groups - 1];
    struct weight *w = &all->weight[all->weights++];
    const bool norm = weight_is_norm(role);
    *w = (struct weight){
        .role = role,
        .rows = rows,
        .cols = cols,
        .file_rows = rows,
        .file_cols = cols,
        .row0 = cut.row0,
        .col0 = cut.col0,
        .box_rows = cut.rows ? cut.rows : rows,
        .box_cols = cut.cols ? cut.cols : cols,
        .sum = cut.sum,
        .counted = !cut.copy,
        .decays = weight_is_matrix(role),
        .transposed = b->names.gpt2 && b->layer >= 0 && weight_is_matrix(role),
        .start = norm ? 1 - b->arithmetic->norm_offset : 0,
        .spread = spread_of(b, role),
        .at = g->size,
    };
    name_weight(b, w);
    if (g->at[role] < 0) g->at[role] = (int64_t)w->at;
    g->size += w->box_rows * w->box_cols;
    g->count++;
    return w;
}

/* ---- cuts ---- */

static struct cut whole(const struct builder *b, enum weight_sum sum)
{
    return (struct cut){.sum = sum, .copy = b->tensor != 0};
}

/* Norms, and biases that are added after a sum: with sequence parallelism each rank sees its own
 * tokens. */
static struct cut replicated(const struct builder *b)
{
    return whole(b, b->plan->sequence_parallel && b->t > 1 ? SUM_TENSOR : SUM_NONE);
}

/* Of what works on this rank's tokens or heads alone. */
static struct cut partial(const struct builder *b)
{
    return whole(b, b->t > 1 ? SUM_TENSOR : SUM_NONE);
}

static struct cut by_rows(uint64_t rows, uint64_t r, uint64_t t)
{
    return (struct cut){.row0 = rows / t * r, .rows = rows / t};
}

static struct cut by_cols(uint64_t cols, uint64_t r, uint64_t t)
{
    return (struct cut){.col0 = cols / t * r, .cols = cols / t};
}

/* Rows of the padded vocabulary. */
static struct cut by_words(const struct builder *b)
{
    const uint64_t multiple =
        (b->plan->vocabulary_multiple ? b->plan->vocabulary_multiple : 1) * b->t;
    const uint64_t padded = (b->model->vocabulary + multiple - 1) / multiple * multiple;
    return (struct cut){.row0 = padded / b->t * b->tensor, .rows = padded / b->t};
}

/* ---- groups ---- */

static void add_norm(struct builder *b, enum weight_role role, uint64_t width, struct cut cut)
{
    if (b->model->norm == RK_LAYER_NORM_PLAIN) return;
    add(b, role, width, 1, cut);
    if (b->model->norm == RK_LAYER_NORM) add(b, (enum weight_role)(role + 1), width, 1, cut);
}

static void add_table(struct builder *b, bool copy)
{
    struct cut cut = by_words(b);
    cut.copy = copy;
    open_group(b, GROUP_TABLE, false);
    if (!b->no_memory) add(b, WEIGHT_TABLE, b->model->vocabulary, b->model->hidden, cut);
    close_group(b);
}

static void add_positions(struct builder *b)
{
    const struct rk_model *m = b->model;
    if (m->position != RK_POSITION_LEARNED && !m->embedding_norm) return;
    open_group(b, GROUP_POSITIONS, false);
    if (m->position == RK_POSITION_LEARNED)
        add(b, WEIGHT_POSITIONS, rk_model_positions(m, 0), m->hidden, replicated(b));
    if (m->embedding_norm) add_norm(b, WEIGHT_EMBEDDING_NORM, m->hidden, replicated(b));
    close_group(b);
}

/* Queries, keys and values are one tensor of the file: one after another, or those of each group
 * of heads together. */
struct joined {
    uint64_t heads, groups, d;
    bool one, by_group;
};

static struct joined joined_of(const struct builder *b, const struct head_shape *shape)
{
    const enum rk_naming n = b->arithmetic->naming;
    const bool by_group = n == RK_NAMES_NEOX || n == RK_NAMES_BLOOM || n == RK_NAMES_FALCON_NEW;
    const bool apart = n == RK_NAMES_PHI3 || n == RK_NAMES_MPT || n == RK_NAMES_FALCON;
    return (struct joined){.heads = (uint64_t)shape->heads,
                           .groups = (uint64_t)shape->kv_heads,
                           .d = (uint64_t)shape->width,
                           .one = by_group || apart || b->names.gpt2,
                           .by_group = by_group};
}

/* `which`: queries, keys, values */
static void join(struct weight *w, const struct joined *j, int which)
{
    if (!w || !j->one) return;
    const uint64_t queries = j->by_group ? j->heads / j->groups : j->heads;
    const uint64_t keys = j->by_group ? 1 : j->groups;
    w->file_rows = (j->heads + 2 * j->groups) * j->d;
    w->file_at = (which > 0 ? queries + (uint64_t)(which - 1) * keys : 0) * j->d;
    if (!j->by_group) return;
    w->file_unit = (which > 0 ? keys : queries) * j->d;
    w->file_step = (queries + 2 * keys) * j->d;
}

/* RoPE turns neighbours of each head in the file. */
static void turn_heads(const struct builder *b, struct weight *w, uint64_t d)
{
    const double part = b->arithmetic->rotary_part;
    if (!w || !b->arithmetic->neighbours) return;
    w->turn = part > 0 ? (uint64_t)((double)d * part + 1e-6) : d;
    w->turn_width = d;
}

/* Norms of queries and keys: the same weights for all heads; of each; or of all of them at once. */
static void add_head_norms(struct builder *b, uint64_t heads, uint64_t groups, uint64_t d,
                           const struct cut *q, const struct cut *k)
{
    if (!b->model->qk_norm_wide) {
        add_norm(b, WEIGHT_Q_NORM, d, partial(b));
        add_norm(b, WEIGHT_K_NORM, d, partial(b));
        return;
    }
    for (int keys = 0; keys < 2; keys++) {
        struct weight *w = add(b, keys ? WEIGHT_K_NORM : WEIGHT_Q_NORM, (keys ? groups : heads) * d,
                               1, keys ? *k : *q);
        if (w && !b->arithmetic->wide_norms) w->file_wide = d;
        turn_heads(b, w, d);
    }
}

static void add_attention(struct builder *b, uint64_t layer)
{
    const struct rk_model *m = b->model;
    const struct head_shape shape = head_shape_of(m, mixer_of(m, layer) == MIXER_LOCAL);
    const uint64_t heads = (uint64_t)shape.heads, groups = (uint64_t)shape.kv_heads;
    const uint64_t d = (uint64_t)shape.width, dv = (uint64_t)shape.value, h = m->hidden;
    const uint64_t copies = groups < b->t ? b->t / groups : 1;
    const struct cut q = by_rows(heads * d, b->tensor, b->t);
    struct cut k = by_rows(groups * d, b->tensor / copies, b->t / copies);
    struct cut v = by_rows(groups * dv, b->tensor / copies, b->t / copies);
    k.sum = v.sum = copies > 1 ? SUM_KEYS : SUM_NONE;
    k.copy = v.copy = b->tensor % copies != 0;
    const struct joined j = joined_of(b, &shape);
    for (int i = 0; i < (has_qkv_biases(m) ? 2 : 1); i++) {
        static const enum weight_role roles[2] = {WEIGHT_Q, WEIGHT_Q_BIAS};
        const uint64_t cols = i ? 1 : h, rows[3] = {heads * d, groups * d, groups * dv};
        const struct cut cuts[3] = {q, k, v};
        for (int which = 0; which < 3; which++) {
            struct weight *w =
                add(b, (enum weight_role)((int)roles[i] + which), rows[which], cols, cuts[which]);
            join(w, &j, which);
            if (which < 2) turn_heads(b, w, d);
        }
    }
    if (m->attention_sinks) add(b, WEIGHT_SINKS, heads, 1, by_rows(heads, b->tensor, b->t));
    if (m->qk_norm) add_head_norms(b, heads, groups, d, &q, &k);
    add(b, WEIGHT_OUT, h, heads * dv, by_cols(heads * dv, b->tensor, b->t));
    if (has_out_biases(m)) add(b, WEIGHT_OUT_BIAS, h, 1, replicated(b));
}

/* DeepSeek's checkpoints turn neighbours. */
static void turned(struct weight *w, const struct rk_model *m, uint64_t width)
{
    if (!w) return;
    w->turn = m->rope_dim;
    w->turn_width = width;
    w->turn_at = width - m->rope_dim;
}

/* Down to latent vectors by weights that all have, up to the heads of each. */
static void add_latent(struct builder *b, uint64_t layer)
{
    const struct rk_model *m = b->model;
    const struct head_shape shape = head_shape_of(m, mixer_of(m, layer) == MIXER_LOCAL);
    const uint64_t a = m->heads, d = (uint64_t)shape.width, dv = (uint64_t)shape.value,
                   h = m->hidden;
    if (m->q_rank) {
        add(b, WEIGHT_Q_DOWN, m->q_rank, h, replicated(b));
        add_norm(b, WEIGHT_Q_DOWN_NORM, m->q_rank, replicated(b));
        turned(add(b, WEIGHT_Q_UP, a * d, m->q_rank, by_rows(a * d, b->tensor, b->t)), m, d);
    } else {
        turned(add(b, WEIGHT_Q, a * d, h, by_rows(a * d, b->tensor, b->t)), m, d);
    }
    turned(add(b, WEIGHT_KV_DOWN, m->kv_rank + m->rope_dim, h, replicated(b)), m,
           m->kv_rank + m->rope_dim);
    add_norm(b, WEIGHT_KV_DOWN_NORM, m->kv_rank, replicated(b));
    add(b, WEIGHT_KV_UP, a * (m->head_dim + dv), m->kv_rank,
        by_rows(a * (m->head_dim + dv), b->tensor, b->t));
    add(b, WEIGHT_OUT, h, a * dv, by_cols(a * dv, b->tensor, b->t));
    if (has_out_biases(m)) add(b, WEIGHT_OUT_BIAS, h, 1, replicated(b));
}

/* Phi-3's and GLM's gate and what it opens are one tensor of the file. */
static void stack(const struct builder *b, struct weight *w, uint64_t at)
{
    const enum rk_naming n = b->arithmetic->naming;
    if (!w || (n != RK_NAMES_PHI3 && n != RK_NAMES_GLM)) return;
    w->file_rows = 2 * w->rows;
    w->file_at = at;
}

static void add_mlp(struct builder *b)
{
    const struct rk_model *m = b->model;
    const uint64_t f = m->feedforward, h = m->hidden;
    const struct cut in = by_rows(f, b->tensor, b->t);
    if (m->gated_mlp) stack(b, add(b, WEIGHT_GATE, f, h, in), 0);
    stack(b, add(b, WEIGHT_UP, f, h, in), f);
    if (has_mlp_biases(m)) {
        if (m->gated_mlp) add(b, WEIGHT_GATE_BIAS, f, 1, in);
        add(b, WEIGHT_UP_BIAS, f, 1, in);
    }
    add(b, WEIGHT_DOWN, h, f, by_cols(f, b->tensor, b->t));
    if (has_mlp_biases(m)) add(b, WEIGHT_DOWN_BIAS, h, 1, replicated(b));
}

/* Each tensor rank routes, narrows and widens its own tokens. */
static void add_router(struct builder *b)
{
    const struct rk_model *m = b->model;
    const uint64_t h = m->hidden, w = m->expert_hidden ? m->expert_hidden : h;
    const uint64_t f = (uint64_t)shared_width(m);
    add(b, WEIGHT_ROUTER, m->experts, h, partial(b));
    const bool adds = b->arithmetic->routers_add;
    if (m->router_biases)
        add(b, adds ? WEIGHT_ROUTER_ADD : WEIGHT_ROUTER_BIAS, m->experts, 1, partial(b));
    if (w != h) {
        add(b, WEIGHT_DESCEND, w, h, partial(b));
        if (m->biases) add(b, WEIGHT_DESCEND_BIAS, w, 1, partial(b));
        add(b, WEIGHT_ASCEND, h, w, partial(b));
        if (m->biases) add(b, WEIGHT_ASCEND_BIAS, h, 1, partial(b));
    }
    if (!f) return;
    if (m->gated_mlp) add(b, WEIGHT_SHARED_GATE, f, h, by_rows(f, b->tensor, b->t));
    add(b, WEIGHT_SHARED_UP, f, h, by_rows(f, b->tensor, b->t));
    add(b, WEIGHT_SHARED_DOWN, h, f, by_cols(f, b->tensor, b->t));
    if (m->shared_gate) add(b, WEIGHT_SHARED_WEIGH, 1, h, replicated(b));
}

/* Matrices of all experts in one tensor. gpt-oss': each (in, out), with gates and what they open in
 * turn; Granite's: each (out, in), gates first. */
static void join_experts(const struct builder *b, struct weight *w)
{
    if (!w || !joins_experts(b)) return;
    const uint64_t experts = b->model->experts, number = (uint64_t)b->expert_number;
    const bool up = w->role == WEIGHT_EXPERT_UP || w->role == WEIGHT_EXPERT_UP_BIAS;
    const bool turns = b->names.naming == RK_NAMES_GPT_OSS;
    if (up || w->role == WEIGHT_EXPERT_GATE || w->role == WEIGHT_EXPERT_GATE_BIAS) {
        w->file_rows *= 2;
        w->file_unit = turns ? 1 : 0;
        w->file_step = turns ? 2 : 0;
        w->file_at = !up ? 0 : turns ? 1 : w->rows;
    }
    w->file_experts = experts;
    w->transposed = turns && w->cols > 1;
    if (w->transposed) {
        w->file_col = number * w->file_cols;
        w->file_cols *= experts;
    } else {
        w->file_at += number * w->file_rows;
        w->file_rows *= experts;
    }
}

static void add_expert(struct builder *b, enum weight_role role, uint64_t rows, uint64_t cols,
                       struct cut cut)
{
    join_experts(b, add(b, role, rows, cols, cut));
}

static void add_experts(struct builder *b, uint64_t layer)
{
    const struct rk_model *m = b->model;
    const uint64_t w = m->expert_hidden ? m->expert_hidden : m->hidden;
    const uint64_t f = m->expert_feedforward ? m->expert_feedforward : m->feedforward;
    const uint64_t here = m->experts / b->experts_ranks;
    const struct cut in = by_rows(f, b->expert_tensor, b->x);
    open_group(b, group_of_block(layer, true), true);
    for (uint64_t j = 0; j < here && !b->no_memory; j++) {
        struct weight_group *g = &b->out->group[b->out->groups - 1];
        b->expert_number = (int64_t)(b->expert * here + j);
        if (j == 1) g->stride = g->size;
        if (m->gated_mlp) add_expert(b, WEIGHT_EXPERT_GATE, f, w, in);
        add_expert(b, WEIGHT_EXPERT_UP, f, w, in);
        if (has_mlp_biases(m)) {
            if (m->gated_mlp) add_expert(b, WEIGHT_EXPERT_GATE_BIAS, f, 1, in);
            add_expert(b, WEIGHT_EXPERT_UP_BIAS, f, 1, in);
        }
        add_expert(b, WEIGHT_EXPERT_DOWN, w, f, by_cols(f, b->expert_tensor, b->x));
        if (has_mlp_biases(m))
            add_expert(b, WEIGHT_EXPERT_DOWN_BIAS, w, 1,
                       (struct cut){.sum = SUM_NONE, .copy = b->expert_tensor != 0});
    }
    b->expert_number = -1;
    b->out->group[b->out->groups - 1].experts = here;
    close_group(b);
}

/* The block of a prediction layer is as the last one. */
static void add_block(struct builder *b, uint64_t layer)
{
    const uint64_t like = layer < b->model->layers ? layer : b->model->layers - 1;
    const bool mixture = mlp_of(b->model, like) == MLP_EXPERTS;
    b->layer = (int64_t)layer;
    open_group(b, group_of_block(layer, false), false);
    if (b->no_memory) return;
    const bool before = !b->arithmetic->norms_after, after = b->model->block_norms == 4;
    if (before) add_norm(b, WEIGHT_NORM_1, b->model->hidden, replicated(b));
    if (b->model->kv_rank)
        add_latent(b, like);
    else
        add_attention(b, like);
    if (after) add(b, WEIGHT_NORM_1_POST, b->model->hidden, 1, replicated(b));
    if (before && b->model->block_norms != 1)
        add_norm(b, WEIGHT_NORM_2, b->model->hidden, replicated(b));
    if (mixture)
        add_router(b);
    else
        add_mlp(b);
    if (after) add(b, WEIGHT_NORM_2_POST, b->model->hidden, 1, replicated(b));
    close_group(b);
    if (mixture) add_experts(b, layer);
    b->layer = -1;
}

static void add_head(struct builder *b, bool has_table)
{
    const struct rk_model *m = b->model;
    if (m->norm != RK_LAYER_NORM_PLAIN) { /* else it has no weights */
        open_group(b, group_of_final_norm(m), false);
        if (b->no_memory) return;
        add_norm(b, WEIGHT_FINAL_NORM, m->hidden, replicated(b));
        close_group(b);
    }
    if ((m->tied_embeddings || m->predict_layers) && !has_table) add_table(b, true);
    if (m->tied_embeddings) return;
    open_group(b, group_of_head(m), false);
    add(b, WEIGHT_HEAD, m->vocabulary, m->hidden, by_words(b));
    if (m->head_biases) add(b, WEIGHT_HEAD_BIAS, m->vocabulary, 1, by_words(b));
    close_group(b);
}

/* Multi-token prediction: the table and the head are the model's. */
static void add_predict(struct builder *b, uint64_t i)
{
    const struct rk_model *m = b->model;
    const uint64_t h = m->hidden;
    add_block(b, m->layers + i);
    b->layer = (int64_t)(m->layers + i);
    open_group(b, group_of_predict(m, i), false);
    if (b->no_memory) return;
    add_norm(b, WEIGHT_NEXT_NORM, h, replicated(b));
    add_norm(b, WEIGHT_STREAM_NORM, h, replicated(b));
    add(b, WEIGHT_PREDICT_IN, h, 2 * h, by_rows(h, b->tensor, b->t));
    add_norm(b, WEIGHT_FINAL_NORM, h, replicated(b));
    close_group(b);
    b->layer = -1;
}

/* Random numbers go by the name that the tensor has in Llama's checkpoints and by its layer, so
 * that a model's start does not depend on how its file is laid out. */
static void seed_streams(struct weights *all)
{
    for (int g = 0; g < all->groups; g++)
        for (int i = 0; i < all->group[g].count; i++) {
            struct weight *w = &all->weight[all->group[g].first + i];
            const uint64_t name = hash_bytes(w->name, strlen(w->name));
            w->stream = hash_pair(name, (uint64_t)w->role);
        }
}

uint64_t weights_key_copies(const struct rk_model *model, const struct rk_plan *plan)
{
    const uint64_t heads = head_shape_of(model, false).kv_heads;
    return !model->kv_rank && plan->tensor > heads ? plan->tensor / heads : 1;
}

/* The layers that come now see the plan so. */
static void enter_local(struct builder *b, const struct rk_plan *all, uint64_t rank, int local)
{
    b->local = local;
    b->own = plan_of_local(all, local);
    const struct rank_map map = rank_map_of(&b->own);
    b->plan = &b->own;
    b->tensor = rank_position(&map, RANKS_OF_TENSOR, rank);
    b->t = b->own.tensor;
    b->expert = rank_position(&map, RANKS_OF_EXPERT, rank);
    b->experts_ranks = b->own.expert;
    b->expert_tensor = rank_position(&map, RANKS_OF_EXPERT_TENSOR, rank);
    b->x = rk_plan_expert_tensor(&b->own);
    b->pad = 16 * rk_plan_data(&b->own) * b->own.context;
}

enum rk_status weights_plan(const struct rk_model *model, const struct rk_arithmetic *arithmetic,
                            const struct rk_plan *plan, uint64_t rank,
                            const struct weight_part *part, int parts, struct weights *weights,
                            struct rk_error *error)
{
    *weights = (struct weights){.ids = group_of_predict(model, model->predict_layers)};
    struct builder b = {.model = model,
                        .arithmetic = arithmetic,
                        .out = weights,
                        .names = weight_names_of(model, arithmetic->naming),
                        .layer = -1,
                        .expert_number = -1};
    bool embeds = false;
    for (int i = 0; i < parts && !b.no_memory; i++) {
        enter_local(&b, plan, rank, 0);
        if (part[i].embeds) {
            add_table(&b, false);
            if (!b.no_memory) add_positions(&b);
            embeds = true;
        }
        for (uint64_t l = 0; l < part[i].layers && !b.no_memory; l++) {
            enter_local(&b, plan, rank, plan_local_of(plan, part[i].first + l));
            add_block(&b, part[i].first + l);
        }
        enter_local(&b, plan, rank, 0);
        if (part[i].heads && !b.no_memory) add_head(&b, embeds);
        for (uint64_t p = 0; part[i].heads && p < model->predict_layers && !b.no_memory; p++)
            add_predict(&b, p);
    }
    if (b.no_memory) {
        weights_release(weights);
        return no_memory(error);
    }
    seed_streams(weights);
    return RK_OK;
}

void weights_release(struct weights *weights)
{
    free(weights->weight);
    free(weights->group);
    *weights = (struct weights){.weight = NULL};
}
