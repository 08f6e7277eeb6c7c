/* readers.h - from a JSON text to the structs of the public interface.
 *
 * All checks are made here, so that whatever comes out of a reader can be estimated. Outputs are
 * untouched on failure.
 */
#ifndef RECKON_CATALOG_READERS_H
#define RECKON_CATALOG_READERS_H

#include "text/document.h"
#include <reckon/model.h>
#include <reckon/system.h>

enum rk_status model_read(const struct document *document, const char *id, struct rk_model *model,
                          struct rk_error *error);

/* A model by name from a file of any kind: who asks for models of other tools' files, too, gives
 * one (model_by_name of formats/huggingface). */
typedef enum rk_status model_reader(const char *name, struct rk_model *model,
                                    struct rk_error *error);

/* `depth`: how many files and descriptions led here, to stop those that name each other; 0 to
 * start with. The caller releases the system. */
enum rk_status system_read(const struct document *document, const char *id, int depth,
                           struct rk_system *system, struct rk_error *error);

/* The one-line form; the grammar is in reckon-system(5). Errors have the text as path, line 1 and
 * the column. RK_BAD_ARGUMENT for what is wrong with the text itself. */
enum rk_status synthetic_read(const char *text, int depth, struct rk_system *system,
                              struct rk_error *error);

/* The first word, when it names the system that the others change; its length, 0 for none. */
size_t synthetic_base(const char *text);

/* A description and words that change it as one description in `text`, with "then" between them
 * where words give again what it gives. False when it does not fit. */
bool synthetic_join(char *text, size_t size, const char *base, const char *words);

/* rk_system_load with the depth of above, and before what accelerators share is divided: as for
 * system_read and synthetic_read, memories are as they were written, so that a description can
 * change a part of them. */
enum rk_status system_load(const char *name, int depth, struct rk_system *system,
                           struct rk_error *error);

enum { SYSTEM_MAX_DEPTH = 8 };

/* What a new tier starts with. Network: efficiency 1, no latency, the volumes of rings. Memory:
 * efficiency 1. Both: a name after the place, "net1", "mem2" ("hbm" for the first). */
void network_init(struct rk_network *network, int index);
void memory_init(struct rk_memory *memory, int index);

#endif
