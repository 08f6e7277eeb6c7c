#include "base/limits.h"
#include "base/memory.h"
#include "clusters/predict.h"
#include "estimate/stages.h"
#include "machine/part.h"

#include <reckon/offload_plans.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- plans ---- */

/* What all layers have, on all clusters. */
typedef void change_layers(struct rk_local *local, const void *what);

static void change_all(struct rk_plan *plan, change_layers *change, const void *what)
{
    struct rk_layout layout = *rk_plan_layout(plan);
    change(&plan->local, what);
    if (!layout.parts) return;
    for (int i = 0; i < layout.others; i++)
        change(&layout.other[i], what);
    plan->layout = rk_layout_keep(&layout);
}

static void set_shares(struct rk_local *local, const void *what)
{
    const double *share = what;
    for (int i = RK_SHARE_ATTENTION; i <= RK_SHARE_CHECKPOINTS; i++)
        memcpy(local->share[i], share, RK_SHARE_TIERS * sizeof *share);
}

void rk_offload_set_shares(struct rk_plan *plan, const double share[RK_SHARE_TIERS])
{
    change_all(plan, set_shares, share);
}

static void set_recompute(struct rk_local *local, const void *what)
{
    const enum rk_recompute_mode *how = what;
    local->recompute = *how;
}

void rk_offload_recompute(struct rk_plan *plan, enum rk_recompute_mode how)
{
    change_all(plan, set_recompute, &how);
}

static void no_parts(struct rk_local *local, const void *what)
{
    (void)what;
    local->recompute_parts = 0;
}

struct rk_plan rk_offload_with_share(const struct rk_offload_job *job, int tier, double share,
                                     bool rest)
{
    double shares[RK_SHARE_TIERS] = {0};
    struct rk_plan plan = job->plan;
    shares[tier] = share;
    plan.recompute_rest = rest;
    plan.sequence_chunks = 1; /* a rule of its own */
    if (rest || share > 0) rk_offload_recompute(&plan, RK_KEEP);
    if (rest) change_all(&plan, no_parts, NULL);
    rk_offload_set_shares(&plan, shares);
    return plan;
}

double rk_offload_share(const struct rk_offload_job *job, bool best)
{
    double least = INFINITY;
    for (int i = 0; i < job->parts; i++)
        least = fmin(least, rk_offload_share(&job->part[i], best));
    if (job->parts) return least;
    const struct rk_plan plan = rk_offload_with_share(job, 0, 0, true);
    const struct rk_swap swap = rk_swap_of_plan(job->model, job->system, &plan);
    return best ? rk_swap_share_best(&swap) : rk_swap_share_memo(&swap);
}

/* ---- what a plan means to drives ---- */

double rk_offload_written(const struct rk_prediction *p, int tier)
{
    double most = 0;
    for (int i = 0; i < p->stages; i++)
        most = fmax(most, p->stage[i].written_bytes[tier]);
    return most;
}

static int lower_tiers(const struct rk_system *system)
{
    return system->memories - 1 < RK_SHARE_TIERS ? system->memories - 1 : RK_SHARE_TIERS;
}

int rk_offload_tiers(const struct rk_system *system)
{
    int tiers = lower_tiers(system);
    for (int i = 0; system->machine && i < system->machine->clusters; i++) {
        const int own = lower_tiers(rk_system_of(system, i));
        if (own < tiers) tiers = own;
    }
    return tiers;
}

struct rk_memory rk_offload_memory(const struct rk_offload_job *job, int tier)
{
    return memory_part(&job->system->memory[tier + 1], job->plan.ranks);
}

/* ... of a stage, with its part of what all drives bear, or as they are rated. */
static struct rk_memory memory_at(const struct rk_offload_job *job, const struct rk_prediction *p,
                                  int stage, int tier, bool rated)
{
    struct rk_memory memory = rk_offload_memory(rk_offload_at(job, p, stage), tier);
    if (rated) memory.retention_gain = 1;
    return memory;
}

static double life_s_of(const struct rk_memory *memory, const struct rk_prediction *p, int stage,
                        int tier)
{
    return rk_life_s(rk_memory_endurance_bytes(memory), p->step_s,
                     p->stage[stage].written_bytes[tier]);
}

