#include "galvatron/search.h"

#include "base/memory.h"
#include "galvatron/program.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum mode { TENSOR_ONLY, ULYSSES_ONLY, BOTH, MODES };

/* One round of the outer loop, and what it found: sizes below are those of the question. */
struct round {
    struct galvatron_job job;
    int stages, buffer;
    enum mode mode;
    int layers;
    size_t count, ends;                             /* strategies of layers, of embedding */
    const struct galvatron_strategy **layer, **end; /* (count), (ends) */
    int *division;                                  /* (stages) */
    int budget_MB, reserved_MB;

    struct galvatron_time **time;    /* (kinds) rows of (count) */
    int **memory;                    /* (kinds) rows of (count), of one stage */
    double **sync;                   /* (kinds) rows of (count): time with synchronisation */
    double **change;                 /* (kinds) tables of (count, count) */
    const int **layer_memory;        /* (layers) rows */
    const double **layer_time;       /* (layers) rows */
    const double **layer_change;     /* (layers) tables */
    int *kind;                       /* (layers) */
    int *choice;                     /* (ends, layers) */
    int *left_MB;                    /* (ends, stages); -1: nothing fits */
    double *stage_s, *sync_s, *term; /* (stages), (stages), (layers) */
    struct galvatron_steps *steps;
};

int galvatron_budget_MB(uint64_t memory_GB, int *reserved_MB)
{
    const int all = (int)memory_GB * 1024;
    *reserved_MB = memory_GB > 20 ? (int)(all * 0.2) : 0;
    return all - *reserved_MB;
}

/* The smallest memory that leaves so much; above 20 GB a fifth goes, so that 21 GB hold less. */
static uint64_t least_GB(long need_MB)
{
    int reserved;
    uint64_t GB = 1;
    while (GB < 1000000 && galvatron_budget_MB(GB, &reserved) < need_MB)
        GB++;
    return GB;
}

/* MB rounded up, as whole units; what no memory can hold stays below overflow. */
static int whole_MB(double MB)
{
    const double up = ceil(MB);
    return up < 1 ? 1 : up > 1e8 ? (int)1e8 : (int)up;
}

static double enc_MB(const struct galvatron_job *job, const struct galvatron_strategy *strategy,
                     int kind, int stage)
{
    const struct galvatron_memory memory = galvatron_layer_memory(job, strategy, kind, stage);
    return memory.states_MB + memory.activation_MB;
}

/* ---- a round's strategies and costs ---- */

static bool in_mode(enum mode mode, const struct galvatron_strategy *strategy)
{
    return mode == BOTH || (mode == TENSOR_ONLY ? strategy->ulysses : strategy->tensor) == 1;
}

static size_t filter(const struct round *round, int max_data, size_t count,
                     const struct galvatron_strategy *all, const struct galvatron_strategy **kept)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (all[i].pipeline == round->stages && galvatron_split(&all[i]) <= round->buffer &&
            all[i].data <= max_data && in_mode(round->mode, &all[i]))
            kept[found++] = &all[i];
    return found;
}

static double buffer_MB(const struct round *round)
{
    return round->mode == ULYSSES_ONLY
               ? 0
               : galvatron_buffer_MB(&round->job, round->stages, round->buffer);
}

/* Times and changes of layout, for each kind. */
static void price(struct round *round)
{
    const struct galvatron_job *job = &round->job;
    for (int kind = 0; kind < job->model->kinds; kind++)
        for (size_t s = 0; s < round->count; s++) {
            round->time[kind][s] = galvatron_layer_time(job, round->layer[s], kind);
            round->sync[kind][s] = round->time[kind][s].sync_s;
        }
}

static void price_changes(struct round *round)
{
    for (int kind = 0; kind < round->job.model->kinds; kind++)
        for (size_t from = 0; from < round->count; from++)
            for (size_t to = 0; to < round->count; to++)
                round->change[kind][from * round->count + to] =
                    galvatron_change_s(&round->job, round->layer[from], round->layer[to], kind);
}

/* The step's time with strategy `pick[i]` for layer i. */
static double step_s(struct round *round, const struct galvatron_strategy *end, const int *pick)
{
    int first = 0;
    for (int stage = 0; stage < round->stages; stage++) {
        const int layers = round->division[stage];
        for (int sync = 0; sync < 2; sync++) {
            for (int i = 0; i < layers; i++) {
                const struct galvatron_time *time =
                    &round->time[round->kind[first + i]][pick[first + i]];
                round->term[i] = sync ? time->sync_s : time->s;
            }
            (sync ? round->sync_s : round->stage_s)[stage] = galvatron_sum(layers, round->term);
        }
        round->stage_s[stage] += galvatron_end_time(&round->job, end, stage).s;
        first += layers;
    }
    return galvatron_step_s(round->stages, round->job.chunks, round->stage_s, round->sync_s);
}

