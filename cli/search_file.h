/* search_file.h - what `reckon search --format json` wrote: the question, and its answer in short.
 */
#ifndef RECKON_CLI_SEARCH_FILE_H
#define RECKON_CLI_SEARCH_FILE_H

#include "text/document.h"
#include <reckon/search.h>

struct search_file {
    char model[64], system[64];
    uint64_t gpus, batch, sequence;
    int framework;
    char precision[32]; /* "": several */
    uint64_t plans, fits;
    size_t found;
    struct rk_candidate *best; /* (found) */
};

/* Is the document the output of a search, rather than a plan or a strategy? */
bool search_file_is(const struct document *document);

/* RK_BAD_INPUT with line and column for what is missing or wrong. */
enum rk_status search_file_read(const struct document *document, struct search_file *file,
                                struct rk_error *error);
void search_file_release(struct search_file *file); /* a zeroed one is fine */

/* Does a search made again give what the file says? Fails at the first difference. */
enum rk_status search_file_check(const struct document *document, const struct search_file *file,
                                 const struct rk_answer *result, struct rk_error *error);

#endif
