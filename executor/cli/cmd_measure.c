/* reckon measure: this machine as a system file. */
#include "base/memory.h"
#include "catalog/rates.h"
#include "cli/commands.h"
#include "cli/executor.h"
#include "cli/machine_products.h"
#include "cli/measure_profile.h"
#include "text/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct measure_args {
    const char *output, *drives;
    uint64_t seconds;
    struct measure_profile profile;
};

#define AT(member) .offset = offsetof(struct measure_args, member)

/* clang-format off */
static const struct option rows[] = {
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = "seconds", .type = OPTION_NUMBER, AT(seconds), .min = 1, .max = 3600},
    {.name = "drives", .type = OPTION_TEXT, .argument = "FOLDER", AT(drives), .complete = "file"},
    {.name = NULL},
};

static const struct option profile_rows[] = {
    {.name = "profile", .type = OPTION_TEXT, .argument = "MODEL", AT(profile.model), .complete = "models"},
    {.letter = 'g', .name = "gpus", .type = OPTION_NUMBER, .argument = "N", AT(profile.ranks), .min = 2, .max = 64},
    {.name = "sequence", .type = OPTION_NUMBER, .argument = "TOKENS", AT(profile.sequence), .min = 1, .max = 1 << 20},
    {.name = NULL},
};

