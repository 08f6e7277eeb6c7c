#include "logs/buffers.h"
#include "base/text.h"
#include "text/csv.h"
#include "text/fields.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum column { ID, LOWER, UPPER, END, SIZE, ALIGNMENT, OFFSET, PASS, COLUMNS };

/* clang-format off */
static const struct {
    const char *name;
    enum column column;
} names[] = {
    {"id", ID}, {"buffer", ID}, {"buffer_id", ID},
    {"lower", LOWER}, {"begin", LOWER}, {"start", LOWER},
    {"upper", UPPER}, {"end", END},
    {"size", SIZE}, {"alignment", ALIGNMENT}, {"offset", OFFSET}, {"pass", PASS},
};
static const char *const known[] = {"id", "lower", "upper", "end", "size", "alignment", "offset", "pass", NULL};
/* clang-format on */

static enum rk_status find_columns(const struct csv *csv, int at[COLUMNS], struct rk_error *error)
{
    for (int c = 0; c < COLUMNS; c++)
        at[c] = -1;
    for (size_t i = 0; i < csv->columns; i++) {
        size_t n = 0;
        while (n < sizeof names / sizeof *names && strcmp(names[n].name, csv->name[i]) != 0)
            n++;
        if (n == sizeof names / sizeof *names) {
            const char *nearest = text_nearest(csv->name[i], known);
            return rk_fail(error, RK_BAD_INPUT, csv->path, 1, 0,
                           "column \"%.40s\" is not one that reckon places by%s%s; there are id, "
                           "lower, upper, size, alignment, offset, pass",
                           csv->name[i], nearest ? "; the nearest is " : "",
                           nearest ? nearest : "");
        }
        if (at[names[n].column] >= 0)
            return rk_fail(error, RK_BAD_INPUT, csv->path, 1, 0,
                           "column \"%.40s\" says the same as \"%.40s\"", csv->name[i],
                           csv->name[at[names[n].column]]);
        at[names[n].column] = (int)i;
    }
    if (at[LOWER] < 0 || (at[UPPER] < 0) == (at[END] < 0) || at[SIZE] < 0)
        return rk_fail(
            error, RK_BAD_INPUT, csv->path, 1, 0,
            "a file of buffers has the columns lower, upper and size (and id, alignment)");
    return RK_OK;
}

static enum rk_status read_number(const struct csv *csv, size_t row, int column, int64_t least,
                                  int64_t *value, struct rk_error *error)
{
    const char *text = csv_cell(csv, row, (size_t)column);
    char *end, quote[TEXT_QUOTE];
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (errno || end == text || *end || *value < least || *value > INT64_MAX / 2 ||
        *value < -(INT64_MAX / 2))
        return rk_fail(error, RK_BAD_INPUT, csv->path, csv->line[row], column + 1,
                       "%s: must be a whole number%s, got %s", csv->name[column],
                       least == 0 ? " from 0" : "", text_quote(quote, text, strlen(text)));
    return RK_OK;
}

static enum rk_status read_row(const struct csv *csv, const int at[COLUMNS], size_t row,
                               struct buffers *b, struct rk_error *error)
{
    int64_t start, end, size, number;
    const int upper = at[UPPER] >= 0 ? at[UPPER] : at[END];
    enum rk_status status = read_number(csv, row, at[LOWER], INT64_MIN, &start, error);
    if (status == RK_OK) status = read_number(csv, row, upper, INT64_MIN, &end, error);
    if (status == RK_OK) status = read_number(csv, row, at[SIZE], 0, &size, error);
    if (status != RK_OK) return status;
    end += at[END] >= 0;
    if (start >= end)
        return rk_fail(error, RK_BAD_INPUT, csv->path, csv->line[row], upper + 1,
                       "%s: a buffer must end after it starts (%" PRId64 ")", csv->name[upper],
                       start);
    b->buffer[row] = (struct rk_buffer){start, end, (uint64_t)size, 1};
    b->pass[row] = -1;
    if (b->aligned) {
        status = read_number(csv, row, at[ALIGNMENT], 0, &number, error);
        if (status != RK_OK) return status;
        if (number & (number - 1))
            return rk_fail(error, RK_BAD_INPUT, csv->path, csv->line[row], at[ALIGNMENT] + 1,
                           "alignment: must be a power of two, got %" PRId64, number);
        b->buffer[row].alignment = (uint64_t)number;
    }
    if (b->placed) {
        status = read_number(csv, row, at[OFFSET], 0, &number, error);
        if (status != RK_OK) return status;
        b->address[row] = (uint64_t)number;
    }
    if (b->passes && csv_cell(csv, row, (size_t)at[PASS])[0]) {
        status = read_number(csv, row, at[PASS], 0, &number, error);
        if (status == RK_OK && number > INT32_MAX / 4)
            status = rk_fail(error, RK_BAD_INPUT, csv->path, csv->line[row], at[PASS] + 1,
                             "pass: passes are counted from 0, got %" PRId64, number);
        b->pass[row] = (int)number;
    }
    return status;
}

static bool take_room(struct buffers *b, const struct csv *csv, int id)
{
    size_t size = 1;
    for (size_t i = 0; i < b->count; i++)
        size += id < 0 ? 24 : strlen(csv_cell(csv, i, (size_t)id)) + 1;
    return (b->buffer = malloc((b->count + 1) * sizeof *b->buffer)) &&
           (b->address = calloc(b->count + 1, sizeof *b->address)) &&
           (b->pass = malloc((b->count + 1) * sizeof *b->pass)) && (b->names = malloc(size)) &&
           (b->id = malloc((b->count + 1) * sizeof *b->id));
}

