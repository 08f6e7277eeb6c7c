/* fuzz_deepspeed.c - any bytes as a configuration of DeepSpeed. */
#include "fuzz/config_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    config_check("ds.json", data, size, 0, deepspeed_read);
    config_check("ds.json", data, size, 64, deepspeed_read);
    return 0;
}
