/* fuzz_yaml.c - any bytes as the configurations of other tools that are YAML or JSON. */
#include "base/hash.h"
#include "fuzz/config_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One reader for each input, so that there are many inputs: which one, its bytes say. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t formats = 0;
    while (plan_formats[formats].name)
        formats++;
    const uint64_t turn = hash_bytes(data, size);
    config_check("x.yaml", data, size, (turn & 256) ? 64 : 0, plan_formats[turn % formats].read);
    return 0;
}
