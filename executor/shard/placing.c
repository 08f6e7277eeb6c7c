#include "shard/placing.h"
#include "shard/placing_boxes.h"

#include "base/memory.h"
#include "base/number.h"
#include "plan/ranks.h"
#include "rules/rules.h"
#include "workload/layers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which ranks hold the same ---- */

static struct placed_file file_of(const struct rank_map *map, const struct placing *p,
                                  uint64_t rank)
{
    const bool cut = p->zero != ZERO_NONE;
    const bool experts = p->rules.model.experts > 0;
#define AT(group) (uint32_t) rank_position(map, group, rank)
    return (struct placed_file){
        .stage = AT(RANKS_OF_PIPELINE),
        .tensor = AT(RANKS_OF_TENSOR),
        .expert = experts ? AT(RANKS_OF_EXPERT) : 0,
        .expert_tensor = experts ? AT(RANKS_OF_EXPERT_TENSOR) : 0,
        .shard = cut ? AT(RANKS_OF_SHARDS) : 0,
        .expert_shard = cut && experts ? AT(RANKS_OF_EXPERT_SHARDS) : 0,
    };
#undef AT
}

static int compare_files(const void *a, const void *b)
{
    const struct placed_file *x = a, *y = b;
    const uint32_t left[] = {x->stage,         x->tensor, x->expert,
                             x->expert_tensor, x->shard,  x->expert_shard};
    const uint32_t right[] = {y->stage,         y->tensor, y->expert,
                              y->expert_tensor, y->shard,  y->expert_shard};
    for (int i = 0; i < 6; i++)
        if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* Coordinates that follow from the others are left out. */
static void name_file(const struct placing *p, const struct placed_file *file, char *name,
                      size_t size)
{
    const struct rk_plan *plan = p->rules.plan;
    int used = snprintf(name, size, "rank-%04u-%04u-%04u", file->stage, file->tensor, file->expert);
    if (p->rules.model.experts && rk_plan_expert_tensor(plan) != 1 &&
        (rk_plan_expert_tensor(plan) != plan->tensor || plan->order != RK_ORDER_TP_CP_DP_PP))
        used += snprintf(name + used, size - (size_t)used, "-x%04u", file->expert_tensor);
    if (p->zero != ZERO_NONE)
        used += snprintf(name + used, size - (size_t)used, "-s%04u", file->shard);
    if (p->zero != ZERO_NONE && p->rules.model.experts)
        used += snprintf(name + used, size - (size_t)used, "-%04u", file->expert_shard);
    snprintf(name + used, size - (size_t)used, ".safetensors");
}

static enum rk_status find_files(const struct placing *p, struct layout *layout,
                                 struct placed *placed, struct rk_error *error)
{
    const struct rank_map map = rank_map_of(p->rules.plan);
    size_t files = 0;
    placed->ranks = p->rules.plan->ranks;
    placed->file = malloc((placed->ranks + 1) * sizeof *placed->file);
    placed->file_of_rank = malloc((placed->ranks + 1) * sizeof *placed->file_of_rank);
    if (!placed->file || !placed->file_of_rank) return no_memory(error);
    for (uint64_t rank = 0; rank < placed->ranks; rank++)
        placed->file[rank] = file_of(&map, p, rank);
    qsort(placed->file, placed->ranks, sizeof *placed->file, compare_files);
    for (uint64_t i = 0; i < placed->ranks; i++)
        if (!files || compare_files(&placed->file[files - 1], &placed->file[i]) != 0)
            placed->file[files++] = placed->file[i];
    for (uint64_t rank = 0; rank < placed->ranks; rank++) {
        const struct placed_file key = file_of(&map, p, rank);
        const struct placed_file *found =
            bsearch(&key, placed->file, files, sizeof key, compare_files);
        placed->file_of_rank[rank] = (uint32_t)(found - placed->file);
    }
    enum rk_status status = RK_OK;
    for (size_t i = 0; i < files && status == RK_OK; i++) {
        char name[96];
        name_file(p, &placed->file[i], name, sizeof name);
        status = layout_add_file(layout, name, error);
    }
    return status;
}

void placed_release(struct placed *placed)
{
    free(placed->file);
    free(placed->file_of_rank);
    *placed = (struct placed){.ranks = 0};
}

/* ---- stages ---- */

/* What of the list of tensors decides where the others are. */
struct parts {
    struct part *part;            /* (tensors) */
    const struct tensor **scaled; /* (tensors) the weight that a scale belongs to */
    bool head, predict_embedding; /* there is one of its own */
    uint32_t *stage_of_layer;     /* (layers) */
};

static bool is_first(const struct part *part)
{
    return part->layer < 0 && part->role != ROLE_HEAD && part->role != ROLE_FINAL_NORM &&
           part->role != ROLE_PREDICT_IN;
}

/* Is a tensor on a stage? */
static bool on_stage(const struct placing *p, const struct parts *parts, const struct part *part,
                     uint64_t stage)
{
    const struct rk_model *model = &p->rules.model;
    const struct rk_plan *plan = p->rules.plan;
    const uint64_t last = rk_plan_stage_of(plan, plan->pipeline * plan->chunks - 1);
    if (part->layer < 0) {
        const bool again = part->role == ROLE_EMBEDDING && part->leaf == LEAF_WEIGHT &&
                           ((model->tied_embeddings && !parts->head) ||
                            (model->predict_layers && !parts->predict_embedding));
        return is_first(part) ? stage == 0 || (again && stage == last) : stage == last;
    }
    if ((uint64_t)part->layer >= model->layers) return stage == last;
    return stage == parts->stage_of_layer[part->layer];
}

/* With DualPipe a rank holds its stage and the opposite one. */
static bool on_rank(const struct placing *p, const struct parts *parts, const struct part *part,
                    uint64_t stage)
{
    const struct rk_plan *plan = p->rules.plan;
    if (on_stage(p, parts, part, stage)) return true;
    return plan->schedule == RK_DUALPIPE && on_stage(p, parts, part, plan->pipeline - 1 - stage);
}

/* Copies that multi-token prediction brings are the model's own tables: the predictor counts one
 * of the embedding where the first stage is another, none of the head. */
static bool is_predicted(const struct placing *p, const struct part *part)
{
    if (part->role == ROLE_PREDICT_HEAD) return false;
    if (part->role == ROLE_PREDICT_EMBEDDING)
        return !rk_plan_joins_ends(p->rules.plan) && p->rules.plan->schedule != RK_DUALPIPE &&
               part->layer == (int64_t)p->rules.model.layers;
    return part->parameter;
}

static enum rk_status find_stages(const struct placing *p, struct parts *parts,
                                  struct rk_error *error)
{
    const struct rk_plan *plan = p->rules.plan;
    const uint64_t stages = plan->pipeline * plan->chunks, layers = p->rules.model.layers;
    uint64_t layer = 0;
    parts->stage_of_layer = calloc(layers + 1, sizeof *parts->stage_of_layer);
    if (!parts->stage_of_layer) return no_memory(error);
    for (uint64_t i = 0; i < stages; i++) {
        const uint64_t blocks = rk_plan_split(plan, &p->rules.model, i);
        for (uint64_t k = 0; k < blocks && layer < layers; k++)
            parts->stage_of_layer[layer++] = (uint32_t)rk_plan_stage_of(plan, i);
        if (blocks > layers) break;
    }
    if (layer == layers) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                   "the stages of the plan have %" PRIu64 " of %" PRIu64
                   " layers: give first-layers and last-layers so that the rest divides",
                   layer, layers);
}

