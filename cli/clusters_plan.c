#include "cli/clusters_plan.h"

#include "interop/output.h"

#include <inttypes.h>
#include <reckon/plans.h>
#include <string.h>

enum rk_status clusters_file_write(const char *path, const struct clusters_question *question,
                                   const struct clusters_plan *plan, const char *words,
                                   struct rk_error *error)
{
    struct output output;
    char recompute[RK_PLAN_AXIS_TEXT];
    const enum rk_status status = output_open(&output, path, error);
    if (status != RK_OK) return status;
    fprintf(output.file, "{\n    \"batch\": %" PRIu64 ",\n    \"round\": %" PRIu64 ",\n",
            question->words.batch, plan->round);
    if (*words) fprintf(output.file, "    \"plan\": \"%s\",\n", words);
    fprintf(output.file, "    \"stages\": [");
    for (int i = 0; i < plan->stages; i++) {
        const struct clusters_stage *s = &plan->stage[i];
        char expert[32] = "";
        if (s->expert > 1) snprintf(expert, sizeof expert, " ep%" PRIu64, s->expert);
        fprintf(output.file,
                "%s\n        {\"cluster\": \"%s\", \"layers\": %" PRIu64 ", \"words\": \"tp%" PRIu64
                " cp%" PRIu64 "%s dp%" PRIu64 " recompute=%s%s\"}",
                i ? "," : "", question->machine->cluster[s->cluster].name, s->layers, s->tensor,
                s->context, expert, s->data, s->recompute == RK_SELECTIVE ? "selective:" : "",
                rk_plan_axis_text(RK_PLAN_RECOMPUTE,
                                  RK_RECOMPUTE_VALUE(
                                      s->recompute, clusters_parts(&question->words, s->recompute)),
                                  recompute));
    }
    fprintf(output.file, "\n    ]\n}\n");
    return output_commit(&output, error);
}
