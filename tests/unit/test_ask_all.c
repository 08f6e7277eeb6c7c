/* --all into a database: every strategy that fits, in order, with the figures of its estimate; and
 * nothing at all when it is stopped. */
#include "cli/axes.h"
#include "cli/search_all.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct rk_model model = {.id = "test",
                                .layers = 12,
                                .hidden = 2048,
                                .feedforward = 8192,
                                .heads = 16,
                                .head_dim = 128,
                                .sequence = 1024};

static const char machine[] = "matrix.float16=300TFLOP/s vector.float16=80TFLOP/s hbm=4GiB@2TB/s "
                              "mem2=8GiB@100GB/s net0=300GB/s,size=4 net1=25GB/s,size=65536";

struct fixture {
    char folder[32], path[64];
    struct search_args args;
    struct rk_system system;
    struct search search;
    struct search_session session;
};

static void set(struct fixture *f, const char *name, const char *where)
{
    struct rk_error error;
    *f = (struct fixture){.folder = P_tmpdir "/reckon-all-XXXXXX", .args = SEARCH_ARGS_INIT};
    axes_prepare();
    cr_assert_not_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/%s", f->folder, name);
    f->args.datatype = RK_FLOAT16;
    f->args.all = f->path;
    f->args.where = where;
    f->args.threads = 2;
    cr_assert_eq(rk_system_load(machine, &f->system, &error), RK_OK, "%s", error.text);
    f->search = (struct search){.args = &f->args, .model = &model, .system = &f->system, .top = 1};
    cr_assert_eq(search_set_problem(&f->search, 8, 16, &error), RK_OK, "%s", error.text);
    cr_assert_eq(search_run(&f->search, &f->session, &error), RK_OK, "%s", error.text);
    progress_start(&f->session.progress, "strategies");
}

/* Nothing but the file, if it is there, may be left. */
static void release(struct fixture *f)
{
    progress_end(&f->session.progress);
    search_release(&f->search);
    rk_system_release(&f->system);
    unlink(f->path);
    cr_assert_eq(rmdir(f->folder), 0, "something is left in %s", f->folder);
}

static double number(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement;
    cr_assert_eq(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK, "%s: %s", sql,
                 sqlite3_errmsg(database));
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
    const double value = sqlite3_column_double(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

/* Row by row against the estimates, in the order in which they were written. */
static void check_rows(const struct fixture *f, sqlite3 *database, uint64_t tensor)
{
    sqlite3_stmt *s;
    uint64_t index = 0;
    struct rk_strategy strategy;
    struct rk_estimate estimate;
    cr_assert_eq(sqlite3_prepare_v2(database,
                                    "SELECT \"index\", step_s, hbm_bytes, tensor, recompute, "
                                    "optimizer_sharding, mfu FROM strategy ORDER BY rowid",
                                    -1, &s, NULL),
                 SQLITE_OK);
    for (; index < rk_space_count(f->search.space); index++) {
        rk_space_strategy(f->search.space, index, &strategy);
        if (rk_estimate(&model, &f->system, &strategy, &estimate) != RK_FITS) continue;
        if (tensor && strategy.tensor != tensor) continue;
        cr_assert_eq(sqlite3_step(s), SQLITE_ROW, "strategy %d is missing", (int)index);
        cr_assert_eq((uint64_t)sqlite3_column_int64(s, 0), index);
        cr_assert_eq(sqlite3_column_double(s, 1), estimate.step_s);
        cr_assert_eq(sqlite3_column_double(s, 2), estimate.hbm_bytes);
        cr_assert_eq((uint64_t)sqlite3_column_int64(s, 3), strategy.tensor);
        cr_assert_str_eq((const char *)sqlite3_column_text(s, 4),
                         rk_axis(RK_AXIS_RECOMPUTE)->choices[strategy.recompute]);
        cr_assert_eq(sqlite3_column_int(s, 5), strategy.optimizer_sharding);
        cr_assert_eq(sqlite3_column_double(s, 6), estimate.mfu);
    }
    cr_assert_eq(sqlite3_step(s), SQLITE_DONE, "more rows than strategies that fit");
    sqlite3_finalize(s);
}

static void check_database(const char *where, uint64_t tensor)
{
    struct fixture f;
    struct rk_error error;
    uint64_t written;
    sqlite3 *database;
    set(&f, "all.sqlite", where);
    cr_assert_gt(f.search.result.counts.verdict[RK_FITS][0], 1000);
    cr_assert_eq(search_all_write(&f.search, &f.session, &written, &error), RK_OK, "%s",
                 error.text);
    if (!where) cr_assert_eq(written, f.search.result.counts.verdict[RK_FITS][0]);
    cr_assert_eq(sqlite3_open_v2(f.path, &database, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    cr_assert_eq(number(database, "SELECT count(*) FROM strategy"), (double)written);
    cr_assert_eq(number(database, "SELECT fits FROM problem"),
                 (double)f.search.result.counts.verdict[RK_FITS][0]);
    cr_assert_eq(number(database, "SELECT gpus + max_batch FROM problem"), 24);
    check_rows(&f, database, tensor);
    sqlite3_close(database);
    release(&f);
}

Test(all, database)
{
    check_database(NULL, 0);
}

Test(all, database_with_condition)
{
    check_database("tensor == 2", 2);
}

static void stop(const char *name)
{
    struct fixture f;
    struct rk_error error;
    uint64_t written;
    set(&f, name, NULL);
    raise(SIGINT);
    cr_assert_eq(search_all_write(&f.search, &f.session, &written, &error), RK_INTERRUPTED);
    cr_assert_neq(access(f.path, F_OK), 0);
    release(&f);
}

Test(all, stopped_leaves_nothing)
{
    stop("all.sqlite");
    stop("all.csv");
    stop("all.csv.gz");
}

/* What was there before stays when the new one is stopped, and is replaced when it is not. */
Test(all, replaces_as_a_whole)
{
    struct fixture f;
    struct rk_error error;
    uint64_t written;
    set(&f, "all.csv", NULL);
    FILE *old = fopen(f.path, "w");
    fputs("old\n", old);
    fclose(old);
    raise(SIGTERM);
    cr_assert_eq(search_all_write(&f.search, &f.session, &written, &error), RK_INTERRUPTED);
    char line[16];
    old = fopen(f.path, "r");
    cr_assert_str_eq(fgets(line, sizeof line, old), "old\n");
    fclose(old);
    progress_start(&f.session.progress, "strategies");
    cr_assert_eq(search_all_write(&f.search, &f.session, &written, &error), RK_OK);
    old = fopen(f.path, "r");
    cr_assert_str_eq(fgets(line, 7, old), "index,");
    fclose(old);
    release(&f);
}
