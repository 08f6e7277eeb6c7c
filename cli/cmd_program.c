/* reckon program: what each rank of a plan does in a step, instruction by instruction. */
#include "base/limits.h"
#include "base/memory.h"
#include "base/open.h"
#include "cli/commands.h"
#include "cli/plan_input.h"
#include "cli/plan_operands.h"
#include "cli/prediction.h"
#include "cli/rank_files.h"
#include "cli/show.h"
#include "clusters/predict.h"
#include "text/output.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

struct program_args {
    struct plan_source source;
    bool classes;
    struct option_values ranks;
    const char *output, *all, *from, *against;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct program_args, member)

/* clang-format off */
static const struct operand program_operands[] = {
    PLAN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "PLAN", AT(source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option program_options[] = {
    {.letter = 'r', .name = "rank", .common = true, .type = OPTION_VALUES, .argument = "RANK", AT(ranks), .max = UINT32_MAX},
    {.letter = 'o', .name = "output", .common = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = "all", .type = OPTION_TEXT, .argument = "DIR", AT(all), .complete = "file"},
    {.name = "classes", .type = OPTION_FLAG, AT(classes)},
    {.name = "against", .type = OPTION_TEXT, .argument = "FILE", AT(against), .complete = "file"},
    {.name = "from", .type = OPTION_TEXT, .argument = "FILE", AT(from), .complete = "file"},
    {.name = NULL},
};

const struct usage program_usage = {
#include "help/program.h"
    .operands = program_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Input", plan_source_options, offsetof(struct program_args, source)},
        {"Program", program_options, 0},
        {"Form of the table", show_options, offsetof(struct program_args, show)},
        {"General", options_help_rows, 0},
        {NULL, plan_options, offsetof(struct program_args, source)},
    },
};

static const struct report_column class_columns[] = {
    {.name = "stage"},
    {.name = "first_rank", .title = "first rank"},
    {.name = "ranks"},
    {.name = "instructions"},
    {.name = "messages", REPORT_OF(struct rk_program_sums, instructions[RK_DO_SEND])},
    {.name = "collectives"},
    {.name = "kernel_flop", REPORT_OF(struct rk_program_sums, flop),        .title = "kernels", .unit = "FLOP", .digits = 2},
    {.name = "tensor_sent_bytes", REPORT_OF(struct rk_program_sums, tensor_sent_bytes),  .title = "tensor",   .unit = "B", .digits = 2},
    {.name = "context_sent_bytes", REPORT_OF(struct rk_program_sums, context_sent_bytes), .title = "context",  .unit = "B", .digits = 2},
    {.name = "expert_sent_bytes", REPORT_OF(struct rk_program_sums, expert_sent_bytes),  .title = "experts",  .unit = "B", .digits = 2},
    {.name = "data_sent_bytes", REPORT_OF(struct rk_program_sums, data_sent_bytes),    .title = "data",     .unit = "B", .digits = 2},
    {.name = "message_bytes", REPORT_OF(struct rk_program_sums, message_bytes),      .title = "stages",   .unit = "B", .digits = 2},
    {.name = "parameters", REPORT_OF(struct rk_program_sums, parameters),         .digits = 4},
    {.name = "state_bytes", REPORT_OF(struct rk_program_sums, state_bytes),        .title = "state",    .unit = "B", .digits = 2},
    {.name = "held_bytes",         .title = "held",     .unit = "B", .digits = 2},
};
/* clang-format on */

/* ---- one program ---- */

static enum rk_status lower(struct rk_program *program, const struct plan_input *input,
                            uint64_t rank, struct rk_error *error)
{
    return rk_program_of(program, &input->model, &input->system, &input->draft.plan, rank, error);
}

static enum rk_status write_program(FILE *file, const void *program, struct rk_error *error)
{
    return rk_program_write(program, file, error);
}

static enum rk_status read_from(struct rk_program *program, const char *path,
                                struct rk_error *error)
{
    *program = (struct rk_program){.rank = 0};
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!in) return fail_to_open(path, error);
    const enum rk_status status = rk_program_read(program, in, path, error);
    if (in != stdin) fclose(in);
    if (status == RK_OK && !program->instructions)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "has no instructions");
    return status;
}

