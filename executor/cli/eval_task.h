/* eval_task.h - questions whose answers a model judges by their likelihood. */
#ifndef RECKON_CLI_EVAL_TASK_H
#define RECKON_CLI_EVAL_TASK_H

#include "cli/eval_set.h"

struct eval_task_options {
    const char *template_path; /* a text with {{member}}; NULL: "{{context}}" */
    const char *shots_path;    /* file of examples; NULL: the task's own other lines */
    uint64_t shots, seed;
    FILE *log; /* a line of JSON for each question; NULL: none */
};

struct eval_task {
    uint64_t items, choices; /* of all items; items without choices have none */
    uint64_t chosen;         /* right answer has the largest log-likelihood */
    uint64_t chosen_length;  /* ... the largest divided by characters */
    uint64_t exact;          /* each token of the right answer is the likeliest */
    uint64_t with_choices;   /* items */
    uint64_t tokens;         /* of right answers */
    uint64_t cut;            /* items whose context was too long */
    double loss;             /* of right answers, sum over tokens */
};

/* `path`: JSON lines with "context", "answer" and, where there are some, "choices". RK_BAD_INPUT
 * with the line for what is missing or cannot be scored. */
enum rk_status eval_task(const char *path, const struct eval_task_options *options,
                         const struct eval_model *model, struct eval_task *result,
                         struct rk_error *error);

#endif
