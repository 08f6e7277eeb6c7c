/* Running studies: against searches one by one, and what befalls a database. */
#include "drawn.h"
#include "study/study.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <reckon/catalog.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A miniature of the multi-trillion study: two models, memory behind the HBM by size and rate,
 * sizes for which the batch differs from degree to degree. */
static const char miniature[] =
    "{\"framework\": \"calculon\", \"batch\": 24, \"datatype\": [\"float16\"], \"top\": 5,"
    " \"models\": [{\"name\": \"m\", \"layers\": [12, 10], \"hidden\": 1536,"
    "   \"feedforward\": 6144, \"heads\": 12, \"sequence\": 1024}],"
    " \"figures\": ["
    "  {\"name\": \"offload\", \"gpus\": [16, 20], \"systems\": [{\"base\":"
    "   \"matrix.float16=300TFLOP/s vector.float16=80TFLOP/s hbm=2GiB@2TB/s "
    "net0=300GB/s,size=4 net1=25GB/s,size=65536\","
    "    \"mem2\": [\"none\", \"4GiB@50GB/s\", \"16GiB@100GB/s\", \"16GiB@unlimited\"]}]},"
    "  {\"name\": \"pinned\", \"gpus\": \"8..32 x2\", \"axes\": {\"tensor\": [2, 4],"
    "    \"recompute\": [\"none\", \"attention\"], \"fused\": [true, false]},"
    "   \"systems\": [\"matrix.float16=300TFLOP/s vector.float16=80TFLOP/s hbm=8GiB@2TB/s "
    "net0=300GB/s,size=8\"]},"
    "  {\"name\": \"nothing\", \"gpus\": 7, \"axes\": {\"tensor\": 2}, \"systems\": ["
    "   \"matrix.float16=300TFLOP/s vector.float16=80TFLOP/s hbm=8GiB@2TB/s "
    "net0=300GB/s,size=8\"]}]}";

/* 4 models and machines x 400 sizes of searches that take well below a millisecond. */
static const char many[] =
    "{\"framework\": \"calculon\", \"batch\": [8, 16], \"top\": 2,"
    " \"models\": [{\"name\": \"m\", \"layers\": [4, 6], \"hidden\": 512,"
    "   \"feedforward\": 2048, \"heads\": 8, \"sequence\": 256}],"
    " \"systems\": [\"matrix.float16=300TFLOP/s vector.float16=80TFLOP/s hbm=1GiB@2TB/s "
    "net0=300GB/s,size=4 net1=25GB/s,size=65536\"], \"gpus\": \"1..100 +1\"}";

static char folder[64], path[96];

static void open_folder(void)
{
    strcpy(folder, P_tmpdir "/reckon-XXXXXX");
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/study.db", folder);
}

static void close_folder(void)
{
    char command[256];
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", folder, folder);
    if (system(command) != 0) cr_log_warn("%s was left", folder);
}

TestSuite(study_run, .init = open_folder, .fini = close_folder);

static struct study *parse(const char *text)
{
    struct study *study = NULL;
    struct rk_error error = {0};
    cr_assert_eq(study_parse("mini.json", text, strlen(text), rk_model_load, &study, &error), RK_OK,
                 "%d:%d: %s", error.line, error.column, error.text);
    return study;
}

static struct study_database *open_database(enum study_access access)
{
    struct study_database *database = NULL;
    struct rk_error error = {0};
    cr_assert_eq(study_database_open(path, access, &database, &error), RK_OK, "%s", error.text);
    return database;
}

/* Runs what is missing; returns what the plan said before. */
static struct study_plan update(const struct study *study, struct study_database *database,
                                int jobs)
{
    struct study_plan plan;
    struct rk_error error = {0};
    cr_assert_eq(study_plan(study, -1, database, &plan, &error), RK_OK, "%s", error.text);
    cr_assert_eq(study_update(study, database, &plan, jobs, NULL, NULL, &error), RK_OK, "%s",
                 error.text);
    return plan;
}

/* ---- all that an export holds, as text ---- */

