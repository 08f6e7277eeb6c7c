/* jsonl.h - documents as lines of JSON. */
#ifndef RECKON_CORPUS_JSONL_H
#define RECKON_CORPUS_JSONL_H

#include "base/bytes.h"

#include <stdint.h>

struct jsonl_line {
    const char *text;
    size_t size;
    const char *source, *language; /* left out when NULL */
    uint64_t record;               /* left out when 0 */
};

/* Appends the line and its end. Bytes that are not UTF-8 become U+FFFD. False: no memory. */
bool jsonl_put(const struct jsonl_line *line, struct bytes *out);

#endif
