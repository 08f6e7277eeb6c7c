/* support.h - how many measured runs support a prediction, and how far off blind predictions
 * of them were: those of the catalog's measured/steps.csv, each predicted as of a source that
 * nobody has seen (nearest.h). */
#ifndef RECKON_FACTS_SUPPORT_H
#define RECKON_FACTS_SUPPORT_H

#include "facts/nearest.h"

/* What a run has in common with the case. */
enum support_of {
    SUPPORT_MODEL, /* width and depth */
    SUPPORT_GPU,   /* the accelerator, whatever its network */
    SUPPORT_FRAMEWORK,
    SUPPORT_CLASS,     /* which parallelisms split the model, and whether ZeRO shards the weights */
    SUPPORT_PRECISION, /* 16 or 32 bits, FP8, FP4 */
    SUPPORTS
};

struct support {
    unsigned of; /* bits of support_of that its runs have in common with the case; 0: all runs */
    size_t runs, sources;
    double median, within; /* of |predicted / measured - 1|: half and 90 % are below; NAN: no run */
    double bias; /* median of predicted / measured - 1: below 0 predictions were too fast */
};

enum { SUPPORT_ROWS = 12 };

/* "tensor + pipeline, ZeRO 1": the class of a plan. */
enum { SUPPORT_TEXT = 96 };
const char *support_class(const struct rk_plan *plan, char text[static SUPPORT_TEXT]);

/* From most to least in common. RK_NO_MEMORY: no memory. */
enum rk_status support_rows(const struct measured_steps *steps, const struct rk_model *model,
                            const struct rk_system *system, const struct rk_plan *plan,
                            struct support rows[static SUPPORT_ROWS], struct rk_error *error);

#endif
