#include "cli/train_trace.h"

/* Measured ranks come after the predicted stages in one view of both files. */
enum { FIRST_PROCESS = 1000 };

static const char *comma(struct train_trace *t)
{
    const char *between = t->more ? ",\n" : "{\"displayTimeUnit\":\"ms\",\n\"traceEvents\":[\n";
    t->more = true;
    return between;
}

static void write_name(struct train_trace *t, int rank)
{
    const int process = FIRST_PROCESS + rank;
    fprintf(t->file,
            "%s{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"rank %d, "
            "stage %d, measured\"}},\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%d,"
            "\"args\":{\"sort_index\":%d}}",
            comma(t), process, rank, rank / (int)t->ranks_of_stage, process, process);
}

static void write_event(struct train_trace *t, int process, const struct rk_train_event *e)
{
    const double begin_us = 1e6 * (e->begin_s - t->origin_s), us = 1e6 * (e->end_s - e->begin_s);
    fprintf(t->file,
            "%s{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":0,\"ts\":%.3f,"
            "\"dur\":%.3f,\"args\":{\"layer\":%lld,\"microbatch\":%u}},\n"
            "{\"ph\":\"C\",\"name\":\"tensors of the step\",\"pid\":%d,\"ts\":%.3f,\"args\":{"
            "\"bytes\":%llu}}",
            comma(t), e->name, *e->pass ? e->pass : "step", process, begin_us, us,
            (long long)e->layer, e->microbatch, process, begin_us + us,
            (unsigned long long)e->memory_bytes);
}

void train_trace_rank(struct train_trace *t, int rank, const struct rk_train_event *event,
                      size_t events)
{
    if (!t->file || !events) return;
    if (!(t->origin_s > 0)) t->origin_s = event[0].begin_s;
    write_name(t, rank);
    for (size_t i = 0; i < events; i++)
        write_event(t, FIRST_PROCESS + rank, &event[i]);
}

bool train_trace_end(struct train_trace *t)
{
    if (!t->file) return true;
    fprintf(t->file, "%s\n]}\n", t->more ? "" : comma(t));
    const bool ok = !ferror(t->file);
    return fclose(t->file) == 0 && ok;
}
