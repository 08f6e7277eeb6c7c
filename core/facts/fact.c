#include "facts/fact.h"
#include "base/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const open_axis_names[] = {
    "tensor",     "context",   "pipeline",          "interleaving",
    "microbatch", "recompute", "sequence parallel", NULL};
const char *const fact_class_names[] = {"gpu",    "family",    "scale", "precision",
                                        "source", "framework", "kind",  "metric",
                                        "fit",    "published", NULL};
const char *const published_names[] = {"", "benchmarks", "ordinary runs"};

bool fact_fail(struct fact *fact, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (!fact->reason[0]) vsnprintf(fact->reason, sizeof fact->reason, format, values);
    va_end(values);
    return false;
}

bool fact_number(const struct row *row, const char *column, struct fact *fact, double *value)
{
    const char *text = row_get(row, column);
    double number;
    if (!text[0]) return true;
    if (number_parse(text, strlen(text), &number) != strlen(text))
        return fact_fail(fact, "%s: \"%.60s\" is not a number", column, text);
    *value = number;
    return true;
}

bool fact_count(const struct row *row, const char *column, struct fact *fact, uint64_t *value)
{
    double number = -1;
    if (!row_get(row, column)[0]) return true;
    if (!fact_number(row, column, fact, &number)) return false;
    if (!(number >= 0 && number <= 9007199254740992.0) || number != (double)(uint64_t)number)
        return fact_fail(fact, "%s: \"%.60s\" is not a whole number", column, row_get(row, column));
    *value = (uint64_t)number;
    return true;
}

/* ---- classes ---- */

static const char *scale_of(uint64_t gpus)
{
    static const struct {
        uint64_t from;
        const char *name;
    } scales[] = {{4096, "4096 and more"}, {512, "512 to 4095"}, {64, "64 to 511"},
                  {9, "9 to 63"},          {2, "2 to 8"},        {0, "1"}};
    int i = 0;
    while (gpus < scales[i].from)
        i++;
    return scales[i].name;
}

static void put(char text[static FACT_TEXT], const char *value)
{
    snprintf(text, FACT_TEXT, "%.*s", FACT_TEXT - 1, value[0] ? value : "not given");
}

static void classify(const struct row *row, struct fact *fact)
{
    put(fact->class_of[CLASS_GPU], row_get(row, "gpu"));
    put(fact->class_of[CLASS_FAMILY], row_get(row, "family"));
    put(fact->class_of[CLASS_SCALE], fact->reason[0] ? "" : scale_of(fact->plan.ranks));
    put(fact->class_of[CLASS_PRECISION], row_get(row, "precision"));
    put(fact->class_of[CLASS_FRAMEWORK], row_get(row, "framework"));
    put(fact->class_of[CLASS_KIND], row_get(row, "experts")[0] ? "experts" : "dense");
    put(fact->class_of[CLASS_METRIC], row_get(row, "metric_name"));
    put(fact->class_of[CLASS_FIT], fact->fitted[0] ? "fit" : "held out");
    put(fact->class_of[CLASS_PUBLISHED], row_get(row, "published"));
    row_source(row, fact->class_of[CLASS_SOURCE]);
}

/* What the plans of a group share. Dropping tokens is other work, not another plan. */
static void name_group(const struct row *row, struct fact *fact)
{
    const struct rk_model *m = &fact->model;
    snprintf(fact->group, sizeof fact->group,
             "%.64s | %.40s x%llu | batch %llu of %llu | %s | %llux%llu, %llu experts%s",
             fact->source, fact->gpu, (unsigned long long)fact->plan.ranks,
             (unsigned long long)fact->plan.batch, (unsigned long long)fact->plan.sequence,
             row_get(row, "precision"), (unsigned long long)m->layers,
             (unsigned long long)m->hidden, (unsigned long long)m->experts,
             fact->plan.capacity_factor > 0 ? ", tokens dropped" : "");
}

/* 20261124 of "2026-11-24". */
static uint64_t day_of(const char *text)
{
    unsigned year, month, day;
    if (sscanf(text, "%4u-%2u-%2u", &year, &month, &day) != 3) return 0;
    return ((uint64_t)year * 100 + month) * 100 + day;
}

/* ---- the whole ---- */

enum rk_status fact_read(const struct row *row, struct fact *fact, struct rk_error *error)
{
    *fact = (struct fact){.flop_ratio = 1, .came_predicted = NAN};
    (void)error;
    snprintf(fact->id, sizeof fact->id, "%s", row_get(row, "id"));
    snprintf(fact->source, sizeof fact->source, "%.127s", row_get(row, "source"));
    snprintf(fact->fitted, sizeof fact->fitted, "%.63s", row_get(row, "fitted"));
    fact->came = day_of(row_get(row, "came"));
    put(fact->gpu, row_get(row, "gpu"));
    const char *unmodelled = row_get(row, "unmodelled");
    bool fine = !unmodelled[0] || fact_fail(fact, "%s", unmodelled);
    fine = fine && fact_model(row, fact) && fact_system(row, fact) && fact_plan(row, fact) &&
           fact_host(row, fact) && fact_clusters(row, fact) && fact_figures(row, fact) &&
           fact_number(row, "came_predicted", fact, &fact->came_predicted);
    classify(row, fact);
    if (fine) name_group(row, fact);
    return RK_OK;
}

void fact_release(struct fact *fact)
{
    fact_clusters_release(fact);
    rk_system_release(&fact->system);
}
