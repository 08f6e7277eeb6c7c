/* reckon serve: inference, its prompts, its tokens, its cache. */
#include "base/limits.h"
#include "base/number.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/plan_operands.h"
#include "cli/prediction.h"
#include "cli/serve.h"
#include "cli/show.h"
#include "cli/verdict.h"
#include "report/chart.h"

#include <stdlib.h>

enum {
    POWERS = 21, /* of two, up to MOST_BATCH */
    MOST_BATCHES = OPTION_MAX_VALUES * POWERS,
    MOST_SHOWN = 64,
    MOST_TOKENS = 1 << 24
};
_Static_assert(MOST_BATCH == 1 << (POWERS - 1),
               "Number of GPUs; a range stands for its powers of two");

struct serve_args {
    struct plan_source source;
    struct option_values batch;
    uint64_t prompt, generated, pass_tokens, cache_bits;
    const char *measured;
    bool verbose, validate, rows, heads_apart, cache_split, search;
    uint64_t first_ms, token_ms, top;
    const char *output, *headroom;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct serve_args, member)

/* clang-format off */
static const struct operand serve_operands[] = {
    PLAN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "PLAN", AT(source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option serve_options[] = {
    {.letter = 'b', .name = "batch", .common = true, .type = OPTION_VALUES, AT(batch), .argument = "N,N", .min = 1, .max = MOST_BATCH},
    {.name = "prompt", .common = true, .type = OPTION_NUMBER, AT(prompt), .argument = "TOKENS", .min = 1, .max = MOST_TOKENS},
    {.name = "generate", .common = true, .type = OPTION_NUMBER, AT(generated), .argument = "TOKENS", .min = 1, .max = MOST_TOKENS},
    {.name = "pass-tokens", .type = OPTION_NUMBER, AT(pass_tokens), .argument = "TOKENS", .min = 1, .max = MOST_TOKENS,
     .help = "Process prompts in passes of at most N tokens per data rank (default: " SERVE_TEXT(SERVE_PASS_TOKENS) ")"},
    {.name = "cache-bits", .type = OPTION_NUMBER, AT(cache_bits), .argument = "BITS", .min = 4, .max = 32},
    {.name = "cache-split", .type = OPTION_FLAG, AT(cache_split)},
    {.name = "heads-apart", .type = OPTION_FLAG, AT(heads_apart)},
    OPTION_VERBOSE_ROW(AT(verbose)),
    {.name = NULL},
};
static const struct option search_options[] = {
    {.name = "search", .common = true, .type = OPTION_FLAG, AT(search)},
    {.name = "token-ms", .common = true, .type = OPTION_NUMBER, AT(token_ms), .argument = "MS", .min = 1, .max = MOST_TOKENS},
    {.name = "first-ms", .common = true, .type = OPTION_NUMBER, AT(first_ms), .argument = "MS", .min = 1, .max = MOST_TOKENS},
    {.letter = 'k', .name = "top", .type = OPTION_NUMBER, AT(top), .argument = "K", .min = 1, .max = MOST_SHOWN},
    OPTION_HEADROOM_ROW(AT(headroom)),
    {.name = NULL},
};
static const struct option check_options[] = {
    {.name = "validate", .type = OPTION_FLAG, AT(validate)},
    {.name = "measured", .type = OPTION_TEXT, AT(measured), .argument = "FILE", .complete = "file"},
    {.name = "rows", .type = OPTION_FLAG, AT(rows)},
    {.letter = 'o', .name = "output", .common = true, .type = OPTION_TEXT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = NULL},
};

const struct usage serve_usage = {
#include "help/serve.h"
    .operands = serve_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Input", plan_source_options, offsetof(struct serve_args, source)},
        {"Sequences", serve_options, 0},
        {"The best layout", search_options, 0},
        {"Measured figures and output", check_options, 0},
        {"Form", show_options, offsetof(struct serve_args, show)},
        {"General", options_help_rows, 0},
    },
};

static const struct report_column batch_columns[] = {
    {.name = "batch"},
    {.name = "prefill_s", REPORT_OF(struct rk_served, prefill.step_s), .title = "prefill", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "token_first_s", REPORT_OF(struct rk_served, first.step_s), .title = "token, first", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "token_last_s", REPORT_OF(struct rk_served, last.step_s), .title = "last", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "generate_s", REPORT_OF(struct rk_served, generate_s), .title = "all", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "tokens_per_s", REPORT_OF(struct rk_served, tokens_per_s), .title = "tokens/s", .unit = "", .digits = 5},
    {.name = "tokens_per_s_gpu", .title = "... per GPU", .unit = "", .digits = 5},
    {.name = "memory_bytes", REPORT_OF(struct rk_served, total_bytes), .title = "memory", .unit = "B", .digits = 1, .own_scale = true},
    {.name = "verdict"},
};
static const struct chart batch_chart = {
    .title = "Throughput against latency",
    .caption = "A point is a number of sequences at a time; up and to the left is better.",
    .kind = CHART_XY,
    .role = {[CHART_X] = "token_last_s", [CHART_Y] = "tokens_per_s_gpu", [CHART_SERIES] = "verdict",
             [CHART_LABEL] = "batch"},
    .mark = CHART_LINE,
    .x = {.title = "time of the last token"},
    .y = {.title = "tokens per second per GPU"}};
static const struct report_column step_columns[] = {
    {.name = "step", .title = ""},
    {.name = "step_s", REPORT_OF(struct rk_served_step, step_s), .title = "time", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "matrix_s", REPORT_OF(struct rk_served_step, matrix_s), .title = "matrix", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "attention_s", REPORT_OF(struct rk_served_step, attention_s), .title = "attention", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "memory_s", REPORT_OF(struct rk_served_step, memory_s), .title = "memory", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "tensor_s", REPORT_OF(struct rk_served_step, tensor_s), .title = "tensor", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "expert_s", REPORT_OF(struct rk_served_step, expert_s), .title = "experts", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "launch_s", REPORT_OF(struct rk_served_step, launch_s), .title = "host", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "pipeline_s", REPORT_OF(struct rk_served_step, pipeline_s), .title = "pipeline", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "mfu", REPORT_OF(struct rk_served_step, mfu), .title = "MFU", .unit = "%", .digits = 2},
};
static const struct report_column memory_columns[] = {
    {.name = "weights_bytes", REPORT_OF(struct rk_served, weights_bytes), .title = "weights", .unit = "B", .digits = 2},
    {.name = "cache_bytes", REPORT_OF(struct rk_served, cache_bytes), .title = "cache", .unit = "B", .digits = 2, .help = "of all its sequences, at their full length"},
    {.name = "working_bytes", REPORT_OF(struct rk_served, working_bytes), .title = "activations", .unit = "B", .digits = 2, .help = "of a pass of prefill"},
    {.name = "context_bytes", REPORT_OF(struct rk_served, context_bytes), .title = "context", .unit = "B", .digits = 2, .help = "of the device and its libraries"},
    {.name = "total_bytes", REPORT_OF(struct rk_served, total_bytes), .title = "total", .unit = "B", .digits = 2},
    {.name = "capacity_bytes", .title = "of the GPU", .unit = "B", .digits = 2},
    {.name = "sequence_bytes", REPORT_OF(struct rk_served, sequence_bytes), .title = "cache of a sequence", .unit = "B", .digits = 3},
    {.name = "most_batch", REPORT_OF(struct rk_served, most_batch), .title = "sequences that fit", .help = "over all GPUs"},
};
/* clang-format on */
/* ---- tables ---- */

static struct report_table *add_table(struct report *report, const char *name, const char *title,
                                      const struct report_column *columns, int count, unsigned in)
{
    return report_add(report, &(struct report_table){
                                  .name = name,
                                  .title = title,
                                  .shape = columns == memory_columns ? REPORT_RECORD : REPORT_ROWS,
                                  .formats = in,
                                  .columns = columns,
                                  .column_count = count});
}

static void add_batch(const struct serve_question *q, struct report_table *table,
                      const struct rk_served *s)
{
    report_item(q->report, table, s,
                (struct report_cell[]){cell_count(q->serving.batch),
                                       cell_number(s->tokens_per_s / (double)q->plan->ranks),
                                       cell_text(rk_verdict_name(s->verdict))});
}

static void add_step(const struct serve_question *q, struct report_table *table, const char *name,
                     const struct rk_served_step *step)
{
    report_item(q->report, table, step, (struct report_cell[]){cell_text(name)});
}

static void show_steps(const struct serve_question *q, const struct rk_served *s)
{
    const char *title = report_text(q->report, "Where the time of %llu sequences goes",
                                    (unsigned long long)q->serving.batch);
    struct report_table *table = add_table(q->report, "steps", title, step_columns,
                                           COUNT_OF(step_columns), REPORT_IN_TEXT | REPORT_IN_JSON);
    add_step(q, table, "one prompt alone", &s->alone);
    add_step(q, table, "all prompts", &s->prefill);
    add_step(q, table, "a token, first", &s->first);
    add_step(q, table, "a token, last", &s->last);
    table = add_table(q->report, "memory", "Memory of the tightest GPU", memory_columns,
                      COUNT_OF(memory_columns), REPORT_IN_TEXT | REPORT_IN_JSON);
    report_item(q->report, table, s,
                (struct report_cell[]){cell_number(q->system->memory[0].capacity_bytes)});
}

/* ---- batches ---- */

static int listed(const struct option_values *values, uint64_t batch[MOST_BATCHES])
{
    int count = 0;
    for (int i = 0; i < values->count; i++) {
        const uint64_t low = values->range[i].low, high = values->range[i].high;
        if (low == high) batch[count++] = low;
        for (uint64_t n = 1; low < high && n <= high; n *= 2)
            if (n >= low) batch[count++] = n;
    }
    return count;
}

/* A sequence for each data rank at least; powers of two of these up to what fits. */
static int usual(struct serve_question *q, uint64_t batch[MOST_BATCHES])
{
    struct rk_served served;
    int count = 0;
    const uint64_t least = rk_plan_data(q->plan);
    q->serving.batch = least ? least : 1;
    rk_serve(q->model, q->system, q->plan, &q->serving, &served);
    const uint64_t most = served.most_batch < MOST_BATCH ? served.most_batch : MOST_BATCH;
    batch[count++] = q->serving.batch;
    for (uint64_t n = 2 * q->serving.batch; n <= most; n *= 2)
        batch[count++] = n;
    return count;
}

/* ---- the command ---- */

static void give(struct plan_draft *draft, const char *key)
{
    draft->given[plan_row(key)] = true;
}

void serve_choose(struct plan_input *input, void *context)
{
    struct plan_draft *draft = &input->draft;
    (void)context;
    if (!plan_given(draft, "cuda_graphs")) {
        draft->plan.cuda_graphs = true;
        plan_assume(input, "cuda-graphs (decoding steps are captured)");
        give(draft, "cuda_graphs");
    }
    draft->plan.framework = RK_MEGATRON;
    draft->plan.microbatch = 1;
    draft->plan.sequence = input->model.sequence;
    give(draft, "framework");
    give(draft, "microbatch");
    give(draft, "sequence");
    give(draft, "batch");
    const uint64_t ranks = draft->plan.ranks ? draft->plan.ranks : 1;
    draft->plan.batch = ranks * 4096; /* divides among any data ranks: no step is trained */
}

static int refuse(const struct serve_question *q, struct plan_input *input,
                  const struct rk_served *served)
{
    struct rk_prediction *p = report_alloc(q->report, sizeof *p);
    if (!p) return RK_NO_MEMORY;
    p->verdict = served->verdict;
    p->tightest = served->tightest;
    p->reasons = 1;
    p->reason[0] = served->reason;
    const struct forecast f = {q->model, q->system, q->plan, p, input->assumed, NULL};
    report_answer(q->report, REPORT_BAD,
                  report_text(q->report, "%s: %s",
                              served->timed ? rk_sure_name(RK_SURE_NOT) : "cannot run",
                              forecast_reason(q->report, &f, 0)));
    return RK_NOTHING_FITS;
}

static void add_question(const struct serve_question *q, const struct plan_input *input)
{
    char prompt[QUANTITY_TEXT], generated[QUANTITY_TEXT];
    report_note(q->report,
                report_text(q->report,
                            "  %s on %s, %llu GPU%s, inference: prompts of %s tokens, %s generated",
                            input->model.id, input->system.id, (unsigned long long)q->plan->ranks,
                            q->plan->ranks == 1 ? "" : "s", whole_format(prompt, q->serving.prompt),
                            whole_format(generated, q->serving.generated)));
    if (*input->assumed)
        report_paragraph(q->report, report_text(q->report, "assumed: %s", input->assumed));
}

static struct rk_serving serving_of(const struct serve_args *args)
{
    return (struct rk_serving){
        args->prompt,      args->generated,  1, args->pass_tokens, (double)args->cache_bits / 8,
        args->cache_split, args->heads_apart};
}

static int answer(const struct serve_args *args, struct plan_input *input, double room,
                  struct report *report)
{
    struct serve_question q = {&input->model, &input->system, &input->draft.plan, {0}, report};
    uint64_t batch[MOST_BATCHES];
    struct rk_serve_layout shown = {.plan = input->draft.plan};
    struct rk_served served;
    q.serving = serving_of(args);
    add_question(&q, input);
    if (rk_serve(q.model, q.system, q.plan, &q.serving, &served), !served.timed)
        return refuse(&q, input, &served);
    if (args->search)
        return serve_search(&q, &(struct rk_serve_limits){(double)args->first_ms / 1e3,
                                                          (double)args->token_ms / 1e3,
                                                          args->top ? args->top : 5, room});
    const int count = args->batch.count ? listed(&args->batch, batch) : usual(&q, batch);
    struct report_table *table = add_table(report, "batches", "Sequences at a time", batch_columns,
                                           COUNT_OF(batch_columns), REPORT_IN_ALL);
    if (table) table->chart = &batch_chart;
    for (int i = 0; i < count; i++) {
        q.serving.batch = batch[i];
        rk_serve(q.model, q.system, q.plan, &q.serving, &served);
        add_batch(&q, table, &served);
        if (shown.batch && served.verdict != RK_FITS) continue;
        shown.served = served;
        shown.batch = batch[i];
    }
    q.serving.batch = shown.batch;
    show_steps(&q, &shown.served);
    if (shown.served.verdict == RK_FITS) {
        serve_verdict(&q, &shown, "");
        return RK_OK;
    }
    if (!args->verbose) verdict_alone(report);
    return refuse(&q, input, &shown.served);
}

/* What does not go together; NULL when all does. Each of several clusters serves what is best for
 * it within the limits, searched for or not. */
static const char *conflict(const struct serve_args *args, bool several)
{
    const struct plan_source *source = &args->source;
    const bool measured = args->validate || args->measured;
    const bool limits = args->first_ms || args->token_ms;
    const bool asks = source->model || source->system || source->file || source->words.count ||
                      source->gpus || args->batch.count || args->search || args->headroom;
    if (measured && (asks || limits || args->top))
        return "--validate and --measured compare a table whose rows have all that is asked: leave "
               "model, system, plan and --search out";
    if (!measured && args->rows) return "--rows goes with --validate or --measured: give one";
    if (several && args->top) return "--top is of one cluster: of several each has its best layout";
    if (!measured && !args->search && ((limits && !several) || args->top || args->headroom))
        return "--first-ms, --token-ms, --top and --headroom go with --search: add it";
    return NULL;
}

/* A search chooses the degrees itself. */
enum rk_status serve_check_search(const struct plan_draft *draft, struct rk_error *error)
{
    static const char *const chosen[] = {"tensor", "pipeline", "expert", "expert_tensor", "zero"};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (plan_given(draft, chosen[i]))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "--search chooses %s itself: leave it out of the plan", chosen[i]);
    return RK_OK;
}

