/* fuzz_check_cases.c - any bytes as one line of reckon check --cases. */
#include "check/cases.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct rk_findings findings;
    static struct case_cache cache;
    struct rk_error error = {0};
    char id[CASE_ID];
    findings.count = findings.dropped = 0;
    const enum rk_status status =
        check_case("cases", 1, (const char *)data, size, &cache, id, &findings, &error);
    assert(status == RK_OK || error.text[0]);
    assert(findings.count <= RK_MAX_FINDINGS && strlen(id) < CASE_ID);
    for (int i = 0; i < findings.count; i++)
        assert(findings.finding[i].rule[0] &&
               strlen(findings.finding[i].need) < sizeof findings.finding[i].need);
    return 0;
}
