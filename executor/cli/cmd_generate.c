/* reckon generate: a trained model continues a prompt. */
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/executor.h"
#include "cli/train_model.h"
#include "text/output.h"
#include "tokens/tokenizer.h"

#include <reckon/reckon.h>

#include <stdlib.h>
#include <string.h>

struct generate_args {
    const char *model, *load, *tokenizer, *output;
    struct option_texts prompts;
    uint64_t tokens, seed, top, samples, sequence, threads;
    double temperature, top_p, rotary_base, norm_eps;
    bool greedy, wide;
};

#define AT(member) .offset = offsetof(struct generate_args, member)

/* clang-format off */
static const struct operand operands[] = {
    {.name = "PROMPT", AT(prompts), .optional = OPERAND_MANY},
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
static const struct option choice_rows[] = {
    {.letter = 'n', .name = "tokens", .common = true, .type = OPTION_NUMBER, AT(tokens), .min = 1, .max = 1000000},
    {.name = "temperature", .common = true, .type = OPTION_COUNT, AT(temperature), .argument = "T"},
    {.name = "top", .type = OPTION_NUMBER, AT(top), .min = 1, .max = 1000000},
    {.name = "top-p", .common = true, .type = OPTION_COUNT, AT(top_p), .argument = "P"},
    {.name = "greedy", .common = true, .type = OPTION_FLAG, AT(greedy)},
    {.name = "samples", .type = OPTION_NUMBER, AT(samples), .min = 1, .max = 1024},
    {.name = "seed", .common = true, .type = OPTION_NUMBER, AT(seed)},
    {.name = "sequence", .type = OPTION_NUMBER, AT(sequence), .argument = "TOKENS", .min = 1, .max = 1ull << 31},
    {.name = "threads", .type = OPTION_NUMBER, AT(threads), .min = 1, .max = 256},
    {.name = "double", .type = OPTION_FLAG, AT(wide)},
    {.name = NULL},
};

static const struct option output_rows[] = {
    {.letter = 'o', .name = "output", .common = true, .type = OPTION_TEXT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = NULL},
};

const struct usage generate_usage = {
#include "help/generate.h"
    .operands = operands,
    .groups = {
        {"Input", input_rows, 0},
        {"Choices", choice_rows, 0},
        {"Output", output_rows, 0},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

/* ---- tokens ---- */

/* One text is written as it comes, several when all are complete. */
struct writer {
    const struct tokenizer *tokenizer;
    FILE *out;
    const char *prompt;  /* of one text, until it is printed */
    struct bytes *texts; /* (count) */
    uint64_t count;
    bool failed;
};

static bool put_token(void *context, uint64_t text, uint32_t token)
{
    struct writer *w = context;
    struct bytes one = {.data = NULL}, *to = w->count > 1 ? &w->texts[text] : &one;
    if (token < w->tokenizer->ids && !tokenizer_decode(w->tokenizer, &token, 1, to))
        w->failed = true;
    if (w->count > 1) return !w->failed;
    if (w->prompt) fputs(w->prompt, w->out);
    w->prompt = NULL;
    if (one.size && fwrite(one.data, 1, one.size, w->out) != one.size) w->failed = true;
    bytes_release(&one);
    if (fflush(w->out) != 0) w->failed = true;
    return !w->failed;
}

static void put_texts(const struct writer *w, const struct generate_args *args)
{
    for (uint64_t i = 0; w->count > 1 && i < w->count; i++) {
        fputs(args->prompts.text[i / args->samples], w->out);
        fwrite(w->texts[i].data, 1, w->texts[i].size, w->out);
        if (i + 1 < w->count) fputs("\n\n", w->out);
    }
    putc('\n', w->out);
}

static enum rk_status encode_prompt(const struct generate_args *args, const char *prompt,
                                    const struct tokenizer *tokenizer, const struct rk_model *model,
                                    struct token_list *ids, struct rk_error *error)
{
    struct tokenizer_scratch scratch = {.marks = {NULL, 0, 0}};
    const bool bytes = strcmp(args->tokenizer, "bytes") == 0;
    if (!bytes && tokenizer->ids > model->vocabulary)
        return rk_fail(error, RK_BAD_INPUT, args->tokenizer, 0, 0,
                       "has %u ids, the model's vocabulary %llu: it is another model's tokenizer",
                       tokenizer->ids, (unsigned long long)model->vocabulary);
    const bool ok = tokenizer_encode(tokenizer, &scratch, prompt, strlen(prompt), ids);
    tokenizer_scratch_release(&scratch);
    if (!ok) return no_memory(error);
    if (ids->count) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "the prompt is empty: say at least one word");
}

/* What is asked of the executor, and what is held for it. */
struct asked {
    struct rk_model model;
    struct rk_system system;
    struct rk_train train;
    struct token_list *ids;   /* (prompts) */
    struct rk_prompt *prompt; /* (prompts * samples) */
    struct writer writer;
};

static enum rk_status encode_prompts(const struct generate_args *args, struct asked *a,
                                     struct rk_error *error)
{
    const uint64_t prompts = (uint64_t)args->prompts.count, texts = prompts * args->samples;
    enum rk_status status = RK_OK;
    a->ids = calloc(prompts, sizeof *a->ids);
    a->prompt = calloc(texts, sizeof *a->prompt);
    a->writer.texts = calloc(texts, sizeof *a->writer.texts);
    if (!a->ids || !a->prompt || !a->writer.texts) return no_memory(error);
    for (uint64_t i = 0; i < prompts && status == RK_OK; i++)
        status = encode_prompt(args, args->prompts.text[i], a->writer.tokenizer, &a->model,
                               &a->ids[i], error);
    for (uint64_t i = 0; i < texts; i++) {
        const struct token_list *ids = &a->ids[i / args->samples];
        a->prompt[i] = (struct rk_prompt){ids->id, ids->count};
    }
    a->writer.count = texts;
    return status;
}

static enum rk_status run(const struct generate_args *args, struct asked *a, struct rk_error *error)
{
    a->train.seed = args->seed;
    if (args->rotary_base > 0) a->train.rotary_base = args->rotary_base;
    if (args->norm_eps > 0) a->train.norm_eps = args->norm_eps;
    a->train.double_precision = args->wide;
    a->train.threads = (int)args->threads;
    const struct rk_generate g = {.load = args->load,
                                  .system = &a->system,
                                  .prompt = a->prompt,
                                  .prompts = a->writer.count,
                                  .tokens = args->tokens,
                                  .sequence = args->sequence ? args->sequence : a->train.context,
                                  .temperature = args->greedy ? 0 : args->temperature,
                                  .top = args->top,
                                  .top_share = args->top_p,
                                  .token = put_token,
                                  .context = &a->writer};
    executor_warn_of_slow();
    const enum rk_status status = cli_executor->generate(&a->model, &a->train, &g, error);
    if (status == RK_OK) put_texts(&a->writer, args);
    return status;
}

static enum rk_status generate(const struct generate_args *args, const struct tokenizer *tokenizer,
                               FILE *out, struct rk_error *error)
{
    struct asked a = {
        .train = cli_executor->defaults(),
        .writer = {.tokenizer = tokenizer, .out = out, .prompt = args->prompts.text[0]}};
    enum rk_status status = train_model_open(args->model, &a.model, &a.train, error);
    if (status == RK_OK) status = encode_prompts(args, &a, error);
    if (status == RK_OK)
        status = rk_system_load("h100-sxm5-80g", &a.system, error); /* any will do */
    const bool loaded = status == RK_OK;
    if (status == RK_OK) status = run(args, &a, error);
    for (uint64_t i = 0; a.ids && i < (uint64_t)args->prompts.count; i++)
        free(a.ids[i].id);
    for (uint64_t i = 0; a.writer.texts && i < a.writer.count; i++)
        bytes_release(&a.writer.texts[i]);
    free(a.writer.texts);
    free(a.ids);
    free(a.prompt);
    if (loaded) rk_system_release(&a.system);
    return status;
}

static enum rk_status need(const struct generate_args *args, struct rk_error *error)
{
    if (!args->model || !args->load)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "say which model with which weights: --model FILE --load FOLDER");
    if (!args->prompts.count)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "say what to continue: a text, in quotes");
    if (args->top_p > 1)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--top-p %g: probabilities sum to 1 at most", args->top_p);
    return RK_OK;
}

int cmd_generate(int argc, char **argv)
{
    struct generate_args args = {.tokenizer = "bytes",
                                 .tokens = 200,
                                 .seed = 1,
                                 .output = "-",
                                 .temperature = 0.8,
                                 .samples = 1,
                                 .threads = 1,
                                 .top_p = 1};
    struct tokenizer tokenizer;
    struct output output = {.file = NULL};
    struct rk_error error;
    if (!cli_executor && !executor_is_asked_for_help(argc, argv))
        return executor_become(argc, argv);
    const int done = options_read(&generate_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = need(&args, &error);
    if (status == RK_OK) status = tokenizer_load(args.tokenizer, &tokenizer, &error);
    if (status != RK_OK) return options_fail(&error);
    status = output_open(&output, args.output, &error);
    if (status == RK_OK) status = generate(&args, &tokenizer, output.file, &error);
    if (status == RK_OK) status = output_commit(&output, &error);
    output_abandon(&output);
    tokenizer_release(&tokenizer);
    return status == RK_OK ? (int)RK_OK : options_fail(&error);
}
