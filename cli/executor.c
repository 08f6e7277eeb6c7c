#include "cli/executor.h"

#include "cli/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct executor *cli_executor;

static const char name[] = "reckon-run";

bool executor_is_asked_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--help", 6) == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

int executor_become(int argc, char **argv)
{
    char path[4096];
    struct rk_error error;
    char **all = calloc((size_t)argc + 2, sizeof *all);
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof name);
    if (all) {
        memcpy(all + 1, argv, (size_t)argc * sizeof *all);
        all[0] = path;
        path[length > 0 ? length : 0] = 0;
        char *slash = strrchr(path, '/');
        strcpy(slash ? slash + 1 : path, name);
        execv(path, all);
        execvp(name, all);
    }
    free(all);
    rk_fail(&error, RK_IO, NULL, 0, 0,
            "reckon %s is done by %s, which is not beside this executable: it is built where "
            "OpenBLAS is "
            "(libopenblas-dev)",
            argv[0], name);
    return options_fail(&error);
}
