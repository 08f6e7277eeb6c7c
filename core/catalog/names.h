/* names.h - other names of the catalog's entries, data/short-names.json: what people call a
 * machine, the ids of checkpoints on the Hugging Face Hub, and which models are of earlier years.
 */
#ifndef RECKON_CATALOG_NAMES_H
#define RECKON_CATALOG_NAMES_H

#include "catalog/folder.h"

#include <reckon/plan.h>

/* What a name stands for, in its place. Of names of the hub ("org/Name") that of the same model
 * under another organisation, too. Nothing where nobody says so. */
void names_lengthen(enum catalog_kind kind, char *name, size_t size);

/* What a checkpoint of that name is stored in: "unsloth/Llama-3.2-1B-bnb-4bit" is nf4-dq. */
enum rk_base names_base(const char *name);

/* The members `museum` of a list. */
void names_mark_museum(enum catalog_kind kind, struct catalog_list *list);

/* The entry or short name nearest to a name that is not known: a current one before those of
 * earlier years; NULL: none is near. Adds short names to the list, whose texts it returns. */
const char *names_nearest(enum catalog_kind kind, const char *name, struct catalog_list *list);

#endif
