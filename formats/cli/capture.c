#include "cli/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
const char *const capture_names[] = {
    "torchrun", "srun", "mpirun", "mpiexec", "deepspeed", "accelerate", "axolotl", "llamafactory-cli", "llama-factory",
    "swift", "megatron", "colossalai", "ray", "python", "python3", NULL,
};
/* Which of them start something else, and with which variables ranks look for themselves. */
static const char *const wrappers[] = {"srun", "mpirun", "mpiexec", NULL};

/* Values that the plan of a run may depend on. */
static const char *const variables[] = {
    "CUDA_DEVICE_MAX_CONNECTIONS", "WORLD_SIZE", "NNODES", "NUM_NODES", "GPUS_PER_NODE", "NPROC_PER_NODE", "CUDA_VISIBLE_DEVICES",
    "SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE", "SLURM_GPUS_PER_NODE", "SLURM_GPUS_ON_NODE", NULL,
};
/* clang-format on */

enum { LINE = 1 << 17 };

static bool is_one(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool capture_stands_in(const char *name)
{
    return getenv(CAPTURE_FOLDER) && is_one(capture_names, base_of(name));
}

/* Appends a word as a shell reads it; false: there is no room. */
static bool capture_quote(char *line, unsigned long size, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
    size_t used = strlen(line);
    const bool quoted = !*word || strspn(word, plain) != strlen(word);
    if (used + 4 * strlen(word) + 4 > size) return false;
    if (used) line[used++] = ' ';
    if (quoted) line[used++] = '\'';
    for (; *word; word++) {
        if (*word == '\'')
            used += (size_t)sprintf(line + used, "'\\''");
        else
            line[used++] = *word;
    }
    if (quoted) line[used++] = '\'';
    line[used] = '\0';
    return true;
}

/* Index of the first word after the options that is a program: the one that srun or mpirun starts.
 * 0: none. */
static int find_inner(int argc, char **argv)
{
    char path[4096];
    for (int i = 1; i < argc; i++) {
        const char *folders = getenv("PATH");
        if (argv[i][0] == '-') continue;
        if (strchr(argv[i], '/') && access(argv[i], X_OK) == 0) return i;
        while (folders && *folders && !strchr(argv[i], '/')) {
            const size_t n = strcspn(folders, ":");
            snprintf(path, sizeof path, "%.*s/%s", (int)n, folders, argv[i]);
            if (n && access(path, X_OK) == 0) return i;
            folders += n + (folders[n] == ':');
        }
    }
    return 0;
}

/* What the real Python does: one that only computes, or asks. */
static bool is_helper(int argc, char **argv)
{
    int i = 1;
    while (i < argc && argv[i][0] == '-' && argv[i][1] && !strchr("cm", argv[i][1]))
        i++;
    if (i == argc || strcmp(argv[i], "-") == 0) return true;
    if (strcmp(argv[i], "-m") == 0 && i + 1 < argc) {
        static const char *const own[] = {"pip", "json.tool", "venv", "site", "http.server", NULL};
        return is_one(own, argv[i + 1]);
    }
    return argv[i][0] == '-';
}

/* A record: folder, variables, the line; each ended by a zero. */
static void write_down(const char *line)
{
    char path[4096], folder[4096], set[LINE] = "", word[1024];
    snprintf(path, sizeof path, "%s/started", getenv(CAPTURE_FOLDER));
    if (!getcwd(folder, sizeof folder)) *folder = '\0';
    for (const char *const *v = variables; *v; v++) {
        if (!getenv(*v)) continue;
        snprintf(word, sizeof word, "%s=%s", *v, getenv(*v));
        capture_quote(set, sizeof set, word);
    }
    FILE *file = fopen(path, "a");
    if (!file) return;
    fprintf(file, "%s%c%s%c%s%c", folder, 0, set, 0, line, 0);
    fclose(file);
}

static int become(const char *name, char **argv)
{
    setenv("PATH", getenv(CAPTURE_PATH), 1);
    execvp(name, argv);
    fprintf(stderr, "reckon: %s: %s\n", name, strerror(errno));
    return 127;
}

int capture_stand_in(int argc, char **argv)
{
    const char *name = base_of(argv[0]), *outer = getenv(CAPTURE_OUTER);
    static char line[LINE];
    if (strncmp(name, "python", 6) == 0 && is_helper(argc, argv)) return become(name, argv);
    const int inner = is_one(wrappers, name) ? find_inner(argc, argv) : 0;
    snprintf(line, sizeof line, "%s", outer ? outer : "");
    bool whole = capture_quote(line, sizeof line, name);
    for (int i = 1; i < (inner ? inner : argc); i++)
        whole = whole && capture_quote(line, sizeof line, argv[i]);
    if (!whole) {
        fprintf(stderr, "reckon: %s is started with more than %d bytes of arguments\n", name, LINE);
        return 1;
    }
    if (inner) {
        setenv(CAPTURE_OUTER, line, 1);
        execvp(argv[inner], argv + inner);
        return 127;
    }
    write_down(line);
    return 0;
}
