/* state.h - what an engine is made of: its memory, what layers keep of a microbatch, weights, the
 * program, and how a layer sees the plan. engine.h has what works on it.
 */
#ifndef RECKON_RUN_REAL_STATE_H
#define RECKON_RUN_REAL_STATE_H

#include "run/job.h"
#include "run/real/away.h"
#include "run/real/kernels.h"

#include <reckon/place.h>
#include <setjmp.h>

/* ---- memory (pool.c) ----
 *
 * Each step allocates and frees the same tensors in the same order. The first step is recorded:
 * each tensor has a block of its own. Its lifetimes are used to place the tensors (place.h), and
 * from the second step on the n-th tensor has a fixed address in an arena. A tensor that is larger
 * than before (a mixture's routes differ) gets a block outside the arena; when the order differs,
 * so do all later tensors of the step.
 */

struct block; /* pool.c */

enum pool_mode {
    POOL_REUSES, /* blocks given back serve requests of the same size */
    POOL_WATCHES,
    POOL_PLACED
};

struct pool {
    enum pool_mode mode;
    struct block *blocks;
    uint64_t used_bytes, peak_bytes; /* peak: of the step at hand, or the last one */
    /* the trace of a step */
    struct rk_buffer *buffer; /* (buffers) in the order in which they are taken */
    size_t buffers, next;
    int64_t time;
    /* where they are */
    uint64_t *address, *site; /* (buffers); (sites) all addresses, sorted, each once */
    size_t *lives;            /* (sites): the buffer that is there */
    size_t sites;
    char *arena;
    struct rk_placement placement;
};

/* ---- what a layer keeps of a microbatch ---- */

enum slot {
    SLOT_X,       /* what enters the layer (shard rows, hidden) */
    SLOT_STATS_1, /* of the first norm (shard rows, 2) */
    SLOT_N_1,     /* its output (shard rows, hidden) */
    SLOT_WHOLE_1, /* ... of all tensor ranks (rows, hidden) */
    SLOT_CQ,      /* latent attention: see latent.c */
    SLOT_STATS_CQ,
    SLOT_CQN,
    SLOT_WHOLE_CQ,
    SLOT_Q,
    SLOT_CKV,
    SLOT_STATS_CKV,
    SLOT_CKVN,
    SLOT_WHOLE_CKV,
    SLOT_KVU,
    SLOT_QKV,        /* (rows, (heads + 2 kv heads) d) */
    SLOT_RAW,        /* queries and keys in front of their norms */
    SLOT_STATS_QK,   /* (rows, heads + kv heads, 2) */
    SLOT_QKV_ACROSS, /* of all tokens and fewer heads, after Ulysses' all-to-all */
    SLOT_KV,         /* keys and values of all context ranks */
    SLOT_LOG,        /* (rows, heads): logarithms of sums */
    SLOT_SCORES,     /* (samples, heads, queries, keys), where they are whole in memory */
    SLOT_ATT_ACROSS, /* attention's output in front of the all-to-all back */
    SLOT_ATT,        /* (rows, heads d) */
    SLOT_OUT_1,      /* attention's output; becomes the residual stream after it */
    SLOT_RAW_1,      /* ... in front of a norm of its own (shard rows, hidden) */
    SLOT_STATS_RAW_1,
    SLOT_R, /* the residual stream after attention (shard rows, hidden) */
    SLOT_STATS_2,
    SLOT_N_2,
    SLOT_WHOLE_2,
    SLOT_ROUTES, /* of a mixture: see mixture.c */
    SLOT_WEIGHTS,
    SLOT_NARROW,
    SLOT_SENT,
    SLOT_SORTED,
    SLOT_IN,  /* (rows, 1 or 2 times feedforward) */
    SLOT_ACT, /* (rows, feedforward) */
    SLOT_BACK,
    SLOT_SUM,
    SLOT_SHARED_IN,
    SLOT_SHARED_ACT,
    SLOT_SHARED,
    SLOT_GATES,
    SLOT_RAW_2, /* the MLP's output in front of a norm of its own */
    SLOT_STATS_RAW_2,
    SLOT_OUT_2,
    /* gradients */
    SLOT_DX,      /* of the stream, as it goes back */
    SLOT_DSTREAM, /* ... where it is another one than that of what joins it */
    SLOT_DOUT_2,  /* ... where the MLP's output joins it */
    SLOT_DWHOLE_OUT_2,
    SLOT_DACT,
    SLOT_DIN,
    SLOT_DSUM,
    SLOT_DBACK,
    SLOT_DSORTED,
    SLOT_DOUT_ROUTED,
    SLOT_DWEIGHTS,
    SLOT_DGATES,
    SLOT_DSHARED_OUT,
    SLOT_DSHARED_WHOLE,
    SLOT_DSHARED_ACT,
    SLOT_DNARROW,
    SLOT_DROUTES,
    SLOT_DSHARED,
    SLOT_DSHARED_IN,
    SLOT_DN_2,
    SLOT_DOUT_1,
    SLOT_DWHOLE_OUT_1,
    SLOT_DATT,
    SLOT_DATT_ACROSS,
    SLOT_DSCORES,
    SLOT_DQKV_ACROSS,
    SLOT_DKV,
    SLOT_DQKV,
    SLOT_DQ,
    SLOT_DCQ,
    SLOT_DKVU,
    SLOT_DROPE,
    SLOT_DCKV,
    SLOT_DLATENT,
    SLOT_DN_1,
    SLOTS
};

