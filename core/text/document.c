#include "text/document.h"
#include "base/bytes.h"
#include "base/open.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- bytes ---- */

static enum rk_status fail_memory(const char *path, struct rk_error *error)
{
    return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "no memory for the file's text");
}

static enum rk_status fail_size(const char *path, struct rk_error *error)
{
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                   "is larger than %d MiB: this cannot be a file meant for reckon",
                   DOCUMENT_MAX_BYTES >> 20);
}

static enum rk_status read_all(int file, const char *path, struct bytes *bytes,
                               struct rk_error *error)
{
    for (;;) {
        if (!bytes_reserve(bytes, 8192)) return fail_memory(path, error);
        const ssize_t count = read(file, bytes->data + bytes->size, bytes->room - bytes->size);
        if (count == 0) return RK_OK;
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            const enum rk_status status = errno == EISDIR ? RK_BAD_INPUT : RK_IO;
            return rk_fail(error, status, path, 0, 0, "cannot read: %s", strerror(errno));
        }
        bytes->size += (size_t)count;
        if (bytes->size > DOCUMENT_MAX_BYTES) return fail_size(path, error);
    }
}

static enum rk_status open_file(const char *name, const char *path, int *file,
                                struct rk_error *error)
{
    struct stat info;
    *file = strcmp(name, "-") == 0 ? dup(STDIN_FILENO) : open(name, O_RDONLY | O_CLOEXEC);
    if (*file < 0) return fail_to_open(path, error);
    if (fstat(*file, &info) != 0)
        return rk_fail(error, RK_IO, path, 0, 0, "cannot read: %s", strerror(errno));
    if (S_ISDIR(info.st_mode))
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "is a directory: name a file in it");
    if (S_ISREG(info.st_mode) && info.st_size > DOCUMENT_MAX_BYTES) return fail_size(path, error);
    return RK_OK;
}

/* ---- gzip ---- */

static bool is_gzip(const void *data, size_t size)
{
    return size >= 2 && memcmp(data, "\x1f\x8b", 2) == 0;
}

/* All members of a gzip file, one after the other [rfc1952]. */
static enum rk_status inflate_all(z_stream *stream, const char *path, struct bytes *text,
                                  struct rk_error *error)
{
    int state = Z_OK;
    while (state != Z_STREAM_END || stream->avail_in) {
        if (state == Z_STREAM_END) inflateReset(stream);
        if (!bytes_reserve(text, 8192)) return fail_memory(path, error);
        stream->next_out = (Bytef *)text->data + text->size;
        stream->avail_out = (uInt)(text->room - text->size);
        state = inflate(stream, Z_NO_FLUSH);
        text->size = text->room - stream->avail_out;
        if (state == Z_MEM_ERROR) return fail_memory(path, error);
        if (state != Z_OK && state != Z_STREAM_END)
            return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                           "is damaged or cut gzip data (%s): fetch it again",
                           stream->msg ? stream->msg : "ends too early");
        if (text->size > DOCUMENT_MAX_BYTES) return fail_size(path, error);
    }
    return RK_OK;
}

static enum rk_status gunzip(const void *data, size_t size, const char *path, struct bytes *text,
                             struct rk_error *error)
{
    z_stream stream = {.next_in = (z_const Bytef *)data, .avail_in = (uInt)size};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) return fail_memory(path, error);
    const enum rk_status status = inflate_all(&stream, path, text, error);
    inflateEnd(&stream);
    return status;
}

/* ---- lines and columns ---- */

struct spot {
    int line, column; /* from 1; columns count characters, not bytes */
};

static struct spot spot_at(const struct document *document, size_t offset)
{
    struct spot spot = {1, 1};
    for (size_t i = 0; i < offset && i < document->size; i++) {
        const unsigned char byte = (unsigned char)document->text[i];
        if (byte == '\n')
            spot = (struct spot){spot.line + 1, 1};
        else if ((byte & 0xc0) != 0x80)
            spot.column++;
    }
    return spot;
}

static bool in_word(char byte)
{
    return isalnum((unsigned char)byte) || strchr("+-.", byte);
}

/* Where the word, number or string starts whose last byte is before `end`: the parser says
 * where it stopped, people look for where it began. */
static size_t token_start(const struct document *document, size_t end)
{
    const char *text = document->text;
    if (end == 0 || end > document->size) return document->size;
    size_t start = end - 1;
    if (text[start] == '"') {
        size_t quote = start;
        while (quote > 0 && text[quote - 1] != '\n' && text[quote - 1] != '"')
            quote--;
        return quote > 0 && text[quote - 1] == '"' ? quote - 1 : start;
    }
    while (start > 0 && in_word(text[start]) && in_word(text[start - 1]))
        start--;
    return start;
}

