/* import_answer.h - what `reckon import` answers when the file of another tool is a plan. */
#ifndef RECKON_CLI_IMPORT_ANSWER_H
#define RECKON_CLI_IMPORT_ANSWER_H

#include "cli/options.h"
#include "cli/show.h"
#include "keys/notes.h"
#include "keys/reader.h"
#include <reckon/reckon.h>

struct import_args {
    const char *system;
    const char *plan_output, *model_output; /* NULL: none */
    struct show_args show;
};

/* --system, --output, --model-output; --format, --color */
extern const struct option import_answer_options[];

struct import_answer {
    const char *tool; /* "Megatron-LM" */
    const char *path; /* as messages name it */
    const struct rk_model *model;
    bool own_model; /* the file has the model, too */
    const struct rk_plan *plan;
    const struct notes *notes;
    const char *remark; /* a line more; may be NULL */
};

/* Prints what people must know on standard error: warnings, refusals, flags that are not known. */
void import_warn(const struct notes *notes, const char *path);

/* Writes the files that were asked for, prints model, plan, what was assumed, and, with a system,
 * the prediction. Returns the exit code: RK_NOTHING_FITS when the plan cannot run there. */
int import_answer(const struct import_answer *answer, const struct import_args *args);

extern const struct usage import_megatron_usage;
int import_megatron(int argc, char **argv);
/* One command for each format of PLAN_FORMATS. */
#define IMPORT_FORMAT(id, name, tool, own, what, versions, example)                                \
    extern const struct usage import_##id##_usage;                                                 \
    int import_##id(int argc, char **argv);
PLAN_FORMATS(IMPORT_FORMAT)
#undef IMPORT_FORMAT

#endif
