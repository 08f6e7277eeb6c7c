/* save.h - a file that appears whole or not at all.
 *
 * What `write` prints goes to a file beside `path`, synced and renamed; a link is followed, the
 * permissions of what is replaced stay. "-" is standard output; what is no regular file (a
 * terminal, a pipe, /dev/null) is written directly. RK_IO with the path when it cannot be.
 */
#ifndef RECKON_TEXT_SAVE_H
#define RECKON_TEXT_SAVE_H

#include <reckon/status.h>
#include <stdio.h>

enum rk_status save_file(const char *path, void (*write)(FILE *file, const void *what),
                         const void *what, struct rk_error *error);

#endif
