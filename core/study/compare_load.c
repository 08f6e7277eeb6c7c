#include "study/compare_load.h"

#include "base/memory.h"
#include "base/text.h"
#include "study/schema.h"
#include "study/study.h"

#include <errno.h>
#include <reckon/catalog.h>
#include <reckon/plans.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CSV_CELLS = 256, CSV_MOST = 64 << 20, TOP_ROWS = 1000 };

static enum rk_status fail_sql(sqlite3 *sqlite, const char *what, struct rk_error *error)
{
    return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "%s: %s", what, sqlite3_errmsg(sqlite));
}

/* ---- statements ---- */

static enum rk_status execute(sqlite3 *sqlite, struct sql *sql, const char *what,
                              struct rk_error *error)
{
    enum rk_status status = RK_OK;
    if (sql->failed)
        status = rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "%s: no memory", what);
    else if (sqlite3_exec(sqlite, sql->text, NULL, NULL, NULL) != SQLITE_OK)
        status = fail_sql(sqlite, what, error);
    sql_release(sql);
    return status;
}

/* INSERT INTO table VALUES(?, ...), ready to be bound. */
static enum rk_status prepare_insert(sqlite3 *sqlite, const char *table, int columns,
                                     sqlite3_stmt **statement, struct rk_error *error)
{
    struct sql sql = {0};
    sql_add(&sql, "INSERT INTO temp.\"%s\" VALUES(?", table);
    for (int i = 1; i < columns; i++)
        sql_add(&sql, ", ?");
    sql_add(&sql, ")");
    enum rk_status status = RK_OK;
    if (sql.failed)
        status = rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "%s: no memory", table);
    else if (sqlite3_prepare_v2(sqlite, sql.text, -1, statement, NULL) != SQLITE_OK)
        status = fail_sql(sqlite, table, error);
    sql_release(&sql);
    return status;
}

static enum rk_status insert(sqlite3 *sqlite, sqlite3_stmt *statement, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    if (sqlite3_step(statement) != SQLITE_DONE) status = fail_sql(sqlite, "insert", error);
    sqlite3_reset(statement);
    return status;
}

/* ---- CSV ---- */

/* Cuts one record into cells, in place; returns where the next one begins. */
static char *cut_record(char *at, char **cell, int *cells)
{
    for (*cells = 0;;) {
        char *out = at;
        const bool quoted = *at == '"';
        if (*cells < CSV_CELLS) cell[(*cells)++] = out;
        if (quoted)
            for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
                at += *at == '"';
                *out++ = *at;
            }
        if (quoted && *at) at++;
        while (*at && !strchr(",\r\n", *at))
            *out++ = *at++;
        const char end = *at;
        if (end == '\r' && at[1] == '\n') at++;
        if (*at) at++;
        *out = '\0';
        if (end != ',') return at;
    }
}

static enum rk_status read_file(const char *path, char **text, struct rk_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file) return rk_fail(error, RK_IO, path, 0, 0, "cannot be read: %s", strerror(errno));
    size_t used = 0, room = 1 << 16;
    char *buffer = malloc(room + 1);
    for (size_t got = 1; buffer && got > 0 && used < CSV_MOST; used += got) {
        if (used == room) {
            char *grown = realloc(buffer, 2 * room + 1);
            if (!grown) free(buffer);
            buffer = grown;
            room *= 2;
        }
        got = buffer ? fread(buffer + used, 1, room - used, file) : 0;
    }
    const bool failed = ferror(file) != 0;
    fclose(file);
    if (!buffer || failed || used >= CSV_MOST) {
        free(buffer);
        return rk_fail(error, RK_IO, path, 0, 0, "cannot be read whole: it may be too large");
    }
    buffer[used] = '\0';
    *text = buffer;
    return RK_OK;
}

