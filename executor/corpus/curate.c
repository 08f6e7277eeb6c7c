#include "corpus/curate.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "corpus/curate_document.h"
#include "corpus/duplicates.h"
#include "corpus/shuffle.h"

#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Documents that are in memory at a time; a run that continues has lost one block at most. */
enum { BLOCK_DOCUMENTS = 2048, BLOCK_BYTES = 16 << 20 };

static const char *const split_names[SPLITS] = {"train", "validation", "test"};

/* Where the first pass is, as it stands in a file of WORK. */
struct state {
    uint64_t options; /* a hash of what the documents depend on */
    uint32_t input;   /* the file that is being read; inputs: the pass is done */
    uint64_t record;  /* its records that are done */
    uint64_t documents;
    uint64_t removed_bytes; /* length of the list of what was removed */
    struct curate_report report;
};

struct run {
    const struct curate_options *options;
    struct curate_rules rules;
    struct passages passages;
    char work[3840];
    struct state state;
    struct store store;
    FILE *removed;
    int threads;
    struct curate_scratch *scratch;   /* (threads) */
    struct curate_document *document; /* (BLOCK_DOCUMENTS), documents of them in use */
    size_t documents;
    struct bytes raw, texts;
};

static enum rk_status fail_file(const char *path, struct rk_error *error)
{
    return rk_fail(error, RK_IO, path, 0, 0, "cannot write: %s",
                   errno ? strerror(errno) : "the data could not be written");
}

static void add(struct curate_counts *counts, uint64_t bytes)
{
    counts->documents++;
    counts->bytes += bytes;
}

/* ---- the state ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_pair(hash, text ? hash_bytes(text, strlen(text)) : 0);
}

/* Everything that the first pass depends on; the threads are not among it. */
static uint64_t hash_options(const struct curate_options *o)
{
    uint64_t hash = sizeof(struct state);
    for (int i = 0; i < o->inputs; i++)
        hash = hash_text(hash, o->input[i]);
    hash = hash_text(hash_text(hash, o->table), o->languages);
    hash = hash_pair(hash, (uint64_t)o->reader.unit);
    hash = hash_pair(hash, o->reader.most_bytes);
    hash = hash_pair(hash, o->quality);
    hash = hash_pair(hash, (uint64_t)(1e9 * o->least));
    hash = hash_pair(hash, (uint64_t)(1e9 * o->most));
    return hash_pair(hash, o->threshold > 1);
}

static void state_path(const struct run *r, char path[static 4096])
{
    snprintf(path, 4096, "%s/state", r->work);
}

/* Writes a temporary file, then renames it, so that there is always a complete state. */
static enum rk_status save_state(struct run *r, struct rk_error *error)
{
    char path[4096], beside[4096];
    state_path(r, path);
    snprintf(beside, sizeof beside, "%s/state.part", r->work);
    errno = 0;
    if (fflush(r->removed) != 0) return fail_file(r->work, error);
    r->state.removed_bytes = (uint64_t)ftell(r->removed);
    r->state.documents = r->store.documents;
    FILE *file = fopen(beside, "wb");
    if (!file) return fail_file(beside, error);
    const bool wrote = fwrite(&r->state, sizeof r->state, 1, file) == 1;
    if ((fclose(file) != 0) | !wrote || rename(beside, path) != 0) return fail_file(path, error);
    return RK_OK;
}

static enum rk_status load_state(struct run *r, struct rk_error *error)
{
    char path[4096];
    struct state state;
    state_path(r, path);
    r->state.options = hash_options(r->options);
    FILE *file = fopen(path, "rb");
    if (!file) return RK_OK;
    const bool whole = fread(&state, sizeof state, 1, file) == 1;
    fclose(file);
    if (!whole || state.options != r->state.options)
        return rk_fail(
            error, RK_BAD_ARGUMENT, r->work, 0, 0,
            "is of a run with other files or options: repeat these, or remove the folder");
    r->state = state;
    r->state.report.resumed = true;
    return RK_OK;
}

/* ---- the list of what was removed ---- */

