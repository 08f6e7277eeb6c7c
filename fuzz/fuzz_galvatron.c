/* fuzz_galvatron.c - any bytes as what Galvatron's tools write and read: profiles and cases in one
 * object, {"profiles": ..., "cases": [...]}, or a strategy file. */
#include "galvatron/cases.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void answer(const struct document *document, const struct place *root)
{
    struct place cases;
    struct rk_error error = {0};
    if (galvatron_cases(root, &cases, &error) != RK_OK) return;
    for (size_t i = 0; i < json_array_size(cases.value) && i < 4; i++) {
        json_t *line = NULL;
        if (galvatron_case(document, &cases, i, &line, &error) == RK_OK)
            assert(line);
        else
            assert(error.text[0]);
        json_decref(line);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document;
    struct galvatron_file file = {.layer = NULL};
    struct rk_error error = {0};
    if (document_parse("x.json", data, size, &document, &error) == RK_OK) {
        const struct place root = place_root(&document);
        if (galvatron_strategy_read(&root, &file, &error) == RK_OK)
            assert(file.layers > 0 && file.stages > 0 && file.world > 0);
        else
            assert(error.text[0]);
        galvatron_file_release(&file);
        answer(&document, &root);
    }
    document_release(&document);
    return 0;
}
