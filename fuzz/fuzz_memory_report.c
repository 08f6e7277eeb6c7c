/* fuzz_memory_report.c - any bytes as a traceback, a memory summary or a memory snapshot. */
#include "logs/memory_report.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_report report;
    struct rk_error error = {0};
    if (memory_report_read(data, size, "x", &report, &error) != RK_OK) {
        assert(error.text[0]);
        return 0;
    }
    assert(report.kind != MEMORY_UNKNOWN && report.groups <= MEMORY_GROUPS);
    assert(isfinite(report.asked_bytes) && report.asked_bytes >= 0);
    assert(!isnan(report.allocated_bytes) && report.allocated_bytes >= 0);
    for (size_t i = 0; i < report.groups; i++)
        assert(report.group[i].blocks > 0 && memchr(report.group[i].where, '\0', MEMORY_WHERE));
    return 0;
}