/* `first`: the document that stays instead; may be NULL. */
static void put_removed(struct run *r, const struct store_row *row, enum reason reason,
                        const struct store_row *first)
{
    text_put_csv(r->removed, r->options->input[row->source]);
    fprintf(r->removed, ",%llu,%s,", (unsigned long long)row->record, reason_facts[reason].word);
    if (first) {
        text_put_csv(r->removed, r->options->input[first->source]);
        fprintf(r->removed, ",%llu", (unsigned long long)first->record);
    } else {
        fputc(',', r->removed);
    }
    fputc('\n', r->removed);
}

static enum rk_status open_removed(struct run *r, struct rk_error *error)
{
    char path[4096], published[4096];
    snprintf(path, sizeof path, "%s/removed.csv", r->work);
    snprintf(published, sizeof published, "%s/removed.csv", r->options->folder);
    if (access(path, F_OK) != 0) rename(published, path); /* stopped just before the end */
    errno = 0;
    r->removed = fopen(path, r->state.removed_bytes ? "r+b" : "wb");
    if (!r->removed || ftruncate(fileno(r->removed), (off_t)r->state.removed_bytes) != 0 ||
        fseek(r->removed, 0, SEEK_END) != 0)
        return fail_file(path, error);
    if (r->state.removed_bytes == 0)
        fputs("source,record,reason,same_as_source,same_as_record\n", r->removed);
    return RK_OK;
}

/* ---- the first pass: read, clean, judge, keep ---- */

static enum rk_status judge_block(struct run *r, struct rk_error *error)
{
    bool done = true;
#pragma omp parallel for schedule(dynamic, 8) num_threads(r->threads)
    for (size_t i = 0; i < r->documents; i++) {
        struct curate_document *d = &r->document[i];
        if (!curate_judge(&r->rules, &r->scratch[omp_get_thread_num()], r->raw.data + d->from, d)) {
#pragma omp atomic write
            done = false;
        }
    }
    return done ? RK_OK : no_memory(error);
}

static void count_document(struct run *r, const struct curate_document *d)
{
    struct curate_report *report = &r->state.report;
    const int language = d->row.language;
    add(&report->read, d->size);
    report->broken += d->counts.broken > 0;
    report->line_ends += d->counts.line_ends > 0;
    report->controls += d->counts.controls > 0;
    if (d->reason != REASON_NONE) add(&report->reason[d->reason], d->text.size);
    if (d->reason == REASON_NONE || d->reason >= REASON_LANGUAGE)
        add(&report->language[language < 0 ? LANGUAGES_MOST : language], d->text.size);
}

static enum rk_status keep_block(struct run *r, struct rk_error *error)
{
    struct store_row *row = malloc((r->documents + 1) * sizeof *row);
    size_t kept = 0;
    r->texts.size = 0;
    bool done = row != NULL;
    for (size_t i = 0; done && i < r->documents; i++) {
        const struct curate_document *d = &r->document[i];
        count_document(r, d);
        if (d->reason != REASON_NONE) {
            put_removed(r, &d->row, d->reason, NULL);
            continue;
        }
        row[kept++] = d->row;
        done = bytes_add(&r->texts, d->text.data, d->text.size);
    }
    const enum rk_status status =
        done ? store_add(&r->store, row, kept, r->texts.data, r->texts.size, error)
             : no_memory(error);
    free(row);
    return status;
}

static enum rk_status finish_block(struct run *r, uint32_t input, uint64_t record,
                                   struct rk_error *error)
{
    enum rk_status status = judge_block(r, error);
    if (status == RK_OK) status = keep_block(r, error);
    r->state.input = input;
    r->state.record = record;
    r->documents = 0;
    r->raw.size = 0;
    return status == RK_OK ? save_state(r, error) : status;
}

static bool add_document(struct run *r, uint32_t input, const struct reader_record *record)
{
    struct curate_document *d = &r->document[r->documents++];
    struct bytes text = d->text; /* its memory is used again */
    text.size = 0;
    *d = (struct curate_document){
        .from = r->raw.size,
        .size = record->size,
        .line = record->line,
        .reason = record->reason,
        .text = text,
        .row = {.source = (uint16_t)input, .record = record->number, .language = LANGUAGE_UNKNOWN}};
    return bytes_add(&r->raw, record->text, record->size);
}