/* The weight of "x.weight_scale_inv" is "x.weight". */
static const struct tensor *weight_of(const struct layout *layout, const char *scale)
{
    char name[SAFETENSORS_MAX_NAME + 1];
    snprintf(name, sizeof name, "%s", scale);
    char *end = strstr(name, "_scale");
    if (!end) return NULL;
    *end = '\0';
    return layout_find(layout, name);
}

static enum rk_status fail_unknown(const char *name, struct rk_error *error)
{
    const char *nearest = part_nearest(name);
    return rk_fail(
        error, RK_BAD_INPUT, NULL, 0, 0,
        "%.200s: what this tensor is, no table knows%s%s: `unknown` replicate puts it on "
        "every tensor rank, `unknown` redco splits what is not known by Redco's rules",
        name, nearest ? "; the nearest name is " : "", nearest ? nearest : "");
}

static enum rk_status find_parts(const struct placing *p, const struct layout *layout,
                                 struct parts *parts, struct rk_error *error)
{
    parts->part = calloc(layout->tensors + 1, sizeof *parts->part);
    parts->scaled = calloc(layout->tensors + 1, sizeof *parts->scaled);
    if (!parts->part || !parts->scaled) return no_memory(error);
    for (size_t i = 0; i < layout->tensors; i++) {
        struct part *part = &parts->part[i];
        const char *name = layout->tensor[i].name;
        *part = part_of(name, p->type);
        if (part->role == ROLE_UNKNOWN && !p->replicate_unknown &&
            (!p->axis || p->axis[i] == AXIS_BY_ROLE))
            return fail_unknown(name, error);
        if (part->leaf == LEAF_BLOCK_SCALES) parts->scaled[i] = weight_of(layout, name);
        parts->head |= part->role == ROLE_HEAD;
        parts->predict_embedding |= part->role == ROLE_PREDICT_EMBEDDING;
    }
    return find_stages(p, parts, error);
}

