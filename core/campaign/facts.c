#include "campaign/facts.h"

#include "base/memory.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "text/csv.h"
#include "text/fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOUR_S = 3600, DAY_S = 86400 };

/* ---- tables of what a file may say ---- */

/* clang-format off */
#define NUMBER(type, member, text) { #member, FIELD_NUMBER, FIELD_REQUIRED, .offset = offsetof(struct type, member), .max = 1e18, .help = text }
#define UNIT(key, quantity, type, member, text) { key, FIELD_NUMBER, FIELD_REQUIRED, quantity, offsetof(struct type, member), .max = 1e9, .help = text }
#define TEXT(key, type, member) key, FIELD_TEXT, FIELD_REQUIRED, .offset = offsetof(struct type, member), .size = sizeof ((struct type *)0)->member
#define SOURCE { "source", FIELD_SOURCE, FIELD_REQUIRED, .help = "where the numbers come from" }

static const struct field logbook_fields[] = {
    { TEXT("logbook", logbook, name), .help = "what runs call it" },
    NUMBER(logbook, accelerators,     "of the run"),
    NUMBER(logbook, nodes,            "of the run"),
    NUMBER(logbook, days,             "that it was watched"),
    NUMBER(logbook, device_failures,  "of accelerators, in that time"),
    NUMBER(logbook, network_failures, "of the network"),
    NUMBER(logbook, node_failures,    "of hosts and software"),
    { TEXT("source", logbook, source), .help = "where it stands" },
    { .key = NULL },
};
static const struct field recovery_fields[] = {
    UNIT("detect_s",              "s",    recovery_facts, detect_s,    "until a failure is noticed"),
    UNIT("restart_s",             "s",    recovery_facts, restart_s,   "until work goes on"),
    UNIT("repair_h",              "h",    recovery_facts, repair_s,    "until a node is back"),
    UNIT("storage_GBps_per_node", "GB/s", recovery_facts, storage_Bps, "of checkpoints"),
    UNIT("host_GBps",             "GB/s", recovery_facts, host_Bps,    "of one accelerator to its host"),
    SOURCE,
    { .key = NULL },
};
static const struct field energy_fields[] = {
    NUMBER(energy_facts, matrix,         "share of the board's limit while matrices are multiplied"),
    NUMBER(energy_facts, memory,         "... while memory limits"),
    NUMBER(energy_facts, waiting,        "... while it waits"),
    NUMBER(energy_facts, node_factor,    "power of a node over its boards'"),
    NUMBER(energy_facts, cooling_factor, "of the building over its machines"),
    SOURCE,
    { .key = NULL },
};
static const struct field offer_fields[] = {
    { TEXT("accelerator", rk_price_offer, accelerator), .help = "ids of systems begin so" },
    { TEXT("offer",       rk_price_offer, name),        .help = "on-demand, reserved, spot, ..." },
    NUMBER(rk_price_offer, usd_per_hour, "of one accelerator"),
    { TEXT("date",        rk_price_offer, date),        .help = "of the price" },
    { TEXT("source",      rk_price_offer, source),      .help = "where it stands" },
    { "preempted_every_h", FIELD_NUMBER, .offset = offsetof(struct rk_price_offer, preempted_every_h), .max = 1e9, .help = "a node is taken away; 0: never" },
    { .key = NULL },
};
static const struct field trained_fields[] = {
    { TEXT("model",  trained, model),  .help = "id of the catalog" },
    NUMBER(trained, tokens, "it was trained on"),
    { TEXT("source", trained, source), .help = "where it stands" },
    { .key = NULL },
};

#define LIST(key, table, array, counter, most) { key, table, offsetof(struct rk_campaign_facts, array), sizeof ((struct rk_campaign_facts *)0)->array[0], most, offsetof(struct rk_campaign_facts, counter) }
static const struct list {
    const char *key;
    const struct field *fields;
    size_t offset, size, most, count_offset;
} lists[] = {
    LIST("failures", logbook_fields, logbook, logbooks, MOST_LOGBOOKS),
    LIST("prices",   offer_fields,   offer,   offers,   MOST_OFFERS),
    LIST("tokens",   trained_fields, of,      trained,  MOST_TRAINED),
};
static const struct group {
    const char *key;
    const struct field *fields;
    size_t offset;
} groups[] = {
    { "recovery", recovery_fields, offsetof(struct rk_campaign_facts, recovery) },
    { "energy",   energy_fields,   offsetof(struct rk_campaign_facts, energy) },
};
/* clang-format on */
enum { LISTS = sizeof lists / sizeof *lists, GROUPS = sizeof groups / sizeof *groups };

