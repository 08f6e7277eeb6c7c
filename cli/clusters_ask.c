#include "cli/clusters_ask.h"

#include "base/limits.h"
#include "base/memory.h"
#include "catalog/plan_stages.h"
#include "cli/model_input.h"
#include "cli/number_list.h"
#include "cli/plan_input.h"
#include "facts/headroom.h"
#include "plan/layers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) .offset = offsetof(struct clusters_source, member)
/* clang-format off */
const struct option clusters_source_options[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, AT(model), .argument = "MODEL", .complete = "models",
     .help = "what is trained: an id of `reckon models` or a file"},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, AT(system), .argument = "SYSTEM", .complete = "systems",
     .help = "clusters with + between them and link=RATE@LATENCY, or a file of them; reckon-system(5). With lists, as x{16,32}, each machine has a row"},
    {.letter = 'b', .name = "batch", .type = OPTION_TEXT, AT(batch), .argument = "N",
     .help = "samples of a step: a number; a list (256,512) or a range (256..2048, as reckon search --help has them) where each has a row"},
    {.letter = 'p', .name = "plan", .type = OPTION_TEXT, .argument = "FILE", AT(plan), .complete = "file",
     .help = "predict this plan instead of searching: a file of --save-plan, or by hand, as PLAN FILES says"},
    {.name = NULL},
};
/* clang-format on */
#undef AT

/* ---- the question ---- */

/* 0: none is given. */
static enum rk_status one_batch(const char *text, uint64_t *batch, struct rk_error *error)
{
    struct number_list list = {.count = 0};
    *batch = 0;
    if (!text) return RK_OK;
    const enum rk_status status = number_list_parse("--batch", text, &list, error);
    if (status != RK_OK) return status;
    if (list.count > 1)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--batch %.80s: one plan has one: give one number", text);
    *batch = list.value[0];
    if (*batch > MOST_BATCH)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--batch %" PRIu64 ": at most %d samples over several clusters", *batch,
                       MOST_BATCH);
    return RK_OK;
}

enum rk_status clusters_input_open(struct clusters_input *input,
                                   const struct clusters_source *source, struct rk_error *error)
{
    uint64_t batch = 0;
    enum rk_status status = RK_OK;
    *input = (struct clusters_input){.machine = {.clusters = 0}};
    if (!source->model)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "give --model: an id of `reckon models` or a file");
    if (!source->system)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "give --system: \"h100-sxm5-80g x64 + a100-sxm4-80g x64 "
                       "link=100Gb/s@50us\"");
    status = model_open(source->model, &input->model, error);
    if (status == RK_OK) status = clusters_input_begin(input, source->system, source->plan, error);
    if (status == RK_OK) status = plan_read_texts(&source->words, &input->draft, error);
    if (status == RK_OK) status = one_batch(source->batch, &batch, error);
    if (status == RK_OK) status = clusters_input_settle(input, batch, error);
    return status;
}

enum rk_status clusters_input_leave(struct clusters_input *input, const char *headroom,
                                    struct rk_error *error)
{
    struct clusters_question *q = &input->question;
    enum rk_status status = RK_OK;
    for (int i = 0; !input->given && i < input->machine.clusters && status == RK_OK; i++)
        status = headroom_usable(headroom, &input->model, &input->machine.cluster[i].system,
                                 &q->words, &q->usable_bytes[i], error);
    return status;
}

/* ---- the answer ---- */

struct answered *answered_open(const struct clusters_question *question,
                               const struct clusters_plan *found, const struct given_plan *given,
                               struct rk_error *error)
{
    struct answered *to = malloc(sizeof *to);
    if (!to) return no_memory(error), NULL;
    if (given) to->given = *given;
    if (!given) given_of(question, found, &to->given);
    to->system = clusters_system(question->machine);
    snprintf(to->system.id, sizeof to->system.id, "%d clusters", question->machine->clusters);
    if (!plan_of_given(&question->words, &to->given, &to->plan)) {
        rk_fail(error, RK_LIMIT, NULL, 0, 0, "more than %d kinds of layers", RK_MAX_LOCALS);
        free(to);
        return NULL;
    }
    rk_predict(question->model, &to->system, &to->plan, &to->prediction);
    to->forecast = (struct forecast){question->model, &to->system, &to->plan, &to->prediction, ""};
    return to;
}
