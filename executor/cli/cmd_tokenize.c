/* reckon tokenize: texts as token ids, and back. */
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/show.h"
#include "corpus/reader.h"
#include "text/output.h"
#include "tokens/encoder.h"

#include <string.h>

enum form { FORM_IDS, FORM_COUNT, FORM_BIN };
static const char *const form_names[] = {"ids", "count", "bin", NULL};

struct tokenize_args {
    const char *tokenizer, *output;
    struct option_texts files;
    struct reader_options reader;
    struct show_args show;
    uint64_t threads;
    int form; /* enum form */
    bool decode;
};

#define AT(member) .offset = offsetof(struct tokenize_args, member)

/* clang-format off */
static const struct operand operands[] = {
    {.name = "FILE", AT(files), .optional = OPERAND_MANY, .complete = "file"},
    {.name = NULL},
};

static const struct option input_rows[] = {
    {.letter = 't', .name = "tokenizer", .type = OPTION_TEXT, .argument = "FILE", AT(tokenizer), .complete = "file"},
    {.letter = 'u', .name = "unit", .type = OPTION_CHOICE, .choices = reader_unit_names, AT(reader.unit)},
    {.letter = 'd', .name = "decode", .type = OPTION_FLAG, AT(decode)},
    {.name = NULL},
};

static const struct option output_rows[] = {
    {.letter = 'a', .name = "as", .type = OPTION_CHOICE, .choices = form_names, AT(form)},
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = "threads", .type = OPTION_NUMBER, AT(threads), .min = 1, .max = 1024},
    {.name = NULL},
};

