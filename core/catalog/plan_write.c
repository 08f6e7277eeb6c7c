/* plan_write.c - a plan as a line of words and as a file. */
#include "catalog/plan_fields.h"
#include "catalog/plan_stages.h"
#include "text/save.h"

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
    const bool parts = rk_plan_layout(&draft->plan)->parts > 0; /* these say what follows */
    if (parts && (is_key(field, "gpus") || is_key(field, "microbatch"))) return false;
    if (is_key(field, "gpus") || is_key(field, "batch")) return true;
    if (is_key(field, "framework") && rk_plan_is_torchs(&draft->plan))
        return true; /* usual: fsdp */
    if (is_key(field, "stages")) return plan_has_stages(&draft->plan);
    if (is_key(field, "split"))
        return rk_plan_layout(&draft->plan)->splits > 0 && !plan_has_stages(&draft->plan);
    if (plan_is_parts(field)) return draft->plan.recompute == RK_SELECTIVE;
    if (is_key(field, "attention"))
        return draft->plan.attention != rk_usual_attention(draft->plan.framework, 0);
    if (is_key(field, "reference"))
        return draft->plan.reference != rk_usual_reference(&draft->plan);
    if (is_key(field, "lora_element_bytes"))
        return draft->plan.lora_element_bytes != rk_usual_lora_bytes(&draft->plan);
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
    const struct rk_layout *layout = rk_plan_layout(plan);
    for (int i = 0, end; i < layout->splits; i = end) {
        for (end = i + 1; end < layout->splits && layout->split[end] == layout->split[i];)
            end++;
        add(line, i ? ",%d" : "%d", layout->split[i]);
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

static void add_stages(struct line *line, const struct rk_plan *plan);

/* Ranks are shorter as a data degree, and nothing when that is 1. */
static void add_ranks(struct line *line, const struct rk_plan *plan)
{
    const uint64_t data = rk_plan_data(plan);
    if (data > 1) add(line, "dp%" PRIu64, data);
    if (data == 0) add(line, "gpus%" PRIu64, plan->ranks);
}

/* "offload-activations=0.3+1.5": a part to tier 1, a half to tier 2. */
static void add_shares(struct line *line, const struct plan_draft *draft, const struct field *field)
{
    double share[FIELD_COLUMNS];
    char number[NUMBER_TEXT];
    const int shares = field_shares(field, draft, share);
    add(line, "%s=%s", field->word, shortest(shares ? share[0] : 0, number));
    for (int i = 1; i < shares; i++)
        add(line, "+%s", shortest(share[i], number));
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
        add(line, "%s=%s", field->word, shortest(value, number));
        break;
    case FIELD_SHARE:
        add_shares(line, draft, field);
        break;
    case FIELD_SET:
        add(line, "%s=", field->word);
        add_names(line, field->choices, (unsigned)value);
        break;
    case FIELD_OTHER:
        add(line, "%s=", field->word);
        (is_key(field, "split") ? add_split : add_stages)(line, &draft->plan);
        break;
    default:
        add(line, glued ? "%s%.0f" : "%s=%.0f", field->word, value);
        break;
    }
}

/* Does a run of layers say this row? It does so where it is not as the plan. */
static bool is_own(const struct field *field, const struct plan_draft *own,
                   const struct plan_draft *draft)
{
    const struct rk_plan *a = &own->plan, *b = &draft->plan;
    if (!plan_is_local(field)) return false;
    if (plan_is_parts(field) && a->recompute != RK_SELECTIVE) return false;
    return field_value(field, own) != field_value(field, draft) ||
           (is_key(field, "recompute") && a->recompute == RK_SELECTIVE &&
            a->recompute_parts != b->recompute_parts);
}

/* "/tp2/recompute=full" */
static void add_local(struct line *line, const struct plan_draft *draft,
                      const struct rk_local *local)
{
    const struct plan_draft own = {.plan.local = *local};
    for (const struct field *field = plan_fields; field->key; field++) {
        if (plan_is_parts(field) || !is_own(field, &own, draft)) continue;
        add(line, "/");
        add_word(line, &own, field);
    }
}

/* "/dp4", "@1/dp2/tp2~@0/dp1": the replicas of a stage. */
static void add_parts(struct line *line, const struct plan_draft *draft, int stage)
{
    const struct rk_layout *layout = rk_plan_layout(&draft->plan);
    bool more = false;
    for (int i = 0; i < layout->parts; i++) {
        const struct rk_stage_part *part = &layout->part[i];
        if (part->stage != stage) continue;
        if (more) add(line, "~");
        if (part->cluster || more) add(line, "@%d", part->cluster);
        add(line, "/dp%u", part->data);
        if (part->local) add_local(line, draft, &layout->other[part->local - 1]);
        if (part->equal && !more) add(line, "/equal");
        more = true;
    }
}

/* "4/tp2/recompute=full~6" */
static void add_stage(struct line *line, const struct rk_plan *plan, int stage,
                      struct plan_run *run)
{
    const struct plan_draft draft = {.plan = *plan};
    const struct rk_layout *layout = rk_plan_layout(plan);
    const bool said = layout->splits || layout->segments;
    uint64_t left = said ? plan_stage_layers(plan, stage) : 0;
    if (said && !left) add(line, "0");
    for (bool more = false; left; left -= run->layers, more = true) {
        *run = plan_next_run(plan, *run, left);
        add(line, more ? "~%" PRIu64 : "%" PRIu64, run->layers);
        if (run->local) add_local(line, &draft, run->local);
    }
    add_parts(line, &draft, stage);
}

