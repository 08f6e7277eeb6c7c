#include "advise/switching.h"

#include "estimate/fold.h"
#include "estimate/stages.h"
#include "plan/layers.h"

#include <math.h>

struct range {
    double low, high;
};

static double length(struct range a)
{
    return a.high - a.low;
}

static double common(struct range a, struct range b)
{
    return fmax(0, fmin(a.high, b.high) - fmax(a.low, b.low));
}

/* A part of the `index`-th of `count` in a range. */
static struct range part_of(struct range whole, uint64_t index, uint64_t count)
{
    const double each = length(whole) / (double)count;
    return (struct range){whole.low + each * (double)index, whole.low + each * (double)(index + 1)};
}

struct box {
    struct range layers, slice;
};

static double overlap(const struct box *a, const struct box *b)
{
    return common(a->layers, b->layers) * common(a->slice, b->slice);
}

static double volume(const struct box *box)
{
    return length(box->layers) * length(box->slice);
}

/* What a rank has of weights and of optimizer state: of dense parameters [0], of experts' [1]. */
struct holding {
    struct box weights[2], optimizer[2];
};

static struct holding holding_of(const struct rk_model *model, const struct rk_plan *plan,
                                 const struct rank_map *map, uint64_t rank)
{
    static const enum rank_groups shards[] = {RANKS_OF_SHARDS, RANKS_OF_EXPERT_SHARDS};
    struct holding holding;
    uint64_t first = 0;
    const uint64_t stage = rank_position(map, RANKS_OF_PIPELINE, rank);
    for (uint64_t i = 0; i < stage; i++)
        first += rk_plan_split(plan, model, i);
    const double layers = (double)rk_plan_split(plan, model, stage);
    for (int expert = 0; expert < 2; expert++) {
        const uint64_t split = expert ? plan->expert * rk_plan_expert_tensor(plan) : plan->tensor;
        const uint64_t at =
            expert ? rank_position(map, RANKS_OF_EXPERT, rank) * rk_plan_expert_tensor(plan) +
                         rank_position(map, RANKS_OF_EXPERT_TENSOR, rank)
                   : rank_position(map, RANKS_OF_TENSOR, rank);
        const uint64_t sharers = ranks_of_group(map, shards[expert]);
        const uint64_t shard = rank_position(map, shards[expert], rank);
        const struct box whole = {{(double)first, (double)first + layers},
                                  part_of((struct range){0, 1}, at, split)};
        struct box mine = whole;
        mine.layers = part_of(whole.layers, shard, sharers);
        holding.weights[expert] = plan->zero >= 3 ? mine : whole;
        holding.optimizer[expert] = plan->zero >= 1 ? mine : whole;
    }
    return holding;
}

/* Parameters of a layer, dense and of experts, in the mean. */
static void mean_layer(const struct rk_model *model, const struct rk_system *system, double mean[2])
{
    double counts[LAYER_KINDS] = {0};
    struct layer_folds fold;
    struct rk_plan plan = rk_plan_default();
    mean[0] = mean[1] = 0;
    fold_layers(&fold, model, system, &plan);
    layer_count(model, 0, model->layers, counts);
    for (int i = 0; i < fold.blocks; i++) {
        const struct layer_fold *layer = &fold.layer[fold.block[i]][AS_IT_IS];
        mean[0] += counts[fold.block[i]] * layer->parameters / (double)model->layers;
        mean[1] += counts[fold.block[i]] * layer->expert_parameters / (double)model->layers;
    }
}

/* Virtual stages of a rank are told apart by their first one alone. */
static struct rk_plan plain(const struct rk_plan *plan)
{
    struct rk_plan p = plan_alike(plan);
    p.chunks = 1;
    if (plan->chunks > 1) plan_be_even(&p);
    return p;
}

/* ---- over several clusters ---- */

/* Seconds in which a rank of a cluster receives a byte from another one, whose node's NIC all ranks
 * of the node share. */
static double slowest_byte_s(const struct rk_machine *machine)
{
    double byte_s = 0;
    for (int i = 0; i < machine->clusters; i++)
        for (int k = 0; k < machine->clusters; k++)
            if (i != k)
                byte_s = fmax(byte_s, (double)rk_cluster_node(&machine->cluster[i]) /
                                          machine->link[i][k].bandwidth_Bps);
    return byte_s;
}

/* Stages have degrees and clusters of their own: whatever the ranks of the new plan hold is taken
 * to come from another cluster. */
static struct switching move_all(const struct rk_model *model, const struct rk_system *system,
                                 const struct rk_plan *to)
{
    const struct rk_layout *layout = rk_plan_layout(to);
    struct switching all = {.moved_bytes = 0};
    struct rk_prediction p;
    rk_predict(model, system, to, &p);
    for (int i = 0; i < layout->parts; i++) {
        const struct rk_stage_part *part = &layout->part[i];
        const struct rk_local *local = part->local ? &layout->other[part->local - 1] : &to->local;
        const double ranks = (double)(part->data * local->tensor * local->context);
        const double *holds = p.stage[part->stage].holds;
        const double bytes = holds[RK_HOLD_weights] + holds[RK_HOLD_optimizer];
        all.moved_bytes += ranks * bytes;
        all.busiest_bytes = fmax(all.busiest_bytes, bytes);
    }
    all.move_s = all.busiest_bytes * slowest_byte_s(system->machine);
    return all;
}

struct switching switching_of(const struct rk_model *model, const struct rk_system *system,
                              const struct rk_plan *from, const struct rk_plan *to)
{
    if (system->machine) return move_all(model, system, to);
    const struct rk_plan a = plain(from), b = plain(to);
    const struct rank_map old = rank_map_of(&a), new = rank_map_of(&b);
    const struct element_bytes bytes = element_bytes_of(&b);
    struct switching all = {.moved_bytes = 0};
    double mean[2];
    mean_layer(model, system, mean);
    for (uint64_t rank = 0; rank < b.ranks; rank++) {
        const struct holding needs = holding_of(model, &b, &new, rank);
        struct holding has = {0};
        double moved = 0;
        if (rank < a.ranks) has = holding_of(model, &a, &old, rank);
        for (int expert = 0; expert < 2; expert++) {
            const double weights = volume(&needs.weights[expert]) -
                                   overlap(&needs.weights[expert], &has.weights[expert]);
            const double optimizer = volume(&needs.optimizer[expert]) -
                                     overlap(&needs.optimizer[expert], &has.optimizer[expert]);
            moved += mean[expert] * (weights * bytes.weight + optimizer * bytes.optimizer);
        }
        all.moved_bytes += moved;
        all.busiest_bytes = fmax(all.busiest_bytes, moved);
    }
    const double ranks = (double)b.ranks;
    if (ranks > 1 && all.busiest_bytes > 0)
        all.move_s =
            collective_time_s(system, SEND, (struct rank_group){ranks, 1}, all.busiest_bytes);
    return all;
}
