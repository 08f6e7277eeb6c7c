#include "base/extremes.h"
#include "search/plans_run.h"

#include <math.h>
#include <string.h>

/* ---- extremes of a family ---- */

/* Of the outlines, but for what chunks of the sequence copy, which is alike. */
static void note_layer(struct layer_fold *least, const struct layer_fold *fold)
{
    enum {
        FIRST = offsetof(struct layer_fold, pass_s),
        NUMBERS = (offsetof(struct layer_fold, swap) - FIRST) / sizeof(double)
    };
    double low[NUMBERS], own[NUMBERS];
    memcpy(low, least->pass_s, sizeof low);
    memcpy(own, fold->pass_s, sizeof own);
    for (int i = 0; i < NUMBERS; i++)
        low[i] = own[i] < low[i] ? own[i] : low[i];
    memcpy(least->pass_s, low, sizeof low);
}

static void note_fold(struct family_bounds *bounds, const struct layer_folds *fold,
                      const struct rk_plan *plan)
{
    if (!bounds->any) {
        bounds->any = true;
        fold_copy_outline(&bounds->least, fold, plan);
        return;
    }
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        if (fold->present[kind])
            note_layer(&bounds->least.layer[kind][RECOMPUTED], &fold->layer[kind][RECOMPUTED]);
}

/* ---- balanced splits ---- */

/* Is the split another one of the space? */
static bool repeats(struct plan_scratch *s, const uint16_t *split, int parts)
{
    const size_t size = (size_t)parts * sizeof *split;
    bool repeats = false;
    for (int value = 0; value < RK_SPLIT_BALANCED; value++) {
        uint16_t *other = split_at(s, s->recomputes + 1 + (uint64_t)value, parts);
        if (!plans_have_split(s->problem, (uint64_t)value)) continue;
        if (!s->fixed[parts]) plans_fixed_split(other, parts, s->problem->model, (uint64_t)value);
        repeats |= memcmp(split, other, size) == 0;
    }
    s->fixed[parts] = true;
    return repeats;
}

/* Blocks of a model too deep to deal them are dealt evenly. */
static void deal(struct plan_scratch *s, uint16_t *split, int parts, bool deep)
{
    if (deep)
        plans_fixed_split(split, parts, s->problem->model, RK_SPLIT_EVEN);
    else {
        dealing_split(&s->dealing, parts, split);
        dealing_alike(&s->dealing, parts, split, split + parts);
    }
}

static bool gives(const struct plan_scratch *s, const uint16_t *split, int parts)
{
    return dealing_gives(&s->dealing, parts, split, split + parts);
}

/* The balanced split of one row: nearly always that of the row before, or that of the same row of
 * the layers before. */
static void balance_parts(struct plan_scratch *s, uint32_t row, int parts, bool deep)
{
    struct balance *balance = &balances_of(s, row)[parts];
    uint16_t *split = split_at(s, row, parts);
    const size_t size = (size_t)parts * sizeof *split;
    if (row > 0 && !deep && gives(s, split_at(s, row - 1, parts), parts)) {
        memcpy(split, split_at(s, row - 1, parts), 2 * size);
        *balance = balances_of(s, row - 1)[parts];
        return;
    }
    if (deep || !gives(s, split, parts)) {
        deal(s, split, parts, deep);
        balance->repeats = repeats(s, split, parts);
    }
    balance->same_as = 0;
    while (!balance->repeats && balance->same_as < row &&
           memcmp(split_at(s, balance->same_as, parts), split, size) != 0)
        balance->same_as++;
}

/* For each number of virtual stages. */
static void balance_row(struct plan_scratch *s, uint32_t row, const struct layer_folds *fold,
                        enum treatment treatment)
{
    if (s->counts == 0) return;
    const bool deep = !plan_dealing(&s->dealing, s->problem->model, fold, treatment);
    for (int i = 0; i < s->counts; i++)
        balance_parts(s, row, s->count[i], deep);
}

/* The last row: that of the first fold where it computes nothing again. */
static void balance_as_it_is(struct plan_scratch *s)
{
    const struct block_times *first = &s->block_s[0];
    const uint32_t row = (uint32_t)s->recomputes;
    if (memcmp(first->block_s[RECOMPUTED], first->block_s[AS_IT_IS], sizeof first->block_s[0])) {
        balance_row(s, row, &s->fold[0], AS_IT_IS);
        return;
    }
    for (int i = 0; i < s->counts; i++) {
        const int parts = s->count[i];
        balances_of(s, row)[parts] = balances_of(s, 0)[parts];
        memcpy(split_at(s, row, parts), split_at(s, 0, parts),
               2 * (size_t)parts * sizeof *s->split);
    }
}

static void note_parts(struct plan_scratch *s, int parts)
{
    int i = 0;
    while (i < s->counts && s->count[i] != parts)
        i++;
    if (i == s->counts) s->count[s->counts++] = parts;
}

