#include "cli/progress.h"

#include "base/clock.h"
#include "cli/show.h"
#include "cli/signals.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>

static volatile sig_atomic_t stop_wanted; /* the signal's number */

/* rk_command(): no terminal, no signals, and somebody else to tell. */
static struct {
    bool on;
    rk_command_progress *tell;
    void *context;
} embedded;

static volatile double stopped_s; /* when it came */

/* Signals that come together (a shell's and a launcher's) are one; a later one is impatience. */
static void want_stop(int number)
{
    const double now = now_s();
    if (!stop_wanted) {
        stopped_s = now;
        stop_wanted = number;
    } else if (now - stopped_s > 0.5) {
        signals_end(number);
    }
}

void progress_embed(bool on, rk_command_progress *tell, void *context)
{
    embedded.on = on;
    embedded.tell = tell;
    embedded.context = context;
    stop_wanted = 0;
}

void progress_start(struct progress *progress, const char *what)
{
    const double started_s = now_s();
    *progress = (struct progress){.what = what,
                                  .draw = show_on_terminal(stderr),
                                  .started_s = started_s,
                                  .drawn_s = started_s + 0.15};
    if (embedded.on) return; /* a command of several jobs that was stopped stays so */
    stop_wanted = 0;
    signals_go_to(want_stop);
}

double progress_seconds(const struct progress *progress)
{
    return now_s() - progress->started_s;
}

/* Of this run alone: what was done before it began does not count for the rate. */
static double rate_of(const struct progress *progress, uint64_t done)
{
    const double elapsed_s = now_s() - progress->first_s;
    return done > progress->first && elapsed_s > 0 ? (double)(done - progress->first) / elapsed_s
                                                   : 0;
}

static void draw(const struct progress *progress, uint64_t done, uint64_t total, double best_s)
{
    enum { WIDTH = 24 };
    const double share = total ? (double)done / (double)total : 0;
    const double rate = rate_of(progress, done);
    const int full = (int)(share * WIDTH);
    const bool many = rate >= 1e4;
    if (!total) { /* nobody knows how many there will be */
        fprintf(stderr, "\r%" PRIu64 " %s", done, progress->what);
        if (isfinite(best_s) && best_s > 0) fprintf(stderr, "  best %.4g s", best_s);
        fputs("\033[K", stderr);
        return;
    }
    fprintf(stderr, "\r[%.*s%.*s] %3.0f %%  %.4g %s%s/s", full, "########################",
            WIDTH - full, "........................", 100 * share, many ? rate / 1e6 : rate,
            many ? "million " : "", progress->what);
    if (isfinite(best_s) && best_s > 0) fprintf(stderr, "  best %.4g s", best_s);
    if (rate > 0) fprintf(stderr, "  %.0f s left", (double)(total - done) / rate);
    fputs("\033[K", stderr);
}

bool progress_step(void *context, uint64_t done, uint64_t total, double best_s)
{
    struct progress *progress = context;
    if (embedded.tell && !stop_wanted && !embedded.tell(embedded.context, done, total, best_s))
        stop_wanted = SIGINT;
    if (!progress->began) {
        progress->began = true;
        /* what a first round does is lost in the rate, what a state brings is much more */
        progress->first = done > total / 100 ? done : 0;
        progress->first_s = progress->first ? now_s() : progress->started_s;
    }
    if (progress->draw) {
        const double now = now_s();
        if (now - progress->drawn_s >= 0.1) {
            draw(progress, done, total, best_s);
            progress->drawn_s = now;
            progress->drawn = true;
        }
    }
    return !stop_wanted;
}

enum rk_status progress_ask(struct progress *progress, const struct rk_space *space,
                            const struct rk_query *query, struct rk_answer *answer,
                            struct rk_error *error)
{
    struct rk_query told = *query;
    told.progress = progress_step;
    told.context = progress;
    progress->began = false;
    const enum rk_status status = rk_ask(space, &told, answer, error);
    if (status != RK_OK || answer->complete) return status;
    return rk_fail(error, RK_INTERRUPTED, NULL, 0, 0, "stopped before it was done");
}

bool progress_end(struct progress *progress)
{
    if (progress->drawn) fputs("\r\033[K", stderr);
    /* the second of two signals that come together must not end what says what was stopped */
    if (!embedded.on && !stop_wanted) signals_go_to(signals_end);
    return stop_wanted;
}

bool progress_stopped(void)
{
    return stop_wanted;
}

int progress_code(void)
{
    return stop_wanted == SIGTERM ? 128 + SIGTERM : 128 + SIGINT;
}