static double life_years(const struct rk_offload_job *job, const struct rk_prediction *p,
                         bool rated)
{
    double life_s = INFINITY;
    for (int tier = 0; tier < rk_offload_tiers(job->system); tier++)
        for (int i = 0; i < p->stages; i++) {
            const struct rk_memory memory = memory_at(job, p, i, tier, rated);
            life_s = fmin(life_s, life_s_of(&memory, p, i, tier));
        }
    return life_s / RK_YEAR_S;
}

double rk_offload_life_years(const struct rk_offload_job *job, const struct rk_prediction *p)
{
    return life_years(job, p, false);
}

double rk_offload_rated_life_years(const struct rk_offload_job *job, const struct rk_prediction *p)
{
    return life_years(job, p, true);
}

double rk_offload_cost_USD_a_year(const struct rk_offload_job *job, const struct rk_prediction *p)
{
    double cost = 0;
    for (int tier = 0; tier < rk_offload_tiers(job->system); tier++) {
        double most = 0;
        for (int i = 0; i < p->stages; i++) {
            const struct rk_memory memory = memory_at(job, p, i, tier, false);
            const double life_s = life_s_of(&memory, p, i, tier);
            if (isfinite(life_s)) most = fmax(most, memory.price_USD / (life_s / RK_YEAR_S));
        }
        cost += most;
    }
    return cost;
}

double rk_offload_held(const struct rk_prediction *p, int tier)
{
    double most = 0;
    for (int i = 0; i < p->stages; i++)
        most = fmax(most, p->stage[i].away_bytes[tier]);
    return most;
}

int rk_offload_small_tier(const struct rk_offload_job *job, const struct rk_prediction *p,
                          int *stage)
{
    for (int tier = 0; tier < rk_offload_tiers(job->system); tier++) {
        double most = 1;
        *stage = -1;
        for (int i = 0; i < p->stages; i++) {
            const double capacity = memory_at(job, p, i, tier, false).capacity_bytes;
            if (p->stage[i].away_bytes[tier] <= capacity) continue;
            if (*stage >= 0 && p->stage[i].away_bytes[tier] / capacity <= most) continue;
            most = p->stage[i].away_bytes[tier] / capacity;
            *stage = i;
        }
        if (*stage >= 0) return tier + 1;
    }
    return -1;
}

bool rk_offload_counts(const struct rk_offload_job *job, const struct rk_prediction *p)
{
    int stage;
    return p->timed && p->verdict == RK_FITS && rk_offload_small_tier(job, p, &stage) < 0 &&
           rk_offload_life_years(job, p) >= job->lifetime_years;
}

/* ---- parts on several clusters ---- */

void rk_offload_release(struct rk_offload_job *job)
{
    free(job->part);
    free(job->machine);
    job->part = NULL;
    job->machine = NULL;
    job->parts = 0;
}

static void add_part(struct rk_offload_job *job, const struct given_plan *given, int stage, int k)
{
    const struct given_part *part = &given->stage[stage].part[k];
    const struct rk_machine *machine = job->system->machine;
    struct rk_offload_job own = {.model = job->model,
                                 .plan = plan_like_part(&job->plan, given, stage, k),
                                 .lifetime_years = job->lifetime_years,
                                 .stage = stage,
                                 .cluster = machine->cluster[part->cluster].name};
    own.system =
        part_system(machine, part->cluster, part->plan.tensor * part->plan.context * part->data,
                    own.plan.ranks, &job->machine[job->parts]);
    const unsigned kernels = own.system->kernels.attention_kernels; /* each cluster's own nearest */
    if (!rk_attends(kernels, own.plan.attention))
        own.plan.attention = rk_usual_attention(own.plan.framework, kernels);
    job->part[job->parts++] = own;
}

static enum rk_status add_parts(struct rk_offload_job *job, const struct given_plan *given,
                                struct rk_error *error)
{
    int parts = 0;
    for (int i = 0; i < given->stages; i++)
        parts += given->stage[i].parts;
    job->part = calloc((size_t)parts, sizeof *job->part);
    job->machine = calloc((size_t)parts, sizeof *job->machine);
    if (!job->part || !job->machine) return no_memory(error);
    for (int i = 0; i < given->stages; i++)
        for (int k = 0; k < given->stage[i].parts; k++)
            add_part(job, given, i, k);
    return RK_OK;
}

