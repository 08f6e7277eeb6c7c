/* fuzz_yaml.c - any bytes as the configurations of other tools that are YAML or JSON. */
#include "fuzz/config_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (const struct plan_format *format = plan_formats; format->name; format++)
        config_check("x.yaml", data, size, format->read);
    return 0;
}
