#include "shard/cut.h"

#include "workload/layers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { SCALE_BLOCK = 128 }; /* DeepSeek-V3: one scale for 128 x 128 values */

/* ---- how roles cut ---- */

enum side { SIDE_NONE, SIDE_OUT, SIDE_IN };
enum over { OVER_T, OVER_X }; /* tensor ranks, expert tensor ranks: of what belongs to experts */

static const struct role_facts {
    enum side side;
    enum over over;
    const char *units;
} facts[ROLE_COUNT] = {
    /* clang-format off */
    [ROLE_EMBEDDING]         = {SIDE_OUT, OVER_T, "rows"},
    [ROLE_HEAD]              = {SIDE_OUT, OVER_T, "rows"},
    [ROLE_PREDICT_EMBEDDING] = {SIDE_OUT, OVER_T, "rows"},
    [ROLE_PREDICT_HEAD]      = {SIDE_OUT, OVER_T, "rows"},
    [ROLE_PREDICT_IN]        = {SIDE_OUT, OVER_T, "rows"},
    [ROLE_HEADS]             = {SIDE_OUT, OVER_T, "heads"},
    [ROLE_GROUPS]            = {SIDE_OUT, OVER_T, "key and value heads"},
    [ROLE_HEAD_NORM]         = {SIDE_OUT, OVER_T, "heads"},
    [ROLE_GROUP_NORM]        = {SIDE_OUT, OVER_T, "key and value heads"},
    [ROLE_THIRDS]            = {SIDE_OUT, OVER_T, "heads"},
    [ROLE_HEADWISE]          = {SIDE_OUT, OVER_T, "heads"},
    [ROLE_GROUPWISE]         = {SIDE_OUT, OVER_T, "key and value heads"},
    [ROLE_ATTENTION_OUT]     = {SIDE_IN,  OVER_T, "heads"},
    [ROLE_ROWS]              = {SIDE_OUT, OVER_T, "rows"},
    [ROLE_HALVES]            = {SIDE_OUT, OVER_T, "rows"},
    [ROLE_DOWN]              = {SIDE_IN,  OVER_T, "columns"},
    [ROLE_EXPERT_WHOLE]      = {SIDE_NONE, OVER_X, "rows"},
    [ROLE_EXPERT_ROWS]       = {SIDE_OUT, OVER_X, "rows"},
    [ROLE_EXPERT_HALVES]     = {SIDE_OUT, OVER_X, "rows"},
    [ROLE_EXPERT_PAIRS]      = {SIDE_OUT, OVER_X, "pairs of rows"},
    [ROLE_EXPERT_DOWN]       = {SIDE_IN,  OVER_X, "columns"},
    [ROLE_EXPERTS_ROWS]      = {SIDE_OUT, OVER_X, "rows"},
    [ROLE_STATE_HEADS]       = {SIDE_OUT, OVER_T, "recurrent heads"},
    [ROLE_STATE_GROUPS]      = {SIDE_OUT, OVER_T, "recurrent groups"},
    [ROLE_STATE_IN]          = {SIDE_OUT, OVER_T, "recurrent heads"},
    [ROLE_STATE_CONVOLUTION] = {SIDE_OUT, OVER_T, "recurrent heads"},
    [ROLE_STATE_OUT]         = {SIDE_IN,  OVER_T, "recurrent heads"},
    /* clang-format on */
};

/* ---- what is at hand ---- */

struct segment {
    uint64_t units, size;
    bool copied; /* where there are more ranks than units */
};

struct cutting {
    const struct cut_rules *rules;
    const struct tensor *tensor;
    const struct part *part;
    uint64_t ranks, rank; /* that share it, and which of them */
    uint64_t extent;      /* of the axis */
    struct cut *cut;
    struct rk_error *error;
};

static enum rk_status fail(const struct cutting *c, const char *format, ...) RK_PRINTF(2, 3);

static enum rk_status fail(const struct cutting *c, const char *format, ...)
{
    char text[320];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return rk_fail(c->error, RK_BAD_INPUT, NULL, 0, 0, "%.160s: %s", c->tensor->name, text);
}

static enum rk_status add_range(struct cutting *c, uint64_t begin, uint64_t end)
{
    struct cut *cut = c->cut;
    if (cut->ranges && cut->range[cut->ranges - 1].end == begin) {
        cut->range[cut->ranges - 1].end = end;
        return RK_OK;
    }
    if (cut->ranges == CUT_MOST_RANGES)
        return fail(c, "is cut into more than %d parts", CUT_MOST_RANGES);
    cut->range[cut->ranges++] = (struct range){begin, end};
    return RK_OK;
}

static const char *degree_name(const struct cutting *c)
{
    return facts[c->part->role].over == OVER_X ? "expert tensor" : "tensor";
}

