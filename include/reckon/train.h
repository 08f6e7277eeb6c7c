/* train.h - runs a plan: trains a model on this machine's processors.
 *
 * A library of its own, libreckon-run: the predictor needs neither BLAS nor MPI. The rank's program
 * (program.h) is interpreted instruction by instruction; what the executor has no kernel for is
 * refused by name before the first step.
 */
#ifndef RECKON_TRAIN_H
#define RECKON_TRAIN_H

#include <reckon/model.h>
#include <reckon/plan.h>
#include <reckon/status.h>
#include <reckon/system.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a router makes of its scores: softmax, or a sigmoid of each, as models with biases of
 * routers have it. */
enum rk_scores { RK_SCORES_OF_MODEL, RK_SCORES_SOFTMAX, RK_SCORES_SIGMOID };

enum rk_rate { RK_RATE_CONSTANT, RK_RATE_LINEAR, RK_RATE_COSINE, RK_RATE_WSD };

/* RoPE for longer samples than a model began with: a frequency whose wave is longer than context /
 * low tokens is divided by `factor`, one below context / high stays, and in between both are mixed
 * [dubey2024]. Context 0: all are divided [chen2023]. Factor 1: none. `yarn`: mixed by the number
 * of the frequency, not by the frequency, between those of `high` and of `low` turns in the context
 * [peng2023]. With `factors` each frequency has one of its own [ding2024]. */
enum { RK_ROTARY_FACTORS = 128 };
struct rk_rotary_stretch {
    double factor;             /* 1 and more */
    double context, low, high; /* 0 < low < high */
    bool yarn;
    bool fractional;  /* of yarn: between fractions of numbers, not whole ones */
    double magnitude; /* that cosines and sines are multiplied by; 0: 1 */
    double softmax;   /* factor of scores, in addition to the root of the width; 0: 1 */
    int factors;      /* half of what is turned of a head; 0: the above */
    double divide[2][RK_ROTARY_FACTORS]; /* for samples up to `context`; for longer ones */
};

/* Whose names checkpoints give to tensors: those of a class of Hugging Face. */
#define RK_NAMINGS(X)                                                                              \
    X(OF_MODEL)                                                                                    \
    X(LLAMA)                                                                                       \
    X(PHI3)                                                                                        \
    X(GLM)                                                                                         \
    X(STARCODER2)                                                                                  \
    X(EXAONE)                                                                                      \
    X(NEOX)                                                                                        \
    X(PHI)                                                                                         \
    X(GPTJ)                                                                                        \
    X(OPT)                                                                                         \
    X(BLOOM)                                                                                       \
    X(MPT)                                                                                         \
    X(FALCON)                                                                                      \
    X(FALCON_NEW)                                                                                  \
    X(GPT_OSS)                                                                                     \
    X(GRANITE_MOE)                                                                                 \
    X(MINIMAX)
enum rk_naming {
#define NAMING(name) RK_NAMES_##name,
    RK_NAMINGS(NAMING)
#undef NAMING
};

enum { RK_LAYER_WORDS = 16 };

/* Arithmetic that the model's shape does not say. What is 0 or false plays no role. */
struct rk_arithmetic {
    enum rk_naming naming;   /* RK_NAMES_OF_MODEL: nobody has said any of this */
    double embedding_scale;  /* vectors of tokens are multiplied by it ... */
    double residual_scale;   /* ... what a half of a block adds to the stream ... */
    double logit_scale;      /* ... and logits */
    double attention_scale;  /* of scores, instead of 1 / root of the width */
    double attention_cap;    /* a score x becomes cap tanh(x / cap) ... */
    double logit_cap;        /* ... and so does a logit */
    double norm_offset;      /* is added to the weights of norms */
    double rotary_part;      /* of each head that RoPE turns, its first elements; 0: all */
    double local_base;       /* of RoPE in local layers, which is not stretched there */
    uint64_t first_position; /* rows of the table of positions in front of the first one's */
    uint64_t unturned[RK_LAYER_WORDS]; /* bits of layers whose heads have no position */
    bool norms_after;                  /* a half has its norm after it, not in front */
    bool wide_norms;                   /* norms of queries and keys are over all heads of a token */
    bool neighbours;                   /* checkpoints turn neighbours, not halves */
    double gate_limit; /* of experts: gates are cut at it, what they open at it and below as well,
                          and is added to 1; gates times the sigmoid of 1.702 of them, as gpt-oss
                          has it */
    bool routers_add;  /* biases of routers are added to scores, and learned as weights are */
};

