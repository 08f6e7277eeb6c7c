/* Ranks as threads: collectives bring what they should, and what goes wrong is named on all ranks,
 * soon. */
#include "run/comm.h"

#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 7, FAR = 33, COUNT = 50 };

typedef bool rank_body(struct comm *comm, const struct comm_group *world);

struct member {
    struct comm *comm;
    rank_body *body;
    int ranks;
    bool ok;
    pthread_t thread;
};

static void *run_member(void *context)
{
    struct member *m = context;
    int ranks[FAR];
    for (int i = 0; i < m->ranks; i++)
        ranks[i] = i;
    const struct comm_group world = {m->ranks, m->comm->rank, ranks};
    m->ok = m->body(m->comm, &world);
    return NULL;
}

/* The error of the hub; `oks`: ranks that came through. */
static struct rk_error run(int ranks, double limit_s, rank_body *body, int *oks)
{
    struct comm_hub *hub = comm_hub_open(ranks, limit_s);
    struct member member[FAR];
    *oks = 0;
    for (int i = 0; i < ranks; i++) {
        member[i] = (struct member){comm_hub_rank(hub, i), body, ranks, false, 0};
        cr_assert_eq(pthread_create(&member[i].thread, NULL, run_member, &member[i]), 0);
    }
    for (int i = 0; i < ranks; i++) {
        pthread_join(member[i].thread, NULL);
        *oks += member[i].ok;
    }
    const struct rk_error error = comm_hub_error(hub);
    comm_hub_close(hub);
    return error;
}

static void add_ints(void *y, const void *x, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(int); i++)
        ((int *)y)[i] += ((const int *)x)[i];
}

static int value(int rank, int i)
{
    return rank * 1000 + i * i;
}

static int sum_at(int ranks, int i)
{
    int sum = 0;
    for (int r = 0; r < ranks; r++)
        sum += value(r, i);
    return sum;
}

static bool right_sums(struct comm *comm, const struct comm_group *world)
{
    const int n = world->ranks, me = world->me;
    int data[COUNT], scratch[COUNT], all[COUNT * MOST], part[COUNT];
    for (int i = 0; i < COUNT; i++)
        data[i] = value(me, i);
    if (!comm_all_reduce(comm, world, "sum", data, sizeof data, sizeof *data, scratch, add_ints))
        return false;
    for (int i = 0; i < COUNT; i++)
        if (data[i] != sum_at(n, i)) return false;
    for (int i = 0; i < COUNT * n; i++)
        all[i] = value(me, i);
    if (!comm_reduce_scatter(comm, world, "part", all, part, sizeof part, add_ints)) return false;
    for (int i = 0; i < COUNT; i++)
        if (part[i] != sum_at(n, me * COUNT + i)) return false;
    if (!comm_all_gather(comm, world, "gather", part, all, sizeof part)) return false;
    for (int i = 0; i < COUNT * n; i++)
        if (all[i] != sum_at(n, i)) return false;
    return comm_barrier(comm, world);
}

Test(run_comm, collectives)
{
    for (int ranks = 1; ranks <= MOST; ranks++) {
        int oks;
        const struct rk_error error = run(ranks, 10, right_sums, &oks);
        cr_expect_eq(oks, ranks, "%d of %d ranks: %s", oks, ranks, error.text);
    }
}

/* ---- faults ---- */

static bool sizes_differ(struct comm *comm, const struct comm_group *world)
{
    char mine[16] = {0}, all[64];
    return comm_all_gather(comm, world, "mlp reduce", mine, all, world->me == 1 ? 16 : 8);
}

static bool names_differ(struct comm *comm, const struct comm_group *world)
{
    char mine[8] = {0}, all[32];
    return comm_all_gather(comm, world, world->me == 2 ? "attention reduce" : "mlp reduce", mine,
                           all, 8);
}

static bool one_stays_away(struct comm *comm, const struct comm_group *world)
{
    char mine[8] = {0}, all[32];
    return world->me == 0 || comm_all_gather(comm, world, "loss", mine, all, 8);
}

