/* fuzz_calculon_system.c - any bytes as a system file of the published tool. */
#include "calculon/calculon_read.h"
#include "system_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document;
    struct rk_error error = {0};
    struct rk_system system = {.id = ""};
    enum rk_status status = document_parse("x.json", data, size, &document, &error);
    if (status == RK_OK) status = calculon_parse_system(&document, &system, &error);
    if (status == RK_OK) {
        calculon_drop_absent_memory(&system);
        check_system(&system);
    } else {
        assert(status == RK_BAD_INPUT && error.text[0]);
    }
    rk_system_release(&system);
    document_release(&document);
    return 0;
}
