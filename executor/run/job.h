/* job.h - a training run as all its ranks see it: what is trained how, on what.
 *
 * Made once, read by all ranks. What differs between ranks is in the engine (real/engine.h), which
 * is compiled for two number types; this is what both share.
 */
#ifndef RECKON_RUN_JOB_H
#define RECKON_RUN_JOB_H

#include "plan/ranks.h"
#include "run/blocks.h"
#include "run/comm.h"
#include "run/data.h"
#include "run/mapped.h"
#include "run/weights.h"
#include "schedule/order.h"
#include "workload/layers.h"

#include <reckon/train.h>

struct job {
    struct rk_model model;
    struct rk_plan plan;
    struct rk_train settings;
    struct local_part { /* as some layers see the plan; [0]: it itself, embedding and head */
        struct rk_plan plan;
        struct rank_map map;
    } * local; /* (locals) */
    int locals;
    struct rank_map map;
    struct pipeline pipeline;
    struct layer *layer; /* (LAYER_KINDS): operations of each kind in use */
    bool used[LAYER_KINDS];
    const struct engine_kind *kind; /* of the device and the width that the settings ask for */
    const struct data *data;
    const struct rk_functions *functions; /* a task of the user's own; NULL */
    const struct rk_score *score;         /* texts to score instead; NULL: none */
    const struct rk_system *system; /* for which the program is lowered: its times play no role */
    bool traces;                    /* the second step is written down */
    bool forward; /* weights alone: no gradients, no moments, and what is loaded is not started */
    bool loads;   /* ... from a checkpoint */
    uint64_t left_ahead;       /* prediction layers of the model that are left out */
    uint64_t texts, cached;    /* texts that are continued at once; tokens of each that are kept */
    const char *dump;          /* folder for what ranks have in steps ... */
    const uint64_t *dump_step; /* ... (dumps), counted from 1 */
    uint64_t dumps;
    const char *drives; /* folder of tiers that are drives; NULL */
    /* derived */
    uint64_t sequence, data_ranks, microbatches;
    struct run_blocks blocks; /* of layers with sparse attention */
};

/* Refuses what the executor does not do; data and system are the caller's to set. Close in any
 * case. */
enum rk_status job_open(struct job *job, const struct rk_model *model, const struct rk_plan *plan,
                        const struct rk_train *train, struct rk_error *error);
void job_close(struct job *job);

/* Has layer i attention over blocks: local layers of a model that has such ones, or every other
 * layer where the settings say so? */
bool job_is_sparse(const struct job *job, uint64_t layer);

/* Forward alone needs no prediction layers. */
static inline void job_leave_ahead(struct job *job)
{
    job->left_ahead = job->model.predict_layers;
    job->model.predict_layers = 0;
}

/* Memory tier `tier` + 1: does the plan use it? Drives read and write at rates of their own, or
 * wear out; the host's memory does neither. */
bool job_uses_tier(const struct job *job, int tier);
bool job_tier_is_drive(const struct job *job, int tier);

/* Of fp16, whose gradients are scaled by `scale` [micikevicius2018]: steps since it last changed,
 * and steps that were skipped because gradients were no numbers. The same on all ranks. */
struct scaler {
    bool scales; /* else the scale is 1 */
    double scale;
    uint64_t good, skipped;
};

/* What a step brought, the same on all ranks. */
struct step_result {
    double loss;    /* mean over all tokens */
    double balance; /* routers' loss, which is not in it */
    double ahead;   /* mean of the prediction layers', neither */
    double norm;    /* of all gradients, before clipping */
    double rate;
    double scale; /* of the loss; 0: there is none */
    bool skipped; /* gradients were no numbers: no weight has moved, and the scale is lower now */
    double wall_s;
    double clock_s;                    /* by the virtual clock (comm.h); 0: there is none */
    uint64_t peak_bytes;               /* of this rank's pool */
    const double *compute_s;           /* (ranks): that each computed */
    uint64_t placed_bytes, live_bytes; /* of its addresses; 0: none yet */
    /* Copies of tokens that came to this rank's experts over those that it sent: the least and the
     * most of a layer and microbatch; 0: none travel. */
    double least_came, most_came;
    const double *came; /* (comes) that of each, in order */
    size_t comes;
    int came_group; /* first of the ranks that the copies travel between */
};

