/* finding.h - what a reader of foreign files, or a check of a plan, has to say: one record for all.
 *
 * A finding is a value, never an error: all of them are listed, and an error is made of the first
 * that forbids to go on.
 */
#ifndef RECKON_BASE_FINDING_H
#define RECKON_BASE_FINDING_H

enum rk_severity {
    NOTE_ASSUMED, /* not said by the file: a default of the tool that it is for */
    NOTE_IGNORED, /* said, known, and of no effect on the answer, or not followed */
    NOTE_UNKNOWN, /* said, and not known at all */
    NOTE_WARNING, /* said, but the tool itself does something else, or the answer is approximate */
    NOTE_REFUSED  /* the tool, or the one that reads, would stop with an error at this */
};

struct rk_finding {
    char rule[24]; /* "1.unknown": as docs/plan.md numbers them; "" where no rule has a name */
    enum rk_severity severity;
    int line, column; /* 0: nowhere in particular */
    char what[64];    /* the flag or key */
    char have[48];    /* what it has or was taken as; may be "" */
    char need[208];   /* what it would have to be, or what follows from it */
    char fix[96];     /* what to give instead; may be "" */
};

#endif
