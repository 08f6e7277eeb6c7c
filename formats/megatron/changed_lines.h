/* changed_lines.h - the lines of a launch file that a change of the plan makes others. */
#ifndef RECKON_MEGATRON_CHANGED_LINES_H
#define RECKON_MEGATRON_CHANGED_LINES_H

#include <reckon/model.h>
#include <reckon/plan.h>

struct target;

enum { CHANGED_LINES = 160 };

/* As many as there is room for: "a; b"; "" where there is none. A section of a TOML,
 * "[parallelism]", stands before the first of its lines. `target` NULL: arguments of Megatron-LM.
 */
void changed_lines(const struct target *target, const struct rk_model *model,
                   const struct rk_plan *from, const struct rk_plan *to, char line[CHANGED_LINES]);

#endif
