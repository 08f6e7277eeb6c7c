/* chart.h - a chart is a table and a few words on how to draw it.
 *
 * The numbers stand in a report_table of stored rows and nowhere else. A chart names the columns
 * that play each role; from that come the comma-separated values, and the JSON that page/charts.js
 * draws. Five kinds do:
 *
 *     CHART_BARS   one bar of length VALUE per category Y; SERIES are stacked or side by side;
 *                  LIMIT is a mark across the bar of the category (a capacity)
 *     CHART_SPANS  rectangles from X to X_END in the row Y, coloured by SERIES, with LABEL inside
 *                  where there is room: flame graphs, schedules, layouts
 *     CHART_XY     points or lines of SERIES at (X, Y); LABEL names a point
 *     CHART_HEAT   a cell per (X, Y), coloured by VALUE; hatched where VALUE is missing
 *     CHART_BOXES  rectangles from (X, Y) to (X_END, Y_END), coloured by SERIES: where buffers lie,
 *                  where ranks are; `plain` ones have no axes and keep their proportions
 *
 * Columns of Y (except CHART_XY and CHART_BOXES), SERIES, LABEL, and X of CHART_HEAT hold texts;
 * categories stand in the order of their first row. The others hold numbers. A row with a number
 * that is missing or not finite is not drawn.
 */
#ifndef RECKON_REPORT_CHART_H
#define RECKON_REPORT_CHART_H

#include "report/report.h"

enum chart_kind { CHART_BARS, CHART_SPANS, CHART_XY, CHART_HEAT, CHART_BOXES, CHART_KINDS };

enum chart_role {
    CHART_X,
    CHART_X_END,
    CHART_Y,
    CHART_Y_END,
    CHART_VALUE,
    CHART_SERIES,
    CHART_LIMIT,
    CHART_LABEL,
    CHART_LOW, /* CHART_BARS, CHART_XY: the range around VALUE or Y, drawn as a whisker */
    CHART_HIGH,
    CHART_ROLES
};

extern const char *const chart_kind_names[CHART_KINDS]; /* "bars", ... */
extern const char *const chart_role_names[CHART_ROLES]; /* "x", "x_end", ... */

enum chart_mark {
    CHART_POINTS,
    CHART_LINE,  /* of CHART_BOXES: from one corner to the other */
    CHART_STEP,  /* a line that keeps its height until the next point */
    CHART_FRAME, /* CHART_BOXES: drawn around what is in it */
    CHART_MARKS
};

enum { CHART_COLOURS = 20 };

/* Colours that can be told apart on white and on black; the last ten are lighter or darker. */
extern const char *const chart_palette[CHART_COLOURS];
enum chart_colour {
    CHART_BLUE,
    CHART_ORANGE,
    CHART_RED,
    CHART_TEAL,
    CHART_GREEN,
    CHART_YELLOW,
    CHART_PURPLE,
    CHART_PINK,
    CHART_BROWN,
    CHART_GREY,
    CHART_LIGHT_BLUE,
    CHART_LIGHT_ORANGE,
    CHART_LIGHT_GREEN,
    CHART_LIGHT_PURPLE,
    CHART_DARK_YELLOW,
    CHART_DARK_TEAL,
    CHART_DARK_GREY,
    CHART_ROSE,
    CHART_LIGHT_BROWN,
    CHART_LIGHT_ROSE
};

struct chart_series {
    const char *name;
    enum chart_colour colour;
    enum chart_mark mark; /* CHART_XY, CHART_BOXES */
};

struct chart_axis {
    const char *title; /* without the unit, which is the column's; NULL: the column's title */
    bool log;          /* numbers above 0 only */
    double end;        /* CHART_SPANS: the axis goes from 0 to here, in the column's unit; 0: no */
};

struct chart {
    const char *id; /* anchor and name of its files: "time", [a-z0-9-] */
    const char *title;
    const char *caption; /* what to see in it; may be NULL */
    const char *source;  /* the command that gives these numbers; may be NULL */
    enum chart_kind kind;
    const struct report_table *table;
    const char *role[CHART_ROLES]; /* names of columns; NULL: no such role */
    struct chart_axis x, y;        /* on paper: x is across. Of CHART_BARS, x is the value's */
    const char *limit;             /* what the mark of LIMIT is: "capacity" */
    const char *const *wide;       /* ended by NULL: columns that are a series each, see below */
    const char *const *metrics;    /* ended by NULL: CHART_BARS, CHART_HEAT, CHART_XY: other columns
                                      that the reader may choose for VALUE (Y) */
    enum chart_mark mark;          /* of series that are not listed */
    bool beside;                   /* CHART_BARS: series side by side, not stacked */
    bool upright;                  /* CHART_BARS: bars stand on the axis of categories */
    bool plain;                    /* CHART_BOXES: no axes, Y downwards */
    const struct chart_series *series; /* (series_count) in the order of drawing; series that are */
    int series_count;                  /* not listed follow, with the colours that are left */
};

/* The chart over `table` with stored rows, one for each row and column of `wide`: the columns of
 * the table without those, "series" with the title of the column, "value" with its number. Without
 * `wide` the rows as they are. A value that is missing has no row. Lives in `memory`. */
struct chart chart_over(struct report *memory, const struct chart *chart,
                        const struct report_table *table);

/* The column of a role, or -1. */
int chart_column(const struct chart *chart, enum chart_role role);

double chart_number(const struct chart *chart, size_t row, enum chart_role role); /* else NAN */

/* How many rows are drawn: the marks that a browser must show. */
size_t chart_drawn(const struct chart *chart);

/* ---- names in the order of their first row ---- */

struct chart_names {
    const char **name; /* (count) borrowed from the table */
    int count;
};

/* False when there is no memory. Release with free(names->name). */
bool chart_names(const struct chart *chart, enum chart_role role, struct chart_names *names);

/* The series of the chart, listed ones first, with colours: (count) to be released with free().
 * NULL with *count 0 when there are none, or no memory. */
struct chart_series *chart_all_series(const struct chart *chart, int *count);

/* ---- axes of numbers ---- */

struct chart_scale {
    double factor;    /* what is drawn is value / factor */
    const char *unit; /* of what is drawn: "ms", "GiB"; "" */
};

/* The scale in which `largest` of a column with this unit has few digits. */
struct chart_scale chart_scale(const char *unit, double largest);

/* The scale of the numbers of one role over all rows (with X_END, LIMIT and stacks where they
 * share the axis), and their range in the column's unit. */
struct chart_range {
    double min, max;
    struct chart_scale scale;
};
struct chart_range chart_range(const struct chart *chart, enum chart_role role);

/* Where a logarithmic axis has its ticks: at the numbers themselves if they are few (256, 512,
 * ...), else at the powers of ten around them; where those are few, at 1, 2 and 5 times them.
 * Returns how many; 0 on other axes. */
enum { CHART_TICKS = 40 };
int chart_log_ticks(const struct chart *chart, enum chart_role role, double ticks[CHART_TICKS]);

/* "step time (ms)" */
const char *chart_axis_title(const struct chart *chart, const struct chart_axis *axis,
                             enum chart_role role, const struct chart_scale *scale, char *buffer,
                             size_t size);

/* ---- writers; errors of `out` are the caller's to find with ferror() ---- */

/* What core/report/page/charts.js draws: one object. */
void chart_write_json(const struct chart *chart, FILE *out);

void chart_write_csv(const struct chart *chart, FILE *out);

#endif
