/* Faults made in the programs of random plans, and in plans: what finds each, and when.
 *
 * The list is that of docs/program.md. A fault that changes nothing that anybody could see (a wait
 * that others make superfluous, two equal operations swapped) is no fault and is not counted; who
 * decides that is the replay of program_replay.h, which knows nothing of the checker. None may be
 * silent. RECKON_FAULTS=N makes N plans' worth, RECKON_TABLE=1 prints the table.
 */
#include "drawn.h"
#include "layouts.h"
#include "plans_cases.h"
#include "program_replay.h"

#include "megatron/megatron_flags.h"
#include <inttypes.h>
#include <reckon/check.h>
#include <reckon/program.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLANS = 70, MOST_RANKS = 8, TRIES = 3 };

/* ---- the faults ---- */

/* clang-format off */
#define FAULTS_OF_PROGRAMS(X) \
    X(C1_DROPPED,   "C1 a collective dropped") \
    X(C1_DOUBLED,   "C1 a collective doubled") \
    X(C1_SWAPPED,   "C1 two collectives swapped") \
    X(C2_GROUP,     "C2 a group off by one rank") \
    X(C3_TYPE,      "C3 the type of one rank") \
    X(C3_COUNT,     "C3 the count of one rank") \
    X(C4_TAGS,      "C4 two tags swapped") \
    X(C4_CROSSED,   "C4 two receives crossed") \
    X(C6_DEAD,      "C6 a rank dies before a collective") \
    X(K1_NO_WAIT,   "K1 a wait removed") \
    X(K2_EARLY,     "K2 a send buffer written early") \
    X(K3_FREED,     "K3 freed twice") \
    X(I2_NOT_TIED,  "I2 a tie not summed, on all ranks") \
    X(I3_NOT_SUMMED, "I3 gradients of norms not summed, on all ranks") \
    X(I5_STALE,     "I5 weights not gathered, on all ranks")
/* clang-format on */
#define FAULT_VALUE(value, name) value,
#define FAULT_NAME(value, name)  name,
enum fault { FAULTS_OF_PROGRAMS(FAULT_VALUE) FAULTS };
static const char *const names[] = {FAULTS_OF_PROGRAMS(FAULT_NAME)};

/* What found it, the first that did. */
enum finder { BY_LOGS, BY_TENSORS, BY_PLAN, BY_DUMP, BY_NOBODY, FINDERS };
static const char *const finders[FINDERS] = {"rules 7, 10", "tensors", "the plan", "a run's dump",
                                             "silent"};
static int made[FAULTS], found[FAULTS][FINDERS];
static int
    at_launch[FAULTS]; /* that ranks would find, too, which compare digests before they begin */

/* ---- programs of all ranks ---- */

struct job {
    struct rk_model model;
    struct rk_system system;
    struct rk_plan plan;
    struct rk_program program[MOST_RANKS];
};

static void draw_model_of(struct random *r, struct rk_model *m)
{
    draw_model(r, m);
    m->layers = 1 + below(r, 4);
    m->heads = 4;
    m->kv_heads = one_in(r, 2) ? 0 : 2;
    m->head_dim = 16;
    m->hidden = 64;
    m->feedforward = 128;
    m->sequence = 64;
    m->vocabulary = 512;
    m->window = m->window_every = 0;
    if (m->experts) m->experts = 4, m->active_experts = 2, m->expert_feedforward = 64;
    if (m->experts && m->dense_layers > m->layers) m->dense_layers = 0;
    if (m->kv_rank) m->kv_rank = 16, m->q_rank = 0, m->rope_dim = 8, m->value_dim = 16;
}

