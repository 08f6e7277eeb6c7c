/* The simulation against the prediction, on random plans. */
#include "drawn.h"
#include "plans_cases.h"
#include "schedule/flight.h"
#include "timeline/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CASES = DRAWN(700), PLANS = 6 };

struct sample {
    struct plans_case problem;
    struct rk_plan plan;
    struct rk_prediction prediction;
    struct timeline_plan simulated;
    struct timeline timeline;
    uint64_t seed;
};

/* What the space does not offer, but the predictor takes. */
static void change_plan(struct random *r, struct rk_plan *plan)
{
    if (plan->chunks == 1 && one_in(r, 2)) plan->schedule = (enum rk_schedule)below(r, RK_V_ZERO);
    if (plan->chunks == 2 && one_in(r, 2))
        plan->schedule = (enum rk_schedule)(RK_V_ZERO + below(r, 3));
    if (one_in(r, 3)) plan->gradient_overlap = true;
    if (plan->framework == RK_MEGATRON && one_in(r, 2)) plan->bucket = 1;
    if (one_in(r, 4)) plan->head_counts = true;
    if (one_in(r, 8)) plan->pipeline_blocking = true;
}

/* False when the plan cannot be timed. */
static const char *name_of(const struct sample *s);
static bool simulate(struct sample *s)
{
    struct rk_error error;
    rk_predict(&s->problem.model, &s->problem.system, &s->plan, &s->prediction);
    if (!s->prediction.timed) return false;
    cr_assert_eq(timeline_plan_of_plan(&s->simulated, &s->problem.model, &s->problem.system,
                                       &s->plan, &s->prediction, -1, &error),
                 RK_OK, "%s", name_of(s));
    cr_assert_eq(timeline_simulate(&s->simulated, &s->timeline, &error), RK_OK);
    return true;
}

/* What to look at. */
static const char *name_of(const struct sample *s)
{
    static char text[RK_PLAN_TEXT + 32];
    const int used = snprintf(text, sizeof text, "seed %" PRIu64 ", ", s->seed);
    rk_plan_text(&s->plan, text + used, sizeof text - (size_t)used);
    return text;
}

/* Calls `check` for plans of every kind; returns how many. */
static int for_each(void (*check)(const struct sample *s))
{
    const struct drawn cases = drawn_cases(CASES, 20 * CASES);
    static struct sample s;
    int checked = 0;
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        struct random r = {seed * 7919};
        s.seed = seed;
        draw_case(&s.problem, seed, UINT64_MAX);
        struct rk_space *plans = rk_plans_open(&s.problem.problem, NULL);
        const uint64_t count = rk_space_count(plans);
        for (int i = 0; i < PLANS && count; i++) {
            rk_plans_plan(plans, below(&r, count), &s.plan);
            change_plan(&r, &s.plan);
            if (!simulate(&s)) continue;
            check(&s);
            checked++;
            timeline_release(&s.timeline);
            timeline_plan_release(&s.simulated);
        }
        rk_space_close(plans);
        rk_system_release(&s.problem.system);
    }
    return checked;
}

/* ---- what kind of plan ---- */

