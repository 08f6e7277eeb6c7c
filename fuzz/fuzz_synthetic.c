/* fuzz_synthetic.c - any text as a system in one line; bases are left out, so that no file is
 * opened on the word of the fuzzer. */
#include "catalog/readers.h"
#include "system_check.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char start[] = " matrix.float16=312TFLOP/s vector.float16=78TFLOP/s "
                                "hbm=80GiB@2TB/s net0=300GB/s,size=8 ";
    struct rk_system system = {.id = ""};
    struct rk_error error = {0};
    const bool whole = size && data[0] == '!'; /* the fuzzer's own text from the start */
    char *text = malloc(sizeof start + size);
    if (!text) return 0;
    size_t used = 1;
    text[0] = ' ';
    if (!whole) memcpy(text, start, used = sizeof start - 1);
    if (size > whole) memcpy(text + used, data + whole, size - whole);
    text[used + size - whole] = '\0';
    const enum rk_status status = synthetic_read(text, 0, &system, &error);
    if (status == RK_OK)
        check_system(&system);
    else
        assert(status == RK_BAD_ARGUMENT && error.text[0] && error.column >= 1);
    rk_system_release(&system);
    free(text);
    return 0;
}