static enum rk_status print_row(void *context, int columns, const char *const *names,
                                const struct study_value *values, struct rk_error *error)
{
    (void)names;
    (void)error;
    for (int i = 0; i < columns; i++) {
        if (values[i].type == STUDY_TEXT)
            fprintf(context, "%s,", values[i].text);
        else if (values[i].type == STUDY_NULL)
            fputs("-,", context);
        else
            fprintf(context, "%.17g,", values[i].real);
    }
    fputc('\n', context);
    return RK_OK;
}

static char *export_text(const struct study *study, struct study_database *database)
{
    char *text = NULL, *sql = study_export_sql(study, -1);
    size_t size;
    FILE *to = open_memstream(&text, &size);
    struct rk_error error = {0};
    cr_assert_eq(study_query(database, sql, print_row, to, &error), RK_OK, "%s", error.text);
    fclose(to);
    free(sql);
    return text;
}

/* The export of an uninterrupted run with one thread, in a database of its own. */
static char *expected_text(const struct study *study)
{
    struct study_database *database;
    snprintf(path, sizeof path, "%s/expected.db", folder);
    database = open_database(STUDY_WRITE);
    struct study_plan plan = update(study, database, 1);
    char *text = export_text(study, database);
    study_plan_release(&plan);
    study_database_close(database);
    snprintf(path, sizeof path, "%s/study.db", folder);
    return text;
}