static void count_parts(struct run *r)
{
    struct plan_scratch *s = r->s;
    s->counts = 0;
    for (uint32_t m = 0; m < r->layers->group->members; m++) {
        const struct stage_set *set = r->layers->group->member[m].stages;
        for (uint64_t i = 0; i < set->shapes; i++)
            if (set->shape[i].balanced && !set->shape[i].refused)
                note_parts(s, set->shape[i].parts);
    }
}

/* ---- what all blocks of the model hold ---- */

static void find_inputs_are_less(struct run *r)
{
    const struct family_bounds *bounds = &r->s->family[KEEPS_INPUTS];
    r->inputs_are_less = bounds->any;
    for (int kind = 0; kind < LAYER_KINDS && bounds->any; kind++) {
        const struct layer_fold *layer = bounds->least.layer[kind];
        if (bounds->least.present[kind])
            r->inputs_are_less &=
                layer[RECOMPUTED].saved_total_bytes <= layer[AS_IT_IS].saved_total_bytes;
    }
}

/* The least of all blocks of the model, but for what is not shared out among stages. */
static void sum_model(struct run *r)
{
    const struct plan_scratch *s = r->s;
    const struct rk_model *model = s->problem->model;
    r->model.saved_total_bytes = INFINITY;
    for (int i = 0; i < FAMILIES * TREATMENTS; i++) {
        const struct family_bounds *bounds = &s->family[i / TREATMENTS];
        const double saved_bytes = r->model.saved_total_bytes;
        struct stage_blocks blocks = {.all = (double)model->layers};
        if (!bounds->any) continue;
        layer_count(model, 0, model->layers, blocks.counts[i % TREATMENTS]);
        stage_outline(&r->model, &bounds->least, model, &s->plan, &blocks);
        r->model.saved_total_bytes = smaller(r->model.saved_total_bytes, saved_bytes);
    }
    find_inputs_are_less(r);
    r->model.working_bytes = r->model.buffer_bytes = r->model.block_shapes = 0;
}

static uint64_t *add_layers(uint64_t *to, const struct layer_folds *fold, enum treatment treatment)
{
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        if (fold->present[kind])
            to = add_numbers(to, &fold->layer[kind][treatment].parameters, LAYER_NUMBERS);
    return to;
}

/* Units differ in which layers are how fast; what these hold is often the same. */
static void find_layers_held(struct plan_scratch *s)
{
    bool known;
    uint64_t *end = add_layers(s->numbers, &s->fold[0], AS_IT_IS);
    for (uint64_t i = 0; i < s->recomputes; i++)
        end = add_layers(end, &s->fold[i], RECOMPUTED);
    uint64_t *id = recall_find(&s->layers, s->numbers, (size_t)(end - s->numbers), &known);
    if (!known) *id = ++s->ids;
    s->held = *id;
}

/* ---- what blocks take ---- */

static double fold_s(const struct layer_fold *layer)
{
    double sum_s = 0;
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        sum_s += layer->pass_s[pass];
    return sum_s;
}

/* Neither end is recomputed, but multi-token-prediction layers after the last block may be. */
static void find_block_times(struct block_times *times, const struct layer_folds *fold,
                             const struct rk_model *model)
{
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        for (int i = 0; i < TREATMENTS && fold->present[kind]; i++)
            times->block_s[i][kind] = fold_s(&fold->layer[kind][i]);
    const double *once_s = times->block_s[AS_IT_IS];
    const double predict_s =
        smaller(once_s[LAYER_PREDICT], times->block_s[RECOMPUTED][LAYER_PREDICT]);
    times->ends_s[FIRST_END] = once_s[LAYER_EMBEDDING];
    times->ends_s[LAST_END] = once_s[LAYER_HEAD] + (double)model->predict_layers * predict_s;
}

/* ---- all layers ---- */

void run_fold_layers(struct run *r)
{
    struct plan_scratch *s = r->s;
    const uint64_t *recompute = r->set->all->recompute;
    if (r->folded) return;
    r->folded = true;
    count_parts(r);
    time_layers(&s->timed, s->problem->model, s->problem->system, &s->plan);
    for (int i = 0; i < FAMILIES; i++)
        s->family[i].any = false;
    for (uint32_t i = 0; i < s->recomputes; i++) {
        rk_plan_axis_set(&s->plan, RK_PLAN_RECOMPUTE, recompute[i]);
        (r->visitor->works ? fold_timed : fold_outline)(&s->fold[i], &s->timed, s->problem->system,
                                                        &s->plan);
        note_fold(&s->family[family_of(recompute[i])], &s->fold[i], &s->plan);
        find_block_times(&s->block_s[i], &s->fold[i], s->problem->model);
        balance_row(s, i, &s->fold[i], RECOMPUTED);
        r->visitor->explain->folds++;
    }
    balance_as_it_is(s);
    sum_model(r);
    find_layers_held(s);
    for (int i = 0; i < FAMILIES; i++)
        if (s->family[i].any)
            find_block_times(&s->least_s[i], &s->family[i].least, s->problem->model);
}