const struct usage measure_usage = {
#include "help/measure.h"
    .groups = {
        {"Output", rows, 0},
        {"Profiles", profile_rows, 0},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

static const char system_text[] =
#include "texts/measured-system.h"
    ;

static const char tiers_text[] =
#include "texts/measured-tiers.h"
    ;

/* Further rows of the memories; the end of the line without --drives. */
static enum rk_status measure_tiers(const struct measure_args *args, const struct rk_measured *m,
                                    char **text, struct rk_error *error)
{
    struct rk_measured_tier t[2];
    const double share = 1 / (double)m->processors / 1073741824.0;
    if (!args->drives) {
        *text = strdup("\n");
    } else {
        const enum rk_status status =
            cli_executor->measure_tiers(args->drives, (double)args->seconds / 4, t, error);
        if (status != RK_OK) return status;
        const double least = t[0].write_Bps < t[0].read_Bps ? t[0].write_Bps : t[0].read_Bps;
        if (asprintf(text, tiers_text, (double)m->memory_bytes * share, least / 1e9,
                     t[1].capacity_bytes * share, t[1].read_Bps / 1e9, t[1].read_Bps / 1e9,
                     t[1].write_Bps / 1e9) < 0)
            *text = NULL;
    }
    return *text ? RK_OK : no_memory(error);
}

/* A table in one line; NULL: no memory. */
static char *rates_text(json_t *rates)
{
    char *text = rates ? json_dumps(rates, JSON_REAL_PRECISION(6)) : NULL;
    json_decref(rates);
    return text;
}

/* The measured constants of kernels, a line each, indented by `blanks`; NULL: no memory. */
static char *kernels_of(const struct rk_rates *r, int blanks)
{
    char *attention = rates_text(attention_rates_json(&r->attention)),
         *optimizer = rates_text(stream_rates_json(&r->optimizer)),
         *memory = rates_text(stream_rates_json(&r->memory)),
         *element = rates_text(element_times_json(r->element_s)), *text = NULL;
    if (attention && optimizer && memory && element &&
        asprintf(&text,
                 "%*s\"matrix_k_half\": %.6g,\n%*s\"weights_GBps\": %.6g,\n"
                 "%*s\"attention_rates\": %s,\n%*s\"optimizer_rates\": %s,\n"
                 "%*s\"memory_rates\": %s,\n%*s\"element_ns\": %s,\n",
                 blanks, "", r->k_half, blanks, "", r->weights_Bps / 1e9, blanks, "", attention,
                 blanks, "", optimizer, blanks, "", memory, blanks, "", element) < 0)
        text = NULL;
    free(attention);
    free(optimizer);
    free(memory);
    free(element);
    return text;
}

static const char busy_text[] =
#include "texts/measured-busy.h"
    ;

/* What the kernels are while all processors compute; "" where there is one. The peak is that of one
 * alone: a share of it is left, at most all. NULL: no memory. */
static char *busy_of(const struct rk_measured *m)
{
    char *text = NULL;
    if (!m->busy_threads) return strdup("");
    char *kernels = kernels_of(&m->busy, 12);
    const double share =
        m->busy.peak_FLOPps < m->alone.peak_FLOPps ? m->busy.peak_FLOPps / m->alone.peak_FLOPps : 1;
    if (kernels && asprintf(&text, busy_text, m->busy_threads, share, share, kernels) < 0)
        text = NULL;
    free(kernels);
    return text;
}

static char *text_of(const struct rk_measured *m, const char *tiers)
{
    const struct rk_rates *r = &m->alone;
    char products[192],
        *text = NULL, *busy = busy_of(m), *link = rates_text(stream_rates_json(&m->link)),
        *exchange = rates_text(exchange_rates_json(m->exchange)), *kernels = kernels_of(r, 8);
    const double link_Bps = m->link.rate_Bps[m->link.sizes - 1], peak = r->peak_FLOPps / 1e12;
    const double memory_Bps = r->optimizer.rate_Bps[r->optimizer.sizes - 1];
    executor_products(false, true, products, sizeof products);
    if (kernels && busy && link && exchange &&
        asprintf(&text, system_text, m->processors, products, peak, r->bf16_FLOPps / 1e12,
                 MEASURED_PRODUCTS, products, peak, peak,
                 (double)m->memory_bytes / (double)m->processors / 1073741824.0, memory_Bps / 1e9,
                 tiers, link_Bps / 1e9, m->latency_s * 1e6, m->hop_s * 1e6, link, exchange, kernels,
                 busy) < 0)
        text = NULL;
    free(kernels);
    free(busy);
    free(link);
    free(exchange);
    return text;
}

static enum rk_status write_system(const char *path, const char *text, struct rk_error *error)
{
    struct output output;
    const enum rk_status status = output_open(&output, path, error);
    if (status != RK_OK) return status;
    fputs(text, output.file);
    return output_commit(&output, error);
}

/* Finds errors before measuring that would appear only after it, or never; fills in defaults. */
static enum rk_status settle(struct measure_args *args, struct rk_error *error)
{
    struct measure_profile *profile = &args->profile;
    if (!profile->model && (profile->ranks || profile->sequence))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--gpus and --sequence are of profiles: give --profile MODEL");
    if (profile->model && args->drives)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--drives: a profile has no memory tiers: leave it out, or --profile");
    if (args->drives && access(args->drives, W_OK) != 0)
        return rk_fail(error, RK_IO, args->drives, 0, 0, "cannot be written to: %s",
                       strerror(errno));
    if (!args->seconds) args->seconds = profile->model ? 1 : 40;
    if (!profile->ranks) profile->ranks = 8;
    profile->output = args->output;
    return profile->model ? measure_profile_try(profile, error) : RK_OK;
}

int cmd_measure(int argc, char **argv)
{
    struct measure_args args = {.output = "-"};
    struct rk_measured m;
    struct rk_error error;
    if (!cli_executor && !executor_is_asked_for_help(argc, argv))
        return executor_become(argc, argv);
    const int done = options_read(&measure_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = output_try(args.output, &error);
    if (status == RK_OK) status = settle(&args, &error);
    if (status == RK_OK) executor_warn_of_slow();
    if (status == RK_OK) status = cli_executor->measure((double)args.seconds, &m, &error);
    char *tiers = NULL;
    if (status == RK_OK) status = measure_tiers(&args, &m, &tiers, &error);
    char *text = status == RK_OK ? text_of(&m, tiers) : NULL;
    free(tiers);
    if (status == RK_OK && !text) status = no_memory(&error);
    if (status == RK_OK)
        status = args.profile.model ? measure_profile(&args.profile, text, &error)
                                    : write_system(args.output, text, &error);
    free(text);
    return status == RK_OK ? (int)RK_OK : options_fail(&error);
}
