/* calculon.h - what the files of the published tool Calculon [isaev2023] call things.
 *
 * Two tables: the 23 fields of an execution and the 96 figures of its statistics. Reading,
 * JSON, CSV and readable text all go by them.
 */
#ifndef RECKON_CALCULON_CALCULON_H
#define RECKON_CALCULON_CALCULON_H

#include "calculon/estimate.h"
#include "calculon/strategy.h"
#include <reckon/model.h>
#include <stddef.h>
#include <stdint.h>

/* An execution file: a strategy, and the kind of attention, which that tool does not count as
 * part of the model. */
struct calculon_execution {
    struct rk_strategy strategy;
    enum rk_attention attention;
};

enum calculon_type {
    CALCULON_COUNT,   /* uint64_t */
    CALCULON_TIER,    /* int, a number */
    CALCULON_FLAG,    /* bool */
    CALCULON_OFFLOAD, /* int, a memory tier: false is 0, true is 1 */
    CALCULON_CHOICE   /* an enumeration */
};

struct calculon_field {
    const char *name;
    enum calculon_type type;
    size_t offset;              /* in struct calculon_execution */
    const char *const *choices; /* by value, ended by NULL; only for CALCULON_CHOICE */
};

enum { CALCULON_FIELDS = 23 };

/* In the order in which that tool writes them. */
extern const struct calculon_field calculon_fields[CALCULON_FIELDS];

/* The value as a number, whatever its C type; and the other way round. */
uint64_t calculon_field_get(const struct calculon_execution *execution,
                            const struct calculon_field *field);
void calculon_field_set(struct calculon_execution *execution, const struct calculon_field *field,
                        uint64_t value);

struct calculon_statistic {
    const char *name;
    size_t offset; /* in struct rk_estimate, a double */
    bool integer;  /* that tool counts it in integers */
};

enum { CALCULON_STATISTICS = 96 };

/* In the order in which that tool writes them. */
extern const struct calculon_statistic calculon_statistics[CALCULON_STATISTICS];

double calculon_statistic_value(const struct rk_estimate *estimate,
                                const struct calculon_statistic *statistic);

/* Trainable parameters as that tool counts them: a vocabulary of 51,200 entries, tied, learned
 * positions, and no normalisation after the last block. */
double calculon_parameters(const struct rk_model *model);

#endif
