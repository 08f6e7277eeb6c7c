/* write.c - the grid and finished searches into the database, and what is missing there. */
#include "base/memory.h"
#include "study/connection.h"
#include "study/digest.h"
#include "study/schema.h"

#include <inttypes.h>
#include <reckon/catalog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- binding: a statement and the next parameter of it ---- */

struct binder {
    sqlite3_stmt *statement;
    int at;
};

static void bind_text(struct binder *b, const char *text)
{
    sqlite3_bind_text(b->statement, ++b->at, text, -1, SQLITE_STATIC);
}

/* Of a buffer that is written again before the statement runs. */
static void bind_copy(struct binder *b, const char *text)
{
    sqlite3_bind_text(b->statement, ++b->at, text, -1, SQLITE_TRANSIENT);
}

static void bind_count(struct binder *b, uint64_t count)
{
    sqlite3_bind_int64(b->statement, ++b->at, (sqlite3_int64)count);
}

static void bind_number(struct binder *b, double number)
{
    sqlite3_bind_double(b->statement, ++b->at, number);
}

static void bind_null(struct binder *b)
{
    sqlite3_bind_null(b->statement, ++b->at);
}

/* What `search` and `point` both say about a point. */
static void bind_point(struct binder *b, const struct study *study, const struct study_point *point)
{
    bind_text(b, study->model[point->model].name);
    bind_text(b, study->system[point->system].name);
    bind_count(b, point->gpus);
    bind_count(b, point->max_batch);
    bind_text(b, study_precision_name(point));
    bind_text(b, rk_framework_name(point->framework));
    bind_count(b, study_sequence(study, point));
    bind_text(b, study->axes[point->axes].text);
    bind_text(b, study_mode_names[point->mode]);
    bind_count(b, point->top);
}

/* ---- the grid ---- */

static enum rk_status write_study(const struct study *study, const char *grid,
                                  struct study_database *database, struct rk_error *error)
{
    char version[16];
    snprintf(version, sizeof version, "%d", RK_MODEL_VERSION);
    const char *const values[][2] = {
        {"title", study->title}, {"file", study->path}, {"grid", grid}};
    struct binder b = {NULL, 0};
    enum rk_status status =
        database_prepare(database, "INSERT INTO study VALUES(?, ?)", &b.statement, error);
    for (size_t i = 0; i < 3 && status == RK_OK; i++) {
        b.at = 0;
        bind_text(&b, values[i][0]);
        bind_text(&b, values[i][1]);
        status = database_step(database, b.statement, error);
    }
    if (status == RK_OK) {
        b.at = 0;
        bind_text(&b, "model_version");
        bind_count(&b, RK_MODEL_VERSION);
        status = database_step(database, b.statement, error);
    }
    sqlite3_finalize(b.statement);
    return status;
}

typedef void bind_row(struct binder *b, const struct study *study, size_t i);

static enum rk_status write_rows(const struct study *study, struct study_database *database,
                                 const char *insert, size_t count, bind_row *bind,
                                 struct rk_error *error)
{
    struct binder b = {NULL, 0};
    enum rk_status status = database_prepare(database, insert, &b.statement, error);
    for (size_t i = 0; i < count && status == RK_OK; i++) {
        b.at = 0;
        bind(&b, study, i);
        status = database_step(database, b.statement, error);
    }
    sqlite3_finalize(b.statement);
    return status;
}

static void bind_grid_figure(struct binder *b, const struct study *study, size_t i)
{
    bind_count(b, i + 1);
    bind_text(b, study->figure[i].name);
    bind_text(b, study->figure[i].title);
}

static void bind_model(struct binder *b, const struct study *study, size_t i)
{
    const struct rk_model *model = &study->model[i].model;
    bind_text(b, study->model[i].name);
    bind_count(b, model->layers);
    bind_count(b, model->hidden);
    bind_count(b, model->feedforward);
    bind_count(b, model->heads);
    bind_count(b, model->head_dim);
    bind_count(b, model->sequence);
    bind_count(b, rk_model_parameters(model));
}