static bool close(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static bool equal_stages(const struct sample *s)
{
    const struct rk_prediction *p = &s->prediction;
    for (int i = 1; i < p->stages; i++)
        if (!close(p->stage[0].forward_s, p->stage[i].forward_s) ||
            !close(p->stage[0].backward_s, p->stage[i].backward_s))
            return false;
    return true;
}

/* Until the first stage has run its last pass. */
static double pipeline_s(const struct sample *s)
{
    const struct timeline_stage *first = &s->timeline.stage[0];
    const double behind_s = s->simulated.reduces ? first->reduce_s : s->simulated.end[0].gather_s;
    return first->end_s - first->optimizer_s - behind_s;
}

static double predicted_s(const struct sample *s)
{
    const struct rk_prediction *p = &s->prediction;
    const bool dual = s->plan.schedule == RK_DUALPIPE;
    const struct rk_stage *own = &p->stage[p->slowest];
    const struct rk_stage *other = dual ? &p->stage[p->stages - 1 - p->slowest] : own;
    const double m = (double)s->simulated.pipeline.microbatches;
    return m / 2 * (own->forward_s + own->backward_s + other->forward_s + other->backward_s) +
           p->bubble_s + p->pipeline_s;
}

/* ---- what must hold ---- */

static int exact;

/* One stage: the prediction is the simulation, reductions beside backward included. */
static void check_single(const struct sample *s)
{
    const bool halves = zero_bubbles(s->plan.schedule) && s->plan.gradient_overlap;
    const bool buckets = s->plan.gradient_overlap && s->simulated.time_reasons != 0;
    if (s->prediction.stages > 1 || halves || buckets) return;
    exact++;
    cr_assert(close(s->timeline.step_s, s->prediction.step_s), "%s: %.17g, not %.17g", name_of(s),
              s->timeline.step_s, s->prediction.step_s);
}

Test(timeline_prediction, one_stage_is_as_predicted)
{
    cr_assert(drawn_enough(for_each(check_single) > CASES));
    cr_assert(drawn_enough(exact > CASES / 2));
}

/* The parts of a stage are the stage. */
static void check_parts(const struct sample *s)
{
    const uint32_t own = s->plan.schedule == RK_DUALPIPE ? 1 : s->simulated.chunks;
    for (uint32_t i = 0; i < s->simulated.stages; i++) {
        double forward_s = 0, backward_s = 0, halves_s = 0;
        for (uint32_t k = 0; k < own; k++) {
            const struct timeline_chunk *chunk = timeline_chunk_of(&s->simulated, i, k);
            forward_s += chunk->pass[PASS_FORWARD].total_s;
            backward_s += chunk->pass[PASS_BACKWARD].total_s;
            halves_s += chunk->pass[PASS_INPUT_GRAD].total_s;
            halves_s += chunk->pass[PASS_WEIGHT_GRAD].total_s;
        }
        const struct rk_stage *stage = &s->prediction.stage[i];
        cr_assert(close(forward_s, stage->forward_s), "%s", name_of(s));
        cr_assert(backward_s == 0 || close(backward_s, stage->backward_s), "%s", name_of(s));
        cr_assert(halves_s == 0 || close(halves_s, stage->backward_s), "%s", name_of(s));
        cr_assert(backward_s + halves_s > 0 || stage->backward_s == 0, "%s", name_of(s));
    }
}

Test(timeline_prediction, passes_add_up_to_the_stages)
{
    cr_assert(drawn_enough(for_each(check_parts) > CASES));
}

/* How far the pipeline of the simulation may be off the prediction's, by schedule; how far it is
 * stands in docs/timeline.md. GPipe's formula is exact for any stages, that of 1F1B
 * for equal ones. */
static void check_pipeline(const struct sample *s)
{
    const struct rk_plan *plan = &s->plan;
    const double error = pipeline_s(s) / predicted_s(s) - 1;
    if (s->prediction.stages == 1) return;
    const bool even = equal_stages(s), plain = plan->chunks == 1;
    const bool formula =
        (plan->schedule == RK_GPIPE && plain) || (plan->schedule == RK_1F1B && plain && even);
    if (getenv("RECKON_ERRORS"))
        printf("%s%s %d %d %.6g %" PRIu64 "\n", rk_schedule_name(plan->schedule), plain ? "" : "-v",
               even, (int)(s->simulated.microbatches >= s->simulated.stages), 100 * error, s->seed);
    if (formula) {
        exact++;
        cr_assert(fabs(error) < 1e-9, "%s: %g", name_of(s), error);
    }
}

Test(timeline_prediction, pipelines_are_as_predicted)
{
    cr_assert(drawn_enough(for_each(check_pipeline) > CASES));
    cr_assert(drawn_enough(exact > CASES / 20));
}

/* What stages do behind their last pass never ends later than predicted; never a difference without
 * a reason. */
static void check_step(const struct sample *s)
{
    const double extra_s = s->timeline.step_s - pipeline_s(s);
    const double predicted_extra_s = s->prediction.step_s - predicted_s(s);
    if (s->plan.chunks == 1 && s->plan.schedule <= RK_1F1B)
        cr_assert(extra_s <= predicted_extra_s + 1e-9 * s->prediction.step_s,
                  "%s: %g, predicted %g", name_of(s), extra_s, predicted_extra_s);
    if (!close(s->timeline.step_s, s->prediction.step_s))
        cr_assert(s->simulated.time_reasons != 0, "%s", name_of(s));
}

Test(timeline_prediction, ends_are_within_the_prediction)
{
    cr_assert(drawn_enough(for_each(check_step) > CASES));
}

/* One chunk on a stage: the peak is the prediction's. */
static void check_memory(const struct sample *s)
{
    if (s->plan.chunks > 1 || s->plan.schedule == RK_DUALPIPE) return;
    exact++;
    for (int i = 0; i < s->prediction.stages; i++) {
        const double peak = s->timeline.stage[i].peak_bytes[0];
        const double predicted = s->prediction.stage[i].total_bytes;
        cr_assert(close(peak, predicted), "%s, stage %d: %.17g, not %.17g", name_of(s), i, peak,
                  predicted);
    }
}

Test(timeline_prediction, memory_is_as_predicted)
{
    cr_assert(drawn_enough(for_each(check_memory) > CASES));
    cr_assert(drawn_enough(exact > CASES / 2));
}

/* ---- what moves beside it ---- */

static void check_transfers(const char *text, double out_share, double times)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_plan plan;
    struct rk_error error;
    static struct rk_prediction p;
    struct timeline_plan simulated;
    struct timeline_log log = {.events = NULL};
    const struct timeline_window everything = timeline_everything();
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_system_load("a100-sxm4-80g mem2=250GB@20GB/s", &system, &error), RK_OK, "%s",
                 error.text);
    system.kernels.attention_kernels = 0; /* any */
    cr_assert_eq(rk_plan_parse(text, &plan, &error), RK_OK, "%s", error.text);
    rk_predict(&model, &system, &plan, &p);
    cr_assert(p.timed, "%s", text);
    cr_assert_eq(timeline_plan_of_plan(&simulated, &model, &system, &plan, &p, -1, &error), RK_OK);
    cr_assert_eq(timeline_log_open(&simulated, &everything, &log, &error), RK_OK);
    double out_bytes = 0, in_bytes = 0, end_s = 0;
    for (size_t i = 0; i < log.event_count; i++) {
        const struct timeline_event *e = &log.events[i];
        if (e->kind == TIMELINE_EVENT_OUT) out_bytes += e->bytes;
        if (e->kind == TIMELINE_EVENT_IN) in_bytes += e->bytes;
        if (e->end_s > end_s) end_s = e->end_s;
    }
    double written_bytes = 0;
    for (int i = 0; i < p.stages; i++)
        written_bytes += p.stage[i].written_bytes[0];
    cr_expect_float_eq(end_s / p.step_s, 1, 1e-3, "%s", text);
    cr_expect_float_eq(out_bytes / written_bytes, out_share, 1e-9, "%s", text);
    cr_expect_float_eq(in_bytes / out_bytes, times, 1e-9, "%s", text);
    timeline_log_release(&log);
    timeline_plan_release(&simulated);
    rk_system_release(&system);
}

