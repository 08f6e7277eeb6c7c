#include "mpi/study.h"

#include "cli/exit.h"
#include "huggingface/model_named.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const struct search_team *team;
    int ranks;
    uint64_t strategies; /* of all ranks; known on rank 0 */
} job;

void mpi_study_init(const struct search_team *team, int ranks)
{
    job.team = team;
    job.ranks = ranks;
}

/* What rank 0 sends first; count is -1 when nothing is to be done any more. */
struct order {
    int64_t count; /* points */
    int64_t bytes; /* of the study's text */
    int jobs;
    char path[256];
};

/* ---- rows as bytes ---- */

struct rows {
    char *bytes;
    size_t size, room;
    bool failed;
};

static void rows_append(struct rows *rows, const void *bytes, size_t size)
{
    if (rows->size + size > rows->room) {
        const size_t room = 2 * (rows->size + size);
        char *grown = realloc(rows->bytes, room);
        if (!grown) {
            rows->failed = true;
            return;
        }
        rows->bytes = grown;
        rows->room = room;
    }
    memcpy(rows->bytes + rows->size, bytes, size);
    rows->size += size;
}

/* A sink. The estimates of plans that fit have no reasons, so no pointers travel. */
static enum rk_status collect(void *context, const struct study_row *row, size_t count,
                              struct rk_error *error)
{
    struct rows *rows = context;
    for (size_t i = 0; i < count; i++) {
        rows_append(rows, &row[i], sizeof row[i]);
        rows_append(rows, row[i].best, row[i].found * sizeof *row[i].best);
    }
    if (rows->failed)
        return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "not enough memory for the rows");
    return RK_OK;
}

static enum rk_status write_rows(struct study_writer *writer, char *bytes, size_t size,
                                 struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (size_t at = 0; at < size && status == RK_OK;) {
        struct study_row row;
        memcpy(&row, bytes + at, sizeof row);
        at += sizeof row;
        struct study_best *best = malloc(row.found * sizeof *best + 1);
        if (!best)
            return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "not enough memory for the rows");
        memcpy(best, bytes + at, row.found * sizeof *best);
        at += row.found * sizeof *best;
        row.best = best;
        job.strategies += row.counts.total;
        status = study_write_rows(writer, &row, 1, error);
        free(best);
    }
    return status;
}

/* ---- rounds: all ranks ---- */

enum { ROUND = 16 }; /* claims of a rank in a round, about */

/* This rank's share of points [first, first + count). */
static enum rk_status search_share(const struct study *study, const size_t *points, size_t count,
                                   int jobs, struct rows *rows, struct rk_error *error)
{
    const struct study_run_options options = {.jobs = jobs, .sink = collect, .context = rows};
    const size_t each = (size_t)(jobs > 0 ? jobs : 1);
    const int claims = (int)((count + each - 1) / each);
    enum rk_status status = RK_OK;
    job.team->begin(job.team->context, claims);
    for (int i = job.team->claim(job.team->context); i < claims;
         i = job.team->claim(job.team->context)) {
        const size_t first = (size_t)i * each, left = count - first;
        if (status == RK_OK)
            status = study_run(study, points + first, left < each ? left : each, &options, error);
    }
    return status;
}

