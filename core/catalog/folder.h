/* folder.h - where the catalog is, its kinds, and lists of what it has. */
#ifndef RECKON_CATALOG_FOLDER_H
#define RECKON_CATALOG_FOLDER_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>

enum { FOLDER_PATH = 4096 };

enum catalog_kind {
    CATALOG_MODELS,
    CATALOG_SYSTEMS,
    CATALOG_DRIVES,
    CATALOG_KINDS,
    CATALOG_PLANS = CATALOG_KINDS /* only files: the catalog has none */
};

struct catalog_list {
    size_t count;
    char **id;    /* (count), sorted, with a NULL after the last one */
    bool *museum; /* (count): of papers or of earlier years */
};

/* "model", "system", "plan", "drive" */
const char *catalog_kind_name(enum catalog_kind kind);

/* The folder that holds the catalog: $RECKON_DATA; else data/ or share/reckon next to or above the
 * executable or the library; else where the library was installed. RK_IO when there is none. */
enum rk_status catalog_folder(char *buffer, size_t size, struct rk_error *error);

/* What else to ask where there is no entry of a name. */
const char *catalog_kind_hint(enum catalog_kind kind);

/* The folder of a kind in the catalog: "models". */
const char *catalog_kind_folder(enum catalog_kind kind);

enum rk_status catalog_folder_of_kind(enum catalog_kind kind, char *buffer, size_t size,
                                      struct rk_error *error);

#endif
