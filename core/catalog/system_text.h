/* system_text.h - a system as the text of a system file, reckon-system(5). */
#ifndef RECKON_CATALOG_SYSTEM_TEXT_H
#define RECKON_CATALOG_SYSTEM_TEXT_H

#include <reckon/system.h>

/* Where the numbers of each group come from; NULL: not said. */
struct system_sources {
    const char *whole, *kernels;
    const char *const *links; /* (networks), or NULL */
};

/* With name and description unless NULL. What it holds loads as the same system, to 15 digits. The
 * caller frees it; NULL when there is no memory. */
char *system_text(const struct rk_system *system, const char *name, const char *description,
                  const struct system_sources *sources);

#endif
