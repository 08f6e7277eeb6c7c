/* search_beyond.h - choices that a search leaves as they are, and what they would bring. */
#ifndef RECKON_CLI_SEARCH_BEYOND_H
#define RECKON_CLI_SEARCH_BEYOND_H

#include "cli/search_job.h"

/* A choice that people make and that no plan of the usual space has. */
struct beyond {
    const char *choice;     /* as facts/choices.h names it, "dispatcher deepep" */
    const char *words;      /* of a plan */
    enum rk_plan_axis axis; /* that would hold it; RK_PLAN_AXES: none */
    unsigned frameworks;    /* 1 << enum rk_framework, which have it */
    bool (*means)(const struct rk_model *model, const struct rk_plan *plan); /* NULL: in all */
};
extern const struct beyond search_beyond[]; /* ended by choice NULL */

/* "not in the default space: dispatcher=deepep would take 27.8 s to 27.1 s (85 measured runs have
 * it)": those that make the fastest plan faster, as it is in all else, where it still fits and can
 * be launched. NULL: none does. The text lives as long as the report. */
const char *search_beyond_text(struct report *report, const struct search *search);

#endif
