/* curate_document.h - the work on one document, apart from all others: what threads do. */
#ifndef RECKON_CORPUS_CURATE_DOCUMENT_H
#define RECKON_CORPUS_CURATE_DOCUMENT_H

#include "corpus/clean.h"
#include "corpus/curate_options.h"
#include "corpus/language.h"
#include "corpus/passages.h"
#include "corpus/quality.h"
#include "corpus/store.h"

/* What is decided once for all documents. */
struct curate_rules {
    const struct curate_options *options;
    const struct languages *languages;
    bool keep[LANGUAGES_MOST]; /* which languages; all false: all of them */
    bool keep_all;
    const struct passages *passages;
};

/* What one thread keeps between documents; zeroed is empty. */
struct curate_scratch {
    struct terms terms;
    struct quality_scratch quality;
    struct bytes set, pieces, packed;
};
void curate_scratch_release(struct curate_scratch *scratch);

/* A document of the first pass. */
struct curate_document {
    size_t from, size; /* of the raw text, in its block */
    uint64_t line;
    struct bytes text; /* cleaned */
    struct clean_counts counts;
    struct store_row row;
    enum reason reason;
};

/* Cleans and judges; fills the row but for its place. False: no memory. */
bool curate_judge(const struct curate_rules *rules, struct curate_scratch *scratch, const char *raw,
                  struct curate_document *document);

/* Replaces `lines` by the JSON lines of what remains of a stored text, each ended by a line feed,
 * and `ends` (size_t) by where each ends. *cuts: in how many places it was cut. False: no memory.
 */
bool curate_lines(const struct curate_rules *rules, struct curate_scratch *scratch,
                  const struct store_row *row, const char *text, struct bytes *lines,
                  struct bytes *ends, long *cuts);

#endif
