/* Programs of stages that have different numbers of ranks: what is sent is received, groups
 * partition the ranks, all come to the end. RECKON_SEED=N starts there. */
#include "program_replay.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <reckon/catalog.h>
#include <reckon/check.h>
#include <stdio.h>
#include <stdlib.h>

enum { STAGES = 4, RANKS = 64, CASES = 60 };

static uint32_t below(uint32_t *state, uint32_t most)
{
    *state = *state * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)*state * most) >> 32);
}

struct sample {
    struct rk_model model;
    struct rk_system system;
    struct rk_program_stage stage[STAGES];
    uint64_t stages, ranks, first[STAGES + 1];
    char name[STAGES * 48 + 32];
};

/* Degrees of which tensor divides 12 heads and the replicas a round of 12 samples. */
static void draw(struct sample *s, uint32_t seed)
{
    static const uint64_t tensors[] = {1, 2, 3, 4}, replicas[] = {1, 2, 3, 4, 6};
    static const enum rk_schedule schedules[] = {RK_1F1B, RK_GPIPE, RK_ZERO_BUBBLE};
    uint32_t state = seed;
    struct rk_plan all = rk_plan_default();
    s->stages = 2 + below(&state, STAGES - 1);
    all.pipeline = s->stages;
    all.schedule = schedules[below(&state, 3)];
    all.chunks = all.schedule == RK_1F1B ? 1 + below(&state, 2) : 1;
    all.batch = 12 * s->stages;
    s->model.layers = all.chunks * s->stages;
    s->model.sequence = 768;
    int used = snprintf(s->name, sizeof s->name, "seed %u, vpp%d:", seed, (int)all.chunks);
    s->first[0] = 0;
    for (uint64_t i = 0; i < s->stages; i++) {
        struct rk_plan *plan = &s->stage[i].plan;
        *plan = all;
        plan->tensor = tensors[below(&state, 4)];
        plan->context = plan->tensor < 3 && below(&state, 3) == 0 ? 2 : 1;
        plan->sequence_parallel = plan->tensor > 1 && below(&state, 2);
        plan->messages_sharded = plan->tensor > 1 && below(&state, 2);
        plan->recompute = below(&state, 3) ? RK_KEEP : RK_WHOLE;
        plan->zero = (int)below(&state, 4);
        uint64_t data = replicas[below(&state, 5)];
        if (plan->tensor * plan->context * data * s->stages > RANKS) data = 1;
        plan->ranks = plan->tensor * plan->context * data * s->stages;
        plan->microbatch = 12 / data;
        s->stage[i].system = &s->system;
        s->first[i + 1] = s->first[i] + plan->ranks / s->stages;
        used += snprintf(s->name + used, sizeof s->name - (size_t)used, " tp%dcp%ddp%d%s/zero%d",
                         (int)plan->tensor, (int)plan->context, (int)data,
                         plan->sequence_parallel ? "sp" : "", plan->zero);
    }
    s->ranks = s->first[s->stages];
}

static uint64_t stage_of(const struct sample *s, uint64_t rank)
{
    uint64_t stage = 0;
    while (rank >= s->first[stage + 1])
        stage++;
    return stage;
}

/* ---- messages ---- */

/* Elements between each pair of stages, as told by the ones and by the others. A stage receives all
 * activations of the batch for each part of the model, once for each tensor rank where those have
 * the whole. */
static void check_messages(const struct sample *s, const struct rk_program *program)
{
    uint64_t sent[STAGES][STAGES] = {{0}}, received[STAGES][STAGES] = {{0}};
    for (uint64_t rank = 0; rank < s->ranks; rank++)
        for (size_t i = 0; i < program[rank].instructions; i++) {
            const struct rk_instruction *in = &program[rank].instruction[i];
            const uint64_t own = stage_of(s, rank);
            if (in->what != RK_DO_SEND && in->what != RK_DO_RECV) continue;
            cr_assert_lt(in->other, s->ranks, "%s", s->name);
            const uint64_t other = stage_of(s, in->other);
            if (own == other) continue; /* a ring */
            if (in->what == RK_DO_SEND)
                sent[own][other] += in->count;
            else
                received[other][own] += in->count;
        }
    for (uint64_t i = 0; i < s->stages; i++) {
        const struct rk_plan *plan = &s->stage[i].plan;
        const uint64_t parts = plan->chunks, copies = plan->sequence_parallel ? 1 : plan->tensor;
        const uint64_t ends = (i == 0) + (i + 1 == s->stages);
        const uint64_t one = plan->batch * s->model.sequence * s->model.hidden;
        uint64_t all = 0;
        for (uint64_t k = 0; k < s->stages; k++) {
            cr_assert_eq(sent[k][i], received[k][i], "%s: %d to %d: %" PRIu64 " and %" PRIu64,
                         s->name, (int)k, (int)i, sent[k][i], received[k][i]);
            all += received[k][i];
        }
        cr_assert_eq(all, (2 * parts - ends) * copies * one, "%s: stage %d", s->name, (int)i);
    }
}

