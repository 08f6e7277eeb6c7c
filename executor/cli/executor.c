#include "cli/executor.h"

#include "cli/machine_products.h"
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct executor *cli_executor;

/* Programs next to this one that run plans: ranks are threads of the one, processes of the
 * other. */
static const char threads[] = "reckon-run", processes[] = "reckon-mpi";

bool executor_is_asked_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--help", 6) == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

/* How many processes a launcher has started of this one, as it tells them; 1: none has. */
static unsigned long long launched(const char **launcher)
{
    static const struct {
        const char *variable, *launcher;
    } told[] = {{"OMPI_COMM_WORLD_SIZE", "mpirun"},
                {"PMI_SIZE", "mpiexec"},
                {"SLURM_STEP_NUM_TASKS", "srun"}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const char *count = getenv(told[i].variable);
        *launcher = told[i].launcher;
        if (count && strtoull(count, NULL, 10) > 1) return strtoull(count, NULL, 10);
    }
    return 1;
}

/* Are ranks to be processes? Those of a run, unless --ranks asks for threads. */
static bool are_processes(int argc, char **argv, unsigned long long count)
{
    if (count == 1 || (strcmp(argv[0], "train") != 0 && strcmp(argv[0], "eval") != 0)) return false;
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--ranks", strlen("--ranks")) == 0) return false;
    return true;
}

int executor_become(int argc, char **argv)
{
    char path[4096];
    struct rk_error error;
    const char *launcher;
    const unsigned long long count = launched(&launcher);
    const bool several = are_processes(argc, argv, count);
    const char *name = several ? processes : threads;
    char **all = calloc((size_t)argc + 2, sizeof *all);
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof threads);
    if (all) {
        memcpy(all + 1, argv, (size_t)argc * sizeof *all);
        all[0] = path;
        path[length > 0 ? length : 0] = 0;
        char *slash = strrchr(path, '/');
        strcpy(slash ? slash + 1 : path, name);
        setenv("OPENBLAS_NUM_THREADS", "1", 1); /* threads that it starts when loaded would idle */
        setenv("GOMP_SPINCOUNT", "5000", 0);    /* ... and these would wait in a processor's way */
        execv(path, all);
        execvp(name, all);
    }
    free(all);
    if (several)
        rk_fail(
            &error, RK_IO, NULL, 0, 0,
            "%s has started %llu processes: reckon needs %s to run ranks as processes, which is "
            "not installed next to this executable (build with MPI, libopenmpi-dev); --ranks "
            "runs all ranks as threads of each process",
            launcher, count, name);
    else
        rk_fail(&error, RK_IO, NULL, 0, 0,
                "reckon %s needs %s, which is not installed next to this executable (build with "
                "OpenBLAS, libopenblas-dev)",
                argv[0], name);
    return options_fail(&error);
}

void executor_products(bool wide, bool bf16, char *text, size_t room)
{
    struct rk_products p;
    cli_executor->products(&p);
    const bool single = *p.single && !wide;
    snprintf(text, room, "%s%s%s%s%s", p.blas, single ? "; fp32: " : "", single ? p.single : "",
             !bf16     ? ""
             : *p.bf16 ? "; bf16: "
                       : "; bf16 is emulated",
             bf16 ? p.bf16 : "");
}

void executor_warn_of_slow(void)
{
    struct rk_products p;
    cli_executor->products(&p);
    if (*p.slow && cli_executor->rank == 0) fprintf(stderr, "reckon: warning: %s\n", p.slow);
}

enum rk_status executor_same_products(const char *system, struct rk_error *error)
{
    char here[192], measured[192];
    executor_products(false, true, here, sizeof here);
    if (!machine_products(system, measured, sizeof measured) || strcmp(measured, here) == 0)
        return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, system, 0, 0,
                   "was measured with products by %s, and now they are by %s: measure again",
                   measured, here);
}
