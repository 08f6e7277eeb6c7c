/* budget.h - what money and days train on a machine: the largest model, or the most tokens.
 *
 * For a size of a dense model the best plan is searched, and the tokens that it trains on within
 * the days and the money follow from the whole run: failures and checkpoints included. A size is
 * affordable where these are as many as a scaling law asks for. What a run costs, and how much
 * memory is to be left free, the caller says of each plan.
 */
#ifndef RECKON_BUDGET_H
#define RECKON_BUDGET_H

#include <reckon/advise.h>
#include <reckon/campaign.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Models of Llama 3's shape [dubey2024]: heads of 128, eight for keys and values, an MLP 3.5 times
 * as wide, 128,256 tokens, samples of 8,192. */
enum { RK_BUDGET_SIZES = 14 };
RK_API struct rk_model rk_budget_model(int size);

enum { RK_BUDGET_STEP_TOKENS = 1 << 22 }; /* of a step, where no batch is given */

struct rk_budgeted;
struct rk_budget {
    const struct rk_system *system;
    const struct rk_system *hosted; /* asked where nothing fits `system`; NULL: none */
    double days, cost;              /* at most; 0: no limit, of one of them */
    enum rk_scaling_law law;
    bool spares_said;     /* spare nodes are as many as `run` sets; else as the tokens ask for */
    uint64_t gpus, batch; /* batch 0: RK_BUDGET_STEP_TOKENS, in whole samples of every GPU */
    int threads;
    bool (*stop)(void *context);
    /* The memory that plans of the problem may take: of the problem, or as a share in `aim`. */
    enum rk_status (*leave)(void *context, struct rk_plans_problem *problem, struct rk_aim *aim,
                            struct rk_error *error);
    /* The run of RK_BUDGET_TOKENS tokens under a plan. */
    enum rk_status (*run)(void *context, const struct rk_budgeted *weighed,
                          const struct rk_prediction *prediction, struct rk_campaign *campaign,
                          struct rk_error *error);
    void *context;
};
#define RK_BUDGET_TOKENS 1e12

/* What one model gets for the budget. */
struct rk_budgeted {
    struct rk_model model;
    const struct rk_system *system; /* of the budget: the one that it fits, or the last asked */
    bool fits;                      /* what follows is filled */
    struct rk_offer offer;
    struct rk_campaign campaign;
    struct rk_campaign_outcome outcome; /* of RK_BUDGET_TOKENS tokens */
    double tokens, asked;               /* within the budget, and by the law */
};

/* Fills all but the model, which is given. */
RK_API enum rk_status rk_budget_weigh(const struct rk_budget *budget, struct rk_budgeted *weighed,
                                      struct rk_error *error);
RK_API bool rk_budget_affords(const struct rk_budgeted *weighed);

/* Twice as many GPUs, four times, ... as the budget says, as far as the machine has them: the first
 * number that affords the model that is given. `gpus` 0: none does. */
enum { RK_BUDGET_DOUBLINGS = 10 };
RK_API enum rk_status rk_budget_enough(const struct rk_budget *budget, struct rk_budgeted *weighed,
                                       uint64_t *gpus, struct rk_error *error);

#ifdef __cplusplus
}
#endif

#endif
