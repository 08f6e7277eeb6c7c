/* fuzz_clusters_plan.c - any JSON as a plan over two clusters: read whole, and within what it may
 * say. */
#undef NDEBUG
#include "catalog/clusters_plan.h"

#include <assert.h>
#include <reckon/catalog.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct given_plan *given, const struct rk_model *model)
{
    uint64_t layers = 0;
    assert(given->round >= 1 && given->stages >= 1 && given->stages <= RK_MAX_STAGES);
    for (int i = 0; i < given->stages; i++) {
        const struct given_stage *stage = &given->stage[i];
        assert(stage->parts >= 1 && stage->parts <= GIVEN_PARTS && stage->layers >= 1);
        layers += (uint64_t)stage->layers;
        for (int k = 0; k < stage->parts; k++) {
            assert(stage->part[k].cluster == 0 || stage->part[k].cluster == 1);
            assert(stage->part[k].data >= 1 && 8 % stage->part[k].plan.tensor == 0);
        }
    }
    assert(layers == model->layers);
    assert(given->chunks >= 1 && given->chunks * given->stages <= RK_MAX_CHUNKS);
    for (int k = 0; k < given->chunks * given->stages; k++)
        layers -= given->split[k];
    assert(layers == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct rk_model model;
    static struct rk_machine machine;
    static struct given_plan given; /* large */
    struct clusters_file file = {.round = 0};
    struct rk_error error = {0};
    struct plan_draft draft = plan_draft();
    if (!machine.clusters) {
        assert(rk_model_load("llama3.1-8b", &model, &error) == RK_OK);
        assert(rk_machine_load("h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old "
                               "link=1Gb/s",
                               &machine, &error) == RK_OK);
    }
    enum rk_status status = document_parse("fuzz", data, size, &file.document, &error);
    if (status == RK_OK) status = clusters_file_read(&file, &error);
    draft.plan.batch = file.batch ? file.batch : 512;
    if (status == RK_OK)
        status = clusters_file_stages(&file, &model, &machine, &draft, &given, &error);
    if (status == RK_OK)
        check(&given, &model);
    else
        assert(error.text[0]);
    clusters_file_release(&file);
    return 0;
}
