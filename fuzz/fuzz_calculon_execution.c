/* fuzz_calculon_execution.c - any bytes as an execution file of the published tool; what is
 * accepted is estimated and written, or refused, on a small model and system. */
#include "calculon/calculon_read.h"
#include "calculon/calculon_refusal.h"
#include "calculon/calculon_write.h"
#include "calculon/estimate.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rk_memory memory[] = {{.capacity_bytes = 0x1p40, .bandwidth_Bps = 1e12},
                                    {.capacity_bytes = 0x1p40, .bandwidth_Bps = 1e11}};
static struct rk_network network[] = {
    {.bandwidth_Bps = 1e11, .efficiency = 1, .size = 8, .must_be_filled = true},
    {.bandwidth_Bps = 1e10, .efficiency = 0.5, .latency_s = 1e-5, .size = 1 << 20},
};

static void set_curve(struct rk_curve *curve, double peak)
{
    curve->steps = 1;
    curve->step[0].from = 0;
    curve->step[0].efficiency = 1;
    rk_curve_set_peak(curve, peak);
}

static struct rk_system small_system(void)
{
    struct rk_system system = {.memories = 2, .networks = 2, .memory = memory, .network = network};
    for (int i = 0; i < 2; i++)
        set_curve(&memory[i].curve, memory[i].bandwidth_Bps);
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < RK_COLLECTIVES; c++)
            network[i].collective[c].scale = 1;
    for (int type = 0; type < RK_DATATYPES - 1; type++) { /* no float32 */
        system.matrix[type].peak_flops = system.vector[type].peak_flops = 1e14;
        set_curve(&system.matrix[type].curve, 1e14);
        set_curve(&system.vector[type].curve, 1e13);
    }
    return system;
}

static void write_all(const struct calculon_run *run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return;
    calculon_write_text(to, run);
    calculon_write_stats(to, CALCULON_INDENTED, run, true);
    if (run->execution->strategy.ranks <= 64)
        calculon_write_peers(to, CALCULON_LINE, &run->execution->strategy);
    assert(fclose(to) == 0 && size > 0);
    free(text);
}

static void estimate(const struct calculon_execution *execution)
{
    const struct rk_model model = {.layers = 12,
                                   .hidden = 1024,
                                   .feedforward = 4096,
                                   .heads = 16,
                                   .head_dim = 64,
                                   .sequence = 512,
                                   .attention = execution->attention};
    const struct rk_system system = small_system();
    struct rk_estimate figures;
    struct calculon_refusal refusal;
    const struct calculon_run run = {&model, &system, execution, &figures};
    if (rk_estimate(&model, &system, &execution->strategy, &figures) == RK_FITS) {
        write_all(&run);
        return;
    }
    calculon_refuse(&model, &system, &execution->strategy, &figures, &refusal);
    assert(refusal.text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document;
    struct rk_error error = {0};
    struct calculon_execution execution;
    enum rk_status status = document_parse("x.json", data, size, &document, &error);
    if (status == RK_OK) status = calculon_parse_execution(&document, &execution, &error);
    if (status == RK_OK)
        estimate(&execution);
    else
        assert(status == RK_BAD_INPUT && error.text[0]);
    document_release(&document);
    return 0;
}
