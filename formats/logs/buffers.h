/* buffers.h - buffers and their addresses as CSV, in MiniMalloc's form [moffitt2023].
 *
 * A line of names, then a buffer a line: `id`, `lower` (or `begin`, `start`), `upper`, `size`, and
 * where there are such columns `alignment`, `offset` (its address) and, ours, `pass` (which pass of
 * a layer makes it; empty: none). A column `end` instead of `upper` is the last moment in which the
 * buffer is alive, as there.
 */
#ifndef RECKON_LOGS_BUFFERS_H
#define RECKON_LOGS_BUFFERS_H

#include "text/document.h"
#include <reckon/place.h>
#include <stdio.h>

struct buffers {
    struct rk_buffer *buffer; /* (count) */
    uint64_t *address;        /* (count); 0 without a column `offset` */
    int *pass;                /* (count); -1: none */
    char *names;              /* ended by 0 each */
    const char **id;          /* (count), point into names */
    size_t count;
    bool placed;  /* there is a column `offset` */
    bool aligned; /* ... `alignment` */
    bool passes;  /* ... `pass` */
};

/* RK_BAD_INPUT with line and column for a value that is not a number, an end that is not after its
 * start, or an unknown column. On failure nothing needs to be released. */
enum rk_status buffers_load(const char *path, struct buffers *buffers, struct rk_error *error);
void buffers_release(struct buffers *buffers);

/* One of the "cases" of a JSON file: "buffers", a list of [start, end, size]; or "layer", those of
 * one pass, and "outside". Release in any case. */
enum rk_status buffers_of_case(const struct place *place, struct buffers *buffers,
                               struct rk_error *error);

/* All columns that were read, and `offset`: address[count]. */
void buffers_write(FILE *out, const struct buffers *buffers, const uint64_t *address);

#endif