/* The rows of all ranks to rank 0, one rank after the other. */
static enum rk_status gather(struct rows *mine, struct study_writer *writer, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    if (job.team->rank > 0) {
        MPI_Send(mine->bytes, (int)mine->size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        return RK_OK;
    }
    status = write_rows(writer, mine->bytes, mine->size, error);
    for (int rank = 1; rank < job.ranks; rank++) {
        MPI_Status message;
        int size;
        MPI_Probe(rank, 0, MPI_COMM_WORLD, &message);
        MPI_Get_count(&message, MPI_BYTE, &size);
        char *bytes = malloc((size_t)size + 1);
        if (!bytes) MPI_Abort(MPI_COMM_WORLD, exit_code(RK_IO)); /* the sender waits */
        MPI_Recv(bytes, size, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (status == RK_OK) status = write_rows(writer, bytes, (size_t)size, error);
        free(bytes);
    }
    return status;
}

/* The first rank that failed tells everybody. */
static enum rk_status agree(enum rk_status status, struct rk_error *error)
{
    struct {
        int failed, rank;
    } mine = {status == RK_OK ? 0 : 1, job.team->rank}, first;
    MPI_Allreduce(&mine, &first, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
    if (!first.failed) return RK_OK;
    MPI_Bcast(error, sizeof *error, MPI_BYTE, first.rank, MPI_COMM_WORLD);
    return error->status;
}

struct watch {
    bool (*progress)(void *context, const struct study_progress *progress);
    void *context;
    double start_s;
};

/* Only rank 0 is watched and can be stopped, between rounds. */
static enum rk_status look(const struct watch *watch, size_t done, size_t total,
                           struct rk_error *error)
{
    const struct study_progress progress = {.done = done,
                                            .total = total,
                                            .share = (double)done / (double)total,
                                            .strategies = job.strategies,
                                            .seconds = MPI_Wtime() - watch->start_s};
    if (!watch->progress || watch->progress(watch->context, &progress)) return RK_OK;
    return rk_fail(error, RK_INTERRUPTED, NULL, 0, 0,
                   "interrupted: what is finished is kept, the same command goes on");
}

static enum rk_status run_rounds(const struct study *study, const size_t *points, size_t count,
                                 int jobs, struct study_writer *writer, const struct watch *watch,
                                 struct rk_error *error)
{
    const size_t round = (size_t)(ROUND * job.ranks * (jobs > 0 ? jobs : 1));
    enum rk_status status = RK_OK;
    for (size_t first = 0; first < count && status == RK_OK; first += round) {
        const size_t units = count - first < round ? count - first : round;
        struct rows rows = {0};
        status = search_share(study, points + first, units, jobs, &rows, error);
        const enum rk_status written = gather(&rows, writer, error);
        free(rows.bytes);
        if (status == RK_OK) status = written;
        if (status == RK_OK && watch) status = look(watch, first + units, count, error);
        status = agree(status, error);
    }
    return status;
}

/* ---- rank 0 ---- */

/* The whole file; NULL when it cannot be read. */
static char *read_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        const long end = ftell(file);
        rewind(file);
        text = end >= 0 ? malloc((size_t)end + 1) : NULL;
        if (text) *size = fread(text, 1, (size_t)end, file);
    }
    fclose(file);
    return text;
}

enum rk_status mpi_study_update(const struct study *study, struct study_database *database,
                                const struct study_plan *plan, int jobs,
                                bool (*progress)(void *context,
                                                 const struct study_progress *progress),
                                void *context, struct rk_error *error)
{
    struct study_writer writer = {study, database};
    const struct watch watch = {progress, context, MPI_Wtime()};
    size_t bytes = 0;
    job.strategies = 0;
    const enum rk_status status = study_write_grid(study, database, error);
    if (status != RK_OK || plan->missing == 0) return status;
    char *text = read_text(study->path, &bytes);
    if (!text)
        return rk_fail(error, RK_BAD_ARGUMENT, study->path, 0, 0,
                       "cannot be read again: name a file that all ranks' studies can come from");
    struct order order = {.count = (int64_t)plan->missing, .bytes = (int64_t)bytes, .jobs = jobs};
    memcpy(order.path, study->path, sizeof order.path);
    MPI_Bcast(&order, sizeof order, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(text, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(plan->point, (int)(plan->missing * sizeof *plan->point), MPI_BYTE, 0, MPI_COMM_WORLD);
    free(text);
    const enum rk_status ready = agree(RK_OK, error);
    if (ready != RK_OK) return ready;
    return run_rounds(study, plan->point, plan->missing, jobs, &writer, &watch, error);
}

void mpi_study_dismiss(void)
{
    struct order order = {.count = -1};
    MPI_Bcast(&order, sizeof order, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* ---- the others ---- */

static void serve(const struct order *order)
{
    struct rk_error error = {0};
    struct study *study = NULL;
    char *text = malloc((size_t)order->bytes + 1);
    size_t *points = malloc((size_t)order->count * sizeof *points);
    if (!text || !points) MPI_Abort(MPI_COMM_WORLD, exit_code(RK_IO)); /* rank 0 waits */
    MPI_Bcast(text, (int)order->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(points, (int)((size_t)order->count * sizeof *points), MPI_BYTE, 0, MPI_COMM_WORLD);
    enum rk_status status =
        study_parse(order->path, text, (size_t)order->bytes, model_by_name, &study, &error);
    status = agree(status, &error);
    if (status == RK_OK)
        run_rounds(study, points, (size_t)order->count, order->jobs, NULL, NULL, &error);
    study_close(study);
    free(text);
    free(points);
}

void mpi_study_serve(void)
{
    struct order order;
    for (;;) {
        MPI_Bcast(&order, sizeof order, MPI_BYTE, 0, MPI_COMM_WORLD);
        if (order.count < 0) return;
        serve(&order);
    }
}
