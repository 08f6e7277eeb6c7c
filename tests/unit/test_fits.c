/* What reckon fits works out: single changes against plans changed by hand, and the plan it chooses
 * against others. */
#include "catalog_cases.h"
#include "cli/fits.h"
#include "cli/plan_axes.h"

#include <math.h>
#include <stdio.h>

struct setting {
    struct plan_input input;
    struct fits_question question; /* of a plan that is chosen */
    struct rk_prediction prediction;
};

static double usable_bytes = INFINITY; /* of a plan that is chosen */

/* With the plan of the words, or the one that is chosen where they are open. */
static void set_up(struct setting *s, const char *model, const char *system, uint64_t gpus,
                   const char *words)
{
    struct plan_source source = {.model = model, .system = system, .gpus = gpus};
    struct rk_error error;
    use_source_catalog();
    plan_axes_prepare();
    *s = (struct setting){.input = {.assumed = ""}, .question = {.room = 1}};
    if (*words) source.words = (struct option_texts){.count = 1, .text = {words}};
    cr_assert_eq(plan_gather(&source, &s->input, &error), RK_OK, "%s", formatted(&error));
    const bool open = fits_is_open(&s->input.draft);
    const double share = usable_bytes / s->input.system.memory[0].capacity_bytes;
    s->question.room = fmin(1, share);
    cr_assert_eq(plan_settle(&source, &s->input, open ? fits_choose : NULL, &s->question, &error),
                 RK_OK, "%s", formatted(&error));
    rk_predict(&s->input.model, &s->input.system, &s->input.draft.plan, &s->prediction);
}

static double need(const struct setting *s, const struct rk_plan *plan)
{
    static struct rk_prediction p;
    rk_predict(&s->input.model, &s->input.system, plan, &p);
    cr_assert(p.timed);
    return p.stage[p.tightest].total_bytes;
}

static int savings(const struct setting *s, struct rk_saving saving[RK_MAX_SAVINGS])
{
    return rk_savings(&s->input.model, &s->input.system, &s->input.draft.plan, &s->prediction,
                      saving);
}

static const struct rk_saving *find(const struct rk_saving *changes, int count, const char *words)
{
    for (int i = 0; i < count; i++)
        if (strcmp(changes[i].words, words) == 0) return &changes[i];
    return NULL;
}

Test(fits, changes_are_the_plans_changed_by_hand)
{
    struct setting s;
    struct rk_saving changes[RK_MAX_SAVINGS];
    set_up(&s, "llama3.1-70b", "h100-sxm5-80g mem2=1TiB@50GB/s", 64,
           "tp4 pp4 zero1 sp mbs2 gbs128");
    const int count = savings(&s, changes);
    const struct rk_plan plan = s.input.draft.plan;
    struct rk_plan tensor = plan, pipeline = plan, zero = plan, micro = plan, full = plan,
                   offload = plan, mlp = plan;
    tensor.tensor = 8;
    pipeline.pipeline = 8;
    zero.zero = 2;
    micro.microbatch = 1;
    full.recompute = RK_WHOLE;
    offload.share[RK_SHARE_OPTIMIZER][0] = 1;
    mlp.recompute = RK_SELECTIVE;
    mlp.recompute_parts = 1u << RK_PART_MLP;
    const struct {
        const char *words;
        const struct rk_plan *plan;
    } by_hand[] = {{"tp8", &tensor},
                   {"pp8", &pipeline},
                   {"zero2", &zero},
                   {"mbs1", &micro},
                   {"recompute=full", &full},
                   {"offload-optimizer", &offload},
                   {"recompute=selective:mlp", &mlp}};
    for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++) {
        const struct rk_saving *change = find(changes, count, by_hand[i].words);
        const double wanted = need(&s, &plan) - need(&s, by_hand[i].plan);
        if (wanted > 0) cr_assert(change, "%s is missing", by_hand[i].words);
        if (change) cr_expect_float_eq(change->saved_bytes, wanted, 1, "%s", by_hand[i].words);
    }
    cr_expect(find(changes, count, "recompute=full"));
    cr_expect_null(find(changes, count, "sp"), "it is on");
    plan_input_release(&s.input);
}

