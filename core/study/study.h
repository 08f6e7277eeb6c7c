/* study.h - grids of searches, kept in a database: reckon-study(5).
 *
 *     study_load      a study file becomes a list of points, each one search
 *     study_update    runs what the database lacks, each finished search in its own transaction
 *     study_query     reads the results with SQL
 *
 * study_run is the engine alone: it searches a list of points and hands finished rows to a sink,
 * in no order. Whoever shares a grid among machines gives each its part of the list, and a sink
 * that sends the rows to the one that keeps the database. The results of a point do not depend
 * on who made it when.
 */
#ifndef RECKON_STUDY_STUDY_H
#define RECKON_STUDY_STUDY_H

#include "catalog/readers.h"
#include <reckon/campaign.h>
#include <reckon/machine.h>
#include <reckon/plans.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STUDY_NAME = 160,
    STUDY_KEY = 33,
    STUDY_MAX_POINTS = 1000000,
    STUDY_MAX_TOP = 1000,
    STUDY_WORDS = 4096
};

struct study_model {
    char name[STUDY_NAME];
    char key[STUDY_KEY]; /* of the shape, without names */
    struct rk_model model;
};

struct study_system {
    char name[STUDY_NAME];
    char *description;   /* the one-line form or the id it was loaded by */
    char key[STUDY_KEY]; /* of the numbers, without names; of several clusters with them */
    struct rk_system system;
    const struct rk_machine *machine; /* the system's; NULL: it is one cluster */
};

/* Restrictions, as closed ranges of the values of rk_plan_axis_get. */
struct study_axes {
    char *text; /* "tensor=8,16 recompute=none" in the order of the axes, "unstartable" before them;
                   "" for none */
    bool unstartable; /* as in struct rk_plans_problem */
    struct study_ranges {
        int count; /* 0: not restricted */
        struct {
            uint64_t low, high;
        } range[RK_MAX_PINNED];
    } axis[RK_PLAN_AXES];
};

struct study_figure {
    char name[STUDY_NAME];
    char *title;   /* "" for none */
    size_t points; /* how many */
};

/* How a point is searched: as enum rk_search_mode has it, or each layer in its own way. */
enum { STUDY_LAYERWISE = RK_SEARCH_TWIN + 1, STUDY_MODES };
extern const char *const study_mode_names[]; /* ended by NULL */

struct study_point {
    int figure;
    size_t number;           /* from 1, in its figure */
    int model, system, axes; /* indices */
    uint64_t gpus, max_batch;
    uint64_t sequence; /* 0: the model's */
    enum rk_framework framework;
    enum rk_precision precision;
    int mode; /* of study_mode_names */
    uint64_t top;
    double usable_bytes; /* that plans take at most, unless none takes so little; INFINITY: all */
    char key[STUDY_KEY]; /* hash of all inputs of the search, in hexadecimal digits */
    /* Of the whole run, for a second of a step with max_batch samples; all 0 without one, and over
     * several clusters, whose plans say which of the GPUs they use, all but the tokens. */
    struct study_share {
        double tokens, days, gpu_hours, cost;
        double kW; /* over the accelerators' W: host, network, cooling */
        /* Of a run whose step takes at most that long, which keeps no spare nodes. */
        double long_step_s, short_days, short_gpu_hours, short_cost;
        /* Of another step the pieces between checkpoints are others: what a run of any length has
         * between them, at least a step and at most all of its steps; what stops it at each, the
         * rate of failures; and how much longer the pieces of the second take for it. */
        double interval_s, steps, blocking_s, rate, slowed;
    } run;
};

struct study_column {
    char *name;
    char *expression; /* SQL over the view `ranking` */
};

struct study {
    char path[256];         /* as messages name it */
    model_reader *model_of; /* models that the file names */
    char *title;            /* "" for none */
    size_t figures, models, systems, axes_count, points, columns;
    struct study_figure *figure;
    struct study_model *model;
    struct study_system *system;
    struct study_axes *axes;
    struct study_point *point;   /* by figure, then number */
    struct study_column *column; /* none: the default ones */
    bool has_run;
    struct rk_run run; /* what the file says of it */
    struct rk_campaign_facts *facts;
};

/* `path` may be "-". RK_BAD_INPUT with line and column for whatever is wrong with the file; the
 * caller closes the study. */
enum rk_status study_load(const char *path, model_reader *model_of, struct study **study,
                          struct rk_error *error);

/* The same from memory; `path` is for messages and for where "./" starts. */
enum rk_status study_parse(const char *path, const char *text, size_t size, model_reader *model_of,
                           struct study **study, struct rk_error *error);
void study_close(struct study *study); /* NULL is fine */

/* Index of a figure, or -1. */
int study_find_figure(const struct study *study, const char *name);

/* The precision of a name, also of the Calculon model's datatypes (float16, ...). */
bool study_precision(const char *name, int *precision);

/* Tokens of a sample; the name of the precision, for calculon that of the datatype it has. */
uint64_t study_sequence(const struct study *study, const struct study_point *point);
const char *study_precision_name(const struct study_point *point);

/* The machine of several clusters that a point is searched on; NULL: its system is one cluster. */
static inline const struct rk_machine *study_machine(const struct study *study,
                                                     const struct study_point *point)
{
    return study->system[point->system].machine;
}

