#include "advise/worth.h"

#include <string.h>

struct walk {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_plan *a, *b;
    const struct plan_launch *launch;
    struct plan_worths *w;
    struct rk_prediction *scratch;
};

struct plan_judgement plan_judge(const struct rk_model *model, const struct rk_system *system,
                                 const struct rk_plan *plan, struct rk_prediction *scratch)
{
    rk_predict(model, system, plan, scratch);
    return (struct plan_judgement){
        .verdict = scratch->verdict,
        .timed = scratch->timed,
        .step_s = scratch->timed ? scratch->step_s : 0,
        .need_bytes = scratch->timed ? scratch->stage[scratch->tightest].total_bytes : 0,
    };
}

static struct plan_judgement judge(const struct walk *walk, const struct rk_plan *plan)
{
    return plan_judge(walk->model, walk->system, plan, walk->scratch);
}

/* ... of a plan that is neither of the two. */
static struct plan_judgement judge_between(const struct walk *walk, const struct rk_plan *plan)
{
    const struct plan_judgement j = judge(walk, plan);
    if (!j.timed || !walk->launch || walk->launch->may(walk->launch->context, plan)) return j;
    return (struct plan_judgement){.verdict = RK_BAD_OPTION};
}

/* `from` with the keys of these worths as `to` has them. */
static struct rk_plan take(const struct walk *walk, const struct rk_plan *from,
                           const struct rk_plan *to, uint64_t keys)
{
    struct rk_plan plan = *from;
    for (int i = 0; i < walk->w->count; i++)
        if (keys >> i & 1) plan_take(&plan, to, walk->w->worth[i].difference.row);
    return plan;
}

/* The split, the schedule's parts and the like belong together: taking one takes them all. */
static void judge_each(const struct walk *walk)
{
    struct plan_worths *w = walk->w;
    for (int i = 0; i < w->count; i++) {
        const uint64_t key = UINT64_C(1) << i;
        const struct rk_plan alone = take(walk, walk->a, walk->b, key);
        const struct rk_plan without = take(walk, walk->b, walk->a, key);
        w->worth[i].alone = judge_between(walk, &alone);
        w->worth[i].without = judge_between(walk, &without);
    }
}

static bool better(const struct plan_judgement *x, const struct plan_judgement *best)
{
    if (x->verdict != RK_FITS) return false;
    return best->verdict != RK_FITS || !best->timed || x->step_s < best->step_s;
}

enum { MOST_TOGETHER = 3 };

/* A choice of keys on the way, and the best so far. */
struct choice {
    const struct rk_plan *at;
    uint64_t left, keys;
    struct plan_judgement best;
};

static void try_keys(const struct walk *walk, struct choice *choice, uint64_t keys)
{
    const struct rk_plan plan = take(walk, choice->at, walk->b, keys);
    struct plan_judgement j = judge(walk, &plan);
    if (better(&j, &choice->best)) j = judge_between(walk, &plan); /* asked where it matters */
    if (!better(&j, &choice->best)) return;
    choice->best = j;
    choice->keys = keys;
}

/* All sets of `size` more keys, from the `first` on. */
static void try_sets(const struct walk *walk, struct choice *choice, uint64_t keys, int first,
                     int size)
{
    if (size == 0) {
        try_keys(walk, choice, keys);
        return;
    }
    for (int i = first; i < walk->w->count; i++)
        if (choice->left >> i & 1) try_sets(walk, choice, keys | UINT64_C(1) << i, i + 1, size - 1);
}

/* The key that helps most; where none does, two or three that do together; else the key that costs
 * least, and all of them at once when no single one can run. */
static uint64_t choose(const struct walk *walk, const struct rk_plan *at, uint64_t left,
                       const struct plan_judgement *before, struct plan_judgement *judgement)
{
    struct choice first = {.left = 0};
    for (int size = 1; size <= MOST_TOGETHER; size++) {
        struct choice choice = {at, left, 0, {.verdict = RK_BAD_OPTION}};
        try_sets(walk, &choice, 0, 0, size);
        const bool helps = choice.keys && before->timed && choice.best.step_s <= before->step_s;
        if (!first.keys) first = choice;
        if (helps || (choice.keys && before->verdict != RK_FITS)) {
            *judgement = choice.best;
            return choice.keys;
        }
    }
    *judgement = first.keys ? first.best : walk->w->b;
    return first.keys ? first.keys : left;
}

