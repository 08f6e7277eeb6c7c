/* compare_script.h - a script on its way, as the files that run its sections share it. */
#ifndef RECKON_STUDY_COMPARE_SCRIPT_H
#define RECKON_STUDY_COMPARE_SCRIPT_H

#include "study/comparison.h"
#include <sqlite3.h>

enum { COMPARE_PATH = 1024 };

struct section {
    char word[16];  /* "table" */
    char name[128]; /* its first word, for those that have one */
    char *text;     /* the rest */
    char *sql;
    int line; /* of the directive */
};

struct script {
    const char *path;
    char *text;
    sqlite3 *sqlite;
    const struct comparison_hooks *hooks;
    struct study_comparison *comparison;
    struct rk_error *error;
    int depth; /* of scripts that include each other */
};

/* A failure at the section, `what` in the place of %s. */
enum rk_status compare_fail(const struct script *script, int line, const char *format,
                            const char *what);

/* A failure inside what a section names, told at the section. */
enum rk_status compare_fail_inside(const struct script *script, const struct section *section,
                                   const struct rk_error *inner);

/* "./x" and file names start at the script's folder. */
void compare_beside(const struct script *script, const char *name, char buffer[COMPARE_PATH]);

/* The one SELECT of a section into the item, which the caller releases. */
enum rk_status compare_query(const struct script *script, const struct section *section,
                             struct comparison_item *item);
void compare_release_item(struct comparison_item *item);

/* Cuts the text at each '|' and trims the pieces. Returns how many. */
enum { COMPARE_FIELDS = 8 };
int compare_fields(char *text, char *field[COMPARE_FIELDS]);

/* ---- compare_ask.c ---- */

enum rk_status compare_answer(const struct script *script, const struct section *section);
enum rk_status compare_measured(const struct script *script, const struct section *section);
void compare_release_asked(struct study_comparison *comparison);

#endif
