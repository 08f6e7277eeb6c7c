#include "base/memory.h"
#include "galvatron/profile.h"

#include "text/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void galvatron_need(struct galvatron_needs *needs, const struct galvatron_strategy *strategy)
{
    const int split = galvatron_split(strategy), sharers = galvatron_sharers(strategy);
    needs->split |= 1u << galvatron_log2(split);
    needs->tensor |= 1u << galvatron_log2(strategy->tensor);
    needs->checkpoint |= strategy->recompute;
    needs->whole |= strategy->pipeline == 1;
    needs->staged |= strategy->pipeline > 1;
    needs->allreduce[strategy->tensor == 1] |= 1u << galvatron_log2(sharers);
    needs->allreduce[1] |= 1u << galvatron_log2(split); /* of a change of layout */
    if (strategy->pipeline > 1) needs->pipeline |= 1u << galvatron_log2(strategy->pipeline);
    if (strategy->tensor > 1) needs->gather |= 1u << galvatron_log2(strategy->tensor);
    if (strategy->ulysses > 1) needs->exchange |= 1u << galvatron_log2(strategy->ulysses);
}

/* ---- single values ---- */

static enum rk_status need_member(const struct place *object, const char *key, struct place *member,
                                  struct rk_error *error)
{
    const enum rk_status status = place_need_object(object, error);
    if (status != RK_OK || place_member(object, key, member)) return status;
    return place_fail(object, error, "has no \"%s\": profile it, or leave out what needs it", key);
}

static enum rk_status read_positive(const struct place *place, double *value,
                                    struct rk_error *error)
{
    char got[PLACE_TEXT];
    *value = json_is_number(place->value) ? json_number_value(place->value) : 0;
    if (*value > 0) return RK_OK;
    return place_fail(place, error, "must be a number > 0, got %s", place_describe(got, place));
}

static enum rk_status read_member(const struct place *object, const char *key, double *value,
                                  struct rk_error *error)
{
    struct place member;
    const enum rk_status status = need_member(object, key, &member, error);
    return status != RK_OK ? status : read_positive(&member, value, error);
}

/* Zero is a size, too. */
static enum rk_status read_size(const struct place *place, double *value, struct rk_error *error)
{
    char got[PLACE_TEXT];
    *value = json_is_number(place->value) ? json_number_value(place->value) : -1;
    if (*value >= 0) return RK_OK;
    return place_fail(place, error, "must be a number >= 0, got %s", place_describe(got, place));
}

/* The number at `text`; 0 when there is none. `end` is after it. */
static int number_at(const char *text, const char **end)
{
    int number = 0;
    while (*text >= '0' && *text <= '9' && number < 100000000)
        number = 10 * number + (*text++ - '0');
    *end = text;
    return number;
}

static int degree_of(const char *key)
{
    const char *end;
    const int degree = number_at(key, &end);
    const bool right = !*end && galvatron_power_of_two(degree) && degree <= GALVATRON_MAX_DEGREE;
    return right ? degree : 0;
}

/* {"1": ..., "2": ..., "checkpoint": ...}: what is there, and at least `needs`. */
static enum rk_status read_by_degree(const struct place *object, unsigned needs,
                                     struct galvatron_by_degree *by, struct rk_error *error)
{
    const char *key;
    json_t *value;
    enum rk_status status = place_need_object(object, error);
    if (status != RK_OK) return status;
    *by = (struct galvatron_by_degree){.known = 0};
    json_object_foreach(object->value, key, value)
    {
        struct place member;
        const int degree = degree_of(key);
        place_member(object, key, &member);
        if (!degree && strcmp(key, "checkpoint") != 0)
            return place_fail_key(&member, error,
                                  "is not a degree: give powers of two up to %d, or checkpoint",
                                  GALVATRON_MAX_DEGREE);
        if (!degree) continue;
        status = read_size(&member, &by->value[galvatron_log2(degree)], error);
        if (status != RK_OK) return status;
        by->known |= 1u << galvatron_log2(degree);
    }
    for (int i = 0; i < GALVATRON_DEGREES; i++)
        if (needs & ~by->known & 1u << i)
            return place_fail(
                object, error,
                "has no size for degree %d: profile it, or allow smaller degrees only", 1 << i);
    return RK_OK;
}

