/* The logs of 1,024 ranks, 10^7 operations: 1F1B of 8 stages, tensor 8, data 16, as texts. They are
 * right: nothing may be found; with one collective left out the rank has to be named. */
#include "bench.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

enum { TENSOR = 8, STAGES = 8, COPIES = 16, RANKS = TENSOR * STAGES * COPIES, MICROBATCHES = 543 };

struct text {
    char *at;
    size_t used, room;
    uint64_t lines;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list values;
    if (t->used + 256 > t->room) {
        t->room = 2 * t->room + 4096;
        t->at = realloc(t->at, t->room);
        check(t->at != NULL, "there is memory");
    }
    va_start(values, format);
    t->used += (size_t)vsnprintf(t->at + t->used, 256, format, values);
    va_end(values);
    t->at[t->used++] = '\n';
    t->lines++;
}

/* Ranks are counted tensor, data, stages. */
static uint32_t rank_at(uint32_t stage, uint32_t copy, uint32_t tensor)
{
    return (stage * COPIES + copy) * TENSOR + tensor;
}

struct place {
    uint32_t stage, copy, tensor;
    char group[32];
    bool forgets; /* one collective */
};

static void forward(struct text *t, const struct place *p, int i)
{
    if (p->stage > 0) {
        put(t, "wait fi%d stream=gpu", i);
    }
    put(t, "run fwd%d stream=gpu reads=in%d,w writes=act%d,out%d", i, i, i, i);
    if (!p->forgets || i != MICROBATCHES / 2)
        put(t, "all_reduce %s bf16 1048576 stream=gpu reads=out%d writes=out%d", p->group, i, i);
    if (p->stage + 1 < STAGES) put(t, "record fo%d stream=gpu", i);
}

static void backward(struct text *t, const struct place *p, int i)
{
    const bool last = p->stage + 1 == STAGES;
    if (!last) put(t, "wait bi%d stream=gpu", i);
    put(t, "run bwd%d stream=gpu reads=act%d,w%s writes=gin%d,grad", i, i, last ? "" : ",w", i);
    put(t, "all_reduce %s bf16 1048576 stream=gpu reads=gin%d writes=gin%d", p->group, i, i);
    if (p->stage > 0) put(t, "record bo%d stream=gpu", i);
}

/* Messages of one stage: with the next, with the one before; each side waits for its event. */
static void receive_input(struct text *t, const struct place *p, int i)
{
    if (!p->stage) return;
    put(t, "recv %" PRIu32 " bf16 1048576 tag=%d stream=net writes=in%d",
        rank_at(p->stage - 1, p->copy, p->tensor), i, i);
    put(t, "record fi%d stream=net", i);
}

static void send_output(struct text *t, const struct place *p, int i)
{
    if (p->stage + 1 == STAGES) return;
    put(t, "wait fo%d stream=net", i);
    put(t, "send %" PRIu32 " bf16 1048576 tag=%d stream=net reads=out%d",
        rank_at(p->stage + 1, p->copy, p->tensor), i, i);
}

static void receive_gradient(struct text *t, const struct place *p, int i)
{
    if (p->stage + 1 == STAGES) return;
    put(t, "recv %" PRIu32 " bf16 1048576 tag=%d stream=net writes=gout%d",
        rank_at(p->stage + 1, p->copy, p->tensor), 100000 + i, i);
    put(t, "record bi%d stream=net", i);
}

static void send_gradient(struct text *t, const struct place *p, int i)
{
    if (!p->stage) return;
    put(t, "wait bo%d stream=net", i);
    put(t, "send %" PRIu32 " bf16 1048576 tag=%d stream=net reads=gin%d",
        rank_at(p->stage - 1, p->copy, p->tensor), 100000 + i, i);
}

/* In the steady state what is sent and what is received in turn starts together. */
static void exchange_next(struct text *t, const struct place *p, int output, int gradient)
{
    if (p->stage + 1 == STAGES) return;
    put(t, "wait fo%d stream=net", output);
    put(t, "begin stream=net");
    put(t, "send %" PRIu32 " bf16 1048576 tag=%d stream=net reads=out%d",
        rank_at(p->stage + 1, p->copy, p->tensor), output, output);
    put(t, "recv %" PRIu32 " bf16 1048576 tag=%d stream=net writes=gout%d",
        rank_at(p->stage + 1, p->copy, p->tensor), 100000 + gradient, gradient);
    put(t, "end stream=net");
    put(t, "record bi%d stream=net", gradient);
}

