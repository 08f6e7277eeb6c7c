/* Fits: that the simplex finds a least, that constants are found again from times that they gave,
 * and that a fitted system survives its file. */
#include "catalog/catalog.h"
#include "catalog/readers.h"
#include "catalog_cases.h"
#include "facts/judge.h"
#include "logs/measured.h"
#include "machine/kernels.h"
#include "study/calibrate.h"
#include "study/simplex.h"

#include <math.h>
#include <stdio.h>

/* ---- the simplex ---- */

/* Rosenbrock's valley, its floor at (2, 4): 100 (y - x^2)^2 + (2 - x)^2 */
static double valley(const void *context, const struct simplex_variable *v)
{
    (void)context;
    const double x = v[0].value, y = v[1].value;
    return 100 * (y - x * x) * (y - x * x) + (2 - x) * (2 - x);
}

Test(calibrate, the_simplex_finds_the_floor_of_a_valley)
{
    struct simplex_variable v[] = {{0.1, 100, 0.5}, {0.1, 100, 50}};
    cr_expect_lt(simplex_minimise(valley, NULL, 2, v, 600), 1e-9);
    cr_expect_float_eq(v[0].value, 2, 1e-3);
    cr_expect_float_eq(v[1].value, 4, 1e-3);
}

Test(calibrate, the_simplex_never_gets_worse_and_stays_in_bounds)
{
    struct simplex_variable v[] = {{0.1, 1.5, 1.5}, {0.1, 100, 2.25}};
    const double before = valley(NULL, v);
    cr_expect_leq(simplex_minimise(valley, NULL, 2, v, 3), before);
    simplex_minimise(valley, NULL, 2, v, 500);
    cr_expect_leq(v[0].value, 1.5);
    cr_expect_float_eq(v[0].value, 1.5, 0.02); /* the floor lies beyond it */
}

/* ---- constants found again ---- */

static struct rk_system loaded(const char *id)
{
    struct rk_system system = {.memories = 0};
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_system_load(id, &system, &error), RK_OK, "%s", formatted(&error));
    return system;
}

/* Products as `system` predicts them. */
static struct samples made_products(const struct rk_system *system)
{
    struct samples samples = {.count = 0};
    struct rk_error error;
    for (double m = 512; m <= 16384; m *= 2)
        for (double n = 768; n <= 16384; n *= 2.5)
            for (double k = 256; k <= 16384; k *= 4) {
                const struct sample s = {.kind = SAMPLE_PRODUCT,
                                         .operand = OPERAND_BFLOAT16,
                                         .count = 1,
                                         .m = m,
                                         .n = n,
                                         .k = k,
                                         .time_s =
                                             matrix_time_s(system, OPERAND_BFLOAT16, 1, m, n, k)};
                cr_assert_eq(samples_add(&samples, &s, &error), RK_OK);
            }
    return samples;
}

Test(calibrate, the_constants_of_products_are_found_again)
{
    struct rk_system truth = loaded("h100-sxm5-80g"), system = loaded("h100-sxm5-80g");
    struct calibration calibration;
    struct rk_error error;
    truth.kernels.matrix_efficiency = 0.6;
    truth.kernels.tile_efficiency = 0.8;
    truth.kernels.kernel_s = 6e-6;
    struct samples samples = made_products(&truth);
    cr_assert_eq(calibrate(&samples, &system, &calibration, &error), RK_OK, "%s",
                 formatted(&error));
    cr_expect_float_eq(system.kernels.matrix_efficiency, 0.6, 0.01);
    cr_expect_float_eq(system.kernels.tile_efficiency, 0.8, 0.03);
    cr_expect_float_eq(system.kernels.kernel_s, 6e-6, 6e-7);
    cr_assert_eq(calibration.groups, 1);
    cr_expect_eq(calibration.group[0].samples, samples.count);
    cr_expect_gt(calibration.group[0].before.mean, 0.15);
    cr_expect_lt(calibration.group[0].after.mean, 0.01);
    cr_expect(calibration.group[0].validation);
    cr_expect_lt(calibration.group[0].validated.mean, 0.015);
    cr_expect_eq(system.kernels.attention_key_half, truth.kernels.attention_key_half);
    samples_release(&samples);
    rk_system_release(&system);
    rk_system_release(&truth);
}

