/* operation_times.h - what one operation of a layer takes on a machine under a plan: products,
 * attention, kernels that memory limits, messages. Seconds, for one microbatch on one rank.
 */
#ifndef RECKON_ESTIMATE_OPERATION_TIMES_H
#define RECKON_ESTIMATE_OPERATION_TIMES_H

#include "estimate/chunks.h"
#include "machine/kernels.h"
#include "plan/ranks.h"
#include "rules/operands.h"
#include "workload/layers.h"

#include <reckon/plan.h>
#include <reckon/system.h>

/* Times of products that were computed, whatever layers they were of: many have the same. */
enum { KNOWN_PRODUCTS = 4096 };
struct known_product {
    enum operand operand;
    double count, m, n, k; /* count 0: none */
    double time_s;
};

struct bench {                    /* where operations are timed */
    const struct rk_model *model; /* of operation_times() alone: NULL where they are known */
    const struct rk_system *system;
    const struct rk_plan *plan;
    struct rank_map ranks;
    struct known_product *known; /* NULL: none are kept */
    double sustained; /* rate of products in a long run over that of an isolated kernel */
};
struct bench bench_of(const struct rk_model *model, const struct rk_system *system,
                      const struct rk_plan *plan);

/* How busy a node is while one of its ranks computes (machine/busy.h): those of the same stage
 * compute then, too, those of others in turn. */
double busy_share_of(const struct rk_system *system, const struct rk_plan *plan);

/* Each pass, what is sent in full; as busy as the plan's ranks make a node (machine/busy.h). */
void operation_times(const struct bench *bench, const struct operation *op,
                     double time_s[RK_PASSES]);

/* Of an exchange, what rearranging what is sent and what came takes. */
double rearranging_s(const struct bench *bench, const struct operation *op, int pass);

/* Beyond that: chunks of the sequence on their way. */
double fetch_wait_s(const struct bench *bench, const struct operation *op, int pass);

/* `count` products of m by k and k by n, as an isolated kernel. */
double bench_product_s(const struct bench *bench, enum operand operand, double count, double m,
                       double n, double k);

/* Of a map of ranks what the time of a collective depends on. */
static inline struct rank_group group_of(const struct rank_map *map, enum rank_groups group)
{
    return (struct rank_group){(double)ranks_of_group(map, group), (double)rank_stride(map, group)};
}

struct rank_group group_over(const struct rank_map *ranks, enum comm_over over);

/* What its exchange takes in forward. */
double forward_exchange_s(const struct rk_system *system, const struct rank_map *ranks,
                          const struct operation *op);

/* Its kernel of attention. */
struct attention_shape attention_shape_of(const struct rk_plan *plan, const struct operation *op);

/* Attention in chunks of the sequence, forward or backward (chunks.h). */
struct chunk_times chunk_times_of(const struct rk_system *system, const struct rk_plan *plan,
                                  const struct operation *op, bool backward);

#endif
