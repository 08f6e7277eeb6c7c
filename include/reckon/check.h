/* check.h - what is wrong with a plan before it is launched, and with a run before it hangs.
 *
 * Findings are values, never errors: all of them are listed, each with the id of a rule of
 * check.def, a severity, a position, what is there, what would have to be, and a fix. docs/check.md
 * has the rules; most of them come from bugs in public.
 */
#ifndef RECKON_CHECK_H
#define RECKON_CHECK_H

#include <reckon/model.h>
#include <reckon/plan.h>
#include <reckon/program.h>
#include <reckon/status.h>
#include <reckon/system.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- findings ---- */

enum rk_severity {
    RK_ASSUMED, /* not said by the file: a default of the tool that it is for */
    RK_IGNORED, /* said, known, and of no effect on the answer, or not followed */
    RK_UNKNOWN, /* said, and not known at all */
    RK_WARNING, /* costs time, or is likely a mistake; or the answer is approximate */
    RK_ERROR    /* forbids the launch: the tool, or the one that reads, would stop here */
};

struct rk_finding {
    char rule[24]; /* "1.unknown"; "" where no rule has a name */
    enum rk_severity severity;
    int line, column; /* 1-based; 0: nowhere in particular */
    int rank;         /* whose log it is in; -1: none */
    int stage;        /* over several clusters: of this stage, from 1 on; 0: of none */
    char what[160];   /* the flag or key */
    char have[48];    /* what it has or was taken as; may be "" */
    char need[208];   /* what it would have to be, or what follows from it */
    char fix[208];    /* what to give instead; may be "" */
};

enum { RK_MAX_FINDINGS = 256 };

struct rk_findings {
    int count;   /* at most RK_MAX_FINDINGS, in the order of the rules, then of the input */
    int dropped; /* that found no room */
    struct rk_finding finding[RK_MAX_FINDINGS + 1]; /* the last: scratch */
};

/* How many forbid the launch. */
RK_API int rk_findings_errors(const struct rk_findings *findings);

struct rk_rule {
    const char *id;
    enum rk_severity severity; /* as a rule: 3.fill is a warning where it costs time only */
    const char *asks;
};

/* All rules, ended by one whose id is NULL. */
RK_API const struct rk_rule *rk_rules(void);

/* ---- plans ---- */

/* What was written by whoever wrote a checkpoint; 0: not said, "": likewise. */
struct rk_checkpoint {
    char format[24]; /* "torch", "torch_dist", "safetensors", ... */
    uint64_t tensor, pipeline, chunks, expert, expert_tensor, data;
    uint64_t layers, hidden, feedforward, heads, kv_heads, vocabulary, experts, parameters;
};

/* One variable; text NULL: it is not set. */
struct rk_variable {
    const char *name, *text;
};

/* What else is known of a launch. A zeroed one is fine: then those rules are not asked. */
struct rk_launch {
    uint64_t domain;    /* ranks that the fastest links join; 0: as the system has it */
    uint64_t group;     /* microbatches of a virtual stage in a row; 0: as many as stages */
    bool sharded_torch; /* Megatron-LM with one of its kinds of FSDP: other queues */
    bool fills_stages;  /* the tool refuses fewer microbatches than stages (torchtitan) */
    bool lone_ends;     /* the embedding, or the head, may have a stage without layers */
    bool pads;          /* the tool pads the vocabulary to what tensor divides */
    bool states_only;   /* activations depend on code that no file shows */
    bool exact_memory;  /* a byte too much is an error; else what no error bar explains */
    const char *fixed;  /* degrees that the file has no key for, "tp|pp"; NULL: none */
    const struct rk_variable *environment;  /* ended by name NULL; NULL: it is not known */
    const struct rk_checkpoint *checkpoint; /* NULL: none is read */
};

/* Adds what rules 2 to 6, 9, 12 and 13 find. Requires a checked model and system; the plan may be
 * any. Without a system (NULL) what depends on it is not asked. */
RK_API void rk_check_plan(const struct rk_model *model, const struct rk_system *system,
                          const struct rk_plan *plan, const struct rk_launch *launch,
                          struct rk_findings *findings);

/* Can the plan be launched: does `reckon check` find no error in its words? */
RK_API bool rk_plan_launches(const struct rk_model *model, const struct rk_system *system,
                             const struct rk_plan *plan);

/* ---- files ---- */

/* What is checked, and what is known about it. */
struct rk_check_input {
    const char *format; /* "words" (of a plan), "plan" (a file), "megatron", "deepspeed",
                           "galvatron", or another one that reckon import reads */
    const char *path;   /* for messages, and where scripts look for files; "" : none */
    const char *text;
    size_t size;
    const struct rk_model *model;   /* NULL: the file has its own (megatron and some others) */
    const char *named;              /* how it was asked for: of a checkpoint of few bits; or NULL */
    const struct rk_system *system; /* a checked one */
    uint64_t gpus;                  /* that are launched; 0: as the file says */
    uint64_t vocabulary;            /* where only a tokenizer's files tell it; 0: the model's */
    uint64_t variant;               /* of a script's commands that train, from 1 on; 0: only one */
    const char *const *sets;        /* "NAME=VALUE": variables and keys that win over the file */
    size_t set_count;
    const char *const *ignored; /* "NAME,NAME": unknown keys or arguments to pass over */
    size_t ignored_count;
    int version;    /* of Megatron Core, its minor; 0: any */
    bool core_only; /* arguments of Megatron-LM's relatives are unknown */
    struct rk_launch launch;
};