/* A zeroed struct is not valid: begin with rk_train_default(). */
struct rk_train {
    uint64_t steps;        /* of the optimizer, in all: a resumed run does the rest */
    uint64_t seed;         /* of weights and of the order of samples */
    bool double_precision; /* 64 bits instead of 32 */
    int threads;           /* of each rank, inside its kernels */
    const char *device;    /* what it computes on; NULL: this machine's processors, "cpu" */
    double limit_s;        /* how long a rank waits for another one */

    double rate, least_rate; /* learning rate: highest, and at the end */
    uint64_t warmup;         /* steps in which it rises linearly from 0 */
    enum rk_rate rate_kind;  /* what it does then; WSD: falls linearly over the last tenth */
    double beta1, beta2, eps, decay;
    double momentum; /* of Muon's matrices; from 0 to below 1 */
    double clip;     /* largest norm of the gradients; 0: none */
    /* of fp16: the first factor of the loss, and the ratio by which it grows after `scale_interval`
     * steps in a row (0: never), or falls after a step whose gradients overflow, which is
     * skipped */
    double loss_scale, scale_growth, scale_backoff;
    uint64_t scale_interval;

    double norm_eps;    /* added to variances */
    double rotary_base; /* of RoPE */
    struct rk_rotary_stretch rotary_stretch;
    struct rk_arithmetic arithmetic;
    uint64_t context; /* tokens that texts are continued with, where the model's sequence is that of
                         its training alone; 0: the model's */
    bool exact_gelu;  /* GELU by the error function, not by tanh */
    /* routers of experts (docs/train.md) */
    enum rk_scores scores;
    bool renormalise;    /* the weights of a token's experts sum to one ... */
    double route_scale;  /* ... and are multiplied with this then */
    double balance;      /* coefficient of the loss that keeps experts equally busy; 0: none */
    double bias_rate;    /* what biases of routers move by in a step */
    double ahead_weight; /* of the mean loss of multi-token prediction layers */

    uint32_t
        block_tokens; /* of block-sparse attention, in every other layer; 0: all layers dense */
    uint32_t block_local, block_global, block_patterns; /* of the fixed pattern (docs/train.md) */

    bool adaptive; /* offload no more activations than hide, by the times of the second step */
    bool repeat;   /* begin again when the data ends, in another order */
};
RK_API struct rk_train rk_train_default(void);

/* What a step brought. */
struct rk_train_step {
    uint64_t step;  /* counted from 1 */
    double loss;    /* mean over the step's tokens */
    double balance; /* loss of routers, not in `loss`; 0: there is none */
    double ahead;   /* mean loss of multi-token prediction layers, unweighted, not in it either */
    double norm;    /* of the gradients, before clipping */
    double rate;
    double scale; /* of the loss; 0: there is none */
    bool skipped; /* gradients overflowed: no weight has moved, and the scale is lower now */
    double wall_s;
    double tokens;
    uint64_t peak_bytes; /* of activations and gradients on rank 0 */
    double compute_s;    /* that rank 0 computed: products, attention, memory, recomputation */
    double slowest;      /* the same of the rank that is slowest against the median rank of its
                            stage, over that one's */
    int slowest_rank;
};

/* What a step's time goes to: products, attention kernels, what memory limits; forward done again;
 * collectives of layers; messages between stages, and waiting for them; gradients and weights of
 * data parallelism; the optimizer; waiting for lower memory tiers. */
#define RK_TRAIN_PARTS(X)                                                                          \
    X(matrix)                                                                                      \
    X(attention) X(memory) X(recompute) X(comm) X(waits) X(messages) X(data) X(optimizer) X(offload)
enum { RK_TRAIN_PARTS_COUNT = 10 };

/* ---- a task of one's own: three functions, as Redco's [tan2024] ---- */

/* Rows of logits: of tokens of samples. */
struct rk_rows {
    uint64_t rows, words;
    const double *logits;     /* (rows, words) */
    const uint64_t *sample;   /* (rows): its number */
    const uint32_t *position; /* (rows): of the token in its sample */
    const uint32_t *target;   /* (rows): as collate gave it */
};

#define RK_NO_TARGET UINT32_MAX /* a row without a loss */

/* Ranks call these at the same time, from threads of their own: each sample's rows once, but for
 * tensor ranks, which all compute the loss of the same rows. What they bring may depend on nothing
 * but their arguments and what lasts. */
