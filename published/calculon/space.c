#include "calculon/space.h"

#include "base/limits.h"
#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

static const enum rk_axis axis_of_inner[INNERS] = {
    [INNER_DATA_OVERLAP] = RK_AXIS_DATA_OVERLAP,
    [INNER_TENSOR_OVERLAP] = RK_AXIS_TENSOR_OVERLAP,
    [INNER_WEIGHT_OFFLOAD] = RK_AXIS_WEIGHT_OFFLOAD,
    [INNER_ACTIVATION_OFFLOAD] = RK_AXIS_ACTIVATION_OFFLOAD,
    [INNER_OPTIMIZER_OFFLOAD] = RK_AXIS_OPTIMIZER_OFFLOAD,
    [INNER_FUSED_ACTIVATION] = RK_AXIS_FUSED_ACTIVATION,
    [INNER_MICROBATCH] = RK_AXIS_MICROBATCH,
    [INNER_TENSOR_NETWORK] = RK_AXIS_TENSOR_NETWORK,
    [INNER_PIPELINE_NETWORK] = RK_AXIS_PIPELINE_NETWORK,
    [INNER_DATA_NETWORK] = RK_AXIS_DATA_NETWORK,
};

void rk_problem_init(struct rk_problem *problem, const struct rk_model *model,
                     const struct rk_system *system, uint64_t ranks, uint64_t max_batch,
                     enum rk_datatype datatype)
{
    memset(problem, 0, sizeof *problem);
    problem->model = model;
    problem->system = system;
    problem->ranks = ranks;
    problem->max_batch = max_batch;
    problem->datatype = datatype;
    problem->pinned[RK_AXIS_FUSED_ACTIVATION].count = 1;
    problem->pinned[RK_AXIS_FUSED_ACTIVATION].value[0] = 1;
}

static bool allowed(const struct rk_problem *p, enum rk_axis axis, uint64_t value)
{
    const int count = p->pinned[axis].count;
    for (int i = 0; i < count; i++)
        if (value == p->pinned[axis].value[i] ||
            (value > p->pinned[axis].value[i] && value <= p->pinned[axis].to[i]))
            return true;
    return count == 0;
}

static void offer(struct values *values, const struct rk_problem *p, enum rk_axis axis,
                  uint64_t value)
{
    if (!allowed(p, axis, value)) return;
    RK_REQUIRE(values->count < RK_MAX_PINNED); /* tiers, which check_problem bounds */
    values->value[values->count++] = value;
}

/* ---- options ---- */

/* A flag that only makes sense with its parallelism: yes before no, as in [isaev2023]'s tool. */
static void offer_flag(struct values *values, const struct rk_problem *p, enum rk_axis axis,
                       bool can)
{
    if (can) offer(values, p, axis, 1);
    offer(values, p, axis, 0);
}

static void offer_offload(struct values *values, const struct rk_problem *p, enum rk_axis axis)
{
    for (int tier = 1; tier < p->system->memories; tier++)
        if (p->system->memory[tier].capacity_bytes > 0) offer(values, p, axis, (uint64_t)tier);
    offer(values, p, axis, 0);
}

/* A parallelism of 1 uses no network; tier 0 stands for that, whatever is pinned. */
static void offer_networks(struct values *values, const struct rk_problem *p, enum rk_axis axis,
                           bool used)
{
    for (int tier = 0; used && tier < p->system->networks; tier++)
        offer(values, p, axis, (uint64_t)tier);
    if (!used) values->value[values->count++] = 0;
}

