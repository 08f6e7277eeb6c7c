/* team.h - whom this process searches with: nobody, unless it is one of reckon-mpi's. */
#ifndef RECKON_CLI_TEAM_H
#define RECKON_CLI_TEAM_H

#include "study/study.h"

struct search_team;

/* NULL: alone. Set before a command runs. */
extern const struct search_team *cli_team;

/* study_update, or what shares its searches with others. */
extern enum rk_status (*cli_study_update)(
    const struct study *study, struct study_database *database, const struct study_plan *plan,
    int jobs, bool (*progress)(void *context, const struct study_progress *progress), void *context,
    struct rk_error *error);

#endif