/* ---- the machine ---- */

enum rk_status galvatron_read_ranks(const struct place *object, int *nodes, int *gpus_per_node,
                                    struct rk_error *error)
{
    const char *const keys[] = {"nodes", "gpus_per_node"};
    int *const targets[] = {nodes, gpus_per_node};
    for (int i = 0; i < 2; i++) {
        struct place member;
        const enum rk_status status = need_member(object, keys[i], &member, error);
        if (status != RK_OK) return status;
        const json_int_t number = json_integer_value(member.value);
        if (!galvatron_power_of_two((long)number) || number > GALVATRON_MAX_DEGREE)
            return place_fail(&member, error, "must be a power of two up to %d, as its degrees are",
                              GALVATRON_MAX_DEGREE);
        *targets[i] = (int)number;
    }
    const struct place whole = *object;
    if ((long)*nodes * *gpus_per_node > GALVATRON_MAX_DEGREE)
        return place_fail(&whole, error, "has more than %d ranks", GALVATRON_MAX_DEGREE);
    return RK_OK;
}

/* Bandwidths in GB/s; of all ranks together there is only the one of neighbours. */
static enum rk_status read_allreduce(const struct place *file, int world,
                                     const struct galvatron_needs *needs,
                                     struct galvatron_hardware *hardware, struct rk_error *error)
{
    for (int consecutive = 0; consecutive < 2; consecutive++) {
        struct galvatron_by_degree *by = &hardware->allreduce_ms_per_MB[consecutive];
        *by = (struct galvatron_by_degree){.known = 1};
        for (int i = 1; i < GALVATRON_DEGREES && 1 << i <= world; i++) {
            char key[64];
            double GBps = 0;
            struct place member;
            snprintf(key, sizeof key, "allreduce_size_%d_consec_%d", 1 << i,
                     1 << i == world ? 1 : consecutive);
            const bool needed = needs->allreduce[consecutive] & 1u << i;
            if (!needed && !place_member(file, key, &member)) continue;
            const enum rk_status status = read_member(file, key, &GBps, error);
            if (status != RK_OK) return status;
            by->known |= 1u << i;
            by->value[i] = 1.0 / GBps;
        }
    }
    return RK_OK;
}

static enum rk_status read_p2p(const struct place *file, const struct galvatron_needs *needs,
                               struct galvatron_hardware *hardware, struct rk_error *error)
{
    hardware->p2p_ms_per_MB = (struct galvatron_by_degree){.known = 0};
    for (int i = 1; i < GALVATRON_DEGREES; i++) {
        char key[64];
        double GBps = 0;
        if (!(needs->pipeline & 1u << i)) continue;
        snprintf(key, sizeof key, "pp_size_%d", 1 << i);
        const enum rk_status status = read_member(file, key, &GBps, error);
        if (status != RK_OK) return status;
        hardware->p2p_ms_per_MB.known |= 1u << i;
        hardware->p2p_ms_per_MB.value[i] = 1.0 / GBps;
    }
    return RK_OK;
}

/* "allreduce_size_8_16MB_time": the ranks and the MB; false when the key is another one. */
static bool message_key(const char *key, const char *prefix, int *ranks, int *MB)
{
    const size_t length = strlen(prefix);
    const char *at = key;
    if (strncmp(key, prefix, length) != 0) return false;
    *ranks = number_at(key + length, &at);
    if (*at != '_') return false;
    *MB = number_at(at + 1, &at);
    return strcmp(at, "MB_time") == 0 && *MB > 0 && galvatron_power_of_two(*ranks) &&
           *ranks <= GALVATRON_MAX_DEGREE;
}

enum { MIN_SIZES = 8 };

