/* reckon capture: run a script with stand-ins for what starts a training, and write down the
 * command that it would have started, with all its arguments. */
#include "base/memory.h"
#include "cli/capture.h"
#include "cli/commands.h"
#include "cli/show.h"
#include "keys/detect.h"
#include "text/output.h"
#include "text/save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct capture_args {
    struct option_texts words;
    uint64_t started;
    const char *output;
};

#define AT(member) .offset = offsetof(struct capture_args, member)

/* clang-format off */
static const struct operand capture_operands[] = {
    {.name = "COMMAND", AT(words), .optional = OPERAND_MANY, .complete = "file"},
    {.name = NULL},
};

static const struct option capture_rows[] = {
    {.name = "started", .type = OPTION_NUMBER, .argument = "N", AT(started), .min = 1, .max = 10000},
    {.letter = 'o', .name = "output", .data = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = NULL},
};

const struct usage capture_usage = {
#include "help/capture.h"
    .operands = capture_operands,
    .groups = {
        {"Record", capture_rows, 0},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

/* ---- the run ---- */

static enum rk_status make_names(const char *folder, struct rk_error *error)
{
    char own[4096], path[4200];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    for (const char *const *name = capture_names; *name; name++) {
        snprintf(path, sizeof path, "%s/%s", folder, *name);
        if (length <= 0 || symlink(own, path) != 0)
            return rk_fail(error, RK_IO, path, 0, 0, "cannot be made: %s", strerror(errno));
    }
    return RK_OK;
}

static void remove_names(const char *folder)
{
    char path[4200];
    for (const char *const *name = capture_names; *name; name++) {
        snprintf(path, sizeof path, "%s/%s", folder, *name);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/started", folder);
    unlink(path);
    rmdir(folder);
}

/* In the child: standard output goes to standard error, so that ours is the record alone. */
static void become(const struct option_texts *words, const char *folder)
{
    char *argv[OPTION_MAX_VALUES + 1] = {NULL};
    const char *old = getenv("PATH");
    const size_t size = strlen(folder) + strlen(old ? old : "") + 2;
    char *path = malloc(size);
    for (int i = 0; i < words->count; i++)
        argv[i] = (char *)words->text[i];
    if (path) {
        snprintf(path, size, "%s:%s", folder, old ? old : "");
        setenv(CAPTURE_FOLDER, folder, 1);
        setenv(CAPTURE_PATH, old ? old : "", 1);
        setenv("PATH", path, 1);
        dup2(2, 1);
        execvp(argv[0], argv);
    }
    fprintf(stderr, "reckon: %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

static enum rk_status run(const struct option_texts *words, const char *folder,
                          struct rk_error *error)
{
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        return rk_fail(error, RK_IO, NULL, 0, 0, "cannot start a process: %s", strerror(errno));
    if (child == 0) become(words, folder);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return rk_fail(error, RK_IO, NULL, 0, 0, "%s: a command was not found", words->text[0]);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fprintf(stderr,
                "reckon: warning: %s ended with status %d: what it started before that "
                "counts\n",
                words->text[0], WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return RK_OK;
}

/* ---- the record ---- */

struct started {
    const char *folder, *variables, *line;
    const struct tool_sign *sign; /* NULL: of no known tool */
};

static enum rk_status read_bytes(const char *path, char **bytes, size_t *size,
                                 struct rk_error *error)
{
    FILE *file = fopen(path, "r");
    size_t room = 0;
    enum rk_status status = file ? RK_OK : rk_fail(error, RK_IO, path, 0, 0, "cannot be read");
    for (size_t got = 1; status == RK_OK && got; *size += got) {
        if (!ARRAY_RESERVE(*bytes, room, *size + 65536)) status = no_memory(error);
        got = status == RK_OK ? fread(*bytes + *size, 1, 65535, file) : 0;
    }
    if (file) fclose(file);
    if (status == RK_OK) (*bytes)[*size] = '\0';
    return status;
}

static size_t read_started(char *bytes, size_t size, struct started **list)
{
    size_t count = 0;
    *list = NULL;
    for (char *at = bytes, *end = bytes + size; at < end;) {
        const char *part[3];
        for (int i = 0; i < 3; i++) {
            part[i] = at;
            at += strlen(at) + (at < end);
        }
        if (!ARRAY_ROOM(*list, count)) return count;
        (*list)[count++] = (struct started){part[0], part[1], part[2], detect_tool(part[2])};
    }
    return count;
}

static const struct started *choose(const struct started *list, size_t count, uint64_t wanted,
                                    struct rk_error *error)
{
    const struct started *found = count ? &list[count - 1] : NULL;
    if (wanted > count) {
        rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--started %llu: %zu commands were started",
                (unsigned long long)wanted, count);
        return NULL;
    }
    if (wanted) return &list[wanted - 1];
    for (size_t i = count; i-- > 0;)
        if (list[i].sign && list[i].sign->format) return &list[i];
    return found;
}

static void put_script(FILE *file, const void *context)
{
    const struct started *s = context;
    fprintf(file, "#!/bin/bash\n# recorded by reckon capture%s%s\ncd '%s'\n", s->sign ? ": " : "",
            s->sign ? s->sign->tool : "", s->folder);
    if (*s->variables) fprintf(file, "export %s\n", s->variables);
    fprintf(file, "%s\n", s->line);
}

static enum rk_status write_record(const struct capture_args *args, const char *folder,
                                   struct rk_error *error)
{
    char path[4200], *bytes = NULL;
    size_t size = 0;
    struct started *list = NULL;
    snprintf(path, sizeof path, "%s/started", folder);
    if (access(path, R_OK) != 0)
        return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                       "nothing was started by torchrun, srun, mpirun, deepspeed, accelerate, "
                       "axolotl, llamafactory-cli or python: is it called by another name, or with "
                       "a path?");
    enum rk_status status = read_bytes(path, &bytes, &size, error);
    const size_t count = status == RK_OK ? read_started(bytes, size, &list) : 0;
    const struct started *one = status == RK_OK ? choose(list, count, args->started, error) : NULL;
    if (status == RK_OK && !one) status = error->status;
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "reckon: started %zu%s: %.120s%s\n", i + 1,
                &list[i] == one ? " (taken)" : "", list[i].line,
                strlen(list[i].line) > 120 ? "..." : "");
    if (one) status = save_file(args->output ? args->output : "-", put_script, one, error);
    free(list);
    free(bytes);
    return status;
}

int cmd_capture(int argc, char **argv)
{
    struct capture_args args = {.output = NULL};
    struct rk_error error;
    char folder[4096];
    const char *temporary = getenv("TMPDIR");
    const int done = options_read(&capture_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (!args.words.count) {
        rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "COMMAND is missing: reckon capture -- bash run.sh");
        return options_fail(&error);
    }
    snprintf(folder, sizeof folder, "%.3900s/reckon-capture-XXXXXX",
             temporary && *temporary ? temporary : P_tmpdir);
    if (!mkdtemp(folder)) {
        rk_fail(&error, RK_IO, folder, 0, 0, "cannot be made: %s", strerror(errno));
        return options_fail(&error);
    }
    enum rk_status status = make_names(folder, &error);
    if (status == RK_OK) status = run(&args.words, folder, &error);
    if (status == RK_OK) status = write_record(&args, folder, &error);
    remove_names(folder);
    return status == RK_OK ? RK_OK : options_fail(&error);
}
