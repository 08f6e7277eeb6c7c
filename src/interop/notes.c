#include "interop/notes.h"

#include <stdarg.h>
#include <stdio.h>

void notes_add(struct notes *notes, enum note_kind kind, int line, int column, const char *what,
               const char *value, const char *format, ...)
{
    va_list values;
    if (notes->count == NOTES_MAX) {
        notes->dropped++;
        return;
    }
    struct note *note = &notes->note[notes->count++];
    *note = (struct note){.kind = kind, .line = line, .column = column};
    snprintf(note->what, sizeof note->what, "%s", what);
    snprintf(note->value, sizeof note->value, "%s", value);
    va_start(values, format);
    vsnprintf(note->why, sizeof note->why, format, values);
    va_end(values);
}

int notes_count(const struct notes *notes, enum note_kind kind)
{
    int count = 0;
    for (int i = 0; i < notes->count; i++)
        count += notes->note[i].kind == kind;
    return count;
}

enum rk_status notes_refusal(const struct notes *notes, const char *path, struct rk_error *error)
{
    const int count = notes_count(notes, NOTE_REFUSED);
    for (int i = 0; i < notes->count; i++) {
        const struct note *note = &notes->note[i];
        if (note->kind != NOTE_REFUSED) continue;
        return rk_fail(error, RK_BAD_INPUT, path, note->line, note->column, "%s%s%s: %s",
                       note->what, *note->value ? " " : "", note->value, note->why);
    }
    (void)count;
    return RK_OK;
}
