/* Plans whose layers are run in several ways, for tools that run them alike, and as strategy files:
 * what can be said comes back with the same prediction, and what cannot is named. */
#include "catalog_cases.h"
#include "galvatron/convert.h"
#include "keys/flat.h"
#include "layouts.h"

#include <math.h>
#include <reckon/catalog.h>
#include <reckon/predict.h>
#include <stdlib.h>

static struct rk_model model;
static struct rk_system machine;
static struct rk_prediction a, b;
static struct notes notes;
static unsigned seed = 16;

static int below(int n)
{
    return rand_r(&seed) % n;
}

static void load(void)
{
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("a100-sxm4-80g", &machine, &error), RK_OK);
    machine.kernels.attention_kernels = 0; /* any */
}

static struct rk_plan plan_on(uint64_t ranks)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = ranks;
    plan.batch = 64;
    plan.gradient_overlap = plan.weight_overlap = true;
    return plan;
}

/* Each stage computes its first layers again, as many in each: as without runs, but that the
 * gradients of a run are hidden behind its own computing alone. */
Test(flat, first_layers_of_each_stage)
{
    load();
    for (int round = 0; round < 60; round++) {
        struct rk_plan plan = plan_on(16);
        plan.pipeline = 1u << below(3);
        edit(&plan)->splits = plan.pipeline > 1 ? (int)plan.pipeline : 0;
        const int per = 32 / (int)plan.pipeline, again = 1 + below(per - 1);
        edit(&plan)->others = 1;
        edit(&plan)->other[0] = plan.local;
        edit(&plan)->other[0].recompute = RK_WHOLE;
        for (int k = 0; k < (int)plan.pipeline; k++) {
            edit(&plan)->split[k] = (uint16_t)per;
            edit(&plan)->segment[edit(&plan)->segments++] = (struct rk_segment){(uint16_t)again, 1};
            edit(&plan)->segment[edit(&plan)->segments++] =
                (struct rk_segment){(uint16_t)(per - again), 0};
        }
        const struct rk_plan flat = flat_plan(&model, &plan);
        notes.count = 0;
        layers_compare(&model, &plan, &flat, "it", &notes);
        cr_expect_eq(notes.count, 0, "%s: %s", notes.note[0].what, notes.note[0].have);
        cr_expect_eq(rk_plan_layout(&flat)->segments, 0);
        cr_expect_eq((int)flat.recompute_layers, (int)again);
        rk_predict(&model, &machine, &plan, &a);
        rk_predict(&model, &machine, &flat, &b);
        cr_assert(a.timed && b.timed);
        cr_expect_float_eq(a.step_s, b.step_s, 5e-3 * a.step_s, "round %d", round);
        for (int k = 0; k < a.stages; k++)
            cr_expect_float_eq(a.stage[k].total_bytes, b.stage[k].total_bytes,
                               1e-6 * a.stage[k].total_bytes, "round %d", round);
    }
    rk_system_release(&machine);
}

/* Nothing is lost without a word: random runs are as the flat plan has them, or named. */
Test(flat, all_losses_are_named)
{
    load();
    for (int round = 0; round < 200; round++) {
        struct rk_plan plan = plan_on(16);
        edit(&plan)->others = 3;
        for (int i = 0; i < 3; i++) {
            edit(&plan)->other[i] = plan.local;
            edit(&plan)->other[i].zero = below(4);
            edit(&plan)->other[i].recompute = below(2) ? RK_WHOLE : RK_KEEP;
        }
        for (int left = 32; left > 0;
             left -= rk_plan_layout(&plan)->segment[edit(&plan)->segments++].layers)
            edit(&plan)->segment[rk_plan_layout(&plan)->segments] =
                (struct rk_segment){(uint16_t)(1 + below(left)), (uint16_t)below(4)};
        const struct rk_plan flat = flat_plan(&model, &plan);
        notes.count = 0;
        layers_compare(&model, &plan, &flat, "it", &notes);
        int odd = 0, first = 0;
        for (int i = 0; i < rk_plan_layout(&plan)->segments;
             first += rk_plan_layout(&plan)->segment[i++].layers) {
            const int local = rk_plan_layout(&plan)->segment[i].local;
            const struct rk_local *own =
                local ? &rk_plan_layout(&plan)->other[local - 1] : &plan.local;
            const int again = flat.recompute != RK_WHOLE ? 0
                              : flat.recompute_layers    ? (int)flat.recompute_layers
                                                         : 32;
            const int end = first + rk_plan_layout(&plan)->segment[i].layers;
            odd += own->zero != flat.zero;
            odd += own->recompute == RK_WHOLE ? end > again : first < again;
        }
        cr_expect_eq(notes.count > 0, odd > 0 || plan.zero != flat.zero, "round %d", round);
    }
    rk_system_release(&machine);
}

