/* Plans over clusters that are given: what the search found costs the same, shares are the best
 * there are, messages of stages of other degrees are whole, and groups divide the ranks of any
 * shape. */
#include "clusters/given.h"
#include "clusters/ranks.h"
#include "clusters/search.h"

#include <criterion/criterion.h>
#include <math.h>
#include <reckon/catalog.h>
#include <reckon/predict.h>
#include <stdlib.h>
#include <string.h>

static struct rk_model model;
static struct rk_machine machine;
static struct clusters_answer answer;
static struct given_plan given;
static struct clusters_plan plan;
static struct given_fault fault;

static struct clusters_question question_of(const char *system, uint64_t batch)
{
    struct rk_error error;
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_machine_load(system, &machine, &error), RK_OK, "%s", error.text);
    struct clusters_question q = {.model = &model, .machine = &machine, .words = rk_plan_default()};
    q.words.batch = batch;
    q.words.zero = 1;
    q.words.sequence_parallel = q.words.gradient_overlap = q.words.weight_overlap = true;
    q.words.messages_sharded = true;
    return q;
}

static void give(const struct clusters_question *q, const struct clusters_plan *from)
{
    given_of(q, from, &given);
}

Test(clusters_given, what_the_search_finds_costs_the_same)
{
    static const char *const systems[] = {"h100-sxm5-80g x32 + a100-sxm4-80g x32 link=100Gb/s@50us",
                                          "h100-sxm5-80g x16 + v100-sxm2-32g x32 link=25Gb/s@500us",
                                          "a100-sxm4-40g x16"};
    for (size_t k = 0; k < sizeof systems / sizeof *systems; k++) {
        const struct clusters_question q = question_of(systems[k], 256);
        cr_assert(clusters_search(&q, &answer));
        give(&q, &answer.best);
        cr_assert(given_judge(&q, &given, &plan, &fault));
        cr_expect_eq(fault.reason.verdict, RK_FITS);
        cr_expect_float_eq(plan.value_s, answer.best.value_s, 1e-12 * plan.value_s);
        cr_expect_float_eq(plan.simulated_s, answer.best.simulated_s, 1e-12 * plan.value_s);
        for (int i = 0; i < plan.stages; i++)
            cr_expect_eq(plan.stage[i].bytes, answer.best.stage[i].bytes);
        rk_machine_release(&machine);
    }
}

/* A host that eight share, on a machine that ends with its nodes: a stage on two has what a run on
 * two has, its size and its rate. */
Test(clusters_given, a_shared_host_is_as_in_a_run_of_as_many)
{
    static const char *const machines[] = {
        "a100-sxm4-80g x16 mem2=40GiB@20GB/s,capacity_shared_by=8,bandwidth_shared_by=8",
        "a100-sxm4-80g x16 mem2=100GiB@20GB/s,capacity_shared_by=8,bandwidth_shared_by=8",
        "a100-sxm4-80g x16 mem2=12.5GiB@2.5GB/s"}; /* a share of it of their own */
    static const uint64_t gpus[] = {2, 4, 8, 16};
    struct rk_prediction *prediction = malloc(sizeof *prediction);
    double before_s[4] = {0};
    int fits = 0;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < 4; i++) {
            struct clusters_question q = question_of(machines[k], 16);
            q.words.tensor = 2;
            q.words.share[RK_SHARE_OPTIMIZER][0] = 1;
            q.words.recompute = RK_WHOLE;
            q.words.attention = RK_FLASH;
            given = (struct given_plan){.round = gpus[i] / 2,
                                        .stages = 1,
                                        .chunks = 1,
                                        .split = {32},
                                        .stage = {{.layers = 32, .parts = 1}}};
            given.stage[0].part[0] = (struct given_part){.data = gpus[i] / 2, .plan = q.words};
            struct rk_plan run = q.words;
            run.ranks = gpus[i];
            rk_predict(&model, &machine.cluster[0].system, &run, prediction);
            cr_assert(given_judge(&q, &given, &plan, &fault));
            cr_expect_eq(fault.reason.verdict, prediction->verdict, "%s on %d", machines[k],
                         (int)gpus[i]);
            if (fault.reason.verdict != RK_FITS)
                cr_expect_eq(fault.reason.have, prediction->reason[0].have);
            fits += fault.reason.verdict == RK_FITS;
            cr_expect_float_eq(plan.value_s, prediction->step_s, 1e-9 * plan.value_s,
                               "%s on %d: %g, %g", machines[k], (int)gpus[i], plan.value_s,
                               prediction->step_s);
            /* of all that is shared fewer have more */
            if (k == 2 && gpus[i] < 8) cr_expect_lt(before_s[i], plan.value_s);
            if (k == 2 && gpus[i] >= 8) cr_expect_eq(before_s[i], plan.value_s);
            before_s[i] = plan.value_s;
            rk_machine_release(&machine);
        }
    cr_expect(fits > 3 && fits < 12, "%d fit", fits);
    free(prediction);
}

