/* python_values.h - values of Python's source, and how its text is passed over. */
#ifndef RECKON_TEXT_PYTHON_VALUES_H
#define RECKON_TEXT_PYTHON_VALUES_H

#include "text/settings.h"
#include <reckon/status.h>

/* RAW: its text is all that is known. CALL: of the class or function of this text, with members.
 * REFER: a name, or names joined by dots. */
enum kind { RAW, NUMBER, STRING, WORD, LIST, CALL, REFER };

struct value {
    enum kind kind;
    const char *text; /* of WORD True, False or None */
    double number;
    int line;
    struct member *member; /* the first; those of LIST have the names 0, 1, ... */
};

struct member {
    const char *name;
    struct value *value;
    struct member *next;
};

struct scope;

struct reader {
    const char *path, *text;
    struct settings *settings; /* keeps the memory */
    struct rk_error *error;
    enum rk_status status;
    struct block *memory;
    size_t allocated, steps;
    const char *counted; /* the text is, up to here: the line that it is in */
    int line;
    /* A function of the file, called; NULL: none is run. */
    struct value *(*call)(struct scope *s, const char *name, const struct value *given, int line);
};

struct scope {
    struct reader *r;
    struct value *names; /* LIST: those of the function */
    int depth;
};

struct cursor {
    const char *at, *end;
};

struct block {
    struct block *next;
    _Alignas(max_align_t) char bytes[];
};

enum { KEY = 256 };

void python_fail(struct reader *r, const char *at, const char *what);

void *python_take(struct reader *r, size_t size);

const char *python_copy(struct reader *r, const char *text, size_t length);

struct value *python_make(struct reader *r, enum kind kind, const char *text, size_t length,
                          const char *at);

struct member *python_find(const struct value *v, const char *name, size_t length);

void python_set(struct reader *r, struct value *v, const char *name, size_t length,
                struct value *to);

struct value *python_deep(struct reader *r, const struct value *v, int depth);

size_t python_name_length(const char *at, const char *end);

/* Past the string that begins here, or `end`. */
const char *python_string_end(const char *at, const char *end);

/* The first of `stops` outside brackets, strings and comments; `end`: there is none. */
const char *python_scan(const char *at, const char *end, const char *stops);

const char *python_skip(const char *at, const char *end);

/* The end of the logical line. */
const char *python_line_end(const char *at);

/* ---- expressions ---- */

bool python_eat(struct cursor *c, const char *text);

/* Reads the parts of a list of arguments or values; *c is after the opening bracket. */
void python_parts(struct scope *s, struct cursor *c, char close, struct value *into);

/* What is no value of these kinds is its own text. */
struct value *python_evaluate(struct scope *s, const char *at, const char *end);

/* What all names of "config.training.steps" but the last lead to, which *at and *n are set
 * to; NULL: nothing that is known here. */
struct value *python_owner(struct scope *s, const char **at, const char *stop, size_t *n);

/* "config.training.steps = 3"; false: it is no assignment. */
bool python_assign(struct scope *s, const char *at, const char *end);

/* The value and its members as settings; `depth` 0. */
void python_emit(struct reader *r, const char *key, const struct value *v, int depth);

void python_release(struct reader *r);

#endif