/* The search that a point of one cluster stands for; it borrows the study's model and system. */
void study_problem(const struct study *study, const struct study_point *point,
                   struct rk_plans_problem *problem);

/* ---- the engine ---- */

struct study_best {
    uint64_t position; /* in the enumeration */
    struct rk_plan plan;
    struct rk_outcome outcome;
};

/* What a plan over several clusters has that others do not. */
struct study_over {
    bool differs[RK_PLAN_AXES]; /* between stages */
    double step_usd;            /* NAN: no price is known */
    struct study_over_run {     /* the whole run; 0: none is asked for, or not known */
        double days, gpu_hours, cost, energy_kWh;
    } run;
    char clusters[RK_MAX_CLUSTERS * 64]; /* "new, old": in the order of the stages */
    char words[STUDY_WORDS];
};

/* A finished search. Flat but for `best` and `over`, which study_row_release frees. */
struct study_row {
    size_t point; /* index in study->point */
    struct rk_search_counts counts;
    struct rk_search_explain explain;
    uint64_t found;
    struct study_best *best; /* (found) by samples per second, then position */
    struct study_over *over; /* (found) of plans over several clusters; NULL */
    double seconds;
};

struct study_progress {
    size_t done, total;  /* searches */
    double share;        /* of the work, as guessed beforehand: 0 to 1 */
    uint64_t strategies; /* done so far */
    double seconds;      /* since the start */
};

struct study_run_options {
    int jobs; /* searches at a time; 0: one per processor */
    /* Takes finished rows, 1 or more; called from the calling thread alone. A failure ends the run.
     */
    enum rk_status (*sink)(void *context, const struct study_row *rows, size_t count,
                           struct rk_error *error);
    void *context;
    /* Called a few times a second from the calling thread; false ends the run: what is finished
     * goes to the sink, RK_INTERRUPTED is returned. May be NULL. */
    bool (*progress)(void *context, const struct study_progress *progress);
    void *progress_context;
};

/* Searches study->point[points[0 .. count - 1]], those with most work first. */
enum rk_status study_run(const struct study *study, const size_t *points, size_t count,
                         const struct study_run_options *options, struct rk_error *error);

/* ---- the database ---- */

struct study_database;

enum study_access {
    STUDY_READ, /* must be there */
    STUDY_WRITE /* made if it is not there; one process at a time */
};

/* RK_IO when the file cannot be had, is being written by another run or the disk is full;
 * RK_BAD_INPUT when it is no database of a study or one of another version. */
enum rk_status study_database_open(const char *path, enum study_access access,
                                   struct study_database **database, struct rk_error *error);
void study_database_close(struct study_database *database); /* NULL is fine */

/* Lets the database grow to so many pages of 4 KiB: a small disk, for tests. */
void study_database_limit(struct study_database *database, uint64_t pages);

/* What a run has to do. */
struct study_plan {
    size_t points, figures; /* of the study, or of the figure asked for */
    size_t searches;        /* different ones among them */
    size_t finished;        /* of these, already there */
    size_t outdated;        /* of these, there but by another version of the model */
    size_t missing;         /* searches - finished */
    size_t *point;          /* (missing) indices in study->point */
    bool *done;             /* (study->points) finished, by point */
};

/* `figure` is an index, -1 for all. `database` may be NULL: nothing is finished then. */
enum rk_status study_plan(const struct study *study, int figure, struct study_database *database,
                          struct study_plan *plan, struct rk_error *error);
void study_plan_release(struct study_plan *plan); /* a zeroed plan is fine */

/* Do the tables that describe the grid say what the study says? */
bool study_grid_is_written(const struct study *study, struct study_database *database);

/* Writes the study's grid to the tables that describe it. */
enum rk_status study_write_grid(const struct study *study, struct study_database *database,
                                struct rk_error *error);

/* A sink: finished rows into the database, each in its own transaction. */
struct study_writer {
    const struct study *study;
    struct study_database *database;
};
enum rk_status study_write_rows(void *writer, const struct study_row *rows, size_t count,
                                struct rk_error *error);

/* The grid, then everything that the plan misses. */
enum rk_status study_update(const struct study *study, struct study_database *database,
                            const struct study_plan *plan, int jobs,
                            bool (*progress)(void *context, const struct study_progress *progress),
                            void *context, struct rk_error *error);

/* ---- results ---- */

enum study_type { STUDY_NULL, STUDY_INTEGER, STUDY_REAL, STUDY_TEXT };

struct study_value {
    enum study_type type;
    int64_t integer;
    double real;
    const char *text; /* until the next row */
};

/* Sees one row. */
typedef enum rk_status study_row_fn(void *context, int columns, const char *const *names,
                                    const struct study_value *values, struct rk_error *error);

/* Runs one SELECT. Statements that would change the database are refused: RK_BAD_ARGUMENT, as is
 * what is not SQL. */
enum rk_status study_query(struct study_database *database, const char *sql, study_row_fn *row,
                           void *context, struct rk_error *error);

/* The SELECT of an export: the study's columns for all kept strategies of the figure (-1: all), by
 * figure, point, rank. The caller frees it; NULL when there is no memory. */
char *study_export_sql(const struct study *study, int figure);

#endif
