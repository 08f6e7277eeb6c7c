#include "study/axes.h"

#include "base/memory.h"
#include "base/text.h"
#include "study/numbers.h"
#include "text/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SIZE = 32, TEXT_SIZE = 1 << 15, MAX_DEGREE = 1 << 16 };

static bool is_network(enum rk_plan_axis axis)
{
    return axis >= RK_PLAN_TENSOR_NETWORK;
}

/* ---- reading ---- */

static enum rk_status push_range(const struct place *place, struct study_ranges *ranges,
                                 uint64_t low, uint64_t high, struct rk_error *error)
{
    if (ranges->count == RK_MAX_PINNED)
        return place_fail(place, error, "more than %d values: write runs of them as \"1..64\"",
                          RK_MAX_PINNED);
    ranges->range[ranges->count].low = low;
    ranges->range[ranges->count++].high = high;
    return RK_OK;
}

static enum rk_status push_progression(const struct place *place, enum rk_plan_axis axis,
                                       struct study_ranges *ranges, struct rk_error *error)
{
    struct progression p;
    struct numbers numbers = {0};
    const bool tier = rk_plan_axis_info(axis)->type == RK_PLAN_TIER || axis == RK_PLAN_ZERO;
    enum rk_status status = progression_load(
        place, tier ? 0 : 1, tier ? RK_MAX_TIERS - 1 : UINT64_C(1) << 32, false, &p, error);
    if (status != RK_OK) return status;
    if (p.step == 1) return push_range(place, ranges, p.first, p.last, error);
    if (!numbers_add(&numbers, &p)) {
        numbers_release(&numbers);
        return place_fail(place, error, "more than %d values", RK_MAX_PINNED);
    }
    for (size_t i = 0; i < numbers.count && status == RK_OK; i++)
        status = push_range(place, ranges, numbers.value[i], numbers.value[i], error);
    numbers_release(&numbers);
    return status;
}

/* A word of the axis: "none", "core_attn+mlp", "attention". */
static enum rk_status load_word(const struct place *place, enum rk_plan_axis axis,
                                struct study_ranges *ranges, struct rk_error *error)
{
    char list[256] = "none, full, or parts of a layer with + between them", got[PLACE_TEXT];
    const struct rk_plan_axis_info *info = rk_plan_axis_info(axis);
    const char *text = json_string_value(place->value);
    uint64_t value;
    if (text && rk_plan_axis_parse(axis, text, &value))
        return push_range(place, ranges, value, value, error);
    if (info->choices) field_list(info->choices, list, sizeof list);
    const char *nearest = text && info->choices ? text_nearest(text, info->choices) : NULL;
    return place_fail(place, error, "must be one of %s; got %s%s%s%s", list,
                      place_describe(got, place), nearest ? "; did you mean \"" : "",
                      nearest ? nearest : "", nearest ? "\"?" : "");
}

static enum rk_status load_value(const struct place *place, enum rk_plan_axis axis,
                                 struct study_ranges *ranges, struct rk_error *error)
{
    const struct rk_plan_axis_info *info = rk_plan_axis_info(axis);
    const struct field flag = {.type = FIELD_BOOL};
    enum rk_status status;
    bool yes = false;
    if (info->type == RK_PLAN_CHOICE || info->type == RK_PLAN_PARTS)
        return load_word(place, axis, ranges, error);
    const bool offload = info->type == RK_PLAN_TIER && !is_network(axis);
    const bool yes_or_no = offload || axis == RK_PLAN_ZERO;
    if (info->type != RK_PLAN_BOOL && !(yes_or_no && json_is_boolean(place->value)))
        return push_progression(place, axis, ranges, error);
    status = field_load(place, &flag, &yes, error);
    if (status != RK_OK) return status;
    return push_range(place, ranges, yes, yes && offload ? RK_MAX_TIERS - 1 : yes, error);
}