/* The status is RK_CHECK_FAILED when they differ. */
static enum rk_status compare(const struct rk_program *program, const char *path,
                              struct rk_error *error)
{
    struct rk_program other;
    size_t differences = 0;
    enum rk_status status = read_from(&other, path, error);
    if (status == RK_OK)
        status = rk_program_diff(program, &other, stdout, MOST_DIFFERENCES, &differences, error);
    rk_program_release(&other);
    if (status != RK_OK || differences == 0) return status;
    return rk_fail(error, RK_CHECK_FAILED, path, 0, 0,
                   "%zu lines differ ('-': of the program asked for, '+': of this file)",
                   differences);
}

static enum rk_status use(const struct rk_program *program, const struct program_args *args,
                          struct rk_error *error)
{
    return args->against
               ? compare(program, args->against, error)
               : output_write(args->output ? args->output : "-", write_program, program, error);
}

/* ---- all of them ---- */

static enum rk_status write_one(const struct plan_input *input, const struct rank_files *files,
                                size_t i, struct rk_error *error)
{
    struct rk_program program;
    enum rk_status status = lower(&program, input, files->rank[i], error);
    if (status == RK_OK)
        status = output_write(rank_file_part(files, i).text, write_program, &program, error);
    if (status == RK_IO)
        snprintf(error->path, sizeof error->path, "%.*s", (int)sizeof error->path - 1,
                 rank_file_of(files, i).text);
    rk_program_release(&program);
    return status;
}

/* NULL: no memory. Of a plan that cannot run none is asked for. */
static struct rk_program_class *classes_of(const struct plan_input *asked, size_t *count)
{
    struct rk_program_class *classes = NULL;
    for (size_t most = 0;; most = *count) {
        *count =
            rk_program_classes(&asked->model, &asked->system, &asked->draft.plan, classes, most);
        if (classes) return classes;
        classes = calloc(*count + 1, sizeof *classes);
        if (!classes) return NULL;
    }
}

/* Those whose programs are written: (*count), the caller's; NULL: no memory. */
static uint64_t *ranks_to_write(const struct plan_input *asked, bool of_classes, size_t *count)
{
    struct rk_program_class *classes = classes_of(asked, count);
    if (!classes) return NULL;
    if (!of_classes) *count = (size_t)asked->draft.plan.ranks;
    uint64_t *rank = calloc(*count + 1, sizeof *rank);
    for (size_t i = 0; rank && i < *count; i++)
        rank[i] = of_classes ? classes[i].first : i;
    free(classes);
    return rank;
}

static enum rk_status write_all(const struct plan_input *input, const struct program_args *args,
                                struct rk_error *error)
{
    size_t count;
    uint64_t *rank = ranks_to_write(input, args->classes, &count);
    if (!rank) return no_memory(error);
    struct rank_files files = {.folder = args->all, .rank = rank, .count = count};
    enum rk_status status = RK_OK;
    if (count > MOST_RANK_FILES)
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "--all would write %zu files: --classes writes one of each class", count);
    else
        status = rank_files_begin(&files, error);
    if (status == RK_OK) {
        for (size_t i = 0; i < count && status == RK_OK; i++)
            status = write_one(input, &files, i, error);
        status = rank_files_end(&files, status, error);
    }
    free(rank);
    return status;
}

/* ---- the table ---- */

static uint64_t collectives(const struct rk_program_sums *sums)
{
    uint64_t count = 0;
    for (int i = RK_DO_ALL_REDUCE; i <= RK_DO_BROADCAST; i++)
        count += sums->instructions[i];
    return count;
}

static double held(const struct rk_program_sums *sums)
{
    double bytes = 0;
    for (int i = 0; i < RK_HOLDING_COUNT; i++)
        bytes += sums->held_bytes[i];
    return bytes;
}