/* Stages that are said alike stand once, with how often: "10*3". */
static void add_stages(struct line *line, const struct rk_plan *plan)
{
    char last[RK_PLAN_TEXT] = "", text[RK_PLAN_TEXT];
    struct plan_run run = {.layers = 0};
    const int count = (int)(plan->pipeline * plan->chunks);
    const uint64_t round = rk_plan_layout(plan)->round;
    if (round) add(line, "%" PRIu64 ":", round);
    for (int i = 0, times = 0; i <= count && i <= RK_MAX_CHUNKS; i++) {
        struct line stage = {text, sizeof text, 0};
        text[0] = '\0';
        if (i < count) add_stage(&stage, plan, i, &run);
        const bool again = i < count && i > 0 && strcmp(text, last) == 0;
        if (again) times++;
        if (again) continue;
        if (times > 1) add(line, "*%d", times);
        if (i < count) add(line, i ? ",%s" : "%s", text);
        memcpy(last, text, sizeof last);
        times = 1;
    }
}

size_t rk_plan_text(const struct rk_plan *plan, char *buffer, size_t size)
{
    const struct plan_draft draft = {.plan = *plan};
    struct line line = {buffer, size, 0};
    if (size) buffer[0] = '\0';
    for (const struct field *field = plan_fields; field->key; field++) {
        if (!is_needed(field, &draft) || plan_is_parts(field)) continue;
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

size_t plan_stages_text(const struct rk_plan *plan, char *buffer, size_t size)
{
    struct line line = {buffer, size, 0};
    if (size) buffer[0] = '\0';
    if (plan_has_stages(plan)) add_stages(&line, plan);
    return line.used;
}

size_t plan_local_text(const struct rk_plan *plan, char *buffer, size_t size)
{
    const struct plan_draft usual = {.plan = rk_plan_default()};
    struct line line = {buffer, size, 0};
    struct rk_local own = plan->local;
    own.microbatch = usual.plan.microbatch; /* follows from the stages */
    if (size) buffer[0] = '\0';
    add_local(&line, &usual, &own);
    if (line.used && size) memmove(buffer, buffer + 1, strlen(buffer)); /* the first "/" */
    return line.used ? line.used - 1 : 0;
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
    const struct rk_layout *layout = rk_plan_layout(plan);
    for (int i = 0; i < layout->splits; i++)
        fprintf(file, "%s%d", i ? ", " : "[", layout->split[i]);
    fputs("]", file);
}

static void write_stages(FILE *file, const struct rk_plan *plan);

static void write_shares(FILE *file, const struct plan_draft *draft, const struct field *field)
{
    double share[FIELD_COLUMNS];
    char number[NUMBER_TEXT];
    const int shares = field_shares(field, draft, share);
    if (shares < 2) {
        fputs(shortest(shares ? share[0] : 0, number), file);
        return;
    }
    for (int i = 0; i < shares; i++)
        fprintf(file, "%s%s", i ? ", " : "[", shortest(share[i], number));
    fputc(']', file);
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
        fputs(shortest(value, number), file);
        break;
    case FIELD_SHARE:
        write_shares(file, draft, field);
        break;
    case FIELD_SET:
        write_names(file, field->choices, (unsigned)value);
        break;
    case FIELD_OTHER:
        (is_key(field, "split") ? write_split : write_stages)(file, &draft->plan);
        break;
    default:
        fprintf(file, "%.0f", value);
        break;
    }
}

static void write_run(FILE *file, const struct rk_plan *plan, const struct plan_run *run)
{
    const struct plan_draft draft = {.plan = *plan};
    const struct plan_draft own = {.plan.local = run->local ? *run->local : plan->local};
    fprintf(file, "{\"layers\": %" PRIu64, run->layers);
    for (const struct field *field = plan_fields; field->key; field++) {
        if (!is_own(field, &own, &draft)) continue;
        fprintf(file, ", \"%s\": ", field->key);
        write_value(file, &own, field);
    }
    fputs("}", file);
}

/* Stages with replicas of their own stand as a line has them. */
static void write_stages(FILE *file, const struct rk_plan *plan)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    struct plan_run run = {.layers = 0};
    const int count = (int)(plan->pipeline * plan->chunks);
    char text[RK_PLAN_TEXT];
    if (layout->parts) plan_stages_text(plan, text, sizeof text);
    if (layout->parts) fprintf(file, "\"%s\"", text);
    for (int i = 0; i < count && !layout->parts; i++) {
        const bool said = layout->splits || layout->segments;
        uint64_t left = said ? plan_stage_layers(plan, i) : 0;
        fprintf(file, "%s        {", i ? ",\n" : "[\n");
        if (said) fprintf(file, "\"layers\": %" PRIu64, left);
        for (bool more = false; left && layout->segments; left -= run.layers, more = true) {
            run = plan_next_run(plan, run, left);
            fputs(more ? ",\n            " : ", \"segments\": [\n            ", file);
            write_run(file, plan, &run);
            if (left == run.layers) fputs("]", file);
        }
        fputs("}", file);
    }
    if (!layout->parts) fputs("]", file);
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
