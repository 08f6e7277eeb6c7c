#include "keys/notes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static void add(struct notes *notes, const struct rk_finding *finding, const char *format,
                va_list values)
{
    if (notes->count == NOTES_MAX) {
        notes->dropped++;
        return;
    }
    struct rk_finding *note = &notes->note[notes->count++];
    *note = *finding;
    vsnprintf(note->need, sizeof note->need, format, values);
}

void notes_add(struct notes *notes, enum rk_severity severity, int line, int column,
               const char *what, const char *have, const char *format, ...)
{
    va_list values;
    struct rk_finding finding = {.severity = severity, .line = line, .column = column, .rank = -1};
    snprintf(finding.what, sizeof finding.what, "%s", what);
    snprintf(finding.have, sizeof finding.have, "%s", have);
    va_start(values, format);
    add(notes, &finding, format, values);
    va_end(values);
}

void notes_add_rule(struct notes *notes, const char *rule, enum rk_severity severity, int line,
                    int column, const char *what, const char *have, const char *fix,
                    const char *format, ...)
{
    va_list values;
    struct rk_finding finding = {.severity = severity, .line = line, .column = column, .rank = -1};
    snprintf(finding.rule, sizeof finding.rule, "%s", rule);
    snprintf(finding.what, sizeof finding.what, "%s", what);
    snprintf(finding.have, sizeof finding.have, "%s", have);
    snprintf(finding.fix, sizeof finding.fix, "%s", fix);
    va_start(values, format);
    add(notes, &finding, format, values);
    va_end(values);
}

uint64_t notes_machine(struct notes *notes, uint64_t gpus)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, gpus);
    if (gpus) notes_add(notes, NOTE_ASSUMED, 0, 0, "gpus", number, "all of the system");
    return gpus;
}

int notes_count(const struct notes *notes, enum rk_severity kind)
{
    int count = 0;
    for (int i = 0; i < notes->count; i++)
        count += notes->note[i].severity == kind;
    return count;
}

enum rk_status notes_refusal(const struct notes *notes, const char *path, struct rk_error *error)
{
    for (int i = 0; i < notes->count; i++) {
        const struct rk_finding *note = &notes->note[i];
        if (note->severity != NOTE_REFUSED) continue;
        return rk_fail(error, RK_BAD_INPUT, path, note->line, note->column, "%s%s%s: %s%s%s",
                       note->what, *note->have ? " " : "", note->have, note->need,
                       *note->fix ? ": " : "", note->fix);
    }
    return RK_OK;
}