/* ---- loading ---- */

static enum rk_status load_list(const struct place *place, const struct list *list,
                                struct rk_campaign_facts *facts, struct rk_error *error)
{
    size_t *count = (size_t *)((char *)facts + list->count_offset);
    const enum rk_status status = place_need_array(place, 1, list->most, error);
    if (status != RK_OK) return status;
    *count = 0;
    for (size_t i = 0; i < json_array_size(place->value); i++) {
        const struct place at = place_element(place, i);
        char *row = (char *)facts + list->offset + list->size * *count;
        memset(row, 0, list->size);
        const enum rk_status read = fields_load(&at, list->fields, row, error);
        if (read != RK_OK) return read;
        ++*count;
    }
    return RK_OK;
}

static enum rk_status load_boards(const struct place *place, struct rk_campaign_facts *facts,
                                  struct rk_error *error)
{
    const struct field watts = {.type = FIELD_NUMBER, .above_min = true, .max = 1e6};
    const char *id;
    json_t *value;
    enum rk_status status = place_need_object(place, error);
    facts->boards = 0;
    if (status != RK_OK) return status;
    json_object_foreach(place->value, id, value)
    {
        struct board *board = &facts->board[facts->boards];
        struct place member;
        if (facts->boards == MOST_BOARDS)
            return place_fail(place, error, "more than %d boards", MOST_BOARDS);
        if (strlen(id) >= sizeof board->accelerator)
            return place_fail(place, error, "\"%.60s\" is longer than the name of a board", id);
        if (!place_member(place, id, &member)) continue;
        status = field_load(&member, &watts, &board->power_W, error);
        if (status != RK_OK) return status;
        snprintf(board->accelerator, sizeof board->accelerator, "%s", id);
        facts->boards++;
    }
    return RK_OK;
}

/* What the file has takes the place of what is there. */
static enum rk_status read_facts(const struct place *root, struct rk_campaign_facts *facts,
                                 struct rk_error *error)
{
    static const char *const keys[] = {"description",  "failures", "recovery",
                                       "energy",       "prices",   "power_W",
                                       "power_source", "tokens",   NULL};
    struct place member;
    enum rk_status status = place_need_object(root, error);
    if (status == RK_OK) status = place_need_keys(root, keys, error);
    for (int i = 0; status == RK_OK && i < LISTS; i++)
        if (place_member(root, lists[i].key, &member))
            status = load_list(&member, &lists[i], facts, error);
    for (int i = 0; status == RK_OK && i < GROUPS; i++)
        if (place_member(root, groups[i].key, &member))
            status =
                fields_load(&member, groups[i].fields, (char *)facts + groups[i].offset, error);
    if (status == RK_OK && place_member(root, "power_W", &member))
        status = load_boards(&member, facts, error);
    return status;
}

static enum rk_status read_file(const char *path, struct rk_campaign_facts *facts,
                                struct rk_error *error)
{
    struct document document = {0};
    enum rk_status status = document_load(path, &document, error);
    if (status == RK_OK) {
        const struct place root = place_root(&document);
        status = read_facts(&root, facts, error);
    }
    document_release(&document);
    return status;
}

/* ---- lists of prices: tables ---- */

/* Columns of a list, which a row of "prices" in a file has as members, too. */
enum { ACCELERATOR, OFFER, USD_PER_HOUR, PREEMPTED, DATE, SOURCE_COLUMN, PRICE_COLUMNS };
static const char *const price_columns[PRICE_COLUMNS] = {
    [ACCELERATOR] = "accelerator",     [OFFER] = "offer", [USD_PER_HOUR] = "usd_per_hour",
    [PREEMPTED] = "preempted_every_h", [DATE] = "date",   [SOURCE_COLUMN] = "source"};