/* What tables say of bytes is what instructions send. */
static void check_sums(const struct sample *s, const struct rk_program *program, uint64_t rank)
{
    struct rk_program_sums sums;
    const uint64_t own = stage_of(s, rank);
    double bytes = 0;
    rk_program_sum(program, &sums);
    for (size_t i = 0; i < program->instructions; i++) {
        const struct rk_instruction *in = &program->instruction[i];
        if (in->what == RK_DO_SEND && stage_of(s, in->other) != own)
            bytes += 2.0 * (double)in->count;
    }
    cr_assert_float_eq(sums.message_bytes, bytes, 1e-9 * bytes, "%s: rank %d: %g for %g", s->name,
                       (int)rank, sums.message_bytes, bytes);
}

/* ---- groups ---- */

/* Groups of one name divide a stage: each lists its own rank once, and all of one are told alike.
 */
static void check_groups(const struct sample *s, const struct rk_program *program)
{
    for (uint64_t rank = 0; rank < s->ranks; rank++)
        for (size_t g = 0; g < program[rank].groups; g++) {
            const struct rk_group *group = &program[rank].group[g];
            int own = 0;
            for (uint32_t i = 0; i < group->ranks; i++) {
                const struct rk_program *member = &program[group->rank[i]];
                size_t k = 0;
                own += group->rank[i] == rank;
                cr_assert_lt(group->rank[i], s->ranks);
                cr_assert_eq(stage_of(s, group->rank[i]), stage_of(s, rank), "%s: %s", s->name,
                             group->name);
                while (k < member->groups && strcmp(member->group[k].name, group->name) != 0)
                    k++;
                cr_assert(k < member->groups && member->group[k].ranks == group->ranks &&
                              memcmp(member->group[k].rank, group->rank,
                                     group->ranks * sizeof *group->rank) == 0,
                          "%s: group %s of rank %d", s->name, group->name, (int)rank);
            }
            cr_assert_eq(own, 1, "%s: group %s of rank %d", s->name, group->name, (int)rank);
        }
}

/* ---- all ranks together ---- */

static void check_logs(const struct sample *s, const struct rk_program *program)
{
    static struct rk_findings findings;
    struct rk_logs *logs;
    struct rk_error error;
    findings = (struct rk_findings){.count = 0};
    cr_assert_eq(rk_logs_new((uint32_t)s->ranks, &logs, &error), RK_OK);
    for (uint64_t i = 0; i < s->ranks; i++)
        cr_assert_eq(rk_logs_add_program(logs, &program[i], &error), RK_OK);
    cr_assert_eq(rk_logs_check(logs, NULL, &findings, &error), RK_OK);
    rk_logs_release(logs);
    cr_assert_eq(rk_findings_errors(&findings), 0, "%s: %s, rank %d line %d: %s", s->name,
                 findings.finding[0].rule, findings.finding[0].rank, findings.finding[0].line,
                 findings.finding[0].need);
}

/* Ranks of a class do the same; together the classes are all ranks. */
static void check_classes(const struct sample *s, const struct rk_program *program)
{
    static struct rk_program_class classes[RANKS];
    const size_t count = rk_program_classes_uneven(&s->model, s->stage, classes, RANKS);
    uint64_t ranks = 0, instructions = 0, all = 0;
    cr_assert(count >= s->stages && count <= RANKS, "%s", s->name);
    for (size_t i = 0; i < count; i++) {
        ranks += classes[i].ranks;
        instructions += classes[i].ranks * program[classes[i].first].instructions;
    }
    for (uint64_t i = 0; i < s->ranks; i++)
        all += program[i].instructions;
    cr_assert_eq(ranks, s->ranks, "%s", s->name);
    cr_assert_eq(instructions, all, "%s", s->name);
}

static void begin(struct sample *s)
{
    struct rk_error error;
    cr_assert_eq(rk_model_load("gpt2-124m", &s->model, &error), RK_OK);
    cr_assert_eq(rk_system_load("a100-sxm4-80g", &s->system, &error), RK_OK);
    s->model.tied_embeddings = false;
    s->system.devices = 0;
}

