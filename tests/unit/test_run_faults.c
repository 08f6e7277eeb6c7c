/* Faults in real runs: each is made in the messages of one rank (or of all) of an executor that
 * trains, and must be found: by an error that all ranks come back with within the limit, or by
 * numbers that differ from those of one rank. None may be silent. RECKON_TABLE=1 prints the table,
 * RECKON_SEED=N begins there. Of every day is every other fault of a case, so that each is made in
 * half of the cases; RECKON_FAULTS=N makes all of them, N times. */
#include "run/comm.h"
#include "run/train.h"
#include "run_cases.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

enum { STEPS = 3, MOST_RANKS = 8, SLOW_CASES = 3, LIMIT_S = 10 };

enum fault {
    NONE,
    LOST,      /* C1: left out */
    TWICE,     /* C1: done twice */
    SWAPPED,   /* C1: with the next one to the same rank */
    ELSEWHERE, /* C2: to a rank off by one */
    SHORT,     /* C3: of another count, or narrower numbers */
    TAG,       /* C4: under the tag of another message between stages */
    SLOW,      /* C5: ten times as slow, and more */
    DEAD,      /* C6: the rank is gone */
    SHARD,     /* A5: of the optimizer's shards, numbers that belong elsewhere */
    WRITTEN,   /* K2: the buffer is written before it is taken */
    TWOFOLD,   /* I1: gradients not divided: twice as large */
    UNTIED,    /* I2: the tied table's other gradient is not added */
    UNSUMMED,  /* I3: nor those of weights that tensor ranks share */
    STALE,     /* I5: weights of before */
    FAULTS
};

/* `of`: the messages it is made in ("": any); all: in each of them, on all ranks; stuck: somebody
 * waits for what does not come, so that the limit is short. */
static const struct {
    const char *name, *of;
    bool all, stages, stuck;
} facts[FAULTS] = {
    [LOST] = {"C1 a message lost", "", false, false, true},
    [TWICE] = {"C1 doubled", "", false, false, true},
    [SWAPPED] = {"C1 swapped with the next", "", false, false, true},
    [ELSEWHERE] = {"C2 to a rank off by one", "", false, false, true},
    [SHORT] = {"C3 half the count", "", false, false, true},
    [TAG] = {"C4 another tag", "", false, true, true},
    [SLOW] = {"C5 a slow rank", "", false, false},
    [DEAD] = {"C6 a rank dies", "", false, false, true},
    [SHARD] = {"A5 a shard that belongs elsewhere", "weights", false, false},
    [WRITTEN] = {"K2 a buffer written early", "", false, false},
    [TWOFOLD] = {"I1 gradients not divided", "gradients", true, false},
    [UNTIED] = {"I2 a tie not summed", "tied embedding", true, false},
    [UNSUMMED] = {"I3 shared gradients not summed", "norm", true, false},
    [STALE] = {"I5 a stale gather", "weights", false, false},
};

/* ---- a back end that makes a mistake ---- */

struct faulty {
    enum fault fault;
    uint64_t at;   /* the so many-th message of its kind, from 0 on */
    uint64_t seen; /* of its kind */
    bool made, dead;
    char what[64]; /* the message it is made in; "": none yet */
    bool (*post)(struct comm *comm, int to, struct comm_message *message);
    bool (*receive)(struct comm *comm, int from, uint32_t tag, const char *what, size_t bytes,
                    comm_take *take, void *context);
    bool (*wait)(struct comm *comm, struct comm_message *message);
    void (*fail)(struct comm *comm, const struct rk_error *error);
    struct comm_message *held; /* until the next to that rank */
    int held_to;
    void *before; /* payload of the first message of its kind */
    size_t before_bytes;
};

static struct faulty faulty[MOST_RANKS];
static bool low; /* numbers are of 32 and 16 bits, not of 64 */

