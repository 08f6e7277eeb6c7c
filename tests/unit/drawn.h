/* drawn.h - which cases a test draws. As many as the test says, from the first on; with
 *
 *   RECKON_SEED=N    case N alone, as a message names it
 *   RECKON_CASES=N   so many
 *   RECKON_FROM=N    from case N on: others than those of every day
 *   RECKON_SLOW=1    as many as the slow tier takes (`./dev slow`) */
#ifndef RECKON_TESTS_DRAWN_H
#define RECKON_TESTS_DRAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* How many cases to draw where `n` are drawn at full speed: under the address sanitizer, which
 * looks for faults of memory, a fifth of them finds the same and takes as long. */
#ifdef __SANITIZE_ADDRESS__
#define DRAWN(n) ((n) / 5)
#else
#define DRAWN(n) (n)
#endif

struct drawn {
    uint64_t first, end;
};

/* Are there as many cases of a rare kind as there should be? Known of those of every day. */
static inline bool drawn_enough(bool enough)
{
    return enough || DRAWN(5) == 1 || getenv("RECKON_SEED") || getenv("RECKON_CASES") ||
           getenv("RECKON_FROM");
}

static inline uint64_t drawn_number(const char *name, uint64_t otherwise)
{
    const char *given = getenv(name);
    return given ? strtoull(given, NULL, 10) : otherwise;
}

static inline struct drawn drawn_cases(uint64_t quick, uint64_t slow)
{
    const uint64_t usual = getenv("RECKON_SLOW") ? slow : quick;
    const uint64_t first = drawn_number("RECKON_SEED", drawn_number("RECKON_FROM", 1));
    return (struct drawn){first,
                          first + drawn_number("RECKON_CASES", getenv("RECKON_SEED") ? 1 : usual)};
}

#endif
