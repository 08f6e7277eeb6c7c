/* How far the model is from what was published: iteration times measured with Megatron-LM on
 * Selene, and memory by the closed formulas of the same paper, [korthikanti2022]. */
#include "golden/golden.h"

struct errors {
    double sum, worst;
    int count;
};

static void add_error(struct errors *errors, double actual, double published)
{
    const double error = fabs(1 - actual / published);
    errors->sum += error;
    errors->worst = fmax(errors->worst, error);
    errors->count++;
}

static double mean(const struct errors *errors)
{
    return errors->sum / errors->count;
}

static void estimate_row(const json_t *row, struct rk_estimate *estimate)
{
    struct golden_case golden = {
        .model = json_string_value(json_object_get(row, "model")),
        .system = json_string_value(json_object_get(row, "system")),
    };
    golden_execution(&golden.execution, json_object_get(row, "execution"));
    struct calculon_refusal refusal;
    cr_assert_eq(golden_estimate(&golden, GOLDEN_FOLDER, estimate, &refusal), RK_FITS);
}

static double number(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

/* Table 5. The bounds are those of the reference model, which this is to equal. */
Test(golden_validation, iteration_times_measured_on_selene)
{
    json_t *root = golden_load(GOLDEN_FOLDER "/validation.json"), *row;
    struct errors errors = {0};
    size_t i;
    json_array_foreach(json_object_get(root, "table5_iteration_s"), i, row)
    {
        struct rk_estimate estimate;
        estimate_row(row, &estimate);
        add_error(&errors, estimate.step_s, number(row, "measured_s"));
    }
    cr_assert_eq(errors.count, 8);
    cr_assert_float_eq(mean(&errors), 0.0365, 0.00005);
    cr_assert_float_eq(errors.worst, 0.0887, 0.00005);
    json_decref(root);
}

/* Figure 1: GiB of a rank, against its closed formulas. */
Test(golden_validation, memory_formulas)
{
    json_t *root = golden_load(GOLDEN_FOLDER "/validation.json"), *row;
    struct errors state = {0}, activations = {0};
    size_t i;
    json_array_foreach(json_object_get(root, "figure1_memory_GiB_per_gpu"), i, row)
    {
        struct rk_estimate e;
        estimate_row(row, &e);
        add_error(&state, (e.weight_bytes + e.weight_grad_bytes + e.optimizer_bytes) / 0x1p30,
                  number(row, "formula_parameters_and_optimizer"));
        add_error(&activations, e.activation_bytes / 0x1p30, number(row, "formula_activations"));
    }
    cr_assert_eq(state.count, 8);
    cr_assert_float_eq(mean(&state), 0.0849, 0.00005);
    cr_assert_float_eq(state.worst, 0.1084, 0.00005);
    cr_assert_float_eq(mean(&activations), 0.0208, 0.00005);
    cr_assert_float_eq(activations.worst, 0.0874, 0.00005);
    json_decref(root);
}

/* Figure 7: activations in per cent of what they are without sequence parallelism and
 * recomputation, the first row of each model. */
Test(golden_validation, activation_shares)
{
    json_t *root = golden_load(GOLDEN_FOLDER "/validation.json"), *row;
    struct errors errors = {0};
    double whole = 0;
    size_t i;
    json_array_foreach(json_object_get(root, "figure7_activation_percent"), i, row)
    {
        struct rk_estimate e;
        estimate_row(row, &e);
        const double held = e.activation_bytes + e.checkpoint_bytes;
        if (strcmp(json_string_value(json_object_get(row, "mode")), "none") == 0) whole = held;
        add_error(&errors, held / whole * 100, number(row, "formula_percent_of_none"));
    }
    cr_assert_eq(errors.count, 20);
    cr_assert_float_eq(mean(&errors), 0.0669, 0.00005);
    cr_assert_float_eq(errors.worst, 0.3041, 0.00005);
    json_decref(root);
}
