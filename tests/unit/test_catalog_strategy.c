/* Strategy files: defaults, what is wrong with one, and writing them. */
#include "catalog/readers.h"
#include "catalog_cases.h"

#include <dirent.h>
#include <reckon/catalog.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static enum rk_status read_text(const char *text, struct rk_strategy *strategy,
                                struct rk_error *error)
{
    struct document document;
    enum rk_status status = document_parse("x.json", text, strlen(text), &document, error);
    if (status == RK_OK) status = strategy_read(&document, strategy, error);
    document_release(&document);
    return status;
}

Test(catalog_strategy, presets)
{
    struct rk_strategy read;
    struct rk_error error;
    cr_assert_eq(read_text("{\"batch\": 8}", &read, &error), RK_OK, "%s", formatted(&error));
    cr_expect_eq(read.ranks, 1);
    cr_expect_eq(read.tensor, 1);
    cr_expect_eq(read.pipeline, 1);
    cr_expect_eq(read.data, 1);
    cr_expect_eq(read.interleaving, 1);
    cr_expect_eq(read.batch, 8);
    cr_expect_eq(read.microbatch, 1);
    cr_expect_eq(read.datatype, RK_FLOAT16);
    cr_expect(read.training && read.fused_activation);
    cr_expect_eq(read.recompute, RK_RECOMPUTE_NONE);
    cr_expect_eq(read.tensor_comm, RK_COMM_ALL_REDUCE);
    cr_expect_eq(read.tensor_overlap, RK_OVERLAP_NONE);
    cr_expect_not(read.optimizer_sharding || read.redo_all_gather || read.data_overlap);
    cr_expect_eq(read.weight_offload + read.activation_offload + read.optimizer_offload, 0);
    cr_expect_eq(read.tensor_network + read.pipeline_network + read.data_network, 0);
}

Test(catalog_strategy, degrees_complete_each_other)
{
    struct rk_strategy read;
    struct rk_error error;
    cr_assert_eq(
        read_text("{\"tensor\": 8, \"pipeline\": 4, \"data\": 2, \"batch\": 8}", &read, &error),
        RK_OK, "%s", formatted(&error));
    cr_expect_eq(read.ranks, 64);
    cr_assert_eq(read_text("{\"tensor\": 8, \"gpus\": 64, \"batch\": 8}", &read, &error), RK_OK);
    cr_expect_eq(read.data, 8);
}

Test(catalog_strategy, offload_is_a_tier_or_a_flag)
{
    struct rk_strategy read;
    struct rk_error error;
    cr_assert_eq(read_text("{\"batch\": 1, \"weight_offload\": true, \"activation_offload\": 2,"
                           "\"optimizer_offload\": false}",
                           &read, &error),
                 RK_OK, "%s", formatted(&error));
    cr_expect_eq(read.weight_offload, 1);
    cr_expect_eq(read.activation_offload, 2);
    cr_expect_eq(read.optimizer_offload, 0);
}

static const struct bad_case texts[] = {
    {"{}", "x.json:1:1: missing key \"batch\" (samples of one step, over all ranks): add it"},
    {"{\"batch\": 0}", "x.json:1:11: batch: must be >= 1, got 0"},
    {"{\"batch\": 8, \"tensor\": 0}", "x.json:1:24: tensor: must be >= 1, got 0"},
    {"{\"batch\": 8, \"tensor\": -4}", "x.json:1:24: tensor: must be >= 1, got -4"},
    {"{\"batch\": 8, \"tensor_par\": 4}",
     "x.json:1:14: unknown key \"tensor_par\"; did you mean \"tensor\"?"},
    {"{\"batch\": 8, \"gpus\": 64, \"tensor\": 3}",
     "x.json:1:22: gpus: tensor 3 * pipeline 1 * data 21 = 63 is not gpus = 64: change one of "
     "them"},
    {"{\"batch\": 8, \"gpus\": 64, \"tensor\": 8, \"pipeline\": 8, \"data\": 2}",
     "x.json:1:22: gpus: tensor 8 * pipeline 8 * data 2 = 128 is not gpus = 64: change one of "
     "them"},
    {"{\"batch\": 9, \"data\": 2}", "x.json:1:11: batch: 9 samples are not divisible by data 2 * "
                                    "microbatch 1 = 2: change one of them"},
    {"{\"batch\": 8, \"tensor\": 9007199254740992, \"pipeline\": 2}",
     "x.json:1:54: pipeline: tensor * pipeline is more than 2^53"},
    {"{\"batch\": 8, \"tensor\": 4294967296, \"data\": 4294967296}",
     "x.json:1:44: data: tensor * pipeline * data is more than 2^53"},
    {"{\"batch\": 8, \"recompute\": \"fulll\"}",
     "x.json:1:27: recompute: must be one of full, attention, none; got the string \"fulll\"; "
     "did you mean \"full\"?"},
    {"{\"batch\": 8, \"weight_offload\": \"yes\"}",
     "x.json:1:32: weight_offload: must be a memory tier (1, 2, ...), true or false, got the "
     "string \"yes\""},
    {"{\"batch\": 8, \"weight_offload\": -1}",
     "x.json:1:32: weight_offload: must be >= 0 and <= 4096, got -1"},
    {"{\"batch\": 8, \"data_network\": 1e9}",
     "x.json:1:30: data_network: must be >= 0 and <= 4095, got 1000000000"},
    {"{\"batch\": 8, \"datatype\": \"fp16\"}",
     "x.json:1:26: datatype: must be one of float8, float16, bfloat16, float32; got the string "
     "\"fp16\""},
};

