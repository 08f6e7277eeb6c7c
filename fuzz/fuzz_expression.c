/* fuzz_expression.c - any bytes as a condition or an order of plans; what compiles has a value. */
#include "search/expression.h"
#include "search/predictor.h"

#undef NDEBUG /* the assertions are the test */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct predictor *const predictors[] = {&plans_predictor, &calculon_predictor};
    const struct rk_plan plan = rk_plan_default();
    static double figures[MAX_FIGURES];
    char *text = malloc(size + 1);
    assert(text);
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    const size_t length = strlen(text);
    for (int i = 0; i < 2; i++) {
        struct expression expression;
        struct rk_error error = {0};
        if (expression_compile(&expression, predictors[i], text, length, 0, &error) == RK_OK) {
            assert(expression.terms > 0 && expression.terms <= EXPRESSION_TERMS);
            (void)expression_value(&expression, &plan, figures);
        } else {
            assert(error.status == RK_BAD_ARGUMENT && error.text[0] && error.column > 0);
        }
    }
    free(text);
    return 0;
}