/* ---- segments ---- */

/* What a rank has of one segment that begins at `at`. */
static enum rk_status cut_segment(struct cutting *c, const struct segment *s, uint64_t at)
{
    const uint64_t t = c->ranks;
    if (s->units % t == 0) {
        const uint64_t each = s->units / t * s->size;
        return add_range(c, at + c->rank * each, at + (c->rank + 1) * each);
    }
    if (s->copied && s->units && t % s->units == 0) {
        const uint64_t unit = c->rank / (t / s->units);
        return add_range(c, at + unit * s->size, at + (unit + 1) * s->size);
    }
    return fail(c,
                "%" PRIu64 " %s are not divisible by %s parallelism %" PRIu64
                ": take a degree that divides them",
                s->units, facts[c->part->role].units, degree_name(c), t);
}

static enum rk_status cut_segments(struct cutting *c, const struct segment *segments, int count)
{
    uint64_t sum = 0;
    enum rk_status status = RK_OK;
    for (int i = 0; i < count; i++)
        sum += segments[i].units * segments[i].size;
    if (sum != c->extent)
        return fail(c, "has %" PRIu64 " rows where the model's shape makes %" PRIu64, c->extent,
                    sum);
    sum = 0;
    for (int i = 0; i < count && status == RK_OK; i++) {
        status = cut_segment(c, &segments[i], sum);
        sum += segments[i].units * segments[i].size;
    }
    return status;
}

/* One segment of so many units, each as large as they make it. */
static enum rk_status cut_units(struct cutting *c, uint64_t units, bool copied)
{
    if (!units || c->extent % units)
        return fail(c, "has %" PRIu64 " rows, which are not a multiple of %" PRIu64 " %s",
                    c->extent, units, facts[c->part->role].units);
    return cut_segment(c, &(struct segment){units, c->extent / units, copied}, 0);
}

/* ---- attention ---- */

static struct head_shape heads_of(const struct cutting *c)
{
    const struct rk_model *model = &c->rules->model;
    const int64_t layer = c->part->layer;
    const bool local = layer >= 0 && (uint64_t)layer < model->layers &&
                       mixer_of(model, (uint64_t)layer) == MIXER_LOCAL;
    return head_shape_of(model, local);
}

static enum rk_status cut_thirds(struct cutting *c)
{
    const struct head_shape s = heads_of(c);
    const uint64_t a = (uint64_t)s.heads, g = (uint64_t)s.kv_heads;
    const uint64_t d = (uint64_t)s.width, v = (uint64_t)s.value;
    const struct segment segments[] = {{a, d, false}, {g, d, true}, {g, v, true}};
    return cut_segments(c, segments, 3);
}

/* Of a group, a/g queries, a key and a value. More ranks than groups share the queries and copy
 * the other two. */
static enum rk_status cut_groupwise(struct cutting *c)
{
    const struct head_shape s = heads_of(c);
    const uint64_t a = (uint64_t)s.heads, g = (uint64_t)s.kv_heads, t = c->ranks;
    if (t <= g || t % g) return cut_units(c, g, false);
    const uint64_t sharing = t / g, group = c->rank / sharing, queries = a / g;
    const uint64_t size = c->extent / g, d = size / (queries + 2);
    if (size * g != c->extent || d * (queries + 2) != size)
        return fail(
            c, "has %" PRIu64 " rows, which do not form %" PRIu64 " groups of %" PRIu64 " heads",
            c->extent, g, queries + 2);
    if (queries % sharing)
        return fail(c, "%" PRIu64 " heads are not divisible by tensor parallelism %" PRIu64, a, t);
    const uint64_t each = queries / sharing * d, first = group * size + c->rank % sharing * each;
    const enum rk_status status = add_range(c, first, first + each);
    if (status != RK_OK) return status;
    return add_range(c, group * size + queries * d, (group + 1) * size);
}

/* A norm of each head has weights of its own, or there is one for all heads, whole on each rank. */
static enum rk_status cut_norm(struct cutting *c, double heads, bool copied)
{
    const struct head_shape s = heads_of(c);
    const double wide = c->tensor->rank > 1 ? heads : heads * s.width;
    if (heads > 1 && (double)c->extent == wide) return cut_units(c, (uint64_t)heads, copied);
    return add_range(c, 0, c->extent);
}

/* ---- recurrences ---- */

/* Of Mamba 1 channels are what heads are of the others. */
static uint64_t state_heads(const struct recurrence_shape *s, const struct rk_model *model)
{
    return (uint64_t)(model->recurrence == RK_MAMBA ? s->inner : s->heads);
}

