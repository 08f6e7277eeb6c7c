/* choose.h - the next word from logits. */
#ifndef RECKON_RUN_CHOOSE_H
#define RECKON_RUN_CHOOSE_H

#include <stdint.h>

struct choice {
    double temperature; /* 0: the likeliest word, of equal ones the first */
    uint64_t top;       /* among the K likeliest; 0: all */
    double share; /* ... and among the likeliest whose probabilities sum to it [holtzman2020]; 0:
                     all */
};

/* `chance` is uniform in (0, 1]. Logits become weights; `scratch` has room for as many. */
uint32_t choose_word(const struct choice *choice, double *logits, uint64_t words, double chance,
                     double *scratch);

#endif
