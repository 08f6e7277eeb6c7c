/* page_study.h - a study on its page: its figures, their points, and charts of them. */
#ifndef RECKON_CLI_PAGE_STUDY_H
#define RECKON_CLI_PAGE_STUDY_H

#include "cli/pages.h"
#include "study/study.h"

enum {
    MOST_BARS = 64,     /* points drawn as a bar each */
    MOST_SERIES = 12,   /* lines that can be told apart */
    MOST_LANES = 6,     /* bars side by side */
    MOST_ROWS = 5000,   /* points drawn as points */
    MOST_LISTED = 1000, /* points in a table */
    MOST_WAYS = 64      /* ways in which points may differ */
};

/* Where a step's time goes: they sum up to step_s, those of either predictor. */
enum study_part {
#define FIGURE(by, name, unit, help)
#define FIGURE_TIME(by, name, help) STUDY_PART_##name,
#include <reckon/figures.def>
    PARTS
};
extern const char *const study_part_names[PARTS];

/* One point of the study. Texts live in the page's memory. */
struct point {
    const char *figure, *title, *axes;
    const char *way[MOST_WAYS]; /* (ways of the study) its value in each */
    uint64_t number, strategies, fits, gpus;
    uint64_t tensor, pipeline, data;
    bool runs;
    double step_s, samples_per_s, mfu, compute, system, hbm_bytes, offload_bytes;
    double days, cost_usd, energy_kWh; /* of the run; NAN: the study has none */
    double part_s[PARTS], category_bytes[RK_CATEGORIES];
    const char *label; /* what sets it apart in its figure */
};

struct study_page {
    struct html_page *page;
    struct study_database *database;
    const char *path;
    struct point *point; /* (count) by figure, then number */
    size_t count;
    const char *way[MOST_WAYS]; /* (ways) "model", "system", "gpus", ..., then axes */
    int ways;
};

/* A figure: its points, and what varies in it. */
struct figure {
    struct study_page *study;
    const char *name;
    struct point *point; /* (count) */
    size_t count;
    int varies[MOST_WAYS]; /* (varying) indices into study->way, the one with most values first */
    int values[MOST_WAYS]; /* (varying) how many */
    int varying;
    const char *source;
};

enum { FIXED_WAYS = 5 };

/* ---- what charts ask ---- */

int study_count_labels(const struct figure *f, int without);
const char *study_label_of(const struct figure *f, const struct point *p, int without);

/* The columns that study_read_point takes, FROM what follows. */
const char *study_points_sql(struct html_page *page, const char *from);
enum rk_status study_read_point(void *context, int columns, const char *const *names,
                                const struct study_value *v, struct rk_error *error);
const char *study_value_of(const struct point *p, int way);

/* ---- charts: page_charts.c ---- */

void page_study_breakdowns(const struct figure *f);
void page_study_cost_over_days(const struct figure *f);
void page_study_efficiency(const struct figure *f);
enum rk_status page_study_ranked(const struct figure *f, struct rk_error *error);

#endif
