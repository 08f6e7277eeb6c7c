/* fuzz_node.c - any text as hwloc's XML and as what nvidia-smi topo -m prints. */
#undef NDEBUG
#include "machines/node.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(enum rk_status status, const struct node_topology *node,
                  const struct rk_error *error)
{
    if (status != RK_OK) {
        assert(status == RK_BAD_INPUT && error->line >= 0 && error->text[0]);
        return;
    }
    assert(node->accelerators >= 1 && node->accelerators <= NODE_MOST);
    assert(node->adapters >= 0 && node->adapters <= NODE_MOST);
    const int domain = node_domain(node);
    assert(domain >= 0 && domain <= node->accelerators);
    assert(!domain || node->accelerators % domain == 0);
    for (int i = 0; i < node->accelerators; i++) {
        int used = 0;
        for (int k = 0; k < node->adapters; k++)
            used += node_uses(node, i, k);
        assert(!used == !node->adapters);
        for (int k = 0; k < node->accelerators; k++)
            assert(node->joined[i][k] == node->joined[k][i]);
    }
    assert(node_network_Bps(node, 25e9) >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct node_topology node;
    struct rk_error error = {0};
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    const struct document document = {.path = "fuzz", .text = text, .size = size};
    check(hwloc_read(&document, &node, &error), &node, &error);
    check(nvidia_smi_read(&document, &node, &error), &node, &error);
    free(text);
    return 0;
}