static void options_inner(struct options *o, const struct rk_problem *p, bool tensor, bool pipeline,
                          bool data)
{
    struct values *inner = o->inner;
    offer_flag(&inner[INNER_DATA_OVERLAP], p, RK_AXIS_DATA_OVERLAP, data);
    for (uint64_t i = 0; i < (tensor ? RK_TENSOR_OVERLAPS : 1); i++)
        offer(&inner[INNER_TENSOR_OVERLAP], p, RK_AXIS_TENSOR_OVERLAP, i);
    offer_offload(&inner[INNER_WEIGHT_OFFLOAD], p, RK_AXIS_WEIGHT_OFFLOAD);
    offer_offload(&inner[INNER_ACTIVATION_OFFLOAD], p, RK_AXIS_ACTIVATION_OFFLOAD);
    offer_offload(&inner[INNER_OPTIMIZER_OFFLOAD], p, RK_AXIS_OPTIMIZER_OFFLOAD);
    for (uint64_t fused = 0; fused < 2; fused++)
        offer(&inner[INNER_FUSED_ACTIVATION], p, RK_AXIS_FUSED_ACTIVATION, fused);
    offer_networks(&inner[INNER_TENSOR_NETWORK], p, RK_AXIS_TENSOR_NETWORK, tensor);
    offer_networks(&inner[INNER_PIPELINE_NETWORK], p, RK_AXIS_PIPELINE_NETWORK, pipeline);
    offer_networks(&inner[INNER_DATA_NETWORK], p, RK_AXIS_DATA_NETWORK, data);
    o->full_activation_offloads = allowed(p, RK_AXIS_ACTIVATION_OFFLOAD, 0);
}

/* Strategies of one kind for one microbatch size. */
static uint64_t kind_size(const struct options *o, const struct kind *kind)
{
    uint64_t size = 1;
    for (int axis = 0; axis < INNERS; axis++)
        if (axis != INNER_MICROBATCH) size *= (uint64_t)inner_count(o, kind, (enum inner)axis);
    return size;
}

static void options_kinds(struct options *o, const struct rk_problem *p, bool data)
{
    struct values sharding = {0};
    offer_flag(&sharding, p, RK_AXIS_OPTIMIZER_SHARDING, data);
    for (uint64_t recompute = 0; recompute < RK_RECOMPUTES; recompute++)
        for (int s = 0; s < sharding.count; s++)
            for (uint64_t comm = 0; comm < RK_TENSOR_COMMS; comm++) {
                struct values redo = {0};
                offer_flag(&redo, p, RK_AXIS_REDO_ALL_GATHER,
                           comm == RK_COMM_RS_AG && recompute != RK_RECOMPUTE_FULL);
                if (!allowed(p, RK_AXIS_RECOMPUTE, recompute) ||
                    !allowed(p, RK_AXIS_TENSOR_COMM, comm))
                    continue;
                for (int r = 0; r < redo.count; r++) {
                    struct kind *kind = &o->kind[o->kinds++];
                    *kind = (struct kind){(enum rk_recompute)recompute, sharding.value[s] != 0,
                                          (enum rk_tensor_comm)comm, redo.value[r] != 0,
                                          o->per_microbatch};
                    o->per_microbatch += kind_size(o, kind);
                }
            }
}

static void options_open(struct options *o, const struct rk_problem *p, bool tensor, bool pipeline,
                         bool data)
{
    memset(o, 0, sizeof *o);
    options_inner(o, p, tensor, pipeline, data);
    options_kinds(o, p, data);
}

/* ---- groups ---- */

/* Writes the divisors of n to value, when it is not NULL; returns how many there are. */
static int divisors_of(uint64_t n, uint64_t *value)
{
    int count = 0;
    for (uint64_t d = 1; d <= n / d; d++) {
        if (n % d != 0) continue;
        if (value) value[count] = d;
        count++;
        if (d == n / d) continue;
        if (value) value[count] = n / d;
        count++;
    }
    if (value) qsort(value, (size_t)count, sizeof *value, by_count);
    return count;
}

/* Growing storage of the space under construction. */
struct builder {
    struct strategies *space;
    size_t numbers, numbers_room;
    bool failed;
};

static uint64_t *builder_numbers(struct builder *b, size_t more)
{
    b->failed |= !ARRAY_RESERVE(b->space->numbers, b->numbers_room, b->numbers + more);
    if (b->failed) return NULL;
    return b->space->numbers + b->numbers;
}

static struct group *builder_group(struct builder *b)
{
    struct strategies *s = b->space;
    if (!ARRAY_ROOM(s->group, s->groups)) {
        b->failed = true;
        return NULL;
    }
    return &s->group[s->groups];
}

/* Appends the divisors of n that are allowed on `axis` and for which divisor * unit is a
 * multiple of `by`; returns how many. */
