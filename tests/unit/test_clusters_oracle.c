/* The search over clusters against enumeration: of a small model on few nodes every plan is written
 * out and judged as one that somebody gives, which is another way through the code. */
#include "clusters/given.h"
#include "clusters/search.h"

#include <criterion/criterion.h>
#include <math.h>
#include <reckon/catalog.h>
#include <stdlib.h>

enum { LAYERS = 4 };

/* What plans may be: bytes that they leave on every GPU; a condition on degrees, and on bytes. */
struct limits {
    double headroom_bytes, most_bytes; /* 0: none */
    bool full_or_two;                  /* everything computed again, or two tensor ranks */
    bool alike;                        /* stages, but for their layers; no activations away */
};

static bool full_or_two(enum rk_recompute_mode mode, uint64_t tensor)
{
    return mode == RK_WHOLE || tensor == 2;
}

struct oracle {
    struct limits limits;
    struct clusters_question question;
    struct given_plan given;
    struct clusters_plan plan;
    double least_s;
    uint64_t judged;
};

/* Of those that are written out here: what place_on and place_offloads choose. */
static bool are_alike(const struct given_plan *given)
{
    const struct given_part *first = &given->stage[0].part[0];
    for (int i = 0; i < given->stages; i++) {
        const struct given_part *part = &given->stage[i].part[0];
        if (part->plan.tensor != first->plan.tensor || part->data != first->data ||
            part->plan.recompute != first->plan.recompute ||
            part->plan.share[RK_SHARE_ATTENTION][0] > 0 ||
            part->plan.share[RK_SHARE_OPTIMIZER][0] != first->plan.share[RK_SHARE_OPTIMIZER][0])
            return false;
    }
    return true;
}

static void judge(struct oracle *o)
{
    struct given_fault fault;
    int first = 0;
    for (int i = 0; i < o->given.stages; i++) {
        o->given.split[i] = (uint16_t)o->given.stage[i].layers;
        first += o->given.stage[i].layers;
    }
    cr_assert_eq(first, LAYERS);
    o->judged++;
    if (o->limits.alike && !are_alike(&o->given)) return;
    cr_assert(given_judge(&o->question, &o->given, &o->plan, &fault));
    if (fault.reason.verdict != RK_FITS) return;
    for (int i = 0; i < o->plan.stages; i++) {
        const struct clusters_stage *s = &o->plan.stage[i];
        const struct limits *l = &o->limits;
        if (s->bytes > s->capacity_bytes - l->headroom_bytes) return;
        if (l->most_bytes > 0 && s->bytes > l->most_bytes) return;
        if (l->full_or_two && !full_or_two(s->recompute, s->tensor)) return;
    }
    o->least_s = fmin(o->least_s, o->plan.value_s);
}

static void place(struct oracle *o, unsigned used, int last, int layers);

/* Every way to offload a stage that is to be the next one; the first is not to. */
static void place_offloads(struct oracle *o, unsigned used, int cluster, int layers)
{
    static const double shares[][2] = {{0, 0}, {0.5, 0}, {1, 0}, {0, 1}, {0.5, 1}, {1, 1}};
    struct given_stage *stage = &o->given.stage[o->given.stages++];
    const bool away = o->question.machine->cluster[cluster].system.memories > 1;
    for (size_t i = 0; i < (away ? sizeof shares / sizeof *shares : 1); i++) {
        plan_offload(&stage->part[0].plan, shares[i][0], shares[i][1]);
        if (stage->layers == layers)
            judge(o);
        else
            place(o, used | 1u << cluster, cluster, layers - stage->layers);
    }
    o->given.stages--;
}

