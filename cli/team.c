#include "cli/team.h"

const struct search_team *cli_team = NULL;