struct rk_functions {
    void *context;
    uint64_t samples; /* there are; 0: without end */
    uint64_t rows;    /* of a sample that have a loss: it is a mean over them; 0: all */
    /* Sample `n`: `sequence` tokens, each below the vocabulary, and targets. False: there is none,
     * and the run ends with an error. */
    bool (*collate)(void *context, uint64_t n, uint64_t sequence, uint32_t *token,
                    uint32_t *target);
    /* The sum of the rows' losses; `gradient` (rows, words) of that sum. NULL: rk_cross_entropy. */
    double (*loss)(void *context, const struct rk_rows *rows, double *gradient);
    /* What the model says (rk_predict_samples); NULL in training. */
    void (*predict)(void *context, const struct rk_rows *rows);
};

/* Sum of -log softmax(logits)[target]; rows of RK_NO_TARGET have none. `context` plays no role. */
RK_API double rk_cross_entropy(void *context, const struct rk_rows *rows, double *gradient);

/* A piece of a step of one rank. */
struct rk_train_event {
    const char *name;      /* of the operation: "mlp in"; static */
    const char *pass;      /* "forward", "again", "input", "weight"; "" at the end of a step */
    double begin_s, end_s; /* of the machine's monotonic clock */
    int64_t layer;         /* -1: embedding; model.layers: head */
    uint32_t microbatch;
    uint64_t memory_bytes; /* of the step's tensors, after the operation */
};

/* Files that other programs need to open a checkpoint, in addition to the weights. The names that a
 * checkpoint may be given: those of Hugging Face. */
#define RK_TRAIN_FILES(X)                                                                          \
    X("config.json")                                                                               \
    X("generation_config.json")                                                                    \
    X("tokenizer.json")                                                                            \
    X("tokenizer_config.json")                                                                     \
    X("special_tokens_map.json")                                                                   \
    X("added_tokens.json")                                                                         \
    X("vocab.json") X("merges.txt") X("tokenizer.model") X("chat_template.jinja")

struct rk_train_file {
    const char *name; /* one of RK_TRAIN_FILES */
    const char *text; /* (bytes) */
    size_t bytes;
};

struct rk_train_run {
    const struct rk_functions *functions; /* NULL: language modelling on `data` */
    const char *data; /* a shard of tokens (reckon tokenize --as bin) or any file: its bytes */
    const struct rk_system *system; /* for which the plan is lowered; its times play no role here */
    const char *load;               /* checkpoint to begin from; NULL: from the seed */
    const char *save;               /* folder for checkpoints; NULL: none */
    const char *drives; /* folder for what is offloaded to tiers that are drives; NULL: none */
    const char *dump;   /* folder for activations, gradients and state of steps; NULL: none */
    const uint64_t *dump_step; /* (dumps) those steps, counted from 1 */
    uint64_t dumps;
    uint64_t save_every; /* steps; 0: at the end only */
    const struct rk_train_file
        *file; /* (files) that every checkpoint is given; nothing reads them */
    uint64_t files;
    /* Called on one thread after each step; false ends the run after a checkpoint. */
    bool (*step)(void *context, const struct rk_train_step *step);
    /* Called likewise; true: the run continues under *plan, which passes rk_train_check and which
     * keeps batch and sequence. NULL: never. */
    bool (*next_plan)(void *context, uint64_t step, struct rk_plan *plan);
    /* Called with the second step of each rank of this process, one rank at a time; NULL: not. */
    void (*trace)(void *context, int rank, const struct rk_train_event *event, size_t events);
    /* Called once before the first step for each thing that the run continues despite: of a
     * checkpoint that is damaged, of data that look like none; NULL: not. */
    void (*warn)(void *context, const struct rk_error *about);
    const char *transit; /* folder that all ranks see, for the state on its way to another plan;
                            NULL: memory (/dev/shm) where all ranks are threads, else `save` */
    void *context;
};

/* A memory tier, of all ranks of this process. */
struct rk_train_tier {
    double weight_bytes, optimizer_bytes; /* that lie there */
    double activation_bytes;              /* dealt to it in a step */
    double handed_bytes;                  /* ... of them, needed again too soon: they never left */
    double written_bytes, read_bytes;     /* in a step, the mean */
    double write_s, read_s; /* of moving them: overlaps with computation, unless exposed */
};