static char *skip_comments(char *at)
{
    while (*at == '#' || *at == '\n') {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return at;
}

static enum rk_status create_from_names(sqlite3 *sqlite, const char *table, char **name, int names,
                                        struct rk_error *error)
{
    struct sql sql = {0};
    sql_add(&sql, "CREATE TEMP TABLE \"%s\"(", table);
    for (int i = 0; i < names; i++)
        sql_add(&sql, "%s\"%s\" NUMERIC", i ? ", " : "", name[i]);
    sql_add(&sql, ")");
    return execute(sqlite, &sql, table, error);
}

static void bind_cells(sqlite3_stmt *statement, char **cell, int cells)
{
    for (int i = 0; i < cells; i++)
        if (*cell[i])
            sqlite3_bind_text(statement, i + 1, cell[i], -1, SQLITE_TRANSIENT);
        else
            sqlite3_bind_null(statement, i + 1);
}

enum rk_status compare_load_csv(sqlite3 *sqlite, const char *table, const char *path,
                                struct rk_error *error)
{
    char *text = NULL, *cell[CSV_CELLS];
    char *whole = NULL; /* cutting overwrites line ends: lines are counted here */
    int names = 0, cells = 0;
    sqlite3_stmt *statement = NULL;
    enum rk_status status = read_file(path, &text, error);
    if (status != RK_OK || !text) return status;
    whole = strdup(text);
    char *at = cut_record(skip_comments(text), cell, &names);
    status = whole ? create_from_names(sqlite, table, cell, names, error)
                   : rk_fail(error, RK_NO_MEMORY, path, 0, 0, "no memory");
    if (status == RK_OK) status = prepare_insert(sqlite, table, names, &statement, error);
    for (at = skip_comments(at); status == RK_OK && *at; at = skip_comments(at)) {
        const int line = text_line(whole, whole + (at - text));
        at = cut_record(at, cell, &cells);
        if (cells != names) {
            status = rk_fail(error, RK_BAD_INPUT, path, line, 0, "has %d cells, the first line %d",
                             cells, names);
            break;
        }
        bind_cells(statement, cell, cells);
        status = insert(sqlite, statement, error);
    }
    sqlite3_finalize(statement);
    free(whole);
    free(text);
    return status;
}

/* ---- one plan ---- */

static enum rk_status create_estimate(sqlite3 *sqlite, int *columns, struct rk_error *error)
{
    struct sql sql = {0};
    const struct rk_figure *figure = NULL;
    *columns = 4;
    sql_add(&sql, "CREATE TEMP TABLE IF NOT EXISTS estimate(name, model, system, verdict");
    for (; (figure = schema_next_figure(figure)); ++*columns)
        sql_add(&sql, ", %s REAL", figure->name);
    sql_add(&sql, ")");
    return execute(sqlite, &sql, "estimate", error);
}

static void bind_figures(sqlite3_stmt *statement, int column, const struct rk_plan *plan,
                         const struct rk_prediction *prediction)
{
    const enum rk_by by = rk_answerer(plan->framework)->by;
    const struct rk_figure *figure = NULL;
    for (; prediction->timed && (figure = schema_next_figure(figure)); column++)
        if (figure->by & by)
            sqlite3_bind_double(statement, column, rk_figure_value(&prediction->outcome, figure));
}

enum rk_status compare_load_estimate(sqlite3 *sqlite, model_reader *model_of, const char *name,
                                     const char *model_name, const char *system_name,
                                     const char *plan_name, struct rk_error *error)
{
    struct rk_model model;
    struct rk_system system = {.memories = 0};
    struct rk_plan plan;
    struct rk_prediction prediction;
    sqlite3_stmt *statement = NULL;
    int columns = 0;
    enum rk_status status = model_of(model_name, &model, error);
    if (status == RK_OK) status = rk_system_load(system_name, &system, error);
    if (status == RK_OK) status = rk_plan_load(plan_name, &plan, error);
    if (status == RK_OK) status = create_estimate(sqlite, &columns, error);
    if (status == RK_OK) status = prepare_insert(sqlite, "estimate", columns, &statement, error);
    if (status == RK_OK) {
        rk_predict(&model, &system, &plan, &prediction);
        const char *const texts[] = {name, model_name, system_name,
                                     rk_verdict_name(prediction.verdict)};
        for (int i = 0; i < 4; i++)
            sqlite3_bind_text(statement, i + 1, texts[i], -1, SQLITE_TRANSIENT);
        bind_figures(statement, 5, &plan, &prediction);
        status = insert(sqlite, statement, error);
    }
    sqlite3_finalize(statement);
    rk_system_release(&system);
    return status;
}

/* ---- a distribution ---- */

struct rates {
    uint64_t strategies, count, room;
    double *value; /* (count) samples/s */
};

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static bool rates_add(struct rates *rates, const struct rk_answer *result, uint64_t batch)
{
    const uint64_t need = rates->count + result->found;
    if (need > rates->room) {
        double *grown = realloc(rates->value, need * sizeof *grown);
        if (!grown) return false;
        rates->value = grown;
        rates->room = need;
    }
    for (uint64_t i = 0; i < result->found; i++)
        rates->value[rates->count++] = (double)batch / result->best[i].step_s;
    rates->strategies += result->counts.total;
    return true;
}

/* All plans with one data degree. */
static enum rk_status add_degree(struct rates *rates, struct rk_plans_problem *problem,
                                 uint64_t data, struct rk_error *error)
{
    const uint64_t max_batch = problem->base.batch, batch = max_batch / data * data;
    struct rk_answer result;
    problem->pinned[RK_PLAN_DATA].count = 1;
    problem->pinned[RK_PLAN_DATA].value[0] = data;
    if (data > max_batch) problem->base.batch = data;
    struct rk_space *space = rk_plans_open(problem, error);
    problem->base.batch = max_batch;
    if (!space) return error->status;
    const uint64_t count = rk_space_count(space);
    const struct rk_query options = {
        .mode = RK_SEARCH_EXHAUSTIVE, .threads = 1, .top = count ? count : 1};
    enum rk_status status = rk_ask(space, &options, &result, error);
    if (status == RK_OK) {
        if (!rates_add(rates, &result, batch ? batch : data)) status = no_memory(error);
        rk_answer_release(&result);
    }
    rk_space_close(space);
    return status;
}

static enum rk_status collect(struct rates *rates, const struct compare_distribution *wanted,
                              struct rk_error *error)
{
    struct rk_model model;
    struct rk_system system = {.memories = 0};
    struct rk_plans_problem *problem = malloc(sizeof *problem);
    int precision = RK_FP16;
    enum rk_status status =
        problem ? wanted->model_of(wanted->model, &model, error) : no_memory(error);
    if (status == RK_OK) status = rk_system_load(wanted->system, &system, error);
    if (status == RK_OK && !study_precision(wanted->datatype, &precision))
        status = rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "no datatype \"%s\"", wanted->datatype);
    if (status == RK_OK) {
        rk_plans_problem_init(problem, &model, &system, rk_framework_of(RK_BY_CALCULON),
                              wanted->gpus, wanted->batch, 0);
        problem->base.precision = (enum rk_precision)precision;
        problem->pinned[RK_PLAN_FUSED].count = 2; /* fused or not */
        problem->pinned[RK_PLAN_FUSED].value[1] = problem->pinned[RK_PLAN_FUSED].to[1] = 1;
        for (uint64_t data = 1; status == RK_OK && data <= wanted->gpus; data++)
            if (wanted->gpus % data == 0) status = add_degree(rates, problem, data, error);
    }
    free(problem);
    rk_system_release(&system);
    return status;
}

