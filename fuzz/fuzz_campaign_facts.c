/* fuzz_campaign_facts.c - any bytes as a file of logbooks, prices and times of recovery. */
#include "memory_file.h"

#include <reckon/campaign.h>

#undef NDEBUG /* the assertions are the test */
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rk_campaign_facts *facts = NULL;
    struct rk_error error = {0};
    const struct memory_file file = memory_file(data, size);
    if (rk_campaign_facts_load(file.path, &facts, &error) != RK_OK) assert(error.text[0]);
    rk_campaign_facts_release(facts);
    memory_file_close(&file);
    return 0;
}