/* The times of one kind of collective, in ms times `factor`. */
static enum rk_status read_messages(const struct place *file, const char *prefix, double factor,
                                    unsigned needs, struct galvatron_messages *by_ranks,
                                    struct rk_error *error)
{
    const char *key;
    json_t *value;
    enum rk_status status = place_need_object(file, error);
    if (status != RK_OK) return status;
    for (int i = 0; i < GALVATRON_DEGREES; i++)
        by_ranks[i].count = 0;
    json_object_foreach(file->value, key, value)
    {
        struct place member;
        int ranks, MB;
        double ms = 0;
        if (!message_key(key, prefix, &ranks, &MB)) continue;
        place_member(file, key, &member);
        status = read_positive(&member, &ms, error);
        if (status != RK_OK) return status;
        struct galvatron_messages *messages = &by_ranks[galvatron_log2(ranks)];
        if (messages->count == GALVATRON_SIZES)
            return place_fail_key(&member, error, "is one size too many: at most %d",
                                  GALVATRON_SIZES);
        messages->MB[messages->count] = MB;
        messages->ms[messages->count++] = ms * factor;
    }
    for (int i = 0; i < GALVATRON_DEGREES; i++) {
        struct galvatron_messages *messages = &by_ranks[i];
        if (messages->count >= MIN_SIZES)
            messages->ms_of_MB = galvatron_fit_line(messages->count, messages->MB, messages->ms);
        else if (messages->count || needs & 1u << i)
            return place_fail(
                file, error,
                "has %d sizes of \"%s%d_...MB_time\", and a fit needs %d: profile them",
                messages->count, prefix, 1 << i, MIN_SIZES);
    }
    return RK_OK;
}

enum rk_status galvatron_read_hardware(const struct place *object,
                                       const struct galvatron_needs *needs,
                                       struct galvatron_hardware *hardware, struct rk_error *error)
{
    static const char *const keys[] = {"nodes", "gpus_per_node", "allreduce", "p2p", "overlap",
                                       "sp",    "source",        NULL};
    struct place file;
    enum rk_status status = place_need_keys(object, keys, error);
    if (status == RK_OK)
        status = galvatron_read_ranks(object, &hardware->nodes, &hardware->gpus_per_node, error);
    if (status == RK_OK) status = need_member(object, "allreduce", &file, error);
    if (status == RK_OK)
        status = read_allreduce(&file, hardware->nodes * hardware->gpus_per_node, needs, hardware,
                                error);
    if (status == RK_OK) status = need_member(object, "p2p", &file, error);
    if (status == RK_OK) status = read_p2p(&file, needs, hardware, error);
    if (status == RK_OK) status = need_member(object, "overlap", &file, error);
    if (status == RK_OK) status = read_member(&file, "overlap_coe", &hardware->overlap, error);
    if (status == RK_OK) status = need_member(object, "sp", &file, error);
    /* A gather moves half of what an all-reduce does. */
    if (status == RK_OK)
        status =
            read_messages(&file, "allreduce_size_", 0.5, needs->gather, hardware->gather, error);
    if (status == RK_OK)
        status =
            read_messages(&file, "all2all_size_", 1, needs->exchange, hardware->exchange, error);
    return status;
}

/* ---- times of layers ---- */

enum mode { STATIC, BATCH, SEQUENCE };
static const char *const mode_names[] = {"static", "batch", "sequence", NULL};

/* "layertype_0_bsz4_seq2048": the numbers after "bsz" and the last "seq". */
static void time_key(const char *key, int *batch, int *sequence)
{
    const char *end, *at = strstr(key, "_bsz");
    *batch = at ? number_at(at + 4, &end) : 0;
    *sequence = 0;
    for (at = key; (at = strstr(at, "seq")); at += 3)
        *sequence = number_at(at + 3, &end);
}

struct points {
    int count;
    double x[512], y[512];
};

/* What the mode takes of the keys with `prefix`. A sequence is looked for as a text, so that
 * 5120 counts among those of 512: as published. */
static enum rk_status collect(const struct place *file, enum mode mode, const char *prefix,
                              int sequence, struct points *points, struct rk_error *error)
{
    char wanted[32] = "";
    const char *key;
    json_t *value;
    if (mode == BATCH) snprintf(wanted, sizeof wanted, "_seq%d", sequence);
    if (mode == SEQUENCE) snprintf(wanted, sizeof wanted, "_bsz1_");
    json_object_foreach(file->value, key, value)
    {
        struct place member;
        double ms = 0;
        int batch, length;
        if (strncmp(key, prefix, strlen(prefix)) != 0 || !strstr(key, wanted)) continue;
        place_member(file, key, &member);
        const enum rk_status status = read_positive(&member, &ms, error);
        if (status != RK_OK) return status;
        if (points->count == (int)(sizeof points->x / sizeof *points->x))
            return place_fail_key(&member, error, "is one time too many");
        time_key(key, &batch, &length);
        points->x[points->count] = mode == BATCH ? batch : length;
        points->y[points->count++] = mode == BATCH ? ms * batch : ms;
    }
    return RK_OK;
}

