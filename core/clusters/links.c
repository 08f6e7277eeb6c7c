/* links.c - messages between stages, and what a link between clusters is worth. */
#include "clusters/search.h"

#include "machine/kernels.h"
#include "workload/layers.h"

#include <math.h>
#include <stdlib.h>

double clusters_break_even(const struct clusters_question *question, int a, int b)
{
    struct rk_machine *machine = malloc(sizeof *machine);
    struct clusters_answer *answer = malloc(sizeof *answer);
    double low = 1.0 / 1024, high = 1024, found = NAN; /* of what it is */
    if (!machine || !answer) goto out;
    *machine = *question->machine;
    struct clusters_question asked = *question;
    asked.machine = machine;
    for (int i = -2; i < 8; i++) {
        const double share = i == -2 ? low : i == -1 ? high : sqrt(low * high);
        machine->link[a][b].bandwidth_Bps = machine->link[b][a].bandwidth_Bps =
            share * question->machine->link[a][b].bandwidth_Bps;
        if (!clusters_search(&asked, answer)) goto out;
        bool both = answer->proved.stage[0].homes > 0; /* does the best use several clusters? */
        for (int k = 1; k < answer->proved.stages; k++)
            both |= answer->proved.stage[k].cluster != answer->proved.stage[0].cluster;
        found = i == -2 ? 0 : INFINITY;
        if (i < 0 && both == (i == -2)) goto out;
        if (i >= 0) *(both ? &high : &low) = share;
    }
    found = high * question->machine->link[a][b].bandwidth_Bps;
out:
    free(machine);
    free(answer);
    return found;
}

/* ---- messages ---- */

double clusters_message_bytes(const struct clusters_costs *costs)
{
    const struct rk_plan *plan = &costs->question->words;
    const struct rk_model *model = costs->question->model;
    const double tokens = rk_tokens_of_sample(model, plan);
    const double element = plan->precision == RK_FP32 || plan->precision == RK_TF32 ? 4 : 2;
    return (double)costs->round * tokens * (double)model->hidden * element;
}

/* The smaller side sends or receives all of it. */
double clusters_boundary_s(const struct clusters_costs *costs, const struct stage_width *from,
                           const struct stage_width *to)
{
    const struct rk_machine *machine = costs->question->machine;
    const struct rk_cluster *a = &machine->cluster[from->cluster],
                            *b = &machine->cluster[to->cluster];
    const double copies = (double)(from->copies > to->copies ? from->copies : to->copies);
    const double bytes = copies * clusters_message_bytes(costs);
    if (from->cluster == to->cluster) {
        const double ranks = (double)(from->gpus < to->gpus ? from->gpus : to->gpus);
        const struct rank_group pair = {2, (double)from->gpus};
        return 2 * collective_time_s(&a->system, SEND, pair, bytes / ranks);
    }
    const struct rk_cluster_link *link = &machine->link[from->cluster][to->cluster];
    const double nodes_a = ceil((double)from->gpus / (double)rk_cluster_node(a));
    const double nodes_b = ceil((double)to->gpus / (double)rk_cluster_node(b));
    const double rate = fmin(fmin(nodes_a, nodes_b) * link->bandwidth_Bps, link->cap_Bps);
    return 2 * (link->latency_s + bytes / rate);
}

double clusters_tie_s(const struct clusters_question *question, int first, int last)
{
    const struct rk_model *model = question->model;
    const struct rk_cluster_link *link = &question->machine->link[first][last];
    if (!model->tied_embeddings || first == last) return 0;
    const double bytes = (double)model->vocabulary * (double)model->hidden * 4;
    return 2 * link->latency_s + bytes / fmin(link->bandwidth_Bps, link->cap_Bps);
}
