#include "catalog/hosts.h"

#include "catalog/catalog.h"
#include "machine/node_tiers.h"
#include "text/fields.h"

#include <inttypes.h>
#include <math.h>
#include <reckon/catalog.h>
#include <stdio.h>
#include <string.h>

#define AT(member) .offset = offsetof(struct host, member)

/* clang-format off */
static const struct field host_fields[] = {
    { "accelerator",  FIELD_TEXT,   FIELD_REQUIRED, .size = sizeof ((struct host *)0)->accelerator, AT(accelerator), .help = "ids of systems begin so" },
    { "node_GiB",     FIELD_NUMBER, FIELD_REQUIRED, "GiB",  AT(node_bytes), .above_min = true, .help = "memory of a node" },
    { "accelerators", FIELD_COUNT,  FIELD_REQUIRED, AT(accelerators), .min = 1, .max = 1024, .help = "of a node" },
    { "link_GBps",    FIELD_NUMBER, FIELD_REQUIRED, "GB/s", AT(link_Bps), .above_min = true, .help = "of an accelerator, each way" },
    { "node_GBps",    FIELD_NUMBER, FIELD_REQUIRED, "GB/s", AT(node_Bps), .above_min = true, .help = "memory bandwidth of a node's processors" },
    { "source",       FIELD_TEXT,   FIELD_REQUIRED, .size = sizeof ((struct host *)0)->source, AT(source), .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

static bool find(const struct place *hosts, const char *id, struct host *found)
{
    struct rk_error error;
    size_t longest = 0;
    for (size_t i = 0; i < json_array_size(hosts->value); i++) {
        const struct place at = place_element(hosts, i);
        struct host host = {.node_bytes = 0};
        if (fields_load(&at, host_fields, &host, &error) != RK_OK) return false;
        const size_t length = strlen(host.accelerator);
        if (length <= longest || strncmp(id, host.accelerator, length) != 0) continue;
        longest = length;
        *found = host;
    }
    return longest > 0;
}

bool host_listed(const struct rk_system *system, struct host *host)
{
    char folder[3072], path[4096];
    struct document document = {.size = 0};
    struct place hosts, kept;
    struct rk_error error;
    if (catalog_folder(folder, sizeof folder, &error) != RK_OK) return false;
    snprintf(path, sizeof path, "%s/hosts.json", folder);
    bool good = document_load(path, &document, &error) == RK_OK;
    if (good) {
        const struct place root = place_root(&document);
        good = place_member(&root, "hosts", &hosts) && find(&hosts, system->id, host) &&
               place_member(&root, "kept_share", &kept);
        if (good) host->kept_share = json_number_value(kept.value);
    }
    document_release(&document);
    return good;
}

bool host_of(const struct rk_system *system, uint64_t ranks, struct host *host)
{
    if (system->memories != 1 || !host_listed(system, host)) return false;
    if (!ranks) ranks = system->devices; /* all there are */
    const uint64_t node = system->networks ? system->network[0].size : 1;
    const uint64_t together = ranks < node ? ranks : node;
    if (host->accelerators == 1 && together > 1) {
        host->node_bytes *= (double)together;
        host->accelerators = together;
    }
    host->usable_bytes = floor(host->node_bytes * (1 - host->kept_share) / 0x1p30) * 0x1p30;
    return true;
}

/* Where links join several nodes, as of a rack, the list knows its trays. */
uint64_t host_node_size(const struct rk_system *system)
{
    struct host host;
    if (system->machine) return 0;
    const uint64_t size = node_size_of(system);
    return size ? size : host_listed(system, &host) ? host.accelerators : 0;
}

uint64_t host_gpus(const struct rk_system *system)
{
    struct host host;
    if (system->devices || system->machine) return system->devices;
    return host_listed(system, &host) && host.accelerators == 1;
}

const char *host_word(const struct host *host, char text[static HOST_WORD])
{
    snprintf(text, HOST_WORD,
             "mem2=%.10gGiB@%.10gGB/s,update=%.10gGB/s,capacity_shared_by=%" PRIu64,
             host->usable_bytes / 0x1p30, host->link_Bps / 1e9, host->node_Bps / 1e9,
             host->accelerators);
    return text;
}

const char *host_note(const struct host *host, char text[static HOST_WORD])
{
    snprintf(text, HOST_WORD,
             "host memory %.10g of %.10g GiB per node of %" PRIu64
             " (the rest for the operating system) at %.10g GB/s each, its processors at %.10g "
             "GB/s together",
             host->usable_bytes / 0x1p30, host->node_bytes / 0x1p30, host->accelerators,
             host->link_Bps / 1e9, host->node_Bps / 1e9);
    return text;
}

enum rk_status host_load(const struct host *host, const char *line, struct rk_system *system,
                         struct rk_error *error)
{
    char text[4096], word[HOST_WORD];
    if ((size_t)snprintf(text, sizeof text, "%s %s", line, host_word(host, word)) >= sizeof text)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "the description of the system is too long");
    return rk_system_load(text, system, error);
}

bool host_wanted(const struct rk_plan *plan)
{
    bool some = plan->recompute_rest || plan->optimizer_paged;
    for (int share = 0; share < RK_SHARES; share++)
        some |= plan->share[share][0] > 0;
    return some;
}

enum rk_status host_join(const char *line, const struct rk_system *system, uint64_t ranks,
                         struct rk_system *made, struct rk_error *error)
{
    struct host host;
    made->id[0] = '\0';
    if (system->machine || strcmp(line, "-") == 0 || !host_of(system, ranks, &host)) return RK_OK;
    const enum rk_status status = host_load(&host, line, made, error);
    if (status == RK_OK)
        memcpy(made->id, system->id, sizeof made->id);
    else
        made->id[0] = '\0';
    return status;
}

enum rk_status host_take(const struct rk_plan *plan, const char *line,
                         const struct rk_system *system, struct rk_system *made, bool *taken,
                         char note[static HOST_WORD], struct rk_error *error)
{
    struct host host;
    *taken = false;
    if (!host_wanted(plan) || !rk_answerer(plan->framework)->runs || strcmp(line, "-") == 0 ||
        !host_of(system, plan->ranks, &host))
        return RK_OK;
    const enum rk_status status = host_load(&host, line, made, error);
    *taken = status == RK_OK;
    host_note(&host, note);
    return status;
}

/* Of a stated memory, whose processors step an optimizer and are assumed (rk_system_load). */
static void note_processors(const struct rk_plan *plan, const char *line,
                            const struct rk_system *system, char note[static HOST_WORD])
{
    struct host host;
    if (system->memories < 2 || !(rk_plan_offloaded(plan, RK_SHARE_OPTIMIZER) > 0) ||
        strstr(line, "update=") || !host_listed(system, &host) ||
        system->memory[1].update_Bps != host.node_Bps / (double)host.accelerators)
        return;
    snprintf(note, HOST_WORD, "processors of a node of %" PRIu64 " at %.10g GB/s together",
             host.accelerators, host.node_Bps / 1e9);
}

enum rk_status host_add(const struct rk_plan *plan, const char *line, struct rk_system *system,
                        char note[static HOST_WORD], struct rk_error *error)
{
    struct rk_system made;
    bool taken;
    const enum rk_status status = host_take(plan, line, system, &made, &taken, note, error);
    if (status == RK_OK && !taken) note_processors(plan, line, system, note);
    if (!taken) return status;
    rk_system_release(system);
    *system = made;
    return RK_OK;
}