/* What each row says holds, and the order is the one that helps. */
static void check_rows(const struct setting *s, const struct rk_saving *changes, int count)
{
    const double capacity = s->input.system.memory[0].capacity_bytes;
    const double before = s->prediction.stage[s->prediction.tightest].total_bytes;
    const bool fits = s->prediction.verdict == RK_FITS;
    for (int i = 0; i < count; i++) {
        const struct rk_saving *c = &changes[i], *last = i ? c - 1 : NULL;
        cr_expect_gt(c->saved_bytes, 0);
        cr_expect_float_eq(c->saved_bytes + c->need_bytes, before, 1);
        cr_expect_float_eq(c->left_bytes + c->need_bytes, capacity, 1);
        cr_expect_eq(c->fits, c->need_bytes <= capacity, "%s", c->words);
        cr_expect_gt(c->step_s, 0);
        if (!last) continue;
        cr_expect(fits || last->fits >= c->fits, "%s before %s", last->words, c->words);
        if (!fits && last->fits && c->fits) cr_expect_leq(last->step_s, c->step_s);
        if (fits || !last->fits) cr_expect_geq(last->saved_bytes, c->saved_bytes);
    }
}

/* What libraries bring is offered where they can be had, 4 bits below adapters alone, and nothing
 * that no framework starts. */
Test(fits, changes_of_fine_tuning)
{
    static const struct {
        const char *words;
        bool base, moments, loss, narrow; /* narrow: weights in 8 bits need products in them */
    } known[] = {
        {"framework=fsdp lora16 gbs1 seq2048", true, true, true, false},
        {"framework=fsdp lora16 base=nf4-dq gbs1 seq2048", false, true, true, false},
        {"framework=fsdp gbs1 seq2048", false, true, false, false}, /* the step needs the most */
        {"framework=fsdp optimizer=lion gbs1 seq2048", false, false, false, false},
        {"framework=fsdp precision=fp8-current gbs1 seq2048", false, true, false, true},
        {"gbs1 seq2048", false, false, false, false},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct setting s;
        struct rk_saving changes[RK_MAX_SAVINGS];
        set_up(&s, "llama3.1-8b", "h100-sxm5-80g", 1, known[i].words);
        const int count = savings(&s, changes);
        cr_expect_eq(find(changes, count, "base=nf4-dq") != NULL, known[i].base, "%zu", i);
        cr_expect_eq(find(changes, count, "optimizer=adam-8bit") != NULL, known[i].moments, "%zu",
                     i);
        cr_expect_eq(find(changes, count, "loss-in-chunks") != NULL, known[i].loss, "%zu", i);
        cr_expect_eq(find(changes, count, "weights-fp8") != NULL, known[i].narrow, "%zu", i);
        plan_input_release(&s.input);
    }
}

Test(fits, rows_say_what_holds)
{
    static const struct {
        const char *model, *system, *words;
        uint64_t gpus;
    } cases[] = {
        {"llama3.1-70b", "h100-sxm5-80g", "tp8 pp2 zero1", 64},
        {"llama3.1-70b", "h100-sxm5-80g", "tp8 pp2", 64},
        {"llama3.1-8b", "h100-sxm5-80g", "framework=fsdp zero3 mbs4", 8},
        {"mixtral-8x7b", "h100-sxm5-80g", "tp2 pp4 ep8 zero1 recompute=full", 64},
        {"gpt3-175b", "a100-sxm4-80g mem2=512GiB@25GB/s", "tp8 pp16 vpp3 attention=unfused", 1024},
        {"deepseek-v3", "h800-sxm5-80g", "pp16 ep64 etp1 zero1 schedule=dualpipe gbs15360", 2048},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct setting s;
        struct rk_saving changes[RK_MAX_SAVINGS];
        set_up(&s, cases[i].model, cases[i].system, cases[i].gpus, cases[i].words);
        cr_assert(s.prediction.timed, "%s", cases[i].words);
        const int count = savings(&s, changes);
        cr_expect_gt(count, 3, "%s", cases[i].words);
        check_rows(&s, changes, count);
        plan_input_release(&s.input);
    }
}

