/* reckon adapt: a running step after step, and when another plan pays. */
#include "advise/adapt.h"
#include "cli/commands.h"
#include "cli/launchable.h"
#include "cli/plan_input.h"
#include "cli/plan_operands.h"
#include "cli/progress.h"
#include "cli/show.h"
#include "logs/train_log.h"
#include "text/fields.h"
#include "text/output.h"
#include "workload/layers.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct adapt_args {
    struct plan_source source;
    const char *records, *output, *headroom;
    uint64_t steps;
    double restart_s, lost_steps, gain;
};

#define AT(member) .offset = offsetof(struct adapt_args, member)

/* clang-format off */
static const struct operand adapt_operands[] = {
    PLAN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "PLAN", AT(source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option adapt_options_rows[] = {
    {.letter = 'r', .name = "records", .type = OPTION_TEXT, .argument = "FILE", AT(records), .complete = "file"},
    {.letter = 'o', .name = "output", .data = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = "steps", .type = OPTION_NUMBER, AT(steps), .min = 1},
    {.name = "restart", .type = OPTION_COUNT, .argument = "SECONDS", AT(restart_s)},
    {.name = "lost-steps", .type = OPTION_COUNT, .argument = "N", AT(lost_steps)},
    {.name = "least-gain", .type = OPTION_COUNT, .argument = "PERCENT", AT(gain)},
    OPTION_HEADROOM_ROW(AT(headroom)),
    {.name = NULL},
};
/* clang-format on */

const struct usage adapt_usage = {
#include "help/adapt.h"
    .operands = adapt_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {{"Input", plan_source_options, offsetof(struct adapt_args, source)},
               {"Watching", adapt_options_rows, 0},
               {"General", options_help_rows, 0},
               {NULL, plan_options, offsetof(struct adapt_args, source)}},
};

/* ---- records ---- */

struct raw {
    struct adapt_record record;
    double tensor_s, context_s, expert_s, data_s, pipeline_s;
    double seconds, peak_bytes, ignored; /* of reckon train */
};

#define RECORD(member) .offset = offsetof(struct raw, member)
#define SECONDS(name, member, text)                                                                \
    {                                                                                              \
        name, FIELD_NUMBER, RECORD(member), .max = 1e6, .help = text                               \
    }
/* clang-format off */
static const struct field record_fields[] = {
    {"step", FIELD_COUNT, FIELD_REQUIRED, RECORD(record.step), .help = "its number"},
    {"step_s", FIELD_NUMBER, RECORD(record.step_s), .max = 1e6, .preset = -1, .help = "how long it took; 0: it did not run"},
    SECONDS("compute_s", record.compute_s, "a rank computed"),
    SECONDS("tensor_s", tensor_s, "exposed communication of tensor parallelism"),
    SECONDS("context_s", context_s, "... of context parallelism"),
    SECONDS("expert_s", expert_s, "... of experts"),
    SECONDS("data_s", data_s, "... of gradients and weights"),
    SECONDS("pipeline_s", pipeline_s, "... of messages between stages"),
    {"memory_GiB", FIELD_NUMBER, .unit = "GiB", RECORD(record.memory_bytes), .max = 1e6, .help = "peak of the fullest rank"},
    {"slowest", FIELD_NUMBER, RECORD(record.slowest), .max = 1000, .help = "computing of the slowest rank over the median's"},
    {"sequence", FIELD_COUNT, RECORD(record.sequence), .max = 1e9, .help = "tokens of a sample"},
    {"batch", FIELD_COUNT, RECORD(record.batch), .max = 1e9, .help = "samples of the step"},
    {"gpus", FIELD_COUNT, RECORD(record.ranks), .max = 1e7, .help = "ranks that are alive"},
    {"phase_left", FIELD_COUNT, RECORD(record.phase_left), .max = 1e12, .help = "steps until sequence or batch change"},
    {"seconds", FIELD_NUMBER, RECORD(seconds), .max = 1e6, .preset = -1, .help = "of reckon train: step_s"},
    {"peak_bytes", FIELD_NUMBER, RECORD(peak_bytes), .max = 1e18, .help = "of reckon train: memory"},
    {"loss", FIELD_NUMBER, RECORD(ignored), .min = -1e300, .max = 1e300, .help = "of reckon train: not used"},
    {"balance", FIELD_NUMBER, RECORD(ignored), .max = 1e300, .help = "of reckon train: not used"},
    {"norm", FIELD_NUMBER, RECORD(ignored), .max = 1e300, .help = "of reckon train: not used"},
    {"loss_scale", FIELD_NUMBER, RECORD(ignored), .max = 1e300, .help = "of reckon train: not used"},
    {"skipped", FIELD_NUMBER, RECORD(ignored), .max = 1, .help = "of reckon train: not used"},
    {"rate", FIELD_NUMBER, RECORD(ignored), .max = 1e300, .help = "of reckon train: not used"},
    {"slowest_rank", FIELD_NUMBER, RECORD(ignored), .max = 1e9, .help = "of reckon train: not used"},
    {"tokens_per_s", FIELD_NUMBER, RECORD(ignored), .max = 1e300, .help = "of reckon train: not used"},
    {.key = NULL},
};
/* clang-format on */

static enum rk_status read_record(const char *path, const char *text, size_t size, int line,
                                  struct adapt_record *record, struct rk_error *error)
{
    struct document document = {.text = NULL};
    struct raw raw = {.record = {.step = 0}};
    enum rk_status status = document_parse(path, text, size, &document, error);
    const struct place root = place_root(&document);
    if (status == RK_OK) status = fields_load(&root, record_fields, &raw, error);
    if (status == RK_OK && raw.record.step_s < 0) raw.record.step_s = raw.seconds;
    if (status == RK_OK && raw.record.step_s < 0)
        status =
            place_fail(&root, error, "step_s is missing: how long it took, 0 if it did not run");
    if (raw.record.memory_bytes <= 0) raw.record.memory_bytes = raw.peak_bytes;
    document_release(&document);
    if (status != RK_OK) error->line = line;
    raw.record.inner_s = raw.tensor_s + raw.context_s + raw.expert_s;
    raw.record.outer_s = raw.data_s + raw.pipeline_s;
    *record = raw.record;
    return status;
}

/* ---- events ---- */

static json_t *words_of(const struct rk_plan *plan)
{
    static char words[16384];
    rk_plan_text(plan, words, sizeof words);
    return json_string(words);
}

static json_t *factors_of(const struct adapt_event *event)
{
    json_t *object = json_object();
    for (int i = 0; i < ADAPT_FACTORS; i++)
        json_object_set_new(object, adapt_factor_names[i], json_real(event->factor[i]));
    return object;
}

/* Does what is gone to fit? Measured runs whose peak was predicted so did so often. */
static void say_fit(json_t *line, const struct plan_input *input, const struct adapt_event *event)
{
    const double bytes = event->filled * input->system.memory[0].capacity_bytes;
    const double fits = input->system.machine
                            ? NAN
                            : rk_fit_chance(&input->model, &input->system, &event->to, bytes);
    json_object_set_new(line, "new_memory_share", json_real(event->filled));
    if (!isnan(fits)) json_object_set_new(line, "fits", json_real(fits));
    if (event->full)
        json_object_set_new(line, "headroom",
                            json_string("no plan leaves the headroom: the best plan that fits"));
}

static void print_event(FILE *out, const struct plan_input *input, const struct adapt_event *event)
{
    json_t *line = json_pack("{sI ss so}", "step", (json_int_t)event->step, "event",
                             adapt_event_names[event->kind], "machine", factors_of(event));
    if (event->from_s > 0) json_object_set_new(line, "step_s", json_real(event->from_s));
    if (event->kind == ADAPT_SWITCH || event->kind == ADAPT_FORCED) {
        json_object_set_new(line, "why", json_string(event->why));
        json_object_set_new(line, "from", words_of(&event->from));
        json_object_set_new(line, "to", words_of(&event->to));
        json_object_set_new(line, "new_step_s", json_real(event->to_s));
        json_object_set_new(line, "moved_bytes", json_real(event->move.moved_bytes));
        json_object_set_new(line, "move_s", json_real(event->move.move_s));
        json_object_set_new(line, "cost_s", json_real(event->cost_s));
        say_fit(line, input, event);
        if (event->pays_steps > 0)
            json_object_set_new(line, "pays_after_steps", json_real(event->pays_steps));
    } else if (event->to_s > 0) {
        json_object_set_new(line, "best_step_s", json_real(event->to_s));
    }
    json_dumpf(line, out, JSON_REAL_PRECISION(7));
    putc('\n', out);
    fflush(out); /* whoever acts on it waits for it */
    json_decref(line);
}

struct told {
    FILE *out; /* where events go */
    const struct plan_input *input;
    uint64_t records, switches, forced;
    bool stranded;
};

/* Lines of a log, or of JSON: as the first one is. */
struct stream {
    const char *path;
    bool begun, log;
    int format; /* of a log: the rank of its first step's, and 1 more; 0: none yet */
    struct train_log_scale scale;
};

/* False: a line that tells nothing. */
static bool read_line(struct stream *stream, const char *text, size_t size, int line,
                      uint64_t records, struct adapt_record *record, enum rk_status *status,
                      struct rk_error *error)
{
    const size_t blank = strspn(text, " \t\r\n");
    struct train_log_line said;
    *status = RK_OK;
    if (blank == size) return false;
    if (!stream->begun) stream->log = text[blank] != '{';
    stream->begun = true;
    if (!stream->log) {
        *status = read_record(stream->path, text, size, line, record, error);
        return true;
    }
    if (!train_log_read_line(text, &stream->scale, &said)) return false;
    if (!stream->format) stream->format = said.rank + 1;
    if (stream->format != said.rank + 1) return false;
    *record = (struct adapt_record){.step = said.step ? said.step : records + 1,
                                    .step_s = said.step_s,
                                    .batch = said.batch,
                                    .memory_bytes = said.memory_bytes};
    return true;
}

static enum rk_status watch(struct adapt *adapt, FILE *file, struct stream *stream,
                            struct told *told, struct rk_error *error)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t size;
    enum rk_status status = RK_OK;
    for (int line = 1; status == RK_OK && (size = getline(&text, &room, file)) >= 0; line++) {
        struct adapt_record record;
        struct adapt_event event;
        if (!read_line(stream, text, (size_t)size, line, told->records, &record, &status, error))
            continue;
        if (status == RK_OK) status = adapt_take(adapt, &record, &event, error);
        if (status != RK_OK) break;
        told->records++;
        told->switches += event.kind == ADAPT_SWITCH;
        told->forced += event.kind == ADAPT_FORCED;
        /* one that stays so is reported once */
        const bool again = event.kind == ADAPT_STRANDED && told->stranded;
        told->stranded = event.kind == ADAPT_STRANDED;
        if (event.kind != ADAPT_NOTHING && !again) print_event(told->out, told->input, &event);
    }
    if (status == RK_OK && ferror(file))
        status = rk_fail(error, RK_IO, stream->path, 0, 0, "cannot be read: %s", strerror(errno));
    if (status == RK_OK && stream->log && !told->records)
        status =
            rk_fail(error, RK_BAD_INPUT, stream->path, 0, 0,
                    "neither records ({\"step\": 1, \"step_s\": 2.5}) nor a log of Megatron-LM, "
                    "NeMo, torchtitan, DeepSpeed or nanotron: no line tells the time of a step");
    free(text);
    return status;
}

/* The files that the command line names. */
static enum rk_status open_files(const struct adapt_args *args, FILE **records, struct told *told,
                                 struct rk_error *error)
{
    *records = strcmp(args->records, "-") == 0 ? stdin : fopen(args->records, "r");
    if (!*records)
        return rk_fail(error, RK_BAD_INPUT, args->records, 0, 0, "cannot be read: %s",
                       strerror(errno));
    if (!args->output || output_is_stdout(args->output)) return RK_OK;
    told->out = fopen(args->output, "w");
    if (told->out) return RK_OK;
    return rk_fail(error, RK_IO, args->output, 0, 0, "cannot be written: %s", strerror(errno));
}

static enum rk_status close_output(const struct adapt_args *args, struct told *told,
                                   enum rk_status status, struct rk_error *error)
{
    if (!told->out || told->out == stdout) return status;
    const bool unwritten = ferror(told->out) != 0;
    if ((fclose(told->out) != 0 || unwritten) && status == RK_OK)
        return rk_fail(error, RK_IO, args->output, 0, 0, "cannot be written whole");
    return status;
}

/* Of several clusters the least. */
static enum rk_status least_room(const char *headroom, const struct plan_input *input, double *room,
                                 struct rk_error *error)
{
    const int clusters = input->system.machine ? input->system.machine->clusters : 1;
    enum rk_status status = RK_OK;
    *room = 1;
    for (int i = 0; i < clusters && status == RK_OK; i++) {
        double own;
        status = rk_headroom_share(headroom, &input->model, rk_system_of(&input->system, i),
                                   &input->draft.plan, &own, error);
        if (own < *room) *room = own;
    }
    return status;
}

/* The plans that switches propose are of its model and framework. */
static void say_launch(const struct plan_input *input)
{
    struct report report = {.first = NULL};
    const char *why = launch_refusal(&report, &input->model, &input->system, &input->draft.plan);
    if (why) fprintf(stderr, "reckon: %s\n", why);
    report_release(&report);
}

static enum rk_status follow(const struct adapt_args *args, const struct plan_input *input,
                             struct adapt_options *options, FILE *records, struct told *told,
                             struct rk_error *error)
{
    const struct rk_plan *plan = &input->draft.plan;
    const double sequence = rk_tokens_trained(&input->model, plan);
    struct stream stream = {
        .path = args->records,
        .scale = {(double)plan->batch, (double)plan->batch * sequence / (double)plan->ranks}};
    enum rk_status status = least_room(args->headroom, input, &options->room, error);
    if (status != RK_OK) return status;
    struct adapt *adapt = adapt_open(&input->model, &input->system, plan, options, error);
    status = adapt ? watch(adapt, records, &stream, told, error) : error->status;
    adapt_close(adapt);
    return status;
}

int cmd_adapt(int argc, char **argv)
{
    struct adapt_options options = adapt_options_default();
    struct adapt_args args = {.source = {.several = true},
                              .records = "-",
                              .restart_s = options.restart_s,
                              .lost_steps = options.lost_steps,
                              .gain = 100 * options.least_gain};
    struct plan_input input = {.assumed = ""};
    struct rk_error error = {.status = RK_OK};
    struct told told = {.out = stdout, .input = &input};
    FILE *file = NULL;
    plan_words_prepare();
    const int done = options_read(&adapt_usage, argc, argv, &args);
    if (done >= 0) return done;
    options.steps = args.steps;
    options.restart_s = args.restart_s;
    options.lost_steps = args.lost_steps;
    options.least_gain = args.gain / 100;
    enum rk_status status = plan_gather(&args.source, &input, &error);
    if (status == RK_OK) status = plan_settle(&args.source, &input, NULL, NULL, &error);
    if (status == RK_OK) status = open_files(&args, &file, &told, &error);
    if (status == RK_OK) say_launch(&input);
    if (status == RK_OK) status = follow(&args, &input, &options, file, &told, &error);
    status = close_output(&args, &told, status, &error);
    int code;
    if (status == RK_OK) {
        fprintf(stderr, "%" PRIu64 " records, %" PRIu64 " switches, %" PRIu64 " forced\n",
                told.records, told.switches, told.forced);
        code = show_finish(told.stranded ? RK_NOTHING_FITS : RK_OK);
    } else {
        code = options_fail(&error);
    }
    if (file && file != stdin) fclose(file);
    plan_input_release(&input);
    return code;
}
