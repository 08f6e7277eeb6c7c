#include "clusters/given.h"
#include "clusters/price.h"

#include "clusters/costs.h"

#include "clusters/simulate.h"
#include "clusters/told.h"
#include "estimate/predict.h"
#include "machine/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one stage ---- */

struct judging {
    const struct clusters_question *question;
    struct given_plan *given;
    struct given_fault *fault;
    struct fold_shelf shelf;
    struct rk_prediction *prediction;    /* NULL: nobody asks for one */
    double peak_flops;                   /* of all GPUs, for it */
    struct stage_sum paced;              /* the sum of its slowest stage, so far */
    int index;                           /* the stage at hand */
    struct stage_told told[GIVEN_PARTS]; /* of the stage at hand */
};

static bool refuse(struct judging *j, int stage, int part, enum rk_verdict verdict, uint64_t need,
                   uint64_t have, const char *what)
{
    *j->fault = (struct given_fault){
        stage,
        part,
        {.verdict = verdict, .need = (double)need, .have = (double)have, .what = what}};
    return false;
}

static uint64_t part_gpus(const struct given_part *part)
{
    return part->plan.tensor * part->plan.context * part->data;
}

/* A pipeline of two stages like the part. */
static struct rk_plan pair_of(const struct given_part *part, uint64_t samples)
{
    struct rk_plan plan = part->plan;
    plan.pipeline = 2;
    plan.chunks = 1;
    plan.layout = NULL;
    plan.ranks = 2 * part_gpus(part);
    plan.microbatch = samples;
    plan.batch = samples * part->data;
    return plan;
}

/* The layers of chunk `k` of the stage at hand. */
static struct stage_run run_of(const struct judging *j, int k)
{
    const struct given_plan *given = j->given;
    const int part = k * given->stages + j->index;
    int first = 0;
    for (int i = 0; i < part; i++)
        first += given->split[i];
    return (struct stage_run){first, given->split[part],
                              clusters_stage_place(part, given->chunks * given->stages)};
}

/* `chunk` -1: the whole stage. False: no memory, or a fault. */
static bool tell_chunk(struct judging *j, int part, uint64_t samples, int chunk,
                       struct stage_told *told)
{
    const struct given_part *p = &j->given->stage[j->index].part[part];
    const struct rk_plan plan = pair_of(p, samples);
    struct stage_run run[RK_MAX_CHUNKS];
    for (int k = 0; k < j->given->chunks; k++)
        run[k] = run_of(j, k);
    const struct stage_asked asked = {.cluster = p->cluster,
                                      .index = j->index,
                                      .stages = j->given->stages,
                                      .chunks = chunk < 0 ? j->given->chunks : 1,
                                      .run = chunk < 0 ? run : &run[chunk],
                                      .microbatches = j->question->words.batch / j->given->round,
                                      .plan = &plan};
    struct rk_reason reason;
    if (clusters_can_run(j->question, p->cluster, &plan, &reason))
        return clusters_stage_cost(j->question, &j->shelf, &asked, told);
    *j->fault = (struct given_fault){j->index, part, reason};
    return false;
}

static bool tell(struct judging *j, int part, uint64_t samples, struct stage_told *told)
{
    return tell_chunk(j, part, samples, -1, told);
}

/* All replicas alike take the same number of samples. */
static bool share_alike(struct judging *j)
{
    struct given_part *part = &j->given->stage[j->index].part[0];
    if (j->given->round % part->data) {
        return refuse(j, j->index, 0, RK_BAD_BATCH, j->given->round, part->data,
                      "samples of a round");
    }
    part->least = part->most = j->given->round / part->data;
    part->samples = j->given->round;
    return tell(j, 0, part->most, &j->told[0]);
}

/* Time of n samples on a replica of each part, for all n; `limited`: INFINITY where its memory does
 * not do. */