static void draw_plan(struct random *r, const struct rk_model *m, struct rk_plan *p)
{
    *p = rk_plan_default();
    p->framework = (enum rk_framework)below(r, RK_CALCULON);
    p->tensor = UINT64_C(1) << below(r, 2);
    p->pipeline = UINT64_C(1) << below(r, 3);
    p->context = p->tensor * p->pipeline < 8 && one_in(r, 4) ? 2 : 1;
    const uint64_t model = p->tensor * p->pipeline * p->context;
    p->ranks = model * (model < 8 && !one_in(r, 3) ? 2 : 1);
    p->batch = rk_plan_data(p) * p->pipeline * (1 + below(r, 2));
    p->schedule = (enum rk_schedule)below(r, RK_SCHEDULES);
    if (p->schedule == RK_1F1B && p->pipeline > 1 && m->layers >= 2 * p->pipeline && one_in(r, 2))
        p->chunks = 2;
    if (rk_schedule_folds(p->schedule)) {
        if (p->pipeline > 1 && m->layers >= 2 * p->pipeline)
            p->chunks = 2;
        else
            p->schedule = RK_1F1B;
    }
    if (p->schedule == RK_DUALPIPE) p->batch = rk_plan_data(p) * 2 * p->pipeline;
    p->sequence_parallel = p->tensor > 1 && !one_in(r, 3);
    p->messages_sharded = one_in(r, 4);
    p->tensor_overlap = one_in(r, 3) ? RK_OVERLAP_RING : RK_OVERLAP_NONE;
    p->context_kind = one_in(r, 2) ? RK_RING : RK_GATHER;
    p->zero = (int)below(r, 4);
    p->gradient_overlap = one_in(r, 2);
    p->weight_overlap = one_in(r, 2);
    p->recompute = (enum rk_recompute_mode)below(r, RK_RECOMPUTE_MODES);
    p->recompute_parts = 1u << RK_PART_MLP | 1u << RK_PART_CORE_ATTENTION;
    if (m->experts && rk_plan_data(p) > 1 && one_in(r, 2)) p->expert = 2;
}

static void release(struct job *job)
{
    for (uint64_t i = 0; i < job->plan.ranks; i++)
        rk_program_release(&job->program[i]);
}

static bool draw_job(struct job *job, uint64_t seed)
{
    struct random r = {seed * 7927};
    struct rk_prediction prediction;
    struct rk_error error;
    draw_model_of(&r, &job->model);
    draw_plan(&r, &job->model, &job->plan);
    if (job->plan.ranks > MOST_RANKS) return false;
    rk_predict(&job->model, &job->system, &job->plan, &prediction);
    if (!prediction.timed) return false;
    for (uint64_t i = 0; i < job->plan.ranks; i++)
        cr_assert_eq(
            rk_program_of(&job->program[i], &job->model, &job->system, &job->plan, i, &error),
            RK_OK, "%s", error.text);
    return true;
}

/* ---- who finds what ---- */

static struct rk_findings findings;

