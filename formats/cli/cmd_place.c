/* reckon place: fixed addresses for buffers whose lifetimes are known. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/buffers_chart.h"
#include "cli/commands.h"
#include "cli/place_args.h"
#include "cli/plan_input.h"
#include "cli/plan_operands.h"
#include "cli/show.h"
#include "clusters/predict.h"
#include "clusters/ranks.h"
#include "logs/buffers.h"
#include "logs/memory_snapshot.h"
#include "text/output.h"

#include <stdlib.h>
#include <string.h>

#define AT(member) .offset = offsetof(struct place_args, member)

/* clang-format off */
static const struct operand place_operands[] = {
    KNOWN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "FILE", .offset = offsetof(struct place_args, source.words), .optional = OPERAND_MANY, .complete = "file"},
    {.name = NULL},
};
static const struct option place_plan[] = {
    {.name = "rank", .type = OPTION_NUMBER, AT(rank), .max = UINT32_MAX, .argument = "RANK"},
    {.name = "lasting", .type = OPTION_FLAG, AT(lasting)},
    {.name = NULL},
};
static const struct option place_what[] = {
    {.letter = 'c', .name = "capacity", .common = true, .type = OPTION_NUMBER, AT(capacity), .argument = "N", .min = 1},
    {.name = "alignment", .type = OPTION_NUMBER, AT(alignment), .argument = "N", .min = 1, .max = UINT64_C(1) << 40},
    {.name = "two-level", .type = OPTION_FLAG, AT(two_levels)},
    {.name = "steps", .type = OPTION_NUMBER, AT(steps), .argument = "N", .min = 1},
    {.name = "check", .common = true, .type = OPTION_FLAG, AT(check)},
    {.name = "caching", .type = OPTION_FLAG, AT(caching)},
    {.name = "snapshot", .type = OPTION_TEXT, AT(snapshot), .argument = "FILE", .complete = "file"},
    {.name = "draw", .common = true, .type = OPTION_TEXT, AT(draw), .argument = "FILE.html", .complete = "file"},
    {.letter = 'o', .name = "output", .data = true, .common = true, .type = OPTION_OUTPUT, AT(output), .argument = "FILE", .complete = "file"},
    {.name = NULL},
};

const struct usage place_usage = {
#include "help/place.h"
    .operands = place_operands,
    .groups = {
        {"Placing", place_what, 0},
        {"Plan whose buffers are placed instead of FILE", plan_source_options, offsetof(struct place_args, source)},
        {"Options of its program", place_plan, 0},
        {"Form", show_options, offsetof(struct place_args, show)},
        {"General", options_help_rows, 0},
    },
};

/* The first column is of several clusters. */
static const struct report_column columns[] = {
    {.name = "cluster"}, {.name = "file"}, {.name = "buffers"},
    {.name = "peak"}, {.name = "live"}, {.name = "bound"},
    {.name = "gap", .unit = "%", .digits = 2},
    {.name = "optimal"}, {.name = "capacity"}, {.name = "verdict"}, {.name = "found_by"}, {.name = "steps"},
    {.name = "two_level_peak"},
    {.name = "seconds", .unit = "s", .digits = 3},
};
/* clang-format on */
enum { PLACE_COLUMNS = sizeof columns / sizeof *columns, FROM_END_OF_OPTIMAL = 7 };

static const char *verdict_of(const struct place_args *args, const struct placed *placed)
{
    const uint64_t capacity = args->capacity;
    if (!capacity) return placed->p.optimal ? "optimal" : "not proved optimal";
    if (placed->p.peak <= capacity) return "within the capacity";
    return placed->p.bound > capacity ? "no placement is within the capacity"
                                      : "none found within the capacity";
}

/* The answer: of one placement its peak, of several how many are optimal. */
static void say_placed(struct report *report, const struct report_table *table, size_t buffers,
                       const char *verdict, const struct rk_placement *p)
{
    const size_t columns_of_row = (size_t)table->column_count;
    char peak[QUANTITY_TEXT];
    size_t optimal = 0;
    for (size_t i = 1; i <= table->rows; i++)
        optimal += table->cells[i * columns_of_row - FROM_END_OF_OPTIMAL].as.flag;
    const char *above = p->optimal ? "no placement is lower"
                                   : report_text(report, "%.2f %% above the bound",
                                                 100 * ((double)p->peak / (double)p->bound - 1));
    const char *text =
        table->rows > 1
            ? report_text(report, "%zu placements: %zu optimal", table->rows, optimal)
            : report_text(report, "%s: peak %s of %zu buffers, %s", verdict,
                          quantity_format(peak, QUANTITY_BYTES, (double)p->peak), buffers, above);
    report_answer(report, optimal == table->rows ? REPORT_GOOD : REPORT_UNSURE, text);
}

