/* search_grid.h - the problems that one `reckon search` asks for: every model with every system,
 * number of GPUs and batch, in this order, the batch innermost. */
#ifndef RECKON_CLI_SEARCH_GRID_H
#define RECKON_CLI_SEARCH_GRID_H

#include "cli/search_job.h"

struct search_grid {
    int models, systems;
    struct rk_model *model;   /* (models) */
    struct rk_system *system; /* (systems) */
    struct rk_system *hosted; /* (systems, sizes) with the memory of the nodes; id "": none */
    char **line;              /* (systems) as they were said */
    char **choice;            /* (systems) of lists in braces; NULL: it is as given */
    struct number_list gpus;  /* count 0: as many as each system says it has */
    struct number_list batch;
    int sizes; /* numbers of GPUs, or 1 */
    size_t problems;
};

/* Loads models and systems and reads the lists. A name given may be several with commas between
 * ("gpt3-175b,megatron-1t"), unless it describes a system, where
 * lists in braces are a system for each choice. The
 * caller releases, also on failure. */
enum rk_status search_grid_open(struct search_grid *grid, const struct search_args *args,
                                struct rk_error *error);
void search_grid_release(struct search_grid *grid);

/* Problem number `i`. */
struct grid_problem {
    const struct rk_model *model;
    const struct rk_system *system, *hosted; /* hosted NULL: no other */
    const char *line, *choice;
    uint64_t gpus, batch;
};
struct grid_problem search_grid_at(const struct search_grid *grid, size_t i);

#endif
