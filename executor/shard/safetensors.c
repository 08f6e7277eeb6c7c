#include "shard/safetensors.h"

#include "base/memory.h"
#include "base/open.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LENGTH_BYTES = 8, ALIGNMENT = 8 };

/* ---- types ---- */

static const struct {
    const char *name;
    unsigned bits, order;
} types[] = {
#define TENSOR_TYPE_ROW(name, bits, order) {#name, bits, order},
    TENSOR_TYPES(TENSOR_TYPE_ROW)
#undef TENSOR_TYPE_ROW
};

const char *tensor_type_name(enum tensor_type type)
{
    return types[type].name;
}

unsigned tensor_type_bits(enum tensor_type type)
{
    return types[type].bits;
}

static bool find_type(const char *name, enum tensor_type *type)
{
    for (int i = 0; i < TENSOR_TYPE_COUNT; i++)
        if (strcmp(types[i].name, name) == 0) {
            *type = (enum tensor_type)i;
            return true;
        }
    return false;
}

bool tensor_elements(int rank, const uint64_t *shape, uint64_t *elements)
{
    uint64_t product = 1;
    bool none = false;
    for (int i = 0; i < rank; i++)
        none |= shape[i] == 0;
    for (int i = 0; i < rank && !none; i++)
        if (__builtin_mul_overflow(product, shape[i], &product)) return false;
    *elements = none ? 0 : product;
    return *elements <= INT64_MAX;
}

bool tensor_bytes(enum tensor_type type, int rank, const uint64_t *shape, uint64_t *bytes)
{
    uint64_t bits;
    if (!tensor_elements(rank, shape, &bits)) return false;
    if (__builtin_mul_overflow(bits, (uint64_t)types[type].bits, &bits)) return false;
    *bytes = bits / 8;
    return bits % 8 == 0;
}

/* ---- reading ---- */

struct scan {
    const char *path;
    const char *text;
    size_t size, at;
    uint64_t data;
    struct safetensors *file;
    struct rk_error *error;
};

static enum rk_status fail_at(const struct scan *s, size_t at, const char *what)
{
    return rk_fail(s->error, RK_BAD_INPUT, s->path, 0, 0, "byte %zu of the header: %s", at, what);
}

static enum rk_status fail_tensor(const struct scan *s, size_t at, const char *name,
                                  const char *format, ...) RK_PRINTF(4, 5);

static enum rk_status fail_tensor(const struct scan *s, size_t at, const char *name,
                                  const char *format, ...)
{
    char text[256], quoted[TEXT_QUOTE];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return rk_fail(s->error, RK_BAD_INPUT, s->path, 0, 0, "tensor %s (byte %zu of the header): %s",
                   text_quote(quoted, name, strlen(name)), at, text);
}

static void skip_blanks(struct scan *s)
{
    while (s->at < s->size && strchr(" \t\r\n", s->text[s->at]) && s->text[s->at])
        s->at++;
}

static bool take(struct scan *s, char c)
{
    skip_blanks(s);
    if (s->at == s->size || s->text[s->at] != c) return false;
    s->at++;
    return true;
}

/* The JSON value at hand; NULL and an error when there is none. */
static json_t *take_value(struct scan *s)
{
    json_error_t json;
    skip_blanks(s);
    json_t *value =
        json_loadb(s->text + s->at, s->size - s->at,
                   JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &json);
    if (!value) {
        char text[160];
        snprintf(text, sizeof text, "%.100s", json.text);
        fail_at(s, s->at, text);
        return NULL;
    }
    s->at += (size_t)json.position;
    return value;
}

static enum rk_status scan_no_memory(const struct scan *s)
{
    return rk_fail(s->error, RK_NO_MEMORY, s->path, 0, 0, "no memory for %zu tensors",
                   s->file->count);
}

static enum rk_status read_metadata(struct scan *s, size_t at, json_t *value)
{
    struct safetensors *file = s->file;
    const char *key;
    json_t *text;
    if (!json_is_object(value)) return fail_at(s, at, "__metadata__ must be an object of texts");
    json_object_foreach(value, key, text)
    {
        if (!json_is_string(text)) return fail_at(s, at, "__metadata__ must be an object of texts");
        if (!ARRAY_ROOM(file->pair, file->pairs)) return scan_no_memory(s);
        const struct pair pair = {strdup(key), strdup(json_string_value(text))};
        file->pair[file->pairs++] = pair;
        if (!pair.key || !pair.value) return scan_no_memory(s);
    }
    return RK_OK;
}

static bool read_count(const json_t *value, uint64_t *count)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *count = (uint64_t)json_integer_value(value);
    return true;
}

