/* galvatron.h - what the commands of reckon galvatron share. */
#ifndef RECKON_COMMANDS_GALVATRON_H
#define RECKON_COMMANDS_GALVATRON_H

#include "cli/commands.h"
#include "cli/show.h"
#include "galvatron/search.h"
#include "report/report.h"

/* A question: words KEY=VALUE over a file of profiles. */
struct question_args {
    const char *profiles, *model, *system;
    struct option_texts keys;
};
extern const struct option galvatron_question_options[]; /* offsets in struct question_args */
extern const struct option_word galvatron_question_words[];

/* The words as a document, so that they are read and refused as a file of cases is. */
enum rk_status galvatron_read_words(struct question_args *args, const struct document *profiles,
                                    struct galvatron_question *question, struct rk_error *error);

/* RK_BAD_ARGUMENT when an option that is needed was not given: what it is. */
enum rk_status galvatron_want(const char *value, const char *name, const char *what,
                              struct rk_error *error);
enum rk_status galvatron_no_memory(struct rk_error *error);

/* Head, layers and stages of an answer. */
void galvatron_report(struct report *report, const struct galvatron_answer *answer);

extern const struct usage galvatron_search_usage, galvatron_check_usage, galvatron_plan_usage,
    galvatron_collect_usage, galvatron_list_usage, galvatron_profile_usage;
int run_galvatron_search(int argc, char **argv);
int run_galvatron_check(int argc, char **argv);
int run_galvatron_plan(int argc, char **argv);
int run_galvatron_collect(int argc, char **argv);
int run_galvatron_list(int argc, char **argv);
int run_galvatron_profile(int argc, char **argv);

#endif
