/* estimate.c - predicts one training step with the installed library, and prints every figure that
 * the plan's predictor fills.
 *
 *     cc estimate.c $(pkg-config --cflags --libs reckon) -o estimate
 *     ./estimate llama3.1-70b h100-sxm5-80g "tp8 pp2 dp4 sp zero1 recompute=selective"
 */
#include <reckon/reckon.h>
#include <stdio.h>

static int fail(const struct rk_error *error)
{
    char text[1024];
    rk_error_format(error, text, sizeof text);
    fprintf(stderr, "estimate: %s\n", text);
    return error->status;
}

static void print_figures(const struct rk_plan *plan, const struct rk_outcome *outcome)
{
    const enum rk_by by = plan->framework == RK_CALCULON ? RK_BY_CALCULON : RK_BY_RECKON;
    for (const struct rk_figure *f = rk_figure_next(NULL, by); f; f = rk_figure_next(f, by))
        printf("%-30s %16.9g %-5s %s\n", f->name, rk_figure_value(outcome, f), f->unit, f->help);
}

static void print_reasons(const struct rk_outcome *outcome)
{
    for (int i = 0; i < outcome->reasons && i < RK_MAX_REASONS; i++) {
        const struct rk_reason *reason = &outcome->reason[i];
        printf("%s: %s: needs %g, has %g\n", rk_verdict_name(reason->verdict), reason->what,
               reason->need, reason->have);
    }
}

int main(int argc, char **argv)
{
    struct rk_model model;
    struct rk_system system = {0};
    struct rk_plan plan;
    static struct rk_prediction prediction;
    struct rk_error error;

    if (argc != 4) {
        fprintf(stderr, "usage: estimate MODEL SYSTEM PLAN\n");
        return 2;
    }
    if (rk_model_load(argv[1], &model, &error) != RK_OK ||
        rk_system_load(argv[2], &system, &error) != RK_OK ||
        rk_plan_load(argv[3], &plan, &error) != RK_OK) {
        rk_system_release(&system);
        return fail(&error);
    }

    const enum rk_verdict verdict = rk_predict(&model, &system, &plan, &prediction);
    if (prediction.timed) print_figures(&plan, &prediction.outcome);
    if (verdict != RK_FITS) print_reasons(&prediction.outcome);
    rk_system_release(&system);
    return verdict == RK_FITS ? 0 : 1;
}