/* One way of a layer that a strategy file can say. */
static void draw_way(struct rk_local *local, const struct rk_local *like, bool sharded)
{
    *local = *like;
    const uint64_t split = UINT64_C(1) << below(3);
    const bool ulysses = below(2);
    local->tensor = ulysses ? 1 : split;
    local->sequence_parallel = local->tensor > 1;
    local->context = ulysses ? split : 1;
    local->context_kind = local->context > 1 ? RK_ULYSSES : RK_RING;
    local->zero = below(2) ? 3 : sharded ? 2 : 0;
    local->recompute = below(2) ? RK_WHOLE : RK_KEEP;
    local->microbatch = split;
}

/* Written as a strategy file, read back, said as a plan: predicted alike. */
Test(flat, strategy_files_come_back)
{
    int timed = 0;
    load();
    for (int round = 0; round < 120; round++) {
        struct rk_plan plan = plan_on(16), run, back;
        struct galvatron_question question;
        struct galvatron_answer answer;
        struct galvatron_file file = {.layer = NULL};
        struct document document = {.text = NULL};
        struct rk_error error;
        const bool sharded = below(2);
        plan.pipeline = 1u << below(3);
        draw_way(&plan.local, &plan.local, sharded);
        plan.recompute = RK_KEEP;
        edit(&plan)->others = 1 + below(3);
        for (int i = 0; i < rk_plan_layout(&plan)->others; i++)
            draw_way(&edit(&plan)->other[i], &plan.local, sharded);
        for (int left = 32; left > 0;
             left -= rk_plan_layout(&plan)->segment[edit(&plan)->segments++].layers)
            edit(&plan)->segment[rk_plan_layout(&plan)->segments] = (struct rk_segment){
                (uint16_t)(1 + below(left)), (uint16_t)below(rk_plan_layout(&plan)->others + 1)};
        if (plan.pipeline == 2) {
            edit(&plan)->splits = 2;
            edit(&plan)->split[0] = (uint16_t)(1 + below(31));
            edit(&plan)->split[1] = (uint16_t)(32 - rk_plan_layout(&plan)->split[0]);
        }
        cr_assert_eq(galvatron_of_plan(&model, &plan, &question, &answer, &run, &error), RK_OK,
                     "%s", error.text);
        json_t *json = galvatron_strategy_json(&question, &answer, true);
        char *text = json_dumps(json, 0);
        cr_assert_eq(document_parse("file", text, strlen(text), &document, &error), RK_OK);
        const struct place root = place_root(&document);
        cr_assert_eq(galvatron_strategy_read(&root, &file, &error), RK_OK, "%s", error.text);
        cr_assert_eq(galvatron_plan_of(&file, &back, &error), RK_OK, "%s", error.text);
        notes.count = 0;
        layers_compare(&model, &plan, &back, "it", &notes);
        /* of one data rank the file does not say how it is sharded */
        for (int i = 0; i < notes.count; i++)
            cr_expect(strstr(notes.note[i].what, "zero"), "round %d: %s", round,
                      notes.note[i].what);
        rk_predict(&model, &machine, &plan, &a);
        rk_predict(&model, &machine, &back, &b);
        cr_expect_eq(a.timed, b.timed);
        timed += a.timed;
        if (!notes.count && a.timed) cr_expect_eq(a.step_s, b.step_s, "round %d", round);
        free(text);
        json_decref(json);
        document_release(&document);
        galvatron_file_release(&file);
        galvatron_answer_release(&answer);
    }
    cr_expect_gt(timed, 80);
    rk_system_release(&machine);
}
