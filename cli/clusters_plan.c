#include "cli/clusters_plan.h"

#include "text/output.h"

#include <inttypes.h>
#include <reckon/plans.h>
#include <string.h>

/* " offload-activations=0.5": what a stage has in memory tier 1; "": nothing. Returns `text`. */
enum { OFFLOAD_TEXT = 80 };
static const char *offload_text(const struct clusters_stage *stage, char text[static OFFLOAD_TEXT])
{
    int used = 0;
    text[0] = '\0';
    if (stage->activations_away > 0)
        used = snprintf(text, OFFLOAD_TEXT, " offload-activations=%.12g", stage->activations_away);
    if (stage->optimizer_away > 0)
        snprintf(text + used, (size_t)(OFFLOAD_TEXT - used), " offload-optimizer=%.12g",
                 stage->optimizer_away);
    return text;
}

/* "20", or of interleaved stages "[10, 10]". */
enum { LAYERS_TEXT = 256 };
static void layers_text(const struct clusters_plan *plan, int stage, char text[static LAYERS_TEXT])
{
    size_t used = 0;
    for (int k = 0; k < plan->chunks && used < LAYERS_TEXT; k++)
        used += (size_t)snprintf(text + used, LAYERS_TEXT - used, "%s%" PRIu64,
                                 k                  ? ", "
                                 : plan->chunks > 1 ? "["
                                                    : "",
                                 plan->chunk[k * plan->stages + stage].layers);
    if (plan->chunks > 1 && used < LAYERS_TEXT) snprintf(text + used, LAYERS_TEXT - used, "]");
}

/* Where so many of a stage's replicas are, and how they run. */
static void write_part(FILE *file, const struct clusters_question *question,
                       const struct clusters_stage *s, int cluster, uint64_t data,
                       const char *layers)
{
    char recompute[RK_PLAN_AXIS_TEXT], offload[OFFLOAD_TEXT], expert[32] = "";
    const unsigned parts = clusters_parts(&question->words, s->recompute);
    if (s->expert > 1) snprintf(expert, sizeof expert, " ep%" PRIu64, s->expert);
    fprintf(file, "\"cluster\": \"%s\", ", question->machine->cluster[cluster].name);
    if (layers) fprintf(file, "\"layers\": %s, ", layers);
    fprintf(
        file, "\"words\": \"tp%" PRIu64 " cp%" PRIu64 "%s dp%" PRIu64 " recompute=%s%s%s\"",
        s->tensor, s->context, expert, data, s->recompute == RK_SELECTIVE ? "selective:" : "",
        rk_plan_axis_text(RK_PLAN_RECOMPUTE, RK_RECOMPUTE_VALUE(s->recompute, parts), recompute),
        question->offload ? "" : offload_text(s, offload));
}

enum rk_status clusters_file_write(const char *path, const struct clusters_question *question,
                                   const struct clusters_plan *plan, const char *words,
                                   struct rk_error *error)
{
    struct output output;
    const enum rk_status status = output_open(&output, path, error);
    if (status != RK_OK) return status;
    fprintf(output.file, "{\n    \"batch\": %" PRIu64 ",\n    \"round\": %" PRIu64 ",\n",
            question->words.batch, plan->round);
    if (*words) fprintf(output.file, "    \"plan\": \"%s\",\n", words);
    fprintf(output.file, "    \"stages\": [");
    for (int i = 0; i < plan->stages; i++) {
        const struct clusters_stage *s = &plan->stage[i];
        char layers[LAYERS_TEXT];
        layers_text(plan, i, layers);
        fprintf(output.file, "%s\n        {", i ? "," : "");
        if (!s->homes) write_part(output.file, question, s, s->cluster, s->data, layers);
        if (s->homes) fprintf(output.file, "\"layers\": %s", layers);
        for (int k = 0; k < s->homes; k++) {
            fprintf(output.file, "%s{", k ? ",\n            " : ", \"parts\": [");
            write_part(output.file, question, s, s->home[k].cluster,
                       s->home[k].gpus / s->tensor / s->context, NULL);
            fprintf(output.file, "}%s", k + 1 == s->homes ? "]" : "");
        }
        fprintf(output.file, "}");
    }
    fprintf(output.file, "\n    ]\n}\n");
    return output_commit(&output, error);
}