static void add_bins(struct sql *sql, const char *name, const struct rates *rates, uint64_t bins)
{
    const double low = rates->value[rates->count - 1], high = rates->value[0];
    uint64_t at = rates->count;
    for (uint64_t bin = 1; bin <= bins; bin++) {
        const double from = low + (high - low) * (double)(bin - 1) / (double)bins;
        const double to = low + (high - low) * (double)bin / (double)bins;
        const uint64_t before = at;
        while (at > 0 && (bin == bins || rates->value[at - 1] < to))
            at--;
        sql_add(sql, "INSERT INTO \"%s_bin\" VALUES(%d, %.17g, %.17g, %lld);", name, (int)bin, from,
                to, (long long)(before - at));
    }
}

enum rk_status compare_load_distribution(sqlite3 *sqlite, const struct compare_distribution *wanted,
                                         struct rk_error *error)
{
    struct rates rates = {0};
    struct sql sql = {0};
    enum rk_status status = collect(&rates, wanted, error);
    if (status == RK_OK) {
        const char *name = wanted->name;
        if (rates.value) qsort(rates.value, rates.count, sizeof *rates.value, descending);
        sql_add(&sql,
                "CREATE TEMP TABLE \"%s\"(strategies, fits);"
                "CREATE TEMP TABLE \"%s_bin\"(bin, low, high, strategies);"
                "CREATE TEMP TABLE \"%s_top\"(rank, samples_per_s);"
                "INSERT INTO \"%s\" VALUES(%lld, %lld);",
                name, name, name, name, (long long)rates.strategies, (long long)rates.count);
        if (rates.count > 0) add_bins(&sql, name, &rates, wanted->bins);
        for (uint64_t i = 0; rates.value && i < rates.count && i < TOP_ROWS; i++)
            sql_add(&sql, "INSERT INTO \"%s_top\" VALUES(%d, %.17g);", name, (int)i + 1,
                    rates.value[i]);
        status = execute(sqlite, &sql, name, error);
    }
    sql_release(&sql);
    free(rates.value);
    return status;
}
