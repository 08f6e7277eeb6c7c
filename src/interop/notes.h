/* notes.h - what a reader of foreign files took, left out, or finds wrong, for people to read. */
#ifndef RECKON_INTEROP_NOTES_H
#define RECKON_INTEROP_NOTES_H

#include <reckon/status.h>

enum note_kind {
    NOTE_ASSUMED, /* not said by the file: a default of the tool that it is for */
    NOTE_IGNORED, /* said, known, and of no effect on the answer, or not followed */
    NOTE_UNKNOWN, /* said, and not known at all */
    NOTE_WARNING, /* said, but the tool itself does something else, or the answer is approximate */
    NOTE_REFUSED  /* the tool would stop with an error at this */
};

struct note {
    enum note_kind kind;
    int line, column; /* 0: nowhere in particular */
    char what[64];    /* the flag or key */
    char value[48];   /* what it has or was taken as; may be "" */
    char why[208];
};

enum { NOTES_MAX = 128 };

struct notes {
    int count;   /* at most NOTES_MAX */
    int dropped; /* that found no room */
    struct note note[NOTES_MAX];
};

void notes_add(struct notes *notes, enum note_kind kind, int line, int column, const char *what,
               const char *value, const char *format, ...) RK_PRINTF(7, 8);

/* How many of a kind. */
int notes_count(const struct notes *notes, enum note_kind kind);

/* RK_BAD_INPUT with the first NOTE_REFUSED and how many follow, RK_OK when there is none. */
enum rk_status notes_refusal(const struct notes *notes, const char *path, struct rk_error *error);

#endif