static enum rk_status check_points(const struct place *file, const struct points *points, int least,
                                   const char *prefix, const char *what, struct rk_error *error)
{
    int different = 0;
    for (int i = 0; i < points->count; i++) {
        bool again = false;
        for (int j = 0; j < i; j++)
            again |= points->x[i] == points->x[j];
        different += !again;
    }
    if (different >= least) return RK_OK;
    return place_fail(file, error,
                      "has %d %s of \"%s...\", and its time mode needs %d: profile more, or choose "
                      "another mode",
                      different, what, prefix, least);
}

/* Forward ms of samples. In the static mode the original code appends the times of all kinds to one
 * list and takes the entry at the kind's number, so `points` keeps growing from kind to kind. */
static enum rk_status read_time(const struct place *file, enum mode mode, const char *prefix,
                                int number, int sequence, struct points *points,
                                struct galvatron_line *ms, struct rk_error *error)
{
    const bool other = strcmp(prefix, "layertype_other_") == 0;
    if (mode != STATIC) points->count = 0;
    enum rk_status status = collect(file, mode, prefix, sequence, points, error);
    if (status != RK_OK) return status;
    switch (mode) {
    case STATIC:
        if (points->count <= number)
            status = place_fail(file, error, "has no time of \"%s...\": profile it", prefix);
        if (status == RK_OK) *ms = (struct galvatron_line){points->y[number], 0};
        break;
    case BATCH:
        status = check_points(file, points, 8, prefix, "batch sizes", error);
        if (status == RK_OK) *ms = galvatron_fit_line(points->count, points->x, points->y);
        break;
    case SEQUENCE:
        status = check_points(file, points, other ? 2 : 3, prefix, "sequences", error);
        if (status != RK_OK) break;
        if (other) {
            const struct galvatron_line line =
                galvatron_fit_line(points->count, points->x, points->y);
            *ms = (struct galvatron_line){line.slope * sequence + line.offset, 0};
        } else {
            *ms = (struct galvatron_line){
                galvatron_fit_parabola(points->count, points->x, points->y, sequence), 0};
        }
        break;
    }
    return status;
}

static enum rk_status read_times(const struct place *file, enum mode mode,
                                 struct galvatron_model *model, struct rk_error *error)
{
    static const char other[] = "layertype_other_";
    enum rk_status status = place_need_object(file, error);
    struct points *points = calloc(1, sizeof *points);
    if (!points) return no_memory(error);
    for (int i = 0; status == RK_OK && i < model->kinds; i++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "layertype_%d_", i);
        status = read_time(file, mode, prefix, i, model->kind[i].sequence, points,
                           &model->kind[i].forward_ms, error);
    }
    points->count = 0;
    if (status == RK_OK)
        status = read_time(file, mode, other, 0, model->kind[0].sequence, points, &model->other_ms,
                           error);
    free(points);
    return status;
}

/* ---- memory of layers ---- */

static enum rk_status read_layer_memory(const struct place *parameters,
                                        const struct place *activation,
                                        const struct galvatron_needs *needs,
                                        struct galvatron_layers *kind, struct rk_error *error)
{
    struct place table;
    enum rk_status status = read_member(parameters, "parameter_size", &kind->parameter_MB, error);
    if (status == RK_OK)
        status = need_member(activation, "tp_activation_per_bsz_dict", &table, error);
    if (status == RK_OK) status = read_by_degree(&table, needs->split, &kind->activation_MB, error);
    struct place checkpoint;
    kind->checkpoint_MB = 0;
    if (status == RK_OK && needs->checkpoint)
        status = need_member(&table, "checkpoint", &checkpoint, error);
    if (status == RK_OK && needs->checkpoint)
        status = read_size(&checkpoint, &kind->checkpoint_MB, error);
    return status;
}

/* The keys "2048" and, of two kinds of layers, "512_512"; the published code also writes the
 * latter without the dash, which its own reader takes for the number 512512. */