static bool one_fails(struct comm *comm, const struct comm_group *world)
{
    struct rk_error error;
    char mine[8] = {0}, all[32];
    if (world->me) return comm_all_gather(comm, world, "loss", mine, all, 8);
    rk_fail(&error, RK_IO, NULL, 0, 0, "the disk of rank 0 is full");
    return comm_fail(comm, &error);
}

static bool messages_cross(struct comm *comm, const struct comm_group *world)
{
    int got = 0, one = 1, two = 2;
    if (world->me == 0)
        return comm_send(comm, 1, COMM_MESSAGES + 7, "a", &one, sizeof one) &&
               comm_send(comm, 1, COMM_MESSAGES + 8, "b", &two, sizeof two);
    return comm_receive(comm, 0, COMM_MESSAGES + 8, "b", &got, sizeof got) && got == 2 &&
           comm_receive(comm, 0, COMM_MESSAGES + 7, "a", &got, sizeof got) && got == 1;
}

Test(run_comm, faults)
{
    static const struct {
        rank_body *body;
        int ranks, oks;
        const char *says[2];
    } cases[] = {
        {sizes_differ, 3, 0, {"bytes of \"mlp reduce\"", "which sends"}},
        {names_differ, 3, 0, {"\"mlp reduce\"", "\"attention reduce\""}},
        {one_stays_away, 3, 1, {"waited 1 s for \"loss\" of rank 0", ""}},
        {one_fails, 4, 0, {"the disk of rank 0 is full", ""}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int oks;
        const struct rk_error error = run(cases[i].ranks, 1, cases[i].body, &oks);
        cr_expect_leq(oks, cases[i].oks, "case %d: %d ranks came through", (int)i, oks);
        cr_expect_neq(error.status, RK_OK);
        for (int s = 0; s < 2; s++)
            cr_expect(strstr(error.text, cases[i].says[s]), "case %d says \"%s\"", (int)i,
                      error.text);
    }
    int oks; /* tags tell messages apart, whatever their order */
    run(2, 5, messages_cross, &oks);
    cr_expect_eq(oks, 2);
}

/* ---- the virtual clock ---- */

/* Rank 0 is 2 s ahead by its clock; a message takes 0.5 s more. No second passes. */
static bool pass_clock(struct comm *comm, const struct comm_group *world)
{
    char byte = 0;
    comm->clock.latency_s = 0.5;
    comm_clock_begin(comm);
    if (comm->rank == 0) comm_clock_wait(comm, 2);
    for (int i = 0; i + 1 < world->ranks; i++) {
        if (comm->rank == i && !comm_send(comm, i + 1, COMM_MESSAGES, "on", &byte, 1)) return false;
        if (comm->rank == i + 1 && !comm_receive(comm, i, COMM_MESSAGES, "on", &byte, 1))
            return false;
    }
    const double wanted_s = 2 + 0.5 * comm->rank;
    return comm->clock.now_s >= wanted_s && comm->clock.now_s < wanted_s + 0.25;
}

Test(run_comm, a_message_brings_the_clock_of_its_sender)
{
    int oks;
    cr_expect_eq(run(4, 10, pass_clock, &oks).status, RK_OK);
    cr_expect_eq(oks, 4);
}

/* A piece of work counts with the least that it has taken. */
static bool work_less(struct comm *comm, const struct comm_group *world)
{
    (void)world;
    volatile double sum = 0;
    double first_s = 0;
    for (int step = 0; step < 3; step++) {
        comm_clock_begin(comm);
        for (int i = 0; i < (step == 1 ? 1000 : 3000000); i++)
            sum += i;
        comm_clock_work(comm);
        if (step == 0) first_s = comm->clock.now_s;
    }
    return sum > 0 && comm->clock.now_s < first_s / 10;
}

Test(run_comm, work_counts_with_the_least_of_all_steps)
{
    int oks;
    run(1, 10, work_less, &oks);
    cr_expect_eq(oks, 1);
}

static double processor_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What came before the first step, next to nothing here, is no piece of it. */
static bool work_after(struct comm *comm, const struct comm_group *world)
{
    (void)world;
    volatile double sum = 0;
    for (int i = 0; i < 10; i++)
        comm_clock_work(comm);
    const double from = processor_s();
    comm_clock_begin(comm);
    for (int i = 0; i < 3000000; i++)
        sum += i;
    comm_clock_work(comm);
    return sum > 0 && comm->clock.now_s > (processor_s() - from) / 2;
}

Test(run_comm, steps_begin_anew)
{
    int oks;
    run(1, 10, work_after, &oks);
    cr_expect_eq(oks, 1);
}

/* Work of another amount each time counts with the least that a unit of it has taken. */
static bool work_by_amount(struct comm *comm, const struct comm_group *world)
{
    static const double amounts[] = {3, 4, 2, 8};
    (void)world;
    volatile double sum = 0;
    double unit_s = 0;
    bool ok = true;
    for (int step = 0; step < 4; step++) {
        comm_clock_begin(comm);
        for (int i = 0; i < (step < 2 ? 1000 : 3000000); i++)
            sum += i;
        comm_clock_amount(comm, amounts[step]);
        comm_clock_work(comm);
        if (step == 1) unit_s = comm->clock.now_s / amounts[1];
        if (step > 1) ok = ok && fabs(comm->clock.now_s / amounts[step] - unit_s) < 1e-9 * unit_s;
    }
    return sum > 0 && unit_s > 0 && ok;
}

Test(run_comm, work_counts_by_its_amount)
{
    int oks;
    run(1, 10, work_by_amount, &oks);
    cr_expect_eq(oks, 1);
}

/* Rank r comes r * 100 s after rank 0: all but the last wait for it, and that is told apart. */
static bool come_late(struct comm *comm, const struct comm_group *world)
{
    int data[COUNT] = {0}, scratch[COUNT];
    const double last_s = 100.0 * (world->ranks - 1), late_s = last_s - 100.0 * world->me;
    comm_clock_begin(comm);
    comm->clock.now_s = 100.0 * world->me;
    comm_clock_meet(comm);
    if (!comm_all_reduce(comm, world, "sum", data, sizeof data, sizeof(int), scratch, add_ints))
        return false;
    return fabs(comm_clock_late_s(comm) - late_s) < 1 && comm->clock.now_s >= last_s &&
           comm->clock.now_s < last_s + 50;
}

Test(run_comm, waiting_for_ranks_is_told_from_messages)
{
    int oks;
    cr_expect_eq(run(4, 10, come_late, &oks).status, RK_OK);
    cr_expect_eq(oks, 4);
}

/* ---- what is sent: the counts that predictions take (machine/collectives.c) ---- */

static __thread bool (*post_of_hub)(struct comm *, int, struct comm_message *);
static __thread size_t posted, posted_bytes;

static bool count_post(struct comm *comm, int to, struct comm_message *message)
{
    posted++;
    posted_bytes += message->bytes;
    return post_of_hub(comm, to, message);
}

/* So many messages of so many bytes since the last time? */
static bool sent(size_t messages, size_t bytes)
{
    const bool right = posted == messages && posted_bytes == messages * bytes;
    posted = posted_bytes = 0;
    return right;
}

/* Each rank has a part for each other one: one message of its size, twice in an all-reduce. */
static bool count_messages(struct comm *comm, const struct comm_group *world)
{
    enum { PART = 12 };
    const size_t n = (size_t)world->ranks, bytes = PART * sizeof(int);
    int all[MOST * PART] = {0}, more[MOST * PART], part[PART] = {0};
    size_t at[MOST], sizes[MOST];
    for (size_t i = 0; i < n; i++) {
        at[i] = i * bytes;
        sizes[i] = bytes;
    }
    post_of_hub = comm->post;
    comm->post = count_post;
    posted = posted_bytes = 0;
    return comm_all_reduce(comm, world, "a", all, n * bytes, sizeof(int), part, add_ints) &&
           sent(2 * (n - 1), bytes) &&
           comm_reduce_scatter(comm, world, "b", all, part, bytes, add_ints) &&
           sent(n - 1, bytes) && comm_all_gather(comm, world, "c", part, all, bytes) &&
           sent(n - 1, bytes) &&
           comm_all_to_all(comm, world, "d", all, at, sizes, more, at, sizes) &&
           sent(n - 1, bytes) && comm_pass_on(comm, world, "e", all, part, bytes) && sent(1, bytes);
}

Test(run_comm, a_message_for_each_other_rank)
{
    for (int ranks = 2; ranks <= MOST; ranks++) {
        int oks;
        cr_expect_eq(run(ranks, 10, count_messages, &oks).status, RK_OK);
        cr_expect_eq(oks, ranks);
    }
}

/* ---- beyond eight ranks ---- */

static _Thread_local size_t far_messages;

static bool count_far(struct comm *comm, int to, struct comm_message *message)
{
    far_messages++;
    return post_of_hub(comm, to, message);
}

static void add_floats(void *y, const void *x, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(float); i++)
        ((float *)y)[i] += ((const float *)x)[i];
}

