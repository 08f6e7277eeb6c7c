/* real.h - the number that this compilation computes with.
 *
 * All files of this folder are compiled for float, and with RUN_F64 for double, in which every plan
 * must agree with one rank to 1e-11. With RUN_COUNTS they are compiled once more, for float: then
 * the same program takes and gives back the same memory, and what is in it is neither computed nor
 * read (run/count.c). Names that others link end with the type.
 */
#ifndef RECKON_RUN_REAL_REAL_H
#define RECKON_RUN_REAL_REAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef RUN_F64
typedef double real;
#define REAL(name) name##_f64
#elif defined RUN_COUNTS
typedef float real;
#define REAL(name) name##_count
#else
typedef float real;
#define REAL(name) name##_f32
#endif

#ifdef RUN_COUNTS
enum { COUNTS = 1 };
#else
enum { COUNTS = 0 };
#endif

/* Elementwise loops in the vectors of the machine at hand. Without contraction and with sums in
 * fixed lanes every clone brings the same bits. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&      \
    !defined(__clang__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

#endif
