/* catalog.h - what the catalog holds, and where its numbers come from.
 *
 * The public <reckon/catalog.h> loads an entry to compute with; this lists and describes entries
 * for people. The catalog is the folder data/ with one JSON file per entry, file name = id:
 * data/models, data/systems, data/drives.
 */
#ifndef RECKON_CATALOG_CATALOG_H
#define RECKON_CATALOG_CATALOG_H

#include "catalog/folder.h"
#include "text/document.h"
#include <reckon/catalog.h>
#include <reckon/system.h>

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

/* ---- a system as the text of a system file, reckon-system(5): system_text.c ---- */

/* Where the numbers of each group come from; NULL: not said. */
struct system_sources {
    const char *whole, *kernels;
    const char *const *links; /* (networks), or NULL */
};

/* With name and description unless NULL. What it holds loads as the same system, to 15 digits. The
 * caller frees it; NULL when there is no memory. */
char *system_text(const struct rk_system *system, const char *name, const char *description,
                  const struct system_sources *sources);

/* ---- a model in one line: one that there is, and keys that change it: model_line.c ----
 *
 *     fine-grained-3.7b hidden=1024 active_experts=4
 *
 * The first word is an id of the catalog or a file, the others are keys of model files with a
 * number, true, false or a word. What the file derives from other keys is derived anew. */

/* Has the name blanks, and is no file? */
bool model_line_is(const char *name);

/* The first word. */
enum { MODEL_LINE_BASE = 4096 };
enum rk_status model_line_base(const char *line, char base[static MODEL_LINE_BASE],
                               struct rk_error *error);

/* Puts the keys of the other words into what that one names; messages name the line. RK_BAD_INPUT
 * for words that are not KEY=VALUE. */
enum rk_status model_line_change(const char *line, const char *base, struct document *document,
                                 struct rk_error *error);

#endif
