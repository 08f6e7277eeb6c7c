/* reckon prices: what accelerators cost for an hour, each price with its date and source. */
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/show.h"

#include <reckon/campaign.h>
#include <string.h>

struct prices_args {
    const char *system, *list, *output;
    struct show_args show;
};

/* clang-format off */
static const struct operand prices_operands[] = {
    {.name = "SYSTEM", .offset = offsetof(struct prices_args, system), .optional = true, .complete = "systems"},
    {.name = NULL},
};

static const struct option prices_options[] = {
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", .offset = offsetof(struct prices_args, system), .complete = "systems"},
    {.name = "prices", .type = OPTION_TEXT, .argument = "FILE|NAME", .offset = offsetof(struct prices_args, list), .complete = "file"},
    OPTION_OUTPUT_ROW(.offset = offsetof(struct prices_args, output)),
    {.name = NULL},
};

const struct usage prices_usage = {
#include "help/prices.h"
    .operands = prices_operands,
    .groups = {
        {"Prices", prices_options, 0},
        {"Form", show_options, offsetof(struct prices_args, show)},
        {"General", options_help_rows, 0},
    },
};

static const struct report_column columns[] = {
    {.name = "accelerator", REPORT_OF(struct rk_price_offer, accelerator)},
    {.name = "offer", REPORT_OF(struct rk_price_offer, name)},
    {.name = "usd_per_hour", REPORT_OF(struct rk_price_offer, usd_per_hour),      .title = "price",    .unit = "USD/h", .digits = 4},
    {.name = "preempted_every_h", .title = "preempted every", .unit = "h"},
    {.name = "date", REPORT_OF(struct rk_price_offer, date)},
    {.name = "source", REPORT_OF(struct rk_price_offer, source)},
};
/* clang-format on */

static bool is_of(const struct rk_price_offer *offer, const char *id)
{
    return strncmp(id, offer->accelerator, strlen(offer->accelerator)) == 0;
}

static size_t fill(struct report *report, const struct rk_campaign_facts *facts, const char *id)
{
    struct report_table *table =
        REPORT_LIST(report, "prices", "Price of a GPU-hour", REPORT_IN_ALL, columns);
    const struct rk_price_offer *o, *least = NULL, *most = NULL;
    size_t shown = 0;
    for (size_t left = rk_price_offers(facts, &o); left > 0; left--, o++) {
        if (id && !is_of(o, id)) continue;
        report_item(report, table, o,
                    (const struct report_cell[]){o->preempted_every_h > 0
                                                     ? cell_number(o->preempted_every_h)
                                                     : cell_none()});
        if (!least || o->usd_per_hour < least->usd_per_hour) least = o;
        if (!most || o->usd_per_hour > most->usd_per_hour) most = o;
        shown++;
    }
    report->title = "Prices of accelerators";
    if (shown)
        report_verdict(report, REPORT_PLAIN,
                       report_text(report, "%.4g USD per GPU-hour (%s, %s) to %.4g (%s, %s)",
                                   least->usd_per_hour, least->accelerator, least->name,
                                   most->usd_per_hour, most->accelerator, most->name));
    return shown;
}

int cmd_prices(int argc, char **argv)
{
    struct prices_args args = {.system = NULL};
    struct rk_campaign_facts *facts = NULL;
    struct rk_system system = {.memories = 0};
    struct report report = {.first = NULL};
    struct rk_error error;
    const int done = options_read(&prices_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = rk_campaign_facts_load(args.list, &facts, &error);
    if (status == RK_OK && args.system) status = rk_system_load(args.system, &system, &error);
    if (status == RK_OK && !fill(&report, facts, args.system ? system.id : NULL))
        status = rk_fail(&error, RK_NOTHING_FITS, NULL, 0, 0,
                         "no price of %s is in the list: give one, price=2.5",
                         args.system ? system.id : "an accelerator");
    const int code = show_end(&report, &args.show, args.output, status, RK_OK, &error);
    rk_campaign_facts_release(facts);
    rk_system_release(&system);
    return code;
}
