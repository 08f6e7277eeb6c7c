/* fuzz_python.c - any bytes as a module of torchtitan's configurations. */
#include "fuzz/config_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    config_check("x.py", data, size, 0, torchtitan_read);
    config_check("x.py", data, size, 64, torchtitan_read);
    return 0;
}