/* What is written in a step goes out, and comes back once, with pipelines and without, in chunks,
 * and through two buffers. */
Test(timeline_prediction, what_is_offloaded_goes_out_and_comes_back)
{
    check_transfers("gpus8 tp2 gbs8 offload-activations=1", 1, 1);
    check_transfers("gpus8 tp2 gbs8 offload-activations=0.25", 1, 1);
    check_transfers("gpus8 tp2 pp4 gbs8 offload-activations=1", 1, 1);
    check_transfers("gpus8 tp2 pp4 vpp2 gbs8 offload-activations=1", 1, 1);
    check_transfers("gpus8 tp2 pp2 gbs8 offload-activations=0.5 recompute-rest", 1, 1);
}

/* ---- chunks of the sequence on the same links ---- */

static bool moves(const struct timeline_event *e)
{
    return e->kind == TIMELINE_EVENT_IN || e->kind == TIMELINE_EVENT_OUT ||
           e->kind == TIMELINE_EVENT_CHUNKS_IN || e->kind == TIMELINE_EVENT_CHUNKS_OUT;
}

/* No link carries two things at a time, nor anything faster than it can; the step is the
 * prediction's, up to what is there without chunks. */
static double step_in_chunks(const char *machine, double rate, const char *text)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_plan plan;
    struct rk_error error;
    static struct rk_prediction p;
    struct timeline_plan simulated;
    struct timeline timeline;
    struct timeline_log log = {.events = NULL};
    const struct timeline_window everything = timeline_everything();
    double free_s[TIMELINE_TRACKS][8] = {{0}}, bytes[TIMELINE_KIND_COUNT] = {0};
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_system_load(machine, &system, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_plan_parse(text, &plan, &error), RK_OK, "%s", error.text);
    rk_predict(&model, &system, &plan, &p);
    cr_assert(p.timed, "%s", text);
    cr_assert_eq(timeline_plan_of_plan(&simulated, &model, &system, &plan, &p, -1, &error), RK_OK);
    cr_assert_eq(timeline_simulate(&simulated, &timeline, &error), RK_OK);
    cr_assert_eq(timeline_log_open(&simulated, &everything, &log, &error), RK_OK);
    for (size_t i = 0; i < log.event_count; i++) {
        const struct timeline_event *e = &log.events[i];
        if (!moves(e)) continue;
        double *free_at_s = &free_s[timeline_track_of(e)][e->stage];
        cr_assert_geq(e->start_s, *free_at_s * (1 - 1e-12), "%s on %s", text, machine);
        cr_assert_leq(e->bytes / (e->end_s - e->start_s), rate * (1 + 1e-9), "%s on %s", text,
                      machine);
        *free_at_s = e->end_s;
        bytes[e->kind] += e->bytes;
    }
    const bool chunks = plan.sequence_chunks > 1;
    cr_expect_eq(bytes[TIMELINE_EVENT_CHUNKS_IN] > 0, chunks);
    cr_expect_eq(bytes[TIMELINE_EVENT_CHUNKS_OUT] > 0, chunks);
    cr_expect_float_eq(timeline.step_s / p.step_s, 1, plan.pipeline > 1 ? 1e-3 : 1e-9, "%s on %s",
                       text, machine);
    timeline_log_release(&log);
    timeline_release(&timeline);
    timeline_plan_release(&simulated);
    rk_system_release(&system);
    return p.step_s;
}

