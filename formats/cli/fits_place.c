/* fits_place.c - what a step's buffers take at fixed addresses, and in PyTorch's allocator. */
#include "base/memory.h"
#include "cli/buffers_chart.h"
#include "cli/fits.h"
#include "clusters/predict.h"
#include "clusters/ranks.h"
#include "logs/memory_snapshot.h"
#include "logs/run_buffers.h"
#include "logs/step_buffers.h"
#include "text/output.h"

#include <reckon/allocator.h>
#include <stdlib.h>

/* PyTorch's, and what kernels ask for. */
enum { ALIGNMENT = 512 };

/* Is a rank of the tightest stage one of its fullest replicas, which the prediction is of? */
static bool is_fullest(const struct forecast *f, const struct clusters_judged *judged,
                       uint64_t rank)
{
    if (!judged) return true;
    const int fullest = f->prediction->stage[f->prediction->tightest].cluster;
    return clusters_place(&judged->plan, f->system->machine, rank).cluster == fullest;
}

static enum rk_status lower_one_of(const struct forecast *f, const struct clusters_judged *judged,
                                   const struct rk_program_class *classes, size_t count,
                                   struct rk_program *program, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (size_t i = 0; i < count; i++) {
        const uint64_t rank = classes[i].first;
        status = rk_program_of(program, f->model, f->system, f->plan, rank, error);
        if (status != RK_OK || i + 1 == count) break;
        if ((int)program->stage == f->prediction->tightest && is_fullest(f, judged, rank)) break;
        rk_program_release(program);
    }
    return status;
}

/* The first rank whose program is that of the tightest stage. */
static enum rk_status lower_tightest(const struct forecast *f, struct rk_program *program,
                                     struct rk_error *error)
{
    const size_t count = rk_program_classes(f->model, f->system, f->plan, NULL, 0);
    struct rk_program_class *classes = malloc((count + 1) * sizeof *classes);
    struct clusters_judged *judged = f->system->machine ? malloc(sizeof *judged) : NULL;
    struct rk_prediction *again = judged ? malloc(sizeof *again) : NULL;
    const bool room = classes && count && (!f->system->machine || again);
    if (room && judged) predict_clusters(f->model, f->system, f->plan, again, judged);
    if (room) rk_program_classes(f->model, f->system, f->plan, classes, count);
    const enum rk_status status =
        room ? lower_one_of(f, judged, classes, count, program, error) : no_memory(error);
    free(again);
    free(judged);
    free(classes);
    return status;
}

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "allocator"},
    {.name = "predicted_bytes", .title = "predicted", .unit = "B", .digits = 2},
    {.name = "lost_bytes", .title = "lost", .unit = "B", .digits = 2},
    {.name = "over_live",  .title = "of live bytes", .unit = "%", .digits = 2},
    {.name = "need_bytes", .title = "in all", .unit = "B", .digits = 2},
    {.name = "left_bytes", .title = "left", .unit = "B", .digits = 2},
    {.name = "what", .title = ""},
};
/* clang-format on */

struct placing {
    const struct forecast *f;
    struct report *report;
    struct report_table *table;
    double live;
};

/* The found loss takes the place of the share that the allocator is taken to lose. */
static void add_row(const struct placing *p, const char *name, double lost, const char *what)
{
    const struct rk_stage *stage = &p->f->prediction->stage[p->f->prediction->tightest];
    const double predicted = stage->total_bytes - stage->holds[RK_HOLD_fragmentation];
    const double need = predicted + lost;
    const double capacity =
        forecast_system(p->f, p->f->prediction->tightest)->memory[0].capacity_bytes;
    REPORT_ROW(p->report, p->table, cell_text(name), cell_number(predicted), cell_number(lost),
               cell_number(p->live > 0 ? lost / p->live : 0), cell_number(need),
               cell_number(capacity - need), cell_text(what));
}

/* The least that segments of PyTorch's default may take before a run fails: with less room than it
 * takes by itself, the allocator gives back what is wholly free and asks again. To 1/128 of what
 * that can save. */
static enum rk_status least_of(const struct buffers *run,
                               const struct rk_allocator_result *free_run, double *least,
                               struct rk_error *error)
{
    enum { HALVINGS = 7 };
    double fails = (double)free_run->allocated, runs = (double)free_run->reserved;
    for (int i = 0; i < HALVINGS; i++) {
        const struct rk_allocator_options options = {.capacity = (uint64_t)((fails + runs) / 2)};
        struct rk_allocator_result found;
        const enum rk_status status =
            rk_allocator_run(run->buffer, run->count, &options, NULL, &found, error);
        if (status != RK_OK) return status;
        *(found.failed == INT64_MIN ? &runs : &fails) = (double)options.capacity;
    }
    *least = runs;
    return RK_OK;
}

