#include "galvatron/program.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From `memory` on f is `time_s`, reached from strategy `from`. */
struct step {
    int memory, from;
    double time_s;
};

struct event { /* a step of the layer before, of one strategy */
    int memory, strategy;
    double time_s;
};

struct galvatron_steps {
    struct step *step; /* (count) by layer, strategy, memory */
    size_t count, room;
    size_t *first; /* (layers * strategies + 1) in step */
    size_t first_room;
    struct event *event; /* (events) by memory, then strategy */
    size_t events, event_room;
    int *place; /* (budget + 2) to sort them */
    size_t place_room;
};

struct galvatron_steps *galvatron_steps_new(void)
{
    return calloc(1, sizeof(struct galvatron_steps));
}

void galvatron_steps_free(struct galvatron_steps *steps)
{
    if (!steps) return;
    free(steps->step);
    free(steps->first);
    free(steps->event);
    free(steps->place);
    free(steps);
}

static int least_of(const int *memory, int strategies)
{
    int least = memory[0];
    for (int s = 1; s < strategies; s++)
        if (memory[s] < least) least = memory[s];
    return least;
}

long galvatron_program_least(const struct galvatron_program *program)
{
    long sum = 0;
    for (int i = 0; i < program->layers; i++)
        sum += least_of(program->memory[i], program->strategies);
    return sum;
}

/* The steps of the layer before, by memory; of equal memory the smaller strategy first. */
static bool sort_events(struct galvatron_steps *steps, const size_t *first, int strategies,
                        int limit)
{
    const size_t count = first[strategies] - first[0];
    if (!ARRAY_RESERVE(steps->event, steps->event_room, count) ||
        !ARRAY_RESERVE(steps->place, steps->place_room, (size_t)limit + 2))
        return false;
    int *place = steps->place;
    memset(place, 0, ((size_t)limit + 2) * sizeof *place);
    for (size_t k = first[0]; k < first[strategies]; k++)
        if (steps->step[k].memory <= limit) place[steps->step[k].memory + 1]++;
    for (int v = 0; v <= limit; v++)
        place[v + 1] += place[v];
    steps->events = (size_t)place[limit + 1];
    for (int s = 0; s < strategies; s++)
        for (size_t k = first[s]; k < first[s + 1] && steps->step[k].memory <= limit; k++)
            steps->event[place[steps->step[k].memory]++] =
                (struct event){steps->step[k].memory, s, steps->step[k].time_s};
    return true;
}

/* The steps of one strategy of the layer, up to `limit`; there is room for them. */
static void merge(struct galvatron_steps *steps, const double *change, double time_s, int memory,
                  int limit)
{
    const struct event *event = steps->event, *const end = event + steps->events;
    struct step best = {.from = -1, .time_s = INFINITY};
    while (event < end && event->memory <= limit - memory) {
        const int v = event->memory;
        bool better = false;
        for (; event < end && event->memory == v; event++) {
            const double s = (event->time_s + change[event->strategy]) + time_s;
            if (s > best.time_s || (s == best.time_s && event->strategy >= best.from)) continue;
            best = (struct step){v + memory, event->strategy, s};
            better = true;
        }
        if (better) {
            best.memory = v + memory;
            steps->step[steps->count++] = best;
        }
    }
}

bool galvatron_program_solve(const struct galvatron_program *program, struct galvatron_steps *steps)
{
    const int count = program->strategies;
    const size_t lists = (size_t)program->layers * (size_t)count;
    bool done = false;
    double *column = calloc((size_t)count, sizeof *column);
    if (!column || !ARRAY_RESERVE(steps->first, steps->first_room, lists + 1)) goto out;
    /* Layers to come need at least `rest`: above the budget less that nothing is asked for. */
    long rest = galvatron_program_least(program);
    steps->count = steps->events = 0;
    if (!ARRAY_RESERVE(steps->event, steps->event_room, (size_t)count)) goto out;
    for (int s = 0; s < count; s++)
        steps->event[steps->events++] = (struct event){0, s, 0};

    for (int i = 0; i < program->layers; i++) {
        size_t *const first = steps->first + (size_t)i * (size_t)count;
        const double *const change = program->change[i];
        rest -= least_of(program->memory[i], count);
        const long limit = program->budget - rest;
        if (!ARRAY_RESERVE(steps->step, steps->room, steps->count + steps->events * (size_t)count))
            goto out;
        for (int s = 0; s < count; s++) {
            for (int from = 0; change && from < count; from++)
                column[from] = change[from * count + s];
            if (!change) memset(column, 0, (size_t)count * sizeof *column);
            first[s] = steps->count;
            if (limit >= 0)
                merge(steps, column, program->time[i][s], program->memory[i][s], (int)limit);
        }
        first[count] = steps->count;
        if (limit < 0)
            steps->events = 0;
        else if (!sort_events(steps, first, count, (int)limit))
            goto out;
    }
    done = true;
out:
    free(column);
    return done;
}

/* The step that holds at `memory`; NULL: nothing fits in it. */
static const struct step *step_at(const struct galvatron_steps *steps, size_t list, int memory)
{
    size_t low = steps->first[list], high = steps->first[list + 1];
    const size_t begin = low;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (steps->step[middle].memory <= memory)
            low = middle + 1;
        else
            high = middle;
    }
    return low > begin ? &steps->step[low - 1] : NULL;
}

bool galvatron_program_answer(const struct galvatron_program *program,
                              const struct galvatron_steps *steps, int memory, int *choice,
                              struct galvatron_path *path)
{
    const int count = program->strategies, last = program->layers - 1;
    const struct step *best = NULL;
    int next = 0;
    for (int s = 0; memory >= 0 && s < count; s++) {
        const struct step *step = step_at(steps, (size_t)last * (size_t)count + (size_t)s, memory);
        if (!step || (best && step->time_s >= best->time_s)) continue;
        best = step;
        next = s;
    }
    if (!best) return false;
    path->time_s = best->time_s;
    for (int i = last; i >= 0; i--) {
        const struct step *step = step_at(steps, (size_t)i * (size_t)count + (size_t)next, memory);
        choice[i] = next;
        memory -= program->memory[i][next];
        next = step->from;
    }
    path->remaining = memory;
    return true;
}