/* Every way to run the next stage, of `count` layers on that cluster. */
static void place_on(struct oracle *o, unsigned used, int cluster, int count, int layers)
{
    const struct clusters_question *q = &o->question;
    const struct rk_cluster *c = &q->machine->cluster[cluster];
    const uint64_t node = rk_cluster_node(c);
    for (uint64_t t = 1; t <= node; t *= 2)
        for (uint64_t d = 1; d * t <= c->system.devices; d++)
            for (int mode = RK_KEEP; mode <= RK_WHOLE; mode++) {
                struct rk_plan own = q->words;
                if (o->given.round % d || (q->tensor && t != q->words.tensor)) continue;
                if (q->recompute && mode != (int)q->words.recompute) continue;
                own.tensor = t;
                own.recompute = (enum rk_recompute_mode)mode;
                own.recompute_parts = clusters_parts(&q->words, own.recompute);
                own.sequence_parallel &= t > 1;
                own.messages_sharded &= t > 1;
                o->given.stage[o->given.stages] =
                    (struct given_stage){.layers = count,
                                         .parts = 1,
                                         .part = {{.cluster = cluster, .data = d, .plan = own}}};
                const bool alone = o->given.stages == 0 && count == layers && t * d > t;
                struct rk_plan *plan = &o->given.stage[o->given.stages].part[0].plan;
                for (; plan->zero <= (alone ? 3 : 1); plan->zero++)
                    place_offloads(o, used, cluster, layers);
            }
}

/* Stages of a cluster follow each other. */
static void place(struct oracle *o, unsigned used, int last, int layers)
{
    for (int cluster = 0; cluster < o->question.machine->clusters; cluster++)
        for (int count = 1; count <= layers; count++)
            if (cluster == last || !(used & 1u << cluster))
                place_on(o, used, cluster, count, layers);
}

static double enumerate(const struct clusters_question *question, const struct limits *limits)
{
    struct oracle *o = calloc(1, sizeof *o);
    o->question = *question;
    o->limits = *limits;
    o->least_s = INFINITY;
    for (uint64_t m = 1; m <= question->words.batch; m++) {
        if (question->words.batch % m) continue;
        o->given = (struct given_plan){.round = question->words.batch / m, .chunks = 1};
        place(o, 0, -1, LAYERS);
    }
    const double least_s = o->least_s;
    cr_assert_gt(o->judged, 1000);
    free(o);
    return least_s;
}

/* ---- the same limits as the search has them ---- */

static bool may_be(void *context, const struct rk_plan *plan, double hbm_bytes)
{
    const struct limits *l = context;
    if (!isnan(hbm_bytes)) return !(l->most_bytes > 0) || hbm_bytes <= l->most_bytes;
    return !l->full_or_two || full_or_two(plan->recompute, plan->tensor);
}

static bool counts(void *context, const struct clusters_question *question,
                   const struct clusters_plan *plan)
{
    const struct limits *l = context;
    (void)question;
    for (int i = 0; i < plan->stages; i++) {
        const struct clusters_stage *s = &plan->stage[i];
        if (l->most_bytes > 0 && s->bytes > l->most_bytes) return false;
        if (l->full_or_two && !full_or_two(s->recompute, s->tensor)) return false;
    }
    return true;
}

/* `tensor` 0: every degree; `keep`: nothing is computed again. Returns the least value. */
static double compare_with(const char *system, enum rk_schedule schedule, uint64_t tensor,
                           bool keep, struct limits limits)
{
    struct rk_model model;
    struct rk_machine machine;
    struct rk_error error;
    struct clusters_answer *answer = calloc(1, sizeof *answer);
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_machine_load(system, &machine, &error), RK_OK, "%s", error.text);
    model.layers = LAYERS;
    struct clusters_question q = {.model = &model, .machine = &machine, .words = rk_plan_default()};
    q.words.batch = 8;
    q.words.zero = 1;
    q.words.sequence_parallel = q.words.gradient_overlap = q.words.weight_overlap = true;
    q.words.messages_sharded = true;
    q.words.schedule = schedule;
    q.context = q.apart = true;
    q.alike = limits.alike ? CLUSTERS_ALIKE_ONLY : CLUSTERS_ANY;
    q.recompute = keep;
    q.tensor = tensor > 0;
    if (tensor) q.words.tensor = tensor;
    const double least_s = enumerate(&q, &limits);
    const struct clusters_filter filter = {&limits, may_be, counts};
    q.filter = &filter;
    for (int i = 0; i < machine.clusters && limits.headroom_bytes > 0; i++)
        q.usable_bytes[i] =
            machine.cluster[i].system.memory[0].capacity_bytes - limits.headroom_bytes;
    cr_assert(clusters_search(&q, answer));
    cr_expect(counts(&limits, &q, &answer->best));
    for (int i = 0; i < answer->best.stages; i++)
        cr_expect_leq(answer->best.stage[i].bytes,
                      answer->best.stage[i].capacity_bytes - limits.headroom_bytes);
    cr_expect_leq(answer->floor_s, answer->best.simulated_s);
    cr_expect_leq(answer->floor_s, least_s);
    cr_expect_geq(answer->floor_s, least_s / 10); /* of so few samples */
    cr_expect_float_eq(answer->proved.value_s, least_s, 1e-9 * least_s, "%s, schedule %d: %g, %g",
                       system, (int)schedule, answer->proved.value_s, least_s);
    rk_machine_release(&machine);
    free(answer);
    return least_s;
}

