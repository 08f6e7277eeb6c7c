/* save.h - a file that appears whole or not at all.
 *
 * Output of `write` goes to a temporary file next to `path`, which is synced and renamed. A link is
 * followed, and the permissions of a replaced file stay. "-" is standard output; a path that is not
 * a regular file (a terminal, a pipe, /dev/null) is written directly. RK_IO, with the path, when
 * writing fails.
 */
#ifndef RECKON_TEXT_SAVE_H
#define RECKON_TEXT_SAVE_H

#include <reckon/status.h>
#include <stdio.h>

enum rk_status save_file(const char *path, void (*write)(FILE *file, const void *what),
                         const void *what, struct rk_error *error);

#endif
