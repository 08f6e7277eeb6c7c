/* Programs of stages that have different numbers of ranks, or replicas of several kinds: what is
 * sent is received, groups partition the ranks, all come to the end, and of a tied table that both
 * ends cut each their own way every rank ends up with the sum over all. Seeds: drawn.h.
 */
#include "drawn.h"
#include "program/uneven.h"
#include "program_replay.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <reckon/catalog.h>
#include <reckon/check.h>
#include <reckon/machine.h>
#include <stdio.h>
#include <stdlib.h>

enum { STAGES = 4, RANKS = 64, CASES = 90, KINDS = 4, ROUND = 12 };

static uint32_t below(uint32_t *state, uint32_t most)
{
    *state = *state * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)*state * most) >> 32);
}

struct sample {
    struct rk_model model;
    struct rk_system system, other;
    struct uneven_stage stage[STAGES];
    struct uneven_kind kind[STAGES][KINDS];
    uint64_t stages, ranks, first[STAGES + 1];
    char name[STAGES * 48 + 32];
};

/* Replicas of several kinds, whose shares add up to a round. */
static void draw_kinds(struct sample *s, uint64_t i, uint32_t *state)
{
    static const struct {
        int kinds;
        uint64_t replicas[KINDS], samples[KINDS];
    } shares[] = {{2, {1, 1}, {8, 4}},
                  {2, {1, 2}, {6, 3}},
                  {3, {1, 1, 2}, {5, 3, 2}},
                  {4, {1, 2, 1, 1}, {5, 2, 2, 1}}};
    const int n = (int)below(state, 4);
    struct uneven_stage *stage = &s->stage[i];
    const uint64_t each = stage->plan.tensor * stage->plan.context * s->stages;
    uint64_t replicas = 0;
    for (int k = 0; k < shares[n].kinds; k++)
        replicas += shares[n].replicas[k];
    if (each * replicas > RANKS) return;
    stage->plan.shard_ranks = replicas % 2 ? 0 : replicas / 2;
    for (int k = 0; k < shares[n].kinds; k++) {
        struct uneven_kind *kind = &s->kind[i][k];
        *kind = (struct uneven_kind){k % 2 ? &s->other : &s->system, stage->plan,
                                     shares[n].replicas[k]};
        kind->plan.microbatch = shares[n].samples[k];
        kind->plan.ranks = each * replicas;
        kind->plan.batch = s->stages * replicas * kind->plan.microbatch;
        kind->plan.recompute = k % 2 ? RK_WHOLE : RK_KEEP;
    }
    stage->kinds = shares[n].kinds;
    stage->kind = s->kind[i];
    stage->plan = s->kind[i][0].plan;
}

/* Degrees of which tensor divides 12 heads and the replicas a round of 12 samples. */
static void draw(struct sample *s, uint32_t seed)
{
    static const uint64_t tensors[] = {1, 2, 3, 4}, replicas[] = {1, 2, 3, 4, 6};
    static const uint64_t multiples[] = {0, 1, 3, 8};
    static const enum rk_schedule schedules[] = {RK_1F1B, RK_GPIPE, RK_ZERO_BUBBLE};
    uint32_t state = seed;
    struct rk_plan all = rk_plan_default();
    s->stages = 2 + below(&state, STAGES - 1);
    all.pipeline = s->stages;
    all.schedule = schedules[below(&state, 3)];
    all.chunks = all.schedule == RK_1F1B ? 1 + below(&state, 2) : 1;
    all.batch = ROUND * s->stages;
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
        plan->microbatch = ROUND / data;
        plan->vocabulary_multiple = multiples[below(&state, 4)];
        if (plan->zero && data % 2 == 0 && below(&state, 3) == 0) plan->shard_ranks = data / 2;
        s->stage[i].system = &s->system;
        s->stage[i].kinds = 0;
        if (below(&state, 3) == 0) draw_kinds(s, i, &state);
        data = plan->ranks / plan->tensor / plan->context / s->stages;
        s->first[i + 1] = s->first[i] + plan->ranks / s->stages;
        used += snprintf(s->name + used, sizeof s->name - (size_t)used, " tp%dcp%ddp%d%s/zero%d%s",
                         (int)plan->tensor, (int)plan->context, (int)data,
                         plan->sequence_parallel ? "sp" : "", plan->zero,
                         s->stage[i].kinds ? "mixed" : "");
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

static const char *task_of(const struct rk_program *program, const struct rk_instruction *in)
{
    return in->task == RK_NONE ? "" : program->task[in->task].name;
}

static bool is_of_table(const struct rk_program *program, const struct rk_instruction *in)
{
    return strcmp(task_of(program, in), "send tied") == 0 ||
           strcmp(task_of(program, in), "receive tied") == 0;
}

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
            if (is_of_table(&program[rank], in)) continue;
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
        const uint64_t one = ROUND * s->stages * s->model.sequence * s->model.hidden;
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
            bytes += (in->element == RK_IN_FP32 ? 4.0 : 2.0) * (double)in->count;
    }
    cr_assert_float_eq(sums.message_bytes, bytes, 1e-9 * bytes, "%s: rank %d: %g for %g", s->name,
                       (int)rank, sums.message_bytes, bytes);
}