Test(clusters_given, what_is_wrong_is_named)
{
    const struct clusters_question q =
        question_of("h100-sxm5-80g x16 + a100-sxm4-80g x16 link=1Gb/s", 256);
    cr_assert(clusters_search(&q, &answer));
    give(&q, &answer.best);
    given.stage[0].part[0].data *= 64;
    given.round *= 64;
    cr_assert(given_judge(&q, &given, &plan, &fault));
    cr_expect_eq(fault.reason.verdict, RK_BAD_DEGREES);
    cr_expect_str_eq(fault.reason.what, "nodes of the cluster");
    give(&q, &answer.best);
    given.round = 3;
    given.stage[0].part[0].data = 2;
    cr_assert(given_judge(&q, &given, &plan, &fault));
    cr_expect_eq(fault.reason.verdict, RK_BAD_BATCH);
    give(&q, &answer.best);
    given.stages = 1;
    given.stage[0].layers = given.split[0] = 32;
    given.stage[0].part[0].data = 1;
    given.stage[0].part[0].plan.tensor = 1;
    given.round = 1;
    cr_assert(given_judge(&q, &given, &plan, &fault));
    cr_expect_eq(fault.reason.verdict, RK_MEMORY_EXCEEDED);
    cr_expect_gt(fault.reason.need, fault.reason.have);
    rk_machine_release(&machine);
}

/* Equal parts of the same kind are one part, but for gradients going through the parts' link. */
Test(clusters_given, a_stage_of_two_kinds)
{
    const struct clusters_question q =
        question_of("h100-sxm5-80g x16 + a100-sxm4-80g x16 link=1000Gb/s@1us", 64);
    memset(&given, 0, sizeof given);
    given = (struct given_plan){.round = 16, .stages = 1, .chunks = 1, .split = {32}};
    given.stage[0].layers = 32;
    given.stage[0].parts = 2;
    for (int k = 0; k < 2; k++) {
        given.stage[0].part[k] = (struct given_part){.cluster = k, .data = 4, .plan = q.words};
        given.stage[0].part[k].plan.tensor = 4;
    }
    cr_assert(given_judge(&q, &given, &plan, &fault));
    cr_expect_eq(fault.reason.verdict, RK_FITS);
    const struct given_part *fast = &given.stage[0].part[0], *slow = &given.stage[0].part[1];
    cr_expect_eq(4 * fast->most + 4 * slow->least, 16); /* 3 and 1, or with a remainder */
    cr_expect_gt(fast->most, slow->most);
    cr_expect_eq(plan.stage[0].data, 8);
    const double mixed_s = plan.stage[0].forward_s + plan.stage[0].backward_s;
    /* all of it on the fast ones takes longer, as it does in halves */
    given.stage[0].parts = 1;
    cr_assert(given_judge(&q, &given, &plan, &fault));
    cr_expect_gt(plan.stage[0].forward_s + plan.stage[0].backward_s, mixed_s);
    rk_machine_release(&machine);
}

