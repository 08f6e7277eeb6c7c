/* campaign.h - from a step to a run: days, GPU-hours, money, energy, failures.
 *
 * A campaign is a number of tokens trained under one plan on machines that fail. Between failures
 * it saves checkpoints; a failure costs what was done since the last one, the time until it is
 * noticed, and a restart. Times are seconds, sizes bytes, power watts, money US dollars.
 *
 * Expected time [daly2006]: with failures of exponential law, mean M, work cut into pieces of t
 * with a checkpoint of C behind each, and R from a failure until work goes on (R may fail, too), a
 * piece takes M exp(R/M) (exp((t+C)/M) - 1). Its optimum t is solved for numerically; Young's and
 * Daly's closed forms are given beside it. Where the assumptions do not hold (checkpoints written
 * while training goes on, few spare nodes), rk_campaign_simulate() follows the events.
 */
#ifndef RECKON_CAMPAIGN_H
#define RECKON_CAMPAIGN_H

#include <reckon/model.h>
#include <reckon/plan.h>
#include <reckon/predict.h>
#include <reckon/status.h>
#include <reckon/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- failures ---- */

/* How often parts fail: mean time between failures of one; INFINITY: never. */
struct rk_failure_rates {
    double device_s;  /* of an accelerator */
    double network_s; /* of its share of the network */
    double node_s;    /* of a node's host, and the software on it */
    double preempt_s; /* a node is taken away: spot prices */
};

/* What a run does about it. */
struct rk_recovery {
    uint64_t node;      /* accelerators of a node */
    uint64_t spares;    /* nodes that stand ready, and are paid for */
    double detect_s;    /* until a failure is noticed */
    double restart_s;   /* until work goes on: places, connections, reading the checkpoint */
    double repair_s;    /* until a node is back; without a spare one the run waits for it */
    double storage_Bps; /* of all nodes together, reading and writing */
    double host_Bps;    /* of one accelerator to its host, where checkpoints are written behind
                           training's back */
    bool async;         /* checkpoints are written behind training's back */
    bool in_memory;     /* ... and kept in the memory of other nodes: as often as it pays */
    double interval_s;  /* between checkpoints; 0: the best */
};

/* Defaults, [dubey2024] Table 5 and section 3.3.4: 419 interruptions in 54 days on 16,384 H100. */
RK_API struct rk_failure_rates rk_failure_rates_default(void);
RK_API struct rk_recovery rk_recovery_default(void);

/* ---- a campaign ---- */

struct rk_campaign {
    double tokens;
    double tokens_per_step;
    double step_s;
    uint64_t ranks;
    double checkpoint_bytes; /* of the whole model and its optimizer */
    struct rk_failure_rates rates;
    struct rk_recovery recovery;
    double price;          /* of an accelerator for an hour; 0: not given */
    double power_W;        /* of an accelerator at work, rk_campaign_power(); 0: not given */
    double node_factor;    /* power of a node over that of its accelerators */
    double cooling_factor; /* of the building over the machines: PUE */
    double carbon;         /* grams of CO2 for a kWh; 0: not given */
};

/* The campaign of a plan, with defaults for everything else: spare nodes such that a failure waits
 * for one in one of fifty cases. */
RK_API struct rk_campaign rk_campaign_of(const struct rk_model *model,
                                         const struct rk_system *system, const struct rk_plan *plan,
                                         const struct rk_prediction *prediction, double tokens);

/* The first thing wrong with it, as a sentence; NULL: nothing. */
RK_API const char *rk_campaign_fault(const struct rk_campaign *campaign);

struct rk_campaign_outcome {
    double steps;
    double work_s;                       /* of training alone */
    double mtbf_s;                       /* of the whole run; INFINITY without failures */
    double failures;                     /* expected */
    double breaking;                     /* share of failures after which a node is missing */
    double write_s;                      /* of a checkpoint */
    double blocking_s;                   /* ... that training waits for */
    double interval_s;                   /* between checkpoints */
    double young_s, daly_s;              /* what the closed forms say of it */
    double checkpoint_s, lost_s, down_s; /* of the run: writing, work done twice, detection, restart
                                            and waiting for nodes */
    double total_s;                      /* work + checkpoint + lost + down */
    double goodput;                      /* work over total */
    double gpu_hours;
    double cost;              /* 0: no price */
    double cost_per_trillion; /* of 10^12 tokens */
    double energy_kWh;
    double carbon_t; /* tonnes */
};

/* The expected outcome. The campaign must have no fault. */
RK_API void rk_campaign_expect(const struct rk_campaign *campaign,
                               struct rk_campaign_outcome *outcome);

/* Of runs followed event by event: mean, and what 10, 50 and 90 % of them stay below. */
struct rk_campaign_range {
    double mean_s, p10_s, p50_s, p90_s, failures;
};

/* `interval_s` as in the outcome. The same seed gives the same result. RK_IO: no memory. */
RK_API enum rk_status rk_campaign_simulate(const struct rk_campaign *campaign, double interval_s,
                                           uint64_t runs, uint64_t seed,
                                           struct rk_campaign_range *range, struct rk_error *error);

/* ---- energy ---- */

/* Mean power of an accelerator over a step: by what limits each part of it. 0: the system does not
 * say its power. */
RK_API double rk_campaign_power(const struct rk_system *system,
                                const struct rk_prediction *prediction);

/* ---- compute-optimal ---- */

/* Parameters and tokens that make the best of `flop`: [hoffmann2022] approach 1, about 20 tokens a
 * parameter; [dubey2024]: tokens = 0.299 flop^0.537. */
enum rk_scaling_law { RK_CHINCHILLA, RK_LLAMA_3 };
RK_API void rk_compute_optimal(enum rk_scaling_law law, double flop, double *parameters,
                               double *tokens);

#ifdef __cplusplus
}
#endif
#endif