/* ---- a tied table ---- */

/* Where a rank is in its group of that name, which has so many ranks; the first of one: it has
 * none. */
static uint64_t position_in(const struct rk_program *program, const char *name, uint64_t *ranks)
{
    *ranks = 1;
    for (size_t g = 0; g < program->groups; g++)
        for (uint32_t i = 0;
             strcmp(program->group[g].name, name) == 0 && i < program->group[g].ranks; i++)
            if (program->group[g].rank[i] == program->rank) {
                *ranks = program->group[g].ranks;
                return i;
            }
    return 0;
}

/* Gradients of a table's elements on one rank, once data ranks have summed them. */
struct table {
    bool *has;   /* (elements) */
    double *sum; /* (elements) */
};

/* What replica `q` of an end has found for an element: some whole number. */
static double found(int end, uint64_t q, uint64_t element)
{
    return (double)((element * 2654435761u + q * 40503u + (uint64_t)end * 97) % 1021);
}

static uint64_t table_rows(const struct sample *s, const struct rk_plan *plan)
{
    const uint64_t cut = plan->tensor * (plan->vocabulary_multiple ? plan->vocabulary_multiple : 1);
    return (s->model.vocabulary + cut - 1) / cut * cut;
}

static uint64_t replicas_of(const struct sample *s, const struct rk_plan *plan)
{
    return plan->ranks / s->stages / plan->tensor;
}

static struct table table_of(const struct sample *s, const struct rk_program *program, int end,
                             uint64_t elements)
{
    const struct rk_plan *plan = &s->stage[stage_of(s, program->rank)].plan;
    const uint64_t all = table_rows(s, plan) * s->model.hidden;
    uint64_t tensors, shards;
    const uint64_t tensor = position_in(program, "tensor", &tensors);
    const uint64_t shard = position_in(program, "shards", &shards), part = all / plan->tensor;
    struct table table = {calloc(elements, sizeof *table.has), calloc(elements, sizeof *table.sum)};
    cr_assert_eq(tensors, plan->tensor, "%s", s->name);
    for (uint64_t x = 0; x < part; x++) {
        if (x < shard * part / shards || x >= (shard + 1) * part / shards) continue;
        table.has[tensor * part + x] = true;
        for (uint64_t q = 0; q < replicas_of(s, plan); q++)
            table.sum[tensor * part + x] += found(end, q, tensor * part + x);
    }
    return table;
}

/* A message has all that both ranks have, in the order of the table. Rank `to` adds what `from` had
 * before. */
static void add_message(const struct sample *s, const struct table *from,
                        const struct table *before, struct table *to, uint64_t elements,
                        uint64_t count)
{
    uint64_t common = 0;
    for (uint64_t x = 0; x < elements; x++) {
        if (!from->has[x] || !to->has[x]) continue;
        common++;
        to->sum[x] += before->sum[x];
    }
    cr_assert_eq(common, count, "%s: %" PRIu64 " elements in common, %" PRIu64 " sent", s->name,
                 common, count);
}

/* Behind the exchange each rank has of each of its elements what all replicas of both ends found;
 * rows that pad the table of one end alone have its own. */
