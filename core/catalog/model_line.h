/* model_line.h - a model in one line: one that there is, and keys that change it.
 *
 *     fine-grained-3.7b hidden=1024 active_experts=4
 *
 * The first word is an id of the catalog or a file, the others are keys of model files with a
 * number, true, false or a word. What the file derives from other keys is derived anew.
 */
#ifndef RECKON_CATALOG_MODEL_LINE_H
#define RECKON_CATALOG_MODEL_LINE_H

#include "text/document.h"

/* Has the name blanks, and is no file? */
bool model_line_is(const char *name);

/* The file of the first word with the keys of the others in it; messages name the line. `id` is the
 * line, cut where it is too long. RK_BAD_INPUT for words that are not KEY=VALUE. */
enum rk_status model_line_open(const char *line, struct document *document, char *id,
                               size_t id_size, struct rk_error *error);

#endif
