/* fuzz_study.c - any bytes as a study file: what is accepted makes searches that can be opened. */
#include "study/study.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <reckon/catalog.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 1 << 16, MOST_OPENED = 3, MOST_GPUS = 4096 };

static void check_point(const struct study *study, const struct study_point *point)
{
    struct rk_plans_problem problem;
    assert(strlen(point->key) == STUDY_KEY - 1);
    assert(point->gpus >= 1 && point->max_batch >= 1 && point->top >= 1);
    assert((size_t)point->model < study->models && (size_t)point->system < study->systems);
    study_problem(study, point, &problem);
    if (point->gpus > MOST_GPUS || point->max_batch > MOST_GPUS) return;
    if (problem.model->layers > MOST_GPUS || problem.model->heads > MOST_GPUS) return;
    rk_space_close(rk_plans_open(&problem, NULL)); /* NULL: calculon has not what is restricted */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct study *study = NULL;
    struct rk_error error = {0};
    if (size > MOST_BYTES) return 0;
    if (memmem(data, size, "/dev", 4) || memmem(data, size, "/proc", 5)) return 0;
    const enum rk_status status =
        study_parse("fuzz.json", (const char *)data, size, rk_model_load, &study, &error);
    if (status != RK_OK) {
        assert(!study && error.text[0]);
        return 0;
    }
    for (size_t i = 0; i < study->points && i < MOST_OPENED; i++)
        check_point(study, &study->point[i]);
    char *sql = study_export_sql(study, -1);
    assert(sql);
    free(sql);
    study_close(study);
    return 0;
}
