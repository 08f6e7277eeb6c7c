#include "missing.h"

#include <errno.h>
#include <stddef.h>

int dup(int file)
{
    (void)file;
    errno = ENOSYS;
    return -1;
}

int fchmod(int file, mode_t mode)
{
    (void)file, (void)mode;
    errno = ENOSYS;
    return -1;
}

char *mkdtemp(char *path)
{
    (void)path;
    errno = ENOSYS;
    return NULL;
}

char *realpath(const char *path, char *resolved)
{
    (void)path, (void)resolved;
    errno = ENOSYS;
    return NULL;
}