/* What lasts from step to step on a rank, less what is offloaded: without padding. */
struct rk_train_state {
    double weight_bytes, gradient_bytes, optimizer_bytes;
    double tied_bytes; /* gradient of a tied head, apart from the table's: summed at the end */
};

struct rk_train_result {
    uint64_t steps;
    double first_loss, last_loss;
    double tokens;
    double wall_s;
    double step_s; /* the fastest step, wall time */
    /* Of a mixture whose tokens travel: those of the busiest rank over the mean, in the last step,
     * in the mean over layers and microbatches; 0: none travel, or ranks are processes. */
    double imbalance;
    uint64_t skipped; /* steps whose gradients overflowed: their scale was too high */
    double clock_s;   /* a step by the virtual clock (docs/train.md); 0: there is none */
    double slowest;   /* likewise over all steps but the first */
    int slowest_rank; /* ... that rank */
    uint64_t changes; /* of the plan; what follows is of the last one */
    double change_s;  /* that they took together */
    /* the least seconds a step, of the rank where that is most: processor time, and time passed */
    double part_cpu_s[RK_TRAIN_PARTS_COUNT], part_wall_s[RK_TRAIN_PARTS_COUNT],
        part_clock_s[RK_TRAIN_PARTS_COUNT]; /* by the virtual clock: of the rank that has most to
                                               compute, in the last step */
    double part_sent_bytes[RK_TRAIN_PARTS_COUNT]; /* a step, of all ranks of this process */
    uint64_t weights_bytes, peak_bytes;           /* of the largest rank */
    uint64_t placed_bytes, live_bytes; /* of its step's tensors at fixed addresses, and the most
                                          that are alive at once; 0: a run of one step */
    struct rk_train_state state;       /* the most of any rank */
    struct rk_train_tier tier[RK_SHARE_TIERS]; /* [i] is memory tier i + 1 */
};

/* Checks whether the executor can run this at all: RK_UNSUPPORTED with the first reason, which
 * names the member or operation. Judges no memory. */
RK_API enum rk_status rk_train_check(const struct rk_model *model, const struct rk_plan *plan,
                                     const struct rk_train *train, struct rk_error *error);

/* What a checkpoint, or the newest of a folder of them, says of its run. */
struct rk_train_about {
    uint64_t step, seed;
    uint64_t batch, sequence; /* 0: an earlier reckon wrote it, and did not say */
};

/* All 0: the folder holds no checkpoint, but perhaps weights alone. Files are not read through. */
RK_API enum rk_status rk_train_look(const char *folder, struct rk_train_about *about,
                                    struct rk_error *error);

/* Trains with plan->ranks ranks as threads of this process. */
RK_API enum rk_status rk_train_threads(const struct rk_model *model, const struct rk_plan *plan,
                                       const struct rk_train *train, const struct rk_train_run *run,
                                       struct rk_train_result *result, struct rk_error *error);

/* What a rank has of a step's tensors: the most at once, and at fixed addresses. */
struct rk_train_memory {
    uint64_t peak_bytes, placed_bytes;
};

/* The same of a run that is not made: rank `rank`'s program takes and gives back its memory, and
 * nothing is computed. Experts take turns; where they are on several ranks, this one gets
 * plan->imbalance times the mean. In 32 bits, without rk_train.adaptive, which goes by time. run:
 * functions, system. */
RK_API enum rk_status rk_train_count(const struct rk_model *model, const struct rk_plan *plan,
                                     const struct rk_train *train, const struct rk_train_run *run,
                                     uint64_t rank, struct rk_train_memory *memory,
                                     struct rk_error *error);

/* Forward alone, over samples first ... first + samples - 1, whole batches of the plan's; calls
 * functions->predict. run: functions, system, load. */
RK_API enum rk_status rk_predict_samples(const struct rk_model *model, const struct rk_plan *plan,
                                         const struct rk_train *train,
                                         const struct rk_train_run *run, uint64_t first,
                                         uint64_t samples, struct rk_error *error);

/* What multiplies here: bytes of results depend on it, and times. */
struct rk_products {
    char blas[64]; /* "OpenBLAS 0.3.21 Cooperlake": the library and the processor it runs kernels of
                    */
    char single[64]; /* "oneDNN 2.6.3 avx512_core_bf16": most products of 32 bits; "": the other */
    char bf16[64];   /* "oneDNN 2.6.3 avx512_core_bf16"; "": bf16 is emulated with the others */
    char slow[256]; /* why that is slower than the processor could be, and what helps; "": it is not
                     */
};
RK_API void rk_products_here(struct rk_products *products);