/* ---- the best so far ---- */

struct best {
    struct galvatron_answer *answer;
    double round_s; /* of this round; INFINITY: nothing yet */
    long need_MB;   /* the least that any choice of any round takes */
};

/* Takes a choice over when it is faster than those of its round before it, and of the rounds
 * before. A round's best is compared by throughput, as published. */
static void offer(struct best *best, const struct round *round, double time_s,
                  const struct galvatron_strategy *end, const int *pick, const int *left_MB)
{
    struct galvatron_answer *answer = best->answer;
    if (!(time_s < best->round_s)) return;
    best->round_s = time_s;
    const double rate = round->job.batch / time_s;
    if (answer->found && !(rate > answer->samples_per_s)) return;
    answer->found = true;
    answer->samples_per_s = rate;
    answer->step_s = time_s;
    answer->batch = round->job.batch;
    answer->chunks = round->job.chunks;
    answer->stages = round->stages;
    answer->embedding = *end;
    for (int i = 0; i < round->layers; i++)
        answer->layer[i] = *round->layer[pick[i]];
    for (int k = 0; k < round->stages; k++) {
        answer->division[k] = round->division[k];
        answer->left_MB[k] = left_MB[k];
        answer->used_MB[k] = round->budget_MB - left_MB[k] + round->reserved_MB;
    }
}

/* ---- coarse ---- */

static void search_coarse(struct round *round, struct best *best)
{
    const long buffer = (long)ceil(buffer_MB(round));
    for (size_t s = 0; s < round->count; s++) {
        const struct galvatron_strategy *strategy = round->layer[s];
        struct galvatron_strategy end = *strategy;
        long most = 0;
        int first = 0;
        end.recompute = false;
        for (int stage = 0; stage < round->stages; stage++) {
            long used = buffer + whole_MB(galvatron_end_MB(&round->job, &end, stage));
            for (int i = 0; i < round->division[stage]; i++)
                used += whole_MB(enc_MB(&round->job, strategy, round->kind[first + i], stage));
            first += round->division[stage];
            round->left_MB[stage] =
                round->budget_MB - (int)(used < INT_MAX / 2 ? used : INT_MAX / 2);
            if (used > most) most = used;
        }
        if (most < best->need_MB) best->need_MB = most;
        if (most > round->budget_MB) continue;
        for (int i = 0; i < round->layers; i++)
            round->choice[i] = (int)s;
        offer(best, round, step_s(round, &end, round->choice), &end, round->choice, round->left_MB);
    }
}

/* ---- fine ---- */

/* The best choice of one stage for each embedding strategy, all from one solution. */
static bool search_stage(struct round *round, int stage, int first, long *need_MB)
{
    const int kinds = round->job.model->kinds, layers = round->division[stage];
    const int buffer = (int)buffer_MB(round);
    int largest = -1;
    for (int kind = 0; kind < kinds; kind++)
        for (size_t s = 0; s < round->count; s++)
            round->memory[kind][s] = whole_MB(enc_MB(&round->job, round->layer[s], kind, stage));
    for (int i = 0; i < layers; i++) {
        const int kind = round->kind[first + i];
        round->layer_memory[i] = round->memory[kind];
        round->layer_time[i] = round->sync[kind];
        round->layer_change[i] = first + i ? round->change[kind] : NULL;
    }
    struct galvatron_program program = {
        .layers = layers,
        .strategies = (int)round->count,
        .memory = round->layer_memory,
        .time = round->layer_time,
        .change = round->layer_change,
    };
    const long least = galvatron_program_least(&program);
    for (size_t e = 0; e < round->ends; e++) {
        const int extra = whole_MB(galvatron_end_MB(&round->job, round->end[e], stage)) + buffer;
        if (least + extra > need_MB[e]) need_MB[e] = least + extra;
        round->left_MB[e * (size_t)round->stages + (size_t)stage] = round->budget_MB - extra;
        if (round->budget_MB - extra > largest) largest = round->budget_MB - extra;
    }
    program.budget = largest;
    if (largest >= 0 && !galvatron_program_solve(&program, round->steps)) return false;
    for (size_t e = 0; e < round->ends; e++) {
        int *left = &round->left_MB[e * (size_t)round->stages + (size_t)stage];
        struct galvatron_path path;
        int *choice = round->choice + e * (size_t)round->layers + first;
        const bool fits =
            *left >= 0 && galvatron_program_answer(&program, round->steps, *left, choice, &path);
        *left = fits ? path.remaining : -1;
    }
    return true;
}

