/* device.h - what a run computes on: one row for each kind of device that is built in.
 *
 * A device is a pair of engines (job.h), one for each width of numbers. An engine is one rank: it
 * opens the rank's program, keeps weights, gradients and state where its kernels reach them, takes
 * steps, and gives and takes state as plain arrays of the host (gather, scatter) for checkpoints
 * and changes of the plan. Nothing above it knows where tensors lie: executor/run says when, struct
 * engine_kind says what.
 *
 * The processors' engines are executor/run/real, compiled for float and double; the same sources
 * with kernels that do nothing (executor/run/count) are a third one, which counts memory. A back
 * end for GPUs is a row here: the sources of executor/run/real over its own kernels.h (some forty
 * plain functions on arrays), memory of the device for the pool's block, and comm.h for messages
 * between devices. What it has no kernel for, `knows` says, and that is refused by name.
 */
#ifndef RECKON_RUN_DEVICE_H
#define RECKON_RUN_DEVICE_H

#include <reckon/status.h>
#include <reckon/train.h>

struct engine_kind;

/* engine_count computes nothing, and counts memory. */
extern const struct engine_kind engine_f32, engine_f64, engine_count;

struct device {
    const char *name;                        /* "cpu" */
    const struct engine_kind *single, *wide; /* of 32 and of 64 bits; NULL: it has none */
};

/* (devices); the first is the usual one. A row without a name ends it. */
extern const struct device devices[];

/* The engine that these settings ask for; NULL with RK_BAD_ARGUMENT: no such device, or none of
 * that width. */
const struct engine_kind *device_engine(const struct rk_train *train, struct rk_error *error);

#endif