static bool fill_times(struct judging *j, double *times, bool limited)
{
    const struct given_stage *stage = &j->given->stage[j->index];
    const uint64_t round = j->given->round;
    double *row = times;
    for (int k = 0; k < stage->parts; k++) {
        struct stage_told told;
        struct rk_reason reason;
        row[0] = 0;
        for (uint64_t n = 1; n <= round; n++) {
            row[n] = INFINITY;
            if (limited && isinf(row[n - 1])) continue; /* more samples need no less memory */
            if (!tell(j, k, n, &told)) return false;
            if (!limited || !clusters_overfull(j->question, stage->part[k].cluster,
                                               part_gpus(&stage->part[k]), &told.memory, &reason))
                row[n] = fmax(told.cost.time_s, row[n - 1]);
        }
        for (uint64_t i = 1; i < stage->part[k].data; i++)
            memcpy(row + i * (round + 1), row, (round + 1) * sizeof *row);
        row += stage->part[k].data * (round + 1);
    }
    return true;
}

/* The same for all; false: a fault. */
static bool share_equally(struct judging *j, uint64_t replicas, uint64_t *share)
{
    for (uint64_t i = 0; i < replicas; i++)
        share[i] = j->given->round / replicas;
    if (j->given->round % replicas == 0) return true;
    return refuse(j, j->index, 0, RK_BAD_BATCH, j->given->round, replicas, "samples of a round");
}

static bool share_by_speed(struct judging *j, uint64_t replicas, uint64_t *share)
{
    double *times = calloc(replicas * (j->given->round + 1), sizeof *times);
    bool good = times && fill_times(j, times, true);
    if (good && isinf(given_shares((int)replicas, j->given->round, times, share))) {
        good = fill_times(j, times, false); /* too little memory however they are shared */
        given_shares((int)replicas, j->given->round, times, share);
    }
    free(times);
    return good;
}

/* Replicas of several parts. */
static bool share_parts(struct judging *j)
{
    struct given_stage *stage = &j->given->stage[j->index];
    uint64_t replicas = 0, at = 0;
    for (int k = 0; k < stage->parts; k++)
        replicas += stage->part[k].data;
    uint64_t *share = calloc(replicas, sizeof *share);
    bool good = share && (stage->equal ? share_equally(j, replicas, share)
                                       : share_by_speed(j, replicas, share));
    for (int k = 0; good && k < stage->parts; k++) {
        struct given_part *part = &stage->part[k];
        part->least = part->most = share[at];
        part->samples = 0;
        for (uint64_t i = 0; i < part->data; i++, at++) {
            if (share[at] < part->least) part->least = share[at];
            if (share[at] > part->most) part->most = share[at];
            part->samples += share[at];
        }
        good = tell(j, k, part->most ? part->most : 1, &j->told[k]);
        if (good && !part->most) j->told[k].cost.time_s = j->told[k].cost.backward_s = 0;
    }
    free(share);
    return good;
}

/* ---- what parts exchange ---- */

static double nodes_of(const struct rk_machine *machine, int cluster, uint64_t gpus)
{
    return ceil((double)gpus / (double)rk_cluster_node(&machine->cluster[cluster]));
}

/* NCCL's rings go round all replicas of the stage, one ring for each of a replica's GPUs: the rings
 * of the replica that stands last in its cluster cross the link, over that replica's nodes, with
 * 2 (n - 1) / n of all the replica's gradients. */
static double across_s(const struct judging *j)
{
    const struct given_stage *stage = &j->given->stage[j->index];
    const struct rk_machine *machine = j->question->machine;
    double replicas = 0, slowest_s = 0;
    for (int k = 0; k < stage->parts; k++)
        replicas += (double)stage->part[k].data;
    for (int a = 0; a < stage->parts; a++)
        for (int b = 0; b < a; b++) {
            const struct given_part *x = &stage->part[a], *y = &stage->part[b];
            if (x->cluster == y->cluster) continue;
            const struct rk_cluster_link *link = &machine->link[x->cluster][y->cluster];
            const double nodes_x = nodes_of(machine, x->cluster, part_gpus(x) / x->data),
                         nodes_y = nodes_of(machine, y->cluster, part_gpus(y) / y->data);
            const double rate = fmin(fmin(nodes_x, nodes_y) * link->bandwidth_Bps, link->cap_Bps);
            const double bytes = fmax(j->told[a].gradient_bytes * (double)x->plan.tensor,
                                      j->told[b].gradient_bytes * (double)y->plan.tensor);
            slowest_s = fmax(slowest_s, 2 * (replicas - 1) * link->latency_s +
                                            2 * (replicas - 1) / replicas * bytes / rate);
        }
    return slowest_s;
}