const struct usage tokenize_usage = {
#include "help/tokenize.h"
    .operands = operands,
    .groups = {
        {"Input", input_rows, 0},
        {"Output", output_rows, 0},
        {"Form of --as count", show_options, offsetof(struct tokenize_args, show)},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

/* ---- what becomes of the ids ---- */

enum { SHARD_HEADER = 256, SHARD_MOST = 0x7fffffff };

struct counts {
    uint64_t documents, left_out, bytes, characters, tokens;
};

static void add_to(struct counts *sum, const struct counts *more)
{
    sum->documents += more->documents;
    sum->left_out += more->left_out;
    sum->bytes += more->bytes;
    sum->characters += more->characters;
    sum->tokens += more->tokens;
}

struct sink {
    const struct tokenizer *tokenizer;
    enum form form;
    FILE *file;
    const struct output *output;
    bool inside;           /* a document has begun and not ended */
    struct counts *counts; /* of the present file */
};

static bool put_id(struct sink *sink, uint32_t id)
{
    const uint16_t narrow = (uint16_t)id;
    sink->counts->tokens++;
    if (sink->form == FORM_COUNT) return true;
    if (sink->form == FORM_IDS)
        return fprintf(sink->file, sink->inside ? " %u" : "%u", id) > 0 && (sink->inside = true);
    return sink->tokenizer->ids > 0x10000 ? fwrite(&id, sizeof id, 1, sink->file) == 1
                                          : fwrite(&narrow, sizeof narrow, 1, sink->file) == 1;
}

static bool take_ids(void *context, const uint32_t *id, size_t count, bool ends)
{
    struct sink *sink = context;
    const bool begins = sink->form == FORM_BIN && !sink->inside;
    if (begins && sink->tokenizer->end_id != BPE_NONE && !put_id(sink, sink->tokenizer->end_id))
        return false;
    if (sink->form == FORM_BIN) sink->inside = true;
    for (size_t i = 0; i < count; i++)
        if (!put_id(sink, id[i])) return false;
    if (!ends) return true;
    sink->inside = false;
    sink->counts->documents++;
    return sink->form != FORM_IDS || fputc('\n', sink->file) != EOF;
}

/* Written over once the number of tokens is known. */
static bool write_shard_header(const struct sink *sink, uint64_t tokens)
{
    const bool wide = sink->tokenizer->ids > 0x10000;
    int32_t header[SHARD_HEADER] = {wide ? 20240801 : 20240520, wide ? 7 : 1, (int32_t)tokens};
    return fseek(sink->file, 0, SEEK_SET) == 0 && fwrite(header, sizeof header, 1, sink->file) == 1;
}

static void count_text(struct counts *counts, const char *text, size_t size)
{
    counts->bytes += size;
    for (size_t i = 0; i < size; i++)
        counts->characters += ((unsigned char)text[i] & 0xc0) != 0x80;
}

/* ---- reading ---- */

enum { BATCH_BYTES = 8 << 20 };

static enum rk_status flush(struct encoder *encoder, struct sink *sink, struct rk_error *error)
{
    if (encoder_flush(encoder, take_ids, sink)) return RK_OK;
    if (sink->file && ferror(sink->file)) return output_fail(sink->output, error);
    return no_memory(error);
}

static enum rk_status put(struct encoder *encoder, struct sink *sink, const char *text, size_t size,
                          bool ends, struct rk_error *error)
{
    count_text(sink->counts, text, size);
    if (!encoder_put(encoder, text, size, ends)) return no_memory(error);
    return encoder_queued(encoder) < BATCH_BYTES ? RK_OK : flush(encoder, sink, error);
}

/* A file as one document, of any length: in batches that end where it can be cut. */
static enum rk_status encode_file(const char *path, const struct tokenize_args *args,
                                  struct encoder *encoder, struct sink *sink,
                                  struct rk_error *error)
{
    struct stream *stream;
    struct bytes text = {.data = NULL};
    const char *data;
    size_t size, wanted = BATCH_BYTES;
    enum rk_status status = stream_open(path, args->reader.expansion, &stream, error);
    while (status == RK_OK && (status = stream_peek(stream, &data, &size, error)) == RK_OK &&
           size) {
        if (!bytes_add(&text, data, size)) status = no_memory(error);
        stream_take(stream, size);
        if (status != RK_OK || text.size < wanted || !encoder_can_cut(encoder)) continue;
        const size_t end = cut_safe_end(text.data, text.size, text.size - 4);
        wanted = end ? BATCH_BYTES : 2 * wanted;
        if (end == 0) continue;
        status = put(encoder, sink, text.data, end, false, error);
        memmove(text.data, text.data + end, text.size - end);
        text.size -= end;
    }
    if (status == RK_OK) status = put(encoder, sink, text.data, text.size, true, error);
    bytes_release(&text);
    stream_close(stream);
    return status;
}

static enum rk_status encode_records(struct reader *reader, const char *path,
                                     struct encoder *encoder, struct sink *sink,
                                     struct rk_error *error)
{
    struct reader_record record;
    bool end = false;
    for (;;) {
        enum rk_status status = reader_next(reader, &record, &end, error);
        if (status != RK_OK || end) return status;
        if (record.reason == REASON_NONE) {
            status = put(encoder, sink, record.text, record.size, true, error);
        } else {
            sink->counts->left_out++;
            fprintf(stderr, "reckon: %s: document %llu is left out: %s\n", path,
                    (unsigned long long)record.number, reason_facts[record.reason].text);
        }
        if (status != RK_OK) return status;
    }
}

static enum rk_status encode(const char *path, const struct tokenize_args *args,
                             struct encoder *encoder, struct sink *sink, struct rk_error *error)
{
    struct reader *reader;
    enum reader_unit unit = (enum reader_unit)args->reader.unit;
    if (unit == READER_AUTO) unit = reader_unit_of(path);
    if (unit == READER_FILE) return encode_file(path, args, encoder, sink, error);
    struct reader_options options = args->reader;
    options.unit = (int)unit;
    enum rk_status status = reader_open(path, &options, &reader, error);
    if (status == RK_OK) status = encode_records(reader, path, encoder, sink, error);
    reader_close(reader);
    return status;
}

static void add_counts(struct report *report, struct report_table *table, const char *file,
                       const struct counts *c)
{
    const double tokens = (double)c->tokens;
    REPORT_ROW(report, table, cell_text(file), cell_count(c->documents), cell_count(c->left_out),
               cell_count(c->bytes), cell_count(c->characters), cell_count(c->tokens),
               c->tokens ? cell_number((double)c->bytes / tokens) : cell_none(),
               c->tokens ? cell_number((double)c->characters / tokens) : cell_none());
}

static int show_counts(const struct counts *count, const struct tokenize_args *args)
{
    static const struct report_column columns[] = {
        {.name = "file"},
        {.name = "documents"},
        {.name = "left_out"},
        {.name = "text_bytes"},
        {.name = "characters"},
        {.name = "tokens"},
        {.name = "bytes_per_token", .digits = 4},
        {.name = "characters_per_token", .digits = 4},
    };
    struct report report = {.first = NULL};
    struct report_table *table = REPORT_LIST(&report, "files", NULL, REPORT_IN_ALL, columns);
    struct counts all = {.tokens = 0};
    for (int i = 0; i < args->files.count; i++) {
        add_counts(&report, table, args->files.text[i], &count[i]);
        add_to(&all, &count[i]);
    }
    if (args->files.count > 1) add_counts(&report, table, "all", &all);
    return show_end(&report, &args->show, args->output, RK_OK, RK_OK, NULL);
}

static enum rk_status encode_all(const struct tokenize_args *args, struct encoder *encoder,
                                 struct sink *sink, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    struct counts *counts = sink->counts, all = {.tokens = 0};
    for (int i = 0; status == RK_OK && i < args->files.count; i++) {
        sink->counts = &counts[i];
        status = encode(args->files.text[i], args, encoder, sink, error);
        if (status == RK_OK) status = flush(encoder, sink, error);
        add_to(&all, sink->counts);
    }
    if (status != RK_OK || sink->form != FORM_BIN) return status;
    if (all.tokens > SHARD_MOST)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--as bin: %llu tokens, and a shard counts to 2^31 - 1: give fewer files",
                       (unsigned long long)all.tokens);
    return write_shard_header(sink, all.tokens) ? RK_OK : output_fail(sink->output, error);
}

static enum rk_status run_encode(const struct tokenize_args *args, const struct tokenizer *t,
                                 struct counts *counts, struct rk_error *error)
{
    struct output output = {.file = NULL};
    struct sink sink = {.tokenizer = t, .form = (enum form)args->form, .counts = counts};
    enum rk_status status = RK_OK;
    struct encoder *encoder = encoder_open(t, (int)args->threads);
    if (!encoder) return no_memory(error);
    if (sink.form != FORM_COUNT) status = output_open(&output, args->output, error);
    sink.file = output.file;
    sink.output = &output;
    if (status == RK_OK && sink.form == FORM_BIN && !write_shard_header(&sink, 0))
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "--as bin: the number of tokens stands at the beginning: give -o a file");
    if (status == RK_OK) status = encode_all(args, encoder, &sink, error);
    if (status == RK_OK && sink.form != FORM_COUNT) status = output_commit(&output, error);
    if (status != RK_OK) output_abandon(&output);
    encoder_close(encoder);
    return status;
}

