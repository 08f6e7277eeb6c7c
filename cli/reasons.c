/* reasons.c - why a plan cannot run by the Calculon model, in sentences that say how to mend it.
 */
#include "base/units.h"
#include "cli/describe.h"
#include "cli/prediction.h"

#include <string.h>

/* What the sentences are made from. */
struct context {
    struct report *report;
    const struct rk_system *system;
    const struct rk_reason *reason;
};

static const char *say_degrees(const struct context *c)
{
    const struct rk_reason *r = c->reason;
    if (strcmp(r->what, "devices of the system") == 0)
        return report_text(c->report, "the plan needs %.0f devices, %s has %.0f", r->need,
                           c->system->id, r->have);
    if (strchr(r->what, '*'))
        return report_text(c->report, "%s is %.0f, but there are %.0f GPUs: make them equal",
                           r->what, r->need, r->have);
    return report_text(c->report, "%s is %.0f: give at least %.0f", r->what, r->have, r->need);
}

static const char *say_batch(const struct context *c)
{
    const struct rk_reason *r = c->reason;
    const char *slash = strrchr(r->what, '/');
    if (strchr(r->what, '*'))
        return report_text(c->report, "%s is %.4g: at most 2^53, give a smaller microbatch",
                           r->what, r->need);
    if (!slash)
        return report_text(c->report, "%s is %.0f: give at least %.0f", r->what, r->have, r->need);
    return report_text(c->report, "%.*s is %.0f, not a multiple of %s %.0f",
                       (int)(slash - r->what - 1), r->what, r->need, slash + 2, r->have);
}

static const char *say_tensor(const struct context *c)
{
    return report_text(c->report, "%s is %.0f, not divisible by the tensor degree %.0f",
                       c->reason->what, c->reason->need, c->reason->have);
}

static const char *say_pipeline(const struct context *c)
{
    const struct rk_reason *r = c->reason;
    if (strcmp(r->what, "pipeline") == 0)
        return report_text(c->report, "pipeline is %.0f, more than the %.0f layers", r->need,
                           r->have);
    if (strcmp(r->what, "interleaving") == 0)
        return report_text(c->report, "interleaving is %.0f: without a pipeline it must be 1",
                           r->need);
    return report_text(c->report, "%s are %.0f, not divisible by the interleaving %.0f", r->what,
                       r->need, r->have);
}

static const char *say_option(const struct context *c)
{
    return report_text(c->report, "%s", c->reason->what);
}

static const char *say_datatype(const struct context *c)
{
    const bool engine =
        strcmp(c->reason->what, "matrix") == 0 || strcmp(c->reason->what, "vector") == 0;
    return engine ? report_text(c->report, "%s: its %s engine does not support the precision",
                                c->system->id, c->reason->what)
                  : report_text(c->report, "calculon has no precision %s", c->reason->what);
}

static const char *say_tier(const struct context *c)
{
    const struct rk_reason *r = c->reason;
    return report_text(c->report, "%s is tier %.0f, the last one of %s is %.0f", r->what, r->need,
                       c->system->id, r->have);
}

static const char *say_network(const struct context *c)
{
    const struct rk_reason *r = c->reason;
    const char *name = network_name(c->report, c->system, r->tier);
    if (r->verdict == RK_NETWORK_TOO_SMALL)
        return report_text(c->report,
                           "%s joins %.0f ranks, what runs on it takes %.0f: use a lower degree or "
                           "a wider tier",
                           name, r->have, r->need);
    return report_text(c->report, "%s must be filled: %.0f does not divide its %.0f ranks", name,
                       r->need, r->have);
}

static const char *say_blocks(const struct context *c)
{
    return report_text(c->report, "offloading needs %.0f blocks on a rank, there are %.0f",
                       c->reason->need, c->reason->have);
}

static const char *say_memory(const struct context *c)
{
    const struct rk_reason *r = c->reason;
    char need[QUANTITY_TEXT], have[QUANTITY_TEXT], lack[QUANTITY_TEXT];
    return report_text(c->report, "%s needs %s, has %s: %s too little",
                       memory_name(c->report, c->system, r->tier),
                       quantity_format(need, QUANTITY_BYTES, r->need),
                       quantity_format(have, QUANTITY_BYTES, r->have),
                       quantity_format(lack, QUANTITY_BYTES, r->need - r->have));
}

static const char *say_model(const struct context *c)
{
    return report_text(c->report, "%s: counted, but not estimated yet", c->reason->what);
}

static const char *(*const sentences[RK_VERDICTS])(const struct context *) = {
    [RK_BAD_MODEL] = say_model,
    [RK_BAD_DEGREES] = say_degrees,
    [RK_BAD_BATCH] = say_batch,
    [RK_BAD_TENSOR] = say_tensor,
    [RK_BAD_PIPELINE] = say_pipeline,
    [RK_BAD_OPTION] = say_option,
    [RK_BAD_DATATYPE] = say_datatype,
    [RK_BAD_MEMORY] = say_tier,
    [RK_BAD_NETWORK] = say_tier,
    [RK_NETWORK_TOO_SMALL] = say_network,
    [RK_NETWORK_NOT_FILLED] = say_network,
    [RK_TOO_FEW_BLOCKS] = say_blocks,
    [RK_MEMORY_EXCEEDED] = say_memory,
};

const char *published_reason(struct report *report, const struct rk_system *system,
                             const struct rk_reason *reason)
{
    const struct context context = {report, system, reason};
    return sentences[reason->verdict](&context);
}
