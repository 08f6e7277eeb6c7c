/* The file of --state: what is written comes back, and nothing else is taken for it. */
#include "cli/state_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = P_tmpdir "/reckon-state-XXXXXX";
static char path[64];

static void set_up(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/state", folder);
}

static void tear_down(void)
{
    unlink(path);
    rmdir(folder);
}

TestSuite(state_file, .init = set_up, .fini = tear_down);

static struct state_file open_state(void)
{
    struct state_file file;
    struct rk_error error;
    cr_assert_eq(state_file_open(&file, path, true, &error), RK_OK, "%s", error.text);
    return file;
}

static const char progress[] = "progress of a search, of odd length";

/* One finished search and the progress of the next. */
static void write_state(void)
{
    struct state_file file = open_state();
    struct state_answer answer;
    struct rk_error error;
    memset(&answer, 0, sizeof answer);
    answer.fingerprint = 7;
    answer.found = 1;
    answer.best.index = 42;
    cr_assert_eq(state_file_finish(&file, &answer, &error), RK_OK);
    file.took_s = 0; /* as if long ago */
    cr_assert(state_file_keep(&file, progress, sizeof progress));
    state_file_close(&file);
}

Test(state_file, round_trip)
{
    struct state_file file = open_state();
    cr_assert(file.finished == 0 && !file.progress);
    state_file_close(&file);
    write_state();
    file = open_state();
    cr_assert_eq(file.finished, 1);
    cr_assert(file.answer[0].fingerprint == 7 && file.answer[0].best.index == 42);
    cr_assert_eq(file.progress_bytes, sizeof progress);
    cr_assert_eq(memcmp(file.progress, progress, sizeof progress), 0);
    state_file_remove(&file);
    state_file_close(&file);
    cr_assert_neq(access(path, F_OK), 0);
    cr_assert_eq(rmdir(folder), 0, "something is left beside the state");
    cr_assert_eq(mkdir(folder, 0777), 0);
}

/* Every byte counts; so does every byte that is missing. */
Test(state_file, damage_is_found)
{
    write_state();
    FILE *in = fopen(path, "rb");
    static char bytes[8192];
    const size_t size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    for (size_t at = 0; at < 2 * size; at += at < size ? 7 : 61) {
        FILE *out = fopen(path, "wb");
        if (at < size) { /* one bit wrong */
            bytes[at] ^= 4;
            fwrite(bytes, 1, size, out);
            bytes[at] ^= 4;
        } else { /* cut short */
            fwrite(bytes, 1, at - size, out);
        }
        fclose(out);
        struct state_file file;
        struct rk_error error;
        cr_assert_eq(state_file_open(&file, path, true, &error), RK_BAD_INPUT, "at %zu", at);
        cr_assert_str_eq(error.path, path);
        state_file_close(&file);
    }
}

Test(state_file, places_that_do_not_do)
{
    struct state_file file;
    struct rk_error error;
    cr_assert_eq(state_file_open(&file, folder, true, &error), RK_IO);
    state_file_close(&file);
    cr_assert_eq(state_file_open(&file, "/nowhere/at/all", true, &error), RK_IO);
    state_file_close(&file);
}
