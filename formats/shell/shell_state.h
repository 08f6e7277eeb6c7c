/* shell_state.h - what the parts of the script reader share: variables, memory, the cursor. */
#ifndef RECKON_SHELL_SHELL_STATE_H
#define RECKON_SHELL_SHELL_STATE_H

#include "shell/script.h"

/* A text of which parts may be unknown: they stand in it as SHELL_HOLE and four letters, which are
 * the index of the unknown. What a condition that is unknown may have appended stands between
 * SHELL_MAYBE and SHELL_SURE. */
enum { SHELL_MAYBE = '\1', SHELL_SURE = '\2', SHELL_HOLE = '\3', SHELL_HOLE_LENGTH = 5 };
struct shell_value {
    const char *text;         /* "" rather than NULL */
    size_t unknown;           /* index + 1 of the first; 0: all is known */
    size_t maybe;             /* index + 1 of the condition; 0: there is none */
    struct shell_place place; /* where it was written */
};

struct shell_variable {
    const char *name;
    bool set, array;
    bool given;  /* by the caller: assignments leave it alone */
    bool number; /* declare -i */
    bool keyed;  /* declare -A: `key` has the name of each value */
    size_t count;
    struct shell_value *value; /* (count), count 1 for a scalar */
    const char **key;          /* (count) where it is keyed */
};

/* A file that the script writes out of its own text: `cat <<EOF > name`. */
struct shell_written {
    const char *name;
    struct shell_value text;
};

struct shell_function {
    const char *name;
    const char *body, *end; /* from after the ')' on */
    struct shell_place place;
};

struct shell_state {
    struct shell *shell;
    struct rk_error *error;
    enum rk_status status; /* not RK_OK: everything stops */
    struct shell_block *memory;
    size_t allocated, steps;

    size_t variables, functions, files;
    struct shell_variable *variable;
    struct shell_function *function;
    struct shell_written *file;

    size_t assigned; /* variables as they were before each assignment */
    struct shell_variable *assignment;

    /* positional parameters of the function that runs */
    size_t arguments;
    struct shell_word *argument;

    const char *whole; /* the script itself; NULL: words alone */

    /* the cursor */
    const char *at, *end;
    struct shell_place place;
    bool fixed_place; /* within a text of `bash -c`: all stands where the text stood */
    bool bare;        /* words only: no operators, lines mean nothing */
    int depth;

    bool streams; /* what comes out of the last command of a pipeline is known */
    struct shell_value stream;

    int skip; /* above 0: parsed, not followed */
    bool maybe;
    struct shell_place condition;
    size_t reason; /* index + 1 of what makes that one unknown; 0: nothing that has a name */
    size_t cause;  /* index + 1 of what makes the condition that was last judged unknown; 0: none */
    const char *source; /* path of the file that was read last; NULL: none */
    const char *unread; /* the files that it sources and that are not at hand: "a.sh, b.sh"; NULL:
                           none */
    bool counted;       /* the condition at hand has "$#", and the script has no arguments here */
    bool usage;    /* of a branch after such a condition: its exit is for a call without them */
    bool stopped;  /* by `exit` */
    bool returned; /* from the function that runs */
    int calls;     /* functions within which we are */
    int answer;    /* enum shell_truth of that `return` */

    /* `break` and `continue`: how many loops are left or begun anew */
    int breaks, continues;
    bool loose;             /* one of them was under an unknown condition */
    bool in_loop_condition; /* of while or until */

    bool keyed, number, global; /* declare -A, -i, -g: the names that it declares */

    size_t locals; /* variables as they were when functions that run made them their own */
    struct shell_variable *local;
    size_t environments; /* of `NAME=VALUE command`, which are those of the command alone */
    struct shell_variable *environment;

    /* words in front of `bash -c TEXT`, which those of commands in the text follow */
    size_t prefixes;
    const struct shell_word *prefix;
};

enum {
    SHELL_MAX_DEPTH = 64,
    SHELL_MAX_SCRIPTS = 24,
    SHELL_MAX_STEPS = 200000,
    SHELL_MAX_MEMORY = 32 << 20
};

/* ---- shell_values.c ---- */

/* Zeroed memory that lives as long as the shell; NULL marks the state as failed. */
void *shell_alloc(struct shell_state *s, size_t size);
const char *shell_copy(struct shell_state *s, const char *text, size_t length);

/* Makes room for one more element of an array whose count is a power of two or 0 when full. */
void *shell_grow(struct shell_state *s, void *array, size_t count, size_t size);

RK_PRINTF(3, 4)
void shell_fail(struct shell_state *s, struct shell_place place, const char *format, ...);

/* A new unknown; its index + 1. */
size_t shell_unknown(struct shell_state *s, const char *name, const char *why,
                     struct shell_place place);

