/* plan_fields.h - the choices of a plan as one table, and plans on their way.
 *
 * From the rows come plan files, the line of words, their messages, the help of the commands, the
 * completions and (checked) the manual. A row's offset is in struct plan_draft.
 */
#ifndef RECKON_CATALOG_PLAN_FIELDS_H
#define RECKON_CATALOG_PLAN_FIELDS_H

#include "plan/names.h"
#include "text/fields.h"
#include <reckon/plan.h>
#include <reckon/system.h>

/* Ended by key NULL. Rows with a `word` are choices, the others are about the file. */
extern const struct field plan_fields[];

enum { PLAN_MAX_FIELDS = 128 };

/* What has been said of a plan so far; the rest of it is as plan_draft() leaves it. */
struct plan_draft {
    struct rk_plan plan;
    uint64_t data; /* data parallel degree, which a plan does not have; 0: not given */
    bool given[PLAN_MAX_FIELDS]; /* by anybody */
    bool words[PLAN_MAX_FIELDS]; /* ... by the line */
    struct {
        int line, column; /* where it is given, 1-based; 0: nowhere */
    } at[PLAN_MAX_FIELDS];
    const struct rk_system *system; /* that it is for, where that is known, else NULL: which kernels
                                       there are */
    char text[1024];                /* the line of words, cut */
    char path[256];                 /* of the file; "": there is none */
};

struct plan_draft plan_draft(void);

/* A plan that is complete, for words to change: what they leave open is as it is there. */
struct plan_draft plan_draft_of(const struct rk_plan *plan);

/* Are they parts of recomputation, which a line says with its mode? */
static inline bool plan_is_parts(const struct field *field)
{
    return field->type == FIELD_SET &&
           field->offset == offsetof(struct plan_draft, plan.recompute_parts);
}

/* Row of a key; a slip when there is none. */
int plan_row(const char *key);
static inline bool plan_given(const struct plan_draft *draft, const char *key)
{
    return draft->given[plan_row(key)];
}

/* Adapters are on a checkpoint as it is stored, as the model's name says (NULL: nothing is known).
 * False: the base is given, or stays as it is. */
bool plan_take_checkpoint(struct plan_draft *draft, const char *model);

/* What the machine decides of what was not said: whose plans run on it, all its GPUs, the precision
 * that it multiplies. False: it was said, or the machine says nothing. */
void plan_take_framework(struct plan_draft *draft, const struct rk_system *system);
bool plan_take_devices(struct plan_draft *draft, const struct rk_system *system);

/* The GPUs that the draft will have once it is complete: `gpus` where that many are asked for (0:
 * none are), those that it names, all of the system, or the product of the degrees; 0: not known.
 */
uint64_t plan_gpus(const struct plan_draft *draft, uint64_t gpus, const struct rk_system *system);
bool plan_take_precision(struct plan_draft *draft, const struct rk_system *system);
/* All of them, and its kernels. */
void plan_take_system(struct plan_draft *draft, const struct rk_system *system);

/* What others imply where it is not given: the framework's usual kernel of attention on the device,
 * the reference of a preference. Runs of layers may have their own. */
void plan_imply(struct plan_draft *draft);

/* A kernel of attention or a dispatcher that a system does not have: "flash3" "is not on ..., which
 * has flash1, flash" "give attention=flash". */
struct plan_lack {
    const char *key;
    char name[48], why[208], fix[208];
};
bool plan_lacks(const struct rk_plan *plan, const struct rk_system *system, struct plan_lack *lack);

/* The usual kernel of attention on the device, for a plan that came with the one that is usual
 * where there are all of them: what "auto" means in other tools' files. */
void plan_attend_on(struct rk_plan *plan, const struct rk_system *system);

/* Takes over a file; nothing is computed. */
enum rk_status plan_read(const struct document *document, struct plan_draft *draft,
                         struct rk_error *error);

/* Takes over a line of words, which override the draft. A data degree also overrides the draft's
 * ranks, and ranks its data degree. RK_BAD_ARGUMENT with the text as path, line 1 and the
 * column. */
enum rk_status plan_read_words(const char *text, struct plan_draft *draft, struct rk_error *error);

/* Does a plan say more of its stages than how many layers they have? plan_stages.c */
bool plan_has_stages(const struct rk_plan *plan);

/* Text after "stages=" in a line; buffer and size as in rk_plan_text(). */
size_t plan_stages_text(const struct rk_plan *plan, char *buffer, size_t size);

/* What a layer sees that is not as it is by itself, "tp2/sp/recompute=full". */
size_t plan_local_text(const struct rk_plan *plan, char *buffer, size_t size);

/* Is it a word of that line: "tp8", "no-fused", "schedule=x"? Its value does not count. */
bool plan_is_word(const char *word, size_t length);

/* Does a text begin with one? */
bool plan_is_line(const char *text);

/* What is wrong with a plan as a whole; `row` is to blame. */
struct plan_fault {
    int row;
    char have[48]; /* what it has; may be "" */
    char text[312];
};

/* Works out what was not said. False: numbers so large that nothing follows from them. */
bool plan_derive(struct plan_draft *draft, struct plan_fault *fault);

/* The same, and checks that the choices go together, without a model or a
 * system: ranks and data degree from each other; a batch of 4 samples for each rank and sample of
 * a microbatch; core attention as what selective recomputation means. */
bool plan_complete(struct plan_draft *draft, struct plan_fault *fault);

/* The message for a fault: at its word, else at its key in the file. */
enum rk_status plan_fail(const struct plan_draft *draft, const struct plan_fault *fault,
                         struct rk_error *error);

/* A plan file, complete. */
enum rk_status plan_read_file(const struct document *document, struct rk_plan *plan,
                              struct rk_error *error);

/* A file (named as in <reckon/catalog.h>) or a line of words into a draft. */
enum rk_status plan_named(const char *name, struct plan_draft *draft, struct rk_error *error);

/* The same, complete: what it leaves open is as reckon predict takes it on the system. `gpus` (0:
 * not said) win over the file's, whose data parallelism follows. */
enum rk_status plan_named_on(const char *name, const struct rk_system *system, uint64_t gpus,
                             struct rk_plan *plan, struct rk_error *error);

#endif
