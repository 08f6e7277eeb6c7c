#include "calculon/calculon_search.h"

#include "base/memory.h"
#include "calculon/calculon_write.h"
#include "search/scan.h"

#include <math.h>
#include <stdlib.h>

static void pin(struct rk_problem *problem, enum rk_axis axis, uint64_t value)
{
    problem->pinned[axis].value[problem->pinned[axis].count++] = value;
}

static void set_problem(struct rk_problem *to, const struct calculon_problem *from)
{
    rk_problem_init(to, from->model, from->system, from->ranks, from->max_batch, from->datatype);
    to->pinned[RK_AXIS_FUSED_ACTIVATION].count = 0;
    for (uint64_t fused = 0; fused < 2; fused++)
        if (from->fused[fused]) pin(to, RK_AXIS_FUSED_ACTIVATION, fused);
    if (!from->tensor_overlap) pin(to, RK_AXIS_TENSOR_OVERLAP, RK_OVERLAP_NONE);
    if (!from->data_overlap) pin(to, RK_AXIS_DATA_OVERLAP, false);
}

enum rk_status calculon_search_count(const struct calculon_problem *problem, uint64_t *count,
                                     struct rk_error *error)
{
    struct rk_problem p;
    set_problem(&p, problem);
    struct rk_space *space = rk_space_open(&p, error);
    if (!space) return error->status;
    *count = rk_space_count(space);
    rk_space_close(space);
    return RK_OK;
}

/* ---- the list of the best ---- */

struct ranked {
    struct rk_strategy strategy;
    double rate;    /* samples per second */
    uint64_t index; /* among strategies of the same tensor and pipeline degree */
};

struct ranked_list {
    size_t top, count;
    struct ranked *item; /* (top), the best first */
};

/* By rate, then by place in the enumeration, whose outermost axes are tensor and pipeline. */
static bool goes_before(const struct ranked *a, const struct ranked *b)
{
    if (a->rate != b->rate) return a->rate > b->rate;
    if (a->strategy.tensor != b->strategy.tensor) return a->strategy.tensor < b->strategy.tensor;
    if (a->strategy.pipeline != b->strategy.pipeline)
        return a->strategy.pipeline < b->strategy.pipeline;
    return a->index < b->index;
}

static void list_add(struct ranked_list *list, const struct ranked *item)
{
    size_t at = list->count;
    if (at == list->top && !goes_before(item, &list->item[at - 1])) return;
    if (at < list->top)
        list->count++;
    else
        at--;
    for (; at > 0 && goes_before(item, &list->item[at - 1]); at--)
        list->item[at] = list->item[at - 1];
    list->item[at] = *item;
}

static enum rk_status list_finish(const struct ranked_list *list, const struct rk_model *model,
                                  struct calculon_ranking *ranking, struct rk_error *error)
{
    ranking->count = 0;
    ranking->best = calloc(list->count ? list->count : 1, sizeof *ranking->best);
    if (!ranking->best) return no_memory(error);
    for (size_t i = 0; i < list->count; i++)
        ranking->best[i] = (struct calculon_execution){.strategy = list->item[i].strategy,
                                                       .attention = model->attention};
    ranking->count = list->count;
    return RK_OK;
}

void calculon_ranking_release(struct calculon_ranking *ranking)
{
    free(ranking->best);
    *ranking = (struct calculon_ranking){.best = NULL};
}

/* ---- one search per batch size ---- */

static enum rk_status search_space(const struct calculon_problem *problem,
                                   const struct rk_space *space, struct ranked_list *list,
                                   struct calculon_ranking *tally, struct rk_error *error)
{
    const struct rk_query options = {.mode = RK_SEARCH_EXHAUSTIVE,
                                     .threads = problem->threads,
                                     .top = list->top,
                                     .progress = problem->progress,
                                     .context = problem->context};
    struct rk_answer result;
    const enum rk_status status = rk_ask(space, &options, &result, error);
    if (status != RK_OK) return status;
    if (!result.complete) {
        rk_answer_release(&result);
        return rk_fail(error, RK_INTERRUPTED, NULL, 0, 0, "stopped; nothing was written");
    }
    for (uint64_t i = 0; i < result.found; i++) {
        struct ranked item = {.index = result.best[i].index};
        rk_space_strategy(space, item.index, &item.strategy);
        item.rate = result.best[i].samples_per_s;
        list_add(list, &item);
    }
    tally->total += result.counts.total;
    tally->good += result.counts.verdict[RK_FITS][0];
    rk_answer_release(&result);
    return RK_OK;
}