/* Keys that mean nothing without each other count as one, under the first of their names. */
static const char *const *family_of(int row)
{
    return plan_family(plan_fields[row].key, false);
}

static bool same_key(int a, int b)
{
    return a == b || (family_of(a) && family_of(a) == family_of(b));
}

/* Keys that a step made the same on the way, by being taken with others. */
static uint64_t still_different(const struct walk *walk, const struct rk_plan *at, uint64_t left)
{
    struct plan_difference list[PLAN_MAX_FIELDS];
    const struct rk_plan plan = plan_canonical(walk->model, at);
    const int count = plan_compare(&plan, walk->b, list);
    uint64_t different = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < walk->w->count; k++)
            if (same_key(walk->w->worth[k].difference.row, list[i].row))
                different |= UINT64_C(1) << k;
    return left & different;
}

static void find_path(const struct walk *walk)
{
    struct plan_worths *w = walk->w;
    struct rk_plan at = *walk->a;
    uint64_t left = w->count == 64 ? UINT64_MAX : (UINT64_C(1) << w->count) - 1;
    for (w->steps = 0; left && w->steps < PLAN_MAX_FIELDS;) {
        struct plan_path_step *step = &w->step[w->steps++];
        const uint64_t different = left;
        const struct plan_judgement before = w->steps > 1 ? step[-1].after : w->a;
        const uint64_t keys = choose(walk, &at, left, &before, &step->after);
        at = take(walk, &at, walk->b, keys);
        left = still_different(walk, &at, left & ~keys);
        step->keys = different & ~left;
    }
    if (w->steps) w->step[w->steps - 1].after = w->b; /* whatever had to go with others */
}

/* "selective, recompute_parts moe_act": what is not as a plan has it by itself. */
static void family_text(const char *const *family, const struct rk_plan *plan,
                        char text[static PLAN_VALUE])
{
    const struct rk_plan preset = rk_plan_default();
    plan_value_text(plan, plan_row(family[0]), text);
    for (int k = 1; family[k]; k++) {
        char value[PLAN_VALUE], usual[PLAN_VALUE];
        const int row = plan_row(family[k]);
        const size_t used = strlen(text);
        plan_value_text(plan, row, value);
        if (strcmp(value, plan_value_text(&preset, row, usual)) != 0)
            snprintf(text + used, PLAN_VALUE - used, ", %s %s", family[k], value);
    }
}

/* Is the row part of a family that is already listed? If it begins one, the family is listed. */
static bool joins(struct plan_worths *w, const struct rk_plan *a, const struct rk_plan *b, int row)
{
    const char *const *family = family_of(row);
    if (!family || rk_plan_layout(a)->parts) return false; /* stages say all there is of them */
    for (int i = 0; i < w->count; i++)
        if (family_of(w->worth[i].difference.row) == family) return true;
    struct plan_difference *difference = &w->worth[w->count++].difference;
    difference->row = plan_row(family[0]);
    family_text(family, a, difference->a);
    family_text(family, b, difference->b);
    return true;
}

void plan_worths(const struct rk_model *model, const struct rk_system *system,
                 const struct rk_plan *a, const struct rk_plan *b, const struct plan_launch *launch,
                 struct plan_worths *worths, struct rk_prediction *scratch)
{
    struct plan_difference list[PLAN_MAX_FIELDS];
    const struct walk walk = {model, system, a, b, launch, worths, scratch};
    worths->count = 0;
    const int count = plan_compare(a, b, list);
    for (int i = 0; i < count; i++)
        if (!joins(worths, a, b, list[i].row))
            worths->worth[worths->count++] = (struct plan_worth){.difference = list[i]};
    worths->a = judge(&walk, a);
    worths->b = judge(&walk, b);
    judge_each(&walk);
    find_path(&walk);
}
