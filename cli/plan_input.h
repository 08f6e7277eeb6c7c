/* plan_input.h - a model, a system and a plan (plan.h) from the command line.
 *
 * The plan comes from a file, from words, or both: words override the file. Two defaults go beyond
 * reckon-plan(5): the GPUs are all those of the system, if it has a number and the plan has none;
 * the precision is bf16, or what the system has. Both are printed as assumptions.
 */
#ifndef RECKON_CLI_PLAN_INPUT_H
#define RECKON_CLI_PLAN_INPUT_H

#include "catalog/plan_fields.h"
#include "cli/model_input.h"
#include "cli/options.h"
#include <reckon/reckon.h>

struct plan_source {
    const char *model;
    const char *system;
    const char *file;                /* NULL: none */
    const char *lengths;             /* of samples: a file, or "MEAN:LONGEST"; NULL: all are full */
    int batching;                    /* what is made of them, an index of --batching's choices */
    uint64_t gpus;                   /* 0: not given */
    const struct rk_system *cluster; /* one cluster of `system`, in its place; NULL: all of it */
    struct option_texts words;
    bool
        several; /* set by commands whose system may be of several clusters (machine.h); `alike`: */
    bool alike;  /* of plans that are searched for, those that Megatron-LM launches alone */
    bool unsearched; /* ... stages that are not said are left so: the draft has the words */
    bool batches;    /* the command chooses microbatch, batch and what is trained, and says then
                        which reference that is measured against (plan_assume_reference) */
};

enum { PLAN_NOTES = 768 };

struct plan_input {
    struct rk_model model;
    struct rk_system system;
    struct plan_draft draft;      /* what was said; complete after plan_settle */
    char sequence_why[MODEL_WHY]; /* "the model's", or what was assumed */
    char assumed[PLAN_NOTES];     /* "batch 256 (4 for each GPU), ..."; "" when nothing was */
    double pack_tokens;           /* of a sample in packs, in the mean; 0: nobody said */
    bool searched;                /* over several clusters: nobody said the stages */
};

/* Words of plans for help, from the table of plan_fields; empty before plan_words_prepare(). */
extern struct option_word plan_words[PLAN_MAX_FIELDS + 1];
void plan_words_prepare(void);

/* Prints each word as it begins, "tp", "schedule=1f1b": for the completion of shells. */
void plan_words_print(FILE *out);

/* The list of keys in the manual page reckon-plan(5); man_plan.c. */
void plan_keys_print(FILE *out);

/* --model, --system, --gpus, --plan */
extern const struct option plan_source_options[];

/* Every choice of a plan as an option, "--tensor 8", for struct plan_source. Empty before
 * plan_words_prepare(). Help shows each with its word. */
enum { PLAN_OPTIONS = PLAN_MAX_FIELDS + 1 };
extern struct option plan_options[PLAN_OPTIONS];

/* The model and the system alone. Release the input in any case. */
enum rk_status plan_inputs(const struct plan_source *source, struct plan_input *input,
                           struct rk_error *error);

/* Room for the words of a command line: any plan's, and other words of the same length. */
enum { PLAN_LINE = 2 * RK_PLAN_TEXT };

/* Words, and options that stand for them. */
enum rk_status plan_read_texts(const struct option_texts *words, struct plan_draft *draft,
                               struct rk_error *error);

/* Reads everything, derives nothing. Release the input in any case. A plan over several clusters
 * without stages is searched for here: the words hold for all its stages. */
enum rk_status plan_gather(const struct plan_source *source, struct plan_input *input,
                           struct rk_error *error);
void plan_input_release(struct plan_input *input); /* a zeroed input is fine */

/* Works out the rest of the plan, `choose` (unless NULL) before the degrees and the batch. */
typedef void plan_choose(struct plan_input *input, void *context);
enum rk_status plan_settle(const struct plan_source *source, struct plan_input *input,
                           plan_choose *choose, void *context, struct rk_error *error);

/* What microbatches of the plan are padded to with such samples, grouped where it says so. */
struct rk_lengths;
void plan_pad(struct rk_plan *plan, const struct rk_lengths *lengths);

/* --lengths and --batching as members of the plan; plan_gather asks it. plan_lengths.c. */
enum rk_status plan_take_lengths(const struct plan_source *source, struct plan_input *input,
                                 struct rk_error *error);

/* Adds to input->assumed, with a comma in between. */
void plan_assume(struct plan_input *input, const char *format, ...) RK_PRINTF(2, 3);

/* The reference that a preference's plan has unless told otherwise: of the plan that the command
 * chose, where `batches` says that it chooses, since adapters decide it. */
void plan_assume_reference(struct plan_input *input, const struct rk_plan *plan);

#endif