static enum rk_status cut_state_in(struct cutting *c)
{
    const struct rk_model *model = &c->rules->model;
    const struct recurrence_shape s = recurrence_shape_of(model);
    const uint64_t n = state_heads(&s, model), v = (uint64_t)s.inner / (n ? n : 1);
    const uint64_t g = (uint64_t)s.groups, key = (uint64_t)s.key;
    const struct segment segments[] = {
        {n, v, false}, {n, v, false}, {g, key, false}, {g, key, false}, {n, 1, false}};
    return cut_segments(c, segments, model->recurrence == RK_MAMBA ? 2 : 5);
}

static enum rk_status cut_state_convolution(struct cutting *c)
{
    const struct rk_model *model = &c->rules->model;
    const struct recurrence_shape s = recurrence_shape_of(model);
    const uint64_t n = state_heads(&s, model), v = (uint64_t)s.inner / (n ? n : 1);
    const struct segment values = {n, v, false},
                         keys = {(uint64_t)s.groups, (uint64_t)s.key, false};
    const struct segment first[] = {values, keys, keys}, last[] = {keys, keys, values};
    if (model->recurrence == RK_MAMBA) return cut_units(c, n, false);
    return cut_segments(c, model->recurrence == RK_MAMBA_2 ? first : last, 3);
}

/* ---- the ends of the model ---- */

static enum rk_status cut_vocabulary(struct cutting *c)
{
    struct rk_model model = c->rules->model;
    model.vocabulary = c->extent;
    const uint64_t padded = (uint64_t)padded_vocabulary(&model, c->rules->plan);
    const uint64_t each = padded / c->ranks, begin = c->rank * each, end = begin + each;
    const uint64_t last = end < c->extent ? end : c->extent;
    const uint64_t first = begin < c->extent ? begin : c->extent;
    c->cut->padding = each - (last - first);
    return add_range(c, first, last);
}

/* ---- experts ---- */

/* Those of this rank. */
static enum rk_status experts_of(struct cutting *c, const struct cut_rank *at,
                                 struct range *experts)
{
    const uint64_t all = c->rules->model.experts, e = c->rules->plan->expert;
    if (!all || all % e)
        return fail(c, "%" PRIu64 " experts are not divisible by expert parallelism %" PRIu64, all,
                    e);
    *experts = (struct range){at->expert * (all / e), (at->expert + 1) * (all / e)};
    return RK_OK;
}

/* Rows of all experts, in their order: takes those of this rank's experts, each cut alike. */
static enum rk_status cut_experts_rows(struct cutting *c)
{
    const struct range own = c->cut->experts;
    const uint64_t all = c->rules->model.experts, size = c->extent / all, t = c->ranks;
    enum rk_status status = RK_OK;
    if (size * all != c->extent || size % t)
        return fail(c,
                    "%" PRIu64 " rows of %" PRIu64 " experts are not divisible by expert tensor "
                    "parallelism %" PRIu64,
                    c->extent, all, t);
    for (uint64_t j = own.begin; j < own.end && status == RK_OK; j++)
        status =
            add_range(c, j * size + c->rank * (size / t), j * size + (c->rank + 1) * (size / t));
    c->cut->experts = (struct range){0, c->extent}; /* not stacked: ranges say it all */
    return status;
}

/* ---- all of them ---- */

static enum rk_status cut_by_role(struct cutting *c)
{
    const struct rk_model *model = &c->rules->model;
    const struct head_shape s = heads_of(c);
    const struct recurrence_shape r = recurrence_shape_of(model);
    const struct segment halves[] = {{c->extent / 2, 1, false}, {c->extent / 2, 1, false}};
    switch (c->part->role) {
    case ROLE_EMBEDDING:
    case ROLE_HEAD:
    case ROLE_PREDICT_EMBEDDING:
    case ROLE_PREDICT_HEAD:
        return cut_vocabulary(c);
    case ROLE_HEADS:
    case ROLE_HEADWISE:
    case ROLE_ATTENTION_OUT:
        return cut_units(c, (uint64_t)s.heads, false);
    case ROLE_GROUPS:
        return cut_units(c, (uint64_t)s.kv_heads, true);
    case ROLE_HEAD_NORM:
        return cut_norm(c, s.heads, false);
    case ROLE_GROUP_NORM:
        return cut_norm(c, s.kv_heads, true);
    case ROLE_THIRDS:
        return cut_thirds(c);
    case ROLE_GROUPWISE:
        return cut_groupwise(c);
    case ROLE_HALVES:
    case ROLE_EXPERT_HALVES:
        return cut_segments(c, halves, 2);
    case ROLE_EXPERT_PAIRS:
        return cut_units(c, c->extent / 2, false);
    case ROLE_EXPERTS_ROWS:
        return cut_experts_rows(c);
    case ROLE_STATE_HEADS:
    case ROLE_STATE_OUT:
        return cut_units(c, state_heads(&r, model), false);
    case ROLE_STATE_GROUPS:
        return cut_units(c, (uint64_t)r.groups, false);
    case ROLE_STATE_IN:
        return cut_state_in(c);
    case ROLE_STATE_CONVOLUTION:
        return cut_state_convolution(c);
    default:
        return cut_units(c, c->extent, false);
    }
}