static bool logs_find(const struct rk_program *programs, uint32_t ranks)
{
    struct rk_logs *logs;
    struct rk_error error;
    findings.count = findings.dropped = 0;
    cr_assert_eq(rk_logs_new(ranks, &logs, &error), RK_OK);
    for (uint32_t i = 0; i < ranks; i++)
        cr_assert_eq(rk_logs_add_program(logs, &programs[i], &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_logs_check(logs, NULL, &findings, &error), RK_OK, "%s", error.text);
    rk_logs_release(logs);
    return rk_findings_errors(&findings) > 0;
}

static bool tensors_find(const struct rk_program *programs, uint32_t ranks)
{
    struct rk_error error;
    for (uint32_t i = 0; i < ranks; i++)
        if (rk_program_check(&programs[i], &error) != RK_OK) return true;
    return false;
}

/* The group of these members in a program; its groups' count: there is none. */
static uint32_t group_of(const struct rk_program *p, const struct rk_group *group)
{
    uint32_t i = 0;
    while (i < p->groups &&
           (p->group[i].ranks != group->ranks || strcmp(p->group[i].name, group->name) != 0 ||
            memcmp(p->group[i].rank, group->rank, group->ranks * sizeof *group->rank) != 0))
        i++;
    return i;
}

/* Each rank asks the members of its groups, and whom it sends to. */
static bool launch_finds(const struct rk_program *programs, uint32_t ranks)
{
    for (uint32_t a = 0; a < ranks; a++) {
        for (uint32_t g = 0; g < programs[a].groups; g++)
            for (uint32_t k = 0; k < programs[a].group[g].ranks; k++) {
                const struct rk_program *other = &programs[programs[a].group[g].rank[k]];
                const uint32_t there = group_of(other, &programs[a].group[g]);
                if (there == other->groups ||
                    rk_program_digest(&programs[a], g) != rk_program_digest(other, there))
                    return true;
            }
        for (uint32_t b = 0; b < ranks; b++)
            if (rk_program_digest_messages(&programs[a], b, false) !=
                rk_program_digest_messages(&programs[b], a, true))
                return true;
    }
    return false;
}

/* The programs are not those that the plan is lowered to. */
static bool plan_finds(const struct rk_program *programs, const struct job *job)
{
    struct rk_error error;
    size_t differences = 0;
    for (uint64_t i = 0; i < job->plan.ranks && !differences; i++)
        cr_assert_eq(
            rk_program_diff(&programs[i], &job->program[i], stderr, 0, &differences, &error),
            RK_OK);
    return differences > 0;
}

static enum finder find(enum fault fault, const struct rk_program *programs, const struct job *job)
{
    const uint32_t ranks = (uint32_t)job->plan.ranks;
    if (logs_find(programs, ranks)) return fault == C6_DEAD ? BY_DUMP : BY_LOGS;
    if (tensors_find(programs, ranks)) return BY_TENSORS;
    return plan_finds(programs, job) ? BY_PLAN : BY_NOBODY;
}

/* ---- making them ---- */

static void remove_at(struct rk_program *p, size_t i)
{
    memmove(&p->instruction[i], &p->instruction[i + 1],
            (p->instructions - i - 1) * sizeof *p->instruction);
    p->instructions--;
}

/* There is room for two more in every copy. */
static void insert_at(struct rk_program *p, size_t i, struct rk_instruction in)
{
    memmove(&p->instruction[i + 1], &p->instruction[i],
            (p->instructions - i) * sizeof *p->instruction);
    p->instruction[i] = in;
    p->instructions++;
}

static void swap(struct rk_program *p, size_t i, size_t k)
{
    const struct rk_instruction in = p->instruction[i];
    p->instruction[i] = p->instruction[k];
    p->instruction[k] = in;
}

static size_t count_of(const struct rk_program *p, bool (*suits)(const struct rk_instruction *))
{
    size_t count = 0;
    for (size_t i = 0; i < p->instructions; i++)
        count += suits(&p->instruction[i]);
    return count;
}

/* One of those that suit; p->instructions: there is none. */
static size_t any(struct random *r, const struct rk_program *p,
                  bool (*suits)(const struct rk_instruction *))
{
    const size_t count = count_of(p, suits);
    uint64_t n = count ? below(r, count) : 0;
    for (size_t i = 0; i < p->instructions && count; i++)
        if (suits(&p->instruction[i]) && n-- == 0) return i;
    return p->instructions;
}

static bool is_wait(const struct rk_instruction *in)
{
    return in->what == RK_DO_WAIT;
}
static bool is_free(const struct rk_instruction *in)
{
    return in->what == RK_DO_FREE;
}
static bool is_message(const struct rk_instruction *in)
{
    return replay_is_message(in);
}
static bool is_send(const struct rk_instruction *in)
{
    return in->what == RK_DO_SEND && in->stream >= RK_ON_SEND_NEXT;
}
static bool is_recv(const struct rk_instruction *in)
{
    return in->what == RK_DO_RECV;
}
static bool is_collective(const struct rk_instruction *in)
{
    return replay_is_collective(in);
}

/* The next of that kind behind `i`. */
static size_t next(const struct rk_program *p, size_t i,
                   bool (*suits)(const struct rk_instruction *))
{
    for (i++; i < p->instructions && !suits(&p->instruction[i]);)
        i++;
    return i;
}

static bool same_operation(const struct rk_instruction *a, const struct rk_instruction *b)
{
    return a->what == b->what && a->element == b->element && a->count == b->count &&
           a->other == b->other;
}

/* The wait matters: without it some access is not ordered. */
static bool break_wait(struct random *r, struct rk_program *p)
{
    const size_t i = any(r, p, is_wait);
    if (i == p->instructions) return false;
    remove_at(p, i);
    return replay_races(p) != NULL;
}

static bool swap_collectives(struct random *r, struct rk_program *p)
{
    const size_t i = any(r, p, is_collective);
    const size_t k = i < p->instructions ? next(p, i, is_collective) : i;
    if (k >= p->instructions || p->instruction[i].stream != p->instruction[k].stream ||
        same_operation(&p->instruction[i], &p->instruction[k]))
        return false;
    swap(p, i, k);
    return true;
}

/* Of one peer, in one direction. */
static bool swap_messages(struct random *r, struct rk_program *p, bool whole)
{
    const size_t i = any(r, p, whole ? is_recv : is_message);
    size_t k = i;
    if (i == p->instructions) return false;
    do
        k = next(p, k, whole ? is_recv : is_message);
    while (k < p->instructions && (p->instruction[k].other != p->instruction[i].other ||
                                   p->instruction[k].what != p->instruction[i].what));
    if (k == p->instructions || p->instruction[i].tag == p->instruction[k].tag) return false;
    const uint32_t tag = p->instruction[i].tag;
    if (whole) {
        swap(p, i, k);
    } else {
        p->instruction[i].tag = p->instruction[k].tag;
        p->instruction[k].tag = tag;
    }
    return true;
}

/* Something writes into the buffer right behind the send, on the stream that computes. */
static bool write_early(struct random *r, struct rk_program *p)
{
    const size_t i = any(r, p, is_send);
    if (i == p->instructions) return false;
    struct rk_instruction writer = p->instruction[i];
    writer.what = RK_DO_RUN;
    writer.stream = RK_ON_GPU;
    writer.task = p->instruction[i].task;
    writer.reads = 0;
    writer.writes = 1;
    insert_at(p, i + 1, writer);
    return true;
}

static bool shift_group(struct random *r, struct rk_program *p, uint32_t ranks)
{
    const size_t i = any(r, p, is_collective);
    if (i == p->instructions) return false;
    struct rk_group *group = &p->group[p->instruction[i].other];
    const uint32_t k = (uint32_t)below(r, group->ranks);
    group->rank[k] = (group->rank[k] + 1) % ranks;
    return ranks > 1;
}

/* On all ranks: whatever has this name. */
static bool remove_named(struct rk_program *programs, uint32_t ranks, const char *name)
{
    bool any_there = false;
    for (uint32_t rank = 0; rank < ranks; rank++)
        for (size_t i = programs[rank].instructions; i-- > 0;) {
            struct rk_program *p = &programs[rank];
            const int32_t task = p->instruction[i].task;
            if (task == RK_NONE || strcmp(p->task[task].name, name) != 0) continue;
            remove_at(p, i);
            any_there = true;
        }
    return any_there;
}

static bool inject(struct random *r, enum fault fault, struct rk_program *programs, uint32_t ranks)
{
    struct rk_program *p = &programs[below(r, ranks)];
    const size_t i = any(r, p, fault == K3_FREED ? is_free : is_collective);
    if (fault == K1_NO_WAIT) return break_wait(r, p);
    if (fault == C1_SWAPPED) return swap_collectives(r, p);
    if (fault == C4_TAGS || fault == C4_CROSSED) return swap_messages(r, p, fault == C4_CROSSED);
    if (fault == K2_EARLY) return write_early(r, p);
    if (fault == C2_GROUP) return shift_group(r, p, ranks);
    if (fault == I2_NOT_TIED) return remove_named(programs, ranks, "sum tied");
    if (fault == I3_NOT_SUMMED) return remove_named(programs, ranks, "sum norms");
    if (fault == I5_STALE) return remove_named(programs, ranks, "gather weights");
    if (i == p->instructions) return false;
    if (fault == C1_DROPPED)
        remove_at(p, i);
    else if (fault == C1_DOUBLED || fault == K3_FREED)
        insert_at(p, i, p->instruction[i]);
    else if (fault == C3_TYPE)
        p->instruction[i].element =
            p->instruction[i].element == RK_IN_FP32 ? RK_IN_BF16 : RK_IN_FP32;
    else if (fault == C3_COUNT)
        p->instruction[i].count += one_in(r, 2) ? 1 : (uint64_t)-1;
    else
        p->instructions = i; /* C6 */
    return true;
}

/* A copy whose instructions and groups can be changed. */
static void copy(struct rk_program *to, const struct rk_program *from)
{
    *to = *from;
    to->instruction = malloc((from->instructions + 2) * sizeof *to->instruction);
    memcpy(to->instruction, from->instruction, from->instructions * sizeof *to->instruction);
    to->group = malloc((from->groups + 1) * sizeof *to->group);
    for (size_t g = 0; g < from->groups; g++) {
        to->group[g] = from->group[g];
        to->group[g].rank = malloc(from->group[g].ranks * sizeof(uint32_t));
        memcpy(to->group[g].rank, from->group[g].rank, from->group[g].ranks * sizeof(uint32_t));
    }
}

static void drop(struct rk_program *p)
{
    for (size_t g = 0; g < p->groups; g++)
        free(p->group[g].rank);
    free(p->group);
    free(p->instruction);
}

static void try_fault(struct random *r, enum fault fault, const struct job *job, uint64_t seed)
{
    struct rk_program programs[MOST_RANKS];
    const uint32_t ranks = (uint32_t)job->plan.ranks;
    for (uint32_t i = 0; i < ranks; i++)
        copy(&programs[i], &job->program[i]);
    if (inject(r, fault, programs, ranks)) {
        const enum finder by = find(fault, programs, job);
        char plan[RK_PLAN_TEXT];
        made[fault]++;
        found[fault][by]++;
        at_launch[fault] += launch_finds(programs, ranks);
        rk_plan_text(&job->plan, plan, sizeof plan);
        cr_assert_neq(by, BY_NOBODY, "silent: %s, seed %" PRIu64 ", %s", names[fault], seed, plan);
    }
    for (uint32_t i = 0; i < ranks; i++)
        drop(&programs[i]);
}

static void print_table(uint64_t plans)
{
    printf("%-50s %7s", "fault", "made");
    for (int by = 0; by < FINDERS; by++)
        printf(" %14s", finders[by]);
    printf(" %14s\n", "also at launch");
    for (int fault = 0; fault < FAULTS; fault++) {
        printf("%-50s %7d", names[fault], made[fault]);
        for (int by = 0; by < FINDERS; by++)
            printf(" %14d", found[fault][by]);
        printf(" %14d\n", at_launch[fault]);
    }
    printf("programs of %" PRIu64 " plans\n", plans);
}

Test(program_faults, none_is_silent)
{
    static struct job job;
    struct rk_error error;
    const char *given = getenv("RECKON_FAULTS");
    const uint64_t plans = given ? strtoull(given, NULL, 10) : PLANS;
    uint64_t done = 0;
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &job.system, &error), RK_OK);
    for (uint64_t seed = 1; done < plans; seed++) {
        struct random r = {seed * 104729};
        if (!draw_job(&job, seed)) continue;
        cr_assert(!launch_finds(job.program, (uint32_t)job.plan.ranks), "seed %" PRIu64, seed);
        cr_assert(!logs_find(job.program, (uint32_t)job.plan.ranks), "seed %" PRIu64 ": %s %s",
                  seed, findings.finding[0].rule, findings.finding[0].need);
        for (int fault = 0; fault < FAULTS; fault++)
            for (int i = 0; i < (fault < I2_NOT_TIED ? TRIES : 1); i++)
                try_fault(&r, (enum fault)fault, &job, seed);
        release(&job);
        done++;
    }
    rk_system_release(&job.system);
    if (getenv("RECKON_TABLE")) print_table(plans);
    for (int fault = 0; fault < FAULTS; fault++)
        cr_expect_gt(made[fault], 0, "%s", names[fault]);
    for (int fault = C1_DROPPED; fault <= C4_CROSSED; fault++)
        if (fault != C1_SWAPPED) /* of two groups, each may be as it was */
            cr_expect_eq(at_launch[fault], made[fault], "%s", names[fault]);
}