static bool is_of(const struct faulty *f, const struct comm_message *m)
{
    if (facts[f->fault].stages) return m->tag >= COMM_MESSAGES;
    if (f->fault == WRITTEN && (m->bytes < 512 || strstr(m->what, "norm of")))
        return false; /* may be padding, or a sum that clipping alone reads: without effect */
    return strstr(m->what, facts[f->fault].of);
}

static struct comm_message *copy_of(const struct comm_message *m, size_t bytes)
{
    struct comm_message *copy = malloc(sizeof *copy + m->bytes);
    *copy = (struct comm_message){.data = memcpy(copy + 1, m->data, m->bytes),
                                  .bytes = bytes,
                                  .what = m->what,
                                  .tag = m->tag,
                                  .owned = true};
    return copy;
}

/* In place of the message goes the copy. */
static bool replace(struct comm *comm, int to, struct comm_message *m, struct comm_message *copy)
{
    if (m->owned) free(m);
    return !copy || faulty[comm->rank].post(comm, to, copy);
}

static void change(struct faulty *f, struct comm_message *copy)
{
    double *x = (double *)(copy + 1);
    const size_t n = copy->bytes / sizeof *x;
    unsigned char *byte = (unsigned char *)x;
    for (size_t i = 1; low && f->fault == WRITTEN && i < copy->bytes; i += 2)
        byte[i] ^= 0x10; /* among the first digits of each, or the last of its exponent */
    if (low && f->fault == WRITTEN) return;
    for (size_t i = 0; f->fault == TWOFOLD && i < n; i++)
        x[i] *= 2;
    if (f->fault == UNTIED || f->fault == UNSUMMED) memset(x, 0, copy->bytes);
    for (size_t i = 0; f->fault == WRITTEN && i < n; i++)
        x[i] += 0.01 * (double)(1 + i % 7);
    for (size_t i = 0; f->fault == SHARD && i < n / 2; i++) {
        const double y = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = y;
    }
    if (f->fault == STALE) memcpy(x, f->before, copy->bytes);
}

static bool make(struct comm *comm, int to, struct comm_message *m)
{
    struct faulty *f = &faulty[comm->rank];
    const struct rk_error gone = {.status = RK_IO};
    int other = (to + 1) % comm->ranks;
    if (other == comm->rank) other = (other + 1) % comm->ranks;
    if (!f->made) snprintf(f->what, sizeof f->what, "%s", m->what);
    f->made = true;
    switch (f->fault) {
    case LOST:
        return replace(comm, to, m, NULL);
    case TWICE:
        return f->post(comm, to, copy_of(m, m->bytes)) && f->post(comm, to, m);
    case SWAPPED:
        f->held = copy_of(m, m->bytes);
        f->held_to = to;
        return replace(comm, to, m, NULL);
    case ELSEWHERE:
        return replace(comm, other, m, copy_of(m, m->bytes));
    case SHORT:
        return replace(comm, to, m, copy_of(m, m->bytes / 2));
    case TAG: {
        struct comm_message *copy = copy_of(m, m->bytes);
        copy->tag++;
        return replace(comm, to, m, copy);
    }
    case DEAD:
        if (m->owned) free(m);
        comm->error = gone;
        f->dead = true;
        return false;
    default: {
        struct comm_message *copy = copy_of(m, m->bytes);
        change(f, copy);
        return replace(comm, to, m, copy);
    }
    }
}

/* The first of its kind. */
static void remember(struct faulty *f, const struct comm_message *m)
{
    if (f->fault != STALE || f->before) return;
    f->before = memcpy(malloc(m->bytes), m->data, m->bytes);
    f->before_bytes = m->bytes;
}

/* Would another one like it in its place be a fault? */
static bool can_be_made(const struct faulty *f, const struct comm_message *m)
{
    if (f->fault == SHORT) return m->bytes > 0; /* a part of a redistribution may be empty */
    return f->fault != STALE ||
           (f->before && f->before_bytes == m->bytes && memcmp(f->before, m->data, m->bytes) != 0);
}

