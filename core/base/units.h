/* units.h - sizes, rates and times with units in text: "80GiB", "400Gb/s", "10us".
 *
 * A number without a unit, and units that could mean two things ("400G"), are refused: the
 * message says what to write instead. Everything is pure; numbers do not depend on the locale.
 */
#ifndef RECKON_BASE_UNITS_H
#define RECKON_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum quantity {
    QUANTITY_PLAIN,       /* no unit */
    QUANTITY_COUNT,       /* "300B" is 3e11: k, M, B or G, T, P; a plain number will do */
    QUANTITY_BYTES,       /* B, kB, MB, ... (powers of ten), KiB, MiB, ... (of 1024) */
    QUANTITY_BYTES_PER_S, /* GB/s, GiB/s, Gb/s (bits) */
    QUANTITY_SECONDS,     /* ns, us, ms, s, min, h, d */
    QUANTITY_FLOP,        /* GFLOP, ... */
    QUANTITY_FLOP_PER_S,  /* TFLOP/s, ... */
    QUANTITIES
};

/* Value in SI = number * factor / divisor: one of the two is 1, so that 10 us is exactly the
 * double nearest to 1e-5. */
struct unit {
    enum quantity quantity;
    double factor;
    double divisor;
};

/* The unit written as `length` characters, "GB/s"; false when there is none of that name. */
bool unit_find(const char *name, size_t length, struct unit *unit);
double unit_to_si(const struct unit *unit, double number);

struct units_error {
    size_t at; /* offset of what is wrong */
    char text[192];
};

/* Reads `length` characters, all of them, as a quantity in SI units. "unlimited" is infinity for
 * bytes and rates where `unlimited` allows it. */
bool quantity_parse(const char *text, size_t length, enum quantity quantity, bool unlimited,
                    double *value, struct units_error *error);

/* A number at the start of `text`, as JSON writes it; how many characters it takes, 0 for none. */
size_t number_parse(const char *text, size_t length, double *value);

/* Digits at the start of `text`, then k (or K), M, G or T, powers of 1024: sequences
 * and batches, "8k" is 8192. How many characters it takes, 0 for none; `value` of one that is too
 * large is UINT64_MAX. */
size_t whole_parse(const char *text, size_t length, uint64_t *value);

/* "a size such as 80GiB" */
const char *quantity_example(enum quantity quantity);

enum { QUANTITY_TEXT = 32 };

/* What whole_parse() reads, for people: "128K", "1M", of no whole number of 1024 its digits. */
const char *whole_format(char buffer[static QUANTITY_TEXT], uint64_t value);

/* For people: "80 GiB", "450 GB/s", "312 TFLOP/s", "16.7 ms", "175 B"; four digits. Exact sizes
 * of a whole number of a unit stay short. Returns `buffer`. */
const char *quantity_format(char buffer[static QUANTITY_TEXT], enum quantity quantity,
                            double value);

/* Two as one text, "27.34-32.7 s": the unit once where both have it, else "950 ms to 1.2 s".
 * Returns `buffer`. interval.c */
const char *quantity_interval(char buffer[static 2 * QUANTITY_TEXT], enum quantity quantity,
                              double low, double high);

#endif
