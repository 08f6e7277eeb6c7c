#include "cli/search_divides.h"

#include "base/number.h"

#include <inttypes.h>

/* The largest divisor of `ranks` up to `most`. */
static uint64_t largest_divisor(uint64_t ranks, uint64_t most)
{
    uint64_t best = 1;
    for (uint64_t d = 1; d <= ranks / d; d++) {
        if (ranks % d) continue;
        if (d <= most && d > best) best = d;
        if (ranks / d <= most && ranks / d > best) best = ranks / d;
    }
    return best;
}

const char *search_divides(struct report *report, uint64_t ranks, uint64_t batch)
{
    const uint64_t data = common_divisor(ranks, batch), wide = largest_divisor(ranks, batch);
    if (data == wide) return NULL;
    return report_text(
        report,
        "batch %" PRIu64 " is not divisible by %" PRIu64
        ": data parallelism, which divides the GPUs and the batch, is at most %" PRIu64
        " (batch %" PRIu64 " or %" PRIu64 ": %" PRIu64 ")",
        batch, wide, data, batch / wide * wide, (batch / wide + 1) * wide, wide);
}
