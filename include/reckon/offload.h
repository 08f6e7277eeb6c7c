/* offload.h - activations that leave the accelerator: how much, over which link, for how long.
 *
 * Two published models and what is better than either. MEMO [zhao2025memo] copies whole layers to
 * host memory through two buffers and computes a share of the tokens again; SSDTrain
 * [wu2025ssdtrain] writes layers to drives in the order of forward until that no longer hides. Here
 * are their formulas, and shares that are optimal under the same constraints. Pure; seconds, bytes,
 * bytes/s. docs/memory-planning.md.
 */
#ifndef RECKON_OFFLOAD_H
#define RECKON_OFFLOAD_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- two buffers, three streams [zhao2025memo] ---- */

/* One layer of a stage, of one microbatch. */
struct rk_swap_layer {
    double forward_s, backward_s; /* without transfers, without computing again */
    double again_s;               /* to compute again what was dropped */
    double bytes;                 /* that are copied out, and back in */
};

struct rk_swap_time {
    double forward_s, backward_s;           /* of all layers, with waits */
    double forward_wait_s, backward_wait_s; /* ... of these */
};

/* Layer i works in buffer i mod 2. Its copy out begins when its forward ends and the copy before is
 * out; forward of layer i waits for the copy of i - 2. The copy in of layer i - 2 begins when
 * backward of layer i ends; backward of i - 2 waits for it, and first computes again what is
 * missing. The last two layers stay and compute nothing again, unless `all`: then they go, too (a
 * stage whose backward does not follow at once). For equal layers this is
 *
 *     forward  = n Tf + (n-2) max(0, O - Tf)
 *     backward = n Tb + (n-2) R + max(0, O - Tb) + (n-3) max(0, O - Tb - R)
 */
RK_API struct rk_swap_time rk_swap_time(const struct rk_swap_layer *layer, int layers,
                                        double out_Bps, double in_Bps, bool all);

/* The same of layers that are all alike. */
RK_API struct rk_swap_time rk_swap_time_alike(const struct rk_swap_layer *layer, int layers,
                                              double out_Bps, double in_Bps, bool all);

/* Activations of one layer, by what can be done with them. */
struct rk_swap {
    int layers;
    double forward_s, backward_s; /* of a layer */
    double always_bytes;          /* swapped whatever the share: input, output of attention */
    double token_bytes;           /* of which a share is swapped, the rest recomputed */
    double again_s;               /* of all of token_bytes */
    double bandwidth_Bps;         /* of the link, each way */
    double host_bytes;            /* of this accelerator; infinity: no limit */
};

/* The largest share whose copy overlaps fully with a layer's forward, and the one that the host has
 * room for; not clamped. Two layers or fewer stay: infinity. */
RK_API double rk_swap_share_hidden(const struct rk_swap *swap);
RK_API double rk_swap_share_host(const struct rk_swap *swap);

/* MEMO's choice: the lesser of both, within 0 and 1. -1: not even share 0 has room on the host. */
RK_API double rk_swap_share_memo(const struct rk_swap *swap);

/* The share with the shortest step: the time is convex, and linear between the shares at which a
 * copy takes as long as the computation that it overlaps with, so one of those is best. -1 as
 * above. */
RK_API double rk_swap_share_best(const struct rk_swap *swap);

/* Time of all layers at a share. */
RK_API struct rk_swap_time rk_swap_at(const struct rk_swap *swap, double share);

struct rk_model;
struct rk_system;
struct rk_plan;

/* The same of a plan's first stage, predicted; host_bytes are what memory tier 1 has left for a
 * microbatch in flight. Requires a plan that rk_predict times, with recompute_rest, and a system
 * with a second memory. */
RK_API struct rk_swap rk_swap_of_plan(const struct rk_model *model, const struct rk_system *system,
                                      const struct rk_plan *plan);

/* ---- by tensor: a fractional knapsack ---- */

/* A tensor that is swapped or recomputed. */
struct rk_swap_tensor {
    const char *name;
    double bytes;
    double again_s; /* to compute it again */
};

/* What is left to compute again when `bytes` of the tensors are swapped, those that take longest
 * for each byte first: no other choice leaves less. `share`, unless NULL: (count) of each. Requires
 * count <= RK_SWAP_TENSORS. */
enum { RK_SWAP_TENSORS = 4096 };
RK_API double rk_swap_by_tensor(const struct rk_swap_tensor *tensor, int count, double bytes,
                                double *share);

/* ---- writing and reading within a window: which bytes of which layer ---- */

enum { RK_QUEUE_TIERS = 4, RK_QUEUE_ITEMS = 1024 };

/* A layer's or tensor's activations, in the order of forward. */
struct rk_queue_item {
    double ready_s;  /* end of its forward */
    double needed_s; /* start of its backward; no earlier than that of what follows it */
    double bytes;
    double worth; /* of a byte that leaves: seconds of computing again, or a shadow price */
};