struct frame {
    real *slot[SLOTS];
    bool done[SLOTS];    /* the first of two readers of a slot is through */
    size_t count[SLOTS]; /* elements, as they were made */
    bool shared;         /* of SLOT_X this tensor rank's part is here alone (pass.c) */
    bool rest;           /* of some slots the first rows left alone (rest.c) */
    bool rounded[SLOTS], packed[SLOTS], packs; /* to 16 bits; in 16 bits; any is (narrow.c) */
    struct mixture_state *mixture;
    struct stored *stored; /* (SLOTS), of which `stores` are in use; NULL: never any */
    int stores;
};

/* ---- weights ---- */

/* A group's storage. `weights` are whole, or with ZeRO-3 this rank's shard of them. */
struct store {
    const struct weight_group *group;
    const struct comm_group *shards, *copies;
    uint64_t share;                 /* elements of this rank's shard; all without shards */
    uint64_t begin;                 /* of it in the group */
    struct flat weights, moment[2]; /* moments: (share, or with ZeRO-0 size) */
    bool is_low;      /* weights are of 16 bits; `weights` are the master copy then, laid out as the
                         moments */
    struct flat lows; /* ... as `weights` are without; several in the place of a real */
    uint16_t *low;    /* (size): all of them, for a pass, where `lows` are parts or elsewhere */
    real *small; /* (smalls) of Muon's blocks: second moments of what is no matrix, in their order;
                    moment[1] is empty then. Else NULL */
    size_t smalls;
    real *whole;    /* (size): NULL when they are gathered or fetched for each pass, and not here */
    int place;      /* engine.place: how its layer sees the plan */
    int users;      /* passes that have asked for fetched weights, and are not through */
    void *gradient; /* (size), or with ZeRO-2 (share): gradients.c says of what */
    real *pass;     /* whole gradients of one layer and microbatch, while it works on them apart */
    void *head;     /* the head's, of a tied table: added at the end */
    real *head_pass;
    bool *stale;  /* (2, group->count): of matrices, whose gradients, and the head's, are those of
                     the  last step: the first product writes them */
    bool gathers; /* ZeRO-3 */
    /* what the plan overlaps with computing: sums of gradients, weights that come */
    struct comm_begun sum, gather;
    uint64_t passes, passes_left; /* of a step, that bring gradients; ... of this one */
    void *summed, *into; /* ZeRO-2: whole gradients that are under way, and where their sum goes */
    bool tied;           /* a copy is on another stage */
    bool counted;
};

/* ---- layers of this rank ---- */

struct at_layer {
    int part;      /* of the model's parts that are here: messages join them, even on one rank */
    int64_t layer; /* -1: embedding; as the program counts them: blocks, prediction layers, head */
    int depth;     /* of a prediction layer, from 1 on: it has three here, what it begins with, its
                      block, its head; 0: none */
    int place;     /* engine.place */
    enum layer_kind kind;
    struct store *dense, *experts; /* of the embedding: positions */
    struct store *table, *head;    /* of embedding and head; an untied head */
    struct run_mask mask;
    const real *turn;                 /* of its heads; NULL: they have no position */
    size_t heads, kv_heads, d, value; /* on this rank */
    size_t feedforward;
    bool keeps[2]; /* these halves stay, though the plan would offload them */
    bool second;   /* forward has come to the second half */
    struct unit_times times;
    struct frame *frame; /* (microbatches) */
    real *cache;         /* (job.texts, job.cached, keys and values of a token); NULL */
};

/* ---- the program ---- */

/* fp16: gradients of weights, too, and the loss is scaled. */
enum narrow { NARROW_NONE, NARROW_BF16, NARROW_FP16 };

enum work { WORK_FORWARD, WORK_AGAIN, WORK_INPUT, WORK_WEIGHT };
enum what {
    DO_OPERATION,
    DO_SEND,
    DO_RECEIVE,
    DO_LAYER_END,
    DO_STEP,
    /* transfers (offload.h): activations of a unit start to go, are gone, start to come, are here;
     * they stay after all; weights of a pass start to come */
    DO_STORE,
    DO_STORED,
    DO_RETURN,
    DO_RETURNED,
    DO_HAND,
    DO_FETCH
};

