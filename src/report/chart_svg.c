/* chart_svg.c - charts as drawings that need no browser. */
#include "report/chart.h"
#include "report/markup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 760,       /* of the whole drawing, in px */
    EDGE = 12,         /* around it */
    LINE = 18,         /* height of a line of text */
    LETTER = 7,        /* width of a letter, about */
    BAR = 24,          /* height of a bar with its gap */
    PLOT_HEIGHT = 320, /* of charts whose height is free */
    MOST_TITLES = 1000 /* marks beyond that many do without words of their own */
};

struct drawing {
    FILE *out;
    const struct chart *chart;
    struct chart_series *series;
    int series_count;
    struct chart_names rows, columns; /* categories on Y and X */
    struct chart_range across, up;    /* numbers on the axes */
    double left, top, width, height;  /* of the plot, inside the axes */
};

/* ---- text and shapes ---- */

static void put_text(const struct drawing *d, double x, double y, const char *anchor,
                     const char *class, const char *text)
{
    fprintf(d->out, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
    if (anchor) fprintf(d->out, " text-anchor=\"%s\"", anchor);
    if (class) fprintf(d->out, " class=\"%s\"", class);
    fputc('>', d->out);
    markup_text(d->out, text);
    fputs("</text>\n", d->out);
}

static void put_line(const struct drawing *d, const char *class, double x1, double y1, double x2,
                     double y2)
{
    fprintf(d->out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
            x1, y1, x2, y2);
}

/* The same words that a pointer shows in the page, as the rectangle's title. */
static void put_title(const struct drawing *d, size_t row)
{
    const struct report_table *table = d->chart->table;
    char value[MARKUP_CELL];
    if (table->rows > MOST_TITLES) return;
    fputs("<title>", d->out);
    for (int i = 0; i < table->column_count; i++) {
        const struct report_column *column = &table->columns[i];
        fputs(i ? "\n" : "", d->out);
        markup_text(d->out, column->title ? column->title : column->name);
        fputs(": ", d->out);
        markup_text(d->out,
                    markup_cell(value, column,
                                &table->cells[row * (size_t)table->column_count + (size_t)i]));
    }
    fputs("</title>", d->out);
}

static void put_rect(const struct drawing *d, size_t row, double x, double y, double width,
                     double height, const char *colour)
{
    fprintf(d->out,
            "<rect%s x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
            "fill=\"%s\">",
            fmin(width, height) > 4 ? " class=\"rk-m\"" : "", x, y, fmax(width, 0), fmax(height, 0),
            colour);
    put_title(d, row);
    fputs("</rect>\n", d->out);
}

static const struct chart_series *series_of(const struct drawing *d, size_t row)
{
    const char *name = chart_text(d->chart, row, CHART_SERIES);
    for (int i = 0; i < d->series_count; i++)
        if (strcmp(d->series[i].name, name) == 0) return &d->series[i];
    return NULL;
}

static const char *colour_of(const struct drawing *d, size_t row)
{
    const struct chart_series *series = series_of(d, row);
    return chart_palette[series ? series->colour : CHART_BLUE];
}

/* ---- axes ---- */

static double position(const struct chart_range *range, bool log, double number)
{
    const double low = log ? log10(range->min) : range->min;
    const double high = log ? log10(range->max) : range->max;
    const double at = log ? log10(number) : number;
    return high > low ? (at - low) / (high - low) : 0;
}

static double at_x(const struct drawing *d, double number)
{
    return d->left + d->width * position(&d->across, d->chart->x.log, number);
}

static double at_y(const struct drawing *d, double number)
{
    return d->top + d->height * (1 - position(&d->up, d->chart->y.log, number));
}

/* 1, 2 or 5 times a power of ten: the step of about `parts` parts of `length`. */
static double nice_step(double length, int parts)
{
    const double rough = length / parts, power = pow(10, floor(log10(rough)));
    const double digit = rough / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

/* Widens a range to the ticks around it; returns their distance. */
static double round_range(struct chart_range *range, int parts)
{
    const double factor = range->scale.factor;
    if (range->max <= range->min) range->max = range->min + factor;
    const double step = nice_step((range->max - range->min) / factor, parts) * factor;
    range->min = floor(range->min / step + 1e-9) * step;
    range->max = ceil(range->max / step - 1e-9) * step;
    return step;
}

static void tick(const struct drawing *d, bool across, double number)
{
    const struct chart_range *range = across ? &d->across : &d->up;
    char text[32];
    snprintf(text, sizeof text, "%.6g", number / range->scale.factor + 0.0);
    if (across) {
        const double x = at_x(d, number);
        put_line(d, "rk-g", x, d->top, x, d->top + d->height);
        put_text(d, x, d->top + d->height + 16, "middle", NULL, text);
    } else {
        const double y = at_y(d, number);
        put_line(d, "rk-g", d->left, y, d->left + d->width, y);
        put_text(d, d->left - 6, y + 4, "end", NULL, text);
    }
}

static void number_axis(const struct drawing *d, bool across, double step)
{
    const struct chart_range *range = across ? &d->across : &d->up;
    for (double n = range->min; n <= range->max + step / 2; n += step)
        tick(d, across, fabs(n) < step / 1e6 ? 0 : n);
}

/* The range and the ticks of one axis of CHART_XY; drawn once the frame is known. */
struct xy_axis {
    double step; /* 0: logarithmic */
    double ticks[CHART_TICKS];
    int count;
};

static struct xy_axis xy_axis_open(const struct chart *chart, enum chart_role role, int parts,
                                   struct chart_range *range)
{
    struct xy_axis axis = {.step = 0};
    *range = chart_range(chart, role);
    axis.count = chart_log_ticks(chart, role, axis.ticks);
    if (!axis.count) axis.step = round_range(range, parts);
    for (int i = 0; i < axis.count; i++) {
        range->min = fmin(range->min, axis.ticks[i]);
        range->max = fmax(range->max, axis.ticks[i]);
    }
    return axis;
}

static void xy_axis_draw(const struct drawing *d, bool across, const struct xy_axis *axis)
{
    if (!axis->count) number_axis(d, across, axis->step);
    for (int i = 0; i < axis->count; i++)
        tick(d, across, axis->ticks[i]);
}

static void axis_titles(const struct drawing *d, enum chart_role x, enum chart_role y)
{
    char text[128];
    const struct chart *chart = d->chart;
    if (x != CHART_ROLES)
        put_text(d, d->left + d->width / 2, d->top + d->height + 34, "middle", "rk-a",
                 chart_axis_title(chart, &chart->x, x, &d->across.scale, text, sizeof text));
    if (y != CHART_ROLES)
        put_text(d, EDGE, d->top - 8, NULL, "rk-a",
                 chart_axis_title(chart, &chart->y, y, &d->up.scale, text, sizeof text));
}

static double widest(const struct chart_names *names)
{
    size_t letters = 0;
    for (int i = 0; i < names->count; i++)
        if (strlen(names->name[i]) > letters) letters = strlen(names->name[i]);
    return fmin((double)letters * LETTER + 8, WIDTH / 3.0);
}

static void row_names(const struct drawing *d, double step)
{
    /* Where rows are thinner than letters, every so many gets its name. */
    const int each = step >= 11 ? 1 : (int)ceil(11 / step);
    for (int i = 0; i < d->rows.count; i += each)
        put_text(d, d->left - 6, d->top + (i + 0.5) * step + 4, "end", NULL, d->rows.name[i]);
}

static void column_names(const struct drawing *d, const struct chart_names *names, double step)
{
    const bool tilt = widest(names) > step + 8;
    for (int i = 0; i < names->count; i++) {
        const double x = d->left + (i + 0.5) * step, y = d->top + d->height + 15;
        fprintf(d->out, "<g transform=\"translate(%.1f %.1f)%s\">", x, y,
                tilt ? " rotate(-35)" : "");
        put_text(d, 0, 0, tilt ? "end" : "middle", NULL, names->name[i]);
        fputs("</g>\n", d->out);
    }
}

/* ---- legend and frame ---- */

/* Draws it when `draw`; returns its height. */
static double legend(const struct drawing *d, double y, bool draw)
{
    double x = EDGE;
    const double from = y;
    if (d->series_count < 2 && !d->chart->limit) return 0;
    for (int i = 0; i < d->series_count + (d->chart->limit ? 1 : 0); i++) {
        const bool limit = i == d->series_count;
        const char *name = limit ? d->chart->limit : d->series[i].name;
        const double width = 22 + (double)strlen(name) * LETTER + 8;
        if (x + width > WIDTH - EDGE && x > EDGE) x = EDGE, y += LINE;
        if (draw && limit)
            put_line(d, "rk-l", x + 5, y - 1, x + 5, y + 12);
        else if (draw)
            fprintf(d->out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" fill=\"%s\"/>\n", x, y,
                    chart_palette[d->series[i].colour]);
        if (draw) put_text(d, x + 16, y + 10, NULL, NULL, name);
        x += width;
    }
    return y - from + LINE + 8;
}

static const char style[] =
    ".rk-c{font:11px system-ui,sans-serif;background:var(--card,#fff)}"
    ".rk-c text{fill:var(--ink,#222)}.rk-c .rk-t{font-size:14px;font-weight:600}"
    ".rk-c .rk-a{fill:var(--soft,#555)}.rk-c .rk-i{fill:#111;font-size:10px}"
    ".rk-c .rk-w{fill:#fff;font-size:10px}.rk-c .rk-g{stroke:var(--line,#ddd)}.rk-c "
    ".rk-l{stroke:var(--ink,#222);stroke-width:2}"
    ".rk-c .rk-m{stroke:var(--card,#fff);stroke-width:.5}";

static void open_drawing(const struct drawing *d, double height)
{
    fprintf(d->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"rk-c\" role=\"img\" "
            "width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\">\n<style>%s</style>\n<title>",
            WIDTH, height, WIDTH, height, style);
    markup_text(d->out, d->chart->title);
    fputs("</title>\n", d->out);
    put_text(d, EDGE, 20, NULL, "rk-t", d->chart->title);
}

/* Title, legend, and where the plot lies; `below` is the room for the axis under it. */
static void frame(struct drawing *d, double left, double plot_height, double above, double below)
{
    const double legend_height = legend(d, 0, false);
    d->left = EDGE + left;
    d->width = WIDTH - EDGE - 10 - d->left;
    d->top = 32 + legend_height + above;
    d->height = plot_height;
    open_drawing(d, d->top + d->height + below + 8);
    legend(d, 34, true);
}

/* ---- the kinds ---- */

static const int below_numbers = 40;

/* Along the value's axis, from `low` to `high`; across it, from `side` on. */
static void bar(const struct drawing *d, size_t row, double low, double high, double side,
                double thick)
{
    if (d->chart->upright)
        put_rect(d, row, side, at_y(d, high), thick, at_y(d, low) - at_y(d, high),
                 colour_of(d, row));
    else
        put_rect(d, row, at_x(d, low), side, at_x(d, high) - at_x(d, low), thick,
                 colour_of(d, row));
}

static void limit_mark(const struct drawing *d, size_t row, double side, double thick)
{
    const double limit = chart_number(d->chart, row, CHART_LIMIT);
    if (!isfinite(limit)) return;
    if (d->chart->upright)
        put_line(d, "rk-l", side - 2, at_y(d, limit), side + thick + 2, at_y(d, limit));
    else
        put_line(d, "rk-l", at_x(d, limit), side - 2, at_x(d, limit), side + thick + 2);
}

static void bars_of_category(const struct drawing *d, int category, double side, double thick)
{
    const struct chart *chart = d->chart;
    const double thin = chart->beside && d->series_count ? thick / d->series_count : thick;
    double top = 0;
    size_t last = chart->table->rows;
    for (size_t row = 0; row < chart->table->rows; row++) {
        if (strcmp(chart_text(chart, row, CHART_Y), d->rows.name[category]) != 0) continue;
        last = row;
        if (!chart_row_is_drawn(chart, row)) continue;
        const double value = chart_number(chart, row, CHART_VALUE);
        const struct chart_series *series = series_of(d, row);
        const double low = chart->beside ? 0 : top;
        bar(d, row, low, low + value,
            side + (chart->beside && series ? thin * (double)(series - d->series) : 0), thin);
        top += value;
    }
    if (last < chart->table->rows) limit_mark(d, last, side, thick);
}

static void draw_bars(struct drawing *d)
{
    const int bars = d->rows.count ? d->rows.count : 1;
    const int lanes = d->chart->beside && d->series_count > 1 ? d->series_count : 1;
    const bool upright = d->chart->upright;
    struct chart_range *range = upright ? &d->up : &d->across;
    *range = chart_range(d->chart, CHART_VALUE);
    const double tick_step = round_range(range, 6);
    const double lane = lanes > 1 ? BAR * (0.4 + 0.4 * lanes) : BAR + 4;
    if (upright)
        frame(d, 56, PLOT_HEIGHT, 16, fmin(widest(&d->rows) * 0.6 + 22, 110));
    else
        frame(d, widest(&d->rows), bars * lane, 0, below_numbers);
    number_axis(d, !upright, tick_step);
    const double step = (upright ? d->width : d->height) / bars;
    for (int i = 0; i < d->rows.count; i++)
        bars_of_category(d, i, (upright ? d->left : d->top) + (i + 0.1) * step, 0.8 * step);
    if (upright)
        column_names(d, &d->rows, step);
    else
        row_names(d, step);
    axis_titles(d, upright ? CHART_ROLES : CHART_VALUE, CHART_ROLES);
    if (upright) {
        char text[128];
        put_text(
            d, EDGE, d->top - 8, NULL, "rk-a",
            chart_axis_title(d->chart, &d->chart->x, CHART_VALUE, &d->up.scale, text, sizeof text));
    }
}

static void draw_spans(struct drawing *d)
{
    const struct chart *chart = d->chart;
    const double row_height = d->rows.count > 64 ? 6 : d->rows.count > 24 ? 14 : BAR;
    d->across = chart_range(chart, CHART_X);
    const double tick_step = round_range(&d->across, 8);
    frame(d, widest(&d->rows), d->rows.count * row_height, 0, below_numbers);
    number_axis(d, true, tick_step);
    row_names(d, row_height);
    for (size_t row = 0; row < chart->table->rows; row++) {
        if (!chart_row_is_drawn(chart, row)) continue;
        const double from = at_x(d, chart_number(chart, row, CHART_X));
        const double to = at_x(d, chart_number(chart, row, CHART_X_END));
        const int index = chart_name_index(&d->rows, chart_text(chart, row, CHART_Y));
        const double y = d->top + index * row_height;
        const char *label = chart_text(chart, row, CHART_LABEL);
        put_rect(d, row, from, y + 1, to - from, row_height - 2, colour_of(d, row));
        if (*label && row_height >= 14 && (double)strlen(label) * LETTER + 4 < to - from)
            put_text(d, (from + to) / 2, y + row_height / 2 + 4, "middle", "rk-i", label);
    }
    axis_titles(d, CHART_X, CHART_ROLES);
}

static void draw_line(const struct drawing *d, const struct chart_series *series)
{
    const struct chart *chart = d->chart;
    char letter = 'M';
    fputs("<path fill=\"none\" stroke-width=\"2\" d=\"", d->out);
    for (size_t row = 0; row < chart->table->rows; row++) {
        if (!chart_row_is_drawn(chart, row) || series_of(d, row) != series) continue;
        const double x = at_x(d, chart_number(chart, row, CHART_X));
        if (letter == 'L' && series->mark == CHART_STEP) fprintf(d->out, "H%.1f", x);
        fprintf(d->out, "%c%.1f %.1f", letter, x, at_y(d, chart_number(chart, row, CHART_Y)));
        letter = 'L';
    }
    fprintf(d->out, "\" stroke=\"%s\"/>\n", chart_palette[series->colour]);
}

static void draw_point(const struct drawing *d, size_t row)
{
    const struct chart *chart = d->chart;
    const double x = at_x(d, chart_number(chart, row, CHART_X));
    const double y = at_y(d, chart_number(chart, row, CHART_Y));
    const char *label = chart_text(chart, row, CHART_LABEL);
    const struct chart_series *series = series_of(d, row);
    fprintf(d->out, "<circle class=\"rk-m\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\">", x, y,
            series && series->mark != CHART_POINTS ? "2.5" : "4.5", colour_of(d, row));
    put_title(d, row);
    fputs("</circle>\n", d->out);
    if (*label) put_text(d, x + 7, y + 4, NULL, NULL, label);
}

static void draw_xy(struct drawing *d)
{
    const struct chart *chart = d->chart;
    const struct xy_axis x = xy_axis_open(chart, CHART_X, 7, &d->across);
    const struct xy_axis y = xy_axis_open(chart, CHART_Y, 6, &d->up);
    frame(d, 60, PLOT_HEIGHT, 16, below_numbers);
    xy_axis_draw(d, true, &x);
    xy_axis_draw(d, false, &y);
    for (int i = 0; i < d->series_count; i++)
        if (d->series[i].mark != CHART_POINTS) draw_line(d, &d->series[i]);
    for (size_t row = 0; row < chart->table->rows; row++)
        if (chart_row_is_drawn(chart, row)) draw_point(d, row);
    axis_titles(d, CHART_X, CHART_Y);
}

/* From light to dark blue: the larger, the darker; the page has the same two ends. */
static void heat_colour(double share, char buffer[8])
{
    static const int low[3] = {0xe6, 0xee, 0xf5}, high[3] = {0x1f, 0x4e, 0x79};
    int mix[3];
    for (int i = 0; i < 3; i++)
        mix[i] = (int)lround(low[i] + share * (high[i] - low[i]));
    snprintf(buffer, 8, "#%02x%02x%02x", mix[0] & 255, mix[1] & 255, mix[2] & 255);
}

static void draw_heat(struct drawing *d)
{
    const struct chart *chart = d->chart;
    const struct chart_range range = chart_range(chart, CHART_VALUE);
    char colour[8], text[64];
    frame(d, widest(&d->rows), d->rows.count * 26.0, 0, fmin(widest(&d->columns) * 0.6 + 38, 120));
    const double step = d->width / (d->columns.count ? d->columns.count : 1);
    for (size_t row = 0; row < chart->table->rows; row++) {
        if (!chart_row_is_drawn(chart, row)) continue;
        const double value = chart_number(chart, row, CHART_VALUE);
        const double share = position(&range, false, value);
        const int i = chart_name_index(&d->columns, chart_text(chart, row, CHART_X));
        const int k = chart_name_index(&d->rows, chart_text(chart, row, CHART_Y));
        heat_colour(share, colour);
        put_rect(d, row, d->left + i * step, d->top + k * 26.0, step, 26, colour);
        snprintf(text, sizeof text, "%.3g", value / range.scale.factor);
        if ((double)strlen(text) * LETTER < step)
            put_text(d, d->left + (i + 0.5) * step, d->top + (k + 0.5) * 26 + 4, "middle",
                     share > 0.5 ? "rk-w" : "rk-i", text);
    }
    row_names(d, 26);
    column_names(d, &d->columns, step);
}

void chart_write_svg(const struct chart *chart, FILE *out)
{
    static void (*const draw[CHART_KINDS])(struct drawing *) = {
        [CHART_BARS] = draw_bars,
        [CHART_SPANS] = draw_spans,
        [CHART_XY] = draw_xy,
        [CHART_HEAT] = draw_heat,
    };
    struct drawing d = {.out = out, .chart = chart};
    d.series = chart_all_series(chart, &d.series_count);
    if (chart_names(chart, CHART_Y, &d.rows) && chart_names(chart, CHART_X, &d.columns)) {
        draw[chart->kind](&d);
        fputs("</svg>\n", out);
    }
    free(d.series);
    free(d.rows.name);
    free(d.columns.name);
}
