/* judge.h - what rk_predict says of a fact.
 *
 * Two things that a source may do and one call of rk_predict does not follow are made here of
 * several: cells left open (the fastest of their values that fits: published runs are tuned), and a
 * batch that microbatches do not divide (time between those of the two nearest batches).
 */
#ifndef RECKON_FACTS_JUDGE_H
#define RECKON_FACTS_JUDGE_H

#include "facts/fact.h"

struct judgement {
    struct rk_plan plan; /* as it was predicted, open axes filled */
    enum rk_verdict verdict;
    struct rk_reason reason;
    bool timed;
    double step_s, layer_s;
#define FIGURE(by, name, unit, help)
#define FIGURE_TIME(by, name, help) double name;
#include <reckon/figures.def>
    double model_flop, executed_flop, parameters;
    double static_bytes, allocated_bytes, total_bytes; /* of the fullest stage, or the fact's */
    double used_bytes;                                 /* total, and what the allocator keeps */
    double holds[RK_HOLDING_COUNT];                    /* of the stage that total_bytes is of */
    double capacity_bytes;
};

void judge(const struct fact *fact, struct judgement *judgement);

/* What the figure would have been, in the figure's own unit; NAN when it does not follow. */
double judge_figure(const struct fact *fact, const struct figure *figure,
                    const struct judgement *judgement);

/* A figure's time or bytes as measured: its FLOP are those of the prediction. */
double judge_measured(const struct fact *fact, const struct figure *figure,
                      const struct judgement *judgement);

/* "microbatch 2, recompute full": the axes that the row leaves open. Returns `buffer`. */
const char *judge_open(const struct fact *fact, const struct judgement *judgement,
                       char buffer[static FACT_REASON]);

#endif
