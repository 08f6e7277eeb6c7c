/* text.h - small helpers for names and messages. Pure; no allocation. */
#ifndef RECKON_BASE_TEXT_H
#define RECKON_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Of a row of a table: NULL where the cell is empty. */
#define OR_NULL(text) (sizeof(text) > 1 ? (text) : NULL)

/* How many characters to insert, drop, change or swap with a neighbour to get from a to b; case
 * does not count. Texts beyond 63 characters count as far away. */
int text_distance(const char *a, const char *b);

/* The entry of `names` (ended by NULL) nearest to `name`; NULL when none is near enough to be a
 * slip of the pen. */
const char *text_nearest(const char *name, const char *const *names);

/* Length of the valid UTF-8 character at `text`, 1 to 4; 0 when there is none [rfc3629]. */
size_t text_utf8_length(const char *text, size_t length);

/* Does `text`, or do its first `length` bytes, end in `ending`? */
bool text_ends_in(const char *text, const char *ending);
bool text_part_ends_in(const char *text, size_t length, const char *ending);

/* ... in one of `endings`, which NULL ends? */
bool text_ends_in_any(const char *text, const char *const *endings);

/* Which of these words, with '|' between them, the first `length` bytes of `text` are: 0, 1, ...,
 * or -1. NULL has none. */
int text_word(const char *words, const char *text, size_t length, bool any_case);

/* Is `text` one of `patterns`, which NULL ends? One that ends in '*' is all that begins so. */
bool text_matches_any(const char *text, const char *const *patterns);

/* Names and other texts of files reach terminals, scripts and tables: what ends lines there or
 * steers a terminal (controls, turns of the direction of writing) and what is no UTF-8 becomes '?'.
 */
void text_make_plain(char *text); /* keeps line ends */
void text_make_name(char *text);
bool text_is_name(const char *text); /* would text_make_name leave it as it is? */
void text_put_line(FILE *file, const char *text);

/* A field of comma-separated values [rfc4180]; text that a spreadsheet would take for a formula
 * gets a leading apostrophe. */
void text_put_csv(FILE *file, const char *text);

/* The line of `text` that `at` is on: 1, 2, ... */
int text_line(const char *text, const char *at);

/* The character of `text` that `at`, a byte of it, belongs to: 1, 2, ... */
int text_column(const char *text, const char *at);

enum { TEXT_QUOTE = 64 };

/* `length` bytes of foreign text, made fit for a message: quoted, on one line, valid UTF-8, cut
 * after about 40 bytes. Returns `buffer`. */
const char *text_quote(char buffer[static TEXT_QUOTE], const char *text, size_t length);

#endif
