/* fact.h - a measured run as what it was: a model on a machine under a plan, and its figures.
 *
 * The cells of a row (row.h), filled by the rules (rules.h), become the structs that rk_predict
 * wants. What cannot be said in them is a reason in words, never a silent default. Cells that are
 * "?" are open: judge.h takes the fastest of their values that fits.
 */
#ifndef RECKON_FACTS_FACT_H
#define RECKON_FACTS_FACT_H

#include "clusters/given.h"
#include "facts/row.h"
#include <reckon/machine.h>
#include <reckon/model.h>
#include <reckon/plan.h>
#include <reckon/predict.h>
#include <reckon/system.h>

/* What a source measured. */
enum figure_kind {
    FIGURE_STEP,      /* time of a step, or a rate that follows from it */
    FIGURE_TEST_STEP, /* likewise of a functional test: models so small that the host decides */
    FIGURE_LAYER,     /* forward and backward of one layer */
    FIGURE_STATIC,    /* bytes allocated between steps: weights, gradients, optimizer */
    FIGURE_ALLOCATED, /* the allocator's peak, of the fullest rank */
    FIGURE_RESERVED,  /* what the allocator took from the device at its peak */
    FIGURE_USED,      /* all of the device's memory in use */
    FIGURE_BOUND,     /* it needs no more than so much: a page's word, or a memory that it fills */
    FIGURE_OOM,       /* none: the run was out of memory */
    FIGURE_KINDS
};

/* How a figure follows from a time. */
enum figure_form {
    FORM_SECONDS,
    FORM_RATE,  /* of samples or tokens */
    FORM_FLOPS, /* FLOP/s of one GPU, counted by the source's formula */
    FORM_SHARE, /* of the peak, in percent, likewise */
    FORM_BYTES,
    FORM_NONE
};

struct figure {
    const char *metric; /* static storage: "tokens_per_s_per_gpu", "memory.allocated" */
    enum figure_kind kind;
    enum figure_form form;
    double measured; /* as the source prints it; bytes for memory */
    double scale;    /* FORM_SECONDS: seconds = measured * scale; FORM_RATE: seconds = scale /
                        measured; FORM_FLOPS: FLOP/s of all GPUs = measured * scale; FORM_SHARE
                        likewise */
};

/* Which FLOP a source counts; docs/accuracy.md has the table. */
enum flop_formula {
    FLOP_MODEL,        /* three times forward: attention in full, logits */
    FLOP_EXECUTED,     /* and recomputation */
    FLOP_MEGATRON,     /* 96 B s l h^2 (1 + s/6h + V/16lh) [narayanan2021]: forward twice */
    FLOP_MEGATRON_OLD, /* the same without the logits */
    FLOP_SIX_N,        /* 6 N tokens */
    FLOP_FORMULAS
};

/* Axes of the plan that a source leaves open. */
enum open_axis {
    OPEN_TENSOR,
    OPEN_CONTEXT,
    OPEN_PIPELINE,
    OPEN_CHUNKS,
    OPEN_MICROBATCH,
    OPEN_RECOMPUTE,
    OPEN_SEQUENCE_PARALLEL,
    OPEN_AXES
};
extern const char *const open_axis_names[]; /* ended by NULL */

/* By what results are told apart; the names of --by. */
enum fact_class {
    CLASS_GPU,
    CLASS_FAMILY, /* of the model */
    CLASS_SCALE,  /* GPUs */
    CLASS_PRECISION,
    CLASS_SOURCE,
    CLASS_FRAMEWORK,
    CLASS_KIND, /* dense or experts */
    CLASS_METRIC,
    CLASS_FIT,       /* was a constant fitted to the source? "fit" or "held out" */
    CLASS_PUBLISHED, /* how the source publishes it: "benchmark" or "ordinary" */
    FACT_CLASSES
};
extern const char *const fact_class_names[]; /* ended by NULL */

/* Tuned by who makes the hardware or the code, to show what it can do; or a run of its users. */
enum published { PUBLISHED_UNKNOWN, PUBLISHED_BENCHMARK, PUBLISHED_ORDINARY };
extern const char *const published_names[]; /* "", "benchmarks", "ordinary runs" */

enum { FACT_FIGURES = 6, FACT_TEXT = 64, FACT_ID = 160, FACT_REASON = 256 };

/* A run on several kinds of GPU: each replica is predicted on its own. */
struct fact_clusters {
    struct rk_machine machine;
    struct given_plan given;
};

struct fact {
    char id[FACT_ID], source[128], gpu[FACT_TEXT];
    char class_of[FACT_CLASSES][FACT_TEXT];
    char fitted[FACT_TEXT];  /* constants of its system that were fitted to its source */
    char group[FACT_REASON]; /* model, machine, batch: its facts differ by the plan alone */
    struct rk_model model;
    struct rk_system system; /* owned */
    struct rk_plan plan;
    struct fact_clusters *clusters; /* owned; NULL: all GPUs are of one kind, `system` */
    enum flop_formula formula;
    double flop_ratio; /* what the source counts over what the formula gives */
    double lone_batch; /* as the source has it: the plan's may be rounded up to microbatches */
    uint64_t came;     /* YYYYMMDD: the source was first predicted before anybody had read it; 0 */
    double came_predicted; /* what was predicted then, in the figure's unit; NAN */
    bool last_stage;       /* memory is that of the last stage, not of the fullest */
    unsigned open;         /* 1 << enum open_axis */
    int figures;
    struct figure figure[FACT_FIGURES];
    char reason[FACT_REASON]; /* why it cannot be modelled; "" when it can */
};

/* RK_OK even when the row cannot be modelled: then `reason` says why. RK_NO_MEMORY: no memory.
 * Release the fact in any case. */
enum rk_status fact_read(const struct row *row, struct fact *fact, struct rk_error *error);
void fact_release(struct fact *fact);

/* Parts of it, one source file each: all write `reason` and return false when they cannot. */
bool fact_fail(struct fact *fact, const char *format, ...) RK_PRINTF(2, 3);
bool fact_model(const struct row *row, struct fact *fact);
bool fact_system(const struct row *row, struct fact *fact);
bool fact_plan(const struct row *row, struct fact *fact);
bool fact_host(const struct row *row, struct fact *fact);
bool fact_clusters(const struct row *row, struct fact *fact);
bool fact_figures(const struct row *row, struct fact *fact);
void fact_clusters_release(struct fact *fact);

/* A cell as a number; false and a reason when it is none. An empty cell leaves `value` as it is. */
bool fact_number(const struct row *row, const char *column, struct fact *fact, double *value);
bool fact_count(const struct row *row, const char *column, struct fact *fact, uint64_t *value);

#endif
