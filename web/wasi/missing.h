/* missing.h - what POSIX has and wasi-libc does not. All of it fails with ENOSYS: the host keeps
 * files in memory, which have no links, modes or standard input. */
#ifndef MISSING_H
#define MISSING_H

#include <sys/types.h>

int dup(int file);
int fchmod(int file, mode_t mode);
char *realpath(const char *path, char *resolved);

#endif