/* ---- the plan ---- */

/* The chunks of the stage, as its slowest part runs them. */
static bool fill_chunks(struct judging *j, int slowest, struct clusters_plan *plan)
{
    const struct given_part *part = &j->given->stage[j->index].part[slowest];
    for (int k = 0; k < plan->chunks; k++) {
        struct stage_told told = j->told[slowest];
        if (plan->chunks > 1 && !tell_chunk(j, slowest, part->most ? part->most : 1, k, &told))
            return false;
        plan->chunk[k * plan->stages + j->index] = (struct clusters_chunk){
            .layers = (uint64_t)run_of(j, k).layers,
            .forward_s = told.cost.time_s - told.cost.backward_s,
            .backward_s = told.cost.backward_s,
            .weights_s = told.weights_s,
            .again_s = told.again_s,
        };
    }
    return true;
}

/* What stands for the stage: its first part. */
static struct clusters_stage first_of(const struct judging *j)
{
    const struct given_stage *stage = &j->given->stage[j->index];
    const struct given_part *first = &stage->part[0];
    return (struct clusters_stage){.cluster = first->cluster,
                                   .layers = (uint64_t)stage->layers,
                                   .tensor = first->plan.tensor,
                                   .context = first->plan.context,
                                   .expert = first->plan.expert,
                                   .expert_tensor = first->plan.expert_tensor,
                                   .microbatch = first->most,
                                   .recompute = first->plan.recompute,
                                   .zero = first->plan.zero,
                                   .expert_overlap = first->plan.expert_overlap,
                                   .activations_away = first->plan.share[RK_SHARE_ATTENTION][0],
                                   .optimizer_away =
                                       rk_plan_offloaded(&first->plan, RK_SHARE_OPTIMIZER),
                                   .work = j->told[0].work,
                                   .in_flight = j->told[0].memory.in_flight,
                                   .homes = stage->parts > 1 ? stage->parts : 0,
                                   .even = true,
                                   .regular = true};
}

/* Its GPUs, nodes and price, and whether all parts are like the first. */
static void add_home(const struct judging *j, int k, struct clusters_stage *to)
{
    const struct given_stage *stage = &j->given->stage[j->index];
    const struct given_part *first = &stage->part[0], *part = &stage->part[k];
    const struct rk_cluster *c = &j->question->machine->cluster[part->cluster];
    const uint64_t node = rk_cluster_node(c), gpus = part_gpus(part);
    to->gpus += gpus;
    to->home[k] =
        (struct clusters_home){part->cluster, gpus, (gpus + node - 1) / node, j->told[k].work};
    to->even &= part->least == first->most && part->most == first->most;
    to->regular &=
        part->plan.tensor == first->plan.tensor && part->plan.context == first->plan.context;
    to->price_USDph += (double)gpus * c->price_USDph;
    to->nodes += (gpus + node - 1) / node;
    to->data += part->data;
}

/* The memory of the fullest part. */
static void fill_memory(const struct judging *j, struct clusters_stage *to)
{
    const struct given_stage *stage = &j->given->stage[j->index];
    double fill = -1, full = 0;
    int part = 0;
    for (int k = 0; k < stage->parts; k++) {
        const int cluster = stage->part[k].cluster;
        const struct rk_stage *memory = &j->told[k].memory;
        const double capacity =
            j->question->machine->cluster[cluster].system.memory[0].capacity_bytes;
        struct rk_reason reason;
        if (memory->total_bytes / capacity > fill) {
            fill = memory->total_bytes / capacity;
            to->memory = *memory;
            to->fullest = cluster;
            to->bytes = memory->total_bytes;
            to->capacity_bytes = capacity;
        }
        if (!clusters_overfull(j->question, cluster, part_gpus(&stage->part[k]), memory, &reason) ||
            reason.need / reason.have <= full)
            continue;
        full = reason.need / reason.have;
        to->overfull = reason;
        part = k;
    }
    if (to->overfull.verdict != RK_FITS && j->fault->reason.verdict == RK_FITS)
        *j->fault = (struct given_fault){j->index, part, to->overfull};
}

