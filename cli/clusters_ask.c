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
#undef AT
#define AT(member) .offset = offsetof(struct clusters_basics, member)
const struct operand clusters_words[] = {
    {.name = "PLAN", .help = "words of a plan that all stages keep", AT(source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
const struct option clusters_output_options[] = {
    OPTION_OUTPUT_ROW(AT(output)),
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

enum rk_status clusters_input_of(struct clusters_input *input, const struct plan_source *source,
                                 bool alike, struct rk_error *error)
{
    const struct clusters_source several = {.model = source->model,
                                            .system = source->system,
                                            .plan = source->file,
                                            .words = source->words};
    if (source->gpus)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--gpus does not go with several clusters: each says how many it has");
    bool full;
    enum rk_status status = clusters_input_open(input, &several, error);
    input->question.alike = alike ? CLUSTERS_ALIKE_ONLY : CLUSTERS_ANY;
    if (status == RK_OK) status = clusters_input_leave(input, NULL, error);
    if (status == RK_OK) status = clusters_input_roomy(input, false, &full, error);
    if (status == RK_OK && full)
        fprintf(stderr,
                "reckon: no plan leaves the headroom of the memory: this is the best that fits\n");
    return status;
}

/* ---- what launchers run ---- */

bool clusters_layered_plan(const struct clusters_input *a, struct rk_plan *layered)
{
    const struct clusters_plan *plan = &a->answer->best;
    struct given_plan *given = malloc(sizeof *given);
    struct plan_stages stages;
    bool good = given && !clusters_mixed(a->given);
    if (good && clusters_plain_plan(a, layered)) goto out;
    if (good) {
        *given = a->given ? *a->given : (struct given_plan){.stages = 0};
        if (!a->given) given_of(&a->question, plan, given);
        layered->microbatch = plan->stage[0].microbatch;
        plan_stages_begin(&stages, layered);
    }
    for (int i = 0; good && i < plan->stages * plan->chunks; i++) {
        const struct clusters_stage *s = &plan->stage[i % plan->stages];
        struct rk_local own = given->stage[i % plan->stages].part[0].plan.local;
        own.microbatch = s->microbatch;
        good = s->gpus == plan->stage[0].gpus &&
               plan_stages_run(&stages, plan->chunk[i].layers, &own) &&
               plan_stages_end_stage(&stages);
    }
    good = good && plan_stages_end(&stages);
out:
    free(given);
    return good;
}

/* ---- stages of different numbers of GPUs ---- */

struct rk_plan clusters_plan_like(const struct clusters_input *input,
                                  const struct given_plan *given, int stage, int part)
{
    const struct given_part *p = &given->stage[stage].part[part];
    struct rk_plan plan = p->plan;
    plan.pipeline = (uint64_t)given->stages;
    plan.chunks = (uint64_t)given->chunks;
    plan_set_split(&plan, given->split, given->stages * given->chunks);
    plan.schedule = input->question.words.schedule;
    plan.microbatch = p->most ? p->most : 1;
    plan.ranks = plan.tensor * plan.context * p->data * plan.pipeline;
    plan.batch = input->question.words.batch / given->round * p->data * plan.microbatch;
    return plan;
}

/* A machine as large as programs ask, with what replicas on so many GPUs have of it. */
static const struct rk_system *machine_of(struct clusters_input *input, int cluster,
                                          const struct rk_plan *plan, uint64_t gpus,
                                          struct stage_machine *own)
{
    struct rk_system *system = &input->machine.cluster[cluster].system;
    struct rk_network *last = &system->network[system->networks - 1];
    if (last->size < plan->ranks) last->size = plan->ranks;
    system->devices = 0; /* as if all stages were there */
    return clusters_machine(&input->machine, cluster, gpus, own);
}

/* Of a part's replicas the first have one sample more, where shares are not even. */
static void add_kinds(struct clusters_input *input, const struct given_plan *given, int i,
                      struct rk_program_stage *stage, struct rk_program_kind *kind,
                      struct stage_machine *own)
{
    const struct given_stage *from = &given->stage[i];
    const uint64_t rounds = input->question.words.batch / given->round;
    uint64_t replicas = 0;
    for (int k = 0; k < from->parts; k++)
        replicas += from->part[k].data;
    for (int k = 0; k < from->parts; k++) {
        const struct given_part *part = &from->part[k];
        const uint64_t more = part->samples - part->least * part->data;
        const uint64_t samples[2] = {part->least + 1, part->least};
        const uint64_t count[2] = {more, part->data - more};
        for (int h = 0; h < 2; h++) {
            if (!count[h]) continue;
            struct rk_plan plan = clusters_plan_like(input, given, i, k);
            plan.microbatch = samples[h];
            plan.ranks = plan.tensor * plan.context * replicas * plan.pipeline;
            plan.batch = rounds * replicas * samples[h];
            const struct rk_system *system =
                machine_of(input, part->cluster, &plan, plan.tensor * plan.context * part->data,
                           &own[stage->kinds]);
            kind[stage->kinds++] = (struct rk_program_kind){system, plan, count[h]};
        }
    }
    stage->kind = kind;
    stage->plan = kind[0].plan;
    stage->system = kind[0].system;
}

enum rk_status clusters_stage_plans(struct clusters_input *input, struct rk_program_stage **stages,
                                    struct rk_error *error)
{
    enum { KINDS = 2 * GIVEN_PARTS };
    const struct clusters_plan *best = &input->answer->best;
    const size_t count = (size_t)best->stages;
    struct given_plan *given = calloc(1, sizeof *given);
    struct rk_program_stage *stage =
        calloc(count, sizeof *stage +
                          KINDS * (sizeof(struct rk_program_kind) + sizeof(struct stage_machine)));
    struct rk_program_kind *kinds = stage ? (struct rk_program_kind *)(stage + count) : NULL;
    struct stage_machine *machines = stage ? (struct stage_machine *)(kinds + count * KINDS) : NULL;
    *stages = stage;
    for (int i = 0; given && stage && i < best->stages; i++) {
        if (i == 0 && input->given) *given = *input->given;
        if (i == 0 && !input->given) given_of(&input->question, best, given);
        if (given->stage[i].parts > 1) {
            add_kinds(input, given, i, &stage[i], kinds + (size_t)i * KINDS,
                      machines + (size_t)i * KINDS);
            continue;
        }
        given->stage[i].part[0].most = best->stage[i].microbatch;
        stage[i].plan = clusters_plan_like(input, given, i, 0);
        stage[i].system = machine_of(input, best->stage[i].cluster, &stage[i].plan,
                                     best->stage[i].gpus, machines + (size_t)i * KINDS);
    }
    const bool good = given && stage;
    free(given);
    return good ? RK_OK : no_memory(error);
}
