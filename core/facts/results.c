#include "facts/results.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *result_verdict_name(enum result_verdict verdict)
{
    static const char *const names[RESULT_VERDICTS] = {"compared", "refused", "oom rejected",
                                                       "oom accepted", "not modelled"};
    return (unsigned)verdict < RESULT_VERDICTS ? names[verdict] : NULL;
}

enum published result_published(const struct result *result)
{
    const char *text = result->class_of[CLASS_PUBLISHED];
    return strcmp(text, "benchmark") == 0  ? PUBLISHED_BENCHMARK
           : strcmp(text, "ordinary") == 0 ? PUBLISHED_ORDINARY
                                           : PUBLISHED_UNKNOWN;
}

/* ---- rows ---- */

static struct result *append(struct results *results)
{
    if (!ARRAY_ROOM(results->result, results->count)) return NULL;
    struct result *r = &results->result[results->count++];
    *r = (struct result){.verdict = RESULT_UNMODELLED,
                         .measured = NAN,
                         .predicted = NAN,
                         .measured_si = NAN,
                         .predicted_si = NAN,
                         .error = NAN,
                         .came_error = NAN,
                         .range = {NAN, NAN, NAN, NAN},
                         .left = 1,
                         .products = 1};
    return r;
}

static double half_peak(const struct rk_system *system)
{
    const double peak = system->matrix[RK_BFLOAT16].peak_flops;
    return peak > 0 ? peak : system->matrix[RK_FLOAT16].peak_flops;
}

static void describe(struct result *r, const struct fact *fact)
{
    memcpy(r->id, fact->id, sizeof r->id);
    memcpy(r->source, fact->source, sizeof r->source);
    memcpy(r->class_of, fact->class_of, sizeof r->class_of);
    memcpy(r->group, fact->group, sizeof r->group);
    memcpy(r->reason, fact->reason, sizeof r->reason);
    snprintf(r->system, sizeof r->system, "%.63s", fact->system.id);
    r->model = fact->model;
    r->gpus = fact->plan.ranks;
    if (!fact->clusters) r->peak_flops = (double)r->gpus * half_peak(&fact->system);
    r->experts = fact->model.experts > 0;
    r->came = fact->came;
}

static void say_why(struct result *r, const struct judgement *j)
{
    if (j->verdict == RK_MEMORY_EXCEEDED || j->verdict == RK_FITS)
        snprintf(r->reason, sizeof r->reason, "needs %.2f GiB, has %.2f", j->total_bytes / 0x1p30,
                 j->capacity_bytes / 0x1p30);
    else
        snprintf(r->reason, sizeof r->reason, "refused: %s%s%s", rk_verdict_name(j->verdict),
                 j->reason.what ? ": " : "", j->reason.what ? j->reason.what : "");
}

/* Of what the row itself measured; `predicted` in the same unit. */
static double error_as_it_came(const struct result *r, double predicted)
{
    return (r->rate ? r->measured / predicted : predicted / r->measured) - 1;
}

static void compare(struct result *r, const struct fact *fact, const struct figure *f,
                    const struct judgement *j)
{
    snprintf(r->metric, sizeof r->metric, "%s", f->metric);
    r->kind = f->kind;
    r->judgement = *j;
    if (j->timed && j->step_s > 0)
        r->products = (j->matrix_s + j->attention_s + j->recompute_s) / j->step_s;
    judge_open(fact, j, r->open);
    const bool fits = j->verdict == RK_FITS;
    if (!j->timed && (fits || j->verdict != RK_MEMORY_EXCEEDED)) {
        say_why(r, j);
        return;
    }
    if (!fits || f->kind == FIGURE_OOM) say_why(r, j);
    if (j->timed) r->predicted_si = j->step_s;
    if (f->kind == FIGURE_OOM) {
        r->verdict = fits ? RESULT_OOM_ACCEPTED : RESULT_OOM_REJECTED;
        return;
    }
    r->verdict = fits ? RESULT_COMPARED : RESULT_REFUSED;
    r->measured = f->measured;
    r->predicted = judge_figure(fact, f, j);
    r->rate = f->form == FORM_RATE || f->form == FORM_FLOPS || f->form == FORM_SHARE;
    r->measured_si = judge_measured(fact, f, j);
    r->predicted_si = f->form == FORM_BYTES     ? r->predicted
                      : f->kind == FIGURE_LAYER ? j->layer_s
                                                : j->step_s;
    r->error = f->kind == FIGURE_BOUND ? NAN : r->predicted_si / r->measured_si - 1;
    if (f == fact->figure) r->came_error = error_as_it_came(r, fact->came_predicted);
}

static enum rk_status add_fact(struct results *results, const struct fact *fact,
                               struct rk_error *error)
{
    struct judgement j;
    const bool modelled = !fact->reason[0];
    if (modelled) judge(fact, &j);
    for (int i = 0; i < (modelled ? fact->figures : 1); i++) {
        struct result *r = append(results);
        if (!r) return no_memory(error);
        describe(r, fact);
        memcpy(r->metric, fact->class_of[CLASS_METRIC], sizeof r->metric);
        if (modelled) compare(r, fact, &fact->figure[i], &j);
    }
    return RK_OK;
}

enum rk_status results_add(struct results *results, const struct facts *facts,
                           struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (size_t i = 0; i < facts->count && status == RK_OK; i++) {
        status = add_fact(results, &facts->fact[i], error);
        results->rows += status == RK_OK;
    }
    return status;
}

void results_release(struct results *results)
{
    free(results->result);
    *results = (struct results){0};
}