/* Adds all findings. RK_BAD_INPUT, RK_BAD_ARGUMENT: the text cannot be judged, `error` says why. */
RK_API enum rk_status rk_check_text(const struct rk_check_input *input,
                                    struct rk_findings *findings, struct rk_error *error);

/* ---- logs ----
 *
 * What the ranks of a run did, or are going to do: for each rank a list of operations, in the order
 * in which its host issues them. They come from texts (reckon-check(1) has the grammar, which is
 * that of rk_program_write), one operation at a time from memory, or from a whole program. What is
 * found does not depend on where they come from.
 */
struct rk_logs;

/* clang-format off */
/* X(value, word in texts) */
#define RK_NAMES_log(X) \
    X(RK_LOG_RUN, "run") X(RK_LOG_RECORD, "record") X(RK_LOG_WAIT, "wait") \
    X(RK_LOG_ALL_REDUCE, "all_reduce") X(RK_LOG_ALL_GATHER, "all_gather") \
    X(RK_LOG_REDUCE_SCATTER, "reduce_scatter") X(RK_LOG_ALL_TO_ALL, "all_to_all") \
    X(RK_LOG_BROADCAST, "broadcast") X(RK_LOG_SEND, "send") X(RK_LOG_RECV, "recv") \
    X(RK_LOG_BEGIN, "begin") X(RK_LOG_END, "end") X(RK_LOG_ALLOC, "alloc") X(RK_LOG_FREE, "free")
/* clang-format on */
#define RK_NAMES_VALUE(value, word) value,
enum rk_log_kind { RK_NAMES_log(RK_NAMES_VALUE) RK_LOG_KINDS };
#undef RK_NAMES_VALUE

/* One operation. All arrays and texts are the caller's, and copied. */
struct rk_log_operation {
    enum rk_log_kind kind;
    int line;           /* where messages shall say that it is; 0: its number from 1 on */
    const char *name;   /* of what is run; of an event; of the buffer that is allocated or freed */
    const char *stream; /* NULL: that of the rank's first run, as allocators have it */
    const uint32_t *member; /* of a collective: its group, in the order of its ranks */
    uint32_t members;
    const char *datatype;
    uint64_t count; /* elements */
    double flop;    /* of what is run; 0: not said */
    uint32_t peer;  /* of send and recv */
    int64_t tag;
    const char *const *reads, *const *writes; /* buffers; texts alike are one buffer of the rank */
    uint32_t read_count, write_count;
};

/* RK_NO_MEMORY: no memory. Release with rk_logs_release, also NULL. */
RK_API enum rk_status rk_logs_new(uint32_t ranks, struct rk_logs **logs, struct rk_error *error);
RK_API void rk_logs_release(struct rk_logs *logs);

/* Appends an operation to the rank's. RK_BAD_INPUT: it is not a valid operation. */
RK_API enum rk_status rk_logs_add(struct rk_logs *logs, uint32_t rank,
                                  const struct rk_log_operation *operation, struct rk_error *error);

/* The same from a text; `path` names it in messages. */
RK_API enum rk_status rk_logs_read(struct rk_logs *logs, uint32_t rank, const char *path,
                                   const char *text, size_t size, struct rk_error *error);

/* All instructions of a program, as those of its rank; its line is the instruction's number + 1. */
RK_API enum rk_status rk_logs_add_program(struct rk_logs *logs, const struct rk_program *program,
                                          struct rk_error *error);

struct rk_logs_options {
    bool tags;            /* the transport pairs messages by tag (MPI); NCCL does not */
    uint64_t eager_bytes; /* messages of at most this size are buffered: a send does not wait */
};

/* Rule 11: what logs sum up is what others do, the programs of a plan: bytes of each collective and
 * message of a rank exactly, FLOP to 0.1 % (where the logs say any). Before rk_logs_check. */
RK_API enum rk_status rk_logs_compare(const struct rk_logs *logs, const struct rk_logs *expected,
                                      struct rk_findings *findings, struct rk_error *error);

/* Adds what rules 7 and 10 find; the logs are used up: only release them. Findings name rank and
 * line. RK_NO_MEMORY: no memory. */
RK_API enum rk_status rk_logs_check(struct rk_logs *logs, const struct rk_logs_options *options,
                                    struct rk_findings *findings, struct rk_error *error);

/* ---- outputs of runs ---- */

struct rk_text {
    const char *path, *text;
    size_t size;
};

/* Logs of NCCL (NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=INIT,COLL), of one process or of several each.
 * `file` gets for each rank the text that it is in; release it with free. Communicators that cannot
 * be told apart, because no line of INIT names their ranks, are passed over: a finding without a
 * rule says so. RK_BAD_INPUT: no call of NCCL is in the texts. */
RK_API enum rk_status rk_nccl_logs(const struct rk_text *texts, size_t count, struct rk_logs **logs,
                                   uint32_t *ranks, size_t **file, struct rk_findings *findings,
                                   struct rk_error *error);

/* Dumps of PyTorch's flight recorder as JSON, one a rank; `rank` has the rank of each. Adds what
 * never came, and on which rank (7.deadlock), calls that differ (7.match), messages that nobody
 * takes (7.pairs). */
RK_API enum rk_status rk_check_flight(const struct rk_text *dumps, const uint32_t *rank,
                                      size_t count, struct rk_findings *findings,
                                      struct rk_error *error);

#ifdef __cplusplus
}
#endif
#endif
