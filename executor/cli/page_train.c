#include "cli/page_train.h"
#include "cli/pages.h"
#include "report/chart.h"

#include <inttypes.h>

/* ---- the steps ---- */

static void halve(struct train_curve *curve)
{
    for (int i = 0; i < TRAIN_CURVE_POINTS / 2; i++) {
        const struct train_point *a = &curve->point[2 * i], *b = a + 1;
        curve->point[i] = (struct train_point){b->step, a->loss + b->loss, a->tokens + b->tokens,
                                               a->seconds + b->seconds};
    }
    curve->points = TRAIN_CURVE_POINTS / 2;
    curve->every *= 2;
}

void train_curve_add(struct train_curve *curve, const struct rk_train_step *step)
{
    if (!curve->every) curve->every = curve->in_last = 1;
    if (curve->in_last == curve->every || !curve->points) {
        if (curve->points == TRAIN_CURVE_POINTS) halve(curve);
        curve->point[curve->points++] = (struct train_point){.step = 0};
        curve->in_last = 0;
    }
    struct train_point *p = &curve->point[curve->points - 1];
    p->step = step->step;
    p->loss += step->loss;
    p->tokens += step->tokens;
    p->seconds += step->wall_s;
    curve->in_last++;
}

/* ---- the charts ---- */

static const struct report_column columns[] = {
    {.name = "of"},
    {.name = "step"},
    {.name = "loss"},
    {.name = "tokens_per_s", .title = "tokens/s"},
};

static const struct report_table *points_of(struct html_page *page, const struct train_curve *curve)
{
    struct report_table *table = page_table(page, columns, 4);
    const char *of = curve->every > 1 ? "mean of some steps" : "each step";
    for (int i = 0; i < curve->points; i++) {
        const struct train_point *p = &curve->point[i];
        const double steps = (double)(i + 1 < curve->points ? curve->every : curve->in_last);
        REPORT_ROW(&page->memory, table, cell_text(of), cell_count(p->step),
                   cell_number(p->loss / steps), cell_number(p->tokens / p->seconds));
    }
    return table;
}

static void draw(struct html_page *page, const struct report_table *table, const char *id,
                 const char *title, const char *caption, const char *column)
{
    static const struct chart_series lines[] = {{"each step", CHART_BLUE, CHART_LINE},
                                                {"mean of some steps", CHART_BLUE, CHART_LINE}};
    const struct chart chart = {
        .id = id,
        .title = title,
        .caption = caption,
        .kind = CHART_XY,
        .table = table,
        .role = {[CHART_X] = "step", [CHART_Y] = column, [CHART_SERIES] = "of"},
        .series = lines,
        .series_count = 2,
    };
    page_chart(page, &chart);
}

enum rk_status page_train(const struct page_train *train, const char *path, struct rk_error *error)
{
    struct html_page page = {.title = train->title, .subtitle = train->plan};
    const struct report_table *table = points_of(&page, train->curve);
    const char *every =
        train->curve->every > 1
            ? report_text(&page.memory, " A point is the mean of %" PRIu64 " steps.",
                          train->curve->every)
            : "";
    page_report_head(&page, train->answer, RK_OK);
    draw(&page, table, "loss", "Loss, step by step",
         report_text(&page.memory, "Cross entropy of a token, in nats.%s", every), "loss");
    draw(&page, table, "speed", "Tokens per second", *every ? every + 1 : NULL, "tokens_per_s");
    page_report(&page, train->answer);
    const enum rk_status status = page_write(&page, path, NULL, NULL, PAGE_HTML, error);
    html_release(&page);
    return status;
}
