/* fuzz_strategy.c - any bytes as a strategy file. */
#include "catalog/readers.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document;
    struct rk_error error = {0};
    struct plan_draft draft;
    enum rk_status status = document_parse("x.json", data, size, &document, &error);
    if (status == RK_OK) status = strategy_read(&document, &draft, &error);
    if (status == RK_OK)
        assert(rk_plan_data(&draft.plan) > 0);
    else
        assert(status == RK_BAD_INPUT && error.text[0]);
    document_release(&document);
    return 0;
}
