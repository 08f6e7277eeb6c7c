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

/* The first word. */
enum { MODEL_LINE_BASE = 4096 };
enum rk_status model_line_base(const char *line, char base[static MODEL_LINE_BASE],
                               struct rk_error *error);

/* Puts the keys of the other words into what that one names; messages name the line. RK_BAD_INPUT
 * for words that are not KEY=VALUE. */
enum rk_status model_line_change(const char *line, const char *base, struct document *document,
                                 struct rk_error *error);

#endif