/* A memory so small that one change is not enough. */
Test(fits, a_pair_where_no_single_change_does)
{
    struct setting s;
    struct rk_saving changes[RK_MAX_SAVINGS], pair;
    bool found = false;
    for (int gib = 20; gib <= 76 && !found; gib += 4) {
        char system[64];
        snprintf(system, sizeof system, "h100-sxm5-80g hbm=%dGiB", gib);
        set_up(&s, "llama3.1-70b", system, 64, "tp4 pp4 zero1 sp mbs2 gbs128");
        const int count = savings(&s, changes);
        bool single = s.prediction.verdict == RK_FITS;
        for (int i = 0; i < count; i++)
            single |= changes[i].fits;
        if (!single && rk_savings_pair(&s.input.model, &s.input.system, &s.input.draft.plan,
                                       &s.prediction, false, &pair)) {
            found = true;
            cr_expect(pair.fits && pair.left_bytes >= 0);
            cr_expect(strchr(pair.words, ' '));
        }
        plan_input_release(&s.input);
    }
    cr_expect(found);
}

/* ---- the plan that is chosen ---- */

/* At least as fast as every plan that fits of a coarse grid. */
Test(fits, what_is_chosen_is_the_fastest_that_fits)
{
    struct setting s;
    set_up(&s, "llama3.1-70b", "h100-sxm5-80g", 64, "");
    cr_assert_eq(s.prediction.verdict, RK_FITS);
    cr_expect(strstr(s.input.assumed, "the fastest that fits"));
    for (uint64_t tensor = 1; tensor <= 8; tensor *= 2)
        for (uint64_t pipeline = 1; pipeline <= 64 / tensor; pipeline *= 2)
            for (int full = 0; full < 2; full++) {
                static struct rk_prediction other;
                struct rk_plan plan = s.input.draft.plan;
                plan.tensor = tensor;
                plan.sequence_parallel = tensor > 1;
                plan.pipeline = pipeline;
                plan.recompute = full ? RK_WHOLE : RK_KEEP;
                if (rk_predict(&s.input.model, &s.input.system, &plan, &other) != RK_FITS) continue;
                cr_expect_leq(s.prediction.step_s, other.step_s);
            }
    plan_input_release(&s.input);
}

/* What fits a small memory fits a larger one. */
Test(fits, more_memory_is_never_slower)
{
    double before = 0;
    for (int gib = 200; gib >= 20; gib -= 30) {
        struct setting s;
        char system[64];
        snprintf(system, sizeof system, "h100-sxm5-80g hbm=%dGiB", gib);
        set_up(&s, "llama3.1-70b", system, 128, "gbs512");
        if (s.prediction.verdict != RK_FITS) break;
        cr_expect_geq(s.prediction.step_s, before);
        before = s.prediction.step_s;
        plan_input_release(&s.input);
    }
    cr_expect_gt(before, 0);
}

Test(fits, what_is_said_stays)
{
    struct setting s;
    set_up(&s, "llama3.1-70b", "h100-sxm5-80g x96", 0,
           "seq=32768 mbs1 gbs384 no-fused framework=deepspeed");
    const struct rk_plan *plan = &s.input.draft.plan;
    cr_expect_eq(plan->ranks, 96);
    cr_expect_eq(plan->sequence, 32768);
    cr_expect_eq(plan->batch, 384);
    cr_expect_not(plan->fused);
    cr_expect_eq(plan->framework, RK_DEEPSPEED);
    struct plan_draft said = plan_draft();
    said.given[plan_row("zero")] = true;
    cr_expect_not(fits_is_open(&said));
    plan_input_release(&s.input);
}

/* Where a plan is looked for in vain, twice the GPUs and so on. */
Test(fits, more_gpus_do)
{
    struct setting s;
    struct rk_found found;
    const struct rk_aim any = {.where = NULL};
    set_up(&s, "llama3.1-70b", "h100-sxm5-80g", 4, "");
    cr_assert_eq(s.prediction.verdict, RK_MEMORY_EXCEEDED);
    cr_assert(rk_choose_ranks(&s.question.problem, &any, true, &found));
    cr_expect_gt(found.plan.ranks, 4);
    cr_expect_eq(found.plan.ranks & (found.plan.ranks - 1), 0);
    cr_expect_eq(found.plan.batch, 4 * found.plan.ranks);
    cr_expect_eq(found.outcome.verdict, RK_FITS);
    plan_input_release(&s.input);
    set_up(&s, "llama3.1-70b", "h100-sxm5-80g x4", 0, "");
    cr_expect_not(rk_choose_ranks(&s.question.problem, &any, true, &found), "there are no more");
    plan_input_release(&s.input);
}