/* The unknown as a part of what is computed with it: another value; its index + 1. */
size_t shell_derived(struct shell_state *s, size_t unknown);

/* Notes what a condition compares an unknown with: index + 1, 0: nothing. */
void shell_asked(struct shell_state *s, size_t unknown, const char *text);

/* Notes that a variable which is not set is taken as empty. */
void shell_assume(struct shell_state *s, const char *name, struct shell_place place);

/* Does the script assign to it anywhere, run or not? */
bool shell_assigns(const struct shell_state *s, const char *name);

/* Do launchers and schedulers set it, so that a script which does not may still have it? */
bool shell_from_outside(const char *name);

/* NULL when there is no such variable. */
struct shell_variable *shell_find(const struct shell_state *s, const char *name, size_t length);

/* The same, and one that is not set where there is none; NULL without memory. */
struct shell_variable *shell_find_or_add(struct shell_state *s, const char *name, size_t length);

/* Sets a scalar or, with `array`, a list; `append` adds to what is there. */
void shell_assign(struct shell_state *s, const char *name, size_t length,
                  const struct shell_value *values, size_t count, bool array, bool append);

/* Sets one element: of a keyed variable that of `key`, of others the index that it computes. */
void shell_assign_element(struct shell_state *s, const char *name, size_t length,
                          const struct shell_value *key, const struct shell_value *value,
                          bool append);

/* The index of a key; -1: there is none. */
int64_t shell_key(const struct shell_variable *variable, const char *key);

/* Notes the variable as it is, for shell_take_back. */
void shell_keep(struct shell_state *s, const char *name, size_t length);

/* The variables kept beyond the first `mark` are again what they were. */
void shell_take_back(struct shell_state *s, size_t mark);

/* The variables assigned since the mark may have been, because of the condition at `place`: what
 * was appended becomes doubtful, others unknown. `cause`: what makes it so, as in s->cause. */
void shell_poison(struct shell_state *s, size_t mark, struct shell_place place, size_t cause);

/* The variables become what they were before the assignments since the mark: the end of a subshell.
 */
void shell_restore(struct shell_state *s, size_t mark);

/* ---- shell_expand.c ---- */

struct shell_words {
    size_t count;
    struct shell_word *word;
};

/* Expands `length` characters of raw text, quotes and all, to words: none, one, or more. */
void shell_expand(struct shell_state *s, const char *raw, size_t length, struct shell_place place,
                  struct shell_words *words);

/* The same as one value: no splitting, as in assignments and between double quotes. */
struct shell_value shell_expand_one(struct shell_state *s, const char *raw, size_t length,
                                    struct shell_place place);

/* Characters from an opening "$(", "${", "$((", '`', '"' or '\'' up to its end, inclusive; 0 when
 * it does not end. */
size_t shell_span(const char *at, const char *end);

/* The text of a "here document": as between double quotes, which themselves are ordinary there. */
struct shell_value shell_expand_document(struct shell_state *s, const char *raw, size_t length,
                                         struct shell_place place);

/* Characters of "<what to give here>", which stands where a value is to be filled in; 0: what is
 * there is no such thing, but perhaps a redirection. */
size_t shell_placeholder(const char *at, const char *end);

/* Length of a name at `at`; 0: none. */
size_t shell_name_length(const char *at, const char *end);

/* The script leaves the text in a file, which it may read again. */
void shell_write(struct shell_state *s, const char *name, struct shell_value text);

/* ---- shell_run.c ---- */

/* Follows a script within the script, all of which stands at `place`. */
void shell_follow(struct shell_state *s, const char *text, struct shell_place place);

/* ---- shell_output.c ---- */

/* What `$(command)` prints, for the few commands that only compute: echo, printf, seq, expr,
 * basename, dirname, `echo EXPRESSION | bc`. False: it is none of them. */
bool shell_output(struct shell_state *s, const char *command, size_t length,
                  struct shell_place place, struct shell_value *value);

/* ---- shell_arith.c ---- */

/* An integer expression, whose assignments are carried out; *unknown (index + 1) when a part is. */
int64_t shell_arithmetic(struct shell_state *s, const char *text, struct shell_place place,
                         size_t *unknown);

/* ---- shell_test.c ---- */

/* LIKELY: a command, taken to succeed in front of `&&`, unknown elsewhere. */
enum shell_truth { SHELL_FALSE, SHELL_TRUE, SHELL_PERHAPS, SHELL_LIKELY };

/* `[ ... ]`, `[[ ... ]]`, `test ...`: the words between, operators as words. */
enum shell_truth shell_test(struct shell_state *s, const struct shell_word *word, size_t count);

#endif
