/* reckon generate: a trained model continues a prompt. */
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/executor.h"
#include "cli/show.h"
#include "cli/train_model.h"
#include "text/output.h"
#include "tokens/tokenizer.h"

#include <reckon/reckon.h>

#include <stdlib.h>
#include <string.h>

struct generate_args {
    const char *model, *load, *tokenizer, *prompt, *output;
    uint64_t tokens, seed, top;
    double temperature, rotary_base, norm_eps;
    bool greedy, wide;
};

#define AT(member) .offset = offsetof(struct generate_args, member)

/* clang-format off */
static const struct operand operands[] = {
    {.name = "PROMPT", .help = "the text to continue", AT(prompt)},
    {.name = NULL},
};
static const struct option input_rows[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "model",
     .help = "the model's shape: an id of the catalog, a model file, or a config.json of Hugging Face"},
    {.letter = 'l', .name = "load", .type = OPTION_TEXT, .argument = "FOLDER", AT(load), .complete = "file",
     .help = "its weights: what reckon train --save wrote, or a folder with *.safetensors of Hugging Face"},
    {.letter = 't', .name = "tokenizer", .type = OPTION_TEXT, .argument = "FILE", AT(tokenizer), .complete = "file",
     .help = "the tokenizer.json that the model was trained with, or bytes (bytes)"},
    {.name = "rotary-base", .type = OPTION_COUNT, AT(rotary_base), .argument = "BASE", .help = "of RoPE, as it was trained (what config.json says or leaves to its type, else 10000)"},
    {.name = "norm-eps", .type = OPTION_COUNT, AT(norm_eps), .argument = "EPS", .help = "added to the variances of norms, as it was trained (what config.json says or leaves to its type, else 1e-5)"},
    {.name = NULL},
};
static const struct option choice_rows[] = {
    {.letter = 'n', .name = "tokens", .type = OPTION_NUMBER, AT(tokens), .min = 1, .max = 1000000, .help = "how many to add (200)"},
    {.name = "temperature", .type = OPTION_COUNT, AT(temperature), .argument = "T", .help = "logits are divided by it: below 1 keeps to likely words (0.8)"},
    {.name = "top", .type = OPTION_NUMBER, AT(top), .min = 1, .max = 1000000, .help = "choose among so many likeliest tokens (all)"},
    {.name = "greedy", .type = OPTION_FLAG, AT(greedy), .help = "always the likeliest token"},
    {.name = "seed", .type = OPTION_NUMBER, AT(seed), .help = "of the choices: the same seed brings the same text (1)"},
    {.name = "double", .type = OPTION_FLAG, AT(wide), .help = "compute with 64 bits"},
    {.name = NULL},
};

static const struct option output_rows[] = {
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", AT(output), .complete = "file",
     .help = "write to FILE instead of standard output (-); it appears whole or not at all"},
    {.name = NULL},
};

const struct usage generate_usage = {
    .name = "generate",
    .summary = "continue a prompt with a trained model",
    .synopsis = "--model MODEL --load FOLDER [options] PROMPT",
    .description =
        "Prints the prompt and what the model adds, as it comes. Each token is chosen by the logits of those "
        "before it, at most as many as the model's sequence.",
    .operands = operands,
    .groups = {
        {"Input", input_rows, 0},
        {"Choices", choice_rows, 0},
        {"Output", output_rows, 0},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon generate -m examples/train/tiny.json -l checkpoints \"All human beings\"", "What reckon train --save checkpoints has learned:"},
        {"reckon generate -m gpt2-124m -l gpt2 -t gpt2/tokenizer.json --top 40 \"The law\"", "GPT-2 from a folder of Hugging Face:"},
    },
    .see_also = "reckon-train(1), reckon-tokenize(1)",
};
/* clang-format on */

/* ---- tokens ---- */

struct writer {
    const struct tokenizer *tokenizer;
    FILE *out;
    const char *prompt; /* NULL: it is printed */
    bool failed;
};