static void exchange_former(struct text *t, const struct place *p, int gradient, int input)
{
    if (!p->stage) return;
    put(t, "wait bo%d stream=net", gradient);
    put(t, "begin stream=net");
    put(t, "send %" PRIu32 " bf16 1048576 tag=%d stream=net reads=gin%d",
        rank_at(p->stage - 1, p->copy, p->tensor), 100000 + gradient, gradient);
    put(t, "recv %" PRIu32 " bf16 1048576 tag=%d stream=net writes=in%d",
        rank_at(p->stage - 1, p->copy, p->tensor), input, input);
    put(t, "end stream=net");
    put(t, "record fi%d stream=net", input);
}

static void write_rank(struct text *t, const struct place *p)
{
    const int warm = STAGES - 1 - (int)p->stage;
    for (int i = 0; i < warm; i++) {
        receive_input(t, p, i);
        forward(t, p, i);
        send_output(t, p, i);
    }
    receive_input(t, p, warm);
    for (int i = warm, k = 0; i < MICROBATCHES; i++, k++) {
        forward(t, p, i);
        exchange_next(t, p, i, k);
        backward(t, p, k);
        if (i + 1 < MICROBATCHES)
            exchange_former(t, p, k, i + 1);
        else
            send_gradient(t, p, k);
    }
    for (int k = MICROBATCHES - warm; k < MICROBATCHES; k++) {
        receive_gradient(t, p, k);
        backward(t, p, k);
        send_gradient(t, p, k);
    }
    put(t, "record done stream=gpu");
    put(t, "wait done stream=dp");
    put(t, "reduce_scatter %" PRIu32 "-%" PRIu32 ":%d fp32 1048576 stream=dp reads=grad writes=s",
        rank_at(p->stage, 0, p->tensor), rank_at(p->stage, COPIES - 1, p->tensor), TENSOR);
    put(t, "record red stream=dp");
    put(t, "wait red stream=gpu");
    put(t, "run step stream=gpu reads=s,grad writes=w");
}

static void write_all(struct text *texts, uint32_t forgetful)
{
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        struct place p = {rank / TENSOR / COPIES, rank / TENSOR % COPIES, rank % TENSOR, "",
                          rank == forgetful};
        snprintf(p.group, sizeof p.group, "%" PRIu32 "-%" PRIu32 ":1", rank - p.tensor,
                 rank - p.tensor + TENSOR - 1);
        texts[rank].used = 0;
        texts[rank].lines = 0;
        write_rank(&texts[rank], &p);
    }
}

static double measure(const struct text *texts, struct rk_findings *findings, double *read_s)
{
    struct rk_logs *logs = NULL;
    struct rk_error error;
    const double start_s = now_s();
    check_status(rk_logs_new(RANKS, &logs, &error), &error);
    for (uint32_t i = 0; i < RANKS; i++)
        check_status(rk_logs_read(logs, i, "log", texts[i].at, texts[i].used, &error), &error);
    *read_s = now_s() - start_s;
    findings->count = 0;
    check_status(rk_logs_check(logs, NULL, findings, &error), &error);
    rk_logs_release(logs);
    return now_s() - start_s;
}

int main(void)
{
    static struct text texts[RANKS];
    static struct rk_findings findings;
    struct rusage before, after;
    double read_s;
    uint64_t operations = 0, bytes = 0;
    write_all(texts, RANKS);
    for (int i = 0; i < RANKS; i++) {
        operations += texts[i].lines;
        bytes += texts[i].used;
    }
    getrusage(RUSAGE_SELF, &before);
    const double all_s = measure(texts, &findings, &read_s);
    getrusage(RUSAGE_SELF, &after);
    const double cpu_s = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                         1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) +
                         (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
                         1e-6 * (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec);
    check(findings.count == 0, "right logs have no findings");
    printf("{\"bench\": \"check logs\", \"ranks\": %d, \"operations\": %" PRIu64
           ", \"text_MiB\": %.0f, \"read_s\": %.2f, \"all_s\": %.2f, \"cpu_s\": %.2f, \"MiB\": "
           "%.0f}\n",
           RANKS, operations, (double)bytes / 0x1p20, read_s, all_s, cpu_s,
           (double)(after.ru_maxrss - before.ru_maxrss) / 1024);
    write_all(texts, 500);
    measure(texts, &findings, &read_s);
    int named = 0;
    for (int i = 0; i < findings.count; i++)
        named +=
            strcmp(findings.finding[i].rule, "7.match") == 0 && findings.finding[i].rank == 500;
    check(named == 1, "the rank that left a collective out is named");
    return 0;
}