Test(calibrate, the_constants_of_both_tiers_are_found_again)
{
    struct rk_system truth = loaded("h100-sxm5-80g"), system = loaded("h100-sxm5-80g");
    struct samples samples = {.count = 0};
    struct calibration calibration;
    struct rk_error error;
    truth.network[0].link.efficiency = 0.6;
    truth.network[1].link.efficiency = 0.5; /* 200 GB/s a node: less than 0.6 of NVLink */
    truth.network[1].link.base_s = 40e-6;
    for (double ranks = 2; ranks <= 64; ranks *= 2)
        for (double bytes = 65536; bytes < 1e10; bytes *= 4) {
            struct sample s = {.kind = SAMPLE_COLLECTIVE,
                               .collective = ALL_GATHER,
                               .ranks = ranks,
                               .stride = 1,
                               .bytes = bytes};
            s.time_s = collective_time_s(&truth, ALL_GATHER, (struct rank_group){ranks, 1}, bytes);
            cr_assert_eq(samples_add(&samples, &s, &error), RK_OK);
        }
    cr_assert_eq(calibrate(&samples, &system, &calibration, &error), RK_OK);
    cr_assert_eq(calibration.groups, 2);
    cr_expect_eq(calibration.group[1].tier, 1);
    cr_expect_float_eq(system.network[0].link.efficiency, 0.6, 0.02);
    cr_expect_float_eq(system.network[1].link.efficiency, 0.5, 0.02);
    cr_expect_float_eq(system.network[1].link.base_s, 40e-6, 8e-6);
    samples_release(&samples);
    rk_system_release(&system);
    rk_system_release(&truth);
}

/* As of devices that a busy node slows down to nine tenths. */
static void make_busy(struct rk_system *system)
{
    system->busy = system->kernels;
    system->busy.sustained *= 0.9;
    system->busy_devices = 8;
}

/* Steps as a machine gives that sustains 0.7: four of a plan each, more layers and another batch.
 */
static void find_sustained(bool busy)
{
    struct rk_system system = loaded("h100-sxm5-80g"), slow = loaded("h100-sxm5-80g");
    struct samples samples = {.count = 0};
    struct fact fact[8] = {{.reason = ""}};
    struct calibration calibration;
    struct rk_error error;
    slow.kernels.sustained = 0.7;
    system.kernels.sustained = 0.95;
    if (busy) make_busy(&slow);
    if (busy) make_busy(&system);
    for (int i = 0; i < 8; i++) {
        struct judgement judgement;
        cr_assert_eq(rk_model_load(i % 2 ? "llama3.1-8b" : "llama2-7b", &fact[i].model, &error),
                     RK_OK);
        fact[i].plan = rk_plan_default();
        fact[i].plan.ranks = fact[i].plan.batch = 8u << i / 2;
        fact[i].plan.zero = 3;
        fact[i].lone_batch = (double)fact[i].plan.batch;
        fact[i].system = slow;
        judge(&fact[i], &judgement);
        cr_assert(judgement.timed);
        const struct sample s = {.kind = SAMPLE_STEP, .run = &fact[i], .time_s = judgement.step_s};
        cr_assert_eq(samples_add(&samples, &s, &error), RK_OK);
    }
    const double catalog = system.kernels.sustained;
    cr_assert_eq(calibrate(&samples, &system, &calibration, &error), RK_OK, "%s",
                 formatted(&error));
    cr_expect_eq(calibration.groups, 1);
    cr_expect_str_eq(calibration.group[0].name, "steps");
    cr_expect_gt(calibration.group[0].before.mean, 0.1);
    cr_expect_lt(calibration.group[0].after.mean, calibration.group[0].before.mean);
    /* the catalog's value counts as 2.56 runs beside them */
    const double runs = (double)samples.count;
    cr_expect_float_eq(system.kernels.sustained, catalog * pow(0.7 / catalog, runs / (runs + 2.56)),
                       0.01);
    if (busy) cr_expect_float_eq(system.busy.sustained, 0.9 * system.kernels.sustained, 1e-12);
    /* twice the same run is one run's log */
    system.kernels = slow.kernels;
    system.kernels.sustained = catalog;
    if (busy) make_busy(&system);
    samples.count = 4;
    for (size_t i = 0; i < samples.count; i++)
        samples.sample[i] = samples.sample[0];
    cr_assert_eq(calibrate(&samples, &system, &calibration, &error), RK_OK);
    cr_expect_lt(calibration.group[0].after.mean, 0.01);
    cr_expect_float_eq(system.kernels.sustained, 0.7, 0.01);
    system.kernels.sustained = catalog;
    if (busy) make_busy(&system);
    samples.count = 1;
    cr_assert_eq(calibrate(&samples, &system, &calibration, &error), RK_OK);
    cr_expect_float_eq(system.kernels.sustained, catalog * pow(0.7 / catalog, 1 / 3.56), 0.01);
    samples_release(&samples);
    rk_system_release(&system);
    rk_system_release(&slow);
}

