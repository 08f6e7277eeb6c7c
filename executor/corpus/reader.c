#include "corpus/reader.h"
#include "corpus/html.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const reader_unit_names[] = {"auto",  "file", "paragraph", "line",
                                         "jsonl", "warc", NULL};

enum { MOST_HEADER = 1 << 16, JSON_ESCAPES = 6 /* bytes a byte can take, \u0041 */ };

struct reader {
    struct stream *stream;
    enum reader_unit unit;
    size_t most_bytes;
    struct bytes text, raw;
    json_t *json; /* holds the text of the last record */
    uint64_t number, passed_over;
};

static enum rk_status fail_memory(const struct reader *r, struct rk_error *error)
{
    return rk_fail(error, RK_NO_MEMORY, stream_name(r->stream), 0, 0, "no memory to read the file");
}

/* ---- opening ---- */

static bool ends_in(const char *path, size_t size, const char *ending)
{
    const size_t length = strlen(ending);
    return size >= length && strncasecmp(path + size - length, ending, length) == 0;
}

static size_t without_packing(const char *path)
{
    static const char *const packings[] = {".gz", ".zst", ".zstd", NULL};
    size_t size = strlen(path);
    for (int i = 0; packings[i]; i++)
        if (ends_in(path, size, packings[i])) return size - strlen(packings[i]);
    return size;
}

enum reader_unit reader_unit_of(const char *path)
{
    static const struct {
        const char *ending;
        enum reader_unit unit;
    } endings[] = {{".jsonl", READER_JSONL},
                   {".ndjson", READER_JSONL},
                   {".warc", READER_WARC},
                   {".wet", READER_WARC}};
    const size_t size = without_packing(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_in(path, size, endings[i].ending)) return endings[i].unit;
    return READER_FILE;
}

enum rk_status reader_open(const char *path, const struct reader_options *options,
                           struct reader **reader, struct rk_error *error)
{
    struct reader *r = *reader = calloc(1, sizeof *r);
    if (!r) return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "no memory to read the file");
    r->unit = (enum reader_unit)options->unit;
    r->most_bytes = options->most_bytes ? options->most_bytes : READER_MOST_BYTES;
    if (r->unit == READER_AUTO) r->unit = reader_unit_of(path);
    const enum rk_status status = stream_open(path, options->expansion, &r->stream, error);
    if (status == RK_OK) return status;
    reader_close(r);
    *reader = NULL;
    return status;
}

void reader_close(struct reader *r)
{
    if (!r) return;
    stream_close(r->stream);
    bytes_release(&r->text);
    bytes_release(&r->raw);
    json_decref(r->json);
    free(r);
}

uint64_t reader_passed_over(const struct reader *r)
{
    return r->passed_over;
}

/* ---- text ---- */

/* All bytes of the file, as they are. */
static enum rk_status read_file(struct reader *r, struct reader_record *record, bool *end,
                                struct rk_error *error)
{
    const char *data;
    size_t size;
    *end = r->number > 0;
    for (;;) {
        const enum rk_status status = stream_peek(r->stream, &data, &size, error);
        if (status != RK_OK || size == 0) return status;
        if (size > r->most_bytes - r->text.size)
            record->reason = REASON_TOO_LONG;
        else if (!bytes_add(&r->text, data, size))
            return fail_memory(r, error);
        stream_take(r->stream, size);
    }
}

/* Lines up to an empty one; what grows too long is read to its end and cut. */
static enum rk_status read_paragraph(struct reader *r, struct reader_record *record, bool *end,
                                     struct rk_error *error)
{
    bool whole, last;
    for (;;) {
        const size_t before = r->text.size;
        const enum rk_status status =
            stream_line(r->stream, r->most_bytes - before, &r->text, &whole, &last, error);
        if (status != RK_OK) return status;
        const size_t length = r->text.size - before;
        const bool empty = whole && (length == 0 || (length == 1 && r->text.data[before] == '\r'));
        if (!whole) record->reason = REASON_TOO_LONG;
        if (last || (empty && before > 0)) {
            r->text.size = before ? before - 1 : 0; /* without the last line feed */
            *end = before == 0;
            return RK_OK;
        }
        r->text.size -= empty ? length : 0;
        if (empty)
            record->line = stream_lines(r->stream) + 1;
        else if (r->text.size == r->most_bytes)
            record->reason = REASON_TOO_LONG;
        else if (!bytes_add(&r->text, "\n", 1))
            return fail_memory(r, error);
    }
}