static bool put_token(void *context, uint32_t token)
{
    struct writer *w = context;
    struct bytes text = {.data = NULL};
    if (w->prompt) fputs(w->prompt, w->out);
    w->prompt = NULL;
    if (token < w->tokenizer->ids && !tokenizer_decode(w->tokenizer, &token, 1, &text))
        w->failed = true;
    if (text.size && fwrite(text.data, 1, text.size, w->out) != text.size) w->failed = true;
    bytes_release(&text);
    if (fflush(w->out) != 0) w->failed = true;
    return !w->failed;
}

static enum rk_status encode_prompt(const struct generate_args *args,
                                    const struct tokenizer *tokenizer, const struct rk_model *model,
                                    struct token_list *ids, struct rk_error *error)
{
    struct tokenizer_scratch scratch = {.marks = {NULL, 0, 0}};
    const bool bytes = strcmp(args->tokenizer, "bytes") == 0;
    if (!bytes && tokenizer->ids > model->vocabulary)
        return rk_fail(error, RK_BAD_INPUT, args->tokenizer, 0, 0,
                       "has %u ids, the model's vocabulary %llu: it is another model's tokenizer",
                       tokenizer->ids, (unsigned long long)model->vocabulary);
    const bool ok = tokenizer_encode(tokenizer, &scratch, args->prompt, strlen(args->prompt), ids);
    tokenizer_scratch_release(&scratch);
    if (!ok) return no_memory(error);
    if (ids->count) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "the prompt is empty: say at least one word");
}

static enum rk_status generate(const struct generate_args *args, const struct tokenizer *tokenizer,
                               FILE *out, struct rk_error *error)
{
    struct rk_model model;
    struct rk_system system;
    struct token_list ids = {.id = NULL};
    struct writer writer = {.tokenizer = tokenizer, .out = out, .prompt = args->prompt};
    struct rk_train train = cli_executor->defaults();
    enum rk_status status = train_model_open(args->model, &model, &train, error);
    if (status == RK_OK) status = encode_prompt(args, tokenizer, &model, &ids, error);
    if (status == RK_OK) status = rk_system_load("h100-sxm5-80g", &system, error); /* any will do */
    if (status != RK_OK) {
        free(ids.id);
        return status;
    }
    train.seed = args->seed;
    if (args->rotary_base > 0) train.rotary_base = args->rotary_base;
    if (args->norm_eps > 0) train.norm_eps = args->norm_eps;
    train.double_precision = args->wide;
    const struct rk_generate g = {.load = args->load,
                                  .system = &system,
                                  .prompt = ids.id,
                                  .prompt_tokens = ids.count,
                                  .tokens = args->tokens,
                                  .temperature = args->greedy ? 0 : args->temperature,
                                  .top = args->top,
                                  .token = put_token,
                                  .context = &writer};
    status = cli_executor->generate(&model, &train, &g, error);
    if (status == RK_OK) putc('\n', out);
    free(ids.id);
    rk_system_release(&system);
    return status;
}

int cmd_generate(int argc, char **argv)
{
    struct generate_args args = {
        .tokenizer = "bytes", .tokens = 200, .seed = 1, .output = "-", .temperature = 0.8};
    struct tokenizer tokenizer;
    struct output output = {.file = NULL};
    struct rk_error error;
    if (!cli_executor && !executor_is_asked_for_help(argc, argv))
        return executor_become(argc, argv);
    const int done = options_read(&generate_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = RK_OK;
    if (!args.model || !args.load)
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "say which model with which weights: --model FILE --load FOLDER");
    if (status == RK_OK) status = tokenizer_load(args.tokenizer, &tokenizer, &error);
    if (status != RK_OK) return options_fail(&error);
    status = output_open(&output, args.output, &error);
    if (status == RK_OK) status = generate(&args, &tokenizer, output.file, &error);
    if (status == RK_OK) status = output_commit(&output, &error);
    output_abandon(&output);
    tokenizer_release(&tokenizer);
    return status == RK_OK ? (int)RK_OK : options_fail(&error);
}