static bool sequence_member(const struct place *object, const struct galvatron_model *model,
                            struct place *member)
{
    char dashed[16 * GALVATRON_KINDS] = "", plain[16 * GALVATRON_KINDS] = "";
    for (int i = 0; i < model->kinds; i++) {
        const size_t at = strlen(dashed), end = strlen(plain);
        snprintf(dashed + at, sizeof dashed - at, "%s%d", i ? "_" : "", model->kind[i].sequence);
        snprintf(plain + end, sizeof plain - end, "%d", model->kind[i].sequence);
    }
    if (!place_member(object, dashed, member) && !place_member(object, plain, member)) return false;
    member->key = json_object_iter_key(json_object_iter_at(object->value, member->key));
    return true;
}

static enum rk_status read_end(const struct place *file, const char *key,
                               const struct galvatron_needs *needs, int longest,
                               const struct galvatron_model *model, struct galvatron_end *end,
                               struct rk_error *error)
{
    struct place by_sequence, sizes, table;
    char number[16];
    enum rk_status status = need_member(file, key, &by_sequence, error);
    if (status != RK_OK) return status;
    snprintf(number, sizeof number, "%d", longest);
    if (longest)
        status = need_member(&by_sequence, number, &sizes, error);
    else if (!sequence_member(&by_sequence, model, &sizes))
        status = place_fail(&by_sequence, error, "has no sequence %d%s: profile it",
                            model->kind[0].sequence, model->kinds > 1 ? "_..." : "");
    if (status == RK_OK) status = need_member(&sizes, "model_states", &table, error);
    if (status == RK_OK) status = read_by_degree(&table, needs->tensor, &end->states_MB, error);
    if (status == RK_OK) status = need_member(&sizes, "activation", &table, error);
    if (status == RK_OK) status = read_by_degree(&table, needs->split, &end->activation_MB, error);
    return status;
}

static void scale(struct galvatron_by_degree *by, int longest, int sequence)
{
    for (int i = 0; i < GALVATRON_DEGREES; i++)
        by->value[i] = by->value[i] / longest * sequence;
}

/* The shortest and the longest profiled sequence, and what was profiled of each. */
struct span {
    int shortest, longest;
    struct place parameters, activation;
};

static enum rk_status read_span(const struct place *kind, struct span *span, struct rk_error *error)
{
    const char *key, *end;
    json_t *value;
    *span = (struct span){.longest = 0};
    json_object_foreach(kind->value, key, value)
    {
        struct place member;
        const int sequence = number_at(key, &end);
        place_member(kind, key, &member);
        if (!sequence || *end) return place_fail_key(&member, error, "is not a sequence length");
        if (sequence > span->longest) {
            span->longest = sequence;
            span->activation = member;
        }
        if (!span->shortest || sequence < span->shortest) {
            span->shortest = sequence;
            span->parameters = member;
        }
    }
    if (span->longest) return RK_OK;
    return place_fail(kind, error, "has no sequence: profile one");
}

static enum rk_status read_ends(const struct place *file, const struct galvatron_needs *needs,
                                int longest, struct galvatron_model *model, struct rk_error *error)
{
    static const char *const keys[] = {"other_memory_pp_off_sp", "other_memory_pp_on_first_sp",
                                       "other_memory_pp_on_last_sp"};
    struct galvatron_end *const ends[] = {&model->whole, &model->first, &model->last};
    enum rk_status status = RK_OK;
    for (int i = 0; status == RK_OK && i < 3; i++) {
        *ends[i] = (struct galvatron_end){.states_MB = {.known = 0}};
        if (i ? !needs->staged : !needs->whole) continue;
        status = read_end(file, keys[i], needs, longest, model, ends[i], error);
        if (longest) scale(&ends[i]->activation_MB, longest, model->kind[0].sequence);
    }
    return status;
}

