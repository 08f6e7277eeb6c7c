/* page_effects.h - a search on its page, and what each of its axes does to the best plan. */
#ifndef RECKON_CLI_PAGE_EFFECTS_H
#define RECKON_CLI_PAGE_EFFECTS_H

#include "cli/pages.h"
#include "cli/plan_axes.h"
#include "cli/prediction.h"
#include "cli/search_job.h"

/* One of the best. */
struct found_plan {
    struct rk_plan plan;
    struct rk_outcome outcome;
    struct rk_prediction prediction;
    bool known; /* the quantiles of runs like it: */
    double step_s[FORECAST_QUANTILES];
};

struct searched {
    struct html_page *page;
    const struct page_search *search;
    struct found_plan *best; /* (count) */
    int count;
};

/* "8", "zero-bubble"; lives in the page. */
const char *page_value_text(const struct searched *j, enum rk_plan_axis axis, uint64_t value);

bool page_has_axis(const struct searched *j, enum rk_plan_axis axis);

/* Has the axis a meaning in such a plan; NULL: in any? */
bool page_axis_says(const struct searched *j, enum rk_plan_axis axis, const struct rk_plan *plan);

/* Adds the section: for each value of an axis the best plan that has it, a search each. */
enum rk_status page_effects(const struct searched *j, struct rk_error *error);

#endif
