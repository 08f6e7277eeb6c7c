#include "cli/team.h"

const struct search_team *cli_team = NULL;

enum rk_status (*cli_study_update)(const struct study *study, struct study_database *database,
                                   const struct study_plan *plan, int jobs,
                                   bool (*progress)(void *context,
                                                    const struct study_progress *progress),
                                   void *context, struct rk_error *error) = study_update;
