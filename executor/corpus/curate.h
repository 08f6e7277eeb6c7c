/* curate.h - from raw files to training text: read, clean, judge, remove duplicates and evaluation
 * passages, split, shuffle; a report of what was removed and why.
 *
 * Three passes over the documents [smith2022]: read and judge them, keeping what stays in a folder
 * WORK of the output folder; find duplicates among these; write what is left in shuffled order.
 * Each pass streams; docs/corpus.md says how much memory that takes. A run that was stopped
 * continues where the first pass was, or with the second one: same options, same bytes at the end,
 * for any number of threads and of interruptions.
 */
#ifndef RECKON_CORPUS_CURATE_H
#define RECKON_CORPUS_CURATE_H

#include "corpus/curate_options.h"
#include "corpus/language.h"
#include "corpus/reader.h"

#define CURATE_WORK "work"

struct curate_counts {
    uint64_t documents, bytes;
};

struct curate_report {
    struct curate_counts read;                 /* documents as they came, bytes of text unpacked */
    struct curate_counts reason[REASON_COUNT]; /* removed; bytes after cleaning */
    struct curate_counts language[LANGUAGES_MOST + 1]; /* of those judged; the last: unknown */
    struct curate_counts split[SPLITS];                /* written */
    uint64_t passed_over;                              /* WARC records that are no documents */
    uint64_t broken;                                   /* documents with bytes that are not UTF-8 */
    uint64_t line_ends;                                /* ... with CR or CR LF */
    uint64_t controls;                                 /* ... with control characters */
    uint64_t compared;                                 /* pairs of candidates */
    uint64_t cut; /* documents of which evaluation passages were cut */
    uint64_t evaluation_texts, evaluation_short;
    bool resumed;
};

/* `languages` are those of options->table, for their codes; the caller frees them. */
enum rk_status curate(const struct curate_options *options, struct curate_report *report,
                      struct languages **languages, struct rk_error *error);

/* When the report is where it belongs: removes WORK. */
void curate_finish(const char *folder);

#endif
