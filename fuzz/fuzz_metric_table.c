/* fuzz_metric_table.c - any text as metrics that a tracker exports. */
#include "logs/metric_table.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(void *context, double step_s)
{
    assert(isfinite(step_s) && step_s > 0);
    ++*(size_t *)context;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rk_error error = {0};
    size_t steps = 0;
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (!memchr(text, '\0', size) && metric_table_is(text)) {
        if (metric_table_read(text, size, "x.csv", take, &steps, &error) == RK_OK)
            assert(steps > 0);
        else
            assert(error.text[0]);
    }
    free(text);
    return 0;
}