static void name_buffers(struct buffers *b, const struct csv *csv, int id)
{
    char *next = b->names;
    for (size_t i = 0; i < b->count; i++) {
        b->id[i] = next;
        if (id < 0)
            next += snprintf(next, 24, "%zu", i) + 1;
        else
            next = stpcpy(next, csv_cell(csv, i, (size_t)id)) + 1;
    }
}

enum rk_status buffers_load(const char *path, struct buffers *buffers, struct rk_error *error)
{
    struct csv csv;
    struct buffers b = {.count = 0};
    int at[COLUMNS];
    enum rk_status status = csv_load(path, &csv, error);
    if (status == RK_OK) status = find_columns(&csv, at, error);
    if (status != RK_OK) goto out;
    b.count = csv.rows;
    b.placed = at[OFFSET] >= 0;
    b.aligned = at[ALIGNMENT] >= 0;
    b.passes = at[PASS] >= 0;
    if (!take_room(&b, &csv, at[ID])) {
        status = rk_fail(error, RK_NO_MEMORY, path, 0, 0, "no memory for %zu buffers", b.count);
        goto out;
    }
    name_buffers(&b, &csv, at[ID]);
    for (size_t row = 0; status == RK_OK && row < csv.rows; row++)
        status = read_row(&csv, at, row, &b, error);
out:
    csv_release(&csv);
    if (status == RK_OK)
        *buffers = b;
    else
        buffers_release(&b);
    return status;
}

void buffers_release(struct buffers *b)
{
    free(b->buffer);
    free(b->address);
    free(b->pass);
    free(b->names);
    free(b->id);
    *b = (struct buffers){.count = 0};
}

/* ---- cases in JSON ---- */

static enum rk_status read_triple(const struct place *place, struct rk_buffer *buffer,
                                  struct rk_error *error)
{
    int64_t number[3];
    enum rk_status status = place_need_array(place, 3, 3, error);
    for (size_t i = 0; status == RK_OK && i < 3; i++) {
        const struct place element = place_element(place, i);
        if (!json_is_integer(element.value))
            return place_fail(&element, error, "a buffer is [start, end, size], whole numbers");
        number[i] = json_integer_value(element.value);
    }
    if (status != RK_OK) return status;
    if (number[0] >= number[1] || number[2] < 0)
        return place_fail(place, error, "a buffer must end after it starts, its size be 0 or more");
    *buffer = (struct rk_buffer){number[0], number[1], (uint64_t)number[2], 1};
    return RK_OK;
}

static enum rk_status read_list(const struct place *list, int pass, struct buffers *b,
                                struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (size_t i = 0; status == RK_OK && i < json_array_size(list->value); i++) {
        const struct place element = place_element(list, i);
        b->pass[b->count] = pass;
        status = read_triple(&element, &b->buffer[b->count++], error);
    }
    return status;
}

enum rk_status buffers_of_case(const struct place *place, struct buffers *buffers,
                               struct rk_error *error)
{
    static const char *const keys[] = {"buffers", "layer", "outside"};
    size_t count = 0;
    *buffers = (struct buffers){.count = 0};
    for (int k = 0; k < 3; k++) {
        struct place list;
        if (!place_member(place, keys[k], &list)) continue;
        const enum rk_status status = place_need_array(&list, 0, 1000000, error);
        if (status != RK_OK) return status;
        count += json_array_size(list.value);
    }
    if (!count)
        return place_fail(place, error, "a case has \"buffers\", or \"layer\" and \"outside\"");
    buffers->buffer = calloc(count, sizeof *buffers->buffer);
    buffers->address = calloc(count, sizeof *buffers->address);
    buffers->pass = calloc(count, sizeof *buffers->pass);
    buffers->names = calloc(count, 24);
    buffers->id = calloc(count, sizeof *buffers->id);
    if (!buffers->buffer || !buffers->address || !buffers->pass || !buffers->names || !buffers->id)
        return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for %zu buffers", count);
    enum rk_status status = RK_OK;
    for (int k = 0; status == RK_OK && k < 3; k++) {
        struct place list;
        if (!place_member(place, keys[k], &list)) continue;
        buffers->passes |= k == 1;
        status = read_list(&list, k == 1 ? 0 : -1, buffers, error);
    }
    for (size_t i = 0; i < buffers->count; i++) {
        buffers->id[i] = buffers->names + 24 * i;
        snprintf(buffers->names + 24 * i, 24, "%zu", i);
    }
    return status;
}

void buffers_write(FILE *out, const struct buffers *b, const uint64_t *address)
{
    fprintf(out, "id,lower,upper,size%s%s,offset\n", b->aligned ? ",alignment" : "",
            b->passes ? ",pass" : "");
    for (size_t i = 0; i < b->count; i++) {
        text_put_csv(out, b->id[i]);
        fprintf(out, ",%" PRId64 ",%" PRId64 ",%" PRIu64, b->buffer[i].start, b->buffer[i].end,
                b->buffer[i].size);
        if (b->aligned) fprintf(out, ",%" PRIu64, b->buffer[i].alignment);
        if (b->passes) fputc(',', out);
        if (b->passes && b->pass[i] >= 0) fprintf(out, "%d", b->pass[i]);
        fprintf(out, ",%" PRIu64 "\n", address[i]);
    }
}