static void release_parts(struct parts *parts)
{
    free(parts->part);
    free(parts->scaled);
    free(parts->stage_of_layer);
}

/* ---- sharding of what a rank holds ---- */

static uint64_t least_multiple(uint64_t value, uint64_t of)
{
    return (value + of - 1) / of * of;
}

/* The flat buffer of dense weights, and that of experts'; positions of the parameters that are put
 * into it one after the other. */
enum { MEGATRON_ALIGNMENT = 64, MEGATRON_BUCKET_ALIGNMENT = 128, MEGATRON_BUCKET = 40000000 };

struct buffer {
    uint64_t ranks, rank;
    uint64_t bucket, end; /* where the bucket at hand begins, where its last parameter ends */
};

struct placed_tensor {
    uint32_t tensor;
    uint64_t elements, bucket, at; /* at: in the bucket */
    uint64_t bucket_elements;
    bool expert;
};

static void close_bucket(struct placed_tensor *list, size_t first, size_t last, bool expert,
                         uint64_t elements)
{
    for (size_t i = first; i < last; i++)
        if (list[i].expert == expert) list[i].bucket_elements = elements;
}

/* Buckets of one of the two buffers, the last parameter first. A bucket is closed by the parameter
 * that makes it large enough: 40 million elements, or a million for each rank. */
static void fill_buckets(const struct placing *p, struct placed_tensor *list, size_t count,
                         bool expert, uint64_t ranks)
{
    const bool megatron = p->zero == ZERO_MEGATRON;
    const uint64_t large = ranks > MEGATRON_BUCKET / 1000000 ? ranks * 1000000 : MEGATRON_BUCKET;
    const uint64_t multiple =
        megatron ? common_multiple(ranks, MEGATRON_BUCKET_ALIGNMENT) : 2 * ranks;
    uint64_t at = 0;
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i].expert != expert) continue;
        if (megatron) at = least_multiple(at, MEGATRON_ALIGNMENT);
        list[i].at = at;
        at += list[i].elements;
        if (!megatron || at < large) continue;
        close_bucket(list, first, i + 1, expert, least_multiple(at, multiple));
        first = i + 1;
        at = 0;
    }
    close_bucket(list, first, count, expert, least_multiple(at, multiple));
}

/* Model order: tensors before the layers, layer by layer, tensors after them. */
static int64_t order_of(const struct part *part)
{
    return part->layer >= 0 ? part->layer : is_first(part) ? -1 : INT64_MAX;
}