static enum rk_status find_columns(const struct csv *csv, int column[PRICE_COLUMNS],
                                   struct rk_error *error)
{
    for (int i = 0; i < PRICE_COLUMNS; i++) {
        column[i] = csv_column(csv, price_columns[i]);
        if (column[i] < 0 && i != PREEMPTED)
            return rk_fail(error, RK_BAD_INPUT, csv->path, 1, 0,
                           "no column \"%s\": a list of prices has accelerator, offer, "
                           "usd_per_hour, preempted_every_h, date and source",
                           price_columns[i]);
    }
    return RK_OK;
}

/* A number of at least 0; an empty cell of the column that may be missing is 0. */
static bool read_amount(const char *cell, bool optional, double *value)
{
    char *end;
    *value = optional && !*cell ? 0 : strtod(cell, &end);
    if (optional && !*cell) return true;
    return end != cell && !*end && isfinite(*value) && *value >= 0 && (optional || *value > 0);
}

static enum rk_status read_offer(const struct csv *csv, size_t row, const int column[PRICE_COLUMNS],
                                 struct rk_price_offer *offer, struct rk_error *error)
{
    struct {
        int column;
        char *text;
        size_t size;
    } texts[] = {{ACCELERATOR, offer->accelerator, sizeof offer->accelerator},
                 {OFFER, offer->name, sizeof offer->name},
                 {DATE, offer->date, sizeof offer->date},
                 {SOURCE_COLUMN, offer->source, sizeof offer->source}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *cell = csv_cell(csv, row, (size_t)column[texts[i].column]);
        if (!*cell || strlen(cell) >= texts[i].size)
            return rk_fail(error, RK_BAD_INPUT, csv->path, csv->line[row], 0,
                           "%s: must have 1 to %zu characters", price_columns[texts[i].column],
                           texts[i].size - 1);
        snprintf(texts[i].text, texts[i].size, "%s", cell);
    }
    const char *price = csv_cell(csv, row, (size_t)column[USD_PER_HOUR]);
    const char *preempted =
        column[PREEMPTED] < 0 ? "" : csv_cell(csv, row, (size_t)column[PREEMPTED]);
    if (!read_amount(price, false, &offer->usd_per_hour))
        return rk_fail(error, RK_BAD_INPUT, csv->path, csv->line[row], 0,
                       "usd_per_hour: must be a number above 0, got \"%.40s\"", price);
    if (!read_amount(preempted, true, &offer->preempted_every_h))
        return rk_fail(error, RK_BAD_INPUT, csv->path, csv->line[row], 0,
                       "preempted_every_h: must be a number of hours or empty, got \"%.40s\"",
                       preempted);
    return RK_OK;
}

static enum rk_status read_prices(const char *path, struct rk_campaign_facts *facts,
                                  struct rk_error *error)
{
    struct csv csv = {.text = NULL};
    int column[PRICE_COLUMNS];
    enum rk_status status = csv_load(path, &csv, error);
    if (status == RK_OK) status = find_columns(&csv, column, error);
    if (status == RK_OK) facts->offers = 0;
    for (size_t row = 0; status == RK_OK && row < csv.rows; row++) {
        struct rk_price_offer offer;
        if (facts->offers == MOST_OFFERS)
            status = rk_fail(error, RK_BAD_INPUT, path, csv.line[row], 0, "more than %d offers",
                             MOST_OFFERS);
        else
            status = read_offer(&csv, row, column, &offer, error);
        if (status == RK_OK) facts->offer[facts->offers++] = offer;
    }
    csv_release(&csv);
    return status;
}

/* A file of the catalog's form, a table of prices, or the name of one in the catalog. */
static enum rk_status read_given(const char *path, const char *folder,
                                 struct rk_campaign_facts *facts, struct rk_error *error)
{
    char list[4096];
    if (text_ends_in(path, ".csv") || text_ends_in(path, ".csv.gz"))
        return read_prices(path, facts, error);
    if (strpbrk(path, "./")) return read_file(path, facts, error);
    snprintf(list, sizeof list, "%s/prices/%.200s.csv", folder, path);
    if (access(list, R_OK) == 0) return read_prices(list, facts, error);
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "prices: no list \"%.200s\" in data/prices of the catalog: name one of these, "
                   "or a file that ends in .csv or .json",
                   path);
}