static enum rk_status search_all(const struct calculon_problem *problem, struct ranked_list *list,
                                 struct calculon_ranking *tally, struct rk_error *error)
{
    struct rk_problem p;
    set_problem(&p, problem);
    struct rk_space *space = rk_space_open(&p, error);
    if (!space) return error->status;
    enum rk_status status = RK_OK;
    if (rk_space_count(space) > 0) status = search_space(problem, space, list, tally, error);
    rk_space_close(space);
    return status;
}

/* ---- one after the other, leaving out larger microbatches ---- */

static enum rk_verdict estimate_at(const struct calculon_problem *problem,
                                   const struct rk_space *space, uint64_t index,
                                   struct rk_strategy *strategy, struct rk_estimate *estimate)
{
    rk_space_strategy(space, index, strategy);
    return rk_estimate(problem->model, problem->system, strategy, estimate);
}

struct replay;

/* What a thread finds in a block, for the replay in order. */
struct found {
    struct rk_strategy strategy;
    uint64_t index;
    double rate; /* 0: it cannot run */
};

struct found_block {
    const struct replay *replay;
    size_t count;
    struct found found[SCAN_BLOCK];
};

struct replay {
    const struct calculon_problem *problem;
    const struct rk_space *space;
    uint64_t done, total;
    struct ranked_list *list;
    struct calculon_ranking *tally;
    struct rk_strategy last;
    bool started, any_good, skipping;
};

static void *found_open(void *context)
{
    struct found_block *block = calloc(1, sizeof *block);
    if (block) block->replay = context;
    return block;
}

static void found_visit(void *state, uint64_t index)
{
    struct found_block *block = state;
    struct found *found = &block->found[block->count++];
    struct rk_estimate estimate;
    const bool fits = estimate_at(block->replay->problem, block->replay->space, index,
                                  &found->strategy, &estimate) == RK_FITS;
    found->index = index;
    found->rate = fits ? estimate.samples_per_s : 0;
}

/* Do the two differ in nothing but the microbatch and the networks? */
static bool same_kind(const struct rk_strategy *a, const struct rk_strategy *b)
{
    for (enum rk_axis axis = 0; axis < RK_AXIS_MICROBATCH; axis++)
        if (rk_axis_get(a, axis) != rk_axis_get(b, axis)) return false;
    return true;
}

static void replay_one(struct replay *replay, const struct found *found)
{
    if (!replay->started || !same_kind(&replay->last, &found->strategy)) {
        replay->skipping = replay->any_good = false;
    } else if (replay->last.microbatch != found->strategy.microbatch) {
        replay->skipping |= !replay->any_good;
        replay->any_good = false;
    }
    replay->started = true;
    replay->last = found->strategy;
    if (replay->skipping) return;
    replay->tally->total++;
    if (found->rate == 0) return;
    replay->tally->good++;
    replay->any_good = true;
    const struct ranked item = {
        .strategy = found->strategy, .rate = found->rate, .index = found->index};
    list_add(replay->list, &item);
}

/* Tells the caller how far a scan is; false when it is to stop. */
static bool tell(const struct calculon_problem *problem, uint64_t done, uint64_t total)
{
    return !problem->progress || problem->progress(problem->context, done, total, INFINITY);
}

static bool replay_block(void *context, void *state)
{
    struct found_block *block = state;
    struct replay *replay = context;
    for (size_t i = 0; i < block->count; i++)
        replay_one(replay, &block->found[i]);
    replay->done += block->count;
    block->count = 0;
    return tell(replay->problem, replay->done, replay->total);
}