static int last_first(const void *a, const void *b, void *context)
{
    const struct part *parts = context;
    const struct placed_tensor *x = a, *y = b;
    const int64_t m = order_of(&parts[x->tensor]), n = order_of(&parts[y->tensor]);
    if (m != n) return m > n ? -1 : 1;
    return x->tensor > y->tensor ? -1 : x->tensor < y->tensor;
}

/* ---- one file ---- */

struct worker {
    const struct placing *placing;
    struct layout *layout;
    const struct parts *parts;
    struct cut *cut;
    struct boxes whole, own;
    struct placed_tensor *list; /* (tensors) */
    struct rk_error *error;
};

static bool is_experts(const struct part *part)
{
    return part->role >= ROLE_EXPERT_WHOLE && part->role <= ROLE_EXPERTS_ROWS;
}

static enum rk_status cut_for(struct worker *w, const struct placed_file *file, uint32_t tensor)
{
    const struct cut_rank at = {file->tensor, file->expert, file->expert_tensor};
    const struct placing *p = w->placing;
    return cut_tensor(&p->rules, &w->layout->tensor[tensor], &w->parts->part[tensor],
                      w->parts->scaled[tensor], p->axis ? p->axis[tensor] : AXIS_BY_ROLE, &at,
                      w->cut, w->error);
}

/* What the rank holds of the tensor, before ZeRO divides it. */
static enum rk_status boxes_for(struct worker *w, const struct placed_file *file, uint32_t tensor,
                                bool *here)
{
    const struct tensor *t = &w->layout->tensor[tensor];
    const enum rk_status status = cut_for(w, file, tensor);
    *here = status == RK_OK && w->cut->here;
    if (*here && !boxes_of_cut(t, &w->parts->part[tensor], w->cut, &w->whole))
        return no_memory(w->error);
    return status;
}

/* Types of less than a byte are cut where bytes begin. */
static bool in_whole_bytes(const struct tensor *t, const struct boxes *boxes, uint64_t first,
                           uint64_t count)
{
    const unsigned bits = tensor_type_bits(t->type);
    const int last = t->rank - 1;
    bool whole = bits % 8 == 0 || (first * bits % 8 == 0 && count * bits % 8 == 0);
    for (size_t i = 0; i < boxes->count && bits % 8 && last >= 0; i++)
        whole &= boxes->box[i].begin[last] * bits % 8 == 0 &&
                 boxes->box[i].size[last] * bits % 8 == 0 &&
                 boxes->box[i].at[last] * bits % 8 == 0 && boxes->shape[last] * bits % 8 == 0;
    return whole;
}

static enum rk_status put_slice(struct worker *w, uint32_t file, uint32_t tensor,
                                const struct boxes *boxes, bool flat, uint64_t first,
                                uint64_t count)
{
    struct slice slice = {.tensor = tensor,
                          .file = file,
                          .flat = flat,
                          .first = first,
                          .count = count,
                          .predicted = is_predicted(w->placing, &w->parts->part[tensor])};
    memcpy(slice.shape, boxes->shape, sizeof slice.shape);
    if (!in_whole_bytes(&w->layout->tensor[tensor], boxes, first, count))
        return rk_fail(w->error, RK_BAD_INPUT, NULL, 0, 0,
                       "%.200s: the cut goes through a byte, %s has %u bits: take another degree",
                       w->layout->tensor[tensor].name,
                       tensor_type_name(w->layout->tensor[tensor].type),
                       tensor_type_bits(w->layout->tensor[tensor].type));
    return layout_add_slice(w->layout, &slice, boxes->count, boxes->box, w->error);
}

