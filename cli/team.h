/* team.h - whom this process searches with: nobody, unless it is one of reckon-mpi's. */
#ifndef RECKON_CLI_TEAM_H
#define RECKON_CLI_TEAM_H

#include "search/search.h"

/* NULL: alone. Set before a command runs. */
extern const struct search_team *cli_team;

#endif
