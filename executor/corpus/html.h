/* html.h - the text of an HTML page: what stands between tags, without scripts, styles, comments
 * and the like; a line for each block; entities replaced. No parser: tags are found as text, what
 * menus and footers say is text too. */
#ifndef RECKON_CORPUS_HTML_H
#define RECKON_CORPUS_HTML_H

#include "base/bytes.h"

/* Appends. False: no memory. */
bool html_text(const char *page, size_t size, struct bytes *out);

#endif
