#include "cli/train_watch.h"

#include "cli/executor.h"
#include "cli/keys.h"
#include "cli/page_train.h"
#include "cli/show.h"
#include "cli/train_log.h"
#include "cli/train_switch.h"
#include "cli/train_trace.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

volatile sig_atomic_t train_asked_to_stop;

static void ask_to_stop(int signal)
{
    train_asked_to_stop = signal;
}

int executor_asked_to_stop(void)
{
    return train_asked_to_stop;
}

void train_catch_signals(void)
{
    const struct sigaction once = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND};
    const struct sigaction always = {.sa_handler = ask_to_stop, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &once, NULL);
    sigaction(SIGTERM, &always, NULL);
    sigaction(SIGUSR1, &always, NULL);
}

void train_take_trace(void *context, int rank, const struct rk_train_event *event, size_t events)
{
    train_trace_rank(&((struct watch *)context)->trace, rank, event, events);
}

void train_warn(void *context, const struct rk_error *about)
{
    char text[1024];
    (void)context;
    keys_say_error(about, text, sizeof text);
    if (cli_executor->rank == 0) fprintf(stderr, "reckon: warning: %s\n", text);
}

bool train_next_plan(void *context, uint64_t step, struct rk_plan *plan)
{
    struct watch *w = context;
    if (!train_switch_next(&w->changes, step, plan)) return false;
    *w->plan = *plan;
    return true;
}

/* The first steps, the last one, and twenty in between. */
static bool is_said(const struct watch *w, uint64_t step)
{
    const uint64_t every = w->steps / 20 ? w->steps / 20 : 1;
    return step <= 2 || step == w->steps || step % every == 0;
}

bool train_watch_step(void *context, const struct rk_train_step *s)
{
    struct watch *w = context;
    FILE *out = w->args->show.format == REPORT_AS_TEXT ? stdout : stderr; /* JSON stands alone */
    if (w->log && !w->done) /* one of an earlier run stays until this one has a step to show */
        train_log_cut(w->log, s->step);
    w->done = s->step;
    if (w->curve) train_curve_add(w->curve, s);
    if (w->log && !train_log_step(w->log, w->args->wide ? 12 : 9, s)) {
        fprintf(stderr, "reckon: warning: %s cannot be written any more: %s\n", w->args->log,
                strerror(errno));
        fclose(w->log);
        w->log = NULL;
        w->log_lost = true; /* the run goes on, and fails at its end */
    }
    if (!w->args->quiet && s->skipped) {
        fprintf(out, "step %6llu  loss %8.4f  skipped: gradients overflow at loss scale %g\n",
                (unsigned long long)s->step, s->loss, s->scale);
        fflush(out);
    } else if (!w->args->quiet && is_said(w, s->step)) {
        fprintf(out, "step %6llu  loss %8.4f  norm %8.3f  rate %.2e  %9.0f tokens/s\n",
                (unsigned long long)s->step, s->loss, s->norm, s->rate, s->tokens / s->wall_s);
        fflush(out);
    }
    return !train_asked_to_stop;
}
