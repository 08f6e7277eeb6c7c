#include "machine/kernels.h"

/* A first version, to be replaced. */
double operand_bytes(enum operand operand)
{
    static const double bytes[OPERANDS] = {0.5, 1, 2, 2, 4, 4};
    return bytes[operand];
}

double operand_peak(const struct rk_system *system, enum operand operand)
{
    static const enum rk_datatype types[OPERANDS] = {RK_FLOAT8,   RK_FLOAT8,  RK_FLOAT16,
                                                     RK_BFLOAT16, RK_FLOAT32, RK_FLOAT32};
    return system->matrix[types[operand]].peak_flops;
}

double matrix_time_s(const struct rk_system *system, enum operand operand, double count, double m,
                     double n, double k)
{
    const double flop = 2 * count * m * n * k;
    return flop > 0 ? flop / (0.7 * operand_peak(system, operand)) : 0;
}

double attention_time_s(const struct rk_system *system, enum operand operand,
                        const struct attention_shape *shape, bool backward)
{
    const double flop = 2 * shape->batch * shape->heads * shape->pairs *
                        (shape->head_dim + shape->value_dim) * (backward ? 2.5 : 1);
    return flop / (0.5 * operand_peak(system, operand));
}

double memory_time_s(const struct rk_system *system, double bytes)
{
    return bytes / (0.8 * system->memory[0].bandwidth_Bps);
}

double collective_time_s(const struct rk_system *system, enum collective collective,
                         struct rank_group group, double bytes)
{
    const int tier =
        group.ranks * group.stride > (double)system->network[0].size && system->networks > 1;
    const double n = group.ranks, passes = collective == ALL_REDUCE ? 2 : 1;
    if (n <= 1) return 0;
    const double moved = collective == SEND ? bytes : passes * bytes * (n - 1) / n;
    return system->network[tier].latency_s + moved / (0.8 * system->network[tier].bandwidth_Bps);
}
