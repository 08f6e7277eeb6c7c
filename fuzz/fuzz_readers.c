/* fuzz_readers.c - any text as a configuration of MaxText or Levanter, as a recipe of
 * Megatron-Bridge, as a program of OLMo-core, and as a file whose tool is looked for. */
#include "keys/detect.h"
#include "keys/reader.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_reader(plan_reader *read, const char *path, const char *text)
{
    static struct rk_model model;
    static struct rk_plan plan;
    static struct notes notes;
    struct rk_error error = {0};
    const struct config_source source = {
        .path = path, .text = text, .gpus = 64, .vocabulary = 50257};
    notes.count = notes.dropped = 0;
    if (read(&source, &model, &plan, &notes, &error) != RK_OK) {
        assert(error.text[0]);
        return;
    }
    assert(model.layers > 0 && model.hidden > 0 && model.heads > 0);
    assert(plan.ranks == 64 && plan.batch > 0 && plan.microbatch > 0);
    assert(plan.batch % plan.microbatch == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (!memchr(data, '\0', size)) {
        const struct tool_sign *sign = detect_tool(text);
        assert(!sign || (*sign->tool && *sign->what));
        try_reader(maxtext_read, "x.yml", text);
        try_reader(levanter_read, "x.yaml", text);
        try_reader(bridge_recipe_read, "x.py", text);
        try_reader(olmo_core_read, "x.py", text);
    }
    free(text);
    return 0;
}