enum rk_status rk_campaign_facts_load(const char *path, struct rk_campaign_facts **facts,
                                      struct rk_error *error)
{
    char folder[3072], own[4096];
    *facts = calloc(1, sizeof **facts);
    if (!*facts) return no_memory(error);
    enum rk_status status = catalog_folder(folder, sizeof folder, error);
    snprintf(own, sizeof own, "%s/campaign.json", folder);
    if (status == RK_OK) status = read_file(own, *facts, error);
    if (status == RK_OK) status = read_given("market", folder, *facts, error);
    if (status == RK_OK && path) status = read_given(path, folder, *facts, error);
    if (status == RK_OK) return RK_OK;
    rk_campaign_facts_release(*facts);
    *facts = NULL;
    return status;
}

void rk_campaign_facts_release(struct rk_campaign_facts *facts)
{
    free(facts);
}

/* ---- looking up ---- */

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

const struct logbook *facts_logbook(const struct rk_campaign_facts *facts, const char *name)
{
    for (size_t i = 0; i < facts->logbooks; i++)
        if (!name || strcmp(facts->logbook[i].name, name) == 0) return &facts->logbook[i];
    return NULL;
}

static double mean_s(double parts, double watched_s, double failures)
{
    return failures > 0 ? parts * watched_s / failures : INFINITY;
}

struct rk_failure_rates logbook_rates(const struct logbook *l)
{
    const double watched_s = l->days * DAY_S;
    return (struct rk_failure_rates){
        .device_s = mean_s(l->accelerators, watched_s, l->device_failures),
        .network_s = mean_s(l->accelerators, watched_s, l->network_failures),
        .node_s = mean_s(l->nodes, watched_s, l->node_failures),
        .preempt_s = INFINITY};
}

size_t rk_price_offers(const struct rk_campaign_facts *facts, const struct rk_price_offer **offers)
{
    *offers = facts->offer;
    return facts->offers;
}

/* The cheapest of an accelerator, or the one of that name; NULL: there is none. */
static const struct rk_price_offer *facts_offer(const struct rk_campaign_facts *facts,
                                                const char *system, const char *name)
{
    const struct rk_price_offer *found = NULL;
    for (size_t i = 0; i < facts->offers; i++) {
        const struct rk_price_offer *o = &facts->offer[i];
        if (!begins_with(system, o->accelerator) || (name && strcmp(name, o->name) != 0)) continue;
        if (!found || o->usd_per_hour < found->usd_per_hour) found = o;
    }
    return found;
}

double rk_price_of(const struct rk_campaign_facts *facts, const struct rk_system *system,
                   const char *name, const struct rk_price_offer **offer)
{
    const char *said = *system->price ? system->price : name;
    const size_t length = strlen(system->price);
    double price;
    *offer = NULL;
    if (length && number_parse(system->price, length, &price) == length) return price;
    *offer = facts_offer(facts, system->id, *said ? said : NULL);
    return *offer ? (*offer)->usd_per_hour : 0;
}

const struct trained *facts_trained(const struct rk_campaign_facts *facts, const char *model)
{
    for (size_t i = 0; i < facts->trained; i++)
        if (strcmp(facts->of[i].model, model) == 0) return &facts->of[i];
    return NULL;
}

double board_power_W(const struct rk_campaign_facts *facts, const struct rk_system *system)
{
    double power_W = system->kernels.power_W;
    size_t longest = 0;
    for (size_t i = 0; i < facts->boards && !(system->kernels.power_W > 0); i++) {
        const struct board *b = &facts->board[i];
        const size_t length = strlen(b->accelerator);
        if (!begins_with(system->id, b->accelerator) || length < longest) continue;
        longest = length;
        power_W = b->power_W;
    }
    return power_W;
}
