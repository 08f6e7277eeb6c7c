/* model_numbers.h - numbers of published models that change what is learned and no time or memory:
 * models do not hold them, launch files need them. */
#ifndef RECKON_INTEROP_MODEL_NUMBERS_H
#define RECKON_INTEROP_MODEL_NUMBERS_H

#include <reckon/model.h>

struct model_numbers {
    const char *id; /* what the model's id begins with */
    double rotary_base, rope_factor; /* 0: none */
    double norm_epsilon;
    uint64_t router_groups, router_group_topk;
    double router_scaling;
};

/* By the model's id and its width; NULL: they are not known. */
const struct model_numbers *model_numbers(const struct rk_model *model);

#endif
