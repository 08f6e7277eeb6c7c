/* doctor.h - a measured step and its prediction: what a measured number stands for, which parts
 * of a profile lose time, and what would explain the difference.
 */
#ifndef RECKON_DOCTOR_H
#define RECKON_DOCTOR_H

#include <reckon/predict.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How fast a run is, in the numbers that programs print; 0: not known. */
struct rk_speed {
    double step_s;
    double tflops; /* model FLOP/s of a GPU, in 10^12 */
    double tokens_per_s, tokens_per_s_per_gpu;
    double mfu_percent;
};

/* The seconds of a step that the last number that is known stands for. Requires one, and a
 * prediction that is timed. */
RK_API double rk_speed_step_s(const struct rk_speed *speed, const struct rk_model *model,
                              const struct rk_plan *plan, const struct rk_prediction *p);

/* All numbers of a step that takes so long. More than 100 % MFU: no GPU of the kind can do it. */
RK_API struct rk_speed rk_speed_of(double step_s, const struct rk_model *model,
                                   const struct rk_plan *plan, const struct rk_prediction *p);

/* Time of kernels in one step of a profile. */
struct rk_profile {
    double matrix_s, attention_s, memory_s;
    double exposed_s; /* only communication runs */
    double gap_s;     /* no kernel runs */
};

enum { RK_STEP_PARTS = 5 };

struct rk_step_part {
    const char *name, *look; /* static storage: the part, and what to look at where it loses time */
    double profile_s, predicted_s;
};

RK_API void rk_step_parts(const struct rk_profile *profile, const struct rk_prediction *p,
                          struct rk_step_part parts[RK_STEP_PARTS]);

enum { RK_CAUSES = 19 };

struct rk_cause {
    const char *what, *look; /* static storage: what is otherwise, and what to look at */
    double step_s, off;      /* with it; |log(step / measured)| */
    bool chosen;             /* the run would have been started with other choices of the plan */
};

/* One thing at a time is otherwise, in the plan or the machine, and the step is predicted again:
 * those that bring it nearer to the measured time by a hundredth and more, the nearest first.
 * `step_s` is the prediction as it is. RK_NO_MEMORY: no memory. */
RK_API enum rk_status rk_causes(const struct rk_model *model, const struct rk_system *system,
                                const struct rk_plan *plan, double step_s, double measured_s,
                                struct rk_cause causes[RK_CAUSES], int *count,
                                struct rk_error *error);

#ifdef __cplusplus
}
#endif

#endif
