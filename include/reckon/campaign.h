/* campaign.h - from a step to a run: days, GPU-hours, money, energy, failures.
 *
 * A campaign is a number of tokens trained under one plan on machines that fail. Between failures
 * it saves checkpoints; a failure costs what was done since the last one, the time until it is
 * noticed, and a restart. Times are seconds, sizes bytes, power watts, money US dollars.
 *
 * Expected time [daly2006]: with failures of exponential law, mean M, work cut into pieces of t,
 * each followed by a checkpoint of C, and R from a failure until work resumes (R may fail, too), a
 * piece takes M exp(R/M) (exp((t+C)/M) - 1). Its optimum t is solved for numerically; Young's and
 * Daly's closed forms are given for comparison. Asynchronous checkpoints, which take L while
 * training continues, multiply the time by exp(L/M), with the same optimum as long as one is
 * written before the next begins. Nodes in repair are Erlang's loss system, whose formula gives the
 * time spent waiting for them. rk_campaign_simulate() follows the events of runs: their spread.
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

/* ---- facts ---- */

/* Logbooks of failures, times of recovery, power, prices, tokens, each with its source:
 * data/campaign.json. Opaque, immutable. */
struct rk_campaign_facts;

/* The catalog's; what the file `path` (NULL: none) of the same form has is taken instead. Release
 * it with the function below. */
RK_API enum rk_status rk_campaign_facts_load(const char *path, struct rk_campaign_facts **facts,
                                             struct rk_error *error);
RK_API void rk_campaign_facts_release(struct rk_campaign_facts *facts); /* NULL is fine */

enum { RK_FACT_SOURCE = 400 };

/* A price that somebody asks for an accelerator's hour. */
struct rk_price_offer {
    char accelerator[32]; /* ids of systems begin so */
    char name[24];        /* "on-demand", "reserved", "spot", ... */
    char date[16], source[RK_FACT_SOURCE];
    double usd_per_hour;
    double preempted_every_h; /* a node; 0: never */
};

/* All of them, how many: they live as long as the facts. */
RK_API size_t rk_price_offers(const struct rk_campaign_facts *facts,
                              const struct rk_price_offer **offers);

/* US dollars for an hour of a GPU: as the machine's line says, a number or an offer, else by the
 * offer of that name ("": the cheapest). 0: not known. `offer` is NULL where it is of none. */
RK_API double rk_price_of(const struct rk_campaign_facts *facts, const struct rk_system *system,
                          const char *name, const struct rk_price_offer **offer);

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
    double restart_s;   /* until work resumes: places, connections, reading the checkpoint */
    double repair_s;    /* until a node is back; without a spare one the run waits for it */
    double storage_Bps; /* of all nodes together, reading and writing */
    double host_Bps;    /* of one accelerator to its host, for asynchronous checkpoints */
    bool async;         /* training continues while a checkpoint is written */
    bool in_memory;     /* ... and kept in the memory of other nodes: as often as it pays */
    double interval_s;  /* between checkpoints; 0: the best */
};

/* ---- a campaign ---- */

struct rk_campaign {
    double tokens;
    double tokens_per_step;
    double step_s;
    uint64_t ranks;
    double switch_s;         /* before it, to come from another plan: rk_campaign_switch_s() */
    double checkpoint_bytes; /* of all that is trained, and its optimizer */
    /* With all spare nodes away the run continues with `reduced_ranks` at `reduced_pace` of its
     * pace, until a node is back; 0: it waits. */
    uint64_t reduced_ranks;
    double reduced_pace;
    struct rk_failure_rates rates;
    struct rk_recovery recovery;
    double price;          /* of an accelerator for an hour; 0: not given */
    double power_W;        /* of an accelerator at work, rk_campaign_power(); 0: not given */
    double node_factor;    /* power of a node over that of its accelerators */
    double cooling_factor; /* of the building over the machines: PUE */
    double carbon;         /* grams of CO2 for a kWh; 0: not given */
    double step_usd;       /* in addition to that, for each step and each repeated step: bytes over
                              links; counts where `price` does */
};

/* The campaign of a plan, with what the facts say for everything else (failures: those of the first
 * logbook): as many spare nodes as make the run cheapest. */
RK_API struct rk_campaign rk_campaign_of(const struct rk_campaign_facts *facts,
                                         const struct rk_model *model,
                                         const struct rk_system *system, const struct rk_plan *plan,
                                         const struct rk_prediction *prediction, double tokens);

/* As many spare nodes as make the run cheapest: another one would cost more than the nodes that
 * wait for a repair without it. None for a run so short that a node fails in less than one of fifty
 * like it. */
RK_API uint64_t rk_campaign_spares(const struct rk_campaign *campaign);

/* Those of a long run of as many nodes, and how long a step of this run takes where it is one. */
RK_API uint64_t rk_campaign_spares_long(const struct rk_campaign *campaign);
RK_API double rk_campaign_long_step_s(const struct rk_campaign *campaign);

/* Time without training to go from a plan to another one: the checkpoint is written, the run starts
 * again and reads its new parts. 0 when only the batch differs. */
RK_API double rk_campaign_switch_s(const struct rk_campaign *from, const struct rk_plan *from_plan,
                                   const struct rk_campaign *to, const struct rk_plan *to_plan);

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

/* Of phases one after another: sums; rates, intervals and checkpoints are those of the phase that
 * takes longest. */
