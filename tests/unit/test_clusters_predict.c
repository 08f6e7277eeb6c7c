/* Plans over several clusters as any plan: of drawn plans the words read back as they were, and
 * rk_predict() says what the judge of given plans says, bit by bit; a step is the sum of where its
 * time goes. 100 that are timed, with $RECKON_SLOW 2,000. */
#include "catalog/plan_fields.h"
#include "clusters/predict.h"

#include <criterion/criterion.h>
#include <math.h>
#include <reckon/catalog.h>
#include <reckon/machine.h>
#include <stdlib.h>
#include <string.h>

static const char *const machines[] = {
    "h100-sxm5-80g x32 + a100-sxm4-80g x64 link=100Gb/s@50us",
    "h100-sxm5-80g x16 mem2=1TiB@50GB/s + v100-sxm2-32g x32 link=25Gb/s@500us",
    "a100-sxm4-40g x32 + a100-sxm4-80g x16 + h100-sxm5-80g x16 link=50Gb/s@20us,cap=100Gb/s"};
static const char *const models[] = {"llama3.1-8b", "mixtral-8x7b", "llama2-13b"};

static uint64_t seed = 20261128;
static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static struct rk_plan draw_words(void)
{
    struct rk_plan words = rk_plan_default();
    words.batch = 64 << draw(3);
    words.zero = 1;
    words.sequence_parallel = words.messages_sharded = draw(2);
    words.gradient_overlap = words.weight_overlap = draw(2);
    words.attention = RK_FLASH;
    words.schedule = draw(4) ? RK_1F1B : RK_GPIPE;
    words.microbatch = 1;
    return words;
}

static void draw_part(const struct rk_plan *words, const struct rk_system *system, bool lower,
                      struct given_part *part)
{
    *part = (struct given_part){.cluster = (int)draw((uint64_t)system->machine->clusters),
                                .data = draw(4) ? 1 << draw(3) : 3,
                                .plan = *words};
    part->plan.tensor = 1 << draw(4);
    part->plan.context = 1 << draw(2);
    part->plan.recompute = draw(2) ? RK_WHOLE : RK_KEEP;
    if (lower && rk_system_of(system, part->cluster)->memories > 1)
        part->plan.share[RK_SHARE_OPTIMIZER][0] = (double)draw(3) / 2;
    part->plan.sequence_parallel &= part->plan.tensor > 1;
    part->plan.messages_sharded &= part->plan.tensor > 1;
}

/* Layers dealt at will; now and then replicas of two kinds, and interleaved stages. */
static void draw_plan(const struct rk_model *model, const struct rk_system *system,
                      const struct rk_plan *words, struct given_plan *given)
{
    memset(given, 0, sizeof *given);
    given->stages = 1 + (int)draw(4);
    given->chunks = given->stages > 1 && draw(4) == 0 ? 2 : 1;
    given->round = 4 << draw(3);
    const int parts = given->stages * given->chunks;
    for (int i = 0; i < parts; i++)
        given->split[i] = (uint16_t)(model->layers / (uint64_t)parts);
    given->split[0] = (uint16_t)(given->split[0] + model->layers % (uint64_t)parts);
    for (int i = 0; i < parts; i++)
        given->stage[i % given->stages].layers += given->split[i];
    for (int i = 0; i < given->stages; i++) {
        struct given_stage *stage = &given->stage[i];
        stage->parts = draw(4) ? 1 : 2;
        stage->equal = stage->parts > 1 && draw(2);
        for (int k = 0; k < stage->parts; k++)
            draw_part(words, system, true, &stage->part[k]);
    }
}

/* The plan as its words say it. */
static void read_back(struct rk_plan *plan, int i)
{
    char text[RK_PLAN_TEXT], again[RK_PLAN_TEXT];
    struct plan_draft draft = plan_draft();
    struct plan_fault fault;
    struct rk_error error;
    rk_plan_text(plan, text, sizeof text);
    cr_assert_eq(plan_read_words(text, &draft, &error), RK_OK, "plan %d: %s: %s", i, text,
                 error.text);
    cr_assert(plan_complete(&draft, &fault), "plan %d: %s: %s", i, text, fault.text);
    rk_plan_text(&draft.plan, again, sizeof again);
    cr_expect_str_eq(again, text);
    cr_expect_eq(draft.plan.layout, plan->layout, "plan %d: %s", i, text);
    cr_expect_eq(draft.plan.ranks, plan->ranks, "plan %d: %s", i, text);
    *plan = draft.plan;
}