/* A memory that activations go to: writes from ready_s on, all out by `turn_s`; reads from then. */
struct rk_queue_tier {
    double write_Bps, read_Bps;
    double capacity_bytes; /* of all items together: capacity, or what endurance allows; infinity */
};

/* Shares are stored as bytes[tier][item]: the most worth that arrives in time. Items in falling
 * worth, earlier ones first, each as far as it goes on all tiers together: optimal, as the
 * constraints are nested. Returns that worth. Requires items <= RK_QUEUE_ITEMS, tiers <=
 * RK_QUEUE_TIERS; `bytes` has room for tiers * items. */
RK_API double rk_queue_choose(const struct rk_queue_item *item, int items,
                              const struct rk_queue_tier *tier, int tiers, double turn_s,
                              double *bytes);

/* Are these bytes of the items in time on one tier? */
RK_API bool rk_queue_in_time(const struct rk_queue_item *item, int items,
                             const struct rk_queue_tier *tier, double turn_s, const double *bytes);

/* ---- SSDTrain's rule ---- */

/* A node of the tree of modules, in post-order: attention and MLP of a layer, then the layer. */
struct rk_adaptive_node {
    double before_bytes, bytes; /* of what ran before, and its own */
    double before_s;            /* forward time before it */
};

/* Bandwidth that storing the node and all before it asks for. */
RK_API double rk_adaptive_needs(const struct rk_adaptive_node *node, double forward_s);

/* The first node that stays on the accelerator, with all later ones; `nodes`: none does. */
RK_API int rk_adaptive_first_kept(const struct rk_adaptive_node *node, int nodes, double forward_s,
                                  double bandwidth_Bps);

/* ---- a step with activations stored, event by event ---- */

enum { RK_STORE_MOST = 4096 };

/* A module, in the order of forward. */
struct rk_store_module {
    double forward_s, backward_s, bytes;
};

struct rk_store {
    int stored; /* number of first modules whose activations are written; the others stay */
    int ahead;  /* modules that a read is issued ahead of the one that needs it; SSDTrain: a few */
    double write_Bps, read_Bps;
    double turn_s; /* between forward and backward: head and loss */
};

struct rk_store_run {
    double step_s;                    /* forward, turn and backward, with waits */
    double wait_s;                    /* of it, for reads */
    double peak_bytes;                /* the most that is on the accelerator */
    double written_bytes, read_bytes; /* less where a tensor was still there when asked for */
};

/* Two queues, first in first out: writes from the end of a module's forward, reads in reverse
 * order. A module's bytes leave when they are written and are there again from the start of their
 * read; what is not written when backward asks for it is handed on from memory. Requires modules <=
 * RK_STORE_MOST. */
RK_API struct rk_store_run rk_store_simulate(const struct rk_store_module *module, int modules,
                                             const struct rk_store *store);

/* ---- SSDTrain's model of a step, as its authors' code has it ---- */

#define RK_SSDTRAIN_COUNTS(X)                                                                      \
    X(layers)                                                                                      \
    X(hidden)                                                                                      \
    X(heads)                                                                                       \
    X(vocabulary)                                                                                  \
    X(sequence)                                                                                    \
    X(gpus) X(tensor) X(pipeline) X(data) X(zero) X(global_batch) X(microbatch) X(accumulation)

struct rk_ssdtrain {
#define RK_SSDTRAIN_MEMBER(name) double name;
    RK_SSDTRAIN_COUNTS(RK_SSDTRAIN_MEMBER)
#undef RK_SSDTRAIN_MEMBER
    double achieved_FLOPps; /* of a GPU */
    double hbm_Bps;
};

struct rk_ssdtrain_step {
    double activation_bytes; /* of a GPU in a step */
    double layer_forward_s, forward_s, state_bytes, step_s;
    double write_Bps; /* needed, when writes may last to the middle of forward and backward */
};

RK_API struct rk_ssdtrain_step rk_ssdtrain_step(const struct rk_ssdtrain *run);

/* ---- how long drives live ---- */

/* What the drives of one accelerator can be written in all, by this use. */
struct rk_endurance {
    double drives, rated_bytes; /* of one drive */
    double rated_amplification; /* of the rating (JEDEC's workload) */
    double amplification;       /* of this use */
    double retention_gain;      /* data that need to last a day, not years */
};

RK_API double rk_endurance_bytes(const struct rk_endurance *endurance);

/* Seconds until they are worn out; infinity when nothing is written. */
RK_API double rk_life_s(double endurance_bytes, double step_s, double bytes_of_step);

/* The two sets of drives that the two versions of the paper assume. */
extern RK_API const struct rk_endurance rk_ssdtrain_paper_drives, rk_ssdtrain_code_drives;

#define RK_YEAR_S (365.0 * 86400) /* as the paper counts */

#ifdef __cplusplus
}
#endif
#endif
