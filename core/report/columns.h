/* columns.h - how many columns of a terminal a text takes, and where it may be broken. */
#ifndef RECKON_REPORT_COLUMNS_H
#define RECKON_REPORT_COLUMNS_H

#include <stddef.h>

/* Of UTF-8: East Asian characters and pictures take two, what stands upon others none [uax11]. */
int columns_of(const char *text);

/* Bytes of `text` that a line of `width` columns takes: up to a space or a comma where there is
 * one, else after a mark that separates parts of a name (. _ / -), else all that fit, at least one
 * character.
 */
size_t columns_piece(const char *text, int width);

#endif