enum rk_status rk_offload_open(struct rk_offload_job *job, struct rk_error *error)
{
    struct rk_prediction *p = malloc(sizeof *p);
    struct clusters_judged *judged = malloc(sizeof *judged);
    enum rk_status status = p && judged ? RK_OK : no_memory(error);
    if (status == RK_OK && job->system->machine)
        predict_clusters(job->model, job->system, &job->plan, p, judged);
    else if (status == RK_OK)
        rk_predict(job->model, job->system, &job->plan, p);
    if (status == RK_OK && !p->timed)
        status = rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                         "this plan cannot be predicted (%s); reckon predict says why",
                         rk_verdict_name(p->verdict));
    if (status == RK_OK && job->system->machine) status = add_parts(job, &judged->given, error);
    free(judged);
    free(p);
    return status;
}

const struct rk_offload_job *rk_offload_at(const struct rk_offload_job *job,
                                           const struct rk_prediction *p, int stage)
{
    for (int i = 0; i < job->parts; i++)
        if (job->part[i].stage == stage &&
            job->part[i].cluster == job->system->machine->cluster[p->stage[stage].cluster].name)
            return &job->part[i];
    return job;
}

/* ---- SSDTrain's rule ---- */

/* Attention and MLP of a mean layer: forward time and saved bytes. */
struct halves {
    double forward_s[2], bytes[2];
};

static bool is_mlp(const char *name)
{
    static const char *const begins[] = {"mlp", "router", "expert", "shared", "dispatch", NULL};
    for (int i = 0; begins[i]; i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0) return true;
    return false;
}

static bool halves_of(const struct rk_offload_job *job, struct halves *h)
{
    struct rk_operation *op = calloc(MOST_OPERATIONS, sizeof *op);
    const struct rk_plan plan = rk_offload_with_share(job, 0, 0, false);
    double layers = 0;
    int half = 0;
    if (!op) return false;
    const int count = rk_predict_operations(job->model, job->system, &plan, op, MOST_OPERATIONS);
    RK_REQUIRE(count <= MOST_OPERATIONS);
    *h = (struct halves){{0}, {0}};
    for (int i = 0; i < count; i++) {
        if (strcmp(op[i].layer, "embedding") == 0 || strcmp(op[i].layer, "head") == 0) continue;
        if (i == 0 || strcmp(op[i].layer, op[i - 1].layer) != 0) {
            layers += op[i].layers;
            half = 0;
        }
        half |= is_mlp(op[i].name);
        h->forward_s[half] +=
            op[i].layers * (op[i].time_s[RK_FORWARD] + op[i].comm_exposed_s[RK_FORWARD][0]);
        h->bytes[half] += op[i].layers * op[i].activation_bytes;
    }
    for (int i = 0; i < 2 && layers > 0; i++) {
        h->forward_s[i] /= layers;
        h->bytes[i] /= layers;
    }
    free(op);
    return layers > 0;
}

double rk_offload_adaptive_share(const struct rk_offload_job *job, int tier)
{
    enum { MOST_NODES = 3 * 1024 };
    static struct rk_adaptive_node node[MOST_NODES];
    struct halves h;
    struct rk_prediction *p = malloc(sizeof *p);
    const struct rk_plan plan = rk_offload_with_share(job, 0, 0, false);
    double share = job->parts ? INFINITY : 0;
    for (int i = 0; i < job->parts; i++)
        share = fmin(share, rk_offload_adaptive_share(&job->part[i], tier));
    if (!job->parts && p && halves_of(job, &h)) {
        rk_predict(job->model, job->system, &plan, p);
        const struct rk_stage *stage = &p->stage[job->stage];
        const int layers = (int)fmin(1024, (double)stage->blocks);
        const double bytes = h.bytes[0] + h.bytes[1], forward_s = h.forward_s[0] + h.forward_s[1];
        for (int i = 0; i < layers; i++) {
            node[3 * i] = (struct rk_adaptive_node){i * bytes, h.bytes[0], i * forward_s};
            node[3 * i + 1] = (struct rk_adaptive_node){i * bytes + h.bytes[0], h.bytes[1],
                                                        i * forward_s + h.forward_s[0]};
            node[3 * i + 2] = (struct rk_adaptive_node){i * bytes, bytes, i * forward_s};
        }
        const struct rk_memory memory = rk_offload_memory(job, tier);
        const double rate = fmin(rk_memory_write_Bps(&memory), rk_memory_read_Bps(&memory));
        const int nodes = 3 * (layers - 1);
        const int kept = rk_adaptive_first_kept(node, nodes, stage->forward_s, rate);
        /* children of a layer that is kept as a whole stay offloaded */
        const double stored = kept >= nodes   ? (layers - 1) * bytes
                              : kept % 3 == 2 ? (kept / 3 + 1) * bytes
                                              : node[kept].before_bytes;
        share = layers > 0 && bytes > 0 ? stored / (layers * bytes) : 0;
    }
    free(p);
    return share;
}