/* ---- parsing ---- */

static const char *explain(enum json_error_code code)
{
    switch (code) {
    case json_error_duplicate_key:
        return "key given twice: remove one of the two";
    case json_error_premature_end_of_input:
        return "the text ends in the middle of a value: is the file complete?";
    case json_error_end_of_input_expected:
        return "something follows the closing bracket: one JSON value per file";
    case json_error_stack_overflow:
        return "brackets are nested too deeply: this cannot be a file meant for reckon";
    case json_error_null_character:
        return "a NUL character: remove it";
    case json_error_numeric_overflow:
        return "number too large: integers go up to 2^53, others to 1.8e308";
    case json_error_out_of_memory:
        return "no memory for the file's values";
    default:
        return NULL;
    }
}

/* What the parser says, without its "near '...'" when that holds bytes unfit for a terminal. */
static void plain_text(const char *text, char buffer[static 96])
{
    size_t length = strcspn(text, "\n");
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] > '~') length = i;
    if (text[length]) {
        const char *near = strstr(text, " near");
        if (near && near < text + length) length = (size_t)(near - text);
    }
    snprintf(buffer, 96, "%.*s", (int)(length < 90 ? length : 90), text);
}

static enum rk_status fail_syntax(const struct document *document, const json_error_t *problem,
                                  struct rk_error *error)
{
    const enum json_error_code code = json_error_code(problem);
    const size_t end = problem->position > 0 ? (size_t)problem->position : 0;
    const bool at_end = code == json_error_premature_end_of_input;
    const struct spot spot =
        spot_at(document, at_end ? document->size : token_start(document, end));
    const enum rk_status status = code == json_error_out_of_memory ? RK_NO_MEMORY : RK_BAD_INPUT;
    const char *text = explain(code);
    char said[96];
    if (text) return rk_fail(error, status, document->path, spot.line, spot.column, "%s", text);
    plain_text(problem->text, said);
    return rk_fail(error, status, document->path, spot.line, spot.column, "not JSON: %s", said);
}

