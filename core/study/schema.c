#include "study/schema.h"

#include "study/study.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- text ---- */

void sql_add(struct sql *sql, const char *format, ...)
{
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (!sql->failed && sql->used + (size_t)length + 1 > sql->room) {
        const size_t room = 2 * (sql->used + (size_t)length) + 256;
        char *grown = realloc(sql->text, room);
        sql->failed = !grown;
        if (grown) sql->text = grown;
        if (grown) sql->room = room;
    }
    if (!sql->failed) {
        vsnprintf(sql->text + sql->used, sql->room - sql->used, format, values);
        sql->used += (size_t)length;
    }
    va_end(values);
}

void sql_release(struct sql *sql)
{
    free(sql->text);
    *sql = (struct sql){0};
}

/* ---- columns ---- */

static const char search_columns[] =
    "key, version, model, system, gpus, max_batch, datatype, framework, sequence, axes, mode, top, "
    "strategies, fits, "
    "network_too_small, network_not_filled, too_few_blocks, memory_exceeded, refused, bounded, "
    "timed, found, seconds, strategies_per_s, finished";

enum { SEARCH_COLUMNS = 25 };

const char *const schema_point_columns[] = {"figure",   "point",      "model",    "system",
                                            "gpus",     "max_batch",  "datatype", "framework",
                                            "sequence", "strategies", "fits",     NULL};

const struct schema_tier_column schema_tier_columns[SCHEMA_TIER_COLUMNS] = {
    {"weights", RK_HOLD_weights},
    {"activations", RK_HOLD_activations},
    {"checkpoints", RK_HOLD_checkpoints},
    {"activation_gradients", RK_HOLD_activation_gradients},
    {"weight_gradients", RK_HOLD_gradients},
    {"optimizer", RK_HOLD_optimizer},
};

static const char default_figures[] =
    "step_s, samples_per_s, mfu, compute_efficiency, system_efficiency, forward_s, backward_s, "
    "optimizer_s, recompute_s, recompute_comm_exposed_s, bubble_s, tensor_comm_exposed_s, "
    "pipeline_comm_exposed_s, data_comm_exposed_s, forward_offload_exposed_s, "
    "backward_offload_exposed_s, hbm_bytes, offload_bytes, offload_required_Bps";

static bool is_words(enum rk_plan_axis axis)
{
    const enum rk_plan_axis_type type = rk_plan_axis_info(axis)->type;
    return type == RK_PLAN_CHOICE || type == RK_PLAN_PARTS;
}

static void add_axis_names(struct sql *sql, const char *before, const char *after)
{
    for (int i = 0; i < RK_PLAN_AXES; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s", rk_plan_axis_info((enum rk_plan_axis)i)->name);
        for (char *c = name; *c; c++)
            if (*c == '-') *c = '_';
        const bool text = is_words((enum rk_plan_axis)i);
        /* quoted: "order" is a word of SQL */
        sql_add(sql, "%s\"%s\"%s", before, name, !*after ? "" : text ? " TEXT" : after);
    }
}

const struct rk_figure *schema_next_figure(const struct rk_figure *figure)
{
    for (;;) {
        figure = rk_figure_next(figure, RK_BY_BOTH);
        if (!figure || rk_figure_find(figure->name) == figure) return figure;
    }
}

static void add_figure_names(struct sql *sql, const char *before, const char *after)
{
    const struct rk_figure *figure = NULL;
    while ((figure = schema_next_figure(figure)))
        sql_add(sql, "%s%s%s", before, figure->name, after);
    for (int tier = 0; tier < 2; tier++)
        for (int i = 0; i < SCHEMA_TIER_COLUMNS; i++)
            sql_add(sql, "%s%s_%s_bytes%s", before, tier ? "lower" : "hbm",
                    schema_tier_columns[i].name, after);
}

void schema_default_columns(struct sql *sql, bool run, bool over)
{
    sql_add(sql, "rank, batch, plan");
    add_axis_names(sql, ", ", "");
    sql_add(sql, ", %s%s%s", default_figures, over ? ", clusters, step_usd" : "",
            run ? ", days, gpu_hours, cost_usd, energy_kWh, tokens_per_day" : "");
}

/* ---- tables ---- */

/* What a point has of its whole run is for a second of a step with max_batch samples; run_kW is
 * over the accelerators' W. */
static const char fixed_tables[] =
#include "texts/tables.h"
    ;

static void create_strategy(struct sql *sql)
{
    sql_add(sql, "CREATE TABLE strategy(\n"
                 "    search INTEGER NOT NULL REFERENCES search(id) ON DELETE CASCADE,\n"
                 "    rank INTEGER NOT NULL, position INTEGER, batch INTEGER, plan TEXT");
    add_axis_names(sql, ",\n    ", " INTEGER");
    add_figure_names(sql, ",\n    ", " REAL");
    sql_add(sql, ",\n    power_W REAL, clusters TEXT, step_usd REAL,\n"
                 "    run_days REAL, run_gpu_hours REAL, run_usd REAL, run_kWh REAL,\n    PRIMARY "
                 "KEY(search, rank));\n");
}

/* ---- views ---- */

/* steps are as many times more as batches are smaller */
#define STEP  "strategy.step_s * point.max_batch / strategy.batch"
#define PIECE "min(max(run_interval_s, " STEP "), " STEP " * run_steps)"

/* (e^x - 1) / x of the failures in a piece, which SQL has no function for: 1 + x/2 (1 + x/3 (...)),
 * to 2e-10 where there is one. More brackets overflow its parser. */
enum { TERMS = 14 };

