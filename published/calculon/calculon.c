#include "calculon/calculon.h"
#include "base/stored.h"

#include <string.h>

static const char *const datatypes[] = {[RK_FLOAT8] = "float8",
                                        [RK_FLOAT16] = "float16",
                                        [RK_BFLOAT16] = "bfloat16",
                                        [RK_FLOAT32] = "float32",
                                        [RK_DATATYPES] = NULL};
static const char *const attentions[] = {
    [RK_ATTENTION_MULTIHEAD] = "multihead", [RK_ATTENTION_MULTIQUERY] = "multiquery", NULL};
static const char *const recomputes[] = {[RK_RECOMPUTE_FULL] = "full",
                                         [RK_RECOMPUTE_ATTENTION] = "attn_only",
                                         [RK_RECOMPUTE_NONE] = "none",
                                         [RK_RECOMPUTES] = NULL};
static const char *const tensor_comms[] = {[RK_COMM_ALL_REDUCE] = "ar",
                                           [RK_COMM_P2P_RS_AG] = "p2p_rs_ag",
                                           [RK_COMM_RS_AG] = "rs_ag",
                                           [RK_TENSOR_COMMS] = NULL};
static const char *const tensor_overlaps[] = {[RK_OVERLAP_NONE] = "none",
                                              [RK_OVERLAP_RING] = "ring",
                                              [RK_OVERLAP_PIPE] = "pipe",
                                              [RK_TENSOR_OVERLAPS] = NULL};

const struct calculon_field calculon_fields[CALCULON_FIELDS] = {
#define ROW(name, type, member, choices)                                                           \
    {name, type, offsetof(struct calculon_execution, member), choices},
#include "tables/calculon-execution.h"
#undef ROW
};

static enum stored stored_as(enum calculon_type type)
{
    return type == CALCULON_COUNT ? STORED_U64 : type == CALCULON_FLAG ? STORED_BOOL : STORED_INT;
}

uint64_t calculon_field_get(const struct calculon_execution *execution,
                            const struct calculon_field *field)
{
    const uint64_t value =
        stored_get((const char *)execution + field->offset, stored_as(field->type));
    return field->type == CALCULON_OFFLOAD ? value != 0 : value;
}

void calculon_field_set(struct calculon_execution *execution, const struct calculon_field *field,
                        uint64_t value)
{
    stored_set((char *)execution + field->offset, stored_as(field->type),
               field->type == CALCULON_OFFLOAD ? value != 0 : value);
}

const struct calculon_statistic calculon_statistics[CALCULON_STATISTICS] = {
#define ROW(name, member, integer) {name, offsetof(struct rk_estimate, member), integer},
#include "tables/calculon-statistics.h"
#undef ROW
};

double calculon_statistic_value(const struct rk_estimate *estimate,
                                const struct calculon_statistic *statistic)
{
    double value;
    memcpy(&value, (const char *)estimate + statistic->offset, sizeof value);
    return value;
}

/* Equation 2 of [narayanan2021], with the vocabulary of Megatron-LM. */
double calculon_parameters(const struct rk_model *model)
{
    const double vocabulary = 51200;
    const double h = (double)model->hidden, f = (double)model->feedforward;
    const double attention = (double)model->heads * (double)model->head_dim;
    const double matrices = 2 * h * f + 4 * h * attention;
    const double biases = h + f + 3 * attention + h;
    const double norms = 2 * 2 * h;

    return (double)model->layers * (matrices + biases + norms) +
           (vocabulary + (double)model->sequence) * h;
}
