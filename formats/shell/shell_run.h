/* shell_run.h - what follows a script: the statements (shell.c) and the simple commands with their
 * assignments, redirections and functions (shell_run.c). */
#ifndef RECKON_SHELL_SHELL_RUN_H
#define RECKON_SHELL_SHELL_RUN_H

#include "shell/shell_lex.h"

/* Are commands followed here: not skipped, and not after `exit` or an error? */
bool shell_live(const struct shell_state *s);

/* ---- shell.c ---- */

/* Statements up to what ends them ("fi", "done", ")", the end), which is left. */
enum shell_truth shell_list(struct shell_lexer *l);
enum shell_truth shell_command(struct shell_lexer *l);
void shell_skip_lines(struct shell_lexer *l);

/* ---- shell_run.c ---- */

enum shell_truth shell_simple(struct shell_lexer *l);

/* Adds a command to the shell's list. */
void shell_record(struct shell_state *s, const struct shell_word *words, size_t count);

/* A function's body, whose name and "()" were read. */
void shell_define(struct shell_lexer *l, struct shell_token name);

/* Words and redirections continue with a command. */
bool shell_reads_line(struct shell_token token);
bool shell_is_redirection(struct shell_token token);
bool shell_is_descriptor(const struct shell_lexer *l, struct shell_token token);

/* Reads the target of a redirection. */
struct shell_token shell_redirect(struct shell_lexer *l, struct shell_token operator);

/* ---- shell_edit.c ---- */

/* `cat` and `sed s/A/B/` in a pipeline, of files that are known, into the file `output`. */
void shell_edit(struct shell_state *s, const struct shell_word *words, size_t count,
                struct shell_token output);

/* ---- shell_source.c ---- */

/* `source NAME`: the file's text, which lives as long as the shell, when it is in the script's
 * folder or where its path says; NULL: it is not there, or not a text. */
const char *shell_source(struct shell_state *s, const char *name);

/* ---- shell_compound.c ---- */

void shell_if_command(struct shell_lexer *l, struct shell_token opener);

void shell_case_command(struct shell_lexer *l, struct shell_token opener);

void shell_for_command(struct shell_lexer *l, struct shell_token opener);

/* As long as the condition is known; then once more, perhaps. A turn that assigns nothing is the
 * last: the next would be the same. */
void shell_while_command(struct shell_lexer *l, struct shell_token opener);

/* [[ ... ]]: words are not split, operators are words. */
enum shell_truth shell_double_test(struct shell_lexer *l, struct shell_token opener);

/* ((...)), whose first parenthesis was read. */
enum shell_truth shell_arithmetic_command(struct shell_lexer *l, struct shell_token opener);

void shell_expect(struct shell_lexer *l, const char *text, struct shell_token opener);

#endif
