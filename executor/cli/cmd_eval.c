/* reckon eval: how well a trained model predicts texts and chooses answers. */
#include "cli/commands.h"
#include "cli/eval_task.h"
#include "cli/eval_text.h"
#include "cli/executor.h"
#include "cli/show.h"
#include "cli/train_model.h"

#include <reckon/reckon.h>

#include <math.h>
#include <stdlib.h>

struct eval_args {
    const char *model, *load, *tokenizer, *plan, *log, *output, *form, *shots_from;
    struct option_texts files, tasks;
    uint64_t ranks, threads, limit, stride, sequence, shots, seed;
    double rotary_base, norm_eps;
    bool wide;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct eval_args, member)

/* clang-format off */
static const struct operand operands[] = {
    {.name = "FILE", AT(files), .optional = OPERAND_MANY, .complete = "file"},
    {.name = NULL},
};
static const struct option input_rows[] = {
    {.letter = 'm', .name = "model", .common = true, .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "model"},
    {.letter = 'l', .name = "load", .common = true, .type = OPTION_TEXT, .argument = "FOLDER", AT(load), .complete = "file"},
    {.letter = 't', .name = "tokenizer", .common = true, .type = OPTION_TEXT, .argument = "FILE", AT(tokenizer), .complete = "file"},
    {.name = "rotary-base", .type = OPTION_COUNT, AT(rotary_base), .argument = "BASE"},
    {.name = "norm-eps", .type = OPTION_COUNT, AT(norm_eps), .argument = "EPS"},
    {.name = NULL},
};
static const struct option text_rows[] = {
    {.name = "sequence", .type = OPTION_NUMBER, .argument = "TOKENS", AT(sequence), .min = 1, .max = 1 << 24},
    {.name = "stride", .type = OPTION_NUMBER, .argument = "TOKENS", AT(stride), .min = 1, .max = 1 << 24},
    {.name = NULL},
};
static const struct option task_rows[] = {
    {.name = "task", .common = true, .type = OPTION_TEXTS, .argument = "FILE", AT(tasks), .complete = "file"},
    {.name = "template", .type = OPTION_TEXT, .argument = "FILE", AT(form), .complete = "file"},
    {.name = "shots", .common = true, .type = OPTION_NUMBER, AT(shots), .max = 1000},
    {.name = "shots-from", .type = OPTION_TEXT, .argument = "FILE", AT(shots_from), .complete = "file"},
    {.name = "seed", .type = OPTION_NUMBER, AT(seed)},
    {.name = "log", .type = OPTION_OUTPUT, .argument = "FILE", AT(log), .complete = "file"},
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};
static const struct option run_rows[] = {
    {.letter = 'p', .name = "plan", .common = true, .type = OPTION_TEXT, .argument = "FILE|WORDS", AT(plan), .complete = "plan"},
    {.name = "ranks", .common = true, .type = OPTION_NUMBER, .argument = "N", AT(ranks), .min = 1, .max = 1024},
    {.name = "threads", .type = OPTION_NUMBER, AT(threads), .min = 1, .max = 256},
    {.name = "double", .type = OPTION_FLAG, AT(wide)},
    {.name = "limit", .type = OPTION_NUMBER, .argument = "SECONDS", AT(limit), .min = 1, .max = 86400},
    {.name = NULL},
};

const struct usage eval_usage = {
#include "help/eval.h"
    .operands = operands,
    .groups = {
        {"Input", input_rows, 0},
        {"Texts", text_rows, 0},
        {"Tasks", task_rows, 0},
        {"Run", run_rows, 0},
        {"Form of the table", show_options, offsetof(struct eval_args, show)},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

/* ---- the model ---- */

static enum rk_status need(const struct eval_args *args, struct rk_error *error)
{
    if (!args->model || !args->load)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "say which model with which weights: --model FILE --load FOLDER");
    if (!args->files.count && !args->tasks.count)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "say what to score: a text, or questions with --task FILE");
    if (!args->tasks.count && (args->shots || args->form || args->shots_from || args->log))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--shots, --shots-from, --template and --log are of questions: say "
                       "--task FILE");
    return RK_OK;
}

