#include "calculon/calculon_refusal.h"

#include "calculon/calculon_write.h"
#include "calculon/check.h"

#include <stdio.h>
#include <string.h>

static void set_error(struct calculon_refusal *refusal, const char *text)
{
    refusal->infeasible = true;
    snprintf(refusal->text, sizeof refusal->text, "%s", text);
}

/* ---- what is wrong before any figure is known ---- */

static bool refuse_networks(const struct rk_system *system, const struct rk_strategy *strategy,
                            struct calculon_refusal *refusal)
{
    for (int tier = 0; tier < system->networks; tier++) {
        const double load = check_network_load(strategy, tier);
        const enum rk_verdict verdict = check_network(&system->network[tier], load);
        if (verdict == RK_FITS) continue;
        refusal->infeasible = true;
        snprintf(refusal->text, sizeof refusal->text, "Network tier%d isn't %s", tier,
                 verdict == RK_NETWORK_TOO_SMALL ? "big enough" : "fully used");
        return true;
    }
    return false;
}

static bool refuse_blocks(const struct rk_model *model, const struct rk_strategy *strategy,
                          struct calculon_refusal *refusal)
{
    const uint64_t blocks = (model->layers - 1) / strategy->pipeline + 1;
    if (strategy->interleaving > blocks)
        set_error(refusal, "Pipeline interleaving must be less than or equal to the number of "
                           "blocks per processor");
    else if (blocks % strategy->interleaving != 0)
        set_error(refusal, "Pipeline interleaving must be a factor value of the number of blocks "
                           "per processor");
    else if (check_offloads(strategy) && blocks < OFFLOAD_MIN_BLOCKS)
        set_error(refusal, "Offloading requires each processor to handle at least 3 blocks");
    else
        return false;
    return true;
}

/* ---- no valid execution ---- */

/* How an execution or model file calls what a reason is about. */
static const char *foreign_name(const char *what)
{
    static const struct {
        const char *ours, *theirs;
    } names[] = {
        {"heads", "attn_heads"},
        {"microbatch * sequence", "microbatch_size * seq_size"},
        {"pipeline", "pipeline_par"},
        {"tensor_network", "tensor_par_net"},
        {"pipeline_network", "pipeline_par_net"},
        {"data_network", "data_par_net"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(what, names[i].ours) == 0) return names[i].theirs;
    return what;
}

static int invalid(char *text, size_t size, const struct rk_reason *reason)
{
    const char *name = foreign_name(reason->what);
    switch (reason->verdict) {
    case RK_BAD_TENSOR:
        return snprintf(text, size, "%s %.0f is not divisible by tensor_par %.0f", name,
                        reason->need, reason->have);
    case RK_BAD_PIPELINE:
        return snprintf(text, size, "%s %.0f is more than num_blocks %.0f", name, reason->need,
                        reason->have);
    case RK_BAD_DATATYPE:
        return snprintf(text, size, "the system's %s engine does not have the datatype", name);
    case RK_BAD_NETWORK:
        return snprintf(text, size, "%s is %.0f, but the last network tier is %.0f", name,
                        reason->need, reason->have);
    default:
        return snprintf(text, size, "%s: %.0f, %.0f", name, reason->need, reason->have);
    }
}

/* ---- */

static void refuse_memory(const struct rk_reason *reason, struct calculon_refusal *refusal)
{
    char need[CALCULON_NUMBER], have[CALCULON_NUMBER];
    calculon_human(need, reason->need, CALCULON_BYTES);
    calculon_human(have, reason->have, CALCULON_BYTES);
    refusal->infeasible = true;
    snprintf(refusal->text, sizeof refusal->text, "Mem tier%d needs %s but only has %s",
             reason->tier + 1, need, have);
}

/* A network tier that is not there, or degrees of 0: nothing can be said before that. */
static const struct rk_reason *senseless(const struct rk_estimate *estimate)
{
    for (int i = 0; i < estimate->reasons && i < RK_MAX_REASONS; i++) {
        const enum rk_verdict verdict = estimate->reason[i].verdict;
        if (verdict == RK_BAD_NETWORK || verdict == RK_BAD_DEGREES || verdict == RK_BAD_BATCH ||
            verdict == RK_BAD_OPTION)
            return &estimate->reason[i];
    }
    return NULL;
}

void calculon_refuse(const struct rk_model *model, const struct rk_system *system,
                     const struct rk_strategy *strategy, const struct rk_estimate *estimate,
                     struct calculon_refusal *refusal)
{
    const struct rk_reason *reason = senseless(estimate);
    *refusal = (struct calculon_refusal){.infeasible = false};
    if (!reason &&
        (refuse_networks(system, strategy, refusal) || refuse_blocks(model, strategy, refusal)))
        return;
    if (!reason) reason = &estimate->reason[0];
    if (reason->verdict == RK_MEMORY_EXCEEDED)
        refuse_memory(reason, refusal);
    else
        invalid(refusal->text, sizeof refusal->text, reason);
}