/* Where the link is the limit, inputs of layers take their time on top of the chunks'. */
Test(timeline_prediction, chunks_of_the_sequence_share_the_link)
{
#define CHUNKED                                                                                    \
    "gpus8 cp4 cp-kind=ulysses gbs8 seq131072 recompute=full loss-in-chunks framework="            \
    "deepspeed "
    static const char fast[] = "a100-sxm4-80g mem2=900GB@20GB/s",
                      slow[] = "a100-sxm4-80g mem2=900GB@1GB/s";
    step_in_chunks(fast, 20e9, CHUNKED "zero3 seq-chunks8 offload-activations=1");
    step_in_chunks(fast, 20e9, CHUNKED "zero3 seq-chunks64 offload-activations=0.5");
    step_in_chunks(fast, 20e9, CHUNKED "seq-chunks8 offload-activations=1 pp2 zero1");
    step_in_chunks(slow, 1e9, CHUNKED "zero3 offload-activations=1");
    for (int chunks = 2; chunks <= 64; chunks *= 2) {
        char text[2][256];
        for (int away = 0; away < 2; away++)
            snprintf(text[away], sizeof text[away],
                     CHUNKED "zero3 seq-chunks%d offload-activations=%d", chunks, away);
        const double with_s = step_in_chunks(slow, 1e9, text[1]);
        cr_expect_gt(with_s, step_in_chunks(slow, 1e9, text[0]), "%d", chunks);
    }
}