static enum rk_status read_input(struct run *r, uint32_t input, struct rk_error *error)
{
    struct reader *reader;
    struct reader_record record;
    const uint64_t skipped = r->state.record;
    bool end = false;
    enum rk_status status =
        reader_open(r->options->input[input], &r->options->reader, &reader, error);
    while (status == RK_OK) {
        status = reader_next(reader, &record, &end, error);
        if (status != RK_OK || end) break;
        if (record.number <= skipped) continue;
        if (!add_document(r, input, &record)) status = no_memory(error);
        const bool full = r->documents == BLOCK_DOCUMENTS || r->raw.size >= BLOCK_BYTES;
        if (status == RK_OK && full) status = finish_block(r, input, record.number, error);
    }
    if (status == RK_OK) {
        r->state.report.passed_over += reader_passed_over(reader);
        status = finish_block(r, input + 1, 0, error);
    }
    reader_close(reader);
    return status;
}

/* ---- the third pass: what is left, in lines ---- */

struct written {
    struct bytes lines, ends, text;
    long cuts;
    bool done;
};

static int split_of(const struct curate_options *o, uint64_t hash)
{
    const double at = (double)(hash_pair(o->seed, hash) >> 11) * 0x1p-53; /* 0 <= at < 1 */
    if (at < o->part[SPLIT_TEST]) return SPLIT_TEST;
    return at < o->part[SPLIT_TEST] + o->part[SPLIT_VALIDATION] ? SPLIT_VALIDATION : SPLIT_TRAIN;
}