static bool search_fine(struct round *round, struct best *best)
{
    long *need_MB = calloc(round->ends, sizeof *need_MB);
    int first = 0;
    bool done = need_MB != NULL;
    if (done) price_changes(round);
    for (int stage = 0; done && stage < round->stages; stage++) {
        done = search_stage(round, stage, first, need_MB);
        first += round->division[stage];
    }
    for (size_t e = 0; done && e < round->ends; e++) {
        const int *left = round->left_MB + e * (size_t)round->stages;
        const int *choice = round->choice + e * (size_t)round->layers;
        bool fits = true;
        for (int stage = 0; stage < round->stages; stage++)
            fits &= left[stage] >= 0;
        if (need_MB[e] < best->need_MB) best->need_MB = need_MB[e];
        if (fits)
            offer(best, round, step_s(round, round->end[e], choice), round->end[e], choice, left);
    }
    free(need_MB);
    return done;
}

/* ---- rounds ---- */

static void round_free(struct round *round, int kinds)
{
    for (int kind = 0; kind < kinds; kind++) {
        if (round->time) free(round->time[kind]);
        if (round->memory) free(round->memory[kind]);
        if (round->sync) free(round->sync[kind]);
        if (round->change) free(round->change[kind]);
    }
    free(round->time);
    free(round->memory);
    free(round->sync);
    free(round->change);
    free(round->layer);
    free(round->end);
    free(round->division);
    free(round->layer_memory);
    free(round->layer_time);
    free(round->layer_change);
    free(round->kind);
    free(round->choice);
    free(round->left_MB);
    free(round->stage_s);
    free(round->sync_s);
    free(round->term);
    galvatron_steps_free(round->steps);
}

static bool round_new(struct round *round, const struct galvatron_model *model,
                      const struct galvatron_choice *choice)
{
    const size_t kinds = (size_t)model->kinds, count = choice->layers + 1,
                 ends = choice->embeddings + 1;
    size_t layers = 0;
    for (int i = 0; i < model->kinds; i++)
        layers += (size_t)model->kind[i].layers;
    const size_t stages = layers; /* at most */
    round->layers = (int)layers;
    bool done = (round->time = calloc(kinds, sizeof *round->time)) &&
                (round->memory = calloc(kinds, sizeof *round->memory)) &&
                (round->sync = calloc(kinds, sizeof *round->sync)) &&
                (round->change = calloc(kinds, sizeof *round->change)) &&
                (round->layer = calloc(count, sizeof *round->layer)) &&
                (round->end = calloc(ends, sizeof *round->end)) &&
                (round->division = calloc(stages, sizeof *round->division)) &&
                (round->layer_memory = calloc(layers, sizeof *round->layer_memory)) &&
                (round->layer_time = calloc(layers, sizeof *round->layer_time)) &&
                (round->layer_change = calloc(layers, sizeof *round->layer_change)) &&
                (round->kind = calloc(layers, sizeof *round->kind)) &&
                (round->choice = calloc(ends * layers, sizeof *round->choice)) &&
                (round->left_MB = calloc(ends * stages, sizeof *round->left_MB)) &&
                (round->stage_s = calloc(stages, sizeof *round->stage_s)) &&
                (round->sync_s = calloc(stages, sizeof *round->sync_s)) &&
                (round->term = calloc(layers, sizeof *round->term)) &&
                (round->steps = galvatron_steps_new());
    for (size_t kind = 0; done && kind < kinds; kind++)
        done = (round->time[kind] = calloc(count, sizeof **round->time)) &&
               (round->memory[kind] = calloc(count, sizeof **round->memory)) &&
               (round->sync[kind] = calloc(count, sizeof **round->sync)) &&
               (round->change[kind] = calloc(count * count, sizeof **round->change));
    for (int kind = 0, i = 0; done && kind < model->kinds; kind++)
        for (int j = 0; j < model->kind[kind].layers; j++)
            round->kind[i++] = kind;
    return done;
}