static enum rk_status open_plan(const struct eval_args *args, struct eval_model *m,
                                struct rk_error *error)
{
    static const struct option_texts none = {.count = 0};
    struct plan_draft draft;
    const enum rk_status status =
        train_plan_read(args->plan, &none, args->ranks, NULL, &draft, error);
    if (status != RK_OK) return status;
    m->plan = draft.plan;
    if (!plan_given(&draft, "batch")) { /* enough microbatches for any schedule */
        const uint64_t microbatches = m->plan.pipeline > 1 ? 2 * m->plan.pipeline : 1;
        m->plan.batch = rk_plan_data(&m->plan) * m->plan.microbatch * microbatches;
    }
    if (args->sequence) m->plan.sequence = args->sequence;
    m->sequence = m->plan.sequence ? m->plan.sequence : m->model.sequence;
    if (m->sequence <= m->model.sequence || m->model.position == RK_POSITION_ROPE) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--sequence %llu: the model has %llu positions", (unsigned long long)m->sequence,
                   (unsigned long long)m->model.sequence);
}

static enum rk_status open_model(const struct eval_args *args, struct eval_model *m,
                                 struct rk_error *error)
{
    m->train = cli_executor->defaults();
    enum rk_status status = train_model_open(args->model, &m->model, &m->train, error);
    if (status != RK_OK) return status;
    m->model.no_dropout = true;
    m->train.double_precision = args->wide;
    m->train.threads = (int)args->threads;
    m->train.limit_s = (double)args->limit;
    if (args->rotary_base > 0) m->train.rotary_base = args->rotary_base;
    if (args->norm_eps > 0) m->train.norm_eps = args->norm_eps;
    m->load = args->load;
    m->tokenizer_path = args->tokenizer;
    status = open_plan(args, m, error);
    if (status == RK_OK)
        status = tokenizer_load(args->tokenizer ? args->tokenizer : "bytes", &m->tokenizer, error);
    if (status != RK_OK) return status;
    m->end_id = m->tokenizer.end_id;
    if (m->end_id != BPE_NONE && m->end_id >= m->model.vocabulary) m->end_id = BPE_NONE;
    return rk_system_load("h100-sxm5-80g", &m->system, error); /* any will do */
}

/* ---- texts ---- */

static void show_text(struct report *report, struct report_table *table, const char *name,
                      const struct eval_text *t)
{
    const double n = (double)t->tokens;
    const bool known = t->bytes > 0;
    REPORT_ROW(
        report, table, cell_text(report_text(report, "%s", name)), cell_count(t->documents),
        cell_count(t->left_out), cell_count(t->tokens), known ? cell_count(t->bytes) : cell_none(),
        known ? cell_count(t->characters) : cell_none(), cell_number(t->loss / n),
        cell_number(exp(t->loss / n)),
        known ? cell_number(t->loss / log(2) / (double)t->bytes) : cell_none(),
        known && t->characters ? cell_number(exp(t->loss / (double)t->characters)) : cell_none(),
        cell_number((double)t->likeliest / n));
}

static void add_text(struct eval_text *all, const struct eval_text *one)
{
    const bool known = one->bytes && (all->bytes || !all->documents);
    all->documents += one->documents;
    all->left_out += one->left_out;
    all->tokens += one->tokens;
    all->bytes = known ? all->bytes + one->bytes : 0;
    all->characters = known ? all->characters + one->characters : 0;
    all->loss += one->loss;
    all->likeliest += one->likeliest;
}

static enum rk_status do_texts(const struct eval_args *args, const struct eval_model *m,
                               struct report *report, struct rk_error *error)
{
    static const struct report_column columns[] = {{.name = "text"},
                                                   {.name = "documents"},
                                                   {.name = "left_out"},
                                                   {.name = "tokens"},
                                                   {.name = "bytes"},
                                                   {.name = "characters"},
                                                   {.name = "loss", .digits = 6},
                                                   {.name = "perplexity", .digits = 6},
                                                   {.name = "bits_per_byte", .digits = 5},
                                                   {.name = "character_perplexity", .digits = 5},
                                                   {.name = "likeliest", .unit = "%", .digits = 2}};
    struct eval_text all = {.documents = 0};
    const uint64_t stride = args->stride && args->stride < m->sequence ? args->stride : m->sequence;
    if (!args->files.count) return RK_OK;
    struct report_table *table = REPORT_LIST(report, "texts", NULL, REPORT_IN_ALL, columns);
    for (size_t i = 0; i < (size_t)args->files.count; i++) {
        struct eval_text one;
        const enum rk_status status = eval_text(args->files.text[i], stride, m, &one, error);
        if (status != RK_OK) return status;
        show_text(report, table, args->files.text[i], &one);
        add_text(&all, &one);
    }
    if (args->files.count > 1) show_text(report, table, "all", &all);
    return RK_OK;
}

