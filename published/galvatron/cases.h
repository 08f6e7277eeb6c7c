/* cases.h - profiles and questions of Galvatron's in two files, many of each.
 *
 * Profiles: {"models": {NAME: ...}, "hardware": {NAME: ...}}, see profile.h. Cases:
 * {"cases": [{"input": {...}}, ...]}, see search.h; what else is there is for others.
 */
#ifndef RECKON_GALVATRON_CASES_H
#define RECKON_GALVATRON_CASES_H

#include "galvatron/strategy_file.h"

/* Everything that a question is asked of. */
struct galvatron_setting {
    struct galvatron_choice choice;
    struct galvatron_hardware hardware;
    struct galvatron_model model;
};

/* The profiles that the question names, as far as it needs them. Release in every case. */
enum rk_status galvatron_set(const struct document *profiles,
                             const struct galvatron_question *question,
                             struct galvatron_setting *setting, struct rk_error *error);
/* The same for the strategies of a file alone. */
enum rk_status galvatron_set_for(const struct document *profiles,
                                 const struct galvatron_question *question,
                                 const struct galvatron_file *file,
                                 struct galvatron_setting *setting, struct rk_error *error);
void galvatron_setting_release(struct galvatron_setting *setting);

/* Answers case `index` as {"index", "expected"}; the caller releases *line. */
enum rk_status galvatron_case(const struct document *profiles, const struct place *cases,
                              size_t index, json_t **line, struct rk_error *error);

/* The array of cases in a file of them. */
enum rk_status galvatron_cases(const struct place *root, struct place *cases,
                               struct rk_error *error);

#endif
