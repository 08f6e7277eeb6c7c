/* plan_write.c - a plan as a line of words and as a file. */
#include "catalog/plan_fields.h"
#include "catalog/save.h"

#include <inttypes.h>
#include <reckon/catalog.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_TEXT = 32 };

/* The fewest digits that read as the same number. */
static const char *shortest(double number, char buffer[NUMBER_TEXT])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buffer, NUMBER_TEXT, "%.*g", digits, number);
        if (strtod(buffer, NULL) == number) break;
    }
    return buffer;
}

static bool is_key(const struct field *field, const char *key)
{
    return strcmp(field->key, key) == 0;
}

/* Does the plan need this row to be what it is? Parts are said with the mode of recomputation. */
static bool is_needed(const struct field *field, const struct plan_draft *draft)
{
    if (!field->word || is_key(field, "data")) return false;
    if (is_key(field, "gpus") || is_key(field, "batch")) return true;
    if (field->type == FIELD_OTHER) return draft->plan.splits > 0;
    if (field->type == FIELD_SET) return draft->plan.recompute == RK_SELECTIVE;
    return field_value(field, draft) != field->preset;
}

/* ---- a line ---- */

struct line {
    char *buffer;
    size_t size, used; /* used: also of what did not fit */
};

static void add(struct line *line, const char *format, ...) RK_PRINTF(2, 3);

static void add(struct line *line, const char *format, ...)
{
    const bool room = line->used < line->size;
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(room ? line->buffer + line->used : NULL,
                                 room ? line->size - line->used : 0, format, values);
    va_end(values);
    line->used += length > 0 ? (size_t)length : 0;
}

static void add_names(struct line *line, const char *const *names, unsigned bits)
{
    const char *plus = "";
    for (int i = 0; names[i]; i++) {
        if (!(bits >> i & 1)) continue;
        add(line, "%s%s", plus, names[i]);
        plus = "+";
    }
}

/* "10,11*2,10" */
static void add_split(struct line *line, const struct rk_plan *plan)
{
    for (int i = 0, end; i < plan->splits; i = end) {
        for (end = i + 1; end < plan->splits && plan->split[end] == plan->split[i];)
            end++;
        add(line, i ? ",%d" : "%d", plan->split[i]);
        if (end - i > 1) add(line, "*%d", end - i);
    }
}

static void add_recompute(struct line *line, const struct rk_plan *plan, const struct field *field)
{
    add(line, "%s=%s", field->word, field->choices[plan->recompute]);
    if (plan->recompute != RK_SELECTIVE) return;
    if (plan->recompute_parts == 1u << RK_PART_CORE_ATTENTION) return; /* what it means alone */
    add(line, ":");
    add_names(line, plan_fields[plan_row("recompute_parts")].choices, plan->recompute_parts);
}

/* Ranks are shorter as a data degree, and nothing when that is 1. */
static void add_ranks(struct line *line, const struct rk_plan *plan)
{
    const uint64_t data = rk_plan_data(plan);
    if (data > 1) add(line, "dp%" PRIu64, data);
    if (data == 0) add(line, "gpus%" PRIu64, plan->ranks);
}

static void add_word(struct line *line, const struct plan_draft *draft, const struct field *field)
{
    const double value = field_value(field, draft);
    const bool glued = strlen(field->word) <= 4; /* "tp8", but "first-layers=8" */
    char number[NUMBER_TEXT];
    switch (field->type) {
    case FIELD_BOOL:
        add(line, value != 0 ? "%s" : "no-%s", field->word);
        break;
    case FIELD_CHOICE:
        if (is_key(field, "recompute"))
            add_recompute(line, &draft->plan, field);
        else if (field->switches && value < 2)
            add(line, value != 0 ? "%s" : "no-%s", field->word);
        else
            add(line, "%s=%s", field->word, field->choices[(int)value]);
        break;
    case FIELD_NUMBER:
    case FIELD_SHARE:
        add(line, "%s=%s", field->word, shortest(value, number));
        break;
    case FIELD_OTHER:
        add(line, "%s=", field->word);
        add_split(line, &draft->plan);
        break;
    default:
        add(line, glued ? "%s%.0f" : "%s=%.0f", field->word, value);
        break;
    }
}

size_t rk_plan_text(const struct rk_plan *plan, char *buffer, size_t size)
{
    const struct plan_draft draft = {.plan = *plan};
    struct line line = {buffer, size, 0};
    if (size) buffer[0] = '\0';
    for (const struct field *field = plan_fields; field->key; field++) {
        if (!is_needed(field, &draft) || field->type == FIELD_SET) continue;
        const size_t before = line.used;
        if (line.used) add(&line, " ");
        const size_t start = line.used;
        if (is_key(field, "gpus"))
            add_ranks(&line, plan);
        else
            add_word(&line, &draft, field);
        if (line.used > start) continue;
        line.used = before; /* nothing to say */
        if (before < size) buffer[before] = '\0';
    }
    return line.used;
}

/* ---- a file ---- */

static void write_names(FILE *file, const char *const *names, unsigned bits)
{
    const char *before = "[";
    for (int i = 0; names[i]; i++) {
        if (!(bits >> i & 1)) continue;
        fprintf(file, "%s\"%s\"", before, names[i]);
        before = ", ";
    }
    fputs("]", file);
}

static void write_split(FILE *file, const struct rk_plan *plan)
{
    for (int i = 0; i < plan->splits; i++)
        fprintf(file, "%s%d", i ? ", " : "[", plan->split[i]);
    fputs("]", file);
}

static void write_value(FILE *file, const struct plan_draft *draft, const struct field *field)
{
    const double value = field_value(field, draft);
    char number[NUMBER_TEXT];
    switch (field->type) {
    case FIELD_BOOL:
        fputs(value != 0 ? "true" : "false", file);
        break;
    case FIELD_CHOICE:
        fprintf(file, "\"%s\"", field->choices[(int)value]);
        break;
    case FIELD_NUMBER:
    case FIELD_SHARE:
        fputs(shortest(value, number), file);
        break;
    case FIELD_SET:
        write_names(file, field->choices, (unsigned)value);
        break;
    case FIELD_OTHER:
        write_split(file, &draft->plan);
        break;
    default:
        fprintf(file, "%.0f", value);
        break;
    }
}

static void write_plan(FILE *file, const void *plan)
{
    const struct plan_draft draft = {.plan = *(const struct rk_plan *)plan};
    const char *before = "{\n";
    for (const struct field *field = plan_fields; field->key; field++) {
        if (!is_needed(field, &draft)) continue;
        fprintf(file, "%s    \"%s\": ", before, field->key);
        write_value(file, &draft, field);
        before = ",\n";
    }
    fputs("\n}\n", file);
}

enum rk_status rk_plan_save(const char *path, const struct rk_plan *plan, struct rk_error *error)
{
    return save_file(path, write_plan, plan, error);
}
