/* estimate.c - predicts one training step with the installed library, and prints every figure.
 *
 *     cc estimate.c $(pkg-config --cflags --libs reckon) -o estimate
 *     ./estimate gpt3-175b a100-80g-nvl8 strategy.json
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

static void print_figures(const struct rk_estimate *estimate)
{
    for (const struct rk_figure *figure = rk_figure_next(NULL, RK_BY_CALCULON); figure;
         figure = rk_figure_next(figure, RK_BY_CALCULON))
        printf("%-30s %16.9g %-5s %s\n", figure->name, rk_figure_value(estimate, figure),
               figure->unit, figure->help);
}

static void print_reasons(const struct rk_estimate *estimate)
{
    for (int i = 0; i < estimate->reasons && i < RK_MAX_REASONS; i++) {
        const struct rk_reason *reason = &estimate->reason[i];
        printf("%s: %s: needs %g, has %g\n", rk_verdict_name(reason->verdict), reason->what,
               reason->need, reason->have);
    }
}

int main(int argc, char **argv)
{
    struct rk_model model;
    struct rk_system system = {0};
    struct rk_strategy strategy;
    struct rk_estimate estimate;
    struct rk_error error;

    if (argc != 4) {
        fprintf(stderr, "usage: estimate MODEL SYSTEM STRATEGY\n");
        return RK_USAGE;
    }
    if (rk_model_load(argv[1], &model, &error) != RK_OK ||
        rk_system_load(argv[2], &system, &error) != RK_OK ||
        rk_strategy_load(argv[3], &strategy, &error) != RK_OK) {
        rk_system_release(&system);
        return fail(&error);
    }

    const enum rk_verdict verdict = rk_estimate(&model, &system, &strategy, &estimate);
    if (estimate.timed) print_figures(&estimate);
    if (verdict != RK_FITS) print_reasons(&estimate);
    rk_system_release(&system);
    return verdict == RK_FITS ? RK_OK : RK_NOTHING_FITS;
}
