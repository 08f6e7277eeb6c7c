/* open.h - a file that cannot be opened for reading, and what to do. */
#ifndef RECKON_BASE_OPEN_H
#define RECKON_BASE_OPEN_H

#include <reckon/status.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Of `errno`. */
static inline enum rk_status fail_to_open(const char *path, struct rk_error *error)
{
    const bool full = errno == EMFILE || errno == ENFILE;
    return rk_fail(error, full || errno == EIO ? RK_IO : RK_BAD_INPUT, path, 0, 0,
                   "cannot open: %s; %s", strerror(errno),
                   full ? "raise the limit (ulimit -n)" : "check the path");
}

#endif