static bool search_round(struct round *round, const struct galvatron_question *question,
                         const struct galvatron_choice *choice, int max_data, struct best *best)
{
    round->count = filter(round, max_data, choice->layers, choice->layer, round->layer);
    round->ends = filter(round, max_data, choice->embeddings, choice->embedding, round->end);
    if (!round->count || !round->ends) return true;
    galvatron_division(round->layers, round->stages, round->division);
    price(round);
    best->round_s = INFINITY;
    if (question->fine) return search_fine(round, best);
    search_coarse(round, best);
    return true;
}

/* Modes and buffers of a batch, its chunks and a pipeline degree. */
static bool search_pipeline(struct round *round, const struct galvatron_question *question,
                            const struct galvatron_choice *choice, struct best *best)
{
    const int ranks =
        round->job.hardware->nodes * round->job.hardware->gpus_per_node / round->stages;
    const int samples = round->job.batch / round->job.chunks;
    const int max_data = samples < ranks ? samples : ranks, least = ranks / max_data;
    const int most = (uint64_t)ranks < question->max_tensor ? ranks : (int)question->max_tensor;
    for (round->mode = TENSOR_ONLY; round->mode < MODES; round->mode++)
        for (int u = round->mode == ULYSSES_ONLY ? most : least; u <= most; u++) {
            const bool any = round->mode == ULYSSES_ONLY || galvatron_power_of_two(u);
            round->buffer = u;
            if (any && !search_round(round, question, choice, max_data, best)) return false;
        }
    return true;
}

/* Is there an embedding strategy of that pipeline degree? Those are the degrees tried. */
static bool has_pipeline(const struct galvatron_choice *choice, int stages)
{
    for (size_t i = 0; i < choice->embeddings; i++)
        if (choice->embedding[i].pipeline == stages) return true;
    return false;
}

static bool search_batch(struct round *round, const struct galvatron_question *question,
                         const struct galvatron_choice *choice, struct best *best)
{
    const int batch = round->job.batch, asked = (int)question->chunks;
    for (int chunks = asked ? asked : 1; chunks <= (asked ? asked : batch); chunks++) {
        if (batch % chunks != 0) continue;
        round->job.chunks = chunks;
        for (int p = 1; p <= chunks && p <= round->layers; p *= 2) {
            if (!has_pipeline(choice, p)) continue;
            round->stages = p;
            if (!search_pipeline(round, question, choice, best)) return false;
        }
    }
    return true;
}

enum rk_status galvatron_search(const struct galvatron_question *question,
                                const struct galvatron_hardware *hardware,
                                const struct galvatron_model *model,
                                const struct galvatron_choice *choice,
                                struct galvatron_answer *answer, struct rk_error *error)
{
    struct round round = {.job = {.hardware = hardware,
                                  .model = model,
                                  .half = question->precision != GALVATRON_FP32,
                                  .async = question->async,
                                  .gpipe = question->pipeline == GALVATRON_GPIPE,
                                  .change_scale = question->change_scale}};
    struct best best = {.answer = answer, .need_MB = LONG_MAX};
    *answer = (struct galvatron_answer){.found = false};
    bool done = round_new(&round, model, choice);
    const size_t layers = (size_t)round.layers;
    answer->layers = round.layers;
    done = done && (answer->layer = calloc(layers, sizeof *answer->layer)) &&
           (answer->division = calloc(layers, sizeof *answer->division)) &&
           (answer->used_MB = calloc(layers, sizeof *answer->used_MB)) &&
           (answer->left_MB = calloc(layers, sizeof *answer->left_MB));
    round.budget_MB = galvatron_budget_MB(question->memory_GB, &round.reserved_MB);
    if (done && question->batch) {
        round.job.batch = (int)question->batch;
        done = search_batch(&round, question, choice, &best);
    }
    /* The published range begins at its step where that is larger than its least. */
    const uint64_t from =
        question->min_batch > question->batch_step ? question->min_batch : question->batch_step;
    for (uint64_t batch = from; done && !question->batch && batch <= question->max_batch;
         batch += question->batch_step) {
        round.job.batch = (int)batch;
        done = search_batch(&round, question, choice, &best);
    }
    if (best.need_MB < LONG_MAX) answer->least_GB = least_GB(best.need_MB);
    round_free(&round, model->kinds);
    if (done) return RK_OK;
    galvatron_answer_release(answer);
    return no_memory(error);
}

void galvatron_answer_release(struct galvatron_answer *answer)
{
    free(answer->layer);
    free(answer->division);
    free(answer->used_MB);
    free(answer->left_MB);
    *answer = (struct galvatron_answer){.found = false};
}
