/* fuzz_mllog.c - any text as a log of MLPerf Training. */
#undef NDEBUG
#include "logs/mllog.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct mllog *log)
{
    const enum mllog_figure figure = mllog_best(log);
    for (int i = 0; i < MLLOG_FIGURES; i++)
        for (size_t s = 0; s < log->steps[i]; s++)
            assert(isfinite(log->step_s[i][s]) && log->step_s[i][s] > 0);
    assert(figure == MLLOG_NONE || mllog_median(log, figure) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mllog log;
    struct rk_error error = {0};
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (mllog_read("fuzz", text, &log, &error) == RK_OK) {
        check(&log);
        mllog_release(&log);
    } else {
        assert(error.text[0]);
    }
    free(text);
    return 0;
}