/* ---- faults in plans ---- */

/* clang-format off */
#define FAULTS_OF_PLANS(X) \
    X(A1_LAYER,    "A1 a layer on two stages or on none", "6.layers") \
    X(A2_SHARDS,   "A2 shards that do not divide the copies", "6.shards") \
    X(A3_BUDGET,   "A3 a budget 1 MiB below the need", "5.") \
    X(M1_HEADS,    "M1 a degree that does not divide", "4.") \
    X(M2_FILL,     "M2 fewer microbatches than stages", "3.fill") \
    X(M3_RANK,     "M3 a wrong rank in the environment", "12.environment") \
    X(M4_UNKNOWN,  "M4 a misspelt key", "1.unknown") \
    X(M5_MISSING,  "M5 a key that the file lacks", "1.missing") \
    X(S1_VERSION,  "S1 an argument of another version of the library", "1.unknown|1.removed") \
    X(S2_TYPE,     "S2 a type that the device lacks", "12.datatype")
/* clang-format on */
#define PLAN_FAULT_VALUE(value, name, rule) value,
#define PLAN_FAULT_NAME(value, name, rule)  name,
#define PLAN_FAULT_RULE(value, name, rule)  rule,
enum plan_fault { FAULTS_OF_PLANS(PLAN_FAULT_VALUE) PLAN_FAULTS };
static const char *const plan_names[] = {FAULTS_OF_PLANS(PLAN_FAULT_NAME)};
static const char *const plan_rules[] = {FAULTS_OF_PLANS(PLAN_FAULT_RULE)};

