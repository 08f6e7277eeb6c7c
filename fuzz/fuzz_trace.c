/* fuzz_trace.c - any bytes as a profile of PyTorch's and as a trace of `reckon train`. */
#include "logs/kernel_trace.h"
#include "logs/step_trace.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <math.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_kernels(const struct kernel_trace *trace)
{
    assert(trace->kernels > 0 && trace->steps > 0);
    assert(isfinite(trace->span_s) && trace->span_s >= 0);
    assert(trace->gap_s >= 0 && trace->gap_s <= trace->span_s);
    assert(trace->exposed_s >= 0 && trace->exposed_s <= trace->span_s);
}

static void check_steps(const struct step_trace *trace)
{
    for (size_t i = 0; i < trace->spans; i++) {
        const struct step_span *span = &trace->span[i];
        assert(span->begin_s >= 0 && span->begin_s <= span->end_s && span->end_s <= trace->step_s);
        assert(span->stage >= 0 && span->stage < trace->stages);
    }
    for (size_t i = 0; i < trace->samples; i++)
        assert(isfinite(trace->sample[i].time_s) && isfinite(trace->sample[i].bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document document;
    struct kernel_trace kernels;
    struct step_trace steps = {.span = NULL};
    struct rk_error error = {0};
    if (kernel_trace_read((const char *)data, size, "x.json", &kernels, &error) == RK_OK)
        check_kernels(&kernels);
    else
        assert(error.text[0]);
    if (document_parse("x.json", data, size, &document, &error) == RK_OK) {
        if (step_trace_read(&document, &steps, &error) == RK_OK)
            check_steps(&steps);
        else
            assert(error.text[0]);
    }
    step_trace_release(&steps);
    document_release(&document);
    return 0;
}