static void add_class(struct report *report, struct report_table *table,
                      const struct rk_program *program, const struct rk_program_class *class)
{
    struct rk_program_sums sums;
    rk_program_sum(program, &sums);
    report_item(
        report, table, &sums,
        (const struct report_cell[]){cell_count(program->stage), cell_count(class->first),
                                     cell_count(class->ranks), cell_count(program->instructions),
                                     cell_count(collectives(&sums)), cell_number(held(&sums))});
}

/* One program after the other in the same memory: half of the time is the kernel's otherwise. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, 64 << 20);
#endif
}

static void add_heading(struct report *report, const struct plan_input *input, size_t programs)
{
    const struct forecast forecast = {&input->model, &input->system, &input->draft.plan,
                                      NULL,          input->assumed, NULL};
    report_note(report,
                report_text(report, "%s on %s, %" PRIu64 " GPUs: %zu programs", input->model.id,
                            input->system.id, input->draft.plan.ranks, programs));
    report->title = "Programs of the ranks of one step";
    forecast_plan(report, &forecast);
    forecast_record(report, &forecast);
}

/* "4 on h100-sxm5-80g x32 mbs3": replicas of a part that take as many samples. */
static void add_replicas(struct report *report, const struct given_stage *stage, int index,
                         const struct rk_machine *machine)
{
    char text[512];
    size_t used = 0;
    for (int k = 0; k < stage->parts; k++) {
        const struct given_part *part = &stage->part[k];
        const uint64_t more = part->samples - part->least * part->data;
        const uint64_t samples[2] = {part->least + 1, part->least};
        const uint64_t count[2] = {more, part->data - more};
        for (int h = 0; h < 2 && used < sizeof text; h++)
            if (count[h])
                used += (size_t)snprintf(text + used, sizeof text - used,
                                         ", %" PRIu64 " on %s mbs%" PRIu64, count[h],
                                         machine->cluster[part->cluster].system.id, samples[h]);
    }
    report_paragraph(
        report, report_text(report, "stage %d: %d layers, tp%" PRIu64 " cp%" PRIu64 ", replicas%s",
                            index, stage->layers, stage->part[0].plan.tensor,
                            stage->part[0].plan.context, text + 1));
}

static void add_stage(struct report *report, const struct given_stage *stage, int index,
                      const struct rk_machine *machine)
{
    const struct given_part *part = &stage->part[0];
    if (stage->parts > 1) return add_replicas(report, stage, index, machine);
    report_paragraph(report,
                     report_text(report,
                                 "stage %d: %s, %d layers, tp%" PRIu64 " cp%" PRIu64 " dp%" PRIu64
                                 " mbs%" PRIu64,
                                 index, machine->cluster[part->cluster].name, stage->layers,
                                 part->plan.tensor, part->plan.context, part->data, part->most));
}

/* Over several clusters where each stage is, and what its replicas take. */
static enum rk_status add_stages(struct report *report, const struct plan_input *input,
                                 struct rk_error *error)
{
    const struct rk_machine *machine = input->system.machine;
    struct rk_prediction *prediction = malloc(sizeof *prediction);
    struct clusters_judged *judged = malloc(sizeof *judged);
    const enum rk_status status = prediction && judged ? RK_OK : no_memory(error);
    if (status == RK_OK)
        predict_clusters(&input->model, &input->system, &input->draft.plan, prediction, judged);
    for (int i = 0; status == RK_OK && prediction->timed && i < judged->given.stages; i++)
        add_stage(report, &judged->given.stage[i], i, machine);
    free(judged);
    free(prediction);
    return status;
}

