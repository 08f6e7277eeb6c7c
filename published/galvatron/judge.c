#include "galvatron/judge.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int kind_of(const struct galvatron_model *model, int layer)
{
    int kind = 0;
    while (layer >= model->kind[kind].layers)
        layer -= model->kind[kind++].layers;
    return kind;
}

static enum rk_status open(struct galvatron_answer *answer, const struct galvatron_file *file,
                           struct rk_error *error)
{
    const size_t layers = (size_t)file->layers, stages = (size_t)file->stages;
    *answer = (struct galvatron_answer){.batch = file->batch,
                                        .chunks = file->chunks,
                                        .stages = file->stages,
                                        .layers = file->layers,
                                        .embedding = file->embedding,
                                        .layer = calloc(layers, sizeof *answer->layer),
                                        .division = calloc(stages, sizeof *answer->division),
                                        .used_MB = calloc(stages, sizeof *answer->used_MB),
                                        .left_MB = calloc(stages, sizeof *answer->left_MB)};
    if (!answer->layer || !answer->division || !answer->used_MB || !answer->left_MB)
        return no_memory(error);
    memcpy(answer->layer, file->layer, layers * sizeof *file->layer);
    memcpy(answer->division, file->division, stages * sizeof *file->division);
    return RK_OK;
}

/* The largest degree of tensor parallelism: what the buffer of gathers is for. */
static int largest_tensor(const struct galvatron_file *file)
{
    int most = 0;
    for (int i = 0; i < file->layers; i++)
        if (file->layer[i].ulysses == 1 && file->layer[i].tensor > most)
            most = file->layer[i].tensor;
    return most;
}

enum rk_status galvatron_judge(const struct galvatron_question *question,
                               const struct galvatron_setting *setting,
                               const struct galvatron_file *file, struct galvatron_answer *answer,
                               struct rk_error *error)
{
    const struct galvatron_job job = {.hardware = &setting->hardware,
                                      .model = &setting->model,
                                      .batch = file->batch,
                                      .chunks = file->chunks,
                                      .half = question->precision != GALVATRON_FP32,
                                      .async = question->async,
                                      .gpipe = file->pipeline == GALVATRON_GPIPE,
                                      .change_scale = question->change_scale};
    int layers = 0, reserved = 0, first = 0;
    for (int i = 0; i < setting->model.kinds; i++)
        layers += setting->model.kind[i].layers;
    if (layers != file->layers)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "the strategy file has %d layers, layers= says %d", file->layers, layers);
    const size_t stages = (size_t)file->stages;
    double *stage_s = calloc(2 * stages, sizeof *stage_s),
           *term = calloc((size_t)layers, sizeof *term);
    enum rk_status status = open(answer, file, error);
    if (status == RK_OK && (!stage_s || !term)) status = no_memory(error);
    const int budget = galvatron_budget_MB(question->memory_GB, &reserved);
    const int buffer = largest_tensor(file);
    answer->found = status == RK_OK;
    for (int stage = 0; status == RK_OK && stage < file->stages; stage++) {
        const int count = file->division[stage];
        double used = ceil(galvatron_end_MB(&job, &file->embedding, stage)) +
                      (buffer ? floor(galvatron_buffer_MB(&job, file->stages, buffer)) : 0);
        for (int sync = 0; sync < 2; sync++) {
            for (int i = 0; i < count; i++) {
                const struct galvatron_strategy *one = &file->layer[first + i];
                const int kind = kind_of(&setting->model, first + i);
                const struct galvatron_time time = galvatron_layer_time(&job, one, kind);
                const struct galvatron_memory memory =
                    galvatron_layer_memory(&job, one, kind, stage);
                term[i] = sync ? time.sync_s : time.s;
                if (sync) used += ceil(memory.states_MB + memory.activation_MB);
            }
            stage_s[(size_t)sync * stages + (size_t)stage] = galvatron_sum(count, term);
        }
        stage_s[stage] += galvatron_end_time(&job, &file->embedding, stage).s;
        answer->used_MB[stage] = (int)fmin(used, 1e9) + reserved;
        answer->left_MB[stage] = budget - (int)fmin(used, 1e9);
        answer->found &= answer->left_MB[stage] >= 0;
        first += count;
    }
    if (status == RK_OK) {
        answer->step_s = galvatron_step_s(file->stages, file->chunks, stage_s, stage_s + stages);
        answer->samples_per_s = file->batch / answer->step_s;
    }
    free(stage_s);
    free(term);
    return status;
}