/* Of the whole run: what a second of a step has, longer by the pieces between checkpoints. */
static void add_run(struct sql *sql, const char *what)
{
    sql_add(sql,
            STEP " * CASE WHEN " STEP " > run_long_step_s THEN point.run_%s ELSE short_%s END\n"
                 "    / run_slowed * (1 + ifnull(run_blocking_s, 0) / " PIECE ") * (1",
            what, what);
    for (int i = 2; i < TERMS; i++)
        sql_add(sql, " + (" PIECE " + ifnull(run_blocking_s, 0)) * ifnull(run_rate, 0) / %d * (1",
                i);
    for (int i = 1; i < TERMS; i++)
        sql_add(sql, ")");
}

/* `over`: the column of plans over clusters, which have their own run; `times`, or NULL: of a day.
 */
static void add_share(struct sql *sql, const char *over, const char *what, const char *times,
                      const char *name)
{
    sql_add(sql, ",\n    ifnull(%s, %s", over, times ? "" : "run_tokens / (");
    add_run(sql, what);
    sql_add(sql, "%s)%s", times ? times : ")", name);
}

static void create_ranking(struct sql *sql)
{
    sql_add(sql,
            "CREATE VIEW ranking AS SELECT figure.name AS figure, figure.number AS figure_number,\n"
            "    point.number AS point, point.model, point.system, point.gpus, point.max_batch,\n"
            "    point.datatype, point.framework, point.sequence, point.axes, point.mode, "
            "point.top, search.strategies,\n"
            "    search.fits, search.network_too_small, search.network_not_filled,\n"
            "    search.too_few_blocks, search.memory_exceeded, search.refused, search.bounded,\n"
            "    search.timed, search.found, search.seconds, search.strategies_per_s,\n"
            "    search.finished, strategy.rank, strategy.position, strategy.batch,\n"
            "    strategy.plan");
    add_axis_names(sql, ",\n    strategy.", "");
    add_figure_names(sql, ",\n    strategy.", "");
    sql_add(sql, ",\n    strategy.power_W, strategy.clusters, strategy.step_usd");
    add_share(sql, "strategy.run_days", "days", "", " AS days");
    add_share(sql, "strategy.run_gpu_hours", "gpu_hours", "", " AS gpu_hours");
    add_share(sql, "strategy.run_usd", "cost", "", " AS cost_usd");
    add_share(sql, "strategy.run_kWh", "gpu_hours", " * run_kW * strategy.power_W",
              " AS energy_kWh");
    add_share(sql, "run_tokens / strategy.run_days", "days", NULL, " AS tokens_per_day");
    sql_add(sql, "\nFROM point JOIN figure ON figure.number = point.figure\n"
                 "    JOIN search ON search.key = point.key AND search.version =\n"
                 "        (SELECT value FROM study WHERE name = 'model_version')\n"
                 "    LEFT JOIN strategy ON strategy.search = search.id;\n");
}

static const char fixed_views[] =
    "CREATE VIEW result AS SELECT * FROM ranking WHERE rank IS NULL OR rank = 1;\n"
    "CREATE VIEW efficiency AS SELECT figure, model, system, gpus,\n"
    "    ifnull(round(100 * mfu, 1), 0) AS mfu,\n"
    "    ifnull(round(100 * compute_efficiency, 1), 0) AS compute,\n"
    "    ifnull(round(100 * system_efficiency, 1), 0) AS system_share\n"
    "FROM result ORDER BY figure_number, point;\n"
    "CREATE VIEW best AS SELECT figure, model, system, gpus, max_batch, step_s,\n"
    "    max(samples_per_s) AS samples_per_s, mfu, tensor, pipeline, data, chunks,\n"
    "    microbatch, recompute\n"
    "FROM result WHERE rank = 1 GROUP BY figure_number, model, system;\n"
    "CREATE VIEW progress AS SELECT figure.name AS figure, count(*) AS points,\n"
    "    count(search.id) AS finished, ifnull(sum(search.strategies), 0) AS strategies,\n"
    "    ifnull(sum(search.fits), 0) AS fits, count(CASE WHEN search.fits > 0 THEN 1 END)\n"
    "    AS can_run, ifnull(sum(search.seconds), 0) AS seconds\n"
    "FROM point JOIN figure ON figure.number = point.figure\n"
    "    LEFT JOIN search ON search.key = point.key AND search.version =\n"
    "        (SELECT value FROM study WHERE name = 'model_version')\n"
    "GROUP BY figure.number ORDER BY figure.number;\n"
    "CREATE VIEW stale AS SELECT * FROM search WHERE key NOT IN (SELECT key FROM point);\n";

void schema_create(struct sql *sql)
{
    sql_add(sql, "%s", fixed_tables);
    create_strategy(sql);
    create_ranking(sql);
    sql_add(sql, "%s", fixed_views);
}

/* ---- inserts ---- */

void schema_insert_search(struct sql *sql)
{
    sql_add(sql, "INSERT INTO search(%s) VALUES(?", search_columns);
    for (int i = 1; i < SEARCH_COLUMNS; i++)
        sql_add(sql, ", ?");
    sql_add(sql, ")");
}

void schema_insert_strategy(struct sql *sql)
{
    int columns =
        12 + RK_PLAN_AXES + 2 * SCHEMA_TIER_COLUMNS; /* power, clusters, price, run last */
    const struct rk_figure *figure = NULL;
    while ((figure = schema_next_figure(figure)))
        columns++;
    sql_add(sql, "INSERT INTO strategy(search, rank, position, batch, plan");
    add_axis_names(sql, ", ", "");
    add_figure_names(sql, ", ", "");
    sql_add(sql, ", power_W, clusters, step_usd, run_days, run_gpu_hours, run_usd, run_kWh) "
                 "VALUES(?");
    for (int i = 1; i < columns; i++)
        sql_add(sql, ", ?");
    sql_add(sql, ")");
}
