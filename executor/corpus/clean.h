/* clean.h - a text made fit: UTF-8, lines that end with a line feed, no control characters. */
#ifndef RECKON_CORPUS_CLEAN_H
#define RECKON_CORPUS_CLEAN_H

#include "base/bytes.h"

#include <stdint.h>

struct clean_counts {
    uint64_t broken;     /* bytes that are not UTF-8: each became U+FFFD */
    uint64_t controls;   /* control characters but tab and line feed, byte order marks: left out */
    uint64_t line_ends;  /* CR LF and CR that became LF */
    uint64_t characters; /* that remain */
};

/* Replaces `out`, without white space at both ends. False: no memory. */
bool clean_text(const char *text, size_t size, struct bytes *out, struct clean_counts *counts);

#endif