static int compare_ranges(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b; /* low, high */
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

static enum rk_status load_axis(const struct place *place, enum rk_plan_axis axis,
                                struct study_ranges *ranges, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    if (!json_is_array(place->value)) return load_value(place, axis, ranges, error);
    status = place_need_array(place, 1, RK_MAX_PINNED, error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(place->value); i++) {
        const struct place element = place_element(place, i);
        status = load_value(&element, axis, ranges, error);
    }
    qsort(ranges->range, (size_t)ranges->count, sizeof ranges->range[0], compare_ranges);
    return status;
}

/* ---- the text ---- */

static void key_of(enum rk_plan_axis axis, char key[KEY_SIZE])
{
    snprintf(key, KEY_SIZE, "%s", rk_plan_axis_info(axis)->name);
    for (char *c = key; *c; c++)
        if (*c == '-') *c = '_';
}

static bool axes_tell(struct study_axes *axes)
{
    char text[TEXT_SIZE] = "", key[KEY_SIZE], low[RK_PLAN_AXIS_TEXT], high[RK_PLAN_AXIS_TEXT];
    size_t used = axes->unstartable ? (size_t)snprintf(text, sizeof text, "unstartable") : 0;
    for (int i = 0; i < RK_PLAN_AXES; i++) {
        const struct study_ranges *ranges = &axes->axis[i];
        key_of((enum rk_plan_axis)i, key);
        for (int k = 0; k < ranges->count && used < sizeof text; k++) {
            rk_plan_axis_text((enum rk_plan_axis)i, ranges->range[k].low, low);
            rk_plan_axis_text((enum rk_plan_axis)i, ranges->range[k].high, high);
            const bool run = ranges->range[k].low != ranges->range[k].high;
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s%s%s",
                                     k || !used ? "" : " ", k ? "" : key, k ? "," : "=", low,
                                     run ? ".." : "", run ? high : "");
        }
    }
    axes->text = strdup(text);
    return axes->text != NULL;
}

static enum rk_status read_axes(const struct place *place, struct study_axes *axes,
                                struct rk_error *error)
{
    char key[RK_PLAN_AXES][KEY_SIZE];
    const char *keys[RK_PLAN_AXES + 1] = {NULL};
    enum rk_status status = place_need_object(place, error);
    struct place member;
    for (int i = 0; i < RK_PLAN_AXES; i++) {
        key_of((enum rk_plan_axis)i, key[i]);
        keys[i] = key[i];
    }
    if (status == RK_OK) status = place_need_keys(place, keys, error);
    for (int i = 0; i < RK_PLAN_AXES && status == RK_OK; i++)
        if (place_member(place, key[i], &member))
            status = load_axis(&member, (enum rk_plan_axis)i, &axes->axis[i], error);
    return status;
}

static enum rk_status add_axes(struct study_axes *axes, struct study *study, int *index,
                               struct rk_error *error)
{
    if (!axes_tell(axes)) return no_memory(error);
    for (size_t i = 0; i < study->axes_count; i++)
        if (strcmp(study->axes[i].text, axes->text) == 0) {
            *index = (int)i;
            free(axes->text);
            axes->text = NULL;
            return RK_OK;
        }
    if (!ARRAY_ROOM(study->axes, study->axes_count)) return no_memory(error);
    *index = (int)study->axes_count;
    study->axes[study->axes_count++] = *axes;
    axes->text = NULL;
    return RK_OK;
}

enum rk_status axes_load(const struct place *place, bool unstartable, struct study *study,
                         int *index, struct rk_error *error)
{
    struct study_axes *axes = calloc(1, sizeof *axes);
    if (!axes) return no_memory(error);
    axes->unstartable = unstartable;
    enum rk_status status = place ? read_axes(place, axes, error) : RK_OK;
    if (status == RK_OK) status = add_axes(axes, study, index, error);
    free(axes->text);
    free(axes);
    return status;
}

/* ---- the search ---- */

/* Precisions, also under the names of the Calculon model's datatypes. */
bool study_precision(const char *text, int *precision)
{
    static const struct {
        const char *name;
        enum rk_precision precision;
    } datatypes[] = {{"float8", RK_FP8_CURRENT},
                     {"float16", RK_FP16},
                     {"bfloat16", RK_BF16},
                     {"float32", RK_FP32}};
    for (*precision = 0; *precision < RK_PRECISIONS; ++*precision)
        if (strcmp(rk_precision_name((enum rk_precision) * precision), text) == 0) return true;
    for (size_t i = 0; i < sizeof datatypes / sizeof *datatypes; i++)
        if (strcmp(datatypes[i].name, text) == 0) {
            *precision = (int)datatypes[i].precision;
            return true;
        }
    return false;
}

