#include "report/report.h"
#include "base/limits.h"

#include "base/limits.h"
#include "base/memory.h"
#include "report/write.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const report_format_names[] = {"table", "json", "csv", NULL};

/* ---- memory: blocks in a list, handed out from the front ---- */

enum { BLOCK_BYTES = 16384, ALIGNMENT = 16 };

struct report_block {
    struct report_block *next;
    size_t used, size;
    _Alignas(ALIGNMENT) char data[];
};

static struct report_block *block_open(size_t size)
{
    const size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    struct report_block *block = malloc(sizeof *block + room);
    if (block) *block = (struct report_block){.size = room};
    return block;
}

void *report_alloc(struct report *report, size_t size)
{
    const size_t aligned = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct report_block *block = report->memory;
    if (aligned < size) goto failed;
    if (!block || block->size - block->used < aligned) {
        block = block_open(aligned);
        if (!block) goto failed;
        block->next = report->memory;
        report->memory = block;
    }
    void *memory = block->data + block->used;
    block->used += aligned;
    return memset(memory, 0, size);
failed:
    report->failed = true;
    return NULL;
}

void report_release(struct report *report)
{
    while (report->memory) {
        struct report_block *block = report->memory;
        report->memory = block->next;
        free(block);
    }
    *report = (struct report){.first = NULL};
}

