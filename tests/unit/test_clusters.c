/* Plans over several clusters: stages cost what they cost in any plan, and what must not change, or
 * only in one direction, does not. */
#include "clusters/ranks.h"
#include "clusters/search.h"
#include "clusters/told.h"
#include "optimize/chain.h"

#include <criterion/criterion.h>
#include <math.h>
#include <reckon/catalog.h>
#include <reckon/predict.h>
#include <stdlib.h>

static struct rk_model model;
static struct rk_machine machine;
static struct clusters_answer answer;

static struct clusters_question question_of(const char *name, const char *system, uint64_t batch)
{
    struct rk_error error;
    cr_assert_eq(rk_model_load(name, &model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_machine_load(system, &machine, &error), RK_OK, "%s", error.text);
    struct clusters_question q = {.model = &model, .machine = &machine, .words = rk_plan_default()};
    q.words.batch = batch;
    q.words.zero = 1;
    q.words.sequence_parallel = q.words.gradient_overlap = q.words.weight_overlap = true;
    q.words.messages_sharded = true;
    return q;
}

static double best_of(const char *system)
{
    const struct clusters_question q = question_of("llama3.1-8b", system, 256);
    cr_assert(clusters_search(&q, &answer));
    rk_machine_release(&machine);
    return answer.proved.value_s;
}

/* Two stages on 16 GPUs each, samples one by one: as rk_predict has them. */
static void compare_stages(const char *name, const char *system)
{
    struct clusters_question q = question_of(name, system, 256);
    struct clusters_costs costs;
    struct fold_shelf shelf = {.count = 0};
    struct rk_prediction *prediction = calloc(1, sizeof *prediction);
    const uint64_t node = rk_cluster_node(&machine.cluster[0]);
    q.tensor = q.recompute = q.expert = true;
    q.words.tensor = 4;
    cr_assert(clusters_costs_open(&costs, &q, node / 2, &shelf));
    int way = 0;
    while (way < costs.cluster[0].ways && rk_plan_data(&costs.cluster[0].way[way].plan) != node / 2)
        way++;
    cr_assert_lt(way, costs.cluster[0].ways, "%s", name);
    struct rk_plan plan = costs.cluster[0].way[way].plan;
    rk_predict(&model, &machine.cluster[0].system, &plan, prediction);
    const struct chain_problem problem = {.layers = (int)model.layers, .row = costs.row};
    for (int i = 0, first = 0, layers; i < 2; i++, first += layers) {
        layers = (int)rk_plan_split(&plan, &model, (uint64_t)i);
        const struct chain_cost *cost =
            &costs.cluster[0].choice[way].cost[chain_row(&problem, first, layers)];
        const struct rk_stage *stage = &prediction->stage[i];
        const struct stage_run run = {first, layers, i ? CHAIN_LAST : CHAIN_FIRST};
        const struct stage_asked asked = {.index = i,
                                          .stages = 2,
                                          .chunks = 1,
                                          .run = &run,
                                          .microbatches = q.words.batch / (node / 2),
                                          .plan = &plan};
        struct stage_told told;
        cr_assert(clusters_stage_cost(&q, &shelf, &asked, &told));
        cr_expect_float_eq(told.cost.time_s, stage->forward_s + stage->backward_s, 1e-12, "%s",
                           name);
        cr_expect_float_eq(told.cost.backward_s, stage->backward_s, 1e-12, "%s", name);
        cr_expect_float_eq(told.memory.total_bytes, stage->total_bytes, 1, "%s", name);
        if (told.memory.total_bytes > machine.cluster[0].system.memory[0].capacity_bytes) continue;
        cr_expect_float_eq(cost->time_s, told.cost.time_s, 1e-12, "%s", name);
    }
    clusters_costs_release(&costs);
    fold_shelf_release(&shelf);
    rk_machine_release(&machine);
    free(prediction);
}

/* Layers all alike; dense ones in front of mixtures; attention, state spaces and MLPs in turn. */
Test(clusters, stages_cost_what_they_cost_in_any_plan)
{
    compare_stages("llama3.1-8b", "h100-sxm5-80g x32");
    compare_stages("deepseek-v3", "h100-sxm5-80g x32 hbm=2000GiB");
    compare_stages("nemotron-h-8b", "h100-sxm5-80g x32");
}

#define NEW    "h100-sxm5-80g x16"
#define OLD    "a100-sxm4-80g x16"
#define LINKED NEW " + " OLD " link="

Test(clusters, more_never_makes_it_slower)
{
    const double best_s = best_of(LINKED "100Gb/s@50us");
    cr_expect_leq(best_of(LINKED "200Gb/s@50us"), best_s);
    cr_expect_leq(best_of(LINKED "100Gb/s@5us"), best_s);
    cr_expect_leq(best_of("h100-sxm5-80g x24 + " OLD " link=100Gb/s@50us"), best_s);
    cr_expect_leq(best_of(LINKED "100Gb/s@50us"), best_of(NEW));
    cr_expect_geq(best_of(LINKED "100Gb/s@50us,cap=100Gb/s"), best_s);
}

/* Of a machine whose outer network takes latency and bytes over bandwidth, nothing else. */
static double best_of_plain(const char *system, double seconds, double bytes_per_s)
{
    struct clusters_question q = question_of("llama3.1-70b", system, 128);
    for (int i = 0; i < machine.clusters; i++) {
        struct rk_network *outer = &machine.cluster[i].system.network[1];
        outer->bandwidth_Bps = bytes_per_s;
        outer->link = (struct rk_link){.efficiency = 1, .hop_s = seconds};
    }
    machine.link[0][1] = machine.link[1][0] = (struct rk_cluster_link){
        .bandwidth_Bps = 8 * bytes_per_s, .latency_s = seconds, .cap_Bps = INFINITY};
    cr_assert(clusters_search(&q, &answer));
    rk_machine_release(&machine);
    return answer.proved.value_s;
}

/* Two halves whose link is the network between their nodes are the whole, where its best plan has
 * no stage on both; with less between them they are no faster. */
Test(clusters, two_halves_are_the_whole)
{
    const char *const halves = NEW " + " NEW " link=1Gb/s";
    const double whole_s = best_of_plain("h100-sxm5-80g x32", 20e-6, 50e9);
    cr_expect_gt(answer.best.stages, 1);
    cr_expect_float_eq(best_of_plain(halves, 20e-6, 50e9), whole_s, 1e-12 * whole_s);
    cr_expect_leq(best_of_plain(halves, 0, 1e15), whole_s);
}

static bool stops(void *context)
{
    return ++*(int *)context > 3;
}

Test(clusters, a_search_stops_when_it_is_told_to)
{
    struct clusters_question q = question_of("llama3.1-8b", LINKED "100Gb/s@50us", 128);
    int asked = 0;
    q.stopper = &asked;
    q.stopped = stops;
    cr_assert(clusters_search(&q, &answer));
    cr_expect(answer.stopped);
    cr_expect_leq(asked, 5, "%d", asked); /* again where the problem at hand ends */
    cr_expect_eq(answer.problems, 0);
    rk_machine_release(&machine);
}

Test(clusters, order_in_which_they_are_named_does_not_matter)
{
    cr_expect_eq(best_of(LINKED "100Gb/s@50us"), best_of(OLD " + " NEW " link=100Gb/s@50us"));
}

Test(clusters, a_link_of_next_to_nothing_leaves_the_better_one)
{
    const double alone_s = best_of(NEW);
    cr_expect_eq(best_of(LINKED "1kb/s@1s"), alone_s);
    for (int i = 0; i < answer.best.stages; i++)
        cr_expect_eq(answer.best.stage[i].cluster, 0);
}

Test(clusters, the_simulation_is_near)
{
    const double best_s = best_of(LINKED "100Gb/s@50us");
    cr_expect_eq(answer.best.stage[0].cluster != answer.best.stage[answer.best.stages - 1].cluster,
                 true);
    cr_expect_leq(answer.best.simulated_s, answer.best.value_s * (1 + 1e-9));
    cr_expect_geq(answer.best.simulated_s, best_s / 1.27);
    uint64_t layers = 0, nodes[2] = {0};
    for (int i = 0; i < answer.best.stages; i++) {
        const struct clusters_stage *s = &answer.best.stage[i];
        layers += s->layers;
        nodes[s->cluster] += s->nodes;
        cr_expect_eq(s->data * s->microbatch, answer.best.round);
        cr_expect_leq(s->bytes, s->capacity_bytes);
    }
    cr_expect_eq(layers, 32);
    cr_expect(nodes[0] <= 2 && nodes[1] <= 2);
}

/* Tied embeddings cost more where their ends are in different clusters. */
Test(clusters, tied_embeddings_cross_the_link)
{
    struct clusters_question q = question_of("llama3.1-8b", LINKED "8Gb/s@50us", 256);
    cr_expect_eq(clusters_tie_s(&q, 0, 1), 0);
    model.tied_embeddings = true;
    cr_expect_eq(clusters_tie_s(&q, 1, 1), 0);
    /* 128,256 * 4,096 * 4 bytes at 1e9 B/s, 2 * 50 us */
    cr_expect_float_eq(clusters_tie_s(&q, 0, 1), 128256 * 4096.0 * 4 / 1e9 + 1e-4, 1e-12);
    rk_machine_release(&machine);
}

/* Each rank is in one group of each kind; a device has one rank; groups stay in their cluster, and
 * tensor groups in a node. */
Test(clusters, groups_partition_the_ranks)
{
    const char *const systems[] = {LINKED "100Gb/s@50us", NEW " + " NEW " link=10Gb/s",
                                   "a100-sxm4-80g x24 + h100-sxm5-80g x8 link=400Gb/s"};
    for (size_t k = 0; k < sizeof systems / sizeof *systems; k++) {
        const struct clusters_question q = question_of("llama3.1-8b", systems[k], 240);
        cr_assert(clusters_search(&q, &answer));
        const struct clusters_plan *plan = &answer.best;
        const uint64_t ranks = clusters_ranks(plan);
        bool taken[2][64] = {{false}};
        cr_assert_leq(ranks, 64);
        for (uint64_t rank = 0; rank < ranks; rank++) {
            const struct rank_place at = clusters_place(plan, &machine, rank);
            bool *device = &taken[at.cluster][at.node * 8 + at.device];
            cr_expect_lt(at.node, rk_cluster_nodes(&machine.cluster[at.cluster]));
            cr_expect_lt(at.device, 8);
            cr_expect_not(*device);
            *device = true;
        }
        for (int kind = 0; kind < CLUSTERS_GROUPS; kind++) {
            int seen[64] = {0};
            for (int stage = 0; stage < plan->stages; stage++) {
                const struct group_shape shape =
                    clusters_groups(plan, &machine, stage, (enum clusters_group)kind);
                for (uint64_t i = 0; i < shape.groups * shape.members; i++) {
                    const uint64_t group = i / shape.members;
                    const uint64_t rank = clusters_member(&shape, group, i % shape.members);
                    const struct rank_place at = clusters_place(plan, &machine, rank);
                    const struct rank_place first =
                        clusters_place(plan, &machine, clusters_member(&shape, group, 0));
                    cr_expect_eq(at.stage, stage);
                    cr_expect(!shape.in_node || at.node == first.node);
                    cr_expect(kind != CLUSTERS_TENSOR || shape.in_node);
                    seen[rank]++;
                }
            }
            for (uint64_t rank = 0; rank < ranks; rank++)
                cr_expect_eq(seen[rank], 1);
        }
        rk_machine_release(&machine);
    }
}