Test(calibrate, what_a_long_run_sustains_is_found_again)
{
    find_sustained(false);
}

Test(calibrate, what_busy_devices_sustain_is_found_again)
{
    find_sustained(true);
}

Test(calibrate, few_measurements_change_little)
{
    struct rk_system system = loaded("h100-sxm5-80g");
    struct samples samples = {.count = 0};
    struct calibration calibration;
    struct rk_error error;
    struct sample s = {
        .kind = SAMPLE_PRODUCT, .operand = OPERAND_BFLOAT16, .count = 1, .m = 8192, .n = 8192};
    for (s.k = 1024; s.k <= 8192; s.k *= 2) {
        s.time_s = 1.2 * matrix_time_s(&system, OPERAND_BFLOAT16, 1, s.m, s.n, s.k);
        samples_add(&samples, &s, &error);
    }
    cr_assert_eq(calibrate(&samples, &system, &calibration, &error), RK_OK);
    cr_expect_eq(calibration.constants, 1); /* one for four */
    cr_expect_float_eq(system.kernels.matrix_efficiency, 0.775 / 1.2, 0.01);
    cr_expect_not(calibration.group[0].validation);
    samples.count = 3;
    cr_expect_eq(calibrate(&samples, &system, &calibration, &error), RK_BAD_ARGUMENT);
    cr_expect_str_eq(error.text, "3 measurements of products: a fit needs 4 or more");
    samples_release(&samples);
    rk_system_release(&system);
}

/* ---- nccl-tests ---- */

Test(calibrate, one_rank_of_each_node_is_a_node_apart)
{
    char path[] = "calibrate-XXXXXX"; /* where the tests run: the build folder */
    struct samples samples = {.count = 0};
    struct rk_error error;
    FILE *file = fdopen(mkstemp(path), "w");
    cr_assert(file);
    fputs("# Collective test starting: reduce_scatter_perf\n"
          "#  Rank  0 Group  0 Pid 1 on a device  0 [0] X\n"
          "#  Rank  1 Group  0 Pid 1 on b device  0 [0] X\n"
          "#  Rank  2 Group  0 Pid 1 on c device  0 [0] X\n"
          "     1024   256 float sum -1  12.5 1 1 0  N/A N/A N/A N/A\n"
          "     2048   512 float sum -1  N/A N/A N/A N/A 13.5 1 1 0\n",
          file);
    fclose(file);
    const struct collectives_options options = {.node = 8};
    cr_assert_eq(measured_collectives(path, &options, &samples, &error), RK_OK, "%s",
                 formatted(&error));
    remove(path);
    cr_assert_eq(samples.count, 2);
    cr_expect_eq(samples.sample[0].collective, REDUCE_SCATTER);
    cr_expect_eq(samples.sample[0].ranks, 3);
    cr_expect_eq(samples.sample[0].stride, 8);
    cr_expect_eq(samples.sample[0].bytes, 1024);
    cr_expect_float_eq(samples.sample[0].time_s, 12.5e-6, 1e-15);
    cr_expect_float_eq(samples.sample[1].time_s, 13.5e-6, 1e-15);
    samples_release(&samples);
}

/* A file of that text for a reader; remove it. */
static const char *written(const char *text)
{
    static char path[32];
    strcpy(path, "calibrate-XXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");
    cr_assert(file);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
    return path;
}

