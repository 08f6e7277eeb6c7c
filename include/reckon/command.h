/* command.h - the commands of the executable, in memory: words go in, text comes out.
 *
 * What `reckon search ... --format json` prints, rk_command() returns, byte by byte. It is how
 * other languages ask (docs/python.md): no process is started, nothing is written to the standard
 * streams, no signal is touched. Models and systems are names, files or lines, as in catalog.h.
 */
#ifndef RECKON_COMMAND_H
#define RECKON_COMMAND_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rk_command_answer {
    int code;              /* the exit status: error.status says more */
    char *text;            /* what goes to standard output, ended by 0 */
    size_t bytes;          /* of it, without the 0 */
    char *remarks;         /* what goes to standard error: warnings, messages */
    struct rk_error error; /* the last message as its parts; status RK_OK: there was none */
};

/* Called now and then, from the calling thread in searches, with what is decided so far and the
 * best time (infinite: not known); returning false stops the command, which then answers with what
 * it has and RK_INTERRUPTED. It must not call rk_command(). */
typedef bool rk_command_progress(void *context, uint64_t done, uint64_t total, double best_s);

/* Runs "search", "--model", ...: `count` words, the command first. Commands that train, or that
 * are for shells, are refused. Calls from several threads wait for each other: while a command
 * runs, the C library's stdout and stderr are its own. Returns answer->code. Release the answer
 * with rk_command_release(). */
RK_API int rk_command(int count, const char *const words[], rk_command_progress *progress,
                      void *context, struct rk_command_answer *answer);
RK_API void rk_command_release(struct rk_command_answer *answer); /* a zeroed one is fine */

/* A model or a system as the text of its file, reckon-model(5) and reckon-system(5), complete: what
 * to change and give back. The caller frees `text` with rk_text_free(). */
RK_API enum rk_status rk_model_text(const char *name, char **text, struct rk_error *error);
RK_API enum rk_status rk_system_text(const char *name, char **text, struct rk_error *error);
RK_API void rk_text_free(char *text);

/* Many plans at once, each a line of words and completed as by `reckon predict`. Of plan i, the
 * figures with these names (rk_figures()) go to values[i * width ...], NaN where the plan cannot be
 * timed, and its enum rk_verdict to verdicts[i]. `gpus` 0: as the plans say. The same values for
 * any number of threads (0: as many as OpenMP gives). A line that is wrong: its number, from 1, is
 * error->line. */
RK_API enum rk_status rk_predict_lines(const char *model, const char *system, uint64_t gpus,
                                       const char *const lines[], size_t count,
                                       const char *const figures[], size_t width, int threads,
                                       double *values, int *verdicts, struct rk_error *error);

/* The same, but a plan of which nothing can be predicted is an answer, too: reasons[i] says why
 * plan i cannot run, NULL: it can; the caller frees each with rk_text_free(), also where the
 * function fails. A plan that does not divide the GPUs or the batch has RK_BAD_DEGREES or
 * RK_BAD_BATCH; a word that is none fails, as above. */
RK_API enum rk_status rk_predict_rows(const char *model, const char *system, uint64_t gpus,
                                      const char *const lines[], size_t count,
                                      const char *const figures[], size_t width, int threads,
                                      double *values, int *verdicts, char **reasons,
                                      struct rk_error *error);

/* Every choice of a plan of words, as JSON: {"plan": {"tensor": 8, ...}}, the keys of
 * reckon-plan(5). The caller frees `text` with rk_text_free(). */
RK_API enum rk_status rk_plan_members(const char *words, char **text, struct rk_error *error);

#ifdef __cplusplus
}
#endif
#endif
