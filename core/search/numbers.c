#include "search/numbers.h"

#include "base/limits.h"

int divisors_of(uint64_t n, uint64_t divisor[MAX_DIVISORS])
{
    uint64_t high[MAX_DIVISORS / 2];
    int low_count = 0, high_count = 0;
    for (uint64_t d = 1; d <= n / d; d++) {
        if (n % d != 0) continue;
        RK_REQUIRE(low_count < MAX_DIVISORS / 2);
        divisor[low_count++] = d;
        if (d != n / d) high[high_count++] = n / d;
    }
    for (int i = 0; i < high_count; i++)
        divisor[low_count + i] = high[high_count - 1 - i];
    return low_count + high_count;
}