static enum rk_status fill_classes(struct report *report, const struct plan_input *asked,
                                   struct rk_error *error)
{
    size_t count;
    struct rk_program_class *classes = classes_of(asked, &count);
    enum rk_status status = RK_OK;
    if (!classes) return no_memory(error);
    add_heading(report, asked, count);
    if (asked->system.machine) status = add_stages(report, asked, error);
    struct report_table *table =
        REPORT_LIST(report, "classes", "Classes of ranks", REPORT_IN_ALL, class_columns);
    for (size_t i = 0; i < count && status == RK_OK; i++) {
        struct rk_program program;
        status = lower(&program, asked, classes[i].first, error);
        if (status == RK_OK) add_class(report, table, &program, &classes[i]);
        rk_program_release(&program);
    }
    free(classes);
    return status;
}

static int show_classes(const struct plan_input *input, const struct program_args *args)
{
    struct report report = {.first = NULL};
    struct rk_error error;
    const enum rk_status status = fill_classes(&report, input, &error);
    return show_end(&report, &args->show, args->output, status, RK_OK, &error);
}

/* ---- the command ---- */

/* A program that is read from a file includes its plan, so options that give one are errors. */
static enum rk_status check_from(const struct program_args *args, struct rk_error *error)
{
    const struct plan_source *source = &args->source;
    const char *given = args->ranks.count     ? "--rank"
                        : args->classes       ? "--classes"
                        : source->model       ? "--model"
                        : source->system      ? "--system"
                        : source->gpus        ? "--gpus"
                        : source->file        ? "--plan"
                        : source->words.count ? source->words.text[0]
                                              : NULL;
    if (!given) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--from reads a program, not a plan to make one of: leave out %s", given);
}

static enum rk_status check_arguments(const struct program_args *args, struct rk_error *error)
{
    const bool one =
        args->ranks.count == 1 && args->ranks.range[0].low == args->ranks.range[0].high;
    if (args->ranks.count && !one)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--rank: give one rank, or --all DIR");
    if (one && args->classes)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--classes is of all ranks, --rank of one: leave out one of them");
    if (args->against && !args->from && !one)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--against compares one program: give --rank, or --from FILE");
    const bool text = one || args->from || args->all;
    if (text && args->show.format != REPORT_AS_TEXT)
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "--format is of the table: programs are text; leave it out, or --rank, --all "
            "and --from");
    if (args->all && (args->output || one || args->from))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--all writes many programs: leave out --rank, --from and --output");
    if (args->against && args->output)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--against prints what differs: leave out --output");
    return args->from ? check_from(args, error) : RK_OK;
}

static int run_plan(const struct plan_input *input, const struct program_args *args)
{
    struct rk_program program = {.rank = 0};
    struct rk_error error;
    enum rk_status status = lower(&program, input, 0, &error); /* can it be? */
    rk_program_release(&program);
    if (status != RK_OK) return options_fail(&error);
    if (args->all) {
        status = write_all(input, args, &error);
    } else if (args->ranks.count) {
        status = lower(&program, input, args->ranks.range[0].low, &error);
        if (status == RK_OK) status = use(&program, args, &error);
    } else {
        return show_classes(input, args);
    }
    rk_program_release(&program);
    return status == RK_OK ? RK_OK : options_fail(&error);
}

static int run_file(const struct program_args *args)
{
    struct rk_program program;
    struct rk_error error;
    enum rk_status status = read_from(&program, args->from, &error);
    if (status == RK_OK) status = use(&program, args, &error);
    rk_program_release(&program);
    return status == RK_OK ? RK_OK : options_fail(&error);
}

int cmd_program(int argc, char **argv)
{
    struct program_args args = {.source = {.several = true}};
    struct plan_input asked = {.assumed = ""};
    struct rk_error error;
    int code = options_read(&program_usage, argc, argv, &args);
    if (code >= 0) return code;
    keep_memory();
    enum rk_status status = check_arguments(&args, &error);
    if (status == RK_OK && args.from) return run_file(&args);
    if (status == RK_OK) status = plan_gather(&args.source, &asked, &error);
    if (status == RK_OK) status = plan_settle(&args.source, &asked, NULL, NULL, &error);
    code = status == RK_OK ? run_plan(&asked, &args) : options_fail(&error);
    plan_input_release(&asked);
    return code;
}