static enum rk_status check_batches(const struct serve_args *args, struct rk_error *error)
{
    uint64_t batch[MOST_BATCHES];
    if (args->search && args->batch.count)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--search chooses the batch: leave --batch out");
    if (!args->batch.count || listed(&args->batch, batch)) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--batch: no power of two is in the range: give numbers with commas between");
}

static enum rk_status ask(const struct serve_args *args, struct plan_input *input,
                          struct rk_error *error)
{
    enum rk_status status = plan_gather(&args->source, input, error);
    if (status == RK_OK) status = serve_check_words(&input->draft, error);
    if (status == RK_OK && args->search) status = serve_check_search(&input->draft, error);
    if (status == RK_OK) status = check_batches(args, error);
    if (status == RK_OK) status = plan_settle(&args->source, input, serve_choose, NULL, error);
    return status;
}

/* Each cluster of several by itself. */
static int answer_over(const struct serve_args *args, struct report *report)
{
    const struct serve_over over = {
        .source = &args->source,
        .headroom = args->headroom,
        .serving = serving_of(args),
        .limits = {(double)args->first_ms / 1e3, (double)args->token_ms / 1e3, args->top, 1},
        .search = args->search,
        .report = report};
    struct rk_error error;
    bool any = false;
    enum rk_status status = RK_OK;
    if (args->source.gpus || args->batch.count)
        status =
            rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                    "%s does not go with several clusters: each says how many GPUs it has, and "
                    "serves the batch that is best for it",
                    args->source.gpus ? "--gpus" : "--batch");
    if (status == RK_OK) status = serve_over_clusters(&over, &any, &error);
    if (status != RK_OK) return options_fail(&error);
    return show_report(report, &args->show, args->output, any ? RK_OK : RK_NOTHING_FITS);
}