/* "5.": any of those; "1.unknown|1.removed": either. */
static bool rule_fires(const char *rules)
{
    for (const char *rule = rules; *rule;) {
        const size_t length = strcspn(rule, "|");
        for (int i = 0; i < findings.count; i++)
            if (strncmp(findings.finding[i].rule, rule, length) == 0) return true;
        rule += length + (rule[length] == '|');
    }
    return false;
}

static void judge_plan(const struct plans_case *c, const struct rk_plan *plan,
                       const struct rk_launch *launch)
{
    findings.count = findings.dropped = 0;
    rk_check_plan(&c->model, &c->system, plan, launch, &findings);
}

/* Of a right plan, the launch that goes with it. */
static struct rk_launch launch_of(const struct rk_variable *environment)
{
    return (struct rk_launch){.exact_memory = true, .environment = environment};
}

/* The need, and a machine with so much and no more; and with 1 MiB less. Lower memory holds all. */
static bool budget(struct plans_case *c, const struct rk_plan *plan)
{
    struct rk_prediction p;
    const struct rk_launch launch = launch_of(NULL);
    struct rk_memory *memory = c->system.memory, before[8];
    const size_t size = (size_t)c->system.memories * sizeof *memory;
    cr_assert(size <= sizeof before);
    rk_predict(&c->model, &c->system, plan, &p);
    if (!p.timed) return false;
    memcpy(before, memory, size);
    for (int i = 1; i < c->system.memories; i++)
        memory[i].capacity_bytes = 1e18;
    memory[0].capacity_bytes = p.stage[p.tightest].total_bytes + 1;
    judge_plan(c, plan, &launch);
    cr_assert(!rule_fires("5."), "%s", findings.finding[0].need);
    memory[0].capacity_bytes = p.stage[p.tightest].total_bytes - 1048576;
    judge_plan(c, plan, &launch);
    memcpy(memory, before, size);
    return true;
}