bool rk_offload_simulate(const struct rk_offload_job *job, int tier, double slower,
                         struct rk_offload_stored *stored)
{
    static struct rk_store_module module[RK_STORE_MOST];
    static struct rk_adaptive_node node[RK_STORE_MOST];
    struct halves h;
    struct rk_prediction *p = malloc(sizeof *p);
    const struct rk_plan plan = rk_offload_with_share(job, 0, 0, false);
    const struct rk_memory memory = rk_offload_memory(job, tier);
    const double write_Bps = rk_memory_write_Bps(&memory) / slower;
    const double read_Bps = rk_memory_read_Bps(&memory) / slower;
    bool can = p && halves_of(job, &h);
    if (can) rk_predict(job->model, job->system, &plan, p);
    const struct rk_stage *stage = can ? &p->stage[job->stage] : NULL;
    const int modules = can ? 2 * (int)stage->blocks : 0;
    can = can && p->timed && modules >= 2 && modules <= RK_STORE_MOST;
    if (can) {
        const double back = stage->backward_s / stage->forward_s;
        double before_bytes = 0, before_s = 0;
        for (int i = 0; i < modules; i++) {
            const double forward_s = h.forward_s[i % 2], bytes = h.bytes[i % 2];
            module[i] = (struct rk_store_module){forward_s, back * forward_s, bytes};
            node[i] = (struct rk_adaptive_node){before_bytes, bytes, before_s};
            before_bytes += bytes;
            before_s += forward_s;
        }
        const int kept =
            rk_adaptive_first_kept(node, modules, stage->forward_s, fmin(write_Bps, read_Bps));
        const double turn_s = fmax(0, stage->forward_s - before_s) * (1 + back);
        const struct rk_store none = {0, 1, 1, 1, turn_s};
        const struct rk_store store = {kept < modules ? kept : modules - 1, 2, write_Bps, read_Bps,
                                       turn_s};
        struct rk_store early = store;
        early.ahead = modules;
        *stored = (struct rk_offload_stored){.modules = modules,
                                             .stored = store.stored,
                                             .write_Bps = write_Bps,
                                             .read_Bps = read_Bps,
                                             .kept = rk_store_simulate(module, modules, &none),
                                             .run = rk_store_simulate(module, modules, &store),
                                             .early = rk_store_simulate(module, modules, &early)};
    }
    free(p);
    return can;
}

/* ---- by tensor instead of by token ---- */

_Static_assert((int)RK_OFFLOAD_TENSORS >= (int)MOST_OPERATIONS, "a tensor is of an operation");