int cmd_serve(int argc, char **argv)
{
    struct serve_args args = {
        .prompt = 2048, .generated = 128, .pass_tokens = SERVE_PASS_TOKENS, .cache_bits = 16};
    struct plan_input input = {.assumed = ""};
    struct report report = {.first = NULL};
    struct rk_error error;
    plan_words_prepare();
    const int done = options_read(&serve_usage, argc, argv, &args);
    if (done >= 0) return done;
    const bool measured = args.validate || args.measured;
    const bool several =
        !measured && args.source.system && rk_machine_is_several(args.source.system);
    const char *why = conflict(&args, several);
    if (why) {
        rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s", why);
        return options_fail(&error);
    }
    if (several) {
        const int code = answer_over(&args, &report);
        report_release(&report);
        return code;
    }
    enum rk_status status =
        measured ? serve_measured(&report, args.measured ? args.measured : "", args.rows, &error)
                 : ask(&args, &input, &error);
    double room = 1;
    if (status == RK_OK && !measured)
        status = rk_headroom_share(args.headroom, &input.model, &input.system, &input.draft.plan,
                                   &room, &error);
    int code = (int)status;
    if (status != RK_OK) {
        code = options_fail(&error);
    } else {
        if (!measured) code = answer(&args, &input, room, &report);
        code = show_report(&report, &args.show, args.output, code);
    }
    report_release(&report);
    plan_input_release(&input);
    return code;
}
