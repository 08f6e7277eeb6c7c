/* prices.h - what data/campaign.json of the catalog knows: prices, power, tokens. */
#ifndef RECKON_CAMPAIGN_PRICES_H
#define RECKON_CAMPAIGN_PRICES_H

#include <reckon/campaign.h>

enum { MOST_OFFERS = 64 };

struct offer {
    char accelerator[32]; /* ids of systems begin so */
    char offer[24];       /* "on-demand", "reserved", "spot", ... */
    char date[16], source[200];
    double usd_per_hour;
    double preempted_every_h; /* a node; 0: never */
};

struct prices {
    int count;
    struct offer offer[MOST_OFFERS];
};

/* The catalog's, or those of a file of the same form (its "prices"). */
enum rk_status prices_load(const char *path, struct prices *prices, struct rk_error *error);

/* The cheapest of an accelerator, or the one of that name; NULL: there is none. */
const struct offer *prices_find(const struct prices *prices, const char *system, const char *offer);

/* Tokens that a model was trained on, and where that stands; 0: not known. The source is static. */
double usual_tokens(const char *model, const char **source);

/* Power limit of a board in W: the system's, else the catalog's; 0: not known. */
double board_power_W(const struct rk_system *system);

#endif
