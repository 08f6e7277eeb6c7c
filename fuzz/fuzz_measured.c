/* fuzz_measured.c - any bytes as what was measured: products of matrices, nccl-tests, training
 * logs. The first byte says as which. */
#include "logs/measured.h"
#include "logs/train_log.h"
#include "memory_file.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct samples samples = {0};
    struct train_log log = {0};
    struct rk_error error = {0};
    enum rk_status status;
    if (size < 1) return 0;
    const struct memory_file file = memory_file(data + 1, size - 1);
    const struct collectives_options options = {
        .collective = data[0] & 4 ? "all_reduce" : NULL, .ranks = data[0] & 8 ? 16 : 0, .node = 8};
    const struct train_log_scale scale = {.samples = 64, .tokens_per_gpu = 16384};
    switch (data[0] % 3) {
    case 0:
        status = measured_products(file.path, &samples, &error);
        break;
    case 1:
        status = measured_collectives(file.path, &options, &samples, &error);
        break;
    default:
        status = train_log_load(file.path, &scale, &log, &error);
        break;
    }
    if (status != RK_OK) assert(error.text[0]);
    samples_release(&samples);
    memory_file_close(&file);
    return 0;
}
