/* reader.h - the documents of a file: plain text, JSON lines, WARC and WET [iso28500].
 *
 * Of a WARC file these records are documents: conversion and resource of type text/plain, and
 * responses of type text/plain or text/html, of which the text is taken (html.h). All other records
 * are passed over and counted. A line that is not a JSON object with a text, or a document that is
 * too long, is a document with a reason not to keep it; a file that is broken as such is refused
 * with the place.
 */
#ifndef RECKON_CORPUS_READER_H
#define RECKON_CORPUS_READER_H

#include "corpus/reasons.h"
#include "corpus/stream.h"

enum reader_unit {
    READER_AUTO, /* by the file's name: .jsonl, .ndjson, .warc, .wet (and .gz, .zst); else FILE */
    READER_FILE, /* the file is a document */
    READER_PARAGRAPH, /* what stands between empty lines is one */
    READER_LINE,      /* a line is one */
    READER_JSONL,     /* a line is a JSON object with a member "text" */
    READER_WARC,
    READER_UNITS
};

/* "auto", "file", ..., ended by NULL. */
extern const char *const reader_unit_names[];

struct reader_options {
    int unit;           /* enum reader_unit */
    size_t most_bytes;  /* of a document; 0: READER_MOST_BYTES */
    unsigned expansion; /* as stream_open has it */
};

/* What READER_AUTO stands for. */
enum reader_unit reader_unit_of(const char *path);

enum { READER_MOST_BYTES = 16 << 20 };

struct reader_record {
    const char *text; /* valid until the next call */
    size_t size;
    uint64_t number;    /* in the file, from 1 */
    uint64_t line;      /* where it begins; 0: not known */
    enum reason reason; /* REASON_NONE, or why it cannot be kept */
};

struct reader;

enum rk_status reader_open(const char *path, const struct reader_options *options,
                           struct reader **reader, struct rk_error *error);
void reader_close(struct reader *reader); /* NULL is fine */

/* *end: there was no more. */
enum rk_status reader_next(struct reader *reader, struct reader_record *record, bool *end,
                           struct rk_error *error);

/* Records of a WARC file that are no documents, so far. */
uint64_t reader_passed_over(const struct reader *reader);

#endif
