/* operands.h - what a precision multiplies: in products that are narrowed, and in the others. */
#ifndef RECKON_RULES_OPERANDS_H
#define RECKON_RULES_OPERANDS_H

#include "machine/kernels.h"

#include <reckon/plan.h>

/* What the narrow operations of a plan multiply, or the others. */
static inline enum operand operand_of(enum rk_precision precision, bool narrow)
{
    /* clang-format off */
    static const enum operand operands[RK_PRECISIONS][2] = {
        /*                    wide              narrow */
        [RK_FP32]        = {OPERAND_FLOAT32,  OPERAND_FLOAT32},
        [RK_TF32]        = {OPERAND_TFLOAT32, OPERAND_TFLOAT32},
        [RK_FP16]        = {OPERAND_FLOAT16,  OPERAND_FLOAT16},
        [RK_BF16]        = {OPERAND_BFLOAT16, OPERAND_BFLOAT16},
        [RK_FP8_DELAYED] = {OPERAND_BFLOAT16, OPERAND_FLOAT8},
        [RK_FP8_CURRENT] = {OPERAND_BFLOAT16, OPERAND_FLOAT8},
        [RK_FP8_ROW]     = {OPERAND_BFLOAT16, OPERAND_FLOAT8},
        [RK_FP8_BLOCK]   = {OPERAND_BFLOAT16, OPERAND_FLOAT8},
        [RK_MXFP8]       = {OPERAND_BFLOAT16, OPERAND_FLOAT8},
        [RK_NVFP4]       = {OPERAND_BFLOAT16, OPERAND_FLOAT4},
        [RK_INT8]        = {OPERAND_BFLOAT16, OPERAND_INT8},
    };
    /* clang-format on */
    return operands[precision][narrow];
}

#endif