static enum rk_status read_line(struct reader *r, struct bytes *out, size_t most,
                                struct reader_record *record, bool *end, struct rk_error *error)
{
    bool whole;
    const enum rk_status status = stream_line(r->stream, most, out, &whole, end, error);
    if (status == RK_OK && !whole) record->reason = REASON_TOO_LONG;
    return status;
}

/* ---- JSON lines ---- */

static enum rk_status read_json(struct reader *r, struct reader_record *record, bool *end,
                                struct rk_error *error)
{
    const size_t most = r->most_bytes * JSON_ESCAPES;
    r->raw.size = 0;
    const enum rk_status status = read_line(r, &r->raw, most, record, end, error);
    if (status != RK_OK || *end || record->reason != REASON_NONE) return status;
    json_decref(r->json);
    r->json = json_loadb(r->raw.data, r->raw.size, JSON_ALLOW_NUL, NULL);
    const json_t *text = json_object_get(r->json, "text");
    if (!json_is_string(text)) {
        record->reason = REASON_NOT_JSON;
        return RK_OK;
    }
    record->text = json_string_value(text);
    record->size = json_string_length(text);
    if (record->size > r->most_bytes) record->reason = REASON_TOO_LONG;
    return RK_OK;
}

/* ---- WARC ---- */

static enum rk_status fail_warc(const struct reader *r, const char *what, struct rk_error *error)
{
    return rk_fail(error, RK_BAD_INPUT, stream_name(r->stream), 0, 0,
                   "%s near byte %llu of the unpacked text: is this a WARC file, whole?", what,
                   (unsigned long long)stream_offset(r->stream));
}

enum warc_kind { WARC_OTHER, WARC_TEXT, WARC_HTTP };

struct warc_header {
    char type[32], content[64];
    uint64_t length;
    bool has_length;
};

/* Does the line read "Name: value" with this name? Copies the value, without leading and trailing
 * blanks. */
static bool header_value(const char *line, const char *name, char *value, size_t size)
{
    const size_t length = strlen(name);
    if (strncasecmp(line, name, length) != 0 || line[length] != ':') return false;
    line += length + 1;
    while (isblank((unsigned char)*line))
        line++;
    snprintf(value, size, "%.*s", (int)strcspn(line, ";\r\n"), line);
    return true;
}

/* One line, ended by a NUL, in r->raw. */
static enum rk_status header_line(struct reader *r, bool *end, struct rk_error *error)
{
    bool whole;
    r->raw.size = 0;
    const enum rk_status status = stream_line(r->stream, MOST_HEADER, &r->raw, &whole, end, error);
    if (status != RK_OK) return status;
    while (r->raw.size && isspace((unsigned char)r->raw.data[r->raw.size - 1]))
        r->raw.size--;
    return bytes_add(&r->raw, "", 1) ? RK_OK : fail_memory(r, error);
}

static enum rk_status read_warc_header(struct reader *r, struct warc_header *header, bool *end,
                                       struct rk_error *error)
{
    char length[32];
    enum rk_status status;
    *header = (struct warc_header){.length = 0};
    do /* records end with empty lines */
        status = header_line(r, end, error);
    while (status == RK_OK && !*end && r->raw.data[0] == '\0');
    if (status != RK_OK || *end) return status;
    if (strncmp(r->raw.data, "WARC/", 5) != 0) return fail_warc(r, "no record begins", error);
    for (;;) {
        bool cut;
        status = header_line(r, &cut, error);
        if (status != RK_OK) return status;
        if (cut) return fail_warc(r, "a header ends too early", error);
        if (r->raw.data[0] == '\0') break;
        header_value(r->raw.data, "WARC-Type", header->type, sizeof header->type);
        header_value(r->raw.data, "Content-Type", header->content, sizeof header->content);
        if (header_value(r->raw.data, "Content-Length", length, sizeof length)) {
            header->length = strtoull(length, NULL, 10);
            header->has_length = true;
        }
    }
    return header->has_length ? RK_OK : fail_warc(r, "a header without Content-Length", error);
}

