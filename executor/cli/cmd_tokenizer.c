/* reckon tokenizer train: a byte-level BPE vocabulary from texts. */
#include "cli/commands.h"
#include "corpus/reader.h"
#include "text/output.h"
#include "tokens/train.h"

struct train_args {
    struct option_texts files;
    struct reader_options reader;
    const char *output;
    uint64_t vocabulary, least, threads;
    int cut; /* enum cut */
};

#define AT(member) .offset = offsetof(struct train_args, member)

/* clang-format off */
static const struct operand operands[] = {
    {.name = "FILE", AT(files), .optional = OPERAND_MANY, .complete = "file"},
    {.name = NULL},
};

static const struct option train_rows[] = {
    {.letter = 'v', .name = "vocabulary", .type = OPTION_NUMBER, AT(vocabulary), .min = 257, .max = 1 << 20},
    {.letter = 'c', .name = "cut", .type = OPTION_CHOICE, .choices = cut_names, AT(cut)},
    {.name = "least", .type = OPTION_NUMBER, AT(least), .min = 1},
    {.letter = 'u', .name = "unit", .type = OPTION_CHOICE, .choices = reader_unit_names, AT(reader.unit)},
    {.name = "threads", .type = OPTION_NUMBER, AT(threads), .min = 1, .max = 1024},
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};

static const struct usage training_usage = {
#include "help/tokenizer-train.h"
    .operands = operands,
    .groups = {
        {"Training", train_rows, 0},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

static enum rk_status add_records(const char *path, const struct train_args *args,
                                  struct trainer *trainer, struct rk_error *error)
{
    struct reader *reader;
    struct reader_record record;
    bool end = false;
    enum rk_status status = reader_open(path, &args->reader, &reader, error);
    while (status == RK_OK) {
        status = reader_next(reader, &record, &end, error);
        if (status != RK_OK || end) break;
        if (record.reason == REASON_NONE)
            status = trainer_add(trainer, record.text, record.size, error);
        else
            fprintf(stderr, "reckon: %s: document %llu is left out: %s\n", path,
                    (unsigned long long)record.number, reason_facts[record.reason].text);
    }
    reader_close(reader);
    return status;
}

static enum rk_status write(const struct tokenizer *t, const char *path, struct rk_error *error)
{
    struct output output = {.file = NULL};
    enum rk_status status = output_open(&output, path, error);
    if (status == RK_OK) status = tokenizer_write(output.file, t, error);
    if (status == RK_OK) return output_commit(&output, error);
    output_abandon(&output);
    return status;
}

static enum rk_status train(const struct train_args *args, const struct train_options *options,
                            struct rk_error *error)
{
    struct tokenizer tokenizer;
    enum rk_status status = RK_OK;
    struct trainer *trainer = trainer_open(options);
    if (!trainer) return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to train");
    for (int i = 0; status == RK_OK && i < args->files.count; i++)
        status = add_records(args->files.text[i], args, trainer, error);
    if (status == RK_OK) status = trainer_finish(trainer, &tokenizer, error);
    trainer_close(trainer);
    if (status != RK_OK) return status;
    status = write(&tokenizer, args->output, error);
    if (status == RK_OK && tokenizer.ids < options->vocabulary)
        fprintf(stderr, "reckon: %u tokens instead of %u: no other pair stands there %llu times\n",
                tokenizer.ids, options->vocabulary, (unsigned long long)options->least);
    tokenizer_release(&tokenizer);
    return status;
}

static int run_train(int argc, char **argv)
{
    struct train_args args = {.output = "-", .vocabulary = 8192, .least = 2};
    struct rk_error error;
    const int done = options_read(&training_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (args.files.count == 0) args.files.text[args.files.count++] = "-";
    /* What a file is limited to elsewhere protects a corpus from one huge document. */
    args.reader.most_bytes = SIZE_MAX / 8;
    const struct train_options options = {.cut = (enum cut)args.cut,
                                          .vocabulary = (uint32_t)args.vocabulary,
                                          .least = args.least,
                                          .threads = (int)args.threads};
    if (options.vocabulary < train_least_vocabulary(options.cut)) {
        rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0, "--vocabulary: at least %u for --cut %s",
                train_least_vocabulary(options.cut), cut_names[options.cut]);
        return options_fail(&error);
    }
    return train(&args, &options, &error) == RK_OK ? (int)RK_OK : options_fail(&error);
}

static const struct command commands[] = {
    {"train", run_train, "train a byte-level BPE vocabulary on texts", &training_usage},
    {.name = NULL},
};

const struct usage tokenizer_usage = {
#include "help/tokenizer.h"
    .groups = {{"General", options_help_rows, 0}},
    .commands = commands,
};

int cmd_tokenizer(int argc, char **argv)
{
    return options_run_command(&tokenizer_usage, argc, argv);
}