static double sum_of_times(const struct rk_prediction *p)
{
    double sum = 0;
    for (const struct rk_figure *f = rk_figures(); f->name; f++)
        if (f->time && f->by & RK_BY_RECKON) sum += rk_figure_value(&p->outcome, f);
    return sum;
}

struct drawn {
    struct given_plan given;
    struct clusters_plan judged;
    struct rk_prediction prediction;
};

static void expect_same(const struct drawn *d, const struct given_fault *fault, int i)
{
    const struct rk_prediction *p = &d->prediction;
    cr_expect_eq(p->verdict, fault->reason.verdict, "plan %d", i);
    if (fault->reason.verdict != RK_FITS) {
        cr_expect_eq(p->reason[0].need, fault->reason.need, "plan %d", i);
        cr_expect_eq(p->reason[0].have, fault->reason.have, "plan %d", i);
    }
    if (!p->timed) return;
    cr_expect_eq(p->step_s, d->judged.simulated_s, "plan %d: %.17g, %.17g", i, p->step_s,
                 d->judged.simulated_s);
    for (int k = 0; k < p->stages; k++)
        cr_expect_eq(p->stage[k].total_bytes, d->judged.stage[k].bytes, "plan %d, stage %d", i, k);
    cr_expect_float_eq(sum_of_times(p), p->step_s, 1e-9 * p->step_s, "plan %d: %g, %g", i,
                       sum_of_times(p), p->step_s);
    cr_expect(p->mfu > 0 && p->hfu < 1 && p->mfu <= p->hfu, "plan %d: %g, %g", i, p->mfu, p->hfu);
}

static double capacity_of(const struct rk_system *system, const struct rk_stage *stage)
{
    return rk_system_of(system, stage->cluster)->memory[0].capacity_bytes;
}

/* What the timeline of the plan simulates is its step, and a stage has its own cluster's memory. */
static void expect_timeline(const struct rk_model *model, const struct rk_system *system,
                            const struct rk_plan *plan, const struct rk_prediction *p)
{
    struct timeline_plan timeline = {.tiers = 0};
    struct timeline result = {.stages = 0};
    struct rk_error error;
    cr_assert_eq(step_timeline(&timeline, model, system, plan, p, NULL, -1, &error), RK_OK);
    cr_assert_eq(timeline_simulate(&timeline, &result, &error), RK_OK);
    cr_expect_eq(result.step_s, p->step_s);
    cr_expect_eq(timeline.estimate_s, p->step_s);
    for (int k = 0; k < p->stages; k++)
        cr_expect_eq(timeline.tier[0].capacity_bytes[k], capacity_of(system, &p->stage[k]));
    const struct rk_stage *fullest = &p->stage[result.tightest_stage],
                          *tightest = &p->stage[p->tightest];
    cr_expect_float_eq(fullest->total_bytes / capacity_of(system, fullest),
                       tightest->total_bytes / capacity_of(system, tightest), 1e-9,
                       "stage %u is not as full as stage %d", result.tightest_stage, p->tightest);
    timeline_release(&result);
    timeline_plan_release(&timeline);
}

Test(clusters_predict, drawn_plans_are_predicted_as_they_are_judged)
{
    const int count = getenv("RECKON_SLOW") ? 2000 : 100;
    struct drawn *d = malloc(sizeof *d);
    struct rk_error error;
    int timed = 0, fit = 0, refused = 0;
    for (int i = 0; timed < count && i < 20 * count; i++) {
        struct rk_model model;
        struct rk_system system;
        struct given_fault fault;
        struct rk_plan plan;
        cr_assert_eq(rk_model_load(models[draw(3)], &model, &error), RK_OK);
        cr_assert_eq(rk_system_load_several(machines[draw(3)], &system, &error), RK_OK, "%s",
                     error.text);
        const struct rk_plan words = draw_words();
        draw_plan(&model, &system, &words, &d->given);
        cr_assert(plan_of_given(&words, &d->given, &plan), "plan %d", i);
        read_back(&plan, i);
        const struct clusters_question question = clusters_question_of(&model, &system, &words);
        memset(&d->judged, 0, sizeof d->judged);
        cr_assert(given_judge(&question, &d->given, &d->judged, &fault));
        rk_predict(&model, &system, &plan, &d->prediction);
        expect_same(d, &fault, i);
        if (d->prediction.timed && i % 4 == 0)
            expect_timeline(&model, &system, &plan, &d->prediction);
        timed += d->prediction.timed;
        fit += d->prediction.verdict == RK_FITS;
        refused += !d->prediction.timed;
        rk_system_release(&system);
    }
    cr_expect(timed == count && fit > count / 10 && refused > 0, "%d timed, %d fit, %d refused",
              timed, fit, refused);
    free(d);
}

