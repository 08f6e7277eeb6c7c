/* gains.h - which single change of a plan makes its step shorter, and where a launch file says it.
 *
 * Of a plan in words and of a script of Megatron-LM the changes are keys of the plan; of another
 * tool's configuration they are its own keys (knobs/knobs.h). What counts runs, can be launched
 * (launchable.h), does the same work (GPUs, samples, tokens, precision) and leaves the GPU's memory
 * the headroom that was learned from measured peaks.
 */
#ifndef RECKON_CLI_GAINS_H
#define RECKON_CLI_GAINS_H

#include "cli/launch_input.h"
#include "report/report.h"

enum { GAIN_TEXT = 160, GAINS = 64 };

struct gain {
    const char *what;       /* "gradients are overlapped"; static storage */
    char change[GAIN_TEXT]; /* in the file's spelling: "add --overlap-grad-reduce", "mode full ->
                               none" */
    int line;               /* of the file; 0: new, or there is no file */
    struct rk_plan plan;
    double step_s, total_bytes; /* with it; of the fullest stage */
};

struct gain_case {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_plan *plan;
    double step_s;       /* predicted */
    double usable_bytes; /* of a GPU; more than it has: a run that needs so much runs */
    const struct launch_source *source; /* NULL, like `launch`: a plan of words */
    const struct launch *launch;
};

/* The gains, the largest first. Returns how many, at most GAINS. */
int gains_of(const struct gain_case *of, struct gain gains[static GAINS]);

/* The memory that plans like this may need (sure.h); where that cannot be said, all. */
double gains_usable(const struct rk_model *model, const struct rk_system *system,
                    const struct rk_plan *plan);

#endif