static bool faulty_post(struct comm *comm, int to, struct comm_message *m)
{
    struct faulty *f = &faulty[comm->rank];
    if (f->dead) {
        if (m->owned) free(m);
        return false;
    }
    if (f->fault == SLOW) {
        f->made = true;
        nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
    }
    const bool of = f->fault && f->fault != SLOW && is_of(f, m);
    const uint32_t tag = m->tag;
    const uint64_t n = f->seen;
    f->seen += of || !f->fault;
    if (of && (facts[f->fault].all || (!f->made && n >= f->at)) && can_be_made(f, m))
        return make(comm, to, m);
    if (of) remember(f, m);
    struct comm_message *held = f->held;
    const bool turn = held && f->held_to == to && held->tag == tag;
    if (turn && held->bytes == m->bytes && memcmp(held->data, m->data, m->bytes) == 0)
        f->made = false; /* of equals */
    if (!f->post(comm, to, m)) return false;
    if (!turn) return true;
    f->held = NULL;
    return f->post(comm, to, held);
}

static bool faulty_receive(struct comm *comm, int from, uint32_t tag, const char *what,
                           size_t bytes, comm_take *take, void *context)
{
    const struct faulty *f = &faulty[comm->rank];
    return !f->dead && f->receive(comm, from, tag, what, bytes, take, context);
}

/* What has been posted is waited for also by the dead: its buffer is read. */
static bool faulty_wait(struct comm *comm, struct comm_message *message)
{
    return faulty[comm->rank].wait(comm, message) && !faulty[comm->rank].dead;
}

static void faulty_fail(struct comm *comm, const struct rk_error *error)
{
    if (!faulty[comm->rank].dead) faulty[comm->rank].fail(comm, error);
}

/* ---- a run ---- */

struct member {
    const struct rk_model *model;
    const struct rk_plan *plan;
    const struct rk_train *train;
    struct rk_train_run run;
    struct comm comm;
    enum rk_status status;
    struct rk_error error;
    pthread_t thread;
};

static void *run_member(void *context)
{
    struct member *m = context;
    struct rk_train_result result;
    m->status = train_rank(m->model, m->plan, m->train, &m->run, &m->comm, &result, &m->error);
    return NULL;
}

struct outcome {
    struct run_trace trace;
    int errors;            /* ranks with one */
    struct rk_error error; /* of the hub */
    double wall_s;
    bool made;
    char what[64];
    uint64_t posts;
    int quickest; /* the rank that waited least for others */
};

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run(const struct rk_model *model, const struct rk_plan *plan, enum fault fault,
                int rank, uint64_t at, struct outcome *o)
{
    static struct rk_system system;
    struct rk_train train = run_settings(STEPS);
    train.double_precision = !low;
    struct member member[MOST_RANKS];
    const double limit_s = facts[fault].stuck ? 0.3 : LIMIT_S;
    struct comm_hub *hub = comm_hub_open((int)plan->ranks, limit_s);
    const double start_s = now_s();
    if (!*system.id) cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, &o->error), RK_OK);
    memset(o, 0, sizeof *o);
    train.limit_s = limit_s;
    for (int i = 0; i < (int)plan->ranks; i++) {
        struct member *m = &member[i];
        *m = (struct member){model, plan, &train, .comm = *comm_hub_rank(hub, i)};
        m->comm.clock.runs = false; /* a copy: what it learns would be nobody's */
        m->run = (struct rk_train_run){.data = run_data(), .system = &system};
        if (i == 0) m->run.step = run_note, m->run.context = &o->trace;
        faulty[i] = (struct faulty){.fault = i == rank || facts[fault].all ? fault : NONE,
                                    .at = facts[fault].all ? 0 : at,
                                    .post = m->comm.post,
                                    .receive = m->comm.receive,
                                    .wait = m->comm.wait,
                                    .fail = m->comm.fail};
        m->comm.post = faulty_post;
        m->comm.receive = faulty_receive;
        m->comm.wait = faulty_wait;
        m->comm.fail = faulty_fail;
    }
    for (int i = 0; i < (int)plan->ranks; i++)
        cr_assert_eq(pthread_create(&member[i].thread, NULL, run_member, &member[i]), 0);
    o->quickest = rank; /* of those that never wait */
    for (int i = 0; i < (int)plan->ranks; i++)
        pthread_join(member[i].thread, NULL);
    for (int i = 0; i < (int)plan->ranks; i++) {
        o->errors += member[i].status != RK_OK;
        o->made |= faulty[i].made;
        if (faulty[i].what[0]) memcpy(o->what, faulty[i].what, sizeof o->what);
        if (member[i].comm.waited_s < member[o->quickest].comm.waited_s) o->quickest = i;
        if (faulty[i].held) free(faulty[i].held);
        free(faulty[i].before);
        scratch_release(&member[i].comm.scratch);
    }
    o->posts = faulty[rank].seen;
    o->error = comm_hub_error(hub);
    o->wall_s = now_s() - start_s;
    comm_hub_close(hub);
}