static void bind_memory(struct binder *b, const struct rk_system *system, int tier)
{
    if (tier >= system->memories) {
        bind_null(b);
        bind_null(b);
        return;
    }
    bind_number(b, system->memory[tier].capacity_bytes);
    bind_number(b, system->memory[tier].bandwidth_Bps);
}

static void bind_network(struct binder *b, const struct rk_system *system, int tier)
{
    if (tier >= system->networks) {
        bind_null(b);
        bind_null(b);
        return;
    }
    bind_count(b, system->network[tier].size);
    bind_number(b, system->network[tier].bandwidth_Bps);
}

static void bind_system(struct binder *b, const struct study *study, size_t i)
{
    const struct study_system *system = &study->system[i];
    bind_text(b, system->name);
    bind_text(b, system->description);
    for (int tier = 0; tier < 2; tier++)
        bind_memory(b, &system->system, tier);
    for (int tier = 0; tier < 2; tier++)
        bind_network(b, &system->system, tier);
}

static void bind_run(struct binder *b, const struct study *study, const struct study_point *point)
{
    const struct study_share *run = &point->run;
    const double numbers[] = {
        run->tokens,     run->days,        run->gpu_hours,  run->cost,
        run->kW,         run->long_step_s, run->short_days, run->short_gpu_hours,
        run->short_cost, run->interval_s,  run->steps,      run->blocking_s,
        run->rate,       run->slowed};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (study->has_run && numbers[i] > 0)
            bind_number(b, numbers[i]);
        else
            bind_null(b);
}

static void bind_grid_point(struct binder *b, const struct study *study, size_t i)
{
    const struct study_point *point = &study->point[i];
    bind_count(b, (uint64_t)point->figure + 1);
    bind_count(b, point->number);
    bind_point(b, study, point);
    bind_text(b, point->key);
    bind_run(b, study, point);
}

static enum rk_status write_tables(const struct study *study, struct study_database *database,
                                   struct rk_error *error)
{
    const struct {
        const char *insert;
        size_t count;
        bind_row *bind;
    } tables[] = {
        {"INSERT INTO figure VALUES(?, ?, ?)", study->figures, bind_grid_figure},
        {"INSERT INTO model VALUES(?, ?, ?, ?, ?, ?, ?, ?)", study->models, bind_model},
        {"INSERT INTO system VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", study->systems, bind_system},
        {"INSERT INTO point VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
         "?, ?, ?, ?, ?, ?)",
         study->points, bind_grid_point},
    };
    enum rk_status status = RK_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == RK_OK; i++)
        status =
            write_rows(study, database, tables[i].insert, tables[i].count, tables[i].bind, error);
    return status;
}

