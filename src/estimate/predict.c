#include <reckon/predict.h>

/* A first version, to be replaced. */
enum rk_verdict rk_predict(const struct rk_model *model, const struct rk_system *system,
                           const struct rk_plan *plan, struct rk_prediction *prediction)
{
    (void)model;
    (void)system;
    (void)plan;
    *prediction =
        (struct rk_prediction){.verdict = RK_FITS, .timed = true, .step_s = 1, .stages = 1};
    return RK_FITS;
}

const char *rk_holding_name(enum rk_holding holding)
{
    static const char *const names[] = {
#define NAME(name, help) #name,
        RK_HOLDINGS(NAME)
#undef NAME
    };
    return (unsigned)holding < RK_HOLDING_COUNT ? names[holding] : 0;
}

const char *rk_holding_help(enum rk_holding holding)
{
    static const char *const texts[] = {
#define HELP(name, help) help,
        RK_HOLDINGS(HELP)
#undef HELP
    };
    return (unsigned)holding < RK_HOLDING_COUNT ? texts[holding] : 0;
}