uint64_t study_sequence(const struct study *study, const struct study_point *point)
{
    return point->sequence ? point->sequence : study->model[point->model].model.sequence;
}

const char *study_precision_name(const struct study_point *point)
{
    static const char *const datatypes[RK_PRECISIONS] = {[RK_FP8_CURRENT] = "float8",
                                                         [RK_FP16] = "float16",
                                                         [RK_BF16] = "bfloat16",
                                                         [RK_FP32] = "float32"};
    const char *datatype = datatypes[point->precision];
    return rk_answerer(point->framework)->by == RK_BY_CALCULON && datatype
               ? datatype
               : rk_precision_name(point->precision);
}

void study_problem(const struct study *study, const struct study_point *point,
                   struct rk_plans_problem *problem)
{
    const struct study_axes *axes = &study->axes[point->axes];
    rk_plans_problem_init(problem, &study->model[point->model].model,
                          &study->system[point->system].system, point->framework, point->gpus,
                          point->max_batch, point->sequence);
    problem->base.precision = point->precision;
    problem->unstartable = axes->unstartable;
    for (int i = 0; i < RK_PLAN_AXES; i++) {
        const struct study_ranges *ranges = &axes->axis[i];
        if (!ranges->count) continue;
        problem->pinned[i].count = ranges->count;
        for (int k = 0; k < ranges->count; k++) {
            problem->pinned[i].value[k] = ranges->range[k].low;
            problem->pinned[i].to[k] = ranges->range[k].high;
        }
    }
}

enum rk_status axes_check(const struct place *place, const struct study *study,
                          const struct study_point *point, struct rk_error *error)
{
    const struct study_axes *axes = &study->axes[point->axes];
    const struct study_system *system = &study->system[point->system];
    char key[KEY_SIZE];
    for (int i = 0; i < RK_PLAN_AXES; i++) {
        const enum rk_plan_axis axis = (enum rk_plan_axis)i;
        const int tiers = is_network(axis) ? system->system.networks : system->system.memories;
        if (rk_plan_axis_info(axis)->type != RK_PLAN_TIER) continue;
        for (int k = 0; k < axes->axis[i].count; k++) {
            const uint64_t low = axes->axis[i].range[k].low, high = axes->axis[i].range[k].high;
            if (low < (uint64_t)tiers || low != high) continue;
            key_of(axis, key);
            return place_fail(place, error, "%s: %.100s has no %s tier %llu: its last one is %d",
                              key, system->name, is_network(axis) ? "network" : "memory",
                              (unsigned long long)low, tiers - 1);
        }
    }
    return RK_OK;
}

/* ---- work ---- */

static uint64_t divisors(uint64_t n)
{
    uint64_t count = 0;
    for (uint64_t d = 1; d * d <= n; d++)
        if (n % d == 0) count += d * d == n ? 1 : 2;
    return count;
}

/* A group of strategies costs about as many cells as it has interleavings times microbatches. */
static double pipeline_work(const struct rk_model *model, uint64_t ranks, uint64_t max_batch)
{
    double work = 0;
    for (uint64_t p = 1; p <= model->layers && p <= ranks && p < MAX_DEGREE; p++) {
        if (model->layers % p || ranks % p || ranks / p > max_batch) continue;
        work +=
            (double)(2 + divisors(model->layers / p)) * (double)divisors(max_batch / (ranks / p));
    }
    return work;
}

double point_work(const struct study *study, const struct study_point *point)
{
    const struct rk_model *model = &study->model[point->model].model;
    const int memories = study->system[point->system].system.memories;
    double work = 1;
    for (uint64_t t = 1; t <= model->heads && t <= point->gpus && t < MAX_DEGREE; t++)
        if (model->heads % t == 0 && point->gpus % t == 0)
            work += pipeline_work(model, point->gpus / t, point->max_batch);
    return work * (memories > 1 ? 2 : 1) * (point->mode == RK_SEARCH_PRUNED ? 1 : 2);
}