static bool environment(const struct plans_case *c, const struct rk_plan *plan)
{
    char world[24], rank[24];
    snprintf(world, sizeof world, "%" PRIu64, plan->ranks);
    snprintf(rank, sizeof rank, "%" PRIu64, plan->ranks);
    const struct rk_variable variables[] = {{"WORLD_SIZE", world}, {"RANK", rank}, {NULL, NULL}};
    const struct rk_launch launch = launch_of(variables);
    judge_plan(c, plan, &launch);
    return true;
}

/* The words of the plan with one letter left out of a key. */
static bool misspell(struct random *r, const struct plans_case *c, const struct rk_plan *plan)
{
    char text[RK_PLAN_TEXT + 32];
    struct rk_error error;
    const size_t used = (size_t)snprintf(text, sizeof text, "recompute=full ");
    rk_plan_text(plan, text + used, sizeof text - used);
    const size_t at = 1 + below(r, 7);
    memmove(text + at, text + at + 1, strlen(text + at));
    const struct rk_check_input input = {.format = "words",
                                         .text = text,
                                         .size = strlen(text),
                                         .model = &c->model,
                                         .system = &c->system,
                                         .path = ""};
    findings.count = findings.dropped = 0;
    const enum rk_status status = rk_check_text(&input, &findings, &error);
    cr_assert(status == RK_OK || status == RK_BAD_INPUT, "%s", error.text);
    return true;
}