/* `run`: what the allocator is asked for; a step, or a run that begins where that is known. */
static enum rk_status place_step(struct placing *p, struct buffers *b, const struct buffers *run,
                                 struct rk_error *error)
{
    struct rk_placement placed;
    for (size_t i = 0; i < b->count; i++)
        b->buffer[i].alignment = ALIGNMENT;
    enum rk_status status = rk_place(b->buffer, b->count, NULL, b->address, &placed, error);
    if (status != RK_OK) return status;
    struct rk_allocator_result found;
    double least;
    p->live = (double)placed.live;
    add_row(p, "fixed addresses", (double)(placed.peak - placed.live),
            placed.optimal ? "planned; no plan is lower" : "planned");
    for (int expandable = 1; expandable >= 0; expandable--) {
        const struct rk_allocator_options options = {.expandable = expandable};
        status = rk_allocator_run(run->buffer, run->count, &options, NULL, &found, error);
        if (status != RK_OK) return status;
        const double lost = (double)found.reserved - (double)found.allocated;
        add_row(p, expandable ? "expandable segments" : "caching allocator", lost,
                expandable ? "PyTorch's, expandable_segments:True" : "PyTorch's default");
    }
    status = least_of(run, &found, &least, error);
    if (status != RK_OK) return status;
    add_row(p, "... under pressure", least - (double)found.allocated,
            "the least capacity that it runs in: segments that are wholly free are returned first");
    return RK_OK;
}

enum rk_status fits_place(struct report *report, const struct forecast *f, struct rk_error *error)
{
    struct rk_program program = {.rank = 0};
    struct buffers b = {.count = 0}, run = {.count = 0};
    const bool begins = run_buffers_known(f->plan);
    enum rk_status status = lower_tightest(f, &program, error);
    if (status == RK_OK) status = step_buffers(&b, &program, true, error);
    if (status == RK_OK && begins) status = run_buffers(&run, &program, f->plan, error);
    if (status == RK_OK) {
        struct placing p = {.f = f, .report = report};
        p.table =
            REPORT_LIST(report, "placed",
                        "The tightest stage by allocator: fragmentation of the step's buffers, "
                        "in place of the assumed fragmentation",
                        REPORT_IN_TEXT | REPORT_IN_JSON, columns);
        status = place_step(&p, &b, begins ? &run : &b, error);
    }
    buffers_release(&run);
    buffers_release(&b);
    rk_program_release(&program);
    return status;
}

/* ---- as a picture ---- */

/* The tightest stage's step at fixed addresses. The caller releases `b`. */
static enum rk_status place_tightest(const struct forecast *f, struct buffers *b,
                                     struct rk_placement *placed, struct rk_error *error)
{
    struct rk_program program = {.rank = 0};
    enum rk_status status = lower_tightest(f, &program, error);
    if (status == RK_OK) status = step_buffers(b, &program, true, error);
    for (size_t i = 0; status == RK_OK && i < b->count; i++)
        b->buffer[i].alignment = ALIGNMENT;
    if (status == RK_OK) status = rk_place(b->buffer, b->count, NULL, b->address, placed, error);
    rk_program_release(&program);
    return status;
}

enum rk_status fits_chart(struct html_page *page, const struct forecast *f, const char *source,
                          struct rk_error *error)
{
    struct buffers b = {.count = 0};
    struct rk_placement placed;
    const enum rk_status status = place_tightest(f, &b, &placed, error);
    if (status == RK_OK) buffers_chart(page, &b, b.address, source);
    buffers_release(&b);
    return status;
}

enum rk_status fits_snapshot(const char *path, const struct forecast *f, struct rk_error *error)
{
    struct buffers b = {.count = 0};
    struct rk_placement placed;
    struct output output;
    enum rk_status status = place_tightest(f, &b, &placed, error);
    if (status == RK_OK) status = output_open(&output, path, error);
    if (status == RK_OK) {
        status = memory_snapshot_write(output.file, &b, b.address, placed.peak, error);
        if (status == RK_OK) status = output_commit(&output, error);
        if (status != RK_OK) output_abandon(&output);
    }
    buffers_release(&b);
    return status;
}
