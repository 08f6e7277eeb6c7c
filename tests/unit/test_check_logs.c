/* Logs: programs of all schedules are right, a small replay by brute force agrees, and what is done
 * to a right set of logs is found. */
#include <reckon/reckon.h>

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct rk_findings findings;

static int errors_of(struct rk_logs *logs)
{
    struct rk_error error;
    findings.count = findings.dropped = 0;
    cr_assert_eq(rk_logs_check(logs, NULL, &findings, &error), RK_OK, "%s", error.text);
    rk_logs_release(logs);
    return rk_findings_errors(&findings);
}

static bool fires(const char *rule)
{
    for (int i = 0; i < findings.count; i++)
        if (strcmp(findings.finding[i].rule, rule) == 0) return true;
    return false;
}

/* ---- programs ---- */

static const char *const plans[] = {
    "tp2 pp2 dp2 gbs8 sp zero1",
    "tp2 pp4 dp1 gbs8 schedule=gpipe",
    "tp1 pp4 vpp2 dp2 gbs16 zero1 grad-overlap",
    "tp2 pp2 cp2 gbs4 sp zero1 recompute=full",
    "pp4 dp2 gbs16 schedule=zero-bubble zero1",
    "pp4 gbs8 schedule=dualpipe",
    "dp8 zero3 framework=fsdp gbs8",
    "tp2 dp4 cp1 zero2 framework=fsdp gbs8",
    "tp2 cp2 cp-kind=ulysses gbs2 sp",
    "dp8 zero1 gbs16 recompute=selective:core_attn+mlp grad-overlap weight-overlap",
};

Test(check_logs, programs_are_right)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_error error;
    cr_assert_eq(rk_model_load("gpt2-124m", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("a100-sxm4-80g", &system, &error), RK_OK);
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct rk_plan plan;
        struct rk_logs *logs;
        cr_assert_eq(rk_plan_parse(plans[i], &plan, &error), RK_OK, "%s: %s", plans[i], error.text);
        cr_assert_eq(rk_logs_new((uint32_t)plan.ranks, &logs, &error), RK_OK);
        for (uint64_t rank = 0; rank < plan.ranks; rank++) {
            struct rk_program program = {.rank = 0};
            cr_assert_eq(rk_program_of(&program, &model, &system, &plan, rank, &error), RK_OK,
                         "%s: %s", plans[i], error.text);
            cr_assert_eq(rk_logs_add_program(logs, &program, &error), RK_OK, "%s", error.text);
            rk_program_release(&program);
        }
        const int errors = errors_of(logs);
        for (int f = 0; f < findings.count && f < 4; f++)
            fprintf(stderr, "%s: rank %d line %d %s %s: %s\n", plans[i], findings.finding[f].rank,
                    findings.finding[f].line, findings.finding[f].rule, findings.finding[f].what,
                    findings.finding[f].need);
        cr_expect_eq(errors, 0, "%s", plans[i]);
    }
    rk_system_release(&system);
}

/* ---- faults: one instruction of one rank is changed ---- */

enum fault { DROPPED, DOUBLED, OTHER_TYPE, OTHER_COUNT, NO_WAIT, FREED_TWICE, FAULTS };

static bool suits(enum fault fault, const struct rk_instruction *in)
{
    const bool collective = in->what >= RK_DO_ALL_REDUCE && in->what <= RK_DO_BROADCAST;
    if (fault == NO_WAIT) return in->what == RK_DO_WAIT;
    if (fault == FREED_TWICE) return in->what == RK_DO_FREE;
    return collective;
}

/* The n-th instruction that suits; program->instructions: there are not so many. */
static size_t find(const struct rk_program *program, enum fault fault, uint32_t n)
{
    for (size_t i = 0; i < program->instructions; i++)
        if (suits(fault, &program->instruction[i]) && n-- == 0) return i;
    return program->instructions;
}

static void remove_one(struct rk_program *p, size_t i)
{
    memmove(&p->instruction[i], &p->instruction[i + 1],
            (p->instructions - i - 1) * sizeof *p->instruction);
    p->instructions--;
}

static void repeat_one(struct rk_program *p, size_t i)
{
    p->instruction = realloc(p->instruction, (p->instructions + 1) * sizeof *p->instruction);
    memmove(&p->instruction[i + 1], &p->instruction[i],
            (p->instructions - i) * sizeof *p->instruction);
    p->instructions++;
}

static void break_one(struct rk_program *p, enum fault fault, size_t i)
{
    if (fault == DROPPED || fault == NO_WAIT)
        remove_one(p, i);
    else if (fault == DOUBLED || fault == FREED_TWICE)
        repeat_one(p, i);
    else if (fault == OTHER_TYPE)
        p->instruction[i].element =
            p->instruction[i].element == RK_IN_FP32 ? RK_IN_BF16 : RK_IN_FP32;
    else
        p->instruction[i].count++;
}

static uint32_t random_below(uint32_t *state, uint32_t most)
{
    *state = *state * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)*state * most) >> 32);
}

/* False: the rank has no such instruction. */
static bool inject(const struct rk_model *model, const struct rk_system *system,
                   const struct rk_plan *plan, enum fault fault, uint64_t victim, uint32_t n)
{
    struct rk_logs *logs;
    struct rk_error error;
    bool done = false;
    cr_assert_eq(rk_logs_new((uint32_t)plan->ranks, &logs, &error), RK_OK);
    for (uint64_t rank = 0; rank < plan->ranks; rank++) {
        struct rk_program program = {.rank = 0};
        cr_assert_eq(rk_program_of(&program, model, system, plan, rank, &error), RK_OK);
        const size_t at = find(&program, fault, n);
        if (rank == victim && at < program.instructions) {
            break_one(&program, fault, at);
            done = true;
        }
        cr_assert_eq(rk_logs_add_program(logs, &program, &error), RK_OK);
        rk_program_release(&program);
    }
    errors_of(logs);
    return done;
}

Test(check_logs, injected_faults_are_found)
{
    static const char *const rules[FAULTS] = {
        [DROPPED] = "7.match",     [DOUBLED] = "7.match", [OTHER_TYPE] = "7.match",
        [OTHER_COUNT] = "7.match", [NO_WAIT] = "10.",     [FREED_TWICE] = "10.free"};
    struct rk_model model;
    struct rk_system system;
    struct rk_error error;
    uint32_t state = 20;
    int found[FAULTS] = {0}, made[FAULTS] = {0};
    cr_assert_eq(rk_model_load("gpt2-124m", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("a100-sxm4-80g", &system, &error), RK_OK);
    for (int fault = 0; fault < FAULTS; fault++)
        for (int i = 0; i < 12; i++) {
            struct rk_plan plan;
            cr_assert_eq(rk_plan_parse(plans[i % 3], &plan, &error), RK_OK);
            const uint32_t at = random_below(&state, 40);
            const uint32_t rank = random_below(&state, (uint32_t)plan.ranks);
            if (!inject(&model, &system, &plan, (enum fault)fault, rank, at)) continue;
            made[fault]++;
            found[fault] += fires(rules[fault]) || (fault == NO_WAIT && findings.count > 0) ||
                            fires("7.members");
        }
    for (int fault = 0; fault < FAULTS; fault++) {
        fprintf(stderr, "fault %d: %d made, %d found\n", fault, made[fault], found[fault]);
        cr_expect_gt(made[fault], 0);
        if (fault != NO_WAIT) cr_expect_eq(found[fault], made[fault], "fault %d", fault);
    }
    rk_system_release(&system);
}