static enum rk_status read_shape(struct scan *s, size_t at, const json_t *value, struct tensor *t)
{
    if (!json_is_array(value)) return fail_tensor(s, at, t->name, "shape must be a list");
    if (json_array_size(value) > TENSOR_MAX_RANK)
        return fail_tensor(s, at, t->name, "has %zu dimensions, at most %d are read",
                           json_array_size(value), TENSOR_MAX_RANK);
    t->rank = (int)json_array_size(value);
    for (int i = 0; i < t->rank; i++)
        if (!read_count(json_array_get(value, (size_t)i), &t->shape[i]))
            return fail_tensor(s, at, t->name, "shape[%d] must be a whole number of at least 0", i);
    return RK_OK;
}

static enum rk_status read_offsets(struct scan *s, size_t at, const json_t *value, struct tensor *t)
{
    uint64_t bytes;
    if (json_array_size(value) != 2 || !read_count(json_array_get(value, 0), &t->begin) ||
        !read_count(json_array_get(value, 1), &t->end) || t->begin > t->end)
        return fail_tensor(s, at, t->name,
                           "data_offsets must be two whole numbers, the first not above the other");
    if (t->end > s->data)
        return fail_tensor(s, at, t->name,
                           "ends at byte %" PRIu64 " of the data, of which the file has %" PRIu64
                           ": is it cut off?",
                           t->end, s->data);
    if (!tensor_bytes(t->type, t->rank, t->shape, &bytes))
        return fail_tensor(s, at, t->name, "its shape is beyond what a file can hold");
    if (bytes != t->end - t->begin)
        return fail_tensor(s, at, t->name,
                           "its shape takes %" PRIu64 " bytes, its data_offsets %" PRIu64, bytes,
                           t->end - t->begin);
    return RK_OK;
}

static enum rk_status read_tensor(struct scan *s, size_t at, const json_t *value, struct tensor *t)
{
    static const char *const members[] = {"dtype", "shape", "data_offsets", NULL};
    const json_t *type = json_object_get(value, "dtype");
    if (!json_is_object(value)) return fail_tensor(s, at, t->name, "must be an object");
    for (const char *const *m = members; *m; m++)
        if (!json_object_get(value, *m)) return fail_tensor(s, at, t->name, "%s is missing", *m);
    if (json_object_size(value) != 3)
        return fail_tensor(s, at, t->name, "has more than dtype, shape and data_offsets");
    if (!json_is_string(type) || !find_type(json_string_value(type), &t->type))
        return fail_tensor(s, at, t->name, "dtype %.40s is not known",
                           json_is_string(type) ? json_string_value(type) : "of another kind");
    const enum rk_status status = read_shape(s, at, json_object_get(value, "shape"), t);
    if (status != RK_OK) return status;
    return read_offsets(s, at, json_object_get(value, "data_offsets"), t);
}

static enum rk_status add_tensor(struct scan *s, size_t at, const char *name, const json_t *value)
{
    struct safetensors *file = s->file;
    if (!ARRAY_ROOM(file->tensor, file->count)) return scan_no_memory(s);
    struct tensor *t = &file->tensor[file->count];
    *t = (struct tensor){.name = strdup(name)};
    if (!t->name) return scan_no_memory(s);
    file->count++;
    if (!*name) return fail_tensor(s, at, name, "a tensor without a name");
    if (strlen(name) > SAFETENSORS_MAX_NAME)
        return fail_tensor(s, at, name, "a name of more than %d bytes", SAFETENSORS_MAX_NAME);
    return read_tensor(s, at, value, t);
}

static enum rk_status read_member(struct scan *s)
{
    const size_t at = s->at;
    enum rk_status status = RK_BAD_INPUT;
    json_t *name = take_value(s), *value = NULL;
    if (!name) return status;
    if (!json_is_string(name))
        status = fail_at(s, at, "the name of a tensor must be a text");
    else if (!take(s, ':'))
        status = fail_at(s, s->at, "\":\" is missing");
    else if ((value = take_value(s)))
        status = strcmp(json_string_value(name), "__metadata__") == 0
                     ? read_metadata(s, at, value)
                     : add_tensor(s, at, json_string_value(name), value);
    json_decref(name);
    json_decref(value);
    return status;
}

static enum rk_status read_members(struct scan *s)
{
    enum rk_status status = RK_OK;
    if (s->size == 0 || *s->text != '{') return fail_at(s, 0, "must begin with \"{\"");
    s->at = 1;
    bool more = !take(s, '}');
    while (status == RK_OK && more) {
        skip_blanks(s);
        status = read_member(s);
        if (status != RK_OK) return status;
        more = take(s, ',');
        if (!more && !take(s, '}')) return fail_at(s, s->at, "\",\" or \"}\" is missing");
    }
    skip_blanks(s);
    return s->at == s->size ? RK_OK : fail_at(s, s->at, "data after the end of the header");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct tensor *)a)->name, ((const struct tensor *)b)->name);
}