static enum warc_kind kind_of(const struct warc_header *header)
{
    const bool text = strcasecmp(header->content, "text/plain") == 0;
    if (text && (strcmp(header->type, "conversion") == 0 || strcmp(header->type, "resource") == 0))
        return WARC_TEXT;
    if (strcmp(header->type, "response") == 0 &&
        strcasecmp(header->content, "application/http") == 0)
        return WARC_HTTP;
    return WARC_OTHER;
}

/* `length` bytes into r->raw, or past them; those beyond `most` are left out. */
static enum rk_status read_block(struct reader *r, uint64_t length, size_t most,
                                 struct rk_error *error)
{
    r->raw.size = 0;
    while (length > 0) {
        const char *data;
        size_t size;
        const enum rk_status status = stream_peek(r->stream, &data, &size, error);
        if (status != RK_OK) return status;
        if (size == 0) return fail_warc(r, "a record ends too early", error);
        if (size > length) size = (size_t)length;
        const size_t room = most - r->raw.size;
        if (!bytes_add(&r->raw, data, size < room ? size : room)) return fail_memory(r, error);
        stream_take(r->stream, size);
        length -= size;
    }
    return RK_OK;
}

/* The body of an HTTP response in r->raw to r->text; false when it is no text. */
static bool take_http(struct reader *r, bool *memory)
{
    char content[64] = "", line[256];
    const char *at = r->raw.data, *end = at + r->raw.size;
    *memory = true;
    while (at < end) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        if (!feed) return false;
        const size_t length = (size_t)(feed - at);
        snprintf(line, sizeof line, "%.*s", (int)(length < 255 ? length : 255), at);
        at = feed + 1;
        if (length == 0 || (length == 1 && line[0] == '\r')) break;
        header_value(line, "Content-Type", content, sizeof content);
    }
    if (strcasecmp(content, "text/plain") == 0)
        *memory = bytes_add(&r->text, at, (size_t)(end - at));
    else if (strcasecmp(content, "text/html") == 0)
        *memory = html_text(at, (size_t)(end - at), &r->text);
    else
        return false;
    return true;
}

static enum rk_status read_warc(struct reader *r, struct reader_record *record, bool *end,
                                struct rk_error *error)
{
    for (;;) {
        struct warc_header header;
        enum rk_status status = read_warc_header(r, &header, end, error);
        if (status != RK_OK || *end) return status;
        const enum warc_kind kind = kind_of(&header);
        status = read_block(r, header.length, kind == WARC_OTHER ? 0 : r->most_bytes, error);
        if (status != RK_OK) return status;
        bool memory = true;
        const bool text = kind == WARC_TEXT
                              ? (memory = bytes_add(&r->text, r->raw.data, r->raw.size))
                              : kind == WARC_HTTP && take_http(r, &memory);
        if (!memory) return fail_memory(r, error);
        if (text && header.length > r->most_bytes) record->reason = REASON_TOO_LONG;
        if (text) return RK_OK;
        r->passed_over++;
    }
}

/* ---- the next one ---- */

static enum rk_status read_record(struct reader *r, struct reader_record *record, bool *end,
                                  struct rk_error *error)
{
    switch (r->unit) {
    case READER_LINE:
        return read_line(r, &r->text, r->most_bytes, record, end, error);
    case READER_JSONL:
        return read_json(r, record, end, error);
    case READER_WARC:
        return read_warc(r, record, end, error);
    case READER_PARAGRAPH:
        return read_paragraph(r, record, end, error);
    default:
        return read_file(r, record, end, error);
    }
}

enum rk_status reader_next(struct reader *r, struct reader_record *record, bool *end,
                           struct rk_error *error)
{
    *record = (struct reader_record){.line = stream_lines(r->stream) + 1};
    r->text.size = 0;
    const enum rk_status status = read_record(r, record, end, error);
    if (status != RK_OK || *end) return status;
    record->number = ++r->number;
    if (r->unit == READER_WARC) record->line = 0;
    if (r->unit != READER_JSONL) {
        record->text = r->text.data;
        record->size = r->text.size;
    }
    if (!record->text) record->text = "";
    return status;
}
