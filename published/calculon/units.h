/* units.h - the units of the published space, and the layer tables (folios) that they read. */
#ifndef RECKON_CALCULON_UNITS_H
#define RECKON_CALCULON_UNITS_H

#include "calculon/unit.h"

/* One tensor degree: groups [first, end) of the space, and their microbatch sizes. */
struct degree {
    int first, end;
    int microbatches;
    uint64_t *microbatch; /* (microbatches) ascending */
};

/* Sizes [first, first + count) of a degree, folded together. */
struct portion {
    const struct degree *degree;
    int first, count;
    int part; /* portions with the same part are held at the same time */
};

struct strategy_units {
    struct units head; /* first */
    const struct strategies *space;
    struct rows rows[2]; /* without and with tensor parallelism */
    int degrees, portions;
    struct degree *degree;
    struct portion *portion;
    int part; /* the one at hand: */
    int folios;
    struct folio *folio;
    struct unit *unit; /* (head.count) the most promising first */
};

/* As in struct predictor. */
struct units *strategy_units_open(const struct rk_space *space);
void strategy_units_close(struct units *units);
bool strategy_units_begin(struct units *units, int part);
void strategy_units_prepare(struct units *units, int job);
bool strategy_units_list(struct units *units);
void strategy_unit_bound(struct units *units, int unit);
void strategy_units_sort(struct units *units);
void strategy_units_sort_round(struct units *units, int first, int count);
void strategy_unit_run(const struct units *units, int unit, void *scratch, struct visitor *visitor);

#endif
