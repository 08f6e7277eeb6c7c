/* shell.h - the commands of a launch script, found by reading it: nothing is ever executed.
 *
 * Follows assignments, arrays, parameter expansion, integer arithmetic, if, case, for, functions,
 * `bash -c` and `source`, as bash does, and lists the simple commands with the words that they
 * would be given. What the script does not say (a variable of the environment, the output of a
 * command, $1) is unknown: a word that contains it says so, and shell_fail_unknown says how to give
 * it. A variable that is assigned under an unknown condition is unknown afterwards.
 *
 * Commands other than `test`, `[`, `[[`, `((`, `true` and `false` are taken to succeed in `a && b`,
 * and to be unknown as conditions of `if` and `while`.
 */
#ifndef RECKON_SHELL_SHELL_H
#define RECKON_SHELL_SHELL_H

#include "shell/script.h"
#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHELL_MAX_BYTES = 4 << 20 };

/* Reads `size` bytes of script; `sets` are texts "NAME=VALUE" that win over the script.
 * RK_BAD_INPUT with line and column: what is no shell script, one that does not end;
 * RK_BAD_ARGUMENT: a set without
 * '='. Release the shell in every case. */
enum rk_status shell_read(struct shell *shell, const char *path, const char *text, size_t size,
                          const char *const *sets, size_t set_count, struct rk_error *error);

/* The same for a text of nothing but words: one command; operators and the ends of lines are not
 * special, so that `--moe-layer-freq ([0]*3+[1]*58)` needs no quotes. */
enum rk_status shell_read_words(struct shell *shell, const char *path, const char *text,
                                size_t size, const char *const *sets, size_t set_count,
                                struct rk_error *error);

/* The text that the script writes to the file `name` with `cat <<EOF > name`; NULL: none. Its
 * word is unknown where the text is. */
const char *shell_file(const struct shell *shell, const char *name, struct shell_word *word);

/* The text of a file in the script's folder, or in a folder above it; NULL: there is none. */
const char *shell_beside(const struct shell *shell, const char *name);

/* Where the last of them was found; NULL: none was. */
const char *shell_beside_path(const struct shell *shell);

/* The value of a variable after the last line; NULL when it is not set, an array or unknown. */
const char *shell_variable(const struct shell *shell, const char *name);

/* The first word of its commands that is a program in Python, "run/train.py"; NULL: there is none.
 */
const char *shell_program(const struct shell *shell);

/* A variable whose text, or an element of it, is such a one; NULL: there is none. */
const char *shell_variable_with(const struct shell *shell, bool (*is)(const char *text));

/* A file that it sources and that is not at hand; NULL: there is none. */
const char *shell_missing(const struct shell *shell);

/* Did it end by `exit`? */
bool shell_stopped(const struct shell *shell);

/* Follows one word of a command as a script, prefixed by the words before it: for launchers whose
 * last argument is a command line. New commands are added to the shell's. */
void shell_read_word(struct shell *shell, size_t command, size_t word);

/* The word is one variable that the script never sets, no launcher either, and no file that it
 * sources and that is not at hand: for bash it is no word at all. Its name; NULL: it is not so. */
const char *shell_never_set(const struct shell *shell, const struct shell_word *word);

/* Fails at what makes the word unknown or doubtful: what it is, and how to give it. */
enum rk_status shell_fail_unknown(const struct shell *shell, const struct shell_word *word,
                                  struct rk_error *error);

/* Fails where it ended by `exit` for want of a variable that is not set, with its name. */
enum rk_status shell_fail_stopped(const struct shell *shell, struct rk_error *error);

/* A zeroed shell is fine. */
void shell_release(struct shell *shell);

#endif
