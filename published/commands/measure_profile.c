#include "cli/measure_profile.h"

#include "base/memory.h"
#include "cli/train_model.h"
#include "galvatron/predicted.h"
#include "text/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MB 1048576.0

enum { BATCHES = 8, STEPS = 3, MOST_SPLIT = 8, DATA_BYTES = 1 << 20 };

struct bench {
    struct rk_model model; /* of the catalog's layers; runs have one or two */
    struct rk_train train;
    struct rk_system system;
    char folder[512], system_path[544], data_path[544];
    uint64_t sequence, ranks;
    json_t *time, *memory; /* of the profile, not owned */
    struct rk_error *error;
};

/* ---- runs ---- */

struct run {
    double layers_s, all_s; /* forward of the layers; all computing of a step */
    double peak_bytes, weights_bytes;
};

/* A few steps of `layers` layers; the least processor time of any. */
static enum rk_status run_layers(struct bench *b, uint64_t layers, uint64_t batch, uint64_t tensor,
                                 bool recompute, struct run *run)
{
    struct rk_model model = b->model;
    struct rk_plan plan = rk_plan_default();
    struct rk_train_result result;
    const struct rk_train_run how = {.data = b->data_path, .system = &b->system};
    model.layers = layers;
    plan.precision = RK_FP32;
    plan.ranks = plan.tensor = tensor;
    plan.sequence_parallel = tensor > 1;
    plan.batch = plan.microbatch = batch;
    plan.sequence = b->sequence;
    plan.recompute = recompute ? RK_WHOLE : RK_KEEP;
    b->train.steps = STEPS;
    const enum rk_status status =
        cli_executor->train(&model, &plan, &b->train, &how, &result, b->error);
    enum { MATRIX, ATTENTION, MEMORY, RECOMPUTE };
    *run = (struct run){
        .layers_s = result.part_cpu_s[RECOMPUTE],
        .all_s =
            result.part_cpu_s[MATRIX] + result.part_cpu_s[ATTENTION] + result.part_cpu_s[MEMORY],
        .peak_bytes = (double)result.peak_bytes,
        .weights_bytes = (double)result.weights_bytes,
    };
    return status;
}

static void set(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, json_real(value));
}

/* Forward ms of a sample, in a layer and in embedding and head, of which backward is twice. */
static enum rk_status measure_times(struct bench *b)
{
    enum rk_status status = RK_OK;
    for (uint64_t batch = 1; status == RK_OK && batch <= BATCHES; batch++) {
        struct run one, two;
        char key[64];
        status = run_layers(b, 1, batch, 1, true, &one);
        if (status == RK_OK) status = run_layers(b, 2, batch, 1, true, &two);
        if (status != RK_OK) break;
        const double samples = (double)batch, layer_s = two.layers_s / 2;
        const double ends_s = (one.all_s - (two.all_s - one.all_s)) / 3;
        snprintf(key, sizeof key, "layertype_0_bsz%d_seq%d", (int)batch, (int)b->sequence);
        set(b->time, key, 1e3 * layer_s / samples);
        snprintf(key, sizeof key, "layertype_other_bsz%d_seq%d", (int)batch, (int)b->sequence);
        /* the form wants more than nothing where it is lost in noise */
        set(b->time, key, 1e3 * fmax(ends_s, 1e-3 * layer_s) / samples);
    }
    return status;
}

/* MB that a layer keeps of a sample more, of so many tensor ranks. */
static enum rk_status measure_kept(struct bench *b, uint64_t tensor, bool recompute, double *kept)
{
    struct run run[2][2];
    enum rk_status status = RK_OK;
    for (int layers = 0; layers < 2; layers++)
        for (int batch = 0; status == RK_OK && batch < 2; batch++)
            status = run_layers(b, (uint64_t)layers + 1, (uint64_t)batch + 1, tensor, recompute,
                                &run[layers][batch]);
    if (status != RK_OK) return status;
    *kept = (run[1][1].peak_bytes - run[0][1].peak_bytes -
             (run[1][0].peak_bytes - run[0][0].peak_bytes)) /
            MB;
    return RK_OK;
}

/* The only member of an object, by its key of whatever sequence. */
static json_t *only(json_t *object)
{
    return json_object_iter_value(json_object_iter(object));
}

