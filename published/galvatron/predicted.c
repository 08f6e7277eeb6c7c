#include "galvatron/predicted.h"

#include "base/memory.h"
#include "estimate/fold.h"
#include "estimate/plan_check.h"
#include "galvatron/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MB 1048576.0

enum { MOST_MB = 1024, BANDWIDTH_MB = 256, BATCHES = 8, MOST_SPLIT = 8 };

/* ---- the machine ---- */

static double collective_s(const struct rk_system *system, enum collective collective,
                           uint64_t ranks, uint64_t stride, double megabytes)
{
    const struct rank_group group = {(double)ranks, (double)stride};
    return collective_time_s(system, collective, group, megabytes * MB);
}

/* GB/s as Galvatron has them: MB a millisecond of what a ring sends. */
static json_t *allreduce_of(const struct rk_system *system, uint64_t ranks)
{
    json_t *file = json_object();
    for (uint64_t g = ranks; g >= 2; g /= 2)
        for (int consecutive = 1; consecutive >= 0; consecutive--) {
            char key[64];
            if (g == ranks && !consecutive) continue;
            const double time_s =
                collective_s(system, ALL_REDUCE, g, consecutive ? 1 : ranks / g, BANDWIDTH_MB);
            const double sent = 2 * ((double)g - 1) / (double)g * BANDWIDTH_MB;
            snprintf(key, sizeof key, "allreduce_size_%d_consec_%d", (int)g, consecutive);
            json_object_set_new(file, key, json_real(sent / (1e3 * time_s)));
        }
    return file;
}

static json_t *p2p_of(const struct rk_system *system, uint64_t ranks)
{
    json_t *file = json_object();
    for (uint64_t p = 2; p <= ranks; p *= 2) {
        char key[64];
        const double time_s = collective_s(system, SEND, p, ranks / p, BANDWIDTH_MB);
        snprintf(key, sizeof key, "pp_size_%d", (int)p);
        json_object_set_new(file, key, json_real(BANDWIDTH_MB / (1e3 * time_s)));
    }
    return file;
}

static json_t *messages_of(const struct rk_system *system, uint64_t ranks)
{
    static const struct {
        const char *name;
        enum collective collective;
    } kinds[] = {{"allreduce", ALL_REDUCE}, {"all2all", ALL_TO_ALL}};
    json_t *file = json_object();
    for (int kind = 0; kind < 2; kind++)
        for (uint64_t g = ranks < MOST_SPLIT ? ranks : MOST_SPLIT; g >= 2; g /= 2)
            for (int size = 1; size <= MOST_MB; size *= 2) {
                char key[64];
                const double time_s = collective_s(system, kinds[kind].collective, g, 1, size);
                snprintf(key, sizeof key, "%s_size_%d_%dMB_time", kinds[kind].name, (int)g, size);
                json_object_set_new(file, key, json_real(1e3 * time_s));
            }
    return file;
}

static json_t *hardware_of(const struct rk_system *system, uint64_t ranks)
{
    uint64_t node = system->networks ? system->network[0].size : 1;
    while (!galvatron_power_of_two((long)node))
        node--;
    if (node > ranks) node = ranks;
    return json_pack("{si si so so s{sf} so}", "nodes", (int)(ranks / node), "gpus_per_node",
                     (int)node, "allreduce", allreduce_of(system, ranks), "p2p",
                     p2p_of(system, ranks), "overlap", "overlap_coe", 1.0, "sp",
                     messages_of(system, ranks));
}

/* ---- the model ---- */

/* Kinds of layers in order, each in one run, as the format requires. Where kinds alternate there is
 * a single one, the mean of all. */
struct kinds {
    int count;
    bool mixed;
    double share[GALVATRON_KINDS][LAYER_KINDS]; /* of a layer */
};

static bool in_runs(const struct rk_model *model, struct kinds *kinds)
{
    kinds->count = 0;
    for (uint64_t i = 0; i < model->layers; i += layer_run(model, i)) {
        const enum layer_kind kind = layer_kind_of(model, i);
        for (int j = 0; j < kinds->count; j++)
            if (kinds->share[j][kind] > 0) return false;
        if (kinds->count == GALVATRON_KINDS) return false;
        kinds->share[kinds->count++][kind] = 1;
    }
    return true;
}

