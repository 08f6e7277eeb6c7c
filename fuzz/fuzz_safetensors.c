/* fuzz_safetensors.c - any bytes as the header of a safetensors file; what is accepted covers the
 * data, and is read again as it is written. */
#include "shard/safetensors.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte says how much data there is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct safetensors file, again;
    struct rk_error error = {0};
    struct bytes header = {.data = NULL};
    const uint64_t bytes = size ? *data : 0;
    const char *text = (const char *)data + (size > 0);
    if (safetensors_parse("x", text, size - (size > 0), bytes, &file, &error) != RK_OK) {
        assert(error.status == RK_BAD_INPUT && error.text[0]);
        return 0;
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < file.count; i++)
        sum += file.tensor[i].end - file.tensor[i].begin;
    assert(sum == bytes);
    assert(safetensors_write("x", &file, &header, &error) == RK_OK);
    assert(safetensors_parse("x", header.data + 8, header.size - 8, bytes, &again, &error) ==
           RK_OK);
    assert(again.count == file.count && again.pairs == file.pairs);
    for (size_t i = 0; i < file.count; i++)
        assert(strcmp(again.tensor[i].name, file.tensor[i].name) == 0 || bytes < file.count);
    safetensors_release(&again);
    safetensors_release(&file);
    bytes_release(&header);
    return 0;
}