Test(program_uneven, stages_fit_together)
{
    static struct sample s;
    static struct rk_program program[RANKS];
    const char *given = getenv("RECKON_SEED");
    const uint32_t first = given ? (uint32_t)strtoul(given, NULL, 10) : 1;
    struct rk_error error;
    begin(&s);
    for (uint32_t seed = first; seed < first + CASES; seed++) {
        draw(&s, seed * 7919);
        for (uint64_t rank = 0; rank < s.ranks; rank++) {
            cr_assert_eq(rk_program_of_uneven(&program[rank], &s.model, s.stage, rank, &error),
                         RK_OK, "%s: %s", s.name, error.text);
            cr_assert_eq(program[rank].rank, rank);
            cr_assert_eq(program[rank].ranks, s.ranks);
            cr_assert_eq(program[rank].stage, stage_of(&s, rank));
            cr_assert_eq(rk_program_check(&program[rank], &error), RK_OK, "%s: %s", s.name,
                         error.text);
            check_sums(&s, &program[rank], rank);
        }
        check_messages(&s, program);
        check_groups(&s, program);
        check_logs(&s, program);
        check_classes(&s, program);
        const char *wrong = replay_run(program, (uint32_t)s.ranks);
        cr_assert(!wrong, "%s: %s", s.name, wrong);
        for (uint64_t rank = 0; rank < s.ranks; rank++)
            rk_program_release(&program[rank]);
    }
    rk_system_release(&s.system);
}

/* Stages with as many ranks each are lowered as a plan is, tied embeddings, too. */
Test(program_uneven, alike_is_the_plan)
{
    static struct sample s;
    struct rk_error error;
    begin(&s);
    s.model.tied_embeddings = true;
    s.model.layers = 6;
    for (int kind = 0; kind < 4; kind++) {
        struct rk_plan plan = rk_plan_default();
        plan.pipeline = 3;
        plan.tensor = 2;
        plan.context = kind & 2 ? 2 : 1;
        plan.ranks = 24;
        plan.sequence_parallel = kind & 1;
        plan.batch = 16;
        plan.zero = kind;
        for (int i = 0; i < 3; i++)
            s.stage[i] = (struct rk_program_stage){&s.system, plan};
        for (uint64_t rank = 0; rank < plan.ranks; rank++) {
            struct rk_program one, other;
            size_t differences = 1;
            cr_assert_eq(rk_program_of(&one, &s.model, &s.system, &plan, rank, &error), RK_OK);
            cr_assert_eq(rk_program_of_uneven(&other, &s.model, s.stage, rank, &error), RK_OK, "%s",
                         error.text);
            cr_assert_eq(rk_program_diff(&one, &other, stdout, 5, &differences, &error), RK_OK);
            rk_program_release(&one);
            rk_program_release(&other);
            cr_expect_eq(differences, 0, "kind %d rank %d", kind, (int)rank);
        }
    }
    rk_system_release(&s.system);
}

static void expect_refused(const struct sample *s, const char *why)
{
    struct rk_program program;
    struct rk_error error;
    cr_assert_eq(rk_program_of_uneven(&program, &s->model, s->stage, 0, &error), RK_NOTHING_FITS);
    cr_expect(strstr(error.text, why), "%s", error.text);
    rk_program_release(&program);
}

Test(program_uneven, what_does_not_fit_together_is_refused)
{
    static struct sample s, with;
    begin(&s);
    draw(&s, 7919);
    struct rk_plan *last = &with.stage[s.stages - 1].plan;
    with = s;
    last->microbatch *= 2;
    expect_refused(&with, "samples of a microbatch");
    with = s;
    last->batch *= 2;
    expect_refused(&with, "batch are those of all");
    with = s;
    last->precision = RK_FP32;
    expect_refused(&with, "precision");
    with = s;
    last->order = RK_ORDER_TP_CP_PP_DP;
    expect_refused(&with, "order=tp-cp-dp-pp");
    with = s;
    with.model.tied_embeddings = true;
    last->tensor *= 2;
    last->ranks *= 2;
    expect_refused(&with, "share weights");
    with = s;
    struct rk_program program;
    struct rk_error error;
    cr_expect_eq(rk_program_of_uneven(&program, &with.model, with.stage, with.ranks, &error),
                 RK_USAGE);
    rk_system_release(&s.system);
}
