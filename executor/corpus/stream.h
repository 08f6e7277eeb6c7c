/* stream.h - the bytes of a file one after the other, unpacked on the way.
 *
 * gzip [rfc1952] and Zstandard [rfc8878] are known by their first bytes; files of several members
 * or frames are read to the end, as WARC files need. A file that is damaged, or that unpacks to
 * more than `most_expansion` times its size (a bomb), is refused with the place in the packed file.
 */
#ifndef RECKON_CORPUS_STREAM_H
#define RECKON_CORPUS_STREAM_H

#include "base/bytes.h"

#include <reckon/status.h>
#include <stdint.h>

struct stream;

enum { STREAM_MOST_EXPANSION = 200, STREAM_FREE_BYTES = 64 << 20 };

/* "-" is standard input. `most_expansion` 0: STREAM_MOST_EXPANSION; the first STREAM_FREE_BYTES are
 * not judged. RK_BAD_INPUT: no such file, a folder. */
enum rk_status stream_open(const char *path, unsigned most_expansion, struct stream **stream,
                           struct rk_error *error);
void stream_close(struct stream *stream); /* NULL is fine */

/* What follows, at least one byte unless the file ends (*size 0); valid until the next call. */
enum rk_status stream_peek(struct stream *stream, const char **data, size_t *size,
                           struct rk_error *error);

/* Consumes this number of the bytes that stream_peek showed. */
void stream_take(struct stream *stream, size_t size);

/* Appends to `out` what is before the next line feed, and takes that too; at most `most` bytes, the
 * rest is left out. *whole: all of it was appended. *end: there was nothing any more. */
enum rk_status stream_line(struct stream *stream, size_t most, struct bytes *out, bool *whole,
                           bool *end, struct rk_error *error);

/* Bytes taken so far, and lines that stream_line took. */
uint64_t stream_offset(const struct stream *stream);
uint64_t stream_lines(const struct stream *stream);

/* As messages name the file. */
const char *stream_name(const struct stream *stream);

#endif
