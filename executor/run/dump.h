/* dump.h - what a rank has in a step, as a file: tensors with their place in the whole.
 *
 * FOLDER/step-00000001/rank-00003.safetensors. A tensor "NAME@ROW,COL" is the box of NAME that
 * begins there, as large as it is; the metadata's "tensors" has a line "ORDER|ROWS|COLS|whole or
 * part|NAME" for each name: those of ORDER follow each other in a step, ROWS x COLS is the whole,
 * and a part is one of those that sum up to it. Rows of activations are tokens of the step's batch,
 * sample by sample.
 */
#ifndef RECKON_RUN_DUMP_H
#define RECKON_RUN_DUMP_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dump;
/* NULL: the error says why. */
struct dump *dump_open(const char *folder, uint64_t step, int rank, size_t real_bytes,
                       struct rk_error *error);
/* The boxes that follow are of it; it may come again. */
void dump_name(struct dump *dump, const char *order, const char *name, uint64_t rows, uint64_t cols,
               bool part);
/* (rows, cols) reals, rows `ld` reals apart. */
void dump_box(struct dump *dump, uint64_t row, uint64_t col, uint64_t rows, uint64_t cols,
              const void *data, size_t ld);
/* Writes the file. Also what went wrong before is said here. */
enum rk_status dump_close(struct dump *dump, struct rk_error *error);
void dump_drop(struct dump *dump); /* NULL is fine */

#endif