/* Sums that depend on their order. */
static float addend(int rank, size_t i)
{
    return (float)(rank % 3 ? 1 : 1e7) * (float)(1 + (rank * 31 + (int)i * 17) % 97) * 1e-3f;
}

static bool sums_in_order(struct comm *comm, const struct comm_group *world, size_t count)
{
    static const size_t most = 5000;
    float *x = calloc(2 * most, sizeof *x), *part = x + most;
    bool ok = x && count <= most;
    for (size_t i = 0; i < count && ok; i++)
        x[i] = addend(world->me, i);
    ok = ok &&
         comm_all_reduce(comm, world, "sum", x, count * sizeof *x, sizeof *x, part, add_floats);
    for (size_t i = 0; i < count && ok; i++) {
        float sum = addend(0, i);
        for (int r = 1; r < world->ranks; r++)
            sum += addend(r, i);
        ok = x[i] == sum;
    }
    free(x);
    return ok;
}

static bool gathers(struct comm *comm, const struct comm_group *world, size_t bytes)
{
    char *all = calloc((size_t)world->ranks + 1, bytes), *part = all + (size_t)world->ranks * bytes;
    bool ok = all != NULL;
    for (size_t i = 0; i < bytes && ok; i++)
        part[i] = (char)(world->me * 7 + (int)i);
    ok = ok && comm_all_gather(comm, world, "all", part, all, bytes);
    for (int r = 0; r < world->ranks && ok; r++)
        for (size_t i = 0; i < bytes; i++)
            ok = ok && all[(size_t)r * bytes + i] == (char)(r * 7 + (int)i);
    free(all);
    return ok;
}