static int builder_divisors(struct builder *b, uint64_t n, enum rk_axis axis, uint64_t unit,
                            uint64_t by)
{
    const int all = divisors_of(n, NULL);
    uint64_t *value = builder_numbers(b, (size_t)all);
    if (!value) return 0;
    divisors_of(n, value);
    int kept = 0;
    for (int i = 0; i < all; i++)
        if (allowed(&b->space->problem, axis, value[i]) && (value[i] % by) * (unit % by) % by == 0)
            value[kept++] = value[i];
    b->numbers += (size_t)kept;
    return kept;
}

/* One (tensor, pipeline); its lists are set by builder_settle. */
static void builder_add(struct builder *b, uint64_t tensor, uint64_t pipeline)
{
    const struct rk_problem *p = &b->space->problem;
    const uint64_t data = p->ranks / tensor / pipeline;
    if (data > p->max_batch || !allowed(p, RK_AXIS_DATA, data)) return;
    const uint64_t local = p->max_batch / data;
    struct group *g = builder_group(b);
    if (!g) return;
    const uint64_t chunks = pipeline > 1 ? p->model->layers / pipeline : 1;
    const size_t first = b->numbers;
    const int interleavings = builder_divisors(b, chunks, RK_AXIS_INTERLEAVING, 1, 1);
    const int microbatches =
        builder_divisors(b, local, RK_AXIS_MICROBATCH, p->model->sequence, tensor);
    const struct options *o =
        &b->space->options[(tensor > 1) * 4 + (pipeline > 1) * 2 + (data > 1)];
    *g = (struct group){
        .tensor = tensor,
        .pipeline = pipeline,
        .data = data,
        .batch = local * data,
        .options = o,
        .interleavings = interleavings,
        .microbatches = microbatches,
        .per_cell = (uint64_t)microbatches * o->per_microbatch,
        .first = b->space->base.count,
        .numbers_at = first,
    };
    const uint64_t strategies = g->per_cell * (uint64_t)interleavings;
    if (strategies == 0) return;
    b->space->base.count += strategies;
    b->space->groups++;
}

static void builder_pipelines(struct builder *b, uint64_t tensor)
{
    const struct rk_problem *p = &b->space->problem;
    const uint64_t ranks = p->ranks / tensor;
    const uint64_t deepest = ranks < p->model->layers ? ranks : p->model->layers;
    for (uint64_t pipeline = 1; pipeline <= deepest; pipeline++)
        if (deepest % pipeline == 0 && ranks % pipeline == 0 && p->model->layers % pipeline == 0 &&
            allowed(p, RK_AXIS_PIPELINE, pipeline))
            builder_add(b, tensor, pipeline);
}

/* Each rank has whole key and value heads, of its own or shared. */
static bool kv_heads_split(const struct rk_model *m, uint64_t tensor)
{
    return !m->kv_heads || m->kv_heads % tensor == 0 || tensor % m->kv_heads == 0;
}

static void builder_run(struct builder *b)
{
    const struct rk_problem *p = &b->space->problem;
    const struct rk_model *m = p->model;
    for (int i = 0; i < 8; i++)
        options_open(&b->space->options[i], p, i & 4, i & 2, i & 1);
    for (uint64_t tensor = 1; tensor <= p->ranks && tensor <= m->heads; tensor++)
        if (p->ranks % tensor == 0 && m->hidden % tensor == 0 && m->heads % tensor == 0 &&
            m->feedforward % tensor == 0 && kv_heads_split(m, tensor) &&
            allowed(p, RK_AXIS_TENSOR, tensor))
            builder_pipelines(b, tensor);
}

/* The lists of the groups, once the numbers no longer move. */
static void builder_settle(struct builder *b)
{
    for (int i = 0; i < b->space->groups; i++) {
        struct group *g = &b->space->group[i];
        g->interleaving = b->space->numbers + g->numbers_at;
        g->microbatch = g->interleaving + g->interleavings;
    }
}

