/* search_layerwise.h - what `reckon search --layerwise` answers. */
#ifndef RECKON_CLI_SEARCH_LAYERWISE_H
#define RECKON_CLI_SEARCH_LAYERWISE_H

#include "cli/search_job.h"

/* Searches search->problem, prints the answer and writes what --save-plan and its like ask for.
 * Returns the exit code. */
int search_layerwise(const struct search *search);

#endif