/* Each rank of such a stage has a device of its own, in its part's cluster; data groups cross. */
Test(clusters_given, ranks_of_a_stage_of_two_kinds)
{
    const struct clusters_question q =
        question_of("h100-sxm5-80g x16 + a100-sxm4-80g x32 link=1000Gb/s@1us", 64);
    bool taken[2][32] = {{false}};
    memset(&given, 0, sizeof given);
    given = (struct given_plan){.round = 12, .stages = 2, .chunks = 1, .split = {20, 12}};
    given.stage[0] = (struct given_stage){.layers = 20, .parts = 2, .equal = true};
    given.stage[1] = (struct given_stage){.layers = 12, .parts = 1};
    for (int k = 0; k < 3; k++) {
        struct given_part *part = k < 2 ? &given.stage[0].part[k] : &given.stage[1].part[0];
        *part = (struct given_part){
            .cluster = k > 0, .data = (uint64_t[]){2, 4, 4}[k], .plan = q.words};
        part->plan.tensor = 4;
    }
    struct clusters_question asked = q;
    asked.words.batch = 60;
    cr_assert(given_judge(&asked, &given, &plan, &fault));
    cr_expect_eq(fault.reason.verdict, RK_FITS);
    cr_expect(plan.stage[0].even && plan.stage[0].regular);
    cr_expect_eq(clusters_ranks(&plan), 40);
    for (uint64_t rank = 0; rank < 40; rank++) {
        const struct rank_place at = clusters_place(&plan, &machine, rank);
        cr_expect_eq(at.cluster, rank >= 8, "rank %d", (int)rank);
        cr_expect_eq(at.stage, rank >= 24);
        cr_expect_lt(at.node, rk_cluster_nodes(&machine.cluster[at.cluster]));
        cr_expect_not(taken[at.cluster][at.node * 8 + at.device], "rank %d", (int)rank);
        taken[at.cluster][at.node * 8 + at.device] = true;
    }
    cr_expect_not(clusters_groups(&plan, &machine, 0, CLUSTERS_DATA).in_cluster);
    cr_expect(clusters_groups(&plan, &machine, 0, CLUSTERS_TENSOR).in_node);
    cr_expect(clusters_groups(&plan, &machine, 1, CLUSTERS_DATA).in_cluster);
    cr_expect(clusters_crosses(&plan.stage[0], &plan.stage[1]));
    rk_machine_release(&machine);
}

/* ---- shares ---- */

static uint64_t seed = 1;
static uint64_t draw(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

/* The least largest time, over all ways to share. */
static double least_of(int replicas, uint64_t samples, const double *times, uint64_t all)
{
    if (replicas == 1) return times[samples];
    double least = INFINITY;
    for (uint64_t n = 0; n <= samples; n++)
        least =
            fmin(least, fmax(times[n], least_of(replicas - 1, samples - n, times + all + 1, all)));
    return least;
}

Test(clusters_given, shares_are_the_best_there_are)
{
    for (int round = 0; round < 3000; round++) {
        const int replicas = (int)draw(4) + 1;
        const uint64_t samples = draw(7) + 1;
        double times[4 * 8] = {0};
        uint64_t share[4], sum = 0;
        for (int i = 0; i < replicas; i++)
            for (uint64_t n = 1; n <= samples; n++)
                times[(uint64_t)i * (samples + 1) + n] =
                    times[(uint64_t)i * (samples + 1) + n - 1] + (double)draw(100);
        const double most = given_shares(replicas, samples, times, share);
        for (int i = 0; i < replicas; i++)
            sum += share[i];
        cr_expect_eq(sum, samples);
        cr_expect_eq(most, least_of(replicas, samples, times, samples));
    }
    const double nobody[] = {0, INFINITY};
    uint64_t share[1];
    cr_expect(isinf(given_shares(1, 1, nobody, share)));
}

/* ---- messages ---- */

static uint64_t gcd(uint64_t a, uint64_t b)
{
    return b ? gcd(b, a % b) : a;
}

/* By brute force: sample by sample. */
Test(clusters_given, messages_between_stages_of_other_degrees)
{
    for (uint64_t from = 1; from < 40; from++)
        for (uint64_t to = 1; to < 40; to++) {
            const uint64_t round = from / gcd(from, to) * to;
            uint64_t common[40][40] = {{0}}, pairs = 0;
            struct message_pair pair[80];
            for (uint64_t sample = 0; sample < round; sample++)
                pairs += common[sample / (round / from)][sample / (round / to)]++ == 0;
            cr_assert_eq(clusters_pairs(from, to, round, pair), pairs);
            cr_expect_eq(pairs, from + to - gcd(from, to));
            for (uint64_t i = 0; i < pairs; i++)
                cr_expect_eq(pair[i].samples, common[pair[i].from][pair[i].to]);
            cr_expect_eq(clusters_pairs(from, to, 5 * round, NULL), pairs);
        }
}

/* ---- groups ---- */

/* Every rank is once in a group of each kind, and once on a device. */
static void check_groups(int kind)
{
    static int seen[64];
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < plan.stages; i++) {
        const struct group_shape shape =
            clusters_groups(&plan, &machine, i, (enum clusters_group)kind);
        for (uint64_t at = 0; at < shape.groups * shape.members; at++) {
            const uint64_t group = at / shape.members, member = at % shape.members;
            const uint64_t rank = clusters_member(&shape, group, member);
            const struct rank_place here = clusters_place(&plan, &machine, rank);
            const struct rank_place first =
                clusters_place(&plan, &machine, clusters_member(&shape, group, 0));
            cr_assert_eq(here.stage, i);
            cr_assert_eq(here.cluster, plan.stage[i].cluster);
            cr_assert(!shape.in_node || here.node == first.node);
            seen[rank]++;
        }
    }
    for (uint64_t rank = 0; rank < clusters_ranks(&plan); rank++)
        cr_assert_eq(seen[rank], 1);
}