/* What people showed of nccl-tests, each with where: the first row of times. */
Test(calibrate, tables_of_nccl_tests_that_people_showed)
{
    static const struct {
        const char *where, *collective, *text;
        double bytes, time_s;
    } rows[] = {
        {"github.com/NVIDIA/nccl-tests/issues/107, no root yet", NULL,
         "$ mpirun -np 2 nccl-tests/build/all_reduce_perf -b 1250M\n"
         "#   Rank  0 Pid   1320 on host-a device  0 [0x00] Tesla V100-SXM2-16GB\n"
         "#   Rank  1 Pid   2066 on host-b device  0 [0x00] Tesla V100-SXM2-16GB\n"
         "#       size         count      type   redop     time   algbw   busbw  error     time\n"
         "  1310720000     327680000     float     sum   1215033    1.08    1.08  0e+00  1216000   "
         " "
         "1.08    1.08  0e+00\n",
         1310720000, 1.215033},
        {"github.com/NVIDIA/nccl/issues/583, pasted without #", NULL,
         "mpirun -np 8 all_reduce_perf -b 32 -f 2 -e 8G\n"
         "   Rank  0 Pid 1821213 on host-c device  0 [0x00] NVIDIA A100-SXM4-40GB\n"
         "   Rank  1 Pid 1821214 on host-c device  1 [0x00] NVIDIA A100-SXM4-40GB\n"
         "        size         count    type   redop     time   algbw   busbw  error     time\n"
         "    33554432       8388608   float     sum    402.1   83.45  146.03  2e-07    401.2   "
         "83.63  146.36  2e-07\n",
         33554432, 402.1e-6},
        {"github.com/NVIDIA/nccl/issues/120, of 2017: milliseconds", "all_gather",
         "#                                            out-of-place                    in-place\n"
         "#  bytes             N    type      op     time  algbw  busbw      res     time  algbw\n"
         "    10000000      10000000    char     sum    0.064  157.38   0.00    0e+00    0.005  "
         "2083.77   0.00    0e+00\n",
         10000000, 0.064e-3},
        {"github.com/kvcache-ai/Mooncake/pull/3484", "all_reduce",
         "       65536         16384     float     sum      -1    18.95    3.46    6.05       0    "
         "18.25    3.59    6.28       0\n",
         65536, 18.95e-6},
        {"github.com/microsoft/mscclpp/pull/507", "all_reduce",
         "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
         "        1024           256     float     sum      -1     5.45    0.19    0.33      0     "
         "5.35    0.19    0.33      0\n",
         1024, 5.45e-6},
        {"github.com/coreweave/nccl-tests/pull/43", "all_reduce",
         "   536870912     134217728     float     sum      -1   1806.7  297.16  586.06      0   "
         "1835.9  292.43  576.74      0\n"
         "# Out of bounds values : 0 OK\n",
         536870912, 1806.7e-6},
        {"github.com/NVIDIA/nccl-tests/issues/167", "all_reduce",
         "      199680         49920     float     max      -1    125.8    1.59    2.98      0    "
         "125.1    1.60    2.99      0\n",
         199680, 125.8e-6},
        {"the same, as Open MPI tags it", "alltoall",
         "[1,0]<stdout>:#       size         count      type   redop    root     time   algbw\n"
         "[1,0]<stdout>:      199680         49920     float    none      -1    125.8    1.59    "
         "2.98      0    125.1    1.60    2.99      0\n",
         199680, 125.8e-6},
        {"the same, as srun -l does, of an all-gather without a kind of reduction", "all_gather",
         "0:      199680         49920     float      125.8    1.59    2.98  0e+00    125.1    "
         "1.60    2.99  0e+00\n",
         199680, 125.8e-6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct samples samples = {.count = 0};
        struct rk_error error;
        const char *path = written(rows[i].text);
        const struct collectives_options options = {
            .node = 8, .collective = rows[i].collective, .ranks = rows[i].collective ? 8 : 0};
        const enum rk_status status = measured_collectives(path, &options, &samples, &error);
        remove(path);
        cr_assert_eq(status, RK_OK, "%s: %s", rows[i].where, formatted(&error));
        cr_assert_eq(samples.count, 1, "%s", rows[i].where);
        cr_expect_eq(samples.sample[0].bytes, rows[i].bytes, "%s", rows[i].where);
        cr_expect_float_eq(samples.sample[0].time_s, rows[i].time_s, 1e-15, "%s", rows[i].where);
        samples_release(&samples);
    }
}

/* DeepBench's heads, superbench's tabs, a rate instead of a time, PyTorch's datatypes. */
static enum rk_status read_products(const char *text, struct samples *samples,
                                    struct rk_error *error)
{
    const char *path = written(text);
    const enum rk_status status = measured_products(path, samples, error);
    remove(path);
    return status;
}

Test(calibrate, tables_of_products_as_others_write_them)
{
    static const char *const tables[] = {
        "m,n,k,a_t,b_t,time (usec)\n1024,2048,512,0,0,100\n",
        "m\tn\tk\tbatch\ttime_us\ttflops\n1024\t2048\t512\t1\t100.0\t21.47\n",
        "M N K dtype TFLOPS\n1024 2048 512 torch.bfloat16 21.47483648\n",
        "dtype,M,N,K,latency_ms\nBF16,1024,2048,512,0.1\n",
        "m n k time (usec) tflops passes\n1024 2048 512 100 4.4 501\n",
        "m n k a_t  time  (usec)\n1024 2048 512 0 100\n",
        "m\tn\tk\ttime (usec)\ttflops\tpasses\n1024\t2048\t512\t100\t4.4\t501\n",
        "m\tn \tk\tmy kernel\ttime (usec)\n1024\t2048\t 512\ta b c\t100\t\n",
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct samples samples = {.count = 0};
        struct rk_error error;
        const enum rk_status status = read_products(tables[i], &samples, &error);
        cr_assert_eq(status, RK_OK, "%s: %s", tables[i], formatted(&error));
        cr_assert_eq(samples.count, 1);
        cr_expect_eq(samples.sample[0].m, 1024);
        cr_expect_eq(samples.sample[0].k, 512);
        cr_expect_eq(samples.sample[0].operand, OPERAND_BFLOAT16);
        cr_expect_float_eq(samples.sample[0].time_s, 100e-6, 1e-15, "%s", tables[i]);
        samples_release(&samples);
    }
}

/* Else a value would be read as that of another column. */
Test(calibrate, rows_of_products_have_as_many_values_as_columns)
{
    static const char *const tables[] = {
        "m n k time (usec) tflops\n1760 16 1760 22 4.4 501\n",
        "m n kernel name k tflops\n1760 16 gemm 1760 4.4\n",
        "m,n,k,time_us\n1760,16,1760,22,4.4\n",
        "m\tn\tk\ttime_us\tpasses\n1760\t16\t\t22\t501\n",
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct samples samples = {.count = 0};
        struct rk_error error;
        const enum rk_status status = read_products(tables[i], &samples, &error);
        cr_expect_eq(status, RK_BAD_INPUT, "%s", tables[i]);
        cr_expect(strstr(error.text, "values, where the first line names"), "%s", error.text);
        samples_release(&samples);
    }
}

/* ---- a system and its file ---- */

static void check_again(const char *id)
{
    struct rk_system system = loaded(id), again = {.memories = 0};
    struct document document;
    struct rk_error error;
    const struct system_sources sources = {"a test", "a test", NULL};
    char *text = system_text(&system, "again", NULL, &sources);
    cr_assert(text);
    cr_assert_eq(document_parse("again.json", text, strlen(text), &document, &error), RK_OK);
    cr_assert_eq(system_read(&document, system.id, 0, &again, &error), RK_OK, "%s: %s", id,
                 formatted(&error));
    char *second = system_text(&again, "again", NULL, &sources);
    cr_expect_str_eq(second, text, "%s", id);
    cr_expect_float_eq(again.kernels.kernel_s, system.kernels.kernel_s, 1e-18);
    cr_expect_eq(again.kernels.multiprocessors, system.kernels.multiprocessors);
    cr_expect_eq(again.network[0].link.mesh, system.network[0].link.mesh);
    cr_expect_eq(again.memories, system.memories);
    document_release(&document);
    free(text);
    free(second);
    rk_system_release(&system);
    rk_system_release(&again);
}

Test(calibrate, every_system_of_the_catalog_survives_its_file)
{
    struct catalog_list list;
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(catalog_list(CATALOG_SYSTEMS, &list, &error), RK_OK);
    for (size_t i = 0; i < list.count; i++)
        check_again(list.id[i]);
    check_again("h100-80g x4096 mem2=1TiB@unlimited processing=roofline");
    catalog_list_release(&list);
}