/* A strategy file of Galvatron without one of the keys that it cannot do without. */
static bool lack(struct random *r, const struct plans_case *c)
{
    static const char *const keys[] = {"\"pp_deg\": 1",
                                       "\"tp_sizes_enc\": \"1,1\"",
                                       "\"tp_consecutive_flags\": \"1,1\"",
                                       "\"dp_types_enc\": \"0,0\"",
                                       "\"world_size\": 8",
                                       "\"global_bsz\": 8",
                                       "\"chunks\": 1",
                                       "\"pp_division\": \"2\""};
    enum { KEYS = sizeof keys / sizeof *keys };
    char text[512] = "{";
    const uint64_t left_out = below(r, KEYS);
    struct rk_error error;
    struct rk_model model = c->model;
    model.layers = 2;
    for (uint64_t i = 0, n = 0; i < KEYS; i++) {
        if (i == left_out) continue;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", n++ ? ", " : "", keys[i]);
    }
    strcat(text, "}");
    const struct rk_check_input input = {.format = "galvatron",
                                         .text = text,
                                         .size = strlen(text),
                                         .model = &model,
                                         .system = &c->system,
                                         .path = ""};
    findings.count = findings.dropped = 0;
    cr_assert_eq(rk_check_text(&input, &findings, &error), RK_OK, "%s", error.text);
    return true;
}

/* An argument of Megatron-LM that versions before have not, or later ones have no longer. */
static bool other_version(struct random *r, const struct plans_case *c)
{
    const struct megatron_flag_facts *flag;
    char text[512];
    struct rk_error error;
    do
        flag = &megatron_flags[below(r, MEGATRON_FLAG_COUNT)];
    while (flag->kind != MEGATRON_SWITCH || !flag->since ||
           (flag->since <= MEGATRON_OLDEST && (!flag->until || flag->until == MEGATRON_NEWEST)));
    const int version = flag->since > MEGATRON_OLDEST ? flag->since - 1 : flag->until + 1;
    snprintf(text, sizeof text,
             "torchrun pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 "
             "--seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 "
             "--global-batch-size 8 --bf16 --%s\n",
             flag->name);
    const struct rk_check_input input = {.format = "megatron",
                                         .text = text,
                                         .size = strlen(text),
                                         .system = &c->system,
                                         .gpus = 8,
                                         .version = version,
                                         .core_only = true,
                                         .path = ""};
    findings.count = findings.dropped = 0;
    const enum rk_status status = rk_check_text(&input, &findings, &error);
    cr_assert(status == RK_OK || status == RK_BAD_INPUT, "%s", error.text);
    return true;
}

