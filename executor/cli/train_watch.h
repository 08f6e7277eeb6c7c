/* train_watch.h - a training run on its way: what was asked, its log, its plan, and signals. */
#ifndef RECKON_CLI_TRAIN_WATCH_H
#define RECKON_CLI_TRAIN_WATCH_H

#include "cli/options.h"
#include "cli/show.h"
#include "cli/train_files.h"
#include "cli/train_show.h"
#include "cli/train_switch.h"
#include "cli/train_trace.h"
#include <reckon/train.h>
#include <signal.h>

struct train_args {
    const char *model, *plan, *device, *system, *data, *load, *save, *log, *drives, *changes,
        *trace, *output;
    struct option_texts words;
    const char *dump;
    struct option_values dump_steps;
    uint64_t ranks, steps, seed, threads, warmup, save_every, limit, scale_interval;
    uint64_t block_tokens, block_local, block_global, block_patterns;
    double rate, least_rate, decay, clip, momentum, loss_scale, rotary_base, norm_eps, balance,
        ahead, bias_rate;
    int rate_kind;
    bool repeat, wide, quiet, adaptive;
    struct show_args show;
};

struct watch {
    const struct train_args *args;
    uint64_t steps, done;
    FILE *log;
    bool log_lost;             /* it could not be written any more */
    struct train_curve *curve; /* NULL: nobody draws it */
    struct rk_plan *plan;      /* at hand */
    struct train_switch changes;
    struct train_trace trace;
};

/* The step at hand is finished, and a checkpoint written; a second SIGINT ends at once. The others
 * may come twice, to a process and to its group, as from timeout(1). */
void train_catch_signals(void);

void train_take_trace(void *context, int rank, const struct rk_train_event *event, size_t events);

void train_warn(void *context, const struct rk_error *about);

bool train_next_plan(void *context, uint64_t step, struct rk_plan *plan);

bool train_watch_step(void *context, const struct rk_train_step *s);

/* The signal that asked it to stop; 0: none. */
extern volatile sig_atomic_t train_asked_to_stop;

#endif
