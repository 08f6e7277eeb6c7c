/* mcp_run.c - a command in a child process, which is stopped when it takes too long. */
#include "base/clock.h"
#include "base/limits.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/mcp.h"
#include "cli/show.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

/* The child: standard input is empty, so that "-" of an argument never reads the protocol. */
static void become(const struct mcp_words *words, const int out[2], const int errors[2])
{
    struct rk_error error;
    char *word[MCP_WORDS + 1];
    memcpy(word, words->word, sizeof word);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(out[1], 1) < 0 || dup2(errors[1], 2) < 0)
        _exit(exit_code(RK_IO));
    close(out[0]);
    close(errors[0]);
    signal(SIGINT, SIG_IGN); /* the server ends it */
    const struct command *command = options_command(main_commands, word[0], &error);
    const int code = command ? command->run(words->count, word) : options_fail(&error);
    const int finished = exit_code(show_finish(code));
    fflush(NULL);
    _exit(finished);
}

/* What is there of one pipe; false: it ended, or more came than is kept. */
static bool take(int from, char **text, size_t *bytes, size_t *room)
{
    if (!ARRAY_RESERVE(*text, *room, *bytes + PIECE + 1)) return false;
    const ssize_t got = read(from, *text + *bytes, PIECE);
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    *bytes += (size_t)got;
    (*text)[*bytes] = '\0';
    return got > 0 && *bytes <= MOST_ANSWER_BYTES;
}

/* Reads both pipes until they end; false: the time is over, or it prints too much. */
static bool drain(int out, int errors, double until_s, struct mcp_output *o)
{
    struct pollfd fds[2] = {{.fd = out, .events = POLLIN}, {.fd = errors, .events = POLLIN}};
    size_t room[2] = {0, 0};
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        const double left = until_s - now_s();
        if (left <= 0) break;
        if (poll(fds, 2, left > 1 ? 1000 : (int)(1000 * left) + 1) < 0 && errno != EINTR) break;
        if (fds[0].revents && !take(out, &o->text, &o->bytes, &room[0])) fds[0].fd = -1;
        if (fds[1].revents && !take(errors, &o->remarks, &o->remark_bytes, &room[1]))
            fds[1].fd = -1;
    }
    return fds[0].fd < 0 && fds[1].fd < 0 && o->bytes <= MOST_ANSWER_BYTES;
}

static void wait_for(pid_t child, bool whole, double seconds, struct mcp_output *o)
{
    int status = 0;
    if (!whole) kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    o->code = whole && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (!whole && o->bytes > MOST_ANSWER_BYTES)
        snprintf(o->why, sizeof o->why, "the answer is longer than %d MiB: ask for less",
                 MOST_ANSWER_BYTES >> 20);
    else if (!whole)
        snprintf(o->why, sizeof o->why,
                 "stopped after %g s (--limit): ask for less, fewer GPUs or more words of the plan",
                 seconds);
    else if (o->code < 0)
        snprintf(o->why, sizeof o->why, "the command ended by signal %d", WTERMSIG(status));
}

enum rk_status mcp_run(const struct mcp_words *words, double seconds, struct mcp_output *output,
                       struct rk_error *error)
{
    int out[2], errors[2];
    *output = (struct mcp_output){.code = -1};
    if (pipe(out) != 0)
        return rk_fail(error, RK_IO, NULL, 0, 0, "cannot make a pipe: %s", strerror(errno));
    if (pipe(errors) != 0) {
        close(out[0]);
        close(out[1]);
        return rk_fail(error, RK_IO, NULL, 0, 0, "cannot make a pipe: %s", strerror(errno));
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) become(words, out, errors);
    close(out[1]);
    close(errors[1]);
    if (child > 0)
        wait_for(child, drain(out[0], errors[0], now_s() + seconds, output), seconds, output);
    close(out[0]);
    close(errors[0]);
    if (child > 0) return RK_OK;
    return rk_fail(error, RK_IO, NULL, 0, 0, "cannot start a process: %s", strerror(errno));
}

void mcp_output_release(struct mcp_output *output)
{
    free(output->text);
    free(output->remarks);
    *output = (struct mcp_output){.code = 0};
}
