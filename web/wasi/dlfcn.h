/* dlfcn.h - no shared libraries: a program that asks which one it is in hears that it is in none.
 */
#ifndef DLFCN_H
#define DLFCN_H

typedef struct {
    const char *dli_fname;
} Dl_info;

static inline int dladdr(const void *address, Dl_info *info)
{
    (void)address, (void)info;
    return 0;
}

#endif