static void compare(const char *system, enum rk_schedule schedule, uint64_t tensor, bool keep)
{
    compare_with(system, schedule, tensor, keep, (struct limits){.full_or_two = false});
}

/* Two nodes and one; memory that leaves out many of the plans, and more with each in flight. */
#define SMALL                                                                                      \
    "h100-sxm5-80g x4 net0.size=2 hbm=40GiB + a100-sxm4-80g x2 net0.size=2 hbm=48GiB "             \
    "link=100Gb/s@50us"

#define TIGHT(memory)                                                                              \
    "h100-sxm5-80g x4 net0.size=1 hbm=" memory " + a100-sxm4-80g x2 net0.size=1 hbm=" memory       \
    " link=400Gb/s@5us"

Test(clusters_oracle, no_plan_is_better)
{
    compare(SMALL, RK_1F1B, 0, false);
}

Test(clusters_oracle, schedules_keep_more_in_flight)
{
    compare(SMALL, RK_GPIPE, 2, false);
    compare(SMALL, RK_ZERO_BUBBLE, 2, false);
    compare(SMALL, RK_ZERO_BUBBLE_2P, 2, false);
    /* the best by what is in flight of shorter pipelines has no room for its own */
    compare(TIGHT("28GiB"), RK_ZERO_BUBBLE, 1, false);
    compare(TIGHT("18GiB"), RK_ZERO_BUBBLE_2P, 1, false);
    compare(TIGHT("20GiB"), RK_ZERO_BUBBLE_2P, 1, false);
}

/* Each is worth something: plans without the limit are faster, on GPUs with a little more memory.
 */
#define LIMITED                                                                                    \
    "h100-sxm5-80g x4 net0.size=2 hbm=42GiB + a100-sxm4-80g x2 net0.size=2 hbm=48GiB "             \
    "link=100Gb/s@50us"

Test(clusters_oracle, limits_are_kept)
{
    const double all_s = compare_with(LIMITED, RK_1F1B, 0, false, (struct limits){0});
    const struct limits limits[] = {{.headroom_bytes = 12 * 0x1p30},
                                    {.most_bytes = 26 * 0x1p30},
                                    {.full_or_two = true},
                                    {.most_bytes = 30 * 0x1p30, .full_or_two = true}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        cr_expect_gt(compare_with(LIMITED, RK_1F1B, 0, false, limits[i]), all_s, "%zu", i);
}

/* Hosts with memory for what their GPUs, of which the second kind has little, do not take; or with
 * less than that. */
#define HOSTS(memory)                                                                              \
    "gh200-96g x2 net0.size=1 hbm=16GiB mem2=" memory "@450GB/s + "                                \
    "h100-80g-nvl8 x1 net0.size=1 hbm=20GiB mem2=" memory "@50GB/s link=400Gb/s@5us"

Test(clusters_oracle, what_does_not_fit_is_offloaded)
{
    compare("gh200-96g x2 net0.size=1 hbm=16GiB + h100-80g-nvl8 x1 net0.size=1 hbm=20GiB "
            "link=400Gb/s@5us",
            RK_1F1B, 1, true);
    compare(HOSTS("12GiB"), RK_1F1B, 1, true);
    compare(HOSTS("9GiB"), RK_1F1B, 1, true);
}

/* ... of those that a launcher runs; with each other's words they are another plan. */
Test(clusters_oracle, no_plan_of_stages_that_are_alike_is_better)
{
    const struct limits alike = {.alike = true}, any = {.alike = false};
    const char *const machines[] = {SMALL, TIGHT("28GiB"), HOSTS("12GiB")};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        const bool one = i > 0;
        cr_expect_geq(compare_with(machines[i], RK_1F1B, one, one, alike),
                      compare_with(machines[i], RK_1F1B, one, one, any), "%s", machines[i]);
    }
}
