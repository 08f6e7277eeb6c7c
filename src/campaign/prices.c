#include "campaign/prices.h"

#include "catalog/catalog.h"
#include "catalog/fields.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
#define AT(member) .offset = offsetof(struct offer, member)
#define TEXT(member) FIELD_TEXT, FIELD_REQUIRED, AT(member), .size = sizeof ((struct offer *)0)->member
static const struct field offer_fields[] = {
    { "accelerator",       TEXT(accelerator), .help = "ids of systems begin so" },
    { "offer",             TEXT(offer),       .help = "on-demand, reserved, spot, ..." },
    { "usd_per_hour",      FIELD_NUMBER, FIELD_REQUIRED, AT(usd_per_hour), .max = 1e6, .help = "of one accelerator" },
    { "date",              TEXT(date),        .help = "of the price" },
    { "source",            TEXT(source),      .help = "where it stands" },
    { "preempted_every_h", FIELD_NUMBER, AT(preempted_every_h), .max = 1e9, .help = "a node is taken away; 0: never" },
    { .key = NULL },
};
/* clang-format on */

static enum rk_status load(const char *path, struct document *document, struct rk_error *error)
{
    char folder[3072], own[4096];
    if (path) return document_load(path, document, error);
    const enum rk_status status = catalog_folder(folder, sizeof folder, error);
    if (status != RK_OK) return status;
    snprintf(own, sizeof own, "%s/campaign.json", folder);
    return document_load(own, document, error);
}

enum rk_status prices_load(const char *path, struct prices *prices, struct rk_error *error)
{
    struct document document = {0};
    struct place list;
    *prices = (struct prices){.count = 0};
    enum rk_status status = load(path, &document, error);
    if (status == RK_OK) {
        const struct place root = place_root(&document);
        status = place_need_object(&root, error);
        if (status == RK_OK && !place_member(&root, "prices", &list))
            status = place_fail(&root, error, "no \"prices\": add the list of offers");
        if (status == RK_OK) status = place_need_array(&list, 1, MOST_OFFERS, error);
        for (size_t i = 0; status == RK_OK && i < json_array_size(list.value); i++) {
            const struct place at = place_element(&list, i);
            status = fields_load(&at, offer_fields, &prices->offer[prices->count++], error);
        }
    }
    document_release(&document);
    return status;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

const struct offer *prices_find(const struct prices *prices, const char *system, const char *offer)
{
    const struct offer *found = NULL;
    for (int i = 0; i < prices->count; i++) {
        const struct offer *o = &prices->offer[i];
        if (!begins_with(system, o->accelerator) || (offer && strcmp(offer, o->offer) != 0))
            continue;
        if (!found || o->usd_per_hour < found->usd_per_hour) found = o;
    }
    return found;
}

double usual_tokens(const char *model, const char **source)
{
    static char kept[200];
    struct document document = {0};
    struct rk_error error;
    double tokens = 0;
    if (load(NULL, &document, &error) != RK_OK) return 0;
    const json_t *list = json_object_get(document.root, "tokens");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        const char *id = json_string_value(json_object_get(row, "model"));
        const char *text = json_string_value(json_object_get(row, "source"));
        if (!id || strcmp(id, model) != 0) continue;
        tokens = json_number_value(json_object_get(row, "tokens"));
        snprintf(kept, sizeof kept, "%s", text ? text : "");
    }
    document_release(&document);
    if (source) *source = kept;
    return tokens;
}

double board_power_W(const struct rk_system *system)
{
    struct document document = {0};
    struct rk_error error;
    double power_W = system->kernels.power_W;
    size_t longest = 0;
    const char *id;
    json_t *value;
    if (power_W > 0 || load(NULL, &document, &error) != RK_OK) return power_W;
    json_object_foreach(json_object_get(document.root, "power_W"), id, value)
    {
        if (!begins_with(system->id, id) || strlen(id) < longest) continue;
        longest = strlen(id);
        power_W = json_number_value(value);
    }
    document_release(&document);
    return power_W;
}