/* One processor of this machine, with the executor's kernels in 32 bits. */
struct rk_rates {
    double peak_FLOPps; /* of products, but for their weights */
    double bf16_FLOPps; /* the same of bf16 operands; that of 32 bits where they are emulated */
    double k_half;      /* length k at which half of a product's time is its results */
    double weights_Bps; /* of weights that a product reads, or gradients that it adds to, in
                           addition to that */
    struct rk_attention_rates attention;
    struct rk_stream_rates optimizer; /* gradients' norm and AdamW, from memory */
    struct rk_stream_rates memory;    /* sums */
    double element_s[RK_KERNELS][2];  /* as in rk_kernels */
};

struct rk_measured {
    struct rk_rates alone;
    struct rk_rates busy;        /* while `busy_threads` do the same kind of work */
    int busy_threads;            /* as many as processors; 0: there is one, or memory for one */
    double latency_s;            /* of a message between threads, without the work of both */
    double hop_s;                /* of an exchange of a few bytes */
    struct rk_stream_rates link; /* all-reduce of two ranks */
    struct rk_stream_rates exchange[RK_EXCHANGES]; /* as in rk_link */
    long processors;
    uint64_t memory_bytes;
};

/* Takes about `seconds` seconds. */
RK_API enum rk_status rk_measure(double seconds, struct rk_measured *measured,
                                 struct rk_error *error);

/* A lower memory tier, moved to and from as offloading does. */
struct rk_measured_tier {
    double capacity_bytes; /* 0: not known */
    double write_Bps, read_Bps;
};

/* The host's memory, and drives where the folder `drives` lies. Takes about so many seconds, and
 * 64 MiB of each. */
RK_API enum rk_status rk_measure_tiers(const char *drives, double seconds,
                                       struct rk_measured_tier tier[2], struct rk_error *error);

struct rk_prompt {
    const uint32_t *token;
    uint64_t tokens; /* 1 and more */
};

struct rk_generate {
    const char *load;               /* checkpoint or weights */
    const struct rk_system *system; /* as in rk_train_run */
    const struct rk_prompt *prompt; /* (prompts) texts that continue, together */
    uint64_t prompts;
    uint64_t tokens;    /* to add to each */
    uint64_t sequence;  /* the most tokens before it that a token sees; 0: the model's */
    double temperature; /* 0: always the likeliest */
    uint64_t top;       /* chooses among this number of likeliest tokens; 0: all */
    double top_share;   /* ... whose probabilities sum to this share; 0: all */
    /* Called with each token of text `text`; false ends it. */
    bool (*token)(void *context, uint64_t text, uint32_t token);
    void *context;
};

/* Continues texts, token by token. Each token is computed once: keys and values are kept. A text
 * that has filled the sequence continues from its later half. Random choices come from train->seed,
 * the text's number and the token's: the same call gives the same tokens, and a text gets the same
 * ones in any batch of fewer than nine. */
RK_API enum rk_status rk_generate_tokens(const struct rk_model *model, const struct rk_train *train,
                                         const struct rk_generate *generate,
                                         struct rk_error *error);

/* ---- scores ---- */

struct rk_sequence {       /* a text, or a window of one */
    const uint32_t *token; /* (tokens), each below the vocabulary */
    uint64_t tokens;       /* 2 and more; at most one more than the model's (or plan's) sequence */
    uint64_t first;        /* those from here on are scored, 1 ... tokens - 1 */
};

struct rk_token_score {
    double loglik;  /* natural logarithm of its probability given those before it */
    bool likeliest; /* no other token has a larger one */
};

struct rk_score {
    const char *load;                   /* checkpoint or weights; NULL: those of train->seed */
    const struct rk_system *system;     /* as in rk_train_run */
    const struct rk_sequence *sequence; /* (sequences) */
    uint64_t sequences;
};

/* Scores sequences under a plan, forward alone. `scores` has room for tokens - first of each
 * sequence, one sequence after another. Samples are as long as the longest sequence needs, and are
 * dealt to data-parallel ranks: neither their number nor that of threads changes a bit. */
RK_API enum rk_status rk_score_threads(const struct rk_model *model, const struct rk_plan *plan,
                                       const struct rk_train *train, const struct rk_score *score,
                                       struct rk_token_score *scores, struct rk_error *error);

#ifdef __cplusplus
}
#endif
#endif
