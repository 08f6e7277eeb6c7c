#include "facts/nearest.h"

#include "base/memory.h"
#include "catalog/catalog.h"
#include "facts/likeness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

bool is_measured_step(const struct result *r)
{
    return r->kind == FIGURE_STEP && r->predicted_si > 0 && r->measured_si > 0 && r->peak_flops > 0;
}

static enum rk_status fail(const struct csv *csv, size_t row, struct rk_error *error)
{
    return rk_fail(error, RK_BAD_INPUT, csv->path, csv->line[row], 0,
                   "no measured step: write the table again with reckon validate `steps`");
}

enum column {
    ID,
    GROUP,
    SOURCE,
    PUBLISHED,
    SYSTEM,
    GPUS,
    LAYERS,
    HIDDEN,
    MEASURED,
    PREDICTED,
    PLAN
};
static const char *const columns[] = {"id",         "group",       "source", "published",
                                      "system",     "gpus",        "layers", "hidden",
                                      "measured_s", "predicted_s", "plan"};
enum { COLUMNS = sizeof columns / sizeof *columns };

static enum rk_status read_step(const struct csv *csv, const int at[static COLUMNS], size_t row,
                                struct measured_step *step, struct rk_error *error)
{
    const char *text[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        text[i] = at[i] < 0 ? "" : csv_cell(csv, row, (size_t)at[i]);
    *step = (struct measured_step){.id = text[ID],
                                   .group = text[GROUP],
                                   .source = text[SOURCE],
                                   .system = text[SYSTEM],
                                   .published = text[PUBLISHED],
                                   .words = text[PLAN],
                                   .gpus = strtoull(text[GPUS], NULL, 10),
                                   .layers = strtoull(text[LAYERS], NULL, 10),
                                   .hidden = strtoull(text[HIDDEN], NULL, 10),
                                   .measured_s = strtod(text[MEASURED], NULL),
                                   .predicted_s = strtod(text[PREDICTED], NULL)};
    return step->measured_s > 0 && step->predicted_s > 0 ? RK_OK : fail(csv, row, error);
}

enum rk_status steps_load(const char *path, struct measured_steps *steps, struct rk_error *error)
{
    int at[COLUMNS];
    *steps = (struct measured_steps){0};
    struct csv *csv = &steps->table;
    enum rk_status status = csv_load(path, csv, error);
    if (status == RK_OK) steps->step = calloc(csv->rows + 1, sizeof *steps->step);
    if (status == RK_OK && !steps->step) status = no_memory(error);
    for (int i = 0; status == RK_OK && i < COLUMNS; i++)
        at[i] = csv_column(csv, columns[i]);
    for (size_t i = 0; status == RK_OK && i < csv->rows; i++)
        status = read_step(csv, at, i, &steps->step[steps->count++], error);
    if (status != RK_OK) steps_release(steps);
    return status;
}

enum rk_status measured_step_plan(const struct measured_steps *steps, size_t i,
                                  struct rk_plan *plan, struct rk_error *error)
{
    if (rk_plan_parse(steps->step[i].words, plan, error) == RK_OK) return RK_OK;
    return fail(&steps->table, i, error);
}

void steps_release(struct measured_steps *steps)
{
    free(steps->step);
    csv_release(&steps->table);
    *steps = (struct measured_steps){0};
}

/* ---- how near ---- */

/* The step that is asked for and another one, as likeness() looks at them. A model of the same
 * width and depth is of the same family. */
struct pair {
    struct result asked, other;
};

static struct pair *pair_of(const struct rk_model *model, const struct rk_system *system,
                            const struct rk_plan *plan)
{
    struct pair *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->asked.model.layers = model->layers;
    b->asked.model.hidden = model->hidden;
    b->asked.gpus = plan->ranks;
    b->asked.judgement.plan = *plan;
    if (!plan->sequence) b->asked.judgement.plan.sequence = model->sequence;
    snprintf(b->asked.system, sizeof b->asked.system, "%.63s", system->id);
    return b;
}

static double alike(struct pair *b, const struct measured_step *step, const struct rk_plan *plan)
{
    const struct result *asked = &b->asked;
    const bool family = step->layers == asked->model.layers && step->hidden == asked->model.hidden;
    b->other.model.layers = step->layers;
    b->other.model.hidden = step->hidden;
    b->other.gpus = step->gpus;
    b->other.judgement.plan = *plan;
    b->other.class_of[CLASS_FAMILY][0] = family ? '\0' : '+';
    memccpy(b->other.system, step->system, '\0', 63);
    return likeness(asked, &b->other);
}

/* ---- the nearest ---- */

/* Of equally near ones the first of the table. */
static bool is_nearer(const struct measured_step *step, double likeness,
                      const struct nearest *nearest, int at)
{
    return likeness > nearest->likeness[at] ||
           (likeness == nearest->likeness[at] && step < nearest->step[at]);
}

static void move(struct nearest *nearest, int to, int from)
{
    nearest->step[to] = nearest->step[from];
    nearest->likeness[to] = nearest->likeness[from];
    nearest->plan[to] = nearest->plan[from];
}

/* Takes the source's run that was kept out of the list, unless that is nearer. */
static bool takes_place(struct nearest *nearest, const struct measured_step *step, double likeness)
{
    int at = 0;
    while (at < nearest->count && strcmp(nearest->step[at]->group, step->group) != 0)
        at++;
    if (at == nearest->count) return true;
    if (!is_nearer(step, likeness, nearest, at)) return false;
    for (nearest->count--; at < nearest->count; at++)
        move(nearest, at, at + 1);
    return true;
}

static void keep(struct nearest *nearest, const struct measured_step *step, double likeness,
                 const struct rk_plan *plan)
{
    if (!takes_place(nearest, step, likeness)) return;
    int at = nearest->count;
    while (at > 0 && is_nearer(step, likeness, nearest, at - 1))
        at--;
    if (at == NEAREST_RUNS) return;
    if (nearest->count < NEAREST_RUNS) nearest->count++;
    for (int i = nearest->count - 1; i > at; i--)
        move(nearest, i, i - 1);
    nearest->step[at] = step;
    nearest->likeness[at] = likeness;
    nearest->plan[at] = *plan;
}

struct candidate {
    double most; /* its likeness, if its plan were the one that is asked for */
    size_t step;
};

static int by_most(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->most != y->most ? (x->most < y->most) - (x->most > y->most)
                              : (x->step > y->step) - (x->step < y->step);
}

/* Reads plans, those that may come nearest first, as long as one may still be near enough. */
static enum rk_status visit(struct pair *b, const struct measured_steps *steps,
                            struct candidate *all, struct nearest *nearest, struct rk_error *error)
{
    static const double rounding = 1e-9;
    for (size_t i = 0; i < steps->count; i++)
        all[i] = (struct candidate){alike(b, &steps->step[i], &b->asked.judgement.plan), i};
    qsort(all, steps->count, sizeof *all, by_most);
    for (size_t i = 0; i < steps->count; i++) {
        const struct measured_step *step = &steps->step[all[i].step];
        struct rk_plan plan;
        if (nearest->count == NEAREST_RUNS &&
            all[i].most < nearest->likeness[NEAREST_RUNS - 1] * (1 - rounding))
            break;
        const enum rk_status status = measured_step_plan(steps, all[i].step, &plan, error);
        if (status != RK_OK) return status;
        keep(nearest, step, alike(b, step, &plan), &plan);
    }
    return RK_OK;
}

enum rk_status nearest_among(const struct measured_steps *steps, const struct rk_model *model,
                             const struct rk_system *system, const struct rk_plan *plan,
                             struct nearest *nearest, struct rk_error *error)
{
    struct pair *b = pair_of(model, system, plan);
    struct candidate *all = malloc((steps->count + 1) * sizeof *all);
    *nearest = (struct nearest){0};
    const enum rk_status status =
        b && all ? visit(b, steps, all, nearest, error) : no_memory(error);
    free(b);
    free(all);
    return status;
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