static enum rk_status measure_memory(struct bench *b)
{
    json_t *sizes = only(json_object_get(b->memory, "layertype_0_sp"));
    json_t *kept = json_object_get(sizes, "tp_activation_per_bsz_dict");
    struct run one, two;
    double bytes;
    enum rk_status status = run_layers(b, 1, 1, 1, false, &one);
    if (status == RK_OK) status = run_layers(b, 2, 1, 1, false, &two);
    if (status == RK_OK) set(sizes, "parameter_size", (two.weights_bytes - one.weights_bytes) / MB);
    if (status == RK_OK) status = measure_kept(b, 1, true, &bytes);
    if (status == RK_OK) set(kept, "checkpoint", bytes);
    for (uint64_t t = 1; status == RK_OK && t <= MOST_SPLIT && t <= b->ranks; t *= 2) {
        char key[16];
        snprintf(key, sizeof key, "%d", (int)t);
        if (!json_object_get(kept, key)) continue; /* heads that do not divide */
        status = measure_kept(b, t, false, &bytes);
        if (status == RK_OK) set(kept, key, bytes);
    }
    return status;
}

/* ---- files that runs need ---- */

static enum rk_status write_bytes(const char *path, const char *bytes, size_t size,
                                  struct rk_error *error)
{
    FILE *file = fopen(path, "wb");
    const bool written = file && fwrite(bytes, 1, size, file) == size;
    if (file && fclose(file) == 0 && written) return RK_OK;
    return rk_fail(error, RK_IO, path, 0, 0, "cannot be written");
}

/* A machine and some bytes to train on, in a folder of their own. */
static enum rk_status lay_out(struct bench *b, const char *system, struct rk_error *error)
{
    const char *tmp = getenv("TMPDIR");
    char *data = malloc(DATA_BYTES);
    if (!data) return no_memory(error);
    for (size_t i = 0; i < DATA_BYTES; i++)
        data[i] = (char)(i * i % 251);
    const int length =
        snprintf(b->folder, sizeof b->folder, "%s/reckon-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (length >= (int)sizeof b->folder || !mkdtemp(b->folder)) {
        free(data);
        b->folder[0] = '\0';
        return rk_fail(error, RK_IO, tmp, 0, 0, "no folder can be made there: set TMPDIR");
    }
    snprintf(b->system_path, sizeof b->system_path, "%s/here.json", b->folder);
    snprintf(b->data_path, sizeof b->data_path, "%s/bytes", b->folder);
    enum rk_status status = write_bytes(b->system_path, system, strlen(system), error);
    if (status == RK_OK) status = write_bytes(b->data_path, data, DATA_BYTES, error);
    if (status == RK_OK) status = rk_system_load(b->system_path, &b->system, error);
    free(data);
    return status;
}

static void clear_away(struct bench *b)
{
    if (!b->folder[0]) return;
    remove(b->system_path);
    remove(b->data_path);
    rmdir(b->folder);
}

/* ---- all of it ---- */

/* A profile as predicted for this machine, in which what can be measured takes the place of what
 * was predicted. */
static enum rk_status fill(struct bench *b, json_t *profiles, struct rk_error *error)
{
    json_t *model = only(json_object_get(profiles, "models"));
    b->time = json_object_get(model, "time");
    b->memory = json_object_get(model, "memory");
    if (json_array_size(json_object_get(model, "hidden")) != 1)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--profile: %s has layers of several kinds: profiles are measured of models "
                       "with one",
                       b->model.id);
    const enum rk_status status = measure_times(b);
    return status == RK_OK ? measure_memory(b) : status;
}

enum rk_status measure_profile_try(const struct measure_profile *args, struct rk_error *error)
{
    struct rk_model model;
    struct rk_train train = cli_executor->defaults();
    return train_model_open(args->model, &model, &train, error);
}

enum rk_status measure_profile(const struct measure_profile *args, const char *system,
                               struct rk_error *error)
{
    struct bench *b = calloc(1, sizeof *b);
    struct output output = {.file = NULL};
    json_t *profiles = NULL;
    bool mixed = false;
    if (!b) return no_memory(error);
    b->error = error;
    b->ranks = args->ranks;
    b->train = cli_executor->defaults();
    b->train.repeat = true;
    enum rk_status status = train_model_open(args->model, &b->model, &b->train, error);
    b->model.no_dropout = true;
    if (status == RK_OK) status = lay_out(b, system, error);
    b->sequence = args->sequence ? args->sequence : b->model.sequence;
    if (status == RK_OK)
        status = galvatron_predict(&b->model, &b->system, args->ranks, b->sequence, RK_FP32,
                                   &profiles, &mixed, error);
    if (status == RK_OK && mixed)
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "--profile: %s has layers of several kinds: profiles are measured of "
                         "models with one",
                         b->model.id);
    if (status == RK_OK) status = fill(b, profiles, error);
    if (status == RK_OK) status = output_open(&output, args->output, error);
    if (status == RK_OK) {
        json_dumpf(profiles, output.file, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
        fputc('\n', output.file);
        status = output_commit(&output, error);
    }
    output_abandon(&output);
    json_decref(profiles);
    rk_system_release(&b->system);
    clear_away(b);
    free(b);
    return status;
}
