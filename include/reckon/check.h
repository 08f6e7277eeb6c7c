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
    char what[64];    /* the flag or key */
    char have[48];    /* what it has or was taken as; may be "" */
    char need[208];   /* what it would have to be, or what follows from it */
    char fix[96];     /* what to give instead; may be "" */
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
    uint64_t layers, hidden, feedforward, heads, kv_heads, vocabulary, experts;
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
    const struct rk_variable *environment; /* ended by name NULL; NULL: it is not known */
    const struct rk_checkpoint *checkpoint; /* NULL: none is read */
};

/* Adds what rules 2 to 6, 9, 12 and 13 find. Requires a checked model and system; the plan may be
 * any. Pure. */
RK_API void rk_check_plan(const struct rk_model *model, const struct rk_system *system,
                          const struct rk_plan *plan, const struct rk_launch *launch,
                          struct rk_findings *findings);

/* ---- files ---- */

/* What is checked, and what is known beside it. */
struct rk_check_input {
    const char *format; /* "words" (of a plan), "plan" (a file), "megatron", "deepspeed",
                           "galvatron", or another one that reckon import reads */
    const char *path;   /* for messages, and where scripts look for files; "" : none */
    const char *text;
    size_t size;
    const struct rk_model *model; /* NULL: the file has its own (megatron and some others) */
    const struct rk_system *system;
    uint64_t gpus;       /* that are launched; 0: as the file says */
    uint64_t vocabulary; /* where only a tokenizer's files tell it; 0: the model's */
    const char *const *sets; /* "NAME=VALUE": variables and keys that win over the file */
    size_t set_count;
    int version;    /* of Megatron Core, its minor; 0: any */
    bool core_only; /* arguments of Megatron-LM's relatives are unknown */
    struct rk_launch launch;
};

/* Adds all findings. RK_BAD_INPUT, RK_USAGE: the text cannot be judged, `error` says why. */
RK_API enum rk_status rk_check_text(const struct rk_check_input *input,
                                    struct rk_findings *findings, struct rk_error *error);

#ifdef __cplusplus
}
#endif
#endif