/* Rows of the slice, ceil(n/R) a rank. */
static enum rk_status put_rows(struct worker *w, uint32_t file, uint32_t tensor, uint64_t ranks,
                               uint64_t rank)
{
    struct boxes *own = &w->own;
    const int dimensions = w->layout->tensor[tensor].rank;
    uint64_t begin[TENSOR_MAX_RANK] = {0}, end[TENSOR_MAX_RANK];
    if (dimensions == 0)
        return rank ? RK_OK : put_slice(w, file, tensor, &w->whole, false, 0, w->whole.elements);
    const uint64_t rows = w->whole.shape[0], each = (rows + ranks - 1) / ranks;
    memcpy(end, w->whole.shape, sizeof end);
    begin[0] = rank * each < rows ? rank * each : rows;
    end[0] = begin[0] + each < rows ? begin[0] + each : rows;
    if (begin[0] == end[0]) return RK_OK;
    own->count = 0;
    memcpy(own->shape, w->whole.shape, sizeof own->shape);
    own->shape[0] = end[0] - begin[0];
    if (!boxes_clip(&w->whole, dimensions, begin, end, own)) return no_memory(w->error);
    for (size_t i = 0; i < own->count; i++)
        own->box[i].at[0] -= begin[0];
    tensor_elements(dimensions, own->shape, &own->elements);
    return put_slice(w, file, tensor, own, false, 0, own->elements);
}

static enum rk_status put_flat(struct worker *w, uint32_t file, const struct placed_tensor *placed,
                               uint64_t ranks, uint64_t rank)
{
    const uint64_t each = placed->bucket_elements / ranks, begin = rank * each, end = begin + each;
    const uint64_t last = placed->at + placed->elements;
    const uint64_t from = begin > placed->at ? begin : placed->at, to = end < last ? end : last;
    if (from >= to) return RK_OK;
    w->own.count = 0;
    memcpy(w->own.shape, w->whole.shape, sizeof w->own.shape);
    if (!boxes_clip_flat(&w->whole, w->layout->tensor[placed->tensor].rank, from - placed->at,
                         to - placed->at, &w->own))
        return no_memory(w->error);
    return put_slice(w, file, placed->tensor, &w->own, true, from - placed->at, to - from);
}

static enum rk_status put_sharded(struct worker *w, const struct placed_file *at, uint32_t file,
                                  const struct placed_tensor *placed)
{
    const struct rk_plan *plan = w->placing->rules.plan;
    const bool expert = placed->expert;
    const uint64_t ranks = expert ? rk_plan_expert_shards(plan) : rk_plan_shards(plan);
    const uint64_t rank = expert ? at->expert_shard : at->shard;
    if (w->placing->zero == ZERO_NONE)
        return put_slice(w, file, placed->tensor, &w->whole, false, 0, w->whole.elements);
    if (w->placing->zero == ZERO_FSDP) return put_rows(w, file, placed->tensor, ranks, rank);
    return put_flat(w, file, placed, ranks, rank);
}

/* The tensors of a rank, with what it has of them before ZeRO. */
static enum rk_status list_tensors(struct worker *w, struct placed_file *at, size_t *count)
{
    enum rk_status status = RK_OK;
    *count = 0;
    at->parameters = 0;
    for (uint32_t i = 0; i < w->layout->tensors && status == RK_OK; i++) {
        const struct part *part = &w->parts->part[i];
        bool here;
        if (!on_rank(w->placing, w->parts, part, at->stage)) continue;
        status = boxes_for(w, at, i, &here);
        if (!here) continue;
        w->list[(*count)++] = (struct placed_tensor){
            .tensor = i, .elements = w->whole.elements, .expert = is_experts(part)};
        if (is_predicted(w->placing, part)) at->parameters += w->whole.elements;
    }
    return status;
}

static enum rk_status fill_file(struct worker *w, struct placed_file *at, uint32_t file)
{
    const struct rk_plan *plan = w->placing->rules.plan;
    size_t count;
    enum rk_status status = list_tensors(w, at, &count);
    if (status == RK_OK && w->placing->zero >= ZERO_MEGATRON) {
        qsort_r(w->list, count, sizeof *w->list, last_first, w->parts->part);
        fill_buckets(w->placing, w->list, count, false, rk_plan_shards(plan));
        fill_buckets(w->placing, w->list, count, true, rk_plan_expert_shards(plan));
    }
    for (size_t i = 0; i < count && status == RK_OK; i++) {
        bool here;
        status = boxes_for(w, at, w->list[i].tensor, &here);
        if (status == RK_OK) status = put_sharded(w, at, file, &w->list[i]);
    }
    return status;
}