static bool is_member(const struct rk_plans_problem *problem, const struct rk_plan *plan)
{
    struct rk_error error;
    struct rk_space *space = rk_plans_open(problem, &error);
    cr_assert(space, "%s", formatted(&error));
    const uint64_t count = rk_space_count(space);
    bool found = false;
    for (uint64_t i = 0; i < count && !found; i++) {
        struct rk_plan member;
        found = rk_plans_plan(space, i, &member);
        for (int axis = 0; axis < RK_PLAN_AXES && found; axis++)
            found = rk_plan_axis_get(&member, (enum rk_plan_axis)axis) ==
                    rk_plan_axis_get(plan, (enum rk_plan_axis)axis);
    }
    rk_space_close(space);
    return found;
}

/* What is chosen is in the space of a search that pins nothing, and its best where words say
 * nothing: also where nothing fits. */
Test(fits, what_is_chosen_is_a_plan_of_the_search)
{
    static const struct {
        const char *model, *system, *words;
        uint64_t gpus;
    } cases[] = {
        {"llama3.1-8b", "h100-sxm5-80g", "", 8},
        {"llama3.1-70b", "h100-sxm5-80g", "", 8},
        {"llama3.1-70b", "h100-sxm5-80g", "", 4},
        {"llama3.1-8b", "h100-sxm5-80g mem2=1TiB@50GB/s", "framework=fsdp", 8},
        {"mixtral-8x7b", "a100-sxm4-80g", "framework=deepspeed", 8},
        {"gpt3-175b", "a100-80g-nvl8", "framework=calculon", 16},
        {"deepseek-v3", "h800-sxm5-80g", "", 8},
        {"llama3.1-8b", "h100-sxm5-80g", "mbs2 cp-kind=ring", 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct setting s;
        struct rk_plan best;
        struct rk_error error;
        set_up(&s, cases[i].model, cases[i].system, cases[i].gpus, cases[i].words);
        const struct rk_plan *plan = &s.input.draft.plan;
        struct rk_plans_problem all;
        rk_plans_problem_init(&all, &s.input.model, &s.input.system, plan->framework, plan->ranks,
                              4 * plan->ranks * (strstr(cases[i].words, "mbs2") ? 2 : 1), 0);
        cr_expect(is_member(&all, plan), "%s %s", cases[i].model, cases[i].words);
        const bool any = rk_plans_best(&all, &best, NULL, &error) == RK_OK;
        cr_expect(any || s.prediction.verdict == RK_MEMORY_EXCEEDED);
        const bool free_words = !strstr(cases[i].words, "mbs2") && any;
        for (int axis = 0; axis < RK_PLAN_AXES && free_words; axis++)
            cr_expect_eq(rk_plan_axis_get(&best, (enum rk_plan_axis)axis),
                         rk_plan_axis_get(plan, (enum rk_plan_axis)axis), "%s: %s", cases[i].model,
                         rk_plan_axis_info((enum rk_plan_axis)axis)->name);
        plan_input_release(&s.input);
    }
}

/* A chosen plan leaves what is asked for where a plan does; else it is the best that fits. */
Test(fits, what_is_left_free)
{
    const char *words = "gbs256";
    struct setting edge, roomy;
    set_up(&edge, "mixtral-8x7b", "h100-sxm5-80g", 64, words);
    const double taken = edge.prediction.hbm_bytes;
    plan_input_release(&edge.input);
    for (int i = 0; i < 2; i++) {
        usable_bytes = i ? 1e9 : 0.95 * taken;
        set_up(&roomy, "mixtral-8x7b", "h100-sxm5-80g", 64, words);
        cr_expect_eq(roomy.prediction.verdict, RK_FITS);
        if (i)
            cr_expect_eq(roomy.prediction.hbm_bytes, taken);
        else
            cr_expect_leq(roomy.prediction.hbm_bytes, usable_bytes);
        cr_expect_geq(roomy.prediction.step_s, edge.prediction.step_s);
        plan_input_release(&roomy.input);
    }
}
