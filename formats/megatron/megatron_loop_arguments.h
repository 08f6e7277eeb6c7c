/* megatron_loop_arguments.h - arguments of the training loop, which change no prediction. */
#ifndef RECKON_MEGATRON_MEGATRON_LOOP_ARGUMENTS_H
#define RECKON_MEGATRON_MEGATRON_LOOP_ARGUMENTS_H

#include <stdbool.h>

/* X(id, name, kind, least, most): kind SAID (given or not), TEXT, COUNT or NUMBER with its range.
 */
#define MEGATRON_LOOP(X)                                                                           \
    X(TRAIN_ITERS, "train-iters", NUMBER, 1, 1e18)                                                 \
    X(TRAIN_SAMPLES, "train-samples", NUMBER, 1, 1e18)                                             \
    X(DECAY_ITERS, "lr-decay-iters", NUMBER, 1, 1e18)                                              \
    X(DECAY_SAMPLES, "lr-decay-samples", NUMBER, 1, 1e18)                                          \
    X(WARMUP_ITERS, "lr-warmup-iters", NUMBER, 0, 1e18)                                            \
    X(WARMUP_SAMPLES, "lr-warmup-samples", NUMBER, 0, 1e18)                                        \
    X(WARMUP_FRACTION, "lr-warmup-fraction", NUMBER, 0, 1)                                         \
    X(WARMUP_INIT, "lr-warmup-init", NUMBER, 0, 1e18)                                              \
    X(LR, "lr", NUMBER, 0, 1e18)                                                                   \
    X(MIN_LR, "min-lr", NUMBER, 0, 1e18)                                                           \
    X(DECAY_STYLE, "lr-decay-style", TEXT, 0, 0)                                                   \
    X(WSD_ITERS, "lr-wsd-decay-iters", NUMBER, 0, 1e18)                                            \
    X(WSD_SAMPLES, "lr-wsd-decay-samples", NUMBER, 0, 1e18)                                        \
    X(WEIGHT_DECAY, "weight-decay", NUMBER, 0, 1e18)                                               \
    X(DECAY_START, "start-weight-decay", NUMBER, 0, 1e18)                                          \
    X(DECAY_END, "end-weight-decay", NUMBER, 0, 1e18)                                              \
    X(DECAY_INCREASES, "weight-decay-incr-style", TEXT, 0, 0)                                      \
    X(BETA1, "adam-beta1", NUMBER, 0, 1)                                                           \
    X(BETA2, "adam-beta2", NUMBER, 0, 1)                                                           \
    X(EPSILON, "adam-eps", NUMBER, 0, 1e18)                                                        \
    X(MOMENTUM, "sgd-momentum", NUMBER, 0, 1e18)                                                   \
    X(INIT_STD, "init-method-std", NUMBER, 0, 1e18)                                                \
    X(SEED, "seed", NUMBER, 1, 1e18)                                                               \
    X(LOG_INTERVAL, "log-interval", NUMBER, 1, 1e18)                                               \
    X(LOG_MEMORY, "log-memory-interval", NUMBER, 1, 1e18)                                          \
    X(BUILDERS, "num-dataset-builder-threads", NUMBER, 1, 1e18)                                    \
    X(LOSS_SCALE, "loss-scale", NUMBER, 0, 1e18)                                                   \
    X(FIRST_SCALE, "initial-loss-scale", NUMBER, 1e-300, 1e300)                                    \
    X(LEAST_SCALE, "min-loss-scale", NUMBER, 1e-300, 1e300)                                        \
    X(SCALE_WINDOW, "loss-scale-window", NUMBER, 1, 1e18)                                          \
    X(HYSTERESIS, "hysteresis", NUMBER, 1, 1e18)                                                   \
    X(SAVE, "save", SAID, 0, 0)                                                                    \
    X(SAVE_INTERVAL, "save-interval", NUMBER, 0, 1e18)                                             \
    X(SAVE_PERSISTENT, "persistent-save-interval", SAID, 0, 0)                                     \
    X(SAVE_RETAIN, "save-retain-interval", NUMBER, 1, 1e18)                                        \
    X(LOAD, "load", SAID, 0, 0)                                                                    \
    X(CONVERT_FORMAT, "ckpt-convert-format", SAID, 0, 0)                                           \
    X(CONVERT_SAVE, "ckpt-convert-save", SAID, 0, 0)                                               \
    X(PASSING_KIND, "non-persistent-ckpt-type", TEXT, 0, 0)                                        \
    X(PASSING_FOLDER, "non-persistent-local-ckpt-dir", SAID, 0, 0)                                 \
    X(REPLICATION, "replication", SAID, 0, 0)                                                      \
    X(REPLICATION_JUMP, "replication-jump", SAID, 0, 0)                                            \
    X(UPCYCLING, "moe-use-upcycling", SAID, 0, 0)                                                  \
    X(OVERRIDES_SCHEDULE, "override-opt_param-scheduler", SAID, 0, 0)                              \
    X(KEEPS_SCHEDULE, "use-checkpoint-opt_param-scheduler", SAID, 0, 0)                            \
    X(MOCK_DATA, "mock-data", SAID, 0, 0)                                                          \
    X(DATA, "data-path", SAID, 0, 0)                                                               \
    X(DATA_LIST, "data-args-path", SAID, 0, 0)                                                     \
    X(TRAIN_DATA, "train-data-path", SAID, 0, 0)                                                   \
    X(ROTARY_SHARE, "rotary-percent", NUMBER, 0, 1)                                                \
    X(SECTIONS, "mrope-section", SAID, 0, 0)                                                       \
    X(GATHERS_LATE, "overlap-param-gather-with-optimizer-step", SAID, 0, 0)                        \
    X(LOADS_MAIN, "load-main-params-from-ckpt", SAID, 0, 0)                                        \
    X(LOADS_NO_OPTIMIZER, "no-load-optim", SAID, 0, 0)                                             \
    X(FP16_LOSS, "fp16-lm-cross-entropy", SAID, 0, 0)                                              \
    X(FP32_RESIDUAL, "fp32-residual-connection", SAID, 0, 0)                                       \
    X(SHRINKS_BATCH, "decrease-batch-size-if-needed", SAID, 0, 0)                                  \
    X(SKIP_TRAIN, "skip-train", SAID, 0, 0)                                                        \
    X(BALANCING, "moe-router-load-balancing-type", TEXT, 0, 0)

enum megatron_loop_argument {
#define MEGATRON_LOOP_ENUM(id, name, kind, least, most) LOOP_##id,
    MEGATRON_LOOP(MEGATRON_LOOP_ENUM)
#undef MEGATRON_LOOP_ENUM
        LOOP_ARGUMENTS
};

struct megatron_loop_value {
    const struct shell_word *flag; /* NULL: not given */
    const char *text;              /* of its first value; NULL: none, or not known */
    double number;                 /* NAN: none, or not known */
};

#endif
