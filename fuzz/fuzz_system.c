/* fuzz_system.c - any bytes as a system file. */
#include "catalog/readers.h"
#include "system_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document;
    struct rk_error error = {0};
    struct rk_system system = {.id = ""};
    enum rk_status status = document_parse("x.json", data, size, &document, &error);
    /* At the greatest depth, so that no file is opened on the word of the fuzzer. */
    if (status == RK_OK) status = system_read(&document, "x", SYSTEM_MAX_DEPTH, &system, &error);
    if (status == RK_OK)
        check_system(&system);
    else
        assert(status == RK_BAD_INPUT && error.text[0]);
    rk_system_release(&system);
    document_release(&document);
    return 0;
}
