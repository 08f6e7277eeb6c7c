#include "facts/nearest.h"

#include "base/memory.h"
#include "catalog/catalog.h"
#include "facts/likeness.h"
#include "text/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

bool is_measured_step(const struct result *r)
{
    return r->kind == FIGURE_STEP && r->predicted_si > 0 && r->measured_si > 0 && r->peak_flops > 0;
}

static const char *text_of(const struct csv *csv, size_t row, const char *name)
{
    const int column = csv_column(csv, name);
    return column < 0 ? "" : csv_cell(csv, row, (size_t)column);
}

static enum rk_status read_step(const struct csv *csv, size_t row, struct measured_step *step,
                                struct rk_error *error)
{
    const struct {
        const char *name;
        char *to;
        size_t size;
    } texts[] = {{"id", step->id, sizeof step->id},
                 {"group", step->group, sizeof step->group},
                 {"source", step->source, sizeof step->source},
                 {"published", step->published, sizeof step->published},
                 {"system", step->system, sizeof step->system}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        snprintf(texts[i].to, texts[i].size, "%s", text_of(csv, row, texts[i].name));
    step->gpus = strtoull(text_of(csv, row, "gpus"), NULL, 10);
    step->layers = strtoull(text_of(csv, row, "layers"), NULL, 10);
    step->hidden = strtoull(text_of(csv, row, "hidden"), NULL, 10);
    step->measured_s = strtod(text_of(csv, row, "measured_s"), NULL);
    step->predicted_s = strtod(text_of(csv, row, "predicted_s"), NULL);
    if (rk_plan_parse(text_of(csv, row, "plan"), &step->plan, error) != RK_OK ||
        !(step->measured_s > 0 && step->predicted_s > 0))
        return rk_fail(error, RK_BAD_INPUT, csv->path, csv->line[row], 0,
                       "no measured step: write the table again with reckon validate `steps`");
    return RK_OK;
}

enum rk_status steps_load(const char *path, struct measured_steps *steps, struct rk_error *error)
{
    struct csv csv;
    *steps = (struct measured_steps){0};
    enum rk_status status = csv_load(path, &csv, error);
    if (status == RK_OK) steps->step = calloc(csv.rows + 1, sizeof *steps->step);
    if (status == RK_OK && !steps->step) status = no_memory(error);
    for (size_t i = 0; status == RK_OK && i < csv.rows; i++)
        status = read_step(&csv, i, &steps->step[steps->count++], error);
    csv_release(&csv);
    if (status != RK_OK) steps_release(steps);
    return status;
}

void steps_release(struct measured_steps *steps)
{
    free(steps->step);
    *steps = (struct measured_steps){0};
}

/* ---- how near ---- */

/* What likeness() looks at. A model of the same width and depth is of the same family. */
static void describe(struct result *r, uint64_t layers, uint64_t hidden, const char *system,
                     const struct rk_plan *plan)
{
    r->model.layers = layers;
    r->model.hidden = hidden;
    r->judgement.plan = *plan;
    snprintf(r->system, sizeof r->system, "%.63s", system);
    snprintf(r->class_of[CLASS_FAMILY], FACT_TEXT, "%llu x %llu", (unsigned long long)layers,
             (unsigned long long)hidden);
}

/* ---- the nearest ---- */

/* Takes the source's run that was kept out of the list, unless that is nearer. */
static bool takes_place(struct nearest *nearest, const struct measured_step *step, double likeness)
{
    int at = 0;
    while (at < nearest->count && strcmp(nearest->step[at]->group, step->group) != 0)
        at++;
    if (at == nearest->count) return true;
    if (nearest->likeness[at] >= likeness) return false;
    for (nearest->count--; at < nearest->count; at++) {
        nearest->step[at] = nearest->step[at + 1];
        nearest->likeness[at] = nearest->likeness[at + 1];
    }
    return true;
}

static void keep(struct nearest *nearest, const struct measured_step *step, double likeness)
{
    if (!takes_place(nearest, step, likeness)) return;
    int at = nearest->count;
    while (at > 0 && likeness > nearest->likeness[at - 1])
        at--;
    if (at == NEAREST_RUNS) return;
    if (nearest->count < NEAREST_RUNS) nearest->count++;
    for (int i = nearest->count - 1; i > at; i--) {
        nearest->step[i] = nearest->step[i - 1];
        nearest->likeness[i] = nearest->likeness[i - 1];
    }
    nearest->step[at] = step;
    nearest->likeness[at] = likeness;
}

enum rk_status nearest_among(const struct measured_steps *steps, const struct rk_model *model,
                             const struct rk_system *system, const struct rk_plan *plan,
                             struct nearest *nearest, struct rk_error *error)
{
    struct result *pair = calloc(2, sizeof *pair);
    struct rk_plan asked = *plan;
    *nearest = (struct nearest){0};
    if (!pair) return no_memory(error);
    if (!asked.sequence) asked.sequence = model->sequence;
    describe(&pair[0], model->layers, model->hidden, system->id, &asked);
    pair[0].gpus = plan->ranks;
    for (size_t i = 0; i < steps->count; i++) {
        const struct measured_step *step = &steps->step[i];
        describe(&pair[1], step->layers, step->hidden, step->system, &step->plan);
        pair[1].gpus = step->gpus;
        keep(nearest, step, likeness(&pair[0], &pair[1]));
    }
    free(pair);
    return RK_OK;
}

const struct measured_steps *measured_steps_own(void)
{
    static struct measured_steps steps;
    static bool read;
    char folder[3072], path[4096];
    struct rk_error error;
    if (read) return &steps;
    read = true;
    if (catalog_folder(folder, sizeof folder, &error) != RK_OK) return &steps;
    snprintf(path, sizeof path, "%s/measured/steps.csv", folder);
    if (steps_load(path, &steps, &error) != RK_OK) steps_release(&steps);
    return &steps;
}

enum rk_status nearest_runs(const struct rk_model *model, const struct rk_system *system,
                            const struct rk_plan *plan, struct nearest *nearest,
                            struct rk_error *error)
{
    return nearest_among(measured_steps_own(), model, system, plan, nearest, error);
}
