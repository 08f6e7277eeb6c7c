/* comparison.h - a comparison of a study with what is published, item by item. */
#ifndef RECKON_STUDY_COMPARISON_H
#define RECKON_STUDY_COMPARISON_H

#include "catalog/readers.h"
#include "study/study.h"

enum comparison_kind {
    COMPARISON_HEADING,
    COMPARISON_TABLE,
    COMPARISON_CHART,
    COMPARISON_NOTE,
    COMPARISON_CHECK
};

enum comparison_drawing { COMPARISON_LINES, COMPARISON_POINTS, COMPARISON_BARS };

enum comparison_verdict { COMPARISON_FAILS, COMPARISON_HOLDS, COMPARISON_UNKNOWN };

struct comparison_item {
    enum comparison_kind kind;
    char *name;                      /* of tables, charts and checks, "" otherwise */
    char *title;                     /* the text */
    enum comparison_drawing drawing; /* of charts */
    /* tables and charts: */
    int columns;
    char **column; /* (columns) */
    size_t rows, room;
    struct study_value *value; /* (rows, columns); texts are owned */
    /* checks: */
    bool required;
    enum comparison_verdict verdict; /* unknown: the query had no row or a NULL */
    char *because;
};

/* A command that was asked, by the table and the row that it became. */
struct comparison_command {
    char *table, *label, *command;
};

/* What an experiment left, or what it gave now. */
struct comparison_measured {
    char *table, *command;
    double seconds; /* that the command says to take */
    bool ran;       /* by this comparison */
};

struct study_comparison {
    size_t items;
    struct comparison_item *item; /* in the order of the script */
    size_t checks, hold, unknown; /* of all checks, required or not */
    size_t required, broken;      /* broken: required and not holding */
    size_t commands, experiments;
    struct comparison_command *command;
    struct comparison_measured *measured;
};

/* What a script asks of the program around it. */
struct comparison_hooks {
    model_reader *model_of; /* of @estimate and @distribution */
    void *context;
    /* One command, words and all, as JSON; *code is its exit status, *said its message (NULL:
     * none). The caller frees both texts. NULL: @answer is refused. */
    enum rk_status (*answer)(void *context, int words, char *const word[], char **json, int *code,
                             char **said, struct rk_error *error);
    /* A line of a shell, run in `folder`; its standard output goes to `path`. NULL: nothing is run,
     * and what was kept is taken. */
    enum rk_status (*measure)(void *context, const char *folder, const char *command,
                              const char *path, struct rk_error *error);
};

#endif