/* ---- the other way ---- */

static enum rk_status fail_id(const struct stream *stream, const char *word, uint32_t ids,
                              struct rk_error *error)
{
    return rk_fail(error, RK_BAD_INPUT, stream_name(stream), (int)stream_lines(stream), 0,
                   "\"%.20s\" is not an id: whole numbers below %u", word, ids);
}

/* A line of ids as text. */
static enum rk_status decode_line(const struct stream *stream, char *line,
                                  const struct tokenizer *t, const struct output *output,
                                  struct rk_error *error)
{
    struct token_list ids = {.id = NULL};
    struct bytes text = {.data = NULL};
    enum rk_status status = RK_OK;
    char *rest;
    for (char *word = strtok_r(line, " \t\r,[]", &rest); status == RK_OK && word;
         word = strtok_r(NULL, " \t\r,[]", &rest)) {
        uint64_t id;
        if (option_number("id", word, 0, t->ids - 1, &id, NULL) != RK_OK)
            status = fail_id(stream, word, t->ids, error);
        else if (!token_list_add(&ids, (uint32_t)id))
            status = no_memory(error);
    }
    if (status == RK_OK && !tokenizer_decode(t, ids.id, ids.count, &text))
        status = no_memory(error);
    if (status == RK_OK && fwrite(text.data, 1, text.size, output->file) != text.size)
        status = output_fail(output, error);
    token_list_release(&ids);
    bytes_release(&text);
    return status;
}

static enum rk_status decode_file(const char *path, const struct tokenizer *t,
                                  const struct output *output, struct rk_error *error)
{
    struct stream *stream;
    struct bytes line = {.data = NULL};
    enum rk_status status = stream_open(path, 0, &stream, error);
    for (bool whole, end = false; status == RK_OK;) {
        line.size = 0;
        status = stream_line(stream, SIZE_MAX, &line, &whole, &end, error);
        if (status != RK_OK || end) break;
        status = bytes_add(&line, "", 1) ? decode_line(stream, line.data, t, output, error)
                                         : no_memory(error);
    }
    bytes_release(&line);
    stream_close(stream);
    return status;
}

static enum rk_status run_decode(const struct tokenize_args *args, const struct tokenizer *t,
                                 struct rk_error *error)
{
    struct output output = {.file = NULL};
    enum rk_status status = output_open(&output, args->output, error);
    for (int i = 0; status == RK_OK && i < args->files.count; i++)
        status = decode_file(args->files.text[i], t, &output, error);
    if (status == RK_OK) return output_commit(&output, error);
    output_abandon(&output);
    return status;
}

int cmd_tokenize(int argc, char **argv)
{
    struct tokenize_args args = {.tokenizer = "bytes", .output = "-"};
    struct tokenizer tokenizer;
    struct counts counts[OPTION_MAX_VALUES] = {{.tokens = 0}};
    struct rk_error error;
    const int done = options_read(&tokenize_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (args.files.count == 0) args.files.text[args.files.count++] = "-";
    enum rk_status status = tokenizer_load(args.tokenizer, &tokenizer, &error);
    if (status != RK_OK) return options_fail(&error);
    status = args.decode ? run_decode(&args, &tokenizer, &error)
                         : run_encode(&args, &tokenizer, counts, &error);
    tokenizer_release(&tokenizer);
    if (status != RK_OK) return options_fail(&error);
    return !args.decode && args.form == FORM_COUNT ? show_counts(counts, &args) : (int)RK_OK;
}