/* From rows of the weight to the blocks of 128 that scale them. */
static enum rk_status to_blocks(struct cutting *c)
{
    struct cut *cut = c->cut;
    for (int i = 0; i < cut->ranges; i++) {
        struct range *r = &cut->range[i];
        const bool through =
            r->begin % SCALE_BLOCK || (r->end % SCALE_BLOCK && r->end != c->extent);
        if (through && !c->rules->copy_scales)
            return fail(c,
                        "the cut of its weight at %" PRIu64 " or %" PRIu64 " goes through a block "
                        "of %d that share a scale: take another tensor degree, or `scales` copy",
                        r->begin, r->end, SCALE_BLOCK);
        r->begin /= SCALE_BLOCK;
        r->end = (r->end + SCALE_BLOCK - 1) / SCALE_BLOCK;
        if (i > 0 && r->begin < cut->range[i - 1].end) r->begin = cut->range[i - 1].end;
    }
    return RK_OK;
}

/* The axis of (out, in) that is cut; -1: none. */
static int axis_of(const struct cutting *c)
{
    const struct tensor *t = c->tensor;
    const struct part *part = c->part;
    const enum side side = facts[part->role].side;
    const int first = part->stacked && t->rank > 1 ? 1 : 0;
    const bool vector = t->rank - first < 2 || part->leaf == LEAF_BIAS || part->leaf == LEAF_SCALES;
    if (side == SIDE_NONE || t->rank <= first) return -1;
    if (part->role == ROLE_STATE_HEADS && t->rank == 4) return 2; /* Kimi's A_log (1, 1, n, 1) */
    if (vector) {
        const bool one = part->leaf == LEAF_SCALES && t->shape[first] == 1;
        return side == SIDE_OUT && !one ? first : -1;
    }
    return first + ((side == SIDE_IN) != part->turned);
}

/* Along `axis`, evenly. */
static enum rk_status cut_evenly(struct cutting *c, int axis)
{
    c->cut->axis = axis;
    c->extent = c->tensor->shape[axis];
    if (c->extent % c->ranks)
        return fail(c, "axis %d of %" PRIu64 " is not divisible by tensor parallelism %" PRIu64,
                    axis, c->extent, c->ranks);
    return cut_segment(c, &(struct segment){c->extent, 1, false}, 0);
}

enum rk_status cut_tensor(const struct cut_rules *rules, const struct tensor *tensor,
                          const struct part *part, const struct tensor *weight, int axis,
                          const struct cut_rank *at, struct cut *cut, struct rk_error *error)
{
    const struct role_facts *f = &facts[part->role];
    const bool experts = f->over == OVER_X;
    struct cutting c = {.rules = rules, .tensor = tensor, .part = part, .cut = cut, .error = error};
    enum rk_status status = RK_OK;
    c.ranks = experts ? rk_plan_expert_tensor(rules->plan) : rules->plan->tensor;
    c.rank = experts ? at->expert_tensor : at->tensor;
    cut->here = true;
    cut->axis = -1;
    cut->ranges = 0;
    cut->padding = 0;
    cut->experts = (struct range){0, tensor->rank ? tensor->shape[0] : 1};
    if (axis == AXIS_NONE) return RK_OK;
    if (axis >= 0) return cut_evenly(&c, axis);
    if (experts) {
        struct range own;
        status = experts_of(&c, at, &own);
        if (status != RK_OK) return status;
        if (part->stacked && tensor->shape[0] != rules->model.experts)
            return fail(&c, "has %" PRIu64 " experts, the model %" PRIu64, tensor->shape[0],
                        rules->model.experts);
        if (part->stacked || part->role == ROLE_EXPERTS_ROWS) cut->experts = own;
        if (part->expert >= 0)
            cut->here = (uint64_t)part->expert >= own.begin && (uint64_t)part->expert < own.end;
        if (part->expert >= (int64_t)rules->model.experts)
            return fail(&c, "the model has %" PRIu64 " experts", rules->model.experts);
    }
    cut->axis = axis_of(&c);
    if (!cut->here || cut->axis < 0) return RK_OK;
    const bool blocks = part->leaf == LEAF_BLOCK_SCALES;
    if (blocks && !weight) return fail(&c, "is a scale without its weight");
    c.extent = (blocks ? weight : tensor)->shape[cut->axis];
    status = cut_by_role(&c);
    return status == RK_OK && blocks ? to_blocks(&c) : status;
}
