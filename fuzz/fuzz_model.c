/* fuzz_model.c - any bytes as a model file. */
#include "catalog/readers.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document;
    struct rk_error error = {0};
    struct rk_model model;
    enum rk_status status = document_parse("x.json", data, size, &document, &error);
    if (status == RK_OK) status = model_read(&document, "x", &model, &error);
    if (status == RK_OK)
        assert(rk_model_parameters(&model) <= UINT64_C(1) << 53);
    else
        assert(status == RK_BAD_INPUT && error.text[0]);
    document_release(&document);
    return 0;
}