static enum rk_status check_problem(const struct rk_problem *p, struct rk_error *error)
{
    if (p->model->experts > 0 || p->model->kv_rank > 0)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "model %s: %s is counted but not estimated yet", p->model->id,
                       p->model->experts > 0 ? "a mixture of experts" : "latent attention");
    if (p->ranks == 0 || p->max_batch == 0)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "gpus and batch must be at least 1");
    if (p->system->devices && p->ranks > p->system->devices)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%llu gpus asked for, but system %s has %llu devices",
                       (unsigned long long)p->ranks, p->system->id,
                       (unsigned long long)p->system->devices);
    if (p->system->matrix[p->datatype].curve.steps == 0 ||
        p->system->vector[p->datatype].curve.steps == 0)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "system %s does not support datatype %s",
                       p->system->id, rk_datatype_name(p->datatype));
    if (p->system->memories > RK_MAX_TIERS || p->system->networks > RK_MAX_TIERS)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "a search takes at most %d memory and network tiers", RK_MAX_TIERS);
    return RK_OK;
}

struct rk_space *rk_space_open(const struct rk_problem *problem, struct rk_error *error)
{
    if (check_problem(problem, error) != RK_OK) return NULL;
    struct strategies *space = calloc(1, sizeof *space);
    struct builder builder = {.space = space};
    if (!space) {
        no_memory(error);
        return NULL;
    }
    space->base = (struct rk_space){.predictor = &calculon_predictor,
                                    .model = problem->model,
                                    .system = problem->system,
                                    .sequence = problem->model->sequence};
    space->problem = *problem;
    builder_run(&builder);
    if (builder.failed) {
        strategies_close(&space->base);
        no_memory(error);
        return NULL;
    }
    builder_settle(&builder);
    return &space->base;
}

void strategies_close(struct rk_space *base)
{
    struct strategies *space = (struct strategies *)base;
    free(space->group);
    free(space->numbers);
    free(space);
}

/* ---- index to strategy and back ---- */

uint64_t space_index(const struct group *group, int interleaving, const struct kind *kind,
                     const int at[INNERS])
{
    uint64_t index = 0;
    for (int axis = 0; axis < INNERS; axis++) {
        const int count = axis == INNER_MICROBATCH
                              ? group->microbatches
                              : inner_count(group->options, kind, (enum inner)axis);
        index = index * (uint64_t)count + (uint64_t)at[axis];
    }
    return group->first + (uint64_t)interleaving * group->per_cell +
           kind->before * (uint64_t)group->microbatches + index;
}

static const struct group *group_of(const struct strategies *space, uint64_t index)
{
    int low = 0, high = space->groups - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (space->group[middle].first <= index)
            low = middle;
        else
            high = middle - 1;
    }
    return &space->group[low];
}

static const struct kind *kind_of(const struct group *group, uint64_t rest)
{
    const struct options *o = group->options;
    int i = o->kinds - 1;
    while (i > 0 && o->kind[i].before * (uint64_t)group->microbatches > rest)
        i--;
    return &o->kind[i];
}

void rk_space_strategy(const struct rk_space *base, uint64_t index, struct rk_strategy *strategy)
{
    const struct strategies *space = strategies_of(base);
    const struct group *g = group_of(space, index);
    uint64_t rest = index - g->first;
    const uint64_t interleaving = rest / g->per_cell;
    rest %= g->per_cell;
    const struct kind *kind = kind_of(g, rest);
    rest -= kind->before * (uint64_t)g->microbatches;
    *strategy = (struct rk_strategy){
        .ranks = space->problem.ranks,
        .tensor = g->tensor,
        .pipeline = g->pipeline,
        .data = g->data,
        .interleaving = g->interleaving[interleaving],
        .batch = g->batch,
        .datatype = space->problem.datatype,
        .training = true,
        .recompute = kind->recompute,
        .optimizer_sharding = kind->sharding,
        .tensor_comm = kind->comm,
        .redo_all_gather = kind->redo,
    };
    for (int axis = INNERS - 1; axis >= 0; axis--) {
        const uint64_t count = axis == INNER_MICROBATCH
                                   ? (uint64_t)g->microbatches
                                   : (uint64_t)inner_count(g->options, kind, (enum inner)axis);
        const int at = (int)(rest % count);
        rest /= count;
        rk_axis_set(strategy, axis_of_inner[axis],
                    axis == INNER_MICROBATCH ? g->microbatch[at]
                                             : inner_value(g->options, kind, (enum inner)axis, at));
    }
}