void place_add_row(struct report *report, struct report_table *table, const char *file,
                   size_t count, const struct place_args *args, const struct placed *placed)
{
    static const char *const by[] = {[RK_PLACE_GREEDY] = "greedy", [RK_PLACE_SEARCH] = "search"};
    const struct rk_placement *p = &placed->p;
    const struct report_cell cells[PLACE_COLUMNS] = {
        cell_text(placed->cluster),
        cell_text(report_text(report, "%s", file)),
        cell_count(count),
        cell_count(p->peak),
        cell_count(p->live),
        cell_count(p->bound),
        p->bound ? cell_number((double)p->peak / (double)p->bound - 1) : cell_number(0),
        cell_flag(p->optimal),
        args->capacity ? cell_count(args->capacity) : cell_none(),
        cell_text(verdict_of(args, placed)),
        cell_text(by[p->by]),
        cell_count(p->steps),
        placed->two_level_peak ? cell_count(placed->two_level_peak) : cell_none(),
        cell_number(placed->seconds)};
    report_row(report, table, cells + !placed->cluster);
    if (table && table->rows) say_placed(report, table, count, verdict_of(args, placed), p);
}

/* ---- the caching allocator, for comparison ---- */

/* clang-format off */
static const struct report_column caching_columns[] = {
    {.name = "file"}, {.name = "segments"},
    {.name = "allocated"}, {.name = "reserved"}, {.name = "reserved_at_peak"},
    {.name = "lost", .unit = "%", .digits = 2},
    {.name = "asked", .title = "requested from the device"}, {.name = "retries"},
    {.name = "verdict"},
};
/* clang-format on */
enum { CACHING_COLUMNS = sizeof caching_columns / sizeof *caching_columns };

enum rk_status place_add_caching(const struct place_args *args, const char *file,
                                 const struct buffers *b, struct report *report,
                                 struct rk_error *error)
{
    struct report_table *table =
        report_add(report, &(struct report_table){.name = "caching",
                                                  .title = "PyTorch's caching allocator",
                                                  .shape = REPORT_ROWS,
                                                  .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                                  .columns = caching_columns,
                                                  .column_count = CACHING_COLUMNS});
    for (int expandable = 0; expandable < 2; expandable++) {
        const struct rk_allocator_options options = {expandable, args->capacity};
        struct rk_allocator_result r;
        const enum rk_status status =
            rk_allocator_run(b->buffer, b->count, &options, NULL, &r, error);
        if (status != RK_OK) return status;
        report_row(
            report, table,
            (struct report_cell[CACHING_COLUMNS]){
                cell_text(report_text(report, "%s", file)),
                cell_text(expandable ? "expandable" : "fixed"), cell_count(r.allocated),
                cell_count(r.reserved), cell_count(r.at_peak),
                r.allocated ? cell_number((double)r.reserved / (double)r.allocated - 1)
                            : cell_none(),
                cell_count(r.segments), cell_count(r.retries),
                cell_text(r.failed == INT64_MIN ? "runs"
                                                : report_text(report, "out of memory at %lld",
                                                              (long long)r.failed))});
    }
    return RK_OK;
}

/* ---- one file ---- */

void place_align(struct buffers *b, uint64_t alignment)
{
    for (size_t i = 0; i < b->count && alignment > 1; i++)
        if (b->buffer[i].alignment < alignment) b->buffer[i].alignment = alignment;
    b->aligned |= alignment > 1;
}

