/* detect.h - whose file a text is: by the keys and words that only this tool's files have. */
#ifndef RECKON_KEYS_DETECT_H
#define RECKON_KEYS_DETECT_H

#include <reckon/status.h>

#include <stdbool.h>
#include <stddef.h>

struct tool_sign {
    const char *tool;    /* "torchtune" */
    const char *what;    /* "configuration" */
    const char *format;  /* which `reckon import` reads it; NULL: none does */
    const char *words;   /* "a b|c": a and b, or c */
    const char *instead; /* what to give instead, where it is not read; NULL: nothing is known */
};

/* The error that such a file is not read, or (NULL) known to be nobody's: of a script with the name
 * of the program that it starts. `text` may be NULL. */
void detect_fail(const struct tool_sign *sign, const char *path, const char *text,
                 struct rk_error *error);

/* The first "train.py" of a script's lines, or what follows the "-m" of Python and launchers; its
 * length, 0: there is none. */
size_t detect_program(const char *text, const char **program);

/* The first other script that one at this path starts; 0: none. */
size_t detect_script(const char *path, const char *text, const char **program);

/* NULL: no tool's that is known here. */
const struct tool_sign *detect_tool(const char *text);

/* Whose modules a program in Python imports; NULL: of no tool. */
const struct tool_sign *detect_imports(const char *text);

/* The same of a file; of a script that names no tool, that of the configuration next to it that its
 * program is given. */
const struct tool_sign *detect_file(const char *path, const char *text);

/* Documentation may show files of several tools, and is none: RK_BAD_INPUT, by the name's end. */
enum rk_status detect_document(const char *path, struct rk_error *error);

/* "a" or "an", as `what` begins. */
const char *detect_article(const char *what);

#endif
