/* fuzz_slurm.c - any text as Slurm's topology. */
#undef NDEBUG
#include "machines/slurm.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document = {.path = "fuzz", .text = (char *)(uintptr_t)data, .size = size};
    struct slurm_topology topology;
    struct rk_error error = {0};
    const enum rk_status status = slurm_topology_read(&document, &topology, &error);
    if (status == RK_OK) {
        assert(topology.networks >= 1);
        for (int i = 0; i < topology.networks; i++)
            assert(topology.network[i].nodes >= 1 && topology.network[i].name[0]);
        slurm_topology_release(&topology);
    } else {
        assert(status == RK_BAD_INPUT && error.line >= 0 && error.text[0]);
    }
    return 0;
}
