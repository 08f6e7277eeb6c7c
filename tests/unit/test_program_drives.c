/* State of the optimizer in lower memories: programs move what the prediction has there. */
#include "catalog_cases.h"

#include <math.h>
#include <reckon/catalog.h>
#include <reckon/predict.h>
#include <reckon/program.h>
#include <string.h>

/* What all instructions of a name send. */
static double moved(const struct rk_program *program, const char *name)
{
    double bytes = 0;
    for (size_t i = 0; i < program->instructions; i++) {
        const struct rk_instruction *in = &program->instruction[i];
        if (in->task != RK_NONE && strcmp(program->task[in->task].name, name) == 0)
            bytes += program->task[in->task].sent_bytes;
    }
    return bytes;
}

/* All state on drives: read once and written once. In the host's memory: neither. */
Test(program_drives, state_is_read_and_written_once)
{
    static const struct {
        const char *system, *words;
        int tier;
        bool drives;
    } cases[] = {
        {"h100-sxm5-80g mem2=200GiB@50GB/s ssd=4*samsung-980pro-1tb", "offload-optimizer=2", 1,
         true},
        {"h100-sxm5-80g mem2=200GiB@50GB/s ssd=4*samsung-980pro-1tb", "offload-optimizer=0.5+1.5",
         1, true},
        {"h100-sxm5-80g mem2=900GiB@7GB/s,endurance=1PB", "zero1 offload-optimizer=1", 0, true},
        {"h100-sxm5-80g mem2=200GiB@50GB/s", "offload-optimizer=1", 0, false},
    };
    use_source_catalog();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rk_model model;
        struct rk_system system;
        struct rk_plan plan;
        struct rk_program program;
        struct rk_prediction p;
        struct rk_error error;
        char words[128];
        snprintf(words, sizeof words, "gpus8 tp2 pp2 gbs16 %s", cases[i].words);
        cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK, "%s", error.text);
        cr_assert_eq(rk_system_load(cases[i].system, &system, &error), RK_OK, "%s", error.text);
        cr_assert_eq(rk_plan_parse(words, &plan, &error), RK_OK, "%s", error.text);
        rk_predict(&model, &system, &plan, &p);
        for (uint64_t rank = 0; rank < 8; rank += 7) {
            cr_assert_eq(rk_program_of(&program, &model, &system, &plan, rank, &error), RK_OK,
                         "%s: %s", words, error.text);
            const double there =
                cases[i].drives ? p.stage[program.stage].away_bytes[cases[i].tier] : 0;
            cr_expect(there > 0 || !cases[i].drives);
            cr_expect_float_eq(moved(&program, "read state"), there, 1e-9 * there, "%s: %g, %g",
                               words, moved(&program, "read state"), there);
            cr_expect_float_eq(moved(&program, "write state"), there, 1e-9 * there);
            cr_expect_gt(moved(&program, "offload gradients"), 0);
            rk_program_release(&program);
        }
        rk_system_release(&system);
    }
}