/* Returns the slowest part. */
static int fill_stage(const struct judging *j, struct clusters_stage *to)
{
    struct given_stage *stage = &j->given->stage[j->index];
    int slowest = 0;
    *to = first_of(j);
    for (int k = 0; k < stage->parts; k++) {
        const struct stage_told *told = &j->told[k];
        stage->part[k].time_s = told->cost.time_s;
        add_home(j, k, to);
        if (told->cost.time_s > j->told[slowest].cost.time_s) slowest = k;
        to->sync_s = fmax(to->sync_s, told->cost.sync_s);
        to->data_link_s = fmax(to->data_link_s, told->data_link_s);
        to->gradient_bytes = fmax(to->gradient_bytes, told->gradient_bytes);
    }
    fill_memory(j, to);
    const double across = stage->parts > 1 ? across_s(j) : 0;
    to->sync_s += across;
    to->data_link_s += across;
    to->backward_s = j->told[slowest].cost.backward_s;
    to->forward_s = j->told[slowest].cost.time_s - to->backward_s;
    return slowest;
}

/* Whole tensor groups in each node, and no more nodes of a cluster than it has. */
static bool enough_nodes(struct judging *j)
{
    uint64_t used[RK_MAX_CLUSTERS] = {0};
    for (int i = 0; i < j->given->stages; i++)
        for (int k = 0; k < j->given->stage[i].parts; k++) {
            const struct given_part *part = &j->given->stage[i].part[k];
            const struct rk_cluster *c = &j->question->machine->cluster[part->cluster];
            const uint64_t node = rk_cluster_node(c);
            used[part->cluster] += (part_gpus(part) + node - 1) / node;
            if (node % part->plan.tensor)
                return refuse(j, i, k, RK_BAD_DEGREES, part->plan.tensor, node,
                              "tensor groups in a node");
            if (used[part->cluster] > rk_cluster_nodes(c))
                return refuse(j, i, k, RK_BAD_DEGREES, used[part->cluster], rk_cluster_nodes(c),
                              "nodes of the cluster");
        }
    return true;
}

/* The objective of chain.h. */
static double value_of(const struct clusters_plan *plan)
{
    double sum_s = 0, slowest_s = 0, drained_s = 0, tail_s = 0;
    for (int i = 0; i < plan->stages; i++) {
        const struct clusters_stage *s = &plan->stage[i];
        const double time_s = s->forward_s + s->backward_s + s->message_s;
        sum_s += time_s;
        slowest_s = fmax(slowest_s, time_s);
        tail_s = fmax(tail_s, s->sync_s - drained_s);
        drained_s += s->backward_s;
    }
    return sum_s + ((double)plan->microbatches - 1) * slowest_s + tail_s;
}

/* FLOP of a step, and what the stage's GPUs could do in a second. */
static void add_work(struct judging *j)
{
    const struct given_stage *stage = &j->given->stage[j->index];
    const struct rk_plan *words = &j->question->words;
    const double rounds = (double)words->batch / (double)j->given->round;
    const enum operand operand = operand_of(words->precision, true);
    for (int k = 0; k < stage->parts; k++) {
        const struct given_part *part = &stage->part[k];
        const double most = part->most ? (double)part->most : 1;
        const double ranks = (double)(part->plan.tensor * part->plan.context);
        work_add(&j->prediction->outcome, &j->told[k].sum,
                 ranks * (double)part->samples / most * rounds, words);
        j->peak_flops +=
            (double)part_gpus(part) *
            operand_peak(&j->question->machine->cluster[part->cluster].system, operand);
    }
}