static bool break_plan(struct random *r, enum plan_fault fault, struct plans_case *c,
                       struct rk_plan *plan)
{
    static const struct rk_variable none[] = {{NULL, NULL}};
    const struct rk_launch launch = launch_of(none);
    const uint64_t stages = plan->pipeline * plan->chunks;
    switch (fault) {
    case A1_LAYER:
        if (stages < 2) return false;
        for (uint64_t i = 0; i < stages; i++)
            edit(plan)->split[i] = (uint16_t)rk_plan_split(plan, &c->model, i);
        edit(plan)->splits = (int)stages;
        plan->first_layers = plan->last_layers = 0;
        edit(plan)->split[below(r, stages)]++;
        break;
    case A2_SHARDS:
        if (plan->zero == 0) return false;
        plan->shard_ranks = rk_plan_data(plan) * plan->context + 1;
        break;
    case A3_BUDGET:
        return budget(c, plan);
    case M1_HEADS:
        plan->ranks = plan->ranks / plan->tensor * 3;
        plan->tensor = 3;
        break;
    case M2_FILL:
        if (plan->pipeline == 1 || plan->chunks > 1) return false;
        plan->schedule = RK_ZERO_BUBBLE;
        plan->batch = rk_plan_data(plan) * plan->microbatch;
        break;
    case M3_RANK:
        return environment(c, plan);
    case M4_UNKNOWN:
        return misspell(r, c, plan);
    case M5_MISSING:
        return lack(r, c);
    case S1_VERSION:
        return other_version(r, c);
    case S2_TYPE:
        plan->precision = RK_NVFP4;
        break;
    default:
        return false;
    }
    judge_plan(c, plan, &launch);
    return true;
}

/* Nothing forbids its launch, but perhaps memory. */
static bool is_right(struct plans_case *c, const struct rk_plan *plan)
{
    const struct rk_launch launch = {.states_only = false};
    const double capacity = c->system.memory[0].capacity_bytes;
    c->system.memory[0].capacity_bytes = 1e18;
    judge_plan(c, plan, &launch);
    c->system.memory[0].capacity_bytes = capacity;
    return rk_findings_errors(&findings) == 0;
}

Test(program_faults, plans_are_refused)
{
    enum { CASES = DRAWN(1000) };
    static struct plans_case c;
    int of[PLAN_FAULTS] = {0};
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct random r = {seed * 15485863};
        draw_case(&c, seed, UINT64_MAX);
        struct rk_space *plans = rk_plans_open(&c.problem, NULL);
        const uint64_t count = rk_space_count(plans);
        for (int fault = 0; fault < PLAN_FAULTS && count; fault++) {
            struct rk_plan plan, right;
            rk_plans_plan(plans, below(&r, count), &plan);
            right = plan;
            if (!is_right(&c, &plan) || !break_plan(&r, (enum plan_fault)fault, &c, &plan))
                continue;
            char text[RK_PLAN_TEXT];
            rk_plan_text(&right, text, sizeof text);
            of[fault]++;
            cr_assert(rule_fires(plan_rules[fault]), "silent: %s, seed %" PRIu64 ", %s (%s)",
                      plan_names[fault], seed, text,
                      findings.count ? findings.finding[0].rule : "nothing");
        }
        rk_space_close(plans);
        rk_system_release(&c.system);
    }
    for (int fault = 0; fault < PLAN_FAULTS; fault++) {
        if (getenv("RECKON_TABLE")) printf("%-50s %7d\n", plan_names[fault], of[fault]);
        cr_expect_gt(of[fault], 0, "%s", plan_names[fault]);
    }
}