Test(clusters_predict, what_no_machine_has_is_refused)
{
    static const struct {
        const char *system, *words, *what;
    } cases[] = {
        {"h100-sxm5-80g x16 + a100-sxm4-80g x16 link=25Gb/s", "tp8 gpus32 gbs64",
         "a plan without stages= for a machine of several clusters"},
        {"h100-sxm5-80g x16 + a100-sxm4-80g x16 link=25Gb/s", "gbs64 stages=2:32@2/dp1",
         "the number of a cluster"},
        {"h100-sxm5-80g x16", "gbs64 stages=2:32/dp1", "the number of a cluster"},
        {"h100-sxm5-80g x16 + a100-sxm4-80g x16 link=25Gb/s", "gbs64 stages=2:31/dp1",
         "blocks of all stages"},
    };
    static struct rk_prediction prediction;
    struct rk_error error;
    struct rk_model model;
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rk_system system;
        struct rk_plan plan;
        cr_assert_eq(rk_system_load_several(cases[i].system, &system, &error), RK_OK);
        cr_assert_eq(rk_plan_parse(cases[i].words, &plan, &error), RK_OK, "%s", error.text);
        cr_expect_neq(rk_predict(&model, &system, &plan, &prediction), RK_FITS);
        cr_expect_str_eq(prediction.reason[0].what, cases[i].what);
        rk_system_release(&system);
    }
}

/* Words cannot say it, but a layout can be made by hand. */
Test(clusters_predict, a_layout_out_of_its_bounds_is_refused)
{
    const char *system_text = "h100-sxm5-80g x16 + a100-sxm4-80g x16 link=25Gb/s";
    static struct rk_prediction prediction;
    struct rk_system system;
    struct rk_error error;
    struct rk_model model;
    struct rk_plan plan;
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load_several(system_text, &system, &error), RK_OK);
    cr_assert_eq(
        rk_plan_parse("pp2 gbs64 zero1 stages=16:16/dp16,16@1/dp16 recompute=full", &plan, &error),
        RK_OK);
    const struct rk_layout good = *rk_plan_layout(&plan);
    struct rk_layout crowded = good, far = good, behind = good;
    for (crowded.parts = 0; crowded.parts <= RK_MAX_STAGE_PARTS; crowded.parts++)
        crowded.part[crowded.parts] = good.part[0];
    far.part[1].stage = 2;
    behind.part[0].stage = 1;
    behind.part[1].stage = 0;
    const struct rk_layout *wrong[] = {&crowded, &far, &behind};
    cr_assert_eq(rk_predict(&model, &system, &plan, &prediction), RK_FITS);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        plan.layout = rk_layout_keep(wrong[i]);
        cr_expect_eq(rk_predict(&model, &system, &plan, &prediction), RK_BAD_PIPELINE, "%zu", i);
    }
    rk_system_release(&system);
}

Test(clusters_predict, a_system_of_several_is_copied_whole)
{
    struct rk_system system, copy;
    struct rk_error error;
    cr_assert_eq(rk_system_load_several(machines[2], &system, &error), RK_OK);
    cr_assert_eq(rk_system_copy(&copy, &system, &error), RK_OK);
    cr_expect_eq(copy.devices, 64);
    cr_expect_str_eq(copy.id, machines[2]);
    rk_system_release(&system);
    cr_assert_eq(copy.machine->clusters, 3);
    cr_expect_eq(rk_system_of(&copy, 1)->devices, 16);
    cr_expect_eq(rk_system_of(&copy, 1)->memory[0].capacity_bytes, 79.2 * 0x1p30);
    rk_system_release(&copy);
}