static void check_devices(void)
{
    static bool taken[2][64 * 8];
    memset(taken, 0, sizeof taken);
    for (uint64_t rank = 0; rank < clusters_ranks(&plan); rank++) {
        const struct rank_place at = clusters_place(&plan, &machine, rank);
        bool *device = &taken[at.cluster][at.node * 8 + at.device];
        cr_assert(!*device && at.device < 8 && at.node < 64);
        *device = true;
    }
}

/* All sizes up to 64 in two stages on two clusters, and all ways to divide each: tensor within a
 * node, context, data. */
Test(clusters_given, groups_divide_the_ranks_of_any_shape)
{
    struct rk_error error;
    cr_assert_eq(
        rk_machine_load("h100-sxm5-80g x512 + a100-sxm4-80g x512 link=1Gb/s", &machine, &error),
        RK_OK);
    for (uint64_t n = 2; n <= 64; n++)
        for (uint64_t first = 1; first < n; first++)
            for (uint64_t t = 1; t <= 8; t *= 2)
                for (uint64_t c = 1; t * c <= first; c++) {
                    if (first % (t * c)) continue;
                    plan = (struct clusters_plan){.stages = 2};
                    plan.stage[0] = (struct clusters_stage){.cluster = 1,
                                                            .gpus = first,
                                                            .nodes = (first + 7) / 8,
                                                            .tensor = t,
                                                            .context = c,
                                                            .data = first / t / c};
                    plan.stage[1] = (struct clusters_stage){.gpus = n - first,
                                                            .nodes = (n - first + 7) / 8,
                                                            .tensor = 1,
                                                            .context = n - first,
                                                            .data = 1};
                    check_devices();
                    for (int kind = 0; kind < CLUSTERS_GROUPS; kind++)
                        check_groups(kind);
                }
    rk_machine_release(&machine);
}

/* ---- one stage on both ---- */

/* With a link that hides nothing of a small model, replicas on both kinds are the best plan there
 * is: the search finds it, with more samples for the faster kind; equal shares, and stages in one
 * cluster each, are slower. */
Test(clusters_given, the_search_finds_replicas_on_both)
{
    struct rk_error error;
    struct rk_model small;
    cr_assert_eq(rk_model_load("gpt2-355m", &small, &error), RK_OK);
    cr_assert_eq(
        rk_machine_load("h100-sxm5-80g x8 + a100-sxm4-80g x8 link=6400Gb/s@1us", &machine, &error),
        RK_OK);
    struct clusters_question q = {.model = &small, .machine = &machine, .words = rk_plan_default()};
    q.words.batch = 512;
    q.words.zero = 1;
    q.words.gradient_overlap = q.words.weight_overlap = true;
    cr_assert(clusters_search(&q, &answer));
    cr_expect_eq(answer.best.stages, 1);
    cr_assert_eq(answer.best.stage[0].homes, 2);
    const double best_s = answer.best.value_s;
    cr_expect_eq(answer.proved.value_s, best_s);
    given_of(&q, &answer.best, &given);
    cr_assert(given_judge(&q, &given, &plan, &fault));
    cr_expect_eq(plan.value_s, best_s);
    cr_expect_gt(given.stage[0].part[0].least, given.stage[0].part[1].most);
    given.stage[0].equal = true;
    cr_assert(given_judge(&q, &given, &plan, &fault));
    cr_expect_gt(plan.value_s, best_s);
    q.apart = true;
    cr_assert(clusters_search(&q, &answer));
    cr_expect_eq(answer.best.stage[0].homes, 0);
    cr_expect_gt(answer.proved.value_s, best_s);
    rk_machine_release(&machine);
}