static enum rk_status search_with_break(const struct calculon_problem *problem,
                                        struct ranked_list *list, struct calculon_ranking *tally,
                                        struct rk_error *error)
{
    struct replay replay = {.problem = problem, .list = list, .tally = tally};
    struct rk_problem p;
    set_problem(&p, problem);
    struct rk_space *space = rk_space_open(&p, error);
    if (!space) return error->status;
    replay.space = space;
    replay.total = rk_space_count(space);
    const struct scan scan = {.space = space,
                              .threads = problem->threads,
                              .context = &replay,
                              .open = found_open,
                              .visit = found_visit,
                              .flush = replay_block,
                              .close = free};
    const enum rk_status status = scan_run(&scan, error);
    rk_space_close(space);
    return status;
}

enum rk_status calculon_search_best(const struct calculon_problem *problem, size_t top,
                                    bool mbs_break, struct calculon_ranking *ranking,
                                    struct rk_error *error)
{
    struct calculon_ranking found = {.best = NULL};
    struct ranked_list list = {.top = top, .item = calloc(top, sizeof *list.item)};
    enum rk_status status;
    if (!list.item) return no_memory(error);
    if (mbs_break)
        status = search_with_break(problem, &list, &found, error);
    else
        status = search_all(problem, &list, &found, error);
    if (status == RK_OK) status = list_finish(&list, problem->model, &found, error);
    if (status == RK_OK) *ranking = found;
    free(list.item);
    return status;
}

/* ---- all that can run ---- */

struct table {
    const struct calculon_problem *problem;
    const struct rk_space *space;
    uint64_t count;
    FILE *to; /* NULL: only count */
    enum rk_attention attention;
    uint64_t total, good;
    bool failed; /* to write */
};

struct table_block {
    struct table *table;
    FILE *text; /* in memory */
    char *data;
    size_t size;
    uint64_t total, good;
    struct calculon_columns columns;
};

static void table_close(void *state)
{
    struct table_block *block = state;
    if (block->text) fclose(block->text);
    free(block->data);
    free(block);
}

static void *table_open(void *context)
{
    struct table_block *block = calloc(1, sizeof *block);
    if (!block) return NULL;
    block->table = context;
    block->text = open_memstream(&block->data, &block->size);
    if (block->text) return block;
    table_close(block);
    return NULL;
}

static void table_visit(void *state, uint64_t index)
{
    struct table_block *block = state;
    struct calculon_execution execution = {.attention = block->table->attention};
    struct rk_estimate estimate;
    block->total++;
    if (estimate_at(block->table->problem, block->table->space, index, &execution.strategy,
                    &estimate) != RK_FITS)
        return;
    block->good++;
    if (!block->table->to) return;
    calculon_write_row(block->text, &execution, &estimate, &block->columns);
    fputc('\n', block->text);
}

static bool table_flush(void *context, void *state)
{
    struct table *table = context;
    struct table_block *block = state;
    table->total += block->total;
    table->good += block->good;
    block->total = block->good = 0;
    const off_t size = ftello(block->text);
    if (table->to && size > 0) {
        table->failed = fflush(block->text) != 0 ||
                        fwrite(block->data, 1, (size_t)size, table->to) != (size_t)size ||
                        fseeko(block->text, 0, SEEK_SET) != 0;
        if (table->failed) return false;
    }
    return tell(table->problem, table->total, table->count);
}

enum rk_status calculon_search_all(const struct calculon_problem *problem, FILE *to,
                                   uint64_t *total, uint64_t *good, struct rk_error *error)
{
    struct table table = {.problem = problem, .to = to, .attention = problem->model->attention};
    struct rk_problem p;
    set_problem(&p, problem);
    struct rk_space *space = rk_space_open(&p, error);
    if (!space) return error->status;
    table.space = space;
    table.count = rk_space_count(space);
    const struct scan scan = {.space = space,
                              .threads = problem->threads,
                              .context = &table,
                              .open = table_open,
                              .visit = table_visit,
                              .flush = table_flush,
                              .close = table_close};
    enum rk_status status = scan_run(&scan, error);
    rk_space_close(space);
    if (table.failed)
        status = rk_fail(error, RK_IO, NULL, 0, 0, "the rows could not be written: disk full?");
    *total = table.total;
    *good = table.good;
    return status;
}