static void check_table(const struct sample *s, const struct rk_program *program)
{
    static struct table before[RANKS], after[RANKS];
    const uint64_t ends[2] = {0, s->stages - 1};
    const struct rk_plan *plan[2] = {&s->stage[0].plan, &s->stage[s->stages - 1].plan};
    const uint64_t rows[2] = {table_rows(s, plan[0]), table_rows(s, plan[1])};
    const uint64_t elements = (rows[0] > rows[1] ? rows[0] : rows[1]) * s->model.hidden;
    uint64_t exchanged = 0, summed = 0;
    for (int end = 0; end < 2; end++)
        for (uint64_t r = s->first[ends[end]]; r < s->first[ends[end] + 1]; r++) {
            before[r] = table_of(s, &program[r], end, elements);
            after[r] = table_of(s, &program[r], end, elements);
        }
    for (int end = 0; end < 2; end++)
        for (uint64_t r = s->first[ends[end]]; r < s->first[ends[end] + 1]; r++) {
            bool reduced = replicas_of(s, plan[end]) == 1, added = false;
            for (size_t i = 0; i < program[r].instructions; i++) {
                const struct rk_instruction *in = &program[r].instruction[i];
                const char *task = task_of(&program[r], in);
                const bool table = in->layer == (end ? (int32_t)s->model.layers : -1);
                summed += strcmp(task, "sum tied") == 0;
                if (table) reduced |= strncmp(task, "reduce ", 7) == 0;
                if (!is_of_table(&program[r], in)) {
                    added |= strcmp(task, "add tied") == 0;
                    continue;
                }
                cr_assert(reduced && !added, "%s: rank %d", s->name, (int)r);
                if (in->what != RK_DO_RECV) continue;
                exchanged++;
                add_message(s, &after[in->other], &before[in->other], &after[r], elements,
                            in->count);
            }
        }
    cr_assert(!exchanged || !summed, "%s", s->name);
    for (int end = 0; end < 2; end++)
        for (uint64_t r = s->first[ends[end]]; r < s->first[ends[end] + 1]; r++) {
            for (uint64_t x = 0; exchanged && x < elements; x++) {
                double all = 0;
                if (!after[r].has[x]) continue;
                for (int e = 0; e < 2; e++)
                    for (uint64_t q = 0;
                         x < rows[e] * s->model.hidden && q < replicas_of(s, plan[e]); q++)
                        all += found(e, q, x);
                cr_assert_eq(after[r].sum[x], all, "%s: rank %d, element %d", s->name, (int)r,
                             (int)x);
            }
            free(before[r].has), free(before[r].sum);
            free(after[r].has), free(after[r].sum);
        }
    cr_assert(exchanged || summed, "%s: a tied table is not summed", s->name);
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
                if (strcmp(group->name, "tied") == 0) continue; /* both ends */
                cr_assert_eq(stage_of(s, group->rank[i]), stage_of(s, rank), "%s: %s", s->name,
                             group->name);
                while (k < member->groups && strcmp(member->group[k].name, group->name) != 0)
                    k++;
                cr_assert(k < member->groups && member->group[k].ranks == group->ranks &&
                              memcmp(member->group[k].rank, group->rank,
                                     group->ranks * sizeof *group->rank) == 0,
                          "%s: group %s of rank %d", s->name, group->name, (int)rank);
            }
            if (strcmp(group->name, "tied") == 0) continue;
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
    const size_t count = program_classes_uneven(&s->model, s->stage, classes, RANKS);
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
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &s->other, &error), RK_OK);
    s->model.tied_embeddings = false;
    s->model.vocabulary = 61;
    s->system.devices = s->other.devices = 0;
}

static void end(struct sample *s)
{
    rk_system_release(&s->system);
    rk_system_release(&s->other);
}

Test(program_uneven, stages_fit_together)
{
    static struct sample s;
    static struct rk_program program[RANKS];
    const struct drawn cases = drawn_cases(CASES, 20 * CASES);
    struct rk_error error;
    begin(&s);
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        draw(&s, (uint32_t)seed * 7919);
        s.model.tied_embeddings = seed % 2;
        for (uint64_t rank = 0; rank < s.ranks; rank++) {
            cr_assert_eq(program_of_uneven(&program[rank], &s.model, s.stage, rank, &error), RK_OK,
                         "%s: %s", s.name, error.text);
            cr_assert_eq(program[rank].rank, rank);
            cr_assert_eq(program[rank].ranks, s.ranks);
            cr_assert_eq(program[rank].stage, stage_of(&s, rank));
            cr_assert_eq(rk_program_check(&program[rank], &error), RK_OK, "%s: %s", s.name,
                         error.text);
            check_sums(&s, &program[rank], rank);
        }
        check_messages(&s, program);
        if (s.model.tied_embeddings) check_table(&s, program);
        check_groups(&s, program);
        check_logs(&s, program);
        check_classes(&s, program);
        const char *wrong = replay_run(program, (uint32_t)s.ranks);
        cr_assert(!wrong, "%s: %s", s.name, wrong);
        for (uint64_t rank = 0; rank < s.ranks; rank++)
            rk_program_release(&program[rank]);
    }
    end(&s);
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
            s.stage[i] = (struct uneven_stage){.system = &s.system, .plan = plan};
        for (uint64_t rank = 0; rank < plan.ranks; rank++) {
            struct rk_program one, other;
            size_t differences = 1;
            cr_assert_eq(rk_program_of(&one, &s.model, &s.system, &plan, rank, &error), RK_OK);
            cr_assert_eq(program_of_uneven(&other, &s.model, s.stage, rank, &error), RK_OK, "%s",
                         error.text);
            cr_assert_eq(rk_program_diff(&one, &other, stdout, 5, &differences, &error), RK_OK);
            rk_program_release(&one);
            rk_program_release(&other);
            cr_expect_eq(differences, 0, "kind %d rank %d", kind, (int)rank);
        }
    }
    end(&s);
}