/* ---- who finds it ---- */

enum found { BY_ERROR, BY_NUMBERS, BY_WAITING, SILENT, FOUND };

static bool same(const struct run_trace *a, const struct run_trace *b)
{
    for (int i = 0; i < STEPS; i++)
        if (!(fabs(a->loss[i] - b->loss[i]) <= 1e-11 * fabs(b->loss[i]) &&
              fabs(a->norm[i] - b->norm[i]) <= 1e-11 * fabs(b->norm[i])))
            return false;
    return true;
}

static enum found judge(const struct outcome *o, const struct run_trace *right, enum fault fault,
                        int rank, const char *name)
{
    cr_expect(o->wall_s < LIMIT_S + 8, "%s: ends after %.1f s", name, o->wall_s);
    if (o->errors) {
        cr_expect(fault != SLOW, "%s: %s", name, o->error.text);
        cr_expect(strstr(o->error.text, "rank "), "%s: the error names nobody: %s", name,
                  o->error.text);
        return BY_ERROR;
    }
    if (!same(&o->trace, right)) return fault == SLOW ? SILENT : BY_NUMBERS;
    return fault == SLOW && o->quickest == rank ? BY_WAITING : SILENT;
}

/* With sequence parallelism of models without learned positions: a rank reads but its own of those,
 * so that a mistake in the others has no effect. */
static const struct {
    int model;
    const char *words;
} cases[] = {
    {2, "tp2 sp pp2 dp2 mbs1 gbs8 zero1"},
    {1, "tp2 sp dp2 mbs1 gbs4 zero3"},
    {0, "pp2 dp2 mbs1 gbs8 zero2"},
    {3, "dp4 mbs1 gbs8 ep2 zero1"},
    {2, "tp2 cp2 pp2 mbs1 gbs4 schedule=zero-bubble"},
    {1, "cp2 dp2 mbs1 gbs8 zero3 recompute=full"},
    {5, "tp2 sp pp2 mbs1 gbs4"},
    /* both ends on one rank, which hands to itself */
    {2, "tp2 pp2 vpp2 schedule=v-half dp2 mbs1 gbs8"},
    /* matrices that are dealt to ranks whole, and gathered by tensor ranks */
    {2, "tp2 sp dp4 mbs1 gbs4 zero1 optimizer=muon"},
    /* layers that lie differently, within a stage and between two */
    {2, "dp4 mbs1 gbs8 stages=2/tp2~2/cp2"},
    {2, "pp2 dp4 mbs1 gbs8 stages=1~1/tp2/sp,2/cp2"},
    /* tokens that go to experts whole, and what their samples chose */
    {3, "tp2 dp2 mbs1 gbs4 ep2 etp2 dispatcher=deepep capacity=1"},
    {3, "dp4 mbs1 gbs4 ep4 dispatcher=allgather zero2"},
    /* gradients of 16 bits, and a scale that all agree on */
    {2, "tp2 dp2 mbs1 gbs4 zero1 precision=fp16"},
    {1, "pp2 dp2 mbs1 gbs4 zero3 precision=bf16"},
};