static enum rk_status add_lines(struct run *r, struct shuffle *shuffle, uint64_t document,
                                const struct store_row *row, const struct written *w,
                                struct rk_error *error)
{
    const size_t *end = (const size_t *)(const void *)w->ends.data;
    const size_t pieces = w->ends.size / sizeof *end;
    struct curate_report *report = &r->state.report;
    const int split = split_of(r->options, row->hash);
    report->cut += w->cuts > 0;
    if (pieces == 0) {
        add(&report->reason[REASON_EVALUATION], row->size);
        put_removed(r, row, REASON_EVALUATION, NULL);
    }
    for (size_t i = 0, from = 0; i < pieces; from = end[i++]) {
        const uint64_t key = hash_pair(hash_pair(r->options->seed, document), i);
        const enum rk_status status =
            shuffle_add(shuffle, split, key, w->lines.data + from, end[i] - from, error);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

static enum rk_status write_block(struct run *r, const struct duplicates *found,
                                  struct shuffle *shuffle, uint64_t first, size_t rows,
                                  struct store_row *row, struct written *written,
                                  struct rk_error *error)
{
    enum rk_status status = store_rows(&r->store, first, rows, row, error);
    if (status != RK_OK) return status;
    bool done = true;
#pragma omp parallel for schedule(dynamic, 8) num_threads(r->threads)
    for (size_t i = 0; i < rows; i++) {
        struct written *w = &written[i];
        w->done = found->reason[first + i] != REASON_NONE ||
                  (store_text(&r->store, row[i].from, row[i].size, &w->text, NULL) == RK_OK &&
                   curate_lines(&r->rules, &r->scratch[omp_get_thread_num()], &row[i], w->text.data,
                                &w->lines, &w->ends, &w->cuts));
    }
    for (size_t i = 0; i < rows; i++)
        done &= written[i].done;
    if (!done) return no_memory(error);
    for (size_t i = 0; status == RK_OK && i < rows; i++) {
        const enum reason reason = (enum reason)found->reason[first + i];
        struct store_row stays;
        if (reason == REASON_NONE) {
            status = add_lines(r, shuffle, first + i, &row[i], &written[i], error);
            continue;
        }
        status = store_rows(&r->store, found->first[first + i], 1, &stays, error);
        if (status != RK_OK) break;
        add(&r->state.report.reason[reason], row[i].size);
        put_removed(r, &row[i], reason, &stays);
    }
    return status;
}

static enum rk_status write_blocks(struct run *r, const struct duplicates *found,
                                   struct shuffle *shuffle, struct rk_error *error)
{
    enum { ROWS = 1024 };
    struct store_row *row = malloc(ROWS * sizeof *row);
    struct written *written = calloc(ROWS, sizeof *written);
    enum rk_status status = row && written ? RK_OK : no_memory(error);
    for (uint64_t at = 0; status == RK_OK && at < r->store.documents; at += ROWS) {
        const uint64_t left = r->store.documents - at;
        status = write_block(r, found, shuffle, at, left < ROWS ? (size_t)left : ROWS, row, written,
                             error);
    }
    for (size_t i = 0; written && i < ROWS; i++) {
        bytes_release(&written[i].text);
        bytes_release(&written[i].lines);
        bytes_release(&written[i].ends);
    }
    free(written);
    free(row);
    return status;
}

struct split_file {
    FILE *file;
    struct curate_counts *counts;
};

static bool take_line(void *context, const char *line, size_t size)
{
    struct split_file *split = context;
    add(split->counts, size);
    return fwrite(line, 1, size, split->file) == size;
}

/* Splits that no document was meant for are no files. */
static enum rk_status write_split(struct run *r, struct shuffle *shuffle, int split,
                                  struct rk_error *error)
{
    struct split_file file = {.counts = &r->state.report.split[split]};
    char from[4096], to[4096];
    if (split != SPLIT_TRAIN && r->options->part[split] <= 0) return RK_OK;
    snprintf(from, sizeof from, "%s/%s.jsonl", r->work, split_names[split]);
    snprintf(to, sizeof to, "%s/%s.jsonl", r->options->folder, split_names[split]);
    errno = 0;
    file.file = fopen(from, "wb");
    if (!file.file) return fail_file(from, error);
    const enum rk_status status = shuffle_group(shuffle, split, take_line, &file, error);
    const bool failed = fclose(file.file) != 0;
    if (status != RK_OK) return status;
    return failed || rename(from, to) != 0 ? fail_file(to, error) : RK_OK;
}

static enum rk_status publish_removed(struct run *r, struct rk_error *error)
{
    char from[4096], to[4096];
    snprintf(from, sizeof from, "%s/removed.csv", r->work);
    snprintf(to, sizeof to, "%s/removed.csv", r->options->folder);
    errno = 0;
    const bool failed = ferror(r->removed) | (fclose(r->removed) != 0);
    r->removed = NULL;
    return failed || rename(from, to) != 0 ? fail_file(to, error) : RK_OK;
}

static enum rk_status write_all(struct run *r, const struct duplicates *found,
                                struct rk_error *error)
{
    struct shuffle *shuffle;
    enum rk_status status = shuffle_open(r->work, r->store.bytes, &shuffle, error);
    if (status == RK_OK) status = write_blocks(r, found, shuffle, error);
    for (int split = 0; status == RK_OK && split < SPLITS; split++)
        status = write_split(r, shuffle, split, error);
    shuffle_close(shuffle);
    return status;
}

/* ---- before and after ---- */

static enum rk_status make_folder(const char *path, struct rk_error *error)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return RK_OK;
    return rk_fail(error, RK_IO, path, 0, 0, "cannot make the folder: %s", strerror(errno));
}

static enum rk_status prepare_folder(struct run *r, struct rk_error *error)
{
    char report[4096];
    snprintf(report, sizeof report, "%s/report.json", r->options->folder);
    if (access(report, F_OK) == 0)
        return rk_fail(error, RK_BAD_ARGUMENT, r->options->folder, 0, 0,
                       "holds a finished corpus: name another folder, or remove this one");
    snprintf(r->work, sizeof r->work, "%.3800s/" CURATE_WORK, r->options->folder);
    const enum rk_status status = make_folder(r->options->folder, error);
    return status == RK_OK ? make_folder(r->work, error) : status;
}

static enum rk_status find_languages(struct run *r, struct languages **languages,
                                     struct rk_error *error)
{
    enum rk_status status = languages_load(r->options->table, languages, error);
    if (status != RK_OK) return status;
    r->rules.languages = *languages;
    r->rules.keep_all = !r->options->languages;
    for (const char *at = r->options->languages; at && *at;) {
        const size_t length = strcspn(at, ",");
        char code[LANGUAGE_CODE];
        snprintf(code, sizeof code, "%.*s", (int)(length < LANGUAGE_CODE ? length : LANGUAGE_CODE),
                 at);
        const int language = languages_find(*languages, code);
        if (language == LANGUAGE_UNKNOWN)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "`languages`: \"%s\" is none of those in %s", code, r->options->table);
        r->rules.keep[language] = true;
        at += length + (at[length] == ',');
    }
    return RK_OK;
}