/* Parameters of the shortest profiled sequence, activations of the longest, by its length. */
static enum rk_status read_scaled(const struct place *file, const struct galvatron_needs *needs,
                                  struct galvatron_model *model, struct rk_error *error)
{
    struct galvatron_layers *kind = &model->kind[0];
    struct place by_sequence;
    struct span span;
    if (model->kinds > 1)
        return place_fail(file, error,
                          "is profiled by sequence, which the published code does for one kind of "
                          "layers only: choose memory_mode static");
    enum rk_status status = need_member(file, "layertype_0_sp", &by_sequence, error);
    if (status == RK_OK) status = place_need_object(&by_sequence, error);
    if (status == RK_OK) status = read_span(&by_sequence, &span, error);
    if (status == RK_OK)
        status = read_layer_memory(&span.parameters, &span.activation, needs, kind, error);
    if (status != RK_OK) return status;
    scale(&kind->activation_MB, span.longest, kind->sequence);
    kind->checkpoint_MB = kind->checkpoint_MB / span.longest * kind->sequence;
    return read_ends(file, needs, span.longest, model, error);
}

static enum rk_status read_fixed(const struct place *file, const struct galvatron_needs *needs,
                                 struct galvatron_model *model, struct rk_error *error)
{
    for (int i = 0; i < model->kinds; i++) {
        char key[32], sequence[16];
        struct place by_sequence, sizes;
        snprintf(key, sizeof key, "layertype_%d_sp", i);
        snprintf(sequence, sizeof sequence, "%d", model->kind[i].sequence);
        enum rk_status status = need_member(file, key, &by_sequence, error);
        if (status == RK_OK) status = need_member(&by_sequence, sequence, &sizes, error);
        if (status == RK_OK)
            status = read_layer_memory(&sizes, &sizes, needs, &model->kind[i], error);
        if (status != RK_OK) return status;
    }
    return read_ends(file, needs, 0, model, error);
}

/* One width, or one for each kind. */
static enum rk_status read_hidden(const struct place *object, struct galvatron_model *model,
                                  struct rk_error *error)
{
    struct place hidden;
    enum rk_status status = need_member(object, "hidden", &hidden, error);
    if (status != RK_OK) return status;
    for (int i = 0; status == RK_OK && i < model->kinds; i++) {
        if (!json_is_array(hidden.value)) {
            status = read_positive(&hidden, &model->kind[i].hidden, error);
            continue;
        }
        status = place_need_array(&hidden, (size_t)model->kinds, GALVATRON_KINDS, error);
        if (status != RK_OK) break;
        const struct place width = place_element(&hidden, (size_t)i);
        status = read_positive(&width, &model->kind[i].hidden, error);
    }
    return status;
}

static enum rk_status read_mode(const struct place *object, const char *key, int *mode,
                                struct rk_error *error)
{
    const struct field field = {key, FIELD_CHOICE, .choices = mode_names};
    struct place member;
    *mode = STATIC;
    return place_member(object, key, &member) ? field_load(&member, &field, mode, error) : RK_OK;
}

enum rk_status galvatron_read_model(const struct place *object, const struct galvatron_shape *shape,
                                    const struct galvatron_needs *needs,
                                    struct galvatron_model *model, struct rk_error *error)
{
    static const char *const keys[] = {"hidden",      "time",   "memory", "time_mode",
                                       "memory_mode", "source", NULL};
    struct place time, memory;
    int time_mode, memory_mode;
    model->kinds = shape->kinds;
    for (int i = 0; i < shape->kinds; i++)
        model->kind[i] =
            (struct galvatron_layers){.layers = shape->layers[i], .sequence = shape->sequence[i]};
    enum rk_status status = place_need_keys(object, keys, error);
    if (status == RK_OK) status = read_hidden(object, model, error);
    if (status == RK_OK) status = read_mode(object, "time_mode", &time_mode, error);
    if (status == RK_OK) status = read_mode(object, "memory_mode", &memory_mode, error);
    if (status == RK_OK) status = need_member(object, "time", &time, error);
    if (status == RK_OK) status = need_member(object, "memory", &memory, error);
    if (status == RK_OK) status = read_times(&time, (enum mode)time_mode, model, error);
    if (status == RK_OK && memory_mode == BATCH) {
        struct place mode;
        place_member(object, "memory_mode", &mode);
        return place_fail(&mode, error, "is not one of memory: give static or sequence");
    }
    if (status == RK_OK)
        status = memory_mode == SEQUENCE ? read_scaled(&memory, needs, model, error)
                                         : read_fixed(&memory, needs, model, error);
    return status;
}