static int64_t number(struct study_database *database, const char *sql)
{
    int64_t value = -1;
    (void)database;
    sqlite3 *sqlite;
    sqlite3_stmt *statement;
    cr_assert_eq(sqlite3_open_v2(path, &sqlite, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(sqlite, sql, -1, &statement, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(sqlite));
    if (sqlite3_step(statement) == SQLITE_ROW) value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(sqlite);
    return value;
}

/* ---- against searches one by one ---- */

struct best_of {
    double sample_s;
    struct rk_plan plan;
};

/* One search per data degree: within it the batch is the same, so that the shortest step is the
 * highest rate. */
static void check_by_degrees(const struct study *study, const struct study_row *row)
{
    const struct study_point *point = &study->point[row->point];
    struct rk_plans_problem problem;
    struct best_of best = {.sample_s = 0};
    uint64_t total = 0, fits = 0;
    study_problem(study, point, &problem);
    for (uint64_t data = 1; data <= point->gpus; data++) {
        struct rk_answer result;
        const struct rk_query options = {.top = 1, .threads = 1};
        problem.pinned[RK_PLAN_DATA].count = 1;
        problem.pinned[RK_PLAN_DATA].value[0] = data;
        struct rk_space *space = rk_plans_open(&problem, NULL);
        cr_assert_eq(rk_ask(space, &options, &result, NULL), RK_OK);
        total += result.counts.total;
        fits += result.counts.verdict[RK_FITS][0];
        for (uint64_t i = 0; i < result.found; i++) {
            struct rk_plan plan;
            rk_plans_plan(space, result.best[i].index, &plan);
            const double sample_s = result.best[i].step_s / (double)plan.batch;
            if (best.sample_s == 0 || sample_s < best.sample_s)
                best = (struct best_of){sample_s, plan};
        }
        rk_answer_release(&result);
        rk_space_close(space);
    }
    cr_expect_eq(row->counts.total, total);
    cr_expect_eq(row->counts.verdict[RK_FITS][0], fits);
    cr_expect_eq(row->found, fits < point->top ? fits : point->top);
    if (!row->found) return;
    cr_expect_eq(row->best[0].outcome.step_s / (double)row->best[0].plan.batch, best.sample_s);
}

/* Every strategy, one estimate at a time: counts, and the whole ranking with its positions. */
static void check_by_strategies(const struct study *study, const struct study_row *row)
{
    const struct study_point *point = &study->point[row->point];
    struct rk_plans_problem problem;
    uint64_t fits = 0, better[5] = {0};
    study_problem(study, point, &problem);
    struct rk_space *space = rk_plans_open(&problem, NULL);
    cr_expect_eq(row->counts.total, rk_space_count(space));
    for (uint64_t i = 0; i < rk_space_count(space); i++) {
        static struct rk_prediction p;
        struct rk_plan plan;
        rk_plans_plan(space, i, &plan);
        if (rk_predict(problem.model, problem.system, &plan, &p) != RK_FITS) continue;
        const double sample_s = p.step_s / (double)plan.batch;
        fits++;
        for (uint64_t k = 0; k < row->found; k++) {
            const struct study_best *kept = &row->best[k];
            const double kept_s = kept->outcome.step_s / (double)kept->plan.batch;
            better[k] += sample_s < kept_s || (sample_s == kept_s && i < kept->position);
        }
    }
    cr_expect_eq(row->counts.verdict[RK_FITS][0], fits);
    for (uint64_t k = 0; k < row->found; k++) {
        struct rk_plan plan;
        cr_expect_eq(better[k], k); /* so many stand before it */
        rk_plans_plan(space, row->best[k].position, &plan);
        cr_expect_eq(memcmp(&plan, &row->best[k].plan, sizeof plan), 0);
    }
    rk_space_close(space);
}

struct checker {
    const struct study *study;
    size_t seen;
    bool all_strategies;
};

static enum rk_status check_rows(void *context, const struct study_row *rows, size_t count,
                                 struct rk_error *error)
{
    struct checker *checker = context;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        check_by_degrees(checker->study, &rows[i]);
        if (checker->all_strategies || checker->study->point[rows[i].point].gpus < 12)
            check_by_strategies(checker->study, &rows[i]);
    }
    checker->seen += count;
    return RK_OK;
}

static size_t check_study(const char *text, bool all_strategies)
{
    struct study *study = parse(text);
    struct checker checker = {study, 0, all_strategies};
    const struct study_run_options options = {.jobs = 2, .sink = check_rows, .context = &checker};
    size_t *points = malloc(study->points * sizeof *points);
    struct rk_error error = {0};
    for (size_t i = 0; i < study->points; i++)
        points[i] = i;
    cr_assert_eq(study_run(study, points, study->points, &options, &error), RK_OK, "%s",
                 error.text);
    cr_expect_eq(checker.seen, study->points);
    free(points);
    study_close(study);
    return checker.seen;
}

Test(study_run, miniature_is_what_searches_one_by_one_say)
{
    cr_expect_eq(check_study(miniature, false), 2 * 2 * 4 + 2 * 3 + 2);
}

Test(study_run, rankings_are_those_of_all_strategies)
{
    /* 20 GPUs and at most 18 samples: data degrees 1 2 4 5 10 20(not allowed) make batches 18 18 16
     * 15 10. */
    check_study("{\"batch\": 18, \"top\": 5, \"gpus\": 20, \"models\": [{\"name\": \"m\","
                "\"layers\": 4, \"hidden\": 1024, \"feedforward\": 4096, \"heads\": 16,"
                "\"sequence\": 512}], \"axes\": {\"tensor\": [1, 2, 4, 5]}, \"systems\": ["
                "\"matrix.float16=300TFLOP/s vector.float16=80TFLOP/s hbm=2GiB@2TB/s "
                "net0=300GB/s,size=4 net1=25GB/s,size=65536\"]}",
                true);
}

/* ---- the database ---- */

Test(study_run, resumes_and_does_not_depend_on_jobs)
{
    struct study *study = parse(miniature);
    char *expected = expected_text(study), *got;
    struct study_database *database = open_database(STUDY_WRITE);
    struct study_plan plan = update(study, database, 3);
    cr_expect_eq(plan.missing, study->points);
    cr_expect_eq(plan.finished, 0);
    study_plan_release(&plan);
    got = export_text(study, database);
    cr_expect_str_eq(got, expected);
    free(got);
    study_database_close(database);

    database = open_database(STUDY_WRITE);
    plan = update(study, database, 2);
    cr_expect_eq(plan.missing, 0);
    cr_expect_eq(plan.finished, study->points);
    got = export_text(study, database);
    cr_expect_str_eq(got, expected);
    free(got);
    free(expected);
    study_plan_release(&plan);
    study_database_close(database);
    study_close(study);
}

Test(study_run, a_changed_study_makes_what_is_new_and_keeps_the_rest)
{
    const char *one =
        "{\"batch\": 8, \"gpus\": [2, 4], \"models\": [{\"name\": \"m\", \"layers\": 4,"
        "\"hidden\": 512, \"feedforward\": 2048, \"heads\": 8, \"sequence\": 256}],"
        "\"systems\": [\"matrix.float16=300TFLOP/s vector.float16=80TFLOP/s "
        "hbm=1GiB@2TB/s net0=300GB/s,size=4\"]}";
    char two[1024];
    snprintf(two, sizeof two, "%s", one);
    memcpy(strstr(two, "[2, 4]"), "[4, 8]", 6);
    struct study *first = parse(one), *second = parse(two);
    struct study_database *database = open_database(STUDY_WRITE);
    struct study_plan plan = update(first, database, 2);
    study_plan_release(&plan);
    plan = update(second, database, 2);
    cr_expect_eq(plan.finished, 1);
    cr_expect_eq(plan.missing, 1);
    study_plan_release(&plan);
    cr_expect_eq(number(database, "SELECT count(*) FROM search"), 3);
    cr_expect_eq(number(database, "SELECT count(*) FROM stale"), 1);
    cr_expect_eq(number(database, "SELECT count(*) FROM result"), 2);
    cr_expect_eq(number(database, "SELECT finished FROM progress"), 2);
    plan = update(first, database, 2); /* what was left out is still there */
    cr_expect_eq(plan.missing, 0);
    study_plan_release(&plan);
    study_database_close(database);
    study_close(first);
    study_close(second);
}

Test(study_run, another_version_of_the_model_makes_all_again)
{
    struct study *study = parse(miniature);
    char *expected = expected_text(study), *got;
    struct study_database *database = open_database(STUDY_WRITE);
    struct study_plan plan = update(study, database, 2);
    study_plan_release(&plan);
    number(database, "UPDATE search SET version = 0, fits = 1 WHERE id <= 7");
    cr_expect_eq(number(database, "SELECT count(*) FROM result"), (int64_t)study->points - 7);
    plan = update(study, database, 2);
    cr_expect_eq(plan.outdated, 7);
    cr_expect_eq(plan.missing, 7);
    study_plan_release(&plan);
    got = export_text(study, database);
    cr_expect_str_eq(got, expected);
    cr_expect_eq(number(database, "SELECT count(*) FROM search"), (int64_t)study->points);
    cr_expect_eq(number(database, "SELECT count(*) FROM strategy WHERE search NOT IN "
                                  "(SELECT id FROM search)"),
                 0);
    free(got);
    free(expected);
    study_database_close(database);
    study_close(study);
}

struct stopper {
    size_t after;
};

static bool stop_after(void *context, const struct study_progress *progress)
{
    const struct stopper *stopper = context;
    return progress->done < stopper->after;
}

Test(study_run, an_interrupted_run_keeps_what_is_finished)
{
    /* More points than finished searches can wait to be written, twice (MAX_WAITING in
     * study/run.c): however slow the thread that writes, some are left when it asks to stop. */
    static const char more[] =
        "{\"batch\": [8, 16], \"top\": 2,"
        " \"models\": [{\"name\": \"m\", \"layers\": [4, 6], \"hidden\": 512,"
        "   \"feedforward\": 2048, \"heads\": 8, \"sequence\": 256}],"
        " \"systems\": [\"matrix.float16=300TFLOP/s vector.float16=80TFLOP/s hbm=1GiB@2TB/s "
        "net0=300GB/s,size=4 net1=25GB/s,size=65536\"], \"gpus\": \"1..640 +1\"}";
    struct study *study = parse(more);
    struct stopper stopper = {20};
    char *expected = expected_text(study), *got;
    struct study_database *database = open_database(STUDY_WRITE);
    struct study_plan plan;
    struct rk_error error = {0};
    cr_assert_eq(study_plan(study, -1, database, &plan, &error), RK_OK);
    cr_expect_eq(study_update(study, database, &plan, 2, stop_after, &stopper, &error),
                 RK_INTERRUPTED);
    cr_expect(strstr(error.text, "goes on where it stopped"), "%s", error.text);
    study_plan_release(&plan);
    study_database_close(database);

    database = open_database(STUDY_WRITE);
    plan = update(study, database, 2);
    cr_expect(plan.finished >= 20 && plan.missing > 0, "%zu finished", plan.finished);
    got = export_text(study, database);
    cr_expect_str_eq(got, expected);
    free(got);
    free(expected);
    study_plan_release(&plan);
    study_database_close(database);
    study_close(study);
}

Test(study_run, killed_at_any_moment)
{
    struct study *study = parse(many);
    char *expected = expected_text(study), *got;
    unsigned seed = 12345;
    int kills = 0, state;
    do {
        const pid_t child = fork();
        if (child == 0) {
            struct study_plan plan;
            struct study_database *database;
            if (study_database_open(path, STUDY_WRITE, &database, NULL) != RK_OK) _exit(3);
            if (study_plan(study, -1, database, &plan, NULL) != RK_OK) _exit(4);
            if (study_update(study, database, &plan, 2, NULL, NULL, NULL) != RK_OK) _exit(5);
            study_database_close(database);
            _exit(0);
        }
        if (kills < DRAWN(25)) {
            seed = seed * 1103515245 + 12345;
            usleep(500 + seed / 65536 % 12000);
            kill(child, SIGKILL);
        }
        waitpid(child, &state, 0);
        kills++;
    } while (WIFSIGNALED(state));
    cr_expect(WIFEXITED(state) && WEXITSTATUS(state) == 0, "exit %d", WEXITSTATUS(state));
    struct study_database *database = open_database(STUDY_WRITE);
    struct study_plan plan = update(study, database, 2);
    cr_expect_eq(plan.missing, 0);
    got = export_text(study, database);
    cr_expect_str_eq(got, expected);
    cr_expect_eq(number(database, "SELECT count(*) FROM search"), (int64_t)plan.searches);
    free(got);
    free(expected);
    study_plan_release(&plan);
    study_database_close(database);
    study_close(study);
}

Test(study_run, a_full_disk_loses_nothing)
{
    struct study *study = parse(many);
    char *expected = expected_text(study), *got;
    struct study_database *database = open_database(STUDY_WRITE);
    struct study_plan plan;
    struct rk_error error = {0};
    study_database_limit(database, 120);
    cr_assert_eq(study_plan(study, -1, database, &plan, &error), RK_OK);
    cr_expect_eq(study_update(study, database, &plan, 2, NULL, NULL, &error), RK_IO);
    cr_expect(strstr(error.text, "the disk is full"), "%s", error.text);
    study_plan_release(&plan);
    study_database_close(database);

    database = open_database(STUDY_WRITE);
    plan = update(study, database, 2);
    cr_expect(plan.finished > 10 && plan.missing > 10, "%zu finished", plan.finished);
    got = export_text(study, database);
    cr_expect_str_eq(got, expected);
    free(got);
    free(expected);
    study_plan_release(&plan);
    study_database_close(database);
    study_close(study);
}

static enum rk_status fail_to_open(enum study_access access, struct rk_error *error)
{
    struct study_database *database = NULL;
    const enum rk_status status = study_database_open(path, access, &database, error);
    cr_expect_neq(status, RK_OK);
    cr_expect_null(database);
    return status;
}

Test(study_run, two_runs_on_one_database)
{
    struct study *study = parse(miniature);
    struct study_database *database = open_database(STUDY_WRITE);
    struct rk_error error = {0};
    cr_expect_eq(fail_to_open(STUDY_WRITE, &error), RK_IO);
    cr_expect(strstr(error.text, "another run of a study is writing it"), "%s", error.text);
    struct study_plan plan = update(study, database, 2);
    study_plan_release(&plan);
    struct study_database *reader = open_database(STUDY_READ); /* reading is always possible */
    cr_assert_eq(study_plan(study, -1, reader, &plan, &error), RK_OK);
    cr_expect_eq(plan.missing, 0);
    study_plan_release(&plan);
    study_database_close(database); /* while someone reads */
    study_database_close(reader);
    database = open_database(STUDY_WRITE);
    study_database_close(database);
    study_close(study);
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs(text, file);
    fclose(file);
}

Test(study_run, files_that_are_no_database_of_a_study)
{
    struct rk_error error = {0};
    char said[2048] = "";
    for (int i = 0; i < 100; i++)
        strcat(said, "no database ");
    write_file(said);
    cr_expect_eq(fail_to_open(STUDY_WRITE, &error), RK_BAD_INPUT);
    cr_expect(strstr(error.text, "is not a database"), "%s", error.text);

    unlink(path);
    sqlite3 *sqlite;
    sqlite3_open(path, &sqlite);
    sqlite3_exec(sqlite, "CREATE TABLE search(x)", NULL, NULL, NULL);
    sqlite3_close(sqlite);
    cr_expect_eq(fail_to_open(STUDY_WRITE, &error), RK_BAD_INPUT);
    cr_expect(strstr(error.text, "another program"), "%s", error.text);
    cr_expect_eq(number(NULL, "SELECT count(*) FROM sqlite_master"), 1); /* left alone */

    unlink(path);
    study_database_close(open_database(STUDY_WRITE));
    number(NULL, "PRAGMA user_version = 7");
    cr_expect_eq(fail_to_open(STUDY_READ, &error), RK_BAD_INPUT);
    cr_expect(strstr(error.text, "another version of reckon (schema 7"), "%s", error.text);
    number(NULL, "PRAGMA user_version = 1");
    number(NULL, "DROP TABLE strategy"); /* as if there had been other figures */
    number(NULL, "CREATE TABLE strategy(search INTEGER, rank INTEGER)");
    cr_expect_eq(fail_to_open(STUDY_WRITE, &error), RK_BAD_INPUT);
    cr_expect(strstr(error.text, "another version of reckon"), "%s", error.text);
}

Test(study_run, places_that_cannot_be_written)
{
    struct rk_error error = {0};
    cr_expect_eq(fail_to_open(STUDY_READ, &error), RK_IO); /* not there */
    cr_expect(strstr(error.text, "run the study first"), "%s", error.text);
    snprintf(path, sizeof path, "%s", folder);
    cr_expect_eq(fail_to_open(STUDY_WRITE, &error), RK_IO); /* a directory */
    snprintf(path, sizeof path, "%s/no/study.db", folder);
    cr_expect_eq(fail_to_open(STUDY_WRITE, &error), RK_IO);
    cr_expect(strstr(error.text, "No such file"), "%s", error.text);
    if (geteuid() == 0) return; /* may write anywhere */
    snprintf(path, sizeof path, "%s/study.db", folder);
    chmod(folder, 0500);
    cr_expect_eq(fail_to_open(STUDY_WRITE, &error), RK_IO);
    cr_expect(strstr(error.text, "Permission denied"), "%s", error.text);
}

Test(study_run, queries_only_read)
{
    struct study *study = parse(miniature);
    struct study_database *database = open_database(STUDY_WRITE);
    struct rk_error error = {0};
    study_write_grid(study, database, &error);
    static const char *const wrong[] = {"DELETE FROM search", "SELECT 1; DELETE FROM search", "",
                                        "SELECT nothing FROM nowhere", "DROP TABLE point"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_eq(study_query(database, wrong[i], print_row, stderr, &error), RK_BAD_ARGUMENT,
                     "%s", wrong[i]);
    cr_expect_eq(number(database, "SELECT count(*) FROM point"), (int64_t)study->points);
    study_database_close(database);
    study_close(study);
}
