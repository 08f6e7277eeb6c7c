#include "cli/diff_config.h"

#include "base/memory.h"
#include "text/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct knob_file file_of(const struct diff_input *in, const struct config_source *config)
{
    return (struct knob_file){.format = in->launch->format,
                              .source = config,
                              .size = in->launch->size,
                              .script = in->launch->script,
                              .model = &in->model,
                              .system = &in->system,
                              .usable_bytes = in->usable_bytes};
}

/* The share that A takes, where it fits; else 0. */
static double share_of(const struct diff_input *in)
{
    static struct rk_prediction p;
    if (rk_predict(&in->model, &in->system, &in->a, &p) != RK_FITS) return 0;
    return p.stage[p.tightest].total_bytes / in->system.memory[0].capacity_bytes;
}

enum rk_status diff_room(const struct diff_source *source, const struct diff_input *input,
                         double *room, struct rk_error *error)
{
    const bool learned = !source->headroom || strcmp(source->headroom, "learned") == 0;
    const enum rk_status status =
        rk_headroom_share(source->headroom, &input->model, &input->system, &input->a, room, error);
    if (status == RK_OK && learned) *room = fmax(*room, share_of(input));
    return status;
}

enum rk_status config_best(const struct diff_source *source, struct diff_input *input,
                           struct rk_error *error)
{
    double room;
    const struct config_source config = launch_config(&input->from, input->launch);
    enum rk_status status = diff_room(source, input, &room, error);
    input->usable_bytes = room * input->system.memory[0].capacity_bytes;
    const struct knob_file file = file_of(input, &config);
    if (status == RK_OK) input->best = calloc(1, sizeof *input->best);
    if (status == RK_OK && !input->best) status = no_memory(error);
    if (status == RK_OK) status = knobs_best(&file, input->best, error);
    if (status != RK_OK) return status;
    input->b = input->best->plan;
    snprintf(input->name_b, sizeof input->name_b, "best of %zu by its keys", input->best->tried);
    return RK_OK;
}

/* clang-format off */
/* The members of a plan that a knob sets, as find_worth() of diff_tables.c looks them up. */
static const struct { const char *what, *keys; } members[] = {
    {"tensor parallelism", "tensor"}, {"pipeline parallelism", "pipeline"}, {"context parallelism", "context"},
    {"expert parallelism", "expert"}, {"replicas of the sharded model", "shard_ranks"},
    {"weights kept gathered or not", "keep_gathered"}, {"overlap of tensor communication", "tensor_overlap"},
    {"pipeline schedule", "schedule"}, {"interleaved stages", "chunks"}, {"microbatch", "microbatch"},
    {"local batch", "microbatch"}, {"recomputation", "recompute"}, {"compiled kernels", "fused"},
    {"fused kernels", "fused"}, {"ZeRO stage", "zero"}, {"sharded optimizer", "zero"},
    {"overlap of gradients", "gradient_overlap"}, {"overlap of weights", "weight_overlap"},
    {"attention kernel", "attention"}, {"sequence parallelism", "sequence_parallel"},
    {"offload of the optimizer", "optimizer_offload"}, {"offload of the weights", "weight_offload"},
};
/* clang-format on */

static const char *keys_of(const char *what)
{
    for (size_t i = 0; what && i < sizeof members / sizeof *members; i++)
        if (strcmp(members[i].what, what) == 0) return members[i].keys;
    return "";
}

struct megatron_changes *config_changes(const struct diff_input *input)
{
    const bool any = input->best && input->best->sets;
    struct megatron_changes *changes = any ? calloc(1, sizeof *changes) : NULL;
    for (int i = 0; changes && i < input->best->sets; i++) {
        const struct knob_set *set = &input->best->set[i];
        struct megatron_change *c = &changes->change[changes->count++];
        *c = (struct megatron_change){
            .was = *set->before, .is = true, .line = set->line, .keys = keys_of(set->what)};
        snprintf(c->flag, sizeof c->flag, "%.63s", set->key);
        snprintf(c->before, sizeof c->before, "%s", set->before);
        snprintf(c->after, sizeof c->after, "%s", set->after);
    }
    return changes;
}

bool config_is_output(const struct diff_input *input, const char *path)
{
    const char *own =
        input->launch && input->launch->format ? strrchr(input->from.path, '.') : NULL;
    const char *end = path ? strrchr(path, '.') : NULL;
    return own && end && strcmp(own, end) == 0;
}

enum rk_status config_write(const struct diff_input *input, const char *path,
                            struct rk_error *error)
{
    struct output output = {.file = NULL};
    char *text = NULL;
    if (!input->best)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "-o %.80s: a configuration is written with the best plan: leave B out, or "
                       "give another name",
                       path);
    if (input->launch->script)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "-o %.80s: A is a script that names its configuration: give that file",
                       path);
    const struct config_source config = launch_config(&input->from, input->launch);
    const struct knob_file file = file_of(input, &config);
    enum rk_status status =
        knobs_write(&file, input->best->set, input->best->sets, &input->best->plan, &text, error);
    if (status == RK_OK) status = output_open(&output, path, error);
    if (status == RK_OK) {
        fputs(text, output.file);
        status = output_commit(&output, error);
    }
    free(text);
    return status;
}
