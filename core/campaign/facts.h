/* facts.h - what data/campaign.json says, and data/prices of prices: logbooks of failures, times of
 * recovery, power, tokens. Loaded once, where a command starts; everything else takes it as an
 * argument. */
#ifndef RECKON_CAMPAIGN_FACTS_H
#define RECKON_CAMPAIGN_FACTS_H

#include "base/limits.h"

#include <reckon/campaign.h>

/* A published run's failures. */
struct logbook {
    char name[24];
    double accelerators, nodes, days;
    double device_failures, network_failures, node_failures;
    char source[RK_FACT_SOURCE];
};

struct recovery_facts {
    double detect_s, restart_s, repair_s;
    double storage_Bps; /* of a node */
    double host_Bps;    /* of an accelerator */
};

/* Power over a board's limit, by what limits a part of the step; and over the board's. */
struct energy_facts {
    double matrix, memory, waiting;
    double node_factor, cooling_factor;
};

struct board {
    char accelerator[32]; /* ids of systems begin so */
    double power_W;
};

struct trained {
    char model[64];
    double tokens;
    char source[RK_FACT_SOURCE];
};

struct rk_campaign_facts {
    struct recovery_facts recovery;
    struct energy_facts energy;
    size_t logbooks, offers, boards, trained;
    struct logbook logbook[MOST_LOGBOOKS]; /* the first is what is taken when none is named */
    struct rk_price_offer offer[MOST_OFFERS];
    struct board board[MOST_BOARDS];
    struct trained of[MOST_TRAINED];
};

/* NULL: none of that name. */
const struct logbook *facts_logbook(const struct rk_campaign_facts *facts, const char *name);

/* Rates of failures as in a logbook; INFINITY where it has none. */
struct rk_failure_rates logbook_rates(const struct logbook *logbook);

/* On how many tokens a model was trained; NULL: not known. */
const struct trained *facts_trained(const struct rk_campaign_facts *facts, const char *model);

/* Power limit of a board in W: the system's, else the list's; 0: not known. */
double board_power_W(const struct rk_campaign_facts *facts, const struct rk_system *system);

#endif