int rk_offload_tensors(const struct rk_offload_job *job, struct rk_swap_tensor *tensor)
{
    struct rk_operation *op = calloc(MOST_OPERATIONS, sizeof *op);
    const struct rk_plan plan = rk_offload_with_share(job, 0, 0, false);
    double again_s = 0;
    int tensors = 0;
    if (!op) return 0;
    const int count = rk_predict_operations(job->model, job->system, &plan, op, MOST_OPERATIONS);
    RK_REQUIRE(count <= MOST_OPERATIONS);
    for (int i = 0; i < count; i++) {
        if (strcmp(op[i].layer, "embedding") == 0 || strcmp(op[i].layer, "head") == 0) continue;
        if (i == 0 || strcmp(op[i].layer, op[i - 1].layer) != 0) again_s = 0;
        if (strcmp(op[i].name, "attention") == 0) continue;
        again_s += op[i].time_s[RK_FORWARD] + op[i].comm_exposed_s[RK_FORWARD][0];
        if (!(op[i].activation_bytes > 0)) continue;
        tensor[tensors++] = (struct rk_swap_tensor){
            op[i].name, op[i].layers * op[i].activation_bytes, op[i].layers * again_s};
        again_s = 0;
    }
    free(op);
    return tensors;
}

double rk_offload_by_tensor(const struct rk_offload_job *job, double share)
{
    static struct rk_swap_tensor tensor[MOST_OPERATIONS];
    const int tensors = rk_offload_tensors(job, tensor);
    double bytes = 0, all_s = 0;
    for (int i = 0; i < tensors; i++) {
        bytes += tensor[i].bytes;
        all_s += tensor[i].again_s;
    }
    const double by_token_s = (1 - share) * all_s;
    if (!(by_token_s > 0)) return 0;
    return fmin(1, rk_swap_by_tensor(tensor, tensors, share * bytes, NULL) / by_token_s);
}

/* ---- the optimum ---- */

struct best {
    const struct rk_offload_job *job;
    struct rk_plan *plan;
    struct rk_prediction *prediction, *trial;
    bool found;
};

static void consider(struct best *b, const struct rk_plan *plan)
{
    rk_predict(b->job->model, b->job->system, plan, b->trial);
    if (!rk_offload_counts(b->job, b->trial)) return;
    if (b->found && b->trial->step_s >= b->prediction->step_s) return;
    b->found = true;
    *b->plan = *plan;
    *b->prediction = *b->trial;
}

enum { GRID = 20 };

/* Host up to each share, the next tier the rest of it. */
static void consider_two(struct best *b, double first)
{
    for (int i = 0; i <= GRID; i++) {
        struct rk_plan plan = rk_offload_with_share(b->job, 0, first, true);
        const double shares[RK_SHARE_TIERS] = {first, (1 - first) * i / GRID};
        rk_offload_set_shares(&plan, shares);
        consider(b, &plan);
    }
}

/* The largest share of the rest that the host has room for. */
static double host_share(const struct rk_offload_job *job)
{
    double least = INFINITY;
    for (int i = 0; i < job->parts; i++)
        least = fmin(least, host_share(&job->part[i]));
    if (job->parts) return least;
    const struct rk_plan plan = rk_offload_with_share(job, 0, 0, true);
    const struct rk_swap swap = rk_swap_of_plan(job->model, job->system, &plan);
    return fmin(1, rk_swap_share_host(&swap) * (1 - 1e-12));
}

bool rk_offload_optimum(const struct rk_offload_job *job, struct rk_plan *plan,
                        struct rk_prediction *prediction)
{
    struct best b = {job, plan, prediction, malloc(sizeof *prediction), false};
    if (!b.trial) return false;
    struct rk_plan again = rk_offload_with_share(job, 0, 0, false);
    consider(&b, &again);
    rk_offload_recompute(&again, RK_KEEP);
    consider(&b, &again);
    rk_offload_recompute(&again, RK_WHOLE);
    consider(&b, &again);
    for (int tier = 0; tier < rk_offload_tiers(job->system); tier++)
        for (int rest = 0; rest < 2; rest++)
            for (int i = !rest; i <= GRID; i++) {
                const struct rk_plan p = rk_offload_with_share(job, tier, (double)i / GRID, rest);
                consider(&b, &p);
            }
    const double host = host_share(job),
                 exact[] = {rk_offload_share(job, false), rk_offload_share(job, true), host};
    for (int i = 0; i < 3; i++) {
        if (exact[i] < 0) continue;
        const struct rk_plan p = rk_offload_with_share(job, 0, exact[i] * (1 - 1e-12), true);
        consider(&b, &p);
        if (rk_offload_tiers(job->system) > 1) consider_two(&b, exact[i] * (1 - 1e-12));
    }
    free(b.trial);
    return b.found;
}