/* At most two messages for each binary digit of n - 1, where an array's end comes in between. */
static bool far_ranks(struct comm *comm, const struct comm_group *world)
{
    const size_t digits = (size_t)ceil(log2(world->ranks));
    char said = world->me == 0 ? 'x' : 0;
    post_of_hub = comm->post;
    comm->post = count_far;
    far_messages = 0;
    bool ok = gathers(comm, world, 1) && far_messages <= 2 * digits;
    far_messages = 0;
    ok = ok && gathers(comm, world, 3000) && far_messages <= 2 * digits;
    far_messages = 0;
    ok = ok && sums_in_order(comm, world, 7) && far_messages <= 2 * digits;
    far_messages = 0;
    ok = ok && comm_barrier(comm, world) && far_messages <= 2 * digits;
    return ok && comm_agree(comm, "word", &said) && said == 'x' &&
           sums_in_order(comm, world, 5000) && sums_in_order(comm, world, 1100);
}

Test(run_comm, few_messages_of_many_ranks)
{
    for (int ranks = 9; ranks <= FAR; ranks += ranks < 17 ? 1 : 8) {
        int oks;
        const struct rk_error error = run(ranks, 20, far_ranks, &oks);
        cr_expect_eq(error.status, RK_OK, "%d ranks: %s", ranks, error.text);
        cr_expect_eq(oks, ranks, "%d ranks", ranks);
    }
}
