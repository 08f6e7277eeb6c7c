/* catalog.h - what the catalog holds, and where its numbers come from.
 *
 * The public <reckon/catalog.h> loads an entry to compute with; this lists and describes entries
 * for people. The catalog is the folder data/ with one JSON file per entry, file name = id:
 * data/models, data/systems, data/drives.
 */
#ifndef RECKON_CATALOG_CATALOG_H
#define RECKON_CATALOG_CATALOG_H

#include "text/document.h"
#include <reckon/catalog.h>

enum catalog_kind {
    CATALOG_MODELS,
    CATALOG_SYSTEMS,
    CATALOG_DRIVES,
    CATALOG_KINDS,
    CATALOG_PLANS = CATALOG_KINDS /* only files: the catalog has none */
};

/* "model", "system", "plan", "drive" */
const char *catalog_kind_name(enum catalog_kind kind);

/* The folder that holds the catalog: $RECKON_DATA; else data/ or share/reckon next to or above the
 * executable or the library; else where the library was installed. RK_IO when there is none. */
enum rk_status catalog_folder(char *buffer, size_t size, struct rk_error *error);

struct catalog_list {
    size_t count;
    char **id;    /* (count), sorted, with a NULL after the last one */
    bool *museum; /* (count): of papers or of earlier years */
};

enum rk_status catalog_list(enum catalog_kind kind, struct catalog_list *list,
                            struct rk_error *error);
void catalog_list_release(struct catalog_list *list); /* a zeroed list is fine */

struct catalog_source {
    char *group; /* what the text is the source of: "" the whole entry, "memory[1]", ... */
    char *text;
};

/* What an entry says about itself. Texts are "" where the file has none. */
struct catalog_entry {
    char *id;
    char *path;        /* of the file; "" for a synthetic description */
    char *name;        /* "NVIDIA H100 80 GB (SXM5), ..." */
    char *description; /* a sentence or two */
    char *synthetic;   /* the one-line form, where the entry is given by one */
    size_t sources;
    struct catalog_source *source; /* (sources), in the order of the file */
};

/* `name` is an id, a path, "-", or (systems) a synthetic description, as in <reckon/catalog.h>;
 * the sources of a synthetic description are those of its base. */
enum rk_status catalog_describe(enum catalog_kind kind, const char *name,
                                struct catalog_entry *entry, struct rk_error *error);
void catalog_entry_release(struct catalog_entry *entry); /* a zeroed entry is fine */

/* ---- for the loaders of this room ---- */

/* Is `name` "-", an id, a file, or a description in one line? */
enum catalog_form { CATALOG_STDIN, CATALOG_ID, CATALOG_PATH, CATALOG_SYNTHETIC };
enum catalog_form catalog_form(enum catalog_kind kind, const char *name);

/* Is it a word of a system's description, as reckon-system(5) has them: "x512", "nvl8",
 * "ssd=4*samsung-980pro-1tb", "net1.latency=5us"? Its value may be wrong. */
bool catalog_is_system_word(const char *text);

/* Is it an id of the catalog, or a short name of one? */
bool catalog_has(enum catalog_kind kind, const char *name);

/* Loads the file that `name` (of any form but CATALOG_SYNTHETIC) stands for; an unknown id is
 * RK_BAD_ARGUMENT with the nearest ids. `id` becomes the file's name without folder and ending. */
enum rk_status catalog_open(enum catalog_kind kind, const char *name, struct document *document,
                            char *id, size_t id_size, struct rk_error *error);

#endif