/* ---- interleaved ---- */

/* Few microbatches over a fast link: the simulated plans are tried with several runs of layers, and
 * the fastest of all is the answer, which costs the same when it is given. */
Test(clusters_given, the_search_tries_interleaved_stages)
{
    struct rk_error error;
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_machine_load("h100-sxm5-80g x32 + a100-sxm4-80g x32 link=400Gb/s@10us",
                                 &machine, &error),
                 RK_OK);
    struct clusters_question q = {.model = &model, .machine = &machine, .words = rk_plan_default()};
    q.words.batch = 32;
    q.words.zero = 1;
    q.words.gradient_overlap = q.words.weight_overlap = q.words.sequence_parallel = true;
    q.words.messages_sharded = true;
    q.tensor = true;
    q.words.tensor = 8;
    cr_assert(clusters_search(&q, &answer));
    cr_assert_gt(answer.best.chunks, 1);
    cr_expect_lt(answer.best.simulated_s, answer.straight_s);
    cr_expect_eq(answer.best.microbatches % (uint64_t)answer.best.stages, 0);
    const double best_s = answer.best.simulated_s;
    uint64_t layers = 0;
    for (int i = 0; i < answer.best.chunks * answer.best.stages; i++)
        layers += answer.best.chunk[i].layers;
    cr_expect_eq(layers, model.layers);
    given_of(&q, &answer.best, &given);
    cr_assert(given_judge(&q, &given, &plan, &fault));
    cr_expect_eq(fault.reason.verdict, RK_FITS);
    cr_expect_eq(plan.simulated_s, best_s);
    given.chunks = 1;
    for (int i = 0; i < given.stages; i++)
        given.split[i] = (uint16_t)given.stage[i].layers;
    cr_assert(given_judge(&q, &given, &plan, &fault));
    cr_expect_gt(plan.simulated_s, best_s);
    rk_machine_release(&machine);
}

/* ---- bounds ---- */

static double uniform(void)
{
    return (double)draw(1u << 20) / (1u << 20);
}

/* Uneven pipelines under 1F1B, backward twice forward: the objective is never below the simulation,
 * and two bounds are never above: the slowest stage with what comes before it, and one microbatch
 * through all. RECKON_PIPELINES says how many. */
Test(clusters_given, bounds_hold_on_random_stages)
{
    const char *asked = getenv("RECKON_PIPELINES");
    const long count = asked ? strtol(asked, NULL, 10) : 200000;
    for (long round = 0; round < count; round++) {
        plan.schedule = RK_1F1B;
        plan.chunks = 1;
        plan.stages = (int)draw(6) + 1;
        plan.microbatches = draw(20) + 1;
        double sum = 0, slowest = 0, before = 0, bound = 0, drained = 0, tail = 0;
        for (int i = 0; i < plan.stages; i++) {
            const double f = 0.1 + uniform();
            struct clusters_stage *s = &plan.stage[i];
            *s = (struct clusters_stage){.layers = 1, .forward_s = f, .backward_s = 2 * f};
            if (draw(2)) s->sync_s = 5 * uniform();
            plan.chunk[i] = (struct clusters_chunk){
                .layers = 1, .forward_s = f, .backward_s = 2 * f, .weights_s = f};
            const double all = 3 * f;
            bound = fmax(bound, (double)plan.microbatches * all + before);
            before += all;
            sum += all;
            slowest = fmax(slowest, all);
            tail = fmax(tail, s->sync_s - drained);
            drained += 2 * f;
        }
        const double simulated = clusters_simulate(&plan);
        cr_assert_geq(simulated, fmax(bound, sum) * (1 - 1e-12));
        cr_assert_leq(simulated,
                      (sum + ((double)plan.microbatches - 1) * slowest + tail) * (1 + 1e-12));
    }
}