Test(catalog_strategy, bad_texts)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct rk_strategy read = {.ranks = 77};
        struct rk_error error = {0};
        cr_expect_eq(read_text(texts[i].input, &read, &error), RK_BAD_INPUT, "%s", texts[i].input);
        cr_expect_str_eq(formatted(&error), texts[i].message, "%s", formatted(&error));
        cr_expect_eq(read.ranks, 77, "untouched on failure");
    }
}

/* ---- saving ---- */

static const struct rk_strategy all_set = {.ranks = 4096,
                                           .tensor = 8,
                                           .pipeline = 16,
                                           .data = 32,
                                           .interleaving = 2,
                                           .batch = 1024,
                                           .microbatch = 2,
                                           .datatype = RK_FLOAT8,
                                           .training = true,
                                           .recompute = RK_RECOMPUTE_ATTENTION,
                                           .optimizer_sharding = true,
                                           .tensor_comm = RK_COMM_RS_AG,
                                           .redo_all_gather = true,
                                           .data_overlap = true,
                                           .tensor_overlap = RK_OVERLAP_PIPE,
                                           .weight_offload = 1,
                                           .activation_offload = 2,
                                           .optimizer_offload = 3,
                                           .fused_activation = true,
                                           .tensor_network = 0,
                                           .pipeline_network = 1,
                                           .data_network = 2};

static int files_in(const char *path)
{
    int files = 0;
    DIR *folder = opendir(path);
    for (const struct dirent *entry; (entry = readdir(folder));)
        files += entry->d_name[0] != '.';
    closedir(folder);
    return files;
}

Test(catalog_strategy, what_is_written_is_read)
{
    char folder[] = "reckon-save-XXXXXX";
    struct rk_error error;
    struct rk_strategy read, twice;
    struct stat info;
    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
    cr_assert_eq(rk_strategy_save("best.json", &all_set, &error), RK_OK, "%s", formatted(&error));
    cr_assert_eq(rk_strategy_load("best.json", &read, &error), RK_OK, "%s", formatted(&error));
    cr_expect_eq(read.ranks, 4096);
    cr_expect_eq(read.tensor, 8);
    cr_expect_eq(read.pipeline, 16);
    cr_expect_eq(read.data, 32);
    cr_expect_eq(read.interleaving, 2);
    cr_expect_eq(read.batch, 1024);
    cr_expect_eq(read.microbatch, 2);
    cr_expect_eq(read.datatype, RK_FLOAT8);
    cr_expect_eq(read.recompute, RK_RECOMPUTE_ATTENTION);
    cr_expect_eq(read.tensor_comm, RK_COMM_RS_AG);
    cr_expect_eq(read.tensor_overlap, RK_OVERLAP_PIPE);
    cr_expect(read.training && read.optimizer_sharding && read.redo_all_gather &&
              read.data_overlap && read.fused_activation);
    cr_expect_eq(read.weight_offload, 1);
    cr_expect_eq(read.activation_offload, 2);
    cr_expect_eq(read.optimizer_offload, 3);
    cr_expect_eq(read.pipeline_network, 1);
    cr_expect_eq(read.data_network, 2);
    /* Over an existing file, whose permissions stay; nothing is left beside it. */
    cr_assert_eq(chmod("best.json", 0640), 0);
    read.training = false;
    cr_assert_eq(rk_strategy_save("best.json", &read, &error), RK_OK, "%s", formatted(&error));
    cr_assert_eq(rk_strategy_load("best.json", &twice, &error), RK_OK);
    cr_expect_not(twice.training);
    cr_assert_eq(stat("best.json", &info), 0);
    cr_expect_eq(info.st_mode & 0777, 0640);
    cr_expect_eq(files_in("."), 1);
    unlink("best.json");
    cr_assert_eq(chdir(".."), 0);
    rmdir(folder);
}

Test(catalog_strategy, what_cannot_be_written)
{
    struct rk_error error;
    cr_expect_eq(rk_strategy_save("no/such/folder/x.json", &all_set, &error), RK_IO);
    cr_expect_str_eq(formatted(&error),
                     "no/such/folder/x.json: cannot write: No such file or directory");
    cr_expect_eq(rk_strategy_save(".", &all_set, &error), RK_IO);
    cr_expect_str_eq(formatted(&error), ".: cannot write: Is a directory");
    cr_expect_eq(rk_strategy_save("/dev/full", &all_set, &error), RK_IO);
    cr_expect_str_eq(formatted(&error), "/dev/full: cannot write: No space left on device");
    cr_expect_eq(rk_strategy_save("/dev/null", &all_set, &error), RK_OK);
    struct stat info;
    cr_assert_eq(stat("/dev/null", &info), 0);
    cr_expect(S_ISCHR(info.st_mode), "still the device");
}