/* A plan over clusters is lowered as its stages are that somebody makes by hand. */
Test(program_uneven, over_clusters_as_stages_made_by_hand)
{
    static struct sample s;
    struct rk_system machine;
    struct rk_plan plan;
    struct rk_error error;
    begin(&s);
    s.model.layers = 12;
    cr_assert_eq(rk_system_load_several("a100-sxm4-80g x8 + h100-sxm5-80g x8 link=100Gb/s@50us",
                                        &machine, &error),
                 RK_OK);
    cr_assert_eq(rk_plan_parse("tp2 pp2 gbs16 stages=8:8/dp4,4@1/dp2/tp4", &plan, &error), RK_OK,
                 "%s", error.text);
    const char *const by_hand[] = {"tp2 pp2 gpus16 mbs2 gbs16 split=8,4",
                                   "tp4 pp2 gpus16 mbs4 gbs16 split=8,4"};
    for (int i = 0; i < 2; i++) {
        s.stage[i] = (struct uneven_stage){.system = i ? &s.other : &s.system};
        cr_assert_eq(rk_plan_parse(by_hand[i], &s.stage[i].plan, &error), RK_OK);
    }
    cr_assert_eq(plan.ranks, 16);
    for (uint64_t rank = 0; rank < plan.ranks; rank++) {
        struct rk_program one, other;
        size_t differences = 1;
        cr_assert_eq(rk_program_of(&one, &s.model, &machine, &plan, rank, &error), RK_OK, "%s",
                     error.text);
        cr_assert_eq(program_of_uneven(&other, &s.model, s.stage, rank, &error), RK_OK);
        cr_assert_eq(rk_program_diff(&one, &other, stdout, 5, &differences, &error), RK_OK);
        rk_program_release(&one);
        rk_program_release(&other);
        cr_expect_eq(differences, 0, "rank %d", (int)rank);
    }
    struct rk_program_class of_plan[RANKS], of_stages[RANKS];
    const size_t count = rk_program_classes(&s.model, &machine, &plan, of_plan, RANKS);
    cr_expect_eq(count, program_classes_uneven(&s.model, s.stage, of_stages, RANKS));
    cr_expect_arr_eq(of_plan, of_stages, count * sizeof *of_plan);
    rk_system_release(&machine);
    end(&s);
}

static void expect_refused(const struct sample *s, const char *why)
{
    struct rk_program program;
    struct rk_error error;
    cr_assert_eq(program_of_uneven(&program, &s->model, s->stage, 0, &error), RK_UNSUPPORTED);
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
    last->gradient_element_bytes = 2;
    expect_refused(&with, "share weights");
    with = s;
    with.stage[0].kinds = 2;
    with.stage[0].kind = with.kind[0];
    for (int k = 0; k < 2; k++)
        with.kind[0][k] = (struct uneven_kind){&s.system, s.stage[0].plan, 0};
    with.kind[0][0].replicas = rk_plan_data(&s.stage[0].plan);
    with.kind[0][1].plan.tensor *= 2;
    expect_refused(&with, "different tensor or context degrees");
    with.kind[0][1].plan = s.stage[0].plan;
    with.kind[0][1].plan.zero = 3 - s.stage[0].plan.zero;
    expect_refused(&with, "ZeRO");
    with.kind[0][1].plan = s.stage[0].plan;
    with.kind[0][1].plan.microbatch = 0;
    expect_refused(&with, "too slow");
    with.kind[0][1].plan = s.stage[0].plan;
    with.kind[0][1].plan.batch *= 2;
    expect_refused(&with, "batch are those of all");
    with.kind[0][1].plan.batch *= 2;
    with.kind[0][1].plan.ranks *= 2;
    expect_refused(&with, "different numbers of ranks");
    with = s;
    struct rk_program program;
    struct rk_error error;
    cr_expect_eq(program_of_uneven(&program, &with.model, with.stage, with.ranks, &error),
                 RK_BAD_ARGUMENT);
    end(&s);
}
