/* judge.h - what a strategy file takes, by Galvatron's cost model. */
#ifndef RECKON_GALVATRON_JUDGE_H
#define RECKON_GALVATRON_JUDGE_H

#include "galvatron/cases.h"

/* The file as an answer of the search: its time, and what its stages use of question->memory_GB.
 * `setting` is that of a question with the batch, chunks, layers and degrees of the file.
 * RK_BAD_ARGUMENT when the layers differ from the question's. Release the answer. */
enum rk_status galvatron_judge(const struct galvatron_question *question,
                               const struct galvatron_setting *setting,
                               const struct galvatron_file *file, struct galvatron_answer *answer,
                               struct rk_error *error);

#endif
