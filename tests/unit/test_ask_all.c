/* --all into a database: every plan that fits, in order, with the figures of its prediction; and
 * nothing at all when it is stopped. */
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

static void set(struct fixture *f, enum rk_framework framework, const char *name, const char *where)
{
    struct rk_error error;
    *f = (struct fixture){.folder = P_tmpdir "/reckon-all-XXXXXX", .args = SEARCH_ARGS_INIT};
    plan_axes_prepare();
    cr_assert_not_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/%s", f->folder, name);
    f->args.framework = framework;
    f->args.axes.axis[RK_PLAN_PRECISION] =
        (struct option_values){.count = 1, .range = {{RK_FP16, RK_FP16}}};
    if (framework != RK_CALCULON) {
        f->args.axes.axis[RK_PLAN_CHUNKS] = (struct option_values){.count = 1, .range = {{1, 1}}};
        f->args.axes.axis[RK_PLAN_SPLIT] = (struct option_values){.count = 1};
    }
    f->args.all = f->path;
    f->args.where = where;
    f->args.threads = 2;
    f->args.headroom = "none"; /* all that fit */
    cr_assert_eq(rk_system_load(machine, &f->system, &error), RK_OK, "%s", error.text);
    f->search = (struct search){.args = &f->args};
    cr_assert_eq(search_set(&f->search, &model, &f->system, NULL, 8, 16, &error), RK_OK, "%s",
                 error.text);
    cr_assert_eq(search_run(&f->search, &f->session, 1, &error), RK_OK, "%s", error.text);
    progress_start(&f->session.progress, "plans");
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

/* Row by row against the predictions, in the order in which they were written. */
static void check_rows(const struct fixture *f, sqlite3 *database, uint64_t tensor)
{
    sqlite3_stmt *s;
    uint64_t index = 0;
    struct rk_plan plan;
    struct rk_prediction p;
    char words[RK_PLAN_AXIS_TEXT];
    cr_assert_eq(sqlite3_prepare_v2(database,
                                    "SELECT \"index\", step_s, hbm_bytes, tensor, recompute, "
                                    "zero, mfu FROM plan ORDER BY rowid",
                                    -1, &s, NULL),
                 SQLITE_OK);
    for (; index < rk_space_count(f->search.space); index++) {
        if (!rk_plans_plan(f->search.space, index, &plan)) continue;
        if (rk_plans_predict(&f->search.problem, &plan, &p) != RK_FITS) continue;
        if (tensor && plan.tensor != tensor) continue;
        cr_assert_eq(sqlite3_step(s), SQLITE_ROW, "plan %d is missing", (int)index);
        cr_assert_eq((uint64_t)sqlite3_column_int64(s, 0), index);
        cr_assert_eq(sqlite3_column_double(s, 1), p.step_s);
        cr_assert_eq(sqlite3_column_double(s, 2), p.hbm_bytes);
        cr_assert_eq((uint64_t)sqlite3_column_int64(s, 3), plan.tensor);
        cr_assert_str_eq((const char *)sqlite3_column_text(s, 4),
                         rk_plan_axis_text(RK_PLAN_RECOMPUTE,
                                           rk_plan_axis_get(&plan, RK_PLAN_RECOMPUTE), words));
        cr_assert_eq(sqlite3_column_int(s, 5), plan.zero);
        cr_assert_eq(sqlite3_column_double(s, 6), p.mfu);
    }
    cr_assert_eq(sqlite3_step(s), SQLITE_DONE, "more rows than plans that fit");
    sqlite3_finalize(s);
}

static void check_database(enum rk_framework framework, const char *where, uint64_t tensor)
{
    struct fixture f;
    struct rk_error error;
    uint64_t written;
    sqlite3 *database;
    set(&f, framework, "all.sqlite", where);
    cr_assert_gt(f.search.result.counts.verdict[RK_FITS][0], 1000);
    cr_assert_eq(search_all_write(&f.search, &f.session, &written, &error), RK_OK, "%s",
                 error.text);
    if (!where) cr_assert_eq(written, f.search.result.counts.verdict[RK_FITS][0]);
    cr_assert_eq(sqlite3_open_v2(f.path, &database, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    cr_assert_eq(number(database, "SELECT count(*) FROM plan"), (double)written);
    cr_assert_eq(number(database, "SELECT fits FROM problem"),
                 (double)f.search.result.counts.verdict[RK_FITS][0]);
    cr_assert_eq(number(database, "SELECT gpus + batch FROM problem"), 24);
    check_rows(&f, database, tensor);
    sqlite3_close(database);
    release(&f);
}

Test(all, database)
{
    check_database(RK_CALCULON, NULL, 0);
    check_database(RK_MEGATRON, NULL, 0);
}

Test(all, database_with_condition)
{
    check_database(RK_CALCULON, "tensor == 2", 2);
    check_database(RK_FSDP, "tensor == 2", 2);
}

static void stop(const char *name)
{
    struct fixture f;
    struct rk_error error;
    uint64_t written;
    set(&f, RK_CALCULON, name, NULL);
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
    set(&f, RK_CALCULON, "all.csv", NULL);
    FILE *old = fopen(f.path, "w");
    fputs("old\n", old);
    fclose(old);
    raise(SIGTERM);
    cr_assert_eq(search_all_write(&f.search, &f.session, &written, &error), RK_INTERRUPTED);
    char line[16];
    old = fopen(f.path, "r");
    cr_assert_str_eq(fgets(line, sizeof line, old), "old\n");
    fclose(old);
    progress_start(&f.session.progress, "plans");
    cr_assert_eq(search_all_write(&f.search, &f.session, &written, &error), RK_OK);
    old = fopen(f.path, "r");
    cr_assert_str_eq(fgets(line, 7, old), "index,");
    fclose(old);
    release(&f);
}
