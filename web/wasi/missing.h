/* missing.h - what POSIX has and wasi-libc does not. All of it fails with ENOSYS: the host keeps
 * files in memory, which have no links, modes or standard input. */
#ifndef MISSING_H
#define MISSING_H

#include <sys/types.h>

int dup(int file);
int fchmod(int file, mode_t mode);
char *mkdtemp(char *path);
char *realpath(const char *path, char *resolved);

#define TIOCGWINSZ 0x5413 /* no stream is a terminal: ioctl() fails */
struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

#endif
