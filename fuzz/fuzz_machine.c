/* fuzz_machine.c - any text as what follows the first cluster of a machine in one line. Words that
 * could name a file are left out, so that none is opened on the word of the fuzzer. */
#include "system_check.h"

#include <assert.h>
#include <reckon/machine.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char start[] = "h100-sxm5-80g x8 + ";
    struct rk_machine machine = {.clusters = 0};
    struct rk_error error = {0};
    char *text = malloc(sizeof start + size);
    if (!text) return 0;
    memcpy(text, start, sizeof start - 1);
    if (size) memcpy(text + sizeof start - 1, data, size);
    text[sizeof start - 1 + size] = '\0';
    /* "Gb/s" is fine, "a/b" is not */
    for (char *slash = strchr(text, '/'); slash; slash = strchr(slash + 1, '/'))
        if (slash[1] != 's') *slash = '.';
    for (char *dash = strstr(text, " - "); dash; dash = strstr(dash, " - "))
        dash[1] = '.';
    const size_t length = strlen(text);
    if (length >= 2 && text[length - 1] == '-' && text[length - 2] == ' ') text[length - 1] = '.';
    for (char *ending = strstr(text, ".json"); ending; ending = strstr(ending, ".json"))
        *ending = '_';
    if (rk_machine_load(text, &machine, &error) == RK_OK) {
        assert(machine.clusters >= 2 && machine.clusters <= RK_MAX_CLUSTERS);
        for (int i = 0; i < machine.clusters; i++) {
            check_system(&machine.cluster[i].system);
            assert(rk_cluster_nodes(&machine.cluster[i]) >= 1);
            for (int k = 0; k < i; k++)
                assert(machine.link[i][k].bandwidth_Bps > 0 && machine.link[i][k].cap_Bps > 0);
        }
    } else {
        assert(error.text[0]);
    }
    rk_machine_release(&machine);
    free(text);
    return 0;
}