static enum rk_status add_passages(struct run *r, const char *path, struct rk_error *error)
{
    struct reader *reader;
    struct reader_record record;
    struct terms terms = {.count = 0};
    const struct reader_options options = {.unit = READER_AUTO};
    bool end = false;
    enum rk_status status = reader_open(path, &options, &reader, error);
    while (status == RK_OK) {
        status = reader_next(reader, &record, &end, error);
        if (status != RK_OK || end) break;
        if (record.reason != REASON_NONE)
            status = rk_fail(error, RK_BAD_INPUT, path, (int)record.line, 0, "%s",
                             reason_facts[record.reason].text);
        else if (!terms_of(record.text, record.size, &terms) || !passages_add(&r->passages, &terms))
            status = no_memory(error);
    }
    terms_release(&terms);
    reader_close(reader);
    return status;
}

static enum rk_status load_passages(struct run *r, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (int i = 0; status == RK_OK && i < r->options->evaluations; i++)
        status = add_passages(r, r->options->evaluation[i], error);
    r->rules.passages = &r->passages;
    return status;
}

static enum rk_status reserve(struct run *r, struct rk_error *error)
{
    r->threads = r->options->threads > 0 ? r->options->threads : omp_get_num_procs();
    r->scratch = calloc((size_t)r->threads, sizeof *r->scratch);
    r->document = calloc(BLOCK_DOCUMENTS, sizeof *r->document);
    return r->scratch && r->document ? RK_OK : no_memory(error);
}

static void release(struct run *r)
{
    for (int i = 0; r->scratch && i < r->threads; i++)
        curate_scratch_release(&r->scratch[i]);
    for (size_t i = 0; r->document && i < BLOCK_DOCUMENTS; i++)
        bytes_release(&r->document[i].text);
    free(r->scratch);
    free(r->document);
    bytes_release(&r->raw);
    bytes_release(&r->texts);
    passages_release(&r->passages);
    store_close(&r->store);
    if (r->removed) fclose(r->removed);
}

static enum rk_status run_passes(struct run *r, struct rk_error *error)
{
    struct duplicates found = {.first = NULL};
    const struct duplicates_options options = {.threshold = r->options->threshold,
                                               .threads = r->threads};
    enum rk_status status = RK_OK;
    for (uint32_t i = r->state.input; status == RK_OK && i < (uint32_t)r->options->inputs; i++)
        status = read_input(r, i, error);
    if (status == RK_OK) status = duplicates_find(&r->store, &options, &found, error);
    if (status == RK_OK) r->state.report.compared = found.compared;
    if (status == RK_OK) status = write_all(r, &found, error);
    if (status == RK_OK) status = publish_removed(r, error);
    duplicates_release(&found);
    return status;
}

enum rk_status curate(const struct curate_options *options, struct curate_report *report,
                      struct languages **languages, struct rk_error *error)
{
    struct run run = {
        .options = options, .rules = {.options = options}, .store = {.texts = -1, .rows = -1}};
    *languages = NULL;
    if (options->inputs > UINT16_MAX)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "more than %d input files", UINT16_MAX);
    enum rk_status status = find_languages(&run, languages, error);
    if (status == RK_OK) status = load_passages(&run, error);
    if (status == RK_OK) status = reserve(&run, error);
    if (status == RK_OK) status = prepare_folder(&run, error);
    if (status == RK_OK) status = load_state(&run, error);
    if (status == RK_OK) status = store_open(&run.store, run.work, run.state.documents, error);
    if (status == RK_OK) status = open_removed(&run, error);
    if (status == RK_OK) status = run_passes(&run, error);
    run.state.report.evaluation_texts = run.passages.texts;
    run.state.report.evaluation_short = run.passages.too_short;
    *report = run.state.report;
    release(&run);
    return status;
}

void curate_finish(const char *folder)
{
    static const char *const names[] = {"/state", "/texts", "/rows", ""};
    char path[4096];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%.3800s/" CURATE_WORK "%s", folder, names[i]);
        remove(path);
    }
}