/* The stage as predictions have it: times of the slowest replica, memory of the fullest. */
static void tell_stage(struct judging *j, const struct clusters_stage *from, int slowest)
{
    struct rk_prediction *p = j->prediction;
    struct rk_stage *to = &p->stage[j->index];
    const struct stage_sum *sum = &j->told[slowest].sum;
    *to = from->memory;
    to->blocks = from->layers;
    to->parameters = sum->parameters + sum->expert_parameters;
    to->forward_s = from->forward_s;
    to->backward_s = from->backward_s;
    to->cluster = from->fullest;
    to->end_s = from->sync_s;
    if (to->offloaded_bytes > p->offload_bytes) p->offload_bytes = to->offloaded_bytes;
    if (to->total_bytes > p->hbm_bytes) p->hbm_bytes = to->total_bytes;
    const struct rk_stage *pace = &p->stage[p->slowest];
    if (j->index && to->forward_s + to->backward_s <= pace->forward_s + pace->backward_s) return;
    p->slowest = j->index;
    j->paced = *sum;
}

static bool judge_stage(struct judging *j, struct clusters_plan *plan)
{
    const bool alike = j->given->stage[j->index].parts == 1;
    if (!(alike ? share_alike(j) : share_parts(j))) return false;
    const int slowest = fill_stage(j, &plan->stage[j->index]);
    if (j->prediction) add_work(j);
    if (j->prediction) tell_stage(j, &plan->stage[j->index], slowest);
    return fill_chunks(j, slowest, plan);
}

/* Samples first ... end - 1 of a round are a part's. */
struct span {
    uint64_t first, end;
};

static struct span span_of(const struct given_stage *stage, int part)
{
    struct span span = {0, 0};
    for (int k = 0; k <= part; k++) {
        span.first = span.end;
        span.end += stage->part[k].samples;
    }
    return span;
}

/* Parts of two stages that have samples in common send them to each other; all do so at once. */
static double boundary_s(const struct judging *j, const struct given_stage *from,
                         const struct given_stage *to)
{
    double slowest_s = 0;
    for (int k = 0; k < from->parts; k++)
        for (int l = 0; l < to->parts; l++) {
            const struct span a = span_of(from, k), b = span_of(to, l);
            const uint64_t first = a.first > b.first ? a.first : b.first;
            const uint64_t end = a.end < b.end ? a.end : b.end;
            const struct given_part *x = &from->part[k], *y = &to->part[l];
            if (end <= first) continue;
            const struct clusters_costs shared = {.question = j->question, .round = end - first};
            const struct stage_width wide = {x->cluster,
                                             (part_gpus(x) * (end - first) + a.end - a.first - 1) /
                                                 (a.end - a.first),
                                             x->plan.messages_sharded ? 1 : x->plan.tensor};
            const struct stage_width there = {y->cluster,
                                              (part_gpus(y) * (end - first) + b.end - b.first - 1) /
                                                  (b.end - b.first),
                                              y->plan.messages_sharded ? 1 : y->plan.tensor};
            slowest_s = fmax(slowest_s, clusters_boundary_s(&shared, &wide, &there));
        }
    return slowest_s;
}

/* From each chunk to the next one, and back. */
static void fill_messages(const struct judging *j, struct clusters_plan *plan)
{
    for (int k = 0; k + 1 < plan->chunks * plan->stages; k++) {
        const int i = k % plan->stages, next = (k + 1) % plan->stages;
        plan->chunk[k].message_s = boundary_s(j, &j->given->stage[i], &j->given->stage[next]);
        plan->stage[i].message_s += plan->chunk[k].message_s;
        if (!j->question->words.pipeline_blocking) continue;
        plan->chunk[k + 1].wait_s = plan->chunk[k].message_s;
        plan->stage[next].message_s += plan->chunk[k].message_s;
    }
}

static bool judge(struct judging *all, struct clusters_plan *plan)
{
    struct judging j = *all;
    const struct clusters_question *question = j.question;
    const struct given_plan *given = j.given;
    struct given_fault *fault = j.fault;
    const struct clusters_costs messages = {.question = question, .round = given->round};
    *fault = (struct given_fault){.reason = {.verdict = RK_FITS}};
    plan->round = given->round;
    plan->microbatches = question->words.batch / given->round;
    plan->message_bytes = clusters_message_bytes(&messages);
    plan->schedule = question->words.schedule;
    plan->stages = given->stages;
    plan->chunks = given->chunks;
    bool good = enough_nodes(&j);
    for (; good && j.index < given->stages; j.index++)
        good = judge_stage(&j, plan);
    fold_shelf_release(&j.shelf);
    if (!good) return fault->reason.verdict != RK_FITS;
    fill_messages(&j, plan);
    plan->stage[0].sync_s +=
        clusters_tie_s(question, plan->stage[0].cluster, plan->stage[plan->stages - 1].cluster);
    plan->value_s = value_of(plan);
    plan->simulated_s = clusters_simulate(plan);
    *all = j;
    return true;
}

