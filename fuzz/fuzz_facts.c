/* fuzz_facts.c - any bytes as a table of measured runs, or as the rules that read one. */
#include "facts/facts.h"
#include "memory_file.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A row that rules have something to say of. */
static const char row[] = "id,gpu,gpus,tp,metric_name,metric_value,layers,hidden,heads,seq,notes\n"
                          "a,H100-SXM5-80GB,64,8,iter_time_s,1.5,32,4096,32,4096,kernel=flash\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct facts facts = {0};
    struct rules rules = {0};
    struct csv csv = {0};
    struct rk_error error = {0};
    if (size < 1) return 0;
    const struct memory_file file = memory_file(data + 1, size - 1);
    enum rk_status status;
    if (data[0] & 1) {
        status = rules_load(file.path, &rules, &error);
        if (status == RK_OK) status = csv_parse("row.csv", row, sizeof row - 1, &csv, &error);
        if (status == RK_OK) status = facts_add(&facts, &csv, &rules, &error);
    } else {
        status = facts_load(&facts, file.path, &rules, &error);
    }
    if (status != RK_OK) assert(error.text[0]);
    facts_release(&facts);
    csv_release(&csv);
    rules_release(&rules);
    memory_file_close(&file);
    return 0;
}