/* What is wrong with the addresses, in words; RK_OK when nothing is. */
static enum rk_status prove(const char *file, const struct buffers *b, const uint64_t *address,
                            uint64_t capacity, struct rk_error *error)
{
    size_t first = 0, second = 0;
    switch (rk_place_check(b->buffer, b->count, address, capacity, &first, &second)) {
    case RK_PLACE_SOUND:
        return RK_OK;
    case RK_PLACE_OVERLAP:
        return rk_fail(error, RK_CHECK_FAILED, file, 0, 0,
                       "buffers %s (at %llu) and %s (at %llu) overlap while both are alive",
                       b->id[first], (unsigned long long)address[first], b->id[second],
                       (unsigned long long)address[second]);
    case RK_PLACE_TOO_HIGH:
        return rk_fail(error, RK_CHECK_FAILED, file, 0, 0,
                       "buffer %s ends at %llu, above the capacity of %llu", b->id[first],
                       (unsigned long long)(address[first] + b->buffer[first].size),
                       (unsigned long long)capacity);
    case RK_PLACE_UNALIGNED:
        return rk_fail(error, RK_CHECK_FAILED, file, 0, 0,
                       "buffer %s: address %llu is not a multiple of its alignment, %llu",
                       b->id[first], (unsigned long long)address[first],
                       (unsigned long long)b->buffer[first].alignment);
    case RK_PLACE_UNCHECKED:
        break;
    }
    return rk_fail(error, RK_NO_MEMORY, file, 0, 0, "no memory to check the addresses");
}

/* In two levels; then in one as well, unless that cannot be lower. */
static enum rk_status place_both(const struct buffers *b, const struct rk_place_options *options,
                                 struct placed *placed, uint64_t *address, struct rk_error *error)
{
    enum rk_status status =
        rk_place_two_levels(b->buffer, b->pass, b->count, options, address, &placed->p, error);
    if (status != RK_OK) return status;
    placed->two_level_peak = placed->p.peak;
    if (placed->p.optimal || (options->capacity && placed->p.peak <= options->capacity))
        return RK_OK;
    uint64_t *one = malloc((b->count + 1) * sizeof *one);
    struct rk_placement p;
    if (!one) return no_memory(error);
    status = rk_place(b->buffer, b->count, options, one, &p, error);
    if (status == RK_OK && p.peak < placed->p.peak) {
        memcpy(address, one, b->count * sizeof *one);
        placed->p = p;
    } else if (status == RK_OK) {
        placed->p.bound = p.bound;
        placed->p.optimal = placed->p.peak == p.bound;
    }
    free(one);
    return status;
}

static enum rk_status write_addresses(const char *path, const struct buffers *b,
                                      const uint64_t *address, struct rk_error *error)
{
    struct output output;
    enum rk_status status = output_open(&output, path, error);
    if (status != RK_OK) return status;
    buffers_write(output.file, b, address);
    status = output_commit(&output, error);
    if (status != RK_OK) output_abandon(&output);
    return status;
}

typedef enum rk_status picture(FILE *out, const struct buffers *buffers, const uint64_t *address,
                               uint64_t peak, struct rk_error *error);

static enum rk_status write_picture(picture *write, const char *path, const struct buffers *b,
                                    uint64_t peak, struct rk_error *error)
{
    struct output output;
    enum rk_status status = output_open(&output, path, error);
    if (status != RK_OK) return status;
    status = write(output.file, b, b->address, peak, error);
    if (status == RK_OK) status = output_commit(&output, error);
    if (status != RK_OK) output_abandon(&output);
    return status;
}

enum rk_status place_file(const struct place_args *args, const char *file, struct buffers *b,
                          struct placed *placed, struct rk_error *error)
{
    const struct rk_place_options options = {.capacity = args->capacity, .steps = args->steps};
    const double start_s = now_s();
    enum rk_status status;
    if (args->two_levels)
        status = place_both(b, &options, placed, b->address, error);
    else
        status = rk_place(b->buffer, b->count, &options, b->address, &placed->p, error);
    placed->seconds = now_s() - start_s;
    if (status == RK_BAD_INPUT) snprintf(error->path, sizeof error->path, "%s", file);
    if (status == RK_OK) status = prove(file, b, b->address, 0, error);
    if (status == RK_OK && args->output)
        status = write_addresses(args->output, b, b->address, error);
    if (status == RK_OK && args->snapshot)
        status = write_picture(memory_snapshot_write, args->snapshot, b, placed->p.peak, error);
    if (status == RK_OK && args->draw)
        status = buffers_page(args->draw, file, b, b->address, error);
    return status;
}