const char *report_text(struct report *report, const char *format, ...)
{
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    const int length = vsnprintf(NULL, 0, format, values);
    char *text = length < 0 ? NULL : report_alloc(report, (size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(values);
    return text ? text : "";
}

/* ---- tables ---- */

struct report_table *report_add(struct report *report, const struct report_table *table)
{
    struct report_table *copy = report_alloc(report, sizeof *copy);
    if (!copy) return NULL;
    *copy = *table;
    copy->next = NULL;
    if (report->last)
        report->last->next = copy;
    else
        report->first = copy;
    report->last = copy;
    return copy;
}

struct report_table *report_list(struct report *report, const char *name, const char *title,
                                 unsigned formats, const struct report_column *columns, int count)
{
    return report_add(report, &(struct report_table){.name = name,
                                                     .title = title,
                                                     .formats = formats,
                                                     .columns = columns,
                                                     .column_count = count});
}

struct report_table *report_one(struct report *report, const char *name, const char *title,
                                unsigned formats, const struct report_column *columns, int count)
{
    struct report_table *table = report_list(report, name, title, formats, columns, count);
    if (table) table->shape = REPORT_RECORD;
    return table;
}

void report_note(struct report *report, const char *text)
{
    report_add(report, &(struct report_table){
                           .title = text, .shape = REPORT_NOTE, .formats = REPORT_IN_TEXT});
}

void report_paragraph(struct report *report, const char *text)
{
    if (text && *text)
        report_add(report, &(struct report_table){.title = report_text(report, "%s", text),
                                                  .shape = REPORT_PARAGRAPH,
                                                  .formats = REPORT_IN_TEXT});
}

void report_verdict(struct report *report, enum report_tone tone, const char *text)
{
    report->verdict = report_text(report, "%s", text);
    report->tone = tone;
    report->leads = false;
}

void report_answer(struct report *report, enum report_tone tone, const char *text)
{
    report_verdict(report, tone, text);
    report->leads = true;
}

void report_to_front(struct report *report, struct report_table *last)
{
    if (!last || !last->next) return;
    report->last->next = report->first;
    report->first = last->next;
    report->last = last;
    last->next = NULL;
}

static bool table_grow(struct report *report, struct report_table *table)
{
    const size_t row_bytes = (size_t)table->column_count * sizeof *table->cells;
    const size_t capacity = table->capacity                 ? 2 * table->capacity
                            : table->shape == REPORT_RECORD ? 1
                                                            : 16;
    struct report_cell *cells = report_alloc(report, capacity * row_bytes);
    if (!cells) return false;
    if (table->rows) memcpy(cells, table->cells, table->rows * row_bytes);
    table->cells = cells;
    table->capacity = capacity;
    return true;
}

void report_row(struct report *report, struct report_table *table, const struct report_cell *cells)
{
    if (!table || (table->rows == table->capacity && !table_grow(report, table))) return;
    const size_t columns = (size_t)table->column_count;
    memcpy(table->cells + table->rows++ * columns, cells, columns * sizeof *cells);
}

void report_row_of(struct report *report, struct report_table *table,
                   const struct report_cell *cells, int count)
{
    RK_REQUIRE(!table || count >= table->column_count);
    report_row(report, table, cells);
}

static struct report_cell cell_of(enum report_member of, const void *member)
{
    switch (of) {
    case REPORT_OF_TEXT:
        return cell_text(*(const char *const *)member);
    case REPORT_OF_CHARS:
        return cell_text(member);
    case REPORT_OF_INT:
        return cell_count((uint64_t) * (const int *)member);
    case REPORT_OF_UNSIGNED:
        return cell_count(*(const unsigned *)member);
    case REPORT_OF_LONG:
        return cell_count(*(const unsigned long *)member);
    case REPORT_OF_LONGEST:
        return cell_count(*(const unsigned long long *)member);
    case REPORT_OF_FLAG:
        return cell_flag(*(const bool *)member);
    default:
        return cell_number(*(const double *)member);
    }
}

void report_item_of(struct report *report, struct report_table *table, const void *item,
                    const struct report_cell *made, int count)
{
    struct report_cell cells[REPORT_MAX_COLUMNS];
    int used = 0;
    if (!table) return;
    for (int i = 0; i < table->column_count; i++) {
        const struct report_column *c = &table->columns[i];
        if (c->of) {
            cells[i] = cell_of(c->of, (const char *)item + c->at);
        } else {
            RK_REQUIRE(used < count);
            cells[i] = made[used++];
        }
    }
    RK_REQUIRE(used == count);
    report_row(report, table, cells);
}

void report_object(struct report *report, const char *name, const struct report_pair *pairs,
                   int count)
{
    struct report_column *columns = report_alloc(report, (size_t)count * sizeof *columns);
    struct report_cell cells[REPORT_MAX_COLUMNS];
    RK_REQUIRE(count <= REPORT_MAX_COLUMNS);
    for (int i = 0; columns && i < count; i++) {
        columns[i].name = pairs[i].name;
        cells[i] = pairs[i].cell;
    }
    if (columns)
        report_row(report, report_one(report, name, NULL, REPORT_IN_JSON, columns, count), cells);
}

void table_row(const struct report_table *table, size_t row, struct report_cell *cells)
{
    const size_t columns = (size_t)table->column_count;
    if (table->make)
        table->make(table->context, row, cells);
    else
        memcpy(cells, table->cells + row * columns, columns * sizeof *cells);
}

const struct report_table *table_next(const struct report *report, const struct report_table *table,
                                      unsigned formats)
{
    table = table ? table->next : report->first;
    while (table && !(table->formats & formats))
        table = table->next;
    return table;
}

/* ---- writing ---- */

const char *report_digits(uint64_t count, char buffer[REPORT_DIGITS])
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    char *to = buffer;
    for (int i = 0; i < length; i++) {
        if (i && length > 4 && (length - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

const char *number_exact(double number, char buffer[NUMBER_SIZE])
{
    if (!isfinite(number)) return isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, NUMBER_SIZE, "%.*g", digits, number);
        if (digits == 17 || strtod(buffer, NULL) == number) break;
    }
    return buffer;
}

enum rk_status report_write(const struct report *report, enum report_format format,
                            const struct report_style *style, FILE *out, struct rk_error *error)
{
    if (report->failed) return no_memory(error);
    errno = 0;
    switch (format) {
    case REPORT_AS_JSON:
        write_json(report, out);
        break;
    case REPORT_AS_CSV:
        write_csv(report, out);
        break;
    default:
        write_text(report, style, out);
        break;
    }
    if (!ferror(out)) return RK_OK;
    return rk_fail(error, RK_IO, NULL, 0, 0, "cannot write the report: %s",
                   errno ? strerror(errno) : "an earlier part could not be written");
}