/* ---- all of them ---- */

static enum rk_status check_plan(const struct placing *p, struct rk_error *error)
{
    static const enum rule asked[] = {RULE_CUT_RUNS, RULE_MOST_STAGES,  RULE_BLOCKS, RULE_SPLITS,
                                      RULE_PRODUCT,  RULE_EXPERT_RANKS, RULE_DENSE};
    struct rule_case c = rule_case_of(&p->rules.model, NULL, p->rules.plan);
    c.who |= BY_SHARD;
    const enum rule broken = rules_first(&c, asked, sizeof asked / sizeof *asked);
    return broken == RULES ? RK_OK : rule_refuse(broken, &c, RK_BAD_INPUT, error);
}

enum rk_status place_plan(const struct placing *p, struct layout *layout, struct placed *placed,
                          struct rk_error *error)
{
    struct parts parts = {.part = NULL};
    struct worker w = {.placing = p, .layout = layout, .parts = &parts, .error = error};
    *placed = (struct placed){.ranks = 0};
    enum rk_status status = check_plan(p, error);
    if (status == RK_OK) status = find_parts(p, layout, &parts, error);
    if (status == RK_OK) status = find_files(p, layout, placed, error);
    w.cut = malloc(sizeof *w.cut);
    w.list = malloc((layout->tensors + 1) * sizeof *w.list);
    if (status == RK_OK && (!w.cut || !w.list)) status = no_memory(error);
    for (uint32_t i = 0; i < layout->files && status == RK_OK; i++)
        if (p->only < 0 || placed->file_of_rank[p->only] == i)
            status = fill_file(&w, &placed->file[i], i);
    free(w.cut);
    free(w.list);
    free(w.whole.box);
    free(w.own.box);
    release_parts(&parts);
    if (status == RK_OK) status = layout_finish(layout, p->only >= 0, error);
    return status;
}

/* ---- the predictor's count ---- */

static double parameters_of(enum layer_kind kind, const struct rk_model *model,
                            const struct rk_plan *plan)
{
    struct layer layer;
    double sum = 0;
    layer_build(&layer, kind, model, plan);
    for (int i = 0; i < layer.operations; i++)
        sum += layer.operation[i].parameters;
    return sum;
}

/* With DualPipe first and last stage are on one rank, and share the tables [deepseek2024v3, 3.2.3]:
 * the head brings no copy. */
static double head_parameters(const struct rk_model *model, const struct rk_plan *plan)
{
    struct rk_plan together = *plan;
    if (plan->schedule == RK_DUALPIPE) together.pipeline = 1;
    return parameters_of(LAYER_HEAD, model, &together);
}

static double stage_parameters(const struct rk_model *model, const struct rk_plan *plan,
                               uint64_t stage)
{
    const uint64_t all = plan->pipeline * plan->chunks, last = rk_plan_stage_of(plan, all - 1);
    double counts[LAYER_KINDS] = {0}, sum = 0;
    uint64_t first = 0;
    for (uint64_t i = 0; i < all; i++) {
        const uint64_t blocks = rk_plan_split(plan, model, i);
        if (rk_plan_stage_of(plan, i) == stage) layer_count(model, first, blocks, counts);
        first += blocks;
    }
    if (stage == 0) counts[LAYER_EMBEDDING] = 1;
    if (stage == last) sum += head_parameters(model, plan);
    if (stage == last) counts[LAYER_PREDICT] = (double)model->predict_layers;
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        if (counts[kind] > 0)
            sum += counts[kind] * parameters_of((enum layer_kind)kind, model, plan);
    return sum;
}

double placed_predicted(const struct rk_model *model, const struct rk_plan *plan, uint64_t stage)
{
    const double own = stage_parameters(model, plan, stage);
    if (plan->schedule != RK_DUALPIPE) return own;
    return own + stage_parameters(model, plan, plan->pipeline - 1 - stage);
}
