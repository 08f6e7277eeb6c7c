/* text_file.h - a text file (script, TOML) as a whole, "-" is standard input. */
#ifndef RECKON_TEXT_TEXT_FILE_H
#define RECKON_TEXT_TEXT_FILE_H

#include <reckon/status.h>
#include <stddef.h>

/* `path` as messages name it: standard input is "stdin". */
const char *text_file_name(const char *path);

/* The caller frees *text, which has a NUL after its `size` bytes. RK_BAD_INPUT: no such file, a
 * directory, more than `most` bytes; RK_IO: a failing disk; RK_NO_MEMORY. */
enum rk_status text_file_load(const char *path, size_t most, char **text, size_t *size,
                              struct rk_error *error);

#endif
