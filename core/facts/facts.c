/* facts.c - lists of facts, kept to be judged more than once. */
#include "facts/facts.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static struct fact *append(struct facts *facts)
{
    if (!ARRAY_ROOM(facts->fact, facts->count)) return NULL;
    struct fact *fact = &facts->fact[facts->count++];
    *fact = (struct fact){.flop_ratio = 1};
    return fact;
}

enum rk_status facts_add(struct facts *facts, const struct csv *csv, const struct rules *rules,
                         struct rk_error *error)
{
    enum rk_status status = RK_OK;
    if (facts->unread) unread_begin(facts->unread);
    for (size_t i = 0; i < csv->rows && status == RK_OK; i++) {
        struct row row;
        struct row_reading reading = {.asked = NULL};
        status = row_read(csv, i, &row, error);
        if (facts->unread) {
            reading.asked = facts->unread->asked;
            row.reading = &reading;
        }
        if (status == RK_OK) status = rules_apply(rules, &row, error);
        struct fact *fact = status == RK_OK ? append(facts) : NULL;
        if (status == RK_OK && !fact)
            status = rk_fail(error, RK_NO_MEMORY, csv->path, row.line, 0, "no memory for the row");
        if (status == RK_OK) status = fact_read(&row, fact, error);
        if (status == RK_OK && facts->unread) {
            facts->unread->modelled |= !fact->reason[0];
            status = unread_row(facts->unread, &row, error);
        }
        row_release(&row);
        if (facts->progress && !facts->progress(facts->context, i + 1, csv->rows, INFINITY))
            status = rk_fail(error, RK_INTERRUPTED, csv->path, 0, 0, "stopped before it was read");
    }
    if (status == RK_OK && facts->unread) status = unread_end(facts->unread, csv, error);
    return status;
}

/* A table of something else is told from one of runs by what no run lacks. */
static enum rk_status check_columns(const struct csv *csv, struct rk_error *error)
{
    if (csv_column(csv, "gpu") >= 0 || csv_column(csv, "system") >= 0) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, csv->path, 1, 0,
                   "no column \"gpu\": the first line must name the columns of measured runs, "
                   "reckon validate `help` lists them");
}

enum rk_status facts_load(struct facts *facts, const char *path, const struct rules *rules,
                          struct rk_error *error)
{
    struct csv csv;
    enum rk_status status = csv_load(path, &csv, error);
    if (status == RK_OK) status = check_columns(&csv, error);
    if (status == RK_OK) status = facts_add(facts, &csv, rules, error);
    csv_release(&csv);
    return status;
}

void facts_release(struct facts *facts)
{
    for (size_t i = 0; i < facts->count; i++)
        fact_release(&facts->fact[i]);
    free(facts->fact);
    *facts = (struct facts){0};
}