bool study_grid_is_written(const struct study *study, struct study_database *database)
{
    char key[STUDY_KEY];
    sqlite3_stmt *statement = NULL;
    bool same = false;
    digest_grid(study, key);
    if (sqlite3_prepare_v2(database->sqlite, "SELECT value FROM study WHERE name = 'grid'", -1,
                           &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        same = strcmp((const char *)sqlite3_column_text(statement, 0), key) == 0;
    sqlite3_finalize(statement);
    return same;
}

enum rk_status study_write_grid(const struct study *study, struct study_database *database,
                                struct rk_error *error)
{
    char key[STUDY_KEY];
    if (study_grid_is_written(study, database)) return RK_OK;
    digest_grid(study, key);
    enum rk_status status = database_execute(
        database,
        "BEGIN IMMEDIATE; DELETE FROM study; DELETE FROM figure; DELETE FROM model; "
        "DELETE FROM system; DELETE FROM point",
        error);
    if (status == RK_OK) status = write_study(study, key, database, error);
    if (status == RK_OK) status = write_tables(study, database, error);
    if (status == RK_OK) status = database_seal_grid(database, error);
    return database_end(database, status, error);
}

/* ---- finished searches ---- */

static size_t add_tiers(char *buffer, size_t size, size_t used, const char *name,
                        const uint64_t counts[RK_MAX_TIERS], int tiers)
{
    used += (size_t)snprintf(buffer + used, size - used, "%s\"%s\":[", used > 1 ? "," : "", name);
    for (int i = 0; i < tiers; i++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%" PRIu64, i ? "," : "", counts[i]);
    return used + (size_t)snprintf(buffer + used, size - used, "]");
}

enum { REFUSED_SIZE = 64 + 3 * 64 + 3 * RK_MAX_TIERS * 21 };

/* {"network_too_small":[tier 0, tier 1, ...], ...} */
static void tell_refused(const struct rk_search_counts *counts, const struct rk_system *system,
                         char buffer[REFUSED_SIZE])
{
    size_t used = (size_t)snprintf(buffer, REFUSED_SIZE, "{");
    used = add_tiers(buffer, REFUSED_SIZE, used, "network_too_small",
                     counts->verdict[RK_NETWORK_TOO_SMALL], system->networks);
    used = add_tiers(buffer, REFUSED_SIZE, used, "network_not_filled",
                     counts->verdict[RK_NETWORK_NOT_FILLED], system->networks);
    used = add_tiers(buffer, REFUSED_SIZE, used, "memory_exceeded",
                     counts->verdict[RK_MEMORY_EXCEEDED], system->memories);
    snprintf(buffer + used, REFUSED_SIZE - used, "}");
}

static enum rk_status write_search(const struct study *study, const struct study_row *row,
                                   const char *finished, struct study_database *database,
                                   struct rk_error *error)
{
    const struct study_point *point = &study->point[row->point];
    const struct rk_search_counts *counts = &row->counts;
    struct binder b = {database->insert_search, 0};
    char refused[REFUSED_SIZE];
    tell_refused(counts, &study->system[point->system].system, refused);
    bind_text(&b, point->key);
    bind_count(&b, RK_MODEL_VERSION);
    bind_point(&b, study, point);
    bind_count(&b, counts->total);
    bind_count(&b, rk_search_count(counts, RK_FITS));
    bind_count(&b, rk_search_count(counts, RK_NETWORK_TOO_SMALL));
    bind_count(&b, rk_search_count(counts, RK_NETWORK_NOT_FILLED));
    bind_count(&b, rk_search_count(counts, RK_TOO_FEW_BLOCKS));
    bind_count(&b, rk_search_count(counts, RK_MEMORY_EXCEEDED));
    bind_text(&b, refused);
    bind_count(&b, row->explain.bounded);
    bind_count(&b, row->explain.timed);
    bind_count(&b, row->found);
    bind_number(&b, row->seconds);
    bind_number(&b, row->seconds > 0 ? (double)counts->total / row->seconds : 0);
    bind_text(&b, finished);
    return database_step(database, b.statement, error);
}

/* `over`, here and below: NULL of a plan on one cluster. */
static void bind_axes(struct binder *b, const struct rk_plan *plan, const struct study_over *over)
{
    char text[RK_PLAN_AXIS_TEXT];
    for (int i = 0; i < RK_PLAN_AXES; i++) {
        const enum rk_plan_axis axis = (enum rk_plan_axis)i;
        const enum rk_plan_axis_type type = rk_plan_axis_info(axis)->type;
        const uint64_t value = rk_plan_axis_get(plan, axis);
        const enum rk_by by = rk_answerer(plan->framework)->by;
        if (!(rk_plan_axis_info(axis)->by & by) || (over && over->differs[i]))
            bind_null(b);
        else if (type == RK_PLAN_CHOICE || type == RK_PLAN_PARTS)
            bind_copy(b, rk_plan_axis_text(axis, value, text));
        else
            bind_count(b, value);
    }
}

/* A figure of that name which the plan's predictor fills; of two the one it fills counts. */
static void bind_figure(struct binder *b, const struct study_best *best, const char *name)
{
    const enum rk_by by = rk_answerer(best->plan.framework)->by;
    for (const struct rk_figure *f = rk_figure_next(NULL, by); f; f = rk_figure_next(f, by))
        if (strcmp(f->name, name) == 0) {
            bind_number(b, rk_figure_value(&best->outcome, f));
            return;
        }
    bind_null(b);
}

/* Memory of a rank by category: tier 0, then all lower tiers together. */
static void bind_tiers(struct binder *b, const struct study_best *best)
{
    for (int i = 0; i < SCHEMA_TIER_COLUMNS; i++)
        bind_number(b, best->outcome.holds[schema_tier_columns[i].holding]);
    for (int i = 0; i < SCHEMA_TIER_COLUMNS; i++)
        bind_number(b, best->outcome.lower[schema_tier_columns[i].holding]);
}

/* What an accelerator takes under the plan, where the system says its limit. */
static void bind_power(struct binder *b, const struct study *study, const struct study_row *row,
                       const struct study_best *best)
{
    const struct study_point *point = &study->point[row->point];
    const struct rk_prediction prediction = {.outcome = best->outcome};
    const double power_W =
        row->over
            ? 0
            : rk_campaign_power(study->facts, &study->system[point->system].system, &prediction);
    if (power_W > 0)
        bind_number(b, power_W);
    else
        bind_null(b);
}

/* What only plans over several clusters have. */
static void bind_over(struct binder *b, const struct study_over *over)
{
    static const struct study_over none = {.clusters = ""};
    if (over)
        bind_text(b, over->clusters);
    else
        bind_null(b);
    const struct study_over_run *run = over ? &over->run : &none.run;
    const double usd = over ? over->step_usd : 0;
    const double numbers[] = {usd, run->days, run->gpu_hours, run->cost, run->energy_kWh};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] > 0)
            bind_number(b, numbers[i]);
        else
            bind_null(b);
}

static enum rk_status write_strategies(const struct study *study, const struct study_row *row,
                                       sqlite3_int64 search, struct study_database *database,
                                       struct rk_error *error)
{
    char words[RK_PLAN_TEXT];
    enum rk_status status = RK_OK;
    for (uint64_t i = 0; i < row->found && status == RK_OK; i++) {
        const struct study_best *best = &row->best[i];
        const struct study_over *over = row->over ? &row->over[i] : NULL;
        struct binder b = {database->insert_strategy, 0};
        bind_count(&b, (uint64_t)search);
        bind_count(&b, i + 1);
        bind_count(&b, best->position);
        bind_count(&b, best->plan.batch);
        rk_plan_text(&best->plan, words, sizeof words);
        bind_text(&b, over ? over->words : words);
        bind_axes(&b, &best->plan, over);
        const struct rk_figure *figure = NULL;
        while ((figure = schema_next_figure(figure)))
            bind_figure(&b, best, figure->name);
        bind_tiers(&b, best);
        bind_power(&b, study, row, best);
        bind_over(&b, over);
        status = database_step(database, b.statement, error);
    }
    return status;
}

/* A search of another version of the model makes room. */
static enum rk_status delete_search(const char *key, struct study_database *database,
                                    struct rk_error *error)
{
    struct binder b = {database->delete_search, 0};
    bind_text(&b, key);
    return database_step(database, b.statement, error);
}

static void time_text(char buffer[32])
{
    const time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(buffer, 32, "%Y-%m-%d %H:%M:%S", &parts);
}

static enum rk_status write_row(const struct study *study, const struct study_row *row,
                                const char *finished, struct study_database *database,
                                struct rk_error *error)
{
    enum rk_status status = database_execute(database, "BEGIN IMMEDIATE", error);
    if (status == RK_OK) status = delete_search(study->point[row->point].key, database, error);
    if (status == RK_OK) status = write_search(study, row, finished, database, error);
    const sqlite3_int64 search = sqlite3_last_insert_rowid(database->sqlite);
    if (status == RK_OK) status = write_strategies(study, row, search, database, error);
    if (status == RK_OK) status = database_seal_search(database, search, error);
    return database_end(database, status, error);
}

enum rk_status study_write_rows(void *context, const struct study_row *rows, size_t count,
                                struct rk_error *error)
{
    const struct study_writer *writer = context;
    char finished[32];
    enum rk_status status = RK_OK;
    time_text(finished);
    for (size_t i = 0; i < count && status == RK_OK; i++)
        status = write_row(writer->study, &rows[i], finished, writer->database, error);
    return status;
}

/* ---- what is missing ---- */

static int compare_keys(const void *a, const void *b, void *context)
{
    const struct study *study = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const int order = strcmp(study->point[x].key, study->point[y].key);
    return order ? order : (x > y) - (x < y);
}

/* Looks a key up; false on failure. */
static enum rk_status look_up(struct study_database *database, sqlite3_stmt *statement,
                              const char *key, bool *finished, bool *outdated,
                              struct rk_error *error)
{
    *finished = *outdated = false;
    if (!statement) return RK_OK;
    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        *finished = sqlite3_column_int64(statement, 0) == RK_MODEL_VERSION;
        *outdated = !*finished;
    }
    sqlite3_reset(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? RK_OK : database_fail(database, code, error);
}

/* Points of the plan by key, so that those of one search stand together. */
static size_t *sorted_points(const struct study *study, int figure, struct study_plan *plan)
{
    size_t *point = malloc((study->points ? study->points : 1) * sizeof *point);
    for (size_t i = 0; point && i < study->points; i++)
        if (figure < 0 || study->point[i].figure == figure) point[plan->points++] = i;
    if (point) qsort_r(point, plan->points, sizeof *point, compare_keys, (void *)(uintptr_t)study);
    return point;
}

static enum rk_status fill_plan(const struct study *study, struct study_database *database,
                                const size_t *sorted, struct study_plan *plan,
                                struct rk_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool finished = false, outdated = false;
    enum rk_status status = RK_OK;
    if (database)
        status = database_prepare(database, "SELECT version FROM search WHERE key = ?", &statement,
                                  error);
    for (size_t i = 0; i < plan->points && status == RK_OK; i++) {
        const char *key = study->point[sorted[i]].key;
        if (i == 0 || strcmp(key, study->point[sorted[i - 1]].key) != 0) {
            status = look_up(database, statement, key, &finished, &outdated, error);
            plan->searches++;
            plan->finished += finished;
            plan->outdated += outdated;
            if (!finished) plan->point[plan->missing++] = sorted[i];
        }
        plan->done[sorted[i]] = finished;
    }
    sqlite3_finalize(statement);
    return status;
}

enum rk_status study_plan(const struct study *study, int figure, struct study_database *database,
                          struct study_plan *plan, struct rk_error *error)
{
    enum rk_status status = RK_NO_MEMORY;
    *plan = (struct study_plan){.figures = figure < 0 ? study->figures : 1};
    size_t *sorted = sorted_points(study, figure, plan);
    plan->point = malloc((plan->points ? plan->points : 1) * sizeof *plan->point);
    plan->done = calloc(study->points ? study->points : 1, sizeof *plan->done);
    if (sorted && plan->point && plan->done)
        status = fill_plan(study, database, sorted, plan, error);
    else
        no_memory(error);
    free(sorted);
    if (status != RK_OK) study_plan_release(plan);
    return status;
}

void study_plan_release(struct study_plan *plan)
{
    free(plan->point);
    free(plan->done);
    *plan = (struct study_plan){0};
}

/* ---- all of it ---- */

enum rk_status study_update(const struct study *study, struct study_database *database,
                            const struct study_plan *plan, int jobs,
                            bool (*progress)(void *context, const struct study_progress *progress),
                            void *context, struct rk_error *error)
{
    struct study_writer writer = {study, database};
    const struct study_run_options options = {.jobs = jobs,
                                              .sink = study_write_rows,
                                              .context = &writer,
                                              .progress = progress,
                                              .progress_context = context};
    const enum rk_status status = study_write_grid(study, database, error);
    return status == RK_OK ? study_run(study, plan->point, plan->missing, &options, error) : status;
}
