/* Profiles of Galvatron's: messages of a machine, layers of a model. */
#include "logs/measured.h"
#include "machine/kernels.h"
#include "text/fields.h"
#include "workload/layers.h"

#include <stdio.h>

#define MB 1048576.0

enum { BANDWIDTH_MB = 256, MOST_RANKS = 1 << 20 };

struct source {
    const struct rk_model *model;
    struct samples *samples;
    int ranks; /* of the machine */
};

/* The value of a key, a number above 0; 0 with an error. */
static double number_of(const struct place *place, struct rk_error *error)
{
    const double value = json_number_value(place->value);
    if (!(value > 0)) place_fail(place, error, "must be a number above 0");
    return value > 0 ? value : 0;
}

static enum rk_status add_message(const struct source *s, enum collective collective, int ranks,
                                  double stride, double megabytes, double time_s,
                                  struct rk_error *error)
{
    return samples_add(s->samples,
                       &(struct sample){.kind = SAMPLE_COLLECTIVE,
                                        .time_s = time_s,
                                        .collective = collective,
                                        .ranks = ranks,
                                        .stride = stride,
                                        .bytes = megabytes * MB},
                       error);
}

/* What a key of one of the four files says; keys of other forms are passed over. */
static enum rk_status read_key(const struct source *s, const char *key, const struct place *place,
                               struct rk_error *error)
{
    int ranks, size, near, layer, batch, tokens;
    double value;
    const bool reduce = sscanf(key, "allreduce_size_%d_%dMB_time", &ranks, &size) == 2;
    if (reduce || sscanf(key, "all2all_size_%d_%dMB_time", &ranks, &size) == 2) {
        if (!(value = number_of(place, error))) return error->status;
        return add_message(s, reduce ? ALL_REDUCE : ALL_TO_ALL, ranks, 1, size, value / 1e3, error);
    }
    if (sscanf(key, "allreduce_size_%d_consec_%d", &ranks, &near) == 2 && ranks > 1) {
        if (!(value = number_of(place, error))) return error->status;
        const double sent = 2 * (ranks - 1.0) / ranks * BANDWIDTH_MB;
        return add_message(s, ALL_REDUCE, ranks, near ? 1 : (double)s->ranks / ranks, BANDWIDTH_MB,
                           sent / value / 1e3, error);
    }
    if (sscanf(key, "pp_size_%d", &ranks) == 1 && ranks > 1) {
        if (!(value = number_of(place, error))) return error->status;
        return add_message(s, SEND, ranks, (double)s->ranks / ranks, BANDWIDTH_MB,
                           BANDWIDTH_MB / value / 1e3, error);
    }
    if (sscanf(key, "layertype_%d_bsz%d_seq%d", &layer, &batch, &tokens) == 3 && s->model) {
        uint64_t first = 0;
        if (!(value = number_of(place, error))) return error->status;
        for (int i = 0; i < layer && first < s->model->layers; i++)
            first += layer_run(s->model, first);
        if (first >= s->model->layers)
            return place_fail(place, error, "%s has no layers of kind %d", s->model->id, layer);
        return samples_add(s->samples,
                           &(struct sample){.kind = SAMPLE_LAYER,
                                            .time_s = value * batch / 1e3,
                                            .model = s->model,
                                            .layer = (int)first,
                                            .samples = batch,
                                            .tokens = tokens},
                           error);
    }
    return RK_OK;
}

static enum rk_status read_keys(const struct source *s, const struct place *object,
                                struct rk_error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach(object->value, key, value)
    {
        struct place member;
        error->status = RK_OK;
        if (!place_member(object, key, &member)) continue;
        const enum rk_status status = read_key(s, key, &member, error);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

/* The only member of a group, which must outlive it; false: there is no such group. */
static bool only_member(const struct place *root, const char *group, struct place *all,
                        struct place *member, enum rk_status *status, struct rk_error *error)
{
    *status = RK_OK;
    if (!place_member(root, group, all)) return false;
    *status = place_need_object(all, error);
    if (*status == RK_OK && json_object_size(all->value) != 1)
        *status = place_fail(all, error, "has %zu members: keep the one that is calibrated",
                             json_object_size(all->value));
    return *status == RK_OK &&
           place_member(all, json_object_iter_key(json_object_iter(all->value)), member);
}

static enum rk_status read_machine(struct source *s, const struct place *machine,
                                   struct rk_error *error)
{
    static const char *const files[] = {"allreduce", "p2p", "sp"};
    struct place member;
    double ranks = 1;
    for (int i = 0; i < 2; i++) {
        const char *key = i ? "gpus_per_node" : "nodes";
        if (!place_member(machine, key, &member))
            return place_fail(machine, error, "has no \"%s\"", key);
        ranks *= json_number_value(member.value);
    }
    if (!(ranks >= 2 && ranks <= MOST_RANKS))
        return place_fail(machine, error, "nodes * gpus_per_node must be 2 and more");
    s->ranks = (int)ranks;
    enum rk_status status = RK_OK;
    for (int i = 0; i < 3 && status == RK_OK; i++)
        if (place_member(machine, files[i], &member) &&
            (status = place_need_object(&member, error)) == RK_OK)
            status = read_keys(s, &member, error);
    return status;
}

enum rk_status measured_galvatron(const char *path, const struct rk_model *model,
                                  struct samples *samples, struct rk_error *error)
{
    struct source s = {.model = model, .samples = samples, .ranks = 1};
    struct document document = {.text = NULL};
    struct place group, one, time;
    const size_t before = samples->count;
    enum rk_status status = document_load(path, &document, error);
    const struct place root = place_root(&document);
    if (status == RK_OK) status = place_need_object(&root, error);
    if (status == RK_OK && only_member(&root, "hardware", &group, &one, &status, error))
        status = read_machine(&s, &one, error);
    if (status == RK_OK && model && only_member(&root, "models", &group, &one, &status, error)) {
        if (!place_member(&one, "time", &time))
            status = place_fail(&one, error, "has no \"time\"");
        else if ((status = place_need_object(&time, error)) == RK_OK)
            status = read_keys(&s, &time, error);
    }
    if (status == RK_OK && samples->count == before)
        status = place_fail(&root, error,
                            "no times of messages (hardware) or layers (models, with --model): is "
                            "it a file of reckon galvatron collect or profile?");
    document_release(&document);
    return status;
}