static int by_place(const void *a, const void *b)
{
    const struct tensor *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return strcmp(x->name, y->name);
}

static enum rk_status fail_pair(const struct scan *s, const struct tensor *t, const char *what)
{
    char quoted[TEXT_QUOTE];
    return rk_fail(s->error, RK_BAD_INPUT, s->path, 0, 0,
                   "tensor %s (byte %" PRIu64 " of the data): %s",
                   text_quote(quoted, t->name, strlen(t->name)), t->begin, what);
}

static enum rk_status check_twice(const struct scan *s)
{
    const struct safetensors *file = s->file;
    if (file->count > 1) qsort(file->tensor, file->count, sizeof *file->tensor, by_name);
    for (size_t i = 1; i < file->count; i++)
        if (strcmp(file->tensor[i - 1].name, file->tensor[i].name) == 0)
            return fail_pair(s, &file->tensor[i], "is there twice");
    for (size_t i = 0; i < file->pairs; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(file->pair[i].key, file->pair[j].key) == 0)
                return fail_at(s, 0, "__metadata__ is there twice");
    return RK_OK;
}

/* Offsets become those of the file. */
static enum rk_status check_cover(const struct scan *s)
{
    struct safetensors *file = s->file;
    uint64_t at = 0;
    if (file->count > 1) qsort(file->tensor, file->count, sizeof *file->tensor, by_place);
    for (size_t i = 0; i < file->count; i++) {
        struct tensor *t = &file->tensor[i];
        if (t->begin < at) return fail_pair(s, t, "overlaps the one before");
        if (t->begin > at) return fail_pair(s, t, "there is a hole in front of it");
        at = t->end;
    }
    if (at != s->data)
        return rk_fail(s->error, RK_BAD_INPUT, s->path, 0, 0,
                       "%" PRIu64 " bytes of data come after the last tensor", s->data - at);
    for (size_t i = 0; i < file->count; i++) {
        file->tensor[i].begin += LENGTH_BYTES + s->size;
        file->tensor[i].end += LENGTH_BYTES + s->size;
    }
    return RK_OK;
}

enum rk_status safetensors_parse(const char *path, const char *header, size_t size, uint64_t data,
                                 struct safetensors *file, struct rk_error *error)
{
    *file = (struct safetensors){.count = 0};
    struct scan s = {
        .path = path, .text = header, .size = size, .data = data, .file = file, .error = error};
    enum rk_status status = read_members(&s);
    if (status == RK_OK) status = check_twice(&s);
    if (status == RK_OK) status = check_cover(&s);
    if (status != RK_OK) safetensors_release(file);
    return status;
}

/* `size` bytes from `at` on; false at the end of the file. */
static bool read_whole(int fd, void *to, size_t size, uint64_t at)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(fd, (char *)to + done, size - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

static enum rk_status read_length(int fd, const char *path, uint64_t file_bytes, uint64_t *length,
                                  struct rk_error *error)
{
    unsigned char bytes[LENGTH_BYTES];
    *length = 0;
    if (file_bytes < LENGTH_BYTES || !read_whole(fd, bytes, sizeof bytes, 0))
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "%" PRIu64 " bytes are not a safetensors file: its first 8 say how long the "
                       "header is",
                       file_bytes);
    for (int i = LENGTH_BYTES; i-- > 0;)
        *length = *length << 8 | bytes[i];
    if (*length > SAFETENSORS_MAX_HEADER)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "a header of %" PRIu64 " bytes: at most %d are allowed", *length,
                       SAFETENSORS_MAX_HEADER);
    if (*length > file_bytes - LENGTH_BYTES)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "a header of %" PRIu64 " bytes in a file of %" PRIu64 ": is it cut off?",
                       *length, file_bytes);
    return RK_OK;
}

enum rk_status safetensors_read(const char *path, struct safetensors *file, struct rk_error *error)
{
    struct stat info;
    uint64_t length;
    char *header = NULL;
    enum rk_status status = RK_OK;
    *file = (struct safetensors){.count = 0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0)
        status = fail_to_open(path, error);
    else if (!S_ISREG(info.st_mode))
        status = rk_fail(error, RK_BAD_INPUT, path, 0, 0, "is not a file");
    if (status == RK_OK) status = read_length(fd, path, (uint64_t)info.st_size, &length, error);
    if (status == RK_OK && !(header = malloc(length ? length : 1)))
        status = rk_fail(error, RK_NO_MEMORY, path, 0, 0, "no memory for its header");
    if (status == RK_OK && !read_whole(fd, header, length, LENGTH_BYTES))
        status =
            rk_fail(error, RK_IO, path, 0, 0, "its header cannot be read: %s", strerror(errno));
    if (status == RK_OK)
        status = safetensors_parse(path, header, length,
                                   (uint64_t)info.st_size - LENGTH_BYTES - length, file, error);
    free(header);
    if (fd >= 0) close(fd);
    return status;
}

