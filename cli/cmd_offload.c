/* reckon offload: which activations leave the accelerator, and what the published rules would do.
 */
#include "catalog/hosts.h"
#include "cli/commands.h"
#include "cli/offload_files.h"
#include "cli/offload_rules.h"
#include "cli/plan_input.h"
#include "cli/plan_operands.h"
#include "cli/show.h"

#include <string.h>

struct offload_args {
    struct plan_source source;
    double lifetime_years;
    bool simulate, verbose;
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct offload_args, member)

/* clang-format off */
static const struct operand offload_operands[] = {
    KNOWN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "PLAN", .offset = offsetof(struct offload_args, source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option offload_drives[] = {
    {.name = "lifetime", .type = OPTION_COUNT, AT(lifetime_years), .argument = "YEARS"},
    {.name = NULL},
};
static const struct option offload_simulation[] = {
    {.name = "simulate", .type = OPTION_FLAG, AT(simulate)},
    {.name = NULL},
};
static const struct option offload_output[] = {
    OPTION_VERBOSE_ROW(AT(verbose)),
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = NULL},
};

const struct usage offload_usage = {
#include "help/offload.h"
    .operands = offload_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Plan", plan_source_options, offsetof(struct offload_args, source)},
        {"Drives", offload_drives, 0},
        {"Simulation", offload_simulation, 0},
        {"Output", offload_output, 0},
        {"Form", show_options, offsetof(struct offload_args, show)},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

static enum rk_status one_memory(const struct rk_system *system, struct rk_error *error)
{
    const char *id = system->id;
    for (int i = 0; system->machine && i < system->machine->clusters; i++)
        if (rk_system_of(system, i)->memories < 2) id = rk_system_of(system, i)->id;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "%s has one memory: add a lower one, mem2=1TiB@50GB/s or "
                   "ssd=4*samsung-980pro-1tb",
                   id);
}

/* The same of each cluster of a line that + joins, as words of its part. */
static enum rk_status add_hosts(const char *line, struct rk_system *system, struct report *report,
                                struct rk_error *error)
{
    char text[4096], word[HOST_WORD], note[HOST_WORD];
    struct rk_system with;
    struct host host;
    size_t used = 0;
    const char *at = line, *plus;
    for (int i = 0; i < system->machine->clusters; i++, at = plus + 1) {
        const struct rk_system *cluster = rk_system_of(system, i);
        const bool has = cluster->memories > 1, last = i + 1 == system->machine->clusters;
        plus = last ? at + strlen(at) : strstr(at, " + ");
        if (!plus || (!has && !host_of(cluster, 0, &host))) return one_memory(system, error);
        plus += !last;
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%.*s%s%s%s", (int)(plus - at), at,
                             has ? "" : " ", has ? "" : host_word(&host, word), last ? "" : " +");
        if (used >= sizeof text) return one_memory(system, error);
        if (!has)
            report_note(report, report_text(report, "%s: %s, assumed", cluster->id,
                                            host_note(&host, note)));
    }
    const enum rk_status status = rk_system_load_several(text, &with, error);
    if (status != RK_OK) return status;
    rk_system_release(system);
    *system = with;
    return RK_OK;
}

/* Of one memory: what its nodes are known to have, as fits and longest assume it. */
static enum rk_status add_host(const struct offload_args *args, struct plan_input *input,
                               struct report *report, struct rk_error *error)
{
    struct rk_system with;
    struct host host;
    char note[HOST_WORD];
    if (rk_offload_tiers(&input->system) >= 1) return RK_OK;
    if (input->system.machine) return add_hosts(args->source.system, &input->system, report, error);
    if (!host_of(&input->system, input->draft.plan.ranks, &host))
        return one_memory(&input->system, error);
    const enum rk_status status = host_load(&host, args->source.system, &with, error);
    if (status != RK_OK) return status;
    rk_system_release(&input->system);
    input->system = with;
    report_note(report, report_text(report,
                                    "%s, assumed; mem2=1TiB@50GB/s in the system states "
                                    "what exists",
                                    host_note(&host, note)));
    return RK_OK;
}

static enum rk_status of_plan(const struct offload_args *args, struct plan_input *input,
                              struct report *report, struct rk_error *error)
{
    enum rk_status status = plan_gather(&args->source, input, error);
    if (status == RK_OK) status = plan_settle(&args->source, input, NULL, NULL, error);
    if (status == RK_OK) status = add_host(args, input, report, error);
    if (status != RK_OK) return status;
    struct rk_offload_job job = {.model = &input->model,
                                 .system = &input->system,
                                 .plan = input->draft.plan,
                                 .lifetime_years = args->lifetime_years};
    status = rk_offload_open(&job, error);
    if (status == RK_OK && args->simulate) {
        offload_simulated(&job, report);
    } else if (status == RK_OK) {
        status = offload_rules(&job, args->verbose, report);
        error->text[0] = 0;
    }
    rk_offload_release(&job);
    return status;
}

int cmd_offload(int argc, char **argv)
{
    struct offload_args args = {.source = {.several = true}};
    struct plan_input input = {.assumed = ""};
    struct report report = {.first = NULL};
    struct rk_error error;
    plan_words_prepare();
    const int done = options_read(&offload_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = RK_OK;
    if (args.source.model || args.source.system)
        status = of_plan(&args, &input, &report, &error);
    else if (args.source.words.count == 0)
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "say which plan, --model and --system, or which file of cases");
    for (int i = 0; status == RK_OK && !args.source.model && i < args.source.words.count; i++)
        status = offload_file(args.source.words.text[i], args.simulate, &report, &error);
    const bool shown = status == RK_OK || (status == RK_NOTHING_FITS && !error.text[0]);
    const int code =
        shown ? show_report(&report, &args.show, args.output, (int)status) : options_fail(&error);
    report_release(&report);
    plan_input_release(&input);
    return code;
}
