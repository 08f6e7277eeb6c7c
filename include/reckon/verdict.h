/* verdict.h - why a plan cannot run. An impossible plan is a value, not an error. */
#ifndef RECKON_VERDICT_H
#define RECKON_VERDICT_H

#include <reckon/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why a plan cannot run, in the order in which the search names the first reason. Those up to
 * RK_BAD_NETWORK never occur in an enumerated space. */
enum rk_verdict {
    RK_FITS,
    RK_BAD_MODEL,          /* the model has a feature that estimates do not cover */
    RK_BAD_DEGREES,        /* tensor * pipeline * data is not ranks, or a degree is 0, ... */
    RK_BAD_BATCH,          /* batch / data / microbatch is not an integer */
    RK_BAD_TENSOR,         /* a dimension is not divisible by the tensor degree */
    RK_BAD_PIPELINE,       /* more stages than blocks, or a bad interleaving */
    RK_BAD_OPTION,         /* two options exclude each other */
    RK_BAD_DATATYPE,       /* the system does not support the datatype */
    RK_BAD_MEMORY,         /* there is no memory tier of that number */
    RK_BAD_NETWORK,        /* there is no network tier of that number */
    RK_NETWORK_TOO_SMALL,  /* the parallelism on a tier is larger than its size */
    RK_NETWORK_NOT_FILLED, /* ... or does not divide it, on a tier that asks for that */
    RK_TOO_FEW_BLOCKS,     /* offloading needs three blocks on a rank */
    RK_MEMORY_EXCEEDED,    /* a memory tier is too small */
    RK_VERDICTS
};

/* A short name, "network_too_small"; NULL outside the range. */
RK_API const char *rk_verdict_name(enum rk_verdict verdict);

/* One reason. `tier` is the memory or network tier, else -1; `need` and `have` are in the unit of
 * the matter (ranks, blocks, bytes), 0 where there is none. */
struct rk_reason {
    enum rk_verdict verdict;
    int tier;
    double need;
    double have;
    const char *what; /* the sentence's subject: "hidden", "interleaving", ...; static storage */
};

enum { RK_MAX_REASONS = 24 };

#ifdef __cplusplus
}
#endif
#endif