static uint64_t state;

static uint64_t below(uint64_t n)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return n ? (state >> 33) % n : 0;
}

static int table[FAULTS][FOUND];

static void attack(const struct rk_model *model, const struct rk_plan *plan, const char *words,
                   bool slow, int first, int step)
{
    struct outcome right, o;
    struct rk_plan one;
    struct rk_error error;
    char line[128];
    snprintf(line, sizeof line, "mbs1 gbs%d capacity=%g precision=fp32%s", (int)plan->batch,
             plan->capacity_factor, plan->optimizer == RK_MUON ? " optimizer=muon" : "");
    cr_assert_eq(rk_plan_parse(line, &one, &error), RK_OK);
    run(model, low ? plan : &one, NONE, 0, 0, &right); /* 16 bits: repeated, the same bits */
    run(model, plan, NONE, 0, 0, &o);
    cr_assert(!o.errors && same(&o.trace, &right.trace), "%s: %s", words, o.error.text);
    for (int fault = NONE + 1 + first; fault < FAULTS; fault += step) {
        const int rank = (int)below(plan->ranks);
        /* another like it comes behind, and a step; of long messages there are fewer */
        const uint64_t at = below(o.posts / (fault == WRITTEN ? 6 : 2));
        struct outcome bad;
        char name[240];
        if (fault == SLOW && !slow) continue; /* they sleep */
        run(model, plan, (enum fault)fault, rank,
            *facts[fault].of || facts[fault].stages ? at % 2 : at, &bad);
        if (!bad.made) continue;
        snprintf(name, sizeof name, "%s, %s, rank %d, message %d, \"%s\"", words, facts[fault].name,
                 rank, (int)at, bad.what);
        enum found found = judge(&bad, &right.trace, (enum fault)fault, rank, name);
        /* who waits is by the clock: on a machine with other work any rank may be the slow one */
        for (int more = 10; more > 0 && fault == SLOW && found == SILENT; more--) {
            run(model, plan, SLOW, rank, at, &bad);
            found = judge(&bad, &right.trace, SLOW, rank, name);
        }
        table[fault][found]++;
        cr_expect(found != SILENT, "%s: silent", name);
    }
}

Test(run_faults, none_is_silent)
{
    const char *seed = getenv("RECKON_SEED"), *times = getenv("RECKON_FAULTS");
    state = seed ? strtoull(seed, NULL, 10) : 1;
    for (int round = times ? atoi(times) : 1; round > 0; round--)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const struct rk_model model = run_model(cases[i].model);
            struct rk_plan plan;
            struct rk_error error;
            char line[128];
            low = strstr(cases[i].words, "precision") != NULL;
            snprintf(line, sizeof line, "%s%s", cases[i].words, low ? "" : " precision=fp32");
            cr_assert_eq(rk_plan_parse(line, &plan, &error), RK_OK, "%s", error.text);
            attack(&model, &plan, cases[i].words, i < SLOW_CASES, times ? 0 : (int)(i + 1) % 2,
                   times ? 1 : 2);
        }
    for (enum fault f = NONE + 1; f < FAULTS; f++) {
        int made = 0;
        for (int k = 0; k < FOUND; k++)
            made += table[f][k];
        cr_expect(made > 0, "%s is never made", facts[f].name);
        if (getenv("RECKON_TABLE"))
            printf("| %s | %d | %d | %d | %d | %d |\n", facts[f].name, made, table[f][BY_ERROR],
                   table[f][BY_NUMBERS], table[f][BY_WAITING], table[f][SILENT]);
    }
    unlink(run_data());
}