const char *safetensors_value(const struct safetensors *file, const char *key)
{
    for (size_t i = 0; i < file->pairs; i++)
        if (strcmp(file->pair[i].key, key) == 0) return file->pair[i].value;
    return NULL;
}

void safetensors_release(struct safetensors *file)
{
    for (size_t i = 0; i < file->count; i++)
        free(file->tensor[i].name);
    for (size_t i = 0; i < file->pairs; i++) {
        free(file->pair[i].key);
        free(file->pair[i].value);
    }
    free(file->tensor);
    free(file->pair);
    *file = (struct safetensors){.count = 0};
}

/* ---- writing ---- */

static int as_written(const void *a, const void *b)
{
    const struct tensor *x = a, *y = b;
    if (x->type != y->type) return types[x->type].order < types[y->type].order ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool add_text(struct bytes *to, const char *text)
{
    return bytes_add(to, text, strlen(text));
}

static bool add_quoted(struct bytes *to, const char *text)
{
    json_t *value = json_string(text);
    char *dumped = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    const bool added = dumped && add_text(to, dumped);
    free(dumped);
    json_decref(value);
    return added;
}

static bool add_pairs(struct bytes *to, const struct safetensors *file)
{
    bool ok = !file->pairs || add_text(to, "\"__metadata__\":{");
    for (size_t i = 0; ok && i < file->pairs; i++)
        ok = (i == 0 || add_text(to, ",")) && add_quoted(to, file->pair[i].key) &&
             add_text(to, ":") && add_quoted(to, file->pair[i].value);
    return ok && (!file->pairs || add_text(to, "}"));
}

/* Offsets count from the first tensor. */
static bool add_entry(struct bytes *to, const struct tensor *t)
{
    char text[64 + 21 * (TENSOR_MAX_RANK + 2)];
    int used = snprintf(text, sizeof text, ":{\"dtype\":\"%s\",\"shape\":[", types[t->type].name);
    for (int i = 0; i < t->rank; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, i ? ",%" PRIu64 : "%" PRIu64,
                         t->shape[i]);
    snprintf(text + used, sizeof text - (size_t)used,
             "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", t->begin, t->end);
    return add_quoted(to, t->name) && add_text(to, text);
}

static bool add_header(struct bytes *to, const struct safetensors *file)
{
    static const char blanks[ALIGNMENT] = "        ";
    bool ok = bytes_add(to, blanks, LENGTH_BYTES) && add_text(to, "{") && add_pairs(to, file);
    for (size_t i = 0; ok && i < file->count; i++)
        ok = ((i == 0 && !file->pairs) || add_text(to, ",")) && add_entry(to, &file->tensor[i]);
    return ok && add_text(to, "}") &&
           bytes_add(to, blanks, (ALIGNMENT - to->size % ALIGNMENT) % ALIGNMENT);
}

enum rk_status safetensors_write(const char *path, struct safetensors *file, struct bytes *header,
                                 struct rk_error *error)
{
    uint64_t at = 0;
    if (file->count > 1) qsort(file->tensor, file->count, sizeof *file->tensor, as_written);
    for (size_t i = 0; i < file->count; i++) {
        struct tensor *t = &file->tensor[i];
        uint64_t bytes;
        if (!tensor_bytes(t->type, t->rank, t->shape, &bytes))
            return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "%.200s: no whole number of bytes",
                           t->name);
        t->begin = at;
        t->end = at += bytes;
    }
    header->size = 0;
    if (!add_header(header, file)) return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "no memory");
    const uint64_t length = header->size - LENGTH_BYTES;
    if (length > SAFETENSORS_MAX_HEADER)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "%zu tensors need a header of %" PRIu64 " bytes, the format allows %d",
                       file->count, length, SAFETENSORS_MAX_HEADER);
    for (int i = 0; i < LENGTH_BYTES; i++)
        header->data[i] = (char)(length >> 8 * i & 0xff);
    for (size_t i = 0; i < file->count; i++) {
        file->tensor[i].begin += header->size;
        file->tensor[i].end += header->size;
    }
    return RK_OK;
}