enum rk_status place_check_file(const struct place_args *args, const char *file,
                                const struct buffers *b, struct placed *placed,
                                struct rk_error *error)
{
    if (!b->placed)
        return rk_fail(error, RK_BAD_INPUT, file, 1, 0,
                       "there is no column `offset` to check; reckon place FILE -o OUT writes one");
    const enum rk_status status = prove(file, b, b->address, args->capacity, error);
    if (status != RK_OK) return status;
    for (size_t i = 0; i < b->count; i++)
        if (b->buffer[i].size && b->address[i] + b->buffer[i].size > placed->p.peak)
            placed->p.peak = b->address[i] + b->buffer[i].size;
    placed->p.live = placed->p.bound = rk_place_live(b->buffer, b->count);
    placed->p.optimal = placed->p.peak == placed->p.bound;
    return RK_OK;
}

static enum rk_status one_file(const struct place_args *args, const char *file,
                               struct report *report, struct report_table *table,
                               struct rk_error *error)
{
    struct buffers b;
    enum rk_status status = buffers_load(file, &b, error);
    if (status != RK_OK) return status;
    status = place_one_problem(args, file, &b, NULL, report, table, error);
    buffers_release(&b);
    return status;
}

/* Every case of a JSON file; those with a layer in two levels, too. */
static enum rk_status all_cases(const struct place_args *args, const char *file,
                                struct report *report, struct report_table *table,
                                struct rk_error *error)
{
    struct document document = {.size = 0};
    struct place cases, name;
    enum rk_status worst = RK_OK, status = document_load(file, &document, error);
    if (status != RK_OK) return status;
    const struct place root = place_root(&document);
    if (!place_member(&root, "cases", &cases))
        status = place_fail(&root, error, "expected \"cases\", each with \"buffers\"");
    else
        status = place_need_array(&cases, 1, 100000, error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(cases.value); i++) {
        const struct place element = place_element(&cases, i);
        struct place_args own = *args;
        struct buffers b;
        status = buffers_of_case(&element, &b, error);
        if (status == RK_OK) {
            own.two_levels = b.passes;
            const char *title = place_member(&element, "name", &name) && json_is_string(name.value)
                                    ? json_string_value(name.value)
                                    : file;
            status = place_one_problem(&own, report_text(report, "%s", title), &b, NULL, report,
                                       table, error);
        }
        buffers_release(&b);
        if (status == RK_NOTHING_FITS && !error->text[0]) {
            worst = RK_NOTHING_FITS;
            status = RK_OK;
        }
    }
    document_release(&document);
    return status == RK_OK ? worst : status;
}

static enum rk_status check_args(const struct place_args *args, struct rk_error *error)
{
    const bool plan = args->source.model || args->source.system;
    if (plan && args->check)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--check: takes a FILE with addresses, no plan");
    if (!plan && args->source.words.count == 0)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "say which file of buffers: reckon place FILE.csv");
    if (args->alignment & (args->alignment - 1))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--alignment: must be a power of two");
    if (!plan && args->output && args->source.words.count > 1)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--output: takes the addresses of one FILE");
    if (args->output && args->check)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--check: places nothing that --output could write");
    return RK_OK;
}

int cmd_place(int argc, char **argv)
{
    struct place_args args = {.source = {.several = true}};
    struct report report = {.first = NULL};
    struct rk_error error;
    plan_words_prepare();
    const int done = options_read(&place_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (check_args(&args, &error) != RK_OK) return options_fail(&error);
    const int skip = !args.source.system || !rk_machine_is_several(args.source.system);
    struct report_table *table = report_list(&report, "placements", NULL, REPORT_IN_ALL,
                                             columns + skip, PLACE_COLUMNS - skip);
    const bool plan = args.source.model || args.source.system;
    enum rk_status worst = plan ? place_one_plan(&args, &report, table, &error) : RK_OK;
    if (worst != RK_OK && error.text[0]) options_fail(&error);
    for (int i = 0;
         !plan && i < args.source.words.count && (worst == RK_OK || worst == RK_NOTHING_FITS);
         i++) {
        const enum rk_status status =

            (text_ends_in(args.source.words.text[i], ".json") ? all_cases : one_file)(
                &args, args.source.words.text[i], &report, table, &error);
        if (status != RK_OK && error.text[0]) options_fail(&error);
        if (status != RK_OK) worst = status;
    }
    int code = (int)worst;
    const bool addresses_alone = args.output && strcmp(args.output, "-") == 0;
    if ((worst == RK_OK || worst == RK_NOTHING_FITS) && !addresses_alone && table && table->rows)
        code = show_report(&report, &args.show, NULL, (int)worst);
    report_release(&report);
    return code;
}
