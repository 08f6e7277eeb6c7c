/* Random numbers by counter: those of the published generator, and of its formula by the C
 * library's functions, wherever a run of them begins. */
#include "run/philox.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Of the generator's own tests (kat_vectors of Random123), without the last two words. */
Test(run_philox, published)
{
    const struct philox zeros = philox(0, 0, 0), ones = philox(~0ull, ~0ull, ~0ull),
                        pi = philox(0x299f31d0a4093822ull, 0x0370734413198a2eull,
                                    0x85a308d3243f6a88ull);
    cr_expect_eq(zeros.word[0], 0x6627e8d5u);
    cr_expect_eq(zeros.word[1], 0xe169c58du);
    cr_expect_eq(ones.word[0], 0x408f276du);
    cr_expect_eq(ones.word[1], 0x41c83b0eu);
    cr_expect_eq(pi.word[0], 0xd16cfe09u);
    cr_expect_eq(pi.word[1], 0x94fdccebu);
}

static double by_library(uint64_t seed, uint64_t stream, uint64_t index)
{
    const struct philox x = philox(seed, stream, index);
    return sqrt(-2 * log(philox_unit(x.word[0]))) * cos(6.283185307179586 * philox_unit(x.word[1]));
}

Test(run_philox, formula)
{
    enum { N = 100003 };
    static double all[N];
    static const uint64_t from[] = {0, 4294967000u, UINT64_C(1) << 40};
    for (int i = 0; i < 3; i++) {
        double sum = 0, squares = 0;
        philox_normals(77, 1234567890123u, from[i], 0.5, N, all);
        for (uint64_t n = 0; n < N; n++) {
            const double wanted = 0.5 * by_library(77, 1234567890123u, from[i] + n);
            cr_assert(fabs(all[n] - wanted) < 4e-15, "%llu: %.17g for %.17g", (unsigned long long)n,
                      all[n], wanted);
            sum += all[n];
            squares += all[n] * all[n];
        }
        cr_expect(fabs(sum / N) < 0.5 * 4 / sqrt(N), "mean %g", sum / N);
        cr_expect(fabs(squares / N / 0.25 - 1) < 4 * sqrt(2.0 / N), "variance %g", squares / N);
    }
}

Test(run_philox, begins_anywhere)
{
    enum { N = 3000 };
    static double all[N], part[N];
    philox_normals(1, 2, 0, 1, N, all);
    for (size_t from = 0, n = 1; from < N; from += n, n = n * 3 % 700 + 1) {
        const size_t count = from + n < N ? n : N - from;
        philox_normals(1, 2, from, 1, count, part);
        cr_expect(memcmp(part, all + from, count * sizeof *all) == 0, "%zu from %zu", count, from);
    }
}