/* How often a piece of work was done and what it took on one rank. */
struct ledger_row {
    uint64_t times;
    double cpu_s, wall_s;
    double clock_s;      /* by which the virtual clock advanced */
    uint64_t sent_bytes; /* to other ranks */
};

enum ledger_part {
    PART_MATRIX,
    PART_ATTENTION,
    PART_MEMORY,
    PART_AGAIN,
    PART_COMM,
    PART_WAITS, /* until all ranks of a collective have come to it */
    PART_MESSAGES,
    PART_DATA, /* gradients and weights of data parallelism */
    PART_OPTIMIZER,
    PART_OFFLOAD, /* waiting for lower memory tiers */
    LEDGER_PARTS
};

struct ledger {
    struct ledger_row part[LEDGER_PARTS];
};

/* Tokens that continue texts: those of one text follow each other in the order of their positions,
 * after all earlier ones. */
struct run_rows {
    size_t rows;
    const uint32_t *token, *position, *text; /* (rows) */
};

/* An engine: one rank's state and what it can do, for one number type. */
struct engine;
struct engine_kind {
    size_t real_bytes;
    const char *datatype; /* of checkpoints */
    /* NULL: the table of kernels has the operation. */
    bool (*knows)(enum op op);
    enum rk_status (*open)(const struct job *job, struct comm *comm, struct engine **engine);
    bool (*step)(struct engine *engine, uint64_t step, struct step_result *result);
    void (*close)(struct engine *engine);
    const struct ledger *(*ledger)(const struct engine *engine);
    const struct weights *(*weights)(const struct engine *engine);
    /* Whole flat buffer of a group, gathered from its shards, to `to`: 0 weights, 1 and 2 moments.
     * All ranks of the stage call it. */
    bool (*gather)(struct engine *engine, int group, int which, void *to);
    bool (*scatter)(struct engine *engine, int group, int which, const void *from);
    bool (*writes)(const struct engine *engine, int group); /* is this rank to write the group? */
    struct comm *(*comm)(const struct engine *engine);
    struct scaler *(*scaler)(struct engine *engine);
    const struct rk_train_event *(*trace)(const struct engine *engine, size_t *events);
    struct rk_train_state (*state)(const struct engine *engine);
    /* Adds what this rank has in memory tiers; written and read since it was opened. */
    void (*tiers)(const struct engine *engine, struct rk_train_tier tier[RK_SHARE_TIERS]);
    /* Scores sequences batch * plan.batch, ...: pair is (plan.batch, sequence, 2), the
     * log-likelihood of the next token and 1 where it is the likeliest; the same on all ranks. */
    bool (*score)(struct engine *engine, uint64_t batch, double *pair);
    /* Forward over batch `batch`, samples from `first` on: functions->predict gets their rows. */
    bool (*predict)(struct engine *engine, uint64_t batch, uint64_t first, uint64_t end);
    /* Logits (texts that are there, vocabulary) of the last row of each text; one rank of a job
     * that is forward. Keys and values of all rows are kept. */
    bool (*rows)(struct engine *engine, const struct run_rows *rows, double *logits);
    /* Where the weights of a group lie, all of them as reals; NULL: elsewhere, or parts. */
    void *(*flat)(struct engine *engine, int group);
    /* Takes a weight as it lies in a file, which stays; false: it must be loaded. NULL: would it?
     */
    bool (*map)(struct engine *engine, const struct weight *weight, const struct mapped *mapped);
};

#endif
