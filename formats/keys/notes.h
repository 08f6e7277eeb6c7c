/* notes.h - what a reader of foreign files took, left out, or finds wrong, for people to read. */
#ifndef RECKON_KEYS_NOTES_H
#define RECKON_KEYS_NOTES_H

#include <reckon/check.h>
#include <reckon/status.h>
#include <stdint.h>

/* Severities as readers call them. */
#define NOTE_ASSUMED RK_ASSUMED
#define NOTE_IGNORED RK_IGNORED
#define NOTE_UNKNOWN RK_UNKNOWN
#define NOTE_WARNING RK_WARNING
#define NOTE_REFUSED RK_ERROR

enum { NOTES_MAX = 128 };

struct notes {
    int count;   /* at most NOTES_MAX */
    int dropped; /* that found no room */
    struct rk_finding note[NOTES_MAX];
};

void notes_add(struct notes *notes, enum rk_severity kind, int line, int column, const char *what,
               const char *value, const char *format, ...) RK_PRINTF(7, 8);

/* The same under the name of a rule, and with what to give instead ("": nothing is known). */
void notes_add_rule(struct notes *notes, const char *rule, enum rk_severity severity, int line,
                    int column, const char *what, const char *have, const char *fix,
                    const char *format, ...) RK_PRINTF(9, 10);

/* The GPUs of the machine, where the run does not say how many; a note says so. 0: not known. */
uint64_t notes_machine(struct notes *notes, uint64_t gpus);

/* How many of a kind. */
int notes_count(const struct notes *notes, enum rk_severity kind);

/* RK_BAD_INPUT with the first NOTE_REFUSED and how many follow, RK_OK when there is none. */
enum rk_status notes_refusal(const struct notes *notes, const char *path, struct rk_error *error);

#endif