static void list_kinds(const struct rk_model *model, struct kinds *kinds)
{
    memset(kinds, 0, sizeof *kinds);
    if (in_runs(model, kinds)) return;
    memset(kinds, 0, sizeof *kinds);
    kinds->count = 1;
    kinds->mixed = true;
    for (uint64_t i = 0; i < model->layers; i++)
        kinds->share[0][layer_kind_of(model, i)] += 1.0 / (double)model->layers;
}

static struct rk_plan plan_of(enum rk_precision precision, uint64_t tensor, uint64_t microbatch,
                              uint64_t sequence)
{
    struct rk_plan plan = rk_plan_default();
    plan.precision = precision;
    plan.ranks = plan.tensor = tensor;
    plan.batch = plan.microbatch = microbatch;
    plan.sequence = sequence;
    plan.sequence_parallel = tensor > 1;
    plan.recompute = RK_WHOLE; /* of recomputed layers; the fold has the others, too */
    return plan;
}

static bool can_split(const struct rk_model *model, const struct rk_system *system,
                      const struct rk_plan *plan)
{
    struct rk_reason reason;
    return plan_check_parts(model, system, plan,
                            1 << CHECK_MODEL | 1 << CHECK_TENSOR | 1 << CHECK_SEQUENCE |
                                1 << CHECK_EXPERTS,
                            &reason) == PLAN_CHECKS;
}

static double parameters_MB(const struct layer_fold *layer)
{
    return (layer->parameters + layer->expert_parameters) * 4 / MB;
}

/* A layer of one of the profile's kinds, with the given treatment. */
static struct layer_fold layer_of(const struct layer_folds *fold, const struct kinds *kinds, int i,
                                  enum treatment treatment)
{
    struct layer_fold sum = {.parameters = 0};
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        const struct layer_fold *one = &fold->layer[kind][treatment];
        const double share = kinds->share[i][kind];
        if (share <= 0) continue;
        sum.pass_s[FOLD_FORWARD] += share * one->pass_s[FOLD_FORWARD];
        sum.saved_total_bytes += share * one->saved_total_bytes;
        sum.parameters += share * one->parameters;
        sum.expert_parameters += share * one->expert_parameters;
    }
    return sum;
}

struct scene {
    const struct rk_model *model;
    const struct rk_system *system;
    uint64_t sequence;
    enum rk_precision precision;
    struct kinds kinds;
    struct layer_folds fold;
    json_t *time, *memory;
};

/* The member of that key, made where it is not there. */
static json_t *under(json_t *object, const char *key)
{
    json_t *member = json_object_get(object, key);
    if (!member) {
        json_object_set_new(object, key, json_object());
        member = json_object_get(object, key);
    }
    return member;
}

static void set_MB(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, json_real(value));
}

/* Forward ms of a sample, for several batches. */
static void fill_times(struct scene *s)
{
    for (uint64_t b = 1; b <= BATCHES; b++) {
        const struct rk_plan plan = plan_of(s->precision, 1, b, s->sequence);
        char key[64];
        fold_layers(&s->fold, s->model, s->system, &plan);
        for (int i = 0; i < s->kinds.count; i++) {
            const struct layer_fold layer = layer_of(&s->fold, &s->kinds, i, AS_IT_IS);
            snprintf(key, sizeof key, "layertype_%d_bsz%d_seq%d", i, (int)b, (int)s->sequence);
            set_MB(s->time, key, 1e3 * layer.pass_s[FOLD_FORWARD] / (double)b);
        }
        const double ends_s = s->fold.layer[LAYER_EMBEDDING][AS_IT_IS].pass_s[FOLD_FORWARD] +
                              s->fold.layer[LAYER_HEAD][AS_IT_IS].pass_s[FOLD_FORWARD];
        snprintf(key, sizeof key, "layertype_other_bsz%d_seq%d", (int)b, (int)s->sequence);
        set_MB(s->time, key, 1e3 * ends_s / (double)b);
    }
}