struct instruction {
    uint8_t what, work;
    uint16_t operation; /* into the table of kernels */
    int32_t layer;      /* into engine.layer */
    uint32_t microbatch;
    int32_t peer;
    uint32_t tag;
    int16_t place; /* of DO_SEND: how the layer that receives lies */
    bool back;     /* a gradient */
    bool split;    /* weight gradients come in a pass of their own */
    bool ends;     /* of DO_LAYER_END: nothing of the frame is needed any more */
    uint8_t half;  /* of transfers: enum half */
};

/* ---- how a layer sees the plan ---- */

/* clang-format off */
#define PLACE_MEMBERS                                                                              \
    const struct rk_plan *plan;                                                                    \
    struct comm_group tensor, context, ring, ulysses, shards, copies, experts, expert_tensor,      \
        expert_shards, expert_copies, keys;                                                        \
    int data_rank; /* among those that read different samples */                                   \
    int context_rank;                                                                              \
    size_t batch, local; /* samples of a microbatch, tokens of each here */                        \
    size_t rows, share;  /* batch * local; on this tensor rank, with sequence parallelism */       \
    struct run_span span[2]; /* of a sample's tokens here */                                       \
    int spans;                                                                                     \
    uint32_t *token, *target, *position; /* (microbatches, rows) */                                \
    uint32_t *ahead; /* (prediction layers, 2, microbatches, rows): their tokens and targets */    \
    uint64_t *number; /* (microbatches, rows): of the row's sample */
/* clang-format on */

struct place {
    PLACE_MEMBERS
};

/* Rows that go from one place's layout to another's (relayout.c). */
struct relayout {
    struct comm_group stage;
    size_t *out, *in;      /* rows of the array: what goes, what comes, rank by rank */
    size_t *sends, *takes; /* (ranks): how many */
    size_t outs, ins;
};

struct engine {
    const struct job *job;
    struct comm *comm;
    int rank;
    int threads;
    struct pool pool;
    jmp_buf escape;
    struct weights weights;
    struct store *store; /* (weights.groups) */
    RK_UNNAMED union {   /* as the layer at hand sees the plan: e->tensor is e->here.tensor */
        struct place here;
        RK_UNNAMED struct {
            PLACE_MEMBERS
        };
    };
    struct place *place;       /* (job.locals) */
    int at;                    /* of them: whose copy `here` is */
    struct relayout *relayout; /* (locals, locals): made when they are needed (relayout.c) */
    struct comm_group world, stages;
    int *group_ranks;   /* storage of the groups' ranks */
    enum narrow narrow; /* weights, activations and messages are of 16 bits (narrow.c) */
    bool bf16;          /* ... of bf16, and multiplied as such (products.c) */
    bool dual;          /* dualpipe: the rank as far from the other end has the same weights */
    bool heads;         /* the loss is computed here */
    struct scaler scaler;
    double least_came, most_came; /* of the step at hand: see struct step_result */
    double *came;
    size_t comes, room_to_come;

    struct at_layer *layer;
    int layers;
    struct instruction *program;
    size_t instructions;
    bool *drops; /* (layers, SLOTS): recomputed, not kept */

    size_t hidden;
    real *turn, *local_turn; /* rotary tables: of all layers, or of those that see all tokens */
    size_t turned;           /* elements of a head that they turn */
    real *slopes;            /* (heads of the model): ALiBi's; NULL */
    double *row_loss;        /* (2, microbatches): sums, and of all prediction layers */
    double loss;
    double balance; /* this rank's part of the routers' loss */
    bool forward_only;
    struct rk_token_score *score; /* (microbatches, rows): of targets, where they are asked for */
    uint64_t first, end;          /* samples that are predicted */
    double *wanted;               /* (texts, vocabulary): of last rows, where they are asked for */
    const struct run_rows *going; /* ... the rows */
    struct mapped *mapped;        /* (weights.weights): of what lies in files; NULL: nothing */
    uint32_t *sample;             /* (sequence + 1): scratch */
    double *reports; /* (ranks, 4): loss, seconds of computing, losses of routers and of prediction
                        layers; seconds of all */
    double *sums;    /* of gradients: (ids, tensor ranks, data ranks) */
    struct dump *dump;            /* of the step at hand, where it is asked for; NULL */
    struct rk_train_event *event; /* (events) of the second step, where it is asked for */
    size_t events;
    struct tier *tier[TIERS]; /* NULL: the plan does not use it */
    struct deal deal;
    struct frame *rest, *resting; /* rows that are recomputed, and the frame they are of (rest.c) */
    struct store *summing;        /* ZeRO-2: the one whose gradients are under way; NULL */
    struct comm_begun gathering, scattering; /* tiles of tensor ranks (tiles.c) */
    real *tiled;                             /* where those go that are gathered */
    uint64_t steps;                          /* done */
    struct ledger ledger;
    uint64_t booked_bytes;            /* of comm->sent_bytes: those in the ledger */
    double booked_s;                  /* likewise of comm->clock */
    enum ledger_part part;            /* of the work at hand */
    double apart_cpu_s, apart_wall_s; /* ... of which so much is booked under another one */
};

#endif