RK_API void rk_campaign_expect_phases(const struct rk_campaign *phases, size_t count,
                                      struct rk_campaign_outcome *outcome);

/* Of `choices` plans for each of `count` phases, campaign[phase * choices + i], the i-th one of
 * each phase: which to take, so that all phases with their switches take least time (exact). A
 * choice that cannot be taken has no step time. switch_s(context, phase, from, to) is the time
 * between choice `from` of the phase before and `to`. False: a phase has no choice. choice[count].
 */
RK_API bool rk_campaign_choose(const struct rk_campaign *campaign, size_t count, size_t choices,
                               double (*switch_s)(void *context, size_t phase, size_t from,
                                                  size_t to),
                               void *context, size_t *choice);

/* Of runs followed event by event: mean, and what 10, 50 and 90 % of them stay below. */
struct rk_campaign_range {
    double mean_s, p10_s, p50_s, p90_s, failures;
};

/* Of `count` phases one after another. The same seed gives the same result. RK_NO_MEMORY: no
 * memory. */
RK_API enum rk_status rk_campaign_simulate(const struct rk_campaign *phases, size_t count,
                                           uint64_t runs, uint64_t seed,
                                           struct rk_campaign_range *range, struct rk_error *error);

/* One run, followed: what happened when, for a drawing. */
enum rk_campaign_event_kind {
    RK_EVENT_FAILURE, /* work goes back to the last checkpoint */
    RK_EVENT_RESTART, /* work resumes */
    RK_EVENT_REDUCED, /* ... with fewer accelerators */
    RK_EVENT_FULL,    /* all of them again */
    RK_EVENT_PHASE,   /* a phase begins */
    RK_EVENT_END
};
struct rk_campaign_event {
    enum rk_campaign_event_kind kind;
    double at_s;   /* since the start */
    double done_s; /* work that counts, in seconds of undisturbed training */
};
/* Fills up to `most` events and returns how many there are. */
RK_API size_t rk_campaign_follow(const struct rk_campaign *phases, size_t count, uint64_t seed,
                                 struct rk_campaign_event *events, size_t most);

/* ---- what is said of a run ---- */

enum rk_checkpoints { RK_CHECKPOINTS_SYNC, RK_CHECKPOINTS_ASYNC, RK_CHECKPOINTS_MEMORY };

/* What a zeroed run leaves open the facts say; run.def has what each member is. */
enum { RK_RUN_NAME = 24 };
struct rk_run {
#define RUN_TOKENS(member, ...) double member; /* 0: as many as the model was trained on */
#define RUN_PRICE(member, offer, ...)                                                              \
    bool has_##member; /* it is said, more than 0 */                                               \
    double member;                                                                                 \
    char offer[RK_RUN_NAME];
#define RUN_NAME(member, ...) char member[RK_RUN_NAME];
#define RUN_RARE(member, ...) double member; /* seconds; INFINITY: never */
#define RUN_COUNT(member, ...)                                                                     \
    bool has_##member; /* it is said, be it 0 */                                                   \
    uint64_t member;
#define RUN_MEASURE(member, ...)     double member; /* seconds, B/s */
#define RUN_CHECKPOINTS(member, ...) enum rk_checkpoints member;
#define RUN_NUMBER(member, ...)      double member;
#include <reckon/run.def>
};

/* On how many tokens: those of the run, else of the model. RK_BAD_ARGUMENT: nobody knows. `source`
 * (may be NULL) says where they stand; NULL: in the run. It belongs to the facts. */
RK_API enum rk_status rk_run_tokens(const struct rk_campaign_facts *facts, const struct rk_run *run,
                                    const struct rk_model *model, double *tokens,
                                    const char **source, struct rk_error *error);

/* A price said twice, by the machine's line and for the run, must be one price. rk_run_campaign
 * asks it, too. */
RK_API enum rk_status rk_run_check_price(const struct rk_campaign_facts *facts,
                                         const struct rk_run *run, const struct rk_system *system,
                                         struct rk_error *error);

/* The campaign of a plan over a number of tokens. RK_BAD_ARGUMENT when something is wrong with the
 * run. Appends its assumptions to `assumed` (may be NULL). */
RK_API enum rk_status rk_run_campaign(const struct rk_campaign_facts *facts,
                                      const struct rk_run *run, const struct rk_model *model,
                                      const struct rk_system *system, const struct rk_plan *plan,
                                      const struct rk_prediction *prediction, double tokens,
                                      struct rk_campaign *campaign, char *assumed, size_t size,
                                      struct rk_error *error);

/* ---- energy ---- */

/* Mean power of an accelerator over a step: by what limits each part of it. 0: the system does not
 * say its power. */
RK_API double rk_campaign_power(const struct rk_campaign_facts *facts,
                                const struct rk_system *system,
                                const struct rk_prediction *prediction);

/* ---- compute-optimal ---- */

/* Parameters and tokens that make the best of `flop`: [hoffmann2022] approach 1, about 20 tokens a
 * parameter; [dubey2024]: tokens = 0.299 flop^0.537. */
enum rk_scaling_law { RK_CHINCHILLA, RK_LLAMA_3 };
RK_API void rk_compute_optimal(enum rk_scaling_law law, double flop, double *parameters,
                               double *tokens);

/* The tokens that it asks for a model of `parameters` parameters; of a mixture those that a token
 * passes, rk_model_active_parameters(). */
RK_API double rk_optimal_tokens(enum rk_scaling_law law, double parameters);

#ifdef __cplusplus
}
#endif
#endif
