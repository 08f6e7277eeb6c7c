#include "study/baselines.h"
#include "facts/error_bar.h"

#include <math.h>
#include <string.h>

#define USUAL_MFU 0.4

static bool counts(const struct result *r)
{
    return r->kind == FIGURE_STEP && isfinite(r->error) && r->peak_flops > 0 &&
           r->judgement.model_flop > 0;
}

static double utilisation(const struct result *r)
{
    return r->judgement.model_flop / (r->measured_si * r->peak_flops);
}

static double error_at(const struct result *r, double mfu)
{
    return utilisation(r) / mfu - 1;
}

/* ---- by GPU and precision ---- */

enum nearness { GPU_AND_PRECISION, GPU, GENERATION, ANY };

/* "h100-sxm5-80g nvl8" is a GPU of h100-sxm5-80g, whatever its node. */
static bool same_gpu(const struct result *a, const struct result *b)
{
    const size_t length = strcspn(a->system, " ");
    return length == strcspn(b->system, " ") && memcmp(a->system, b->system, length) == 0;
}

static bool is_near(const struct result *a, const struct result *b, enum nearness nearness)
{
    const bool same = same_gpu(a, b);
    switch (nearness) {
    case GPU_AND_PRECISION:
        return same && a->judgement.plan.precision == b->judgement.plan.precision;
    case GPU:
        return same;
    case GENERATION:
        return strcmp(accelerator_generation(a->system), accelerator_generation(b->system)) == 0;
    default:
        return true;
    }
}

static bool same_source(const struct result *a, const struct result *b)
{
    return strcmp(a->class_of[CLASS_SOURCE], b->class_of[CLASS_SOURCE]) == 0;
}

/* Geometric mean over the other sources of theirs; NAN: none is that near. Rows of a source follow
 * each other. */
static double fitted_utilisation(const struct results *results, const struct result *like,
                                 enum nearness nearness)
{
    double sum = 0, own = 0;
    size_t sources = 0, rows = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct result *r = &results->result[i];
        if (counts(r) && !same_source(r, like) && is_near(r, like, nearness)) {
            own += log(utilisation(r));
            rows++;
        }
        const bool last = i + 1 == results->count || !same_source(r, r + 1);
        if (!last || rows == 0) continue;
        sum += own / (double)rows;
        sources++;
        own = 0;
        rows = 0;
    }
    return sources ? exp(sum / (double)sources) : NAN;
}

static double fitted_error(const struct results *results, const struct result *r)
{
    double mfu = NAN;
    for (int nearness = 0; isnan(mfu) && nearness <= ANY; nearness++)
        mfu = fitted_utilisation(results, r, (enum nearness)nearness);
    return error_at(r, mfu);
}

/* ---- the Calculon model ---- */

/* What it has words for; of a plan that shards more than the optimizer or splits samples or experts
 * it has none. */
static bool publish(const struct rk_plan *own, struct rk_plan *plan)
{
    *plan = rk_plan_default();
    plan->framework = rk_framework_of(RK_BY_CALCULON);
    plan->ranks = own->ranks;
    plan->tensor = own->tensor;
    plan->pipeline = own->pipeline;
    plan->chunks = own->chunks;
    plan->microbatch = own->microbatch;
    plan->batch = own->batch;
    plan->sequence = own->sequence;
    plan->messages_sharded = own->messages_sharded;
    plan->sequence_parallel = own->sequence_parallel;
    plan->zero = own->zero;
    plan->gradient_overlap = own->gradient_overlap;
    plan->recompute = own->recompute;
    return own->zero <= 1 && own->context == 1 && own->expert == 1;
}

static double published_error(const struct result *r, const struct fact *fact)
{
    static struct rk_prediction prediction;
    struct rk_plan plan;
    if (!publish(&r->judgement.plan, &plan)) return NAN;
    rk_predict(&fact->model, &fact->system, &plan, &prediction);
    return prediction.timed ? prediction.step_s / r->measured_si - 1 : NAN;
}

/* ---- all ---- */

/* The fact that a result is of: results follow their facts. */
static const struct fact *next_fact(const struct facts *facts, const struct result *r, size_t *at)
{
    while (*at < facts->count && strcmp(facts->fact[*at].id, r->id) != 0)
        ++*at;
    return *at < facts->count ? &facts->fact[*at] : NULL;
}

void baseline_errors(const struct results *results, const struct facts *facts,
                     enum baseline baseline, double *error)
{
    size_t at = 0;
    for (size_t i = 0; i < results->count; i++) {
        const struct result *r = &results->result[i];
        const struct fact *fact = next_fact(facts, r, &at);
        error[i] = NAN;
        if (!counts(r) || !fact) continue;
        error[i] = baseline == BASELINE_MFU      ? error_at(r, USUAL_MFU)
                   : baseline == BASELINE_FITTED ? fitted_error(results, r)
                                                 : published_error(r, fact);
    }
}
