#include "cli/search_divides.h"

#include "base/number.h"

#include <inttypes.h>

const char *search_divides(struct report *report, uint64_t ranks, uint64_t batch)
{
    const uint64_t data = common_divisor(ranks, batch), wide = largest_divisor(ranks, batch, 1);
    if (data == wide) return NULL;
    return report_text(
        report,
        "batch %" PRIu64 " is not divisible by %" PRIu64
        ": data parallelism, which divides the GPUs and the batch, is at most %" PRIu64
        " (batch %" PRIu64 " or %" PRIu64 ": %" PRIu64 ")",
        batch, wide, data, batch / wide * wide, (batch / wide + 1) * wide, wide);
}