bool given_judge(const struct clusters_question *question, struct given_plan *given,
                 struct clusters_plan *plan, struct given_fault *fault)
{
    struct judging j = {.question = question, .given = given, .fault = fault};
    return judge(&j, plan);
}

/* The stage whose memory is the fullest for its size. */
static int tightest_of(const struct clusters_plan *plan)
{
    int most = 0;
    for (int i = 1; i < plan->stages; i++)
        if (plan->stage[i].bytes / plan->stage[i].capacity_bytes >
            plan->stage[most].bytes / plan->stage[most].capacity_bytes)
            most = i;
    return most;
}

/* Where the time of the step goes: the slowest stage's microbatches, its messages, what is waited
 * for at the end, and the rest, which is waiting. */
static void tell_times(const struct judging *j, const struct clusters_plan *plan)
{
    struct rk_prediction *p = j->prediction;
    const double m = (double)plan->microbatches;
    const struct clusters_stage *slowest = &plan->stage[p->slowest];
    double drained_s = 0, tail_s = -INFINITY;
    int last = 0;
    for (int i = 0; i < plan->stages; i++) {
        p->stage[i].message_s = plan->stage[i].message_s;
        p->stage[i].end_s = plan->stage[i].sync_s;
        if (plan->stage[i].sync_s - drained_s > tail_s) last = i;
        tail_s = fmax(tail_s, plan->stage[i].sync_s - drained_s);
        drained_s += plan->stage[i].backward_s;
    }
    microbatches_add(p, &j->paced, m);
    p->step_s = plan->simulated_s;
    p->pipeline_s = clusters_waits(plan) ? m * slowest->message_s : 0;
    p->optimizer_s = fmin(fmax(0, tail_s), plan->stage[last].work.optimizer_s);
    p->data_s += fmax(0, tail_s) - p->optimizer_s;
    p->data_link_s += plan->stage[last].data_link_s;
    p->bubble_s = p->step_s - m * (slowest->forward_s + slowest->backward_s) - p->pipeline_s -
                  fmax(0, tail_s);
}

static void tell_rates(const struct judging *j)
{
    struct rk_prediction *p = j->prediction;
    const struct rk_plan *words = &j->question->words;
    p->samples_per_s = (double)words->batch / p->step_s;
    p->tokens_per_s = p->samples_per_s * rk_tokens_trained(j->question->model, words);
    work_rates(&p->outcome, j->peak_flops);
    p->parameters = (double)rk_model_parameters(j->question->model);
}

bool given_predict(const struct clusters_question *question, struct given_plan *given,
                   struct clusters_plan *plan, struct rk_prediction *p, struct given_fault *fault)
{
    struct judging j = {.question = question, .given = given, .fault = fault, .prediction = p};
    memset(p, 0, sizeof *p);
    p->stages = given->stages;
    if (!judge(&j, plan)) return false;
    p->verdict = fault->reason.verdict;
    p->reasons = p->verdict != RK_FITS;
    p->reason[0] = fault->reason;
    p->timed = p->verdict == RK_FITS || p->verdict == RK_MEMORY_EXCEEDED;
    if (!p->timed) { /* which stage is at fault, and where */
        p->tightest = fault->stage;
        p->stage[fault->stage].cluster = given->stage[fault->stage].part[fault->part].cluster;
        return true;
    }
    p->tightest = tightest_of(plan);
    memcpy(p->holds, p->stage[p->tightest].holds, sizeof p->holds);
    tell_times(&j, plan);
    tell_rates(&j);
    p->step_usd = clusters_price(question->machine, plan);
    return true;
}