/* ---- tasks ---- */

/* Of a share of n, as a sample of more questions: sqrt(p (1 - p) / (n - 1)). */
static struct report_cell cell_error(double hits, double n)
{
    const double share = hits / n;
    return n > 1 ? cell_number(sqrt(share * (1 - share) / (n - 1))) : cell_none();
}

static void show_task(struct report *report, struct report_table *table, const char *name,
                      const struct eval_task *t)
{
    const double n = (double)t->with_choices;
    REPORT_ROW(report, table, cell_text(name), cell_count(t->items),
               n > 0 ? cell_number((double)t->chosen / n) : cell_none(),
               n > 0 ? cell_error((double)t->chosen, n) : cell_none(),
               n > 0 ? cell_number((double)t->chosen_length / n) : cell_none(),
               n > 0 ? cell_error((double)t->chosen_length, n) : cell_none(),
               n > 0 ? cell_number(n / (double)t->choices) : cell_none(),
               cell_number((double)t->exact / (double)t->items),
               cell_number(exp(t->loss / (double)t->tokens)), cell_count(t->cut));
}

static enum rk_status do_tasks(const struct eval_args *args, const struct eval_model *m, FILE *log,
                               struct report *report, struct rk_error *error)
{
    static const struct report_column columns[] = {
        {.name = "task"},
        {.name = "questions"},
        {.name = "right", .unit = "%", .digits = 2},
        {.name = "right_error", .title = "+-", .unit = "%", .digits = 2},
        {.name = "right_by_length", .unit = "%", .digits = 2},
        {.name = "right_by_length_error", .title = "+-", .unit = "%", .digits = 2},
        {.name = "chance", .unit = "%", .digits = 2},
        {.name = "exact", .unit = "%", .digits = 2},
        {.name = "answer_perplexity", .digits = 6},
        {.name = "cut"}};
    const struct eval_task_options options = {.template_path = args->form,
                                              .shots_path = args->shots_from,
                                              .shots = args->shots,
                                              .seed = args->seed,
                                              .log = log};
    if (!args->tasks.count) return RK_OK;
    struct report_table *table = REPORT_LIST(report, "tasks", NULL, REPORT_IN_ALL, columns);
    for (size_t i = 0; i < (size_t)args->tasks.count; i++) {
        struct eval_task one;
        const enum rk_status status = eval_task(args->tasks.text[i], &options, m, &one, error);
        if (status != RK_OK) return status;
        show_task(report, table, args->tasks.text[i], &one);
    }
    return RK_OK;
}

int cmd_eval(int argc, char **argv)
{
    struct eval_args args = {.threads = 1, .limit = 60, .seed = 1};
    struct eval_model *m = calloc(1, sizeof *m);
    struct report report = {.first = NULL};
    struct rk_error error;
    FILE *log = NULL;
    if (!cli_executor && !executor_is_asked_for_help(argc, argv)) {
        free(m);
        return executor_become(argc, argv);
    }
    const int done = options_read(&eval_usage, argc, argv, &args);
    if (done >= 0 || !m) {
        free(m);
        return done >= 0 ? done : RK_NO_MEMORY;
    }
    enum rk_status status = need(&args, &error);
    if (status == RK_OK) status = open_model(&args, m, &error);
    const bool speaks = cli_executor && cli_executor->rank == 0;
    if (status == RK_OK && args.log && speaks && !(log = fopen(args.log, "w")))
        status = rk_fail(&error, RK_IO, args.log, 0, 0, "cannot be written");
    if (status == RK_OK) status = do_texts(&args, m, &report, &error);
    if (status == RK_OK) status = do_tasks(&args, m, log, &report, &error);
    if (log && fclose(log) != 0 && status == RK_OK)
        status = rk_fail(&error, RK_IO, args.log, 0, 0, "not everything could be written");
    int code = status;
    if (status != RK_OK)
        code = options_fail(&error);
    else if (speaks)
        code = show_report(&report, &args.show, args.output, RK_OK);
    report_release(&report);
    tokenizer_release(&m->tokenizer);
    rk_system_release(&m->system);
    free(m);
    return code;
}