/* Embedding, head, or both: 16 bytes a parameter, and what is kept of a sample. */
static void fill_end(struct scene *s, const char *key, const char *sequence, const char *degree,
                     bool embedding, bool head)
{
    json_t *end = under(under(s->memory, key), sequence);
    double states = 0, activation = 0;
    for (int i = 0; i < 2; i++) {
        const struct layer_fold *layer = &s->fold.layer[i ? LAYER_HEAD : LAYER_EMBEDDING][AS_IT_IS];
        if (!(i ? head : embedding)) continue;
        states += 4 * parameters_MB(layer);
        activation += layer->saved_total_bytes / MB;
    }
    set_MB(under(end, "model_states"), degree, states);
    set_MB(under(end, "activation"), degree, activation);
}

static void fill_memory(struct scene *s)
{
    char sequence[32], ends[32 * GALVATRON_KINDS] = "";
    snprintf(sequence, sizeof sequence, "%d", (int)s->sequence);
    for (int i = 0, at = 0; i < s->kinds.count; i++)
        at += snprintf(ends + at, sizeof ends - (size_t)at, "%s%s", i ? "_" : "", sequence);
    for (uint64_t t = 1; t <= MOST_SPLIT; t *= 2) {
        const struct rk_plan plan = plan_of(s->precision, t, 1, s->sequence);
        char degree[16];
        if (!can_split(s->model, s->system, &plan)) continue;
        snprintf(degree, sizeof degree, "%d", (int)t);
        fold_layers(&s->fold, s->model, s->system, &plan);
        for (int i = 0; i < s->kinds.count; i++) {
            const struct layer_fold kept_here = layer_of(&s->fold, &s->kinds, i, AS_IT_IS),
                                    again = layer_of(&s->fold, &s->kinds, i, RECOMPUTED);
            char key[32];
            snprintf(key, sizeof key, "layertype_%d_sp", i);
            json_t *sizes = under(under(s->memory, key), sequence);
            json_t *kept = under(sizes, "tp_activation_per_bsz_dict");
            set_MB(kept, degree, kept_here.saved_total_bytes / MB);
            if (t > 1) continue;
            set_MB(sizes, "parameter_size", parameters_MB(&kept_here));
            set_MB(kept, "checkpoint", again.saved_total_bytes / MB);
        }
        fill_end(s, "other_memory_pp_off_sp", ends, degree, true, true);
        fill_end(s, "other_memory_pp_on_first_sp", ends, degree, true, false);
        fill_end(s, "other_memory_pp_on_last_sp", ends, degree, false, true);
    }
}

static json_t *model_of(struct scene *s)
{
    json_t *hidden = json_array();
    for (int i = 0; i < s->kinds.count; i++)
        json_array_append_new(hidden, json_integer((json_int_t)s->model->hidden));
    fill_times(s);
    fill_memory(s);
    return json_pack("{so so so ss ss}", "hidden", hidden, "time", s->time, "memory", s->memory,
                     "time_mode", "batch", "memory_mode", "static");
}

enum rk_status galvatron_predict(const struct rk_model *model, const struct rk_system *system,
                                 uint64_t ranks, uint64_t sequence, enum rk_precision precision,
                                 json_t **profiles, bool *mixed, struct rk_error *error)
{
    const struct rk_plan one = plan_of(precision, 1, 1, sequence);
    struct rk_reason reason = {.what = NULL};
    if (!galvatron_power_of_two((long)ranks) || ranks < 2 || ranks > GALVATRON_MAX_DEGREE)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "`gpus`: Galvatron's profiles are of powers of two from 2 to %d",
                       GALVATRON_MAX_DEGREE);
    if (plan_check_parts(model, system, &one, 1 << CHECK_MODEL | 1 << CHECK_PRECISION, &reason) !=
        PLAN_CHECKS)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s on %s cannot be predicted: %s",
                       model->id, system->id, reason.what);
    struct scene *s = calloc(1, sizeof *s);
    if (!s) return no_memory(error);
    *s = (struct scene){.model = model,
                        .system = system,
                        .sequence = sequence ? sequence : model->sequence,
                        .precision = precision,
                        .time = json_object(),
                        .memory = json_object()};
    list_kinds(model, &s->kinds);
    *mixed = s->kinds.mixed;
    *profiles = json_pack("{s{so} s{so}}", "models", model->id, model_of(s), "hardware", system->id,
                          hardware_of(system, ranks));
    free(s);
    return *profiles ? RK_OK : no_memory(error);
}
