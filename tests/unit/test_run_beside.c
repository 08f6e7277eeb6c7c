/* The files that a run was given lie in each of its checkpoints, bytes as they are, and go with it;
 * a name that is none of theirs ends the run, and leaves no checkpoint. */
#include "run/checkpoint.h"
#include "run_cases.h"

#include <sys/stat.h>

static const char bytes[] = "a\0b\n";

static enum rk_status save_runs(const char *folder, const struct rk_train_file *file,
                                uint64_t files, struct rk_error *error)
{
    const struct rk_model model = run_model(0);
    struct rk_train train = run_settings(3);
    struct rk_train_result result;
    struct rk_system system;
    struct rk_plan plan;
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, error), RK_OK);
    cr_assert_eq(rk_plan_parse("mbs2 gbs4 dp2", &plan, error), RK_OK);
    const struct rk_train_run run = {.data = run_data(),
                                     .system = &system,
                                     .save = folder,
                                     .save_every = 1,
                                     .file = file,
                                     .files = files};
    const enum rk_status status = rk_train_threads(&model, &plan, &train, &run, &result, error);
    rk_system_release(&system);
    return status;
}

static size_t size_of(const char *folder, const char *name)
{
    char path[256], read[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    const size_t size = fread(read, 1, sizeof read, file);
    fclose(file);
    return size == sizeof bytes && memcmp(read, bytes, size) == 0 ? size : 1;
}

Test(run_beside, lies_in_each)
{
    char folder[] = P_tmpdir "/reckon-beside-XXXXXX", part[64];
    const struct rk_train_file file[] = {{"config.json", "", 0},
                                         {"tokenizer.model", bytes, sizeof bytes}};
    struct rk_error error;
    struct stat info;
    cr_assert(mkdtemp(folder));
    /* what a run left that ended while it wrote */
    snprintf(part, sizeof part, "%s/step-00000003.part", folder);
    cr_assert_eq(mkdir(part, 0777), 0);
    snprintf(part, sizeof part, "%s/step-00000003.part/merges.txt", folder);
    fclose(fopen(part, "w"));
    cr_assert_eq(save_runs(folder, file, 2, &error), RK_OK, "%s", error.text);
    for (int step = 2; step <= 3; step++) {
        snprintf(part, sizeof part, "%s/step-%08d", folder, step);
        cr_expect_eq(size_of(part, "tokenizer.model"), sizeof bytes);
    }
    snprintf(part, sizeof part, "%s/step-00000003/config.json", folder);
    cr_expect(stat(part, &info) == 0 && info.st_size == 0);
    snprintf(part, sizeof part, "%s/step-00000003/merges.txt", folder);
    cr_expect_neq(stat(part, &info), 0, "of another run");
    snprintf(part, sizeof part, "%s/step-00000001", folder);
    cr_expect_neq(stat(part, &info), 0, "two are kept");
    checkpoint_remove_all(folder);
    cr_expect_neq(stat(folder, &info), 0, "nothing is left");
    unlink(run_data());
}

Test(run_beside, names)
{
    static const char *const names[] = {"../config.json", "train.json", "model.safetensors", ""};
    struct rk_error error;
    struct stat info;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char folder[] = P_tmpdir "/reckon-beside-XXXXXX", step[64];
        const struct rk_train_file file = {names[i], bytes, sizeof bytes};
        cr_assert(mkdtemp(folder));
        cr_expect_eq(save_runs(folder, &file, 1, &error), RK_BAD_ARGUMENT, "%s", names[i]);
        snprintf(step, sizeof step, "%s/step-00000001", folder);
        cr_expect_neq(stat(step, &info), 0);
        snprintf(step, sizeof step, "rm -r %s", folder);
        cr_expect_eq(system(step), 0);
    }
    unlink(run_data());
}