/* What can be told from the bytes, more clearly than a parser would. */
static enum rk_status check_bytes(const struct document *document, const char *expected,
                                  struct rk_error *error)
{
    const char *text = document->text, *path = document->path;
    size_t i = 0;
    while (i < document->size && strchr(" \t\r\n", text[i]) && text[i])
        i++;
    if (i == document->size)
        return rk_fail(error, RK_BAD_INPUT, path, 1, 1, "is empty: expected %s", expected);
    if (document->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        return rk_fail(error, RK_BAD_INPUT, path, 1, 1,
                       "begins with a byte order mark: save the file as UTF-8 without it");
    if (document->size - i >= 2 && memcmp(text + i, "#!", 2) == 0)
        return rk_fail(error, RK_BAD_INPUT, path, 1, 1,
                       "is a script, expected %s: reckon import megatron SCRIPT -o plan.json makes "
                       "a plan of one of Megatron-LM",
                       expected);
    for (size_t length = 1; i < document->size; i += length) {
        length = text_utf8_length(text + i, document->size - i);
        if (length && text[i]) continue;
        const struct spot spot = spot_at(document, i);
        return rk_fail(error, RK_BAD_INPUT, path, spot.line, spot.column, "%s",
                       length ? "a NUL byte: this is not a text file"
                              : "bytes that are not UTF-8: save the file as UTF-8 text");
    }
    return RK_OK;
}

static enum rk_status parse(struct document *document, struct rk_error *error)
{
    json_error_t problem;
    const enum rk_status status = check_bytes(document, "a JSON object", error);
    if (status != RK_OK) return status;
    document->root = json_loadb(document->text, document->size,
                                JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &problem);
    return document->root ? RK_OK : fail_syntax(document, &problem, error);
}

/* Replaces gzip data by what they hold. */
static enum rk_status unpack(struct bytes *bytes, const char *path, struct rk_error *error)
{
    struct bytes text = {0};
    if (!is_gzip(bytes->data, bytes->size)) return RK_OK;
    const enum rk_status status = gunzip(bytes->data, bytes->size, path, &text, error);
    free(bytes->data);
    *bytes = text;
    return status;
}

/* Takes the bytes over, and hands the text to `check`. */
static enum rk_status document_take(struct document *document, struct bytes *bytes,
                                    enum rk_status (*check)(struct document *, struct rk_error *),
                                    struct rk_error *error)
{
    enum rk_status status = unpack(bytes, document->path, error);
    document->text = bytes->data;
    document->size = bytes->size;
    if (status == RK_OK) status = check(document, error);
    if (status != RK_OK) document_release(document);
    return status;
}

static void document_name(struct document *document, const char *path)
{
    *document = (struct document){0};
    snprintf(document->path, sizeof document->path, "%s", path);
}

/* All bytes of a file or of standard input, as they are. */
static enum rk_status read_file(const char *name, const char *path, struct bytes *bytes,
                                struct rk_error *error)
{
    int file = -1;
    enum rk_status status = open_file(name, path, &file, error);
    if (status == RK_OK) status = read_all(file, path, bytes, error);
    if (file >= 0) close(file);
    return status;
}

static enum rk_status load(const char *path, struct document *document,
                           enum rk_status (*check)(struct document *, struct rk_error *),
                           struct rk_error *error)
{
    struct bytes bytes = {0};
    const bool standard_input = strcmp(path, "-") == 0;
    document_name(document, standard_input ? "<stdin>" : path);
    const enum rk_status status = read_file(path, document->path, &bytes, error);
    if (status == RK_OK) return document_take(document, &bytes, check, error);
    free(bytes.data);
    return status;
}

enum rk_status document_text(const char *path, char **text, size_t *size, struct rk_error *error)
{
    struct bytes bytes = {0};
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    enum rk_status status = read_file(path, name, &bytes, error);
    if (status == RK_OK) status = unpack(&bytes, name, error);
    if (status == RK_OK && !bytes_reserve(&bytes, 1)) status = fail_memory(name, error);
    if (status != RK_OK) {
        free(bytes.data);
        return status;
    }
    bytes.data[bytes.size] = '\0';
    *text = bytes.data;
    *size = bytes.size;
    return RK_OK;
}

enum rk_status document_load(const char *path, struct document *document, struct rk_error *error)
{
    return load(path, document, parse, error);
}

static enum rk_status check_text(struct document *document, struct rk_error *error)
{
    return check_bytes(document, "text", error);
}

enum rk_status document_load_text(const char *path, struct document *document,
                                  struct rk_error *error)
{
    return load(path, document, check_text, error);
}

enum rk_status document_parse(const char *path, const void *text, size_t size,
                              struct document *document, struct rk_error *error)
{
    struct bytes bytes = {0};
    document_name(document, path);
    if (size > DOCUMENT_MAX_BYTES) return fail_size(path, error);
    if (!bytes_reserve(&bytes, size + 1)) return fail_memory(path, error);
    if (size) memcpy(bytes.data, text, size);
    bytes.size = size;
    return document_take(document, &bytes, parse, error);
}

void document_release(struct document *document)
{
    json_decref(document->root);
    free(document->text);
    free(document->line);
    document->line = NULL;
    document->root = NULL;
    document->text = NULL;
    document->size = 0;
}

/* ---- places ---- */

struct place place_root(const struct document *document)
{
    return (struct place){.document = document, .value = document->root};
}

bool place_member(const struct place *object, const char *key, struct place *member)
{
    *member = (struct place){.document = object->document,
                             .parent = object,
                             .key = key,
                             .value = json_object_get(object->value, key)};
    return member->value != NULL;
}

struct place place_element(const struct place *array, size_t index)
{
    return (struct place){.document = array->document,
                          .parent = array,
                          .index = index,
                          .value = json_array_get(array->value, index)};
}

/* ---- finding a place in the text again: the parser accepted it, so it is well-formed ---- */

struct cursor {
    const char *at, *end;
};

static void skip_space(struct cursor *cursor)
{
    while (cursor->at < cursor->end && strchr(" \t\r\n", *cursor->at))
        cursor->at++;
}

static void skip_string(struct cursor *cursor)
{
    for (cursor->at++; cursor->at < cursor->end && *cursor->at != '"'; cursor->at++)
        if (*cursor->at == '\\') cursor->at++;
    cursor->at++;
}

static void skip_value(struct cursor *cursor)
{
    size_t depth = 0;
    skip_space(cursor);
    while (cursor->at < cursor->end) {
        const char byte = *cursor->at;
        if (byte == '"') {
            skip_string(cursor);
            if (!depth) return;
            continue;
        }
        if (strchr(",]}", byte) && !depth) return; /* end of a number or a word */
        cursor->at++;
        if (byte == '{' || byte == '[') depth++;
        if ((byte == '}' || byte == ']') && --depth == 0) return;
    }
}

/* From the bracket of an object to its `ordinal`-th key, or of an array to its element. */
static void enter(struct cursor *cursor, size_t ordinal, bool object)
{
    cursor->at++;
    skip_space(cursor);
    for (; ordinal > 0; ordinal--) {
        if (object) {
            skip_string(cursor);
            skip_space(cursor);
            cursor->at++; /* : */
        }
        skip_value(cursor);
        skip_space(cursor);
        cursor->at++; /* , */
        skip_space(cursor);
    }
}

static void skip_key(struct cursor *cursor)
{
    skip_string(cursor);
    skip_space(cursor);
    cursor->at++; /* : */
    skip_space(cursor);
}

/* Objects keep the order of the text, so that a key is found without comparing escapes. */
static size_t ordinal_of(json_t *object, const char *key)
{
    size_t ordinal = 0;
    void *iterator = json_object_iter(object);
    while (iterator && strcmp(json_object_iter_key(iterator), key) != 0) {
        iterator = json_object_iter_next(object, iterator);
        ordinal++;
    }
    return ordinal;
}

static void locate(const struct place *place, bool want_key, struct cursor *cursor)
{
    if (!place->parent) {
        const struct document *document = place->document;
        *cursor = (struct cursor){document->text, document->text + document->size};
        skip_space(cursor);
        return;
    }
    locate(place->parent, false, cursor);
    if (!place->key) {
        enter(cursor, place->index, false);
        return;
    }
    enter(cursor, ordinal_of(place->parent->value, place->key), true);
    if (!want_key) skip_key(cursor);
}

static bool plain_key(const char *key)
{
    return *key && key[strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789_-")] == '\0';
}

/* "networks[1].bandwidth_GBps" */
static void write_path(const struct place *place, char *buffer, size_t size)
{
    char quoted[TEXT_QUOTE];
    if (!place->parent) {
        buffer[0] = '\0';
        return;
    }
    write_path(place->parent, buffer, size);
    const size_t used = strlen(buffer);
    const char *dot = used ? "." : "";
    if (!place->key)
        snprintf(buffer + used, size - used, "[%zu]", place->index);
    else if (plain_key(place->key))
        snprintf(buffer + used, size - used, "%s%.60s", dot, place->key);
    else
        snprintf(buffer + used, size - used, "%s%s", dot,
                 text_quote(quoted, place->key, strlen(place->key)));
}

const char *document_word(const char *line, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = strchr(line, ' '); at; at = strchr(at, ' ')) {
        at++;
        if (strncmp(at, key, length) == 0 && at[length] == '=') return at;
    }
    return NULL;
}

/* In a line of words; no column of what none of them says. */
static struct spot spot_in_line(const char *line, const struct place *place)
{
    while (place->parent && place->parent->parent)
        place = place->parent;
    const char *word = place->key ? document_word(line, place->key) : NULL;
    return word ? (struct spot){1, (int)(word - line) + 1} : (struct spot){0, 0};
}

static struct spot spot_of(const struct place *place, bool key)
{
    const struct document *document = place->document;
    struct cursor cursor;
    if (document->line) return spot_in_line(document->line, place);
    locate(place, key, &cursor);
    return spot_at(document, (size_t)(cursor.at - document->text));
}

static enum rk_status fail_at(const struct place *named, const struct place *place, bool key,
                              struct rk_error *error, const char *format, va_list values)
{
    char path[256], text[480];
    const struct spot spot = spot_of(place, key);
    write_path(named, path, sizeof path);
    vsnprintf(text, sizeof text, format, values);
    return rk_fail(error, RK_BAD_INPUT, place->document->path, spot.line, spot.column, "%s%s%s",
                   path, *path ? ": " : "", text);
}

enum rk_status place_fail(const struct place *place, struct rk_error *error, const char *format,
                          ...)
{
    va_list values;
    va_start(values, format);
    const enum rk_status status = fail_at(place, place, false, error, format, values);
    va_end(values);
    return status;
}

enum rk_status place_fail_key(const struct place *member, struct rk_error *error,
                              const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const enum rk_status status = fail_at(member->parent, member, true, error, format, values);
    va_end(values);
    return status;
}

const char *place_describe(char buffer[static PLACE_TEXT], const struct place *place)
{
    char quoted[TEXT_QUOTE];
    switch (json_typeof(place->value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        snprintf(
            buffer, PLACE_TEXT, "the string %s",
            text_quote(quoted, json_string_value(place->value), json_string_length(place->value)));
        return buffer;
    case JSON_INTEGER:
        snprintf(buffer, PLACE_TEXT, "%" JSON_INTEGER_FORMAT, json_integer_value(place->value));
        return buffer;
    case JSON_REAL:
        snprintf(buffer, PLACE_TEXT, "%.15g", json_real_value(place->value));
        return buffer;
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    default:
        return "null";
    }
}
