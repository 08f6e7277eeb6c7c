/* What is in data/: every entry loads, says where its numbers come from, and agrees with the
 * files of the published tool it stands for. */
#include "catalog/catalog.h"
#include "catalog_cases.h"

#include <jansson.h>
#include <stdio.h>

static struct catalog_list listed(enum catalog_kind kind)
{
    struct catalog_list list;
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(catalog_list(kind, &list, &error), RK_OK, "%s", formatted(&error));
    return list;
}

Test(catalog_data, every_model_loads)
{
    struct rk_error error;
    struct rk_model model;
    struct catalog_list list = listed(CATALOG_MODELS);
    cr_expect_geq(list.count, 44);
    for (size_t i = 0; i < list.count; i++)
        cr_expect_eq(rk_model_load(list.id[i], &model, &error), RK_OK, "%s", formatted(&error));
    catalog_list_release(&list);
}

Test(catalog_data, every_system_loads)
{
    struct rk_error error;
    struct catalog_list list = listed(CATALOG_SYSTEMS);
    cr_expect_geq(list.count, 54);
    for (size_t i = 0; i < list.count; i++) {
        struct rk_system system = {.id = ""};
        cr_expect_eq(rk_system_load(list.id[i], &system, &error), RK_OK, "%s", formatted(&error));
        cr_expect_str_eq(system.id, list.id[i]);
        rk_system_release(&system);
    }
    catalog_list_release(&list);
}

/* ---- sources ---- */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    char *text = calloc(1, 1 << 20);
    cr_assert_lt(fread(text, 1, (1 << 20) - 1, file), (1 << 20) - 1);
    fclose(file);
    return text;
}

/* Each [key2023] of a text is in docs/references.bib. */
static void check_citations(const char *id, const char *text, const char *references)
{
    for (const char *at = text; (at = strchr(at, '[')); at++) {
        char key[64], entry[80];
        if (sscanf(at, "[%63[a-z0-9]]", key) != 1) continue;
        snprintf(entry, sizeof entry, "{%s,", key);
        cr_expect(strstr(references, entry), "%s cites %s, which docs/references.bib lacks", id,
                  key);
    }
}

static bool has_source(const struct catalog_entry *entry, const char *group)
{
    for (size_t i = 0; i < entry->sources; i++)
        if (strcmp(entry->source[i].group, group) == 0) return true;
    return false;
}

static void check_groups(const char *id, const struct catalog_entry *entry)
{
    struct rk_system system = {.id = ""};
    struct rk_error error;
    char group[32];
    cr_assert_eq(rk_system_load(id, &system, &error), RK_OK);
    cr_expect(has_source(entry, "matrix") && has_source(entry, "vector"), "%s", id);
    for (int i = 0; i < system.memories; i++) {
        snprintf(group, sizeof group, "memory[%d]", i);
        cr_expect(has_source(entry, group), "%s: %s", id, group);
    }
    for (int i = 0; i < system.networks; i++) {
        snprintf(group, sizeof group, "network[%d]", i);
        cr_expect(has_source(entry, group), "%s: %s", id, group);
        snprintf(group, sizeof group, "network[%d].link", i);
        cr_expect(has_source(entry, group), "%s: %s", id, group);
    }
    cr_expect(has_source(entry, "kernels"), "%s", id);
    rk_system_release(&system);
}

Test(catalog_data, every_group_of_numbers_has_a_source)
{
    char *references = read_file(RECKON_TEST_SOURCE "/docs/references.bib");
    for (int kind = 0; kind < CATALOG_KINDS; kind++) {
        struct catalog_list list = listed((enum catalog_kind)kind);
        for (size_t i = 0; i < list.count; i++) {
            struct catalog_entry entry;
            struct rk_error error;
            cr_assert_eq(catalog_describe((enum catalog_kind)kind, list.id[i], &entry, &error),
                         RK_OK, "%s", formatted(&error));
            cr_expect_str_eq(entry.id, list.id[i]);
            cr_expect(*entry.name, "%s has no name", entry.id);
            cr_expect(has_source(&entry, ""), "%s has no source", entry.id);
            if (kind == CATALOG_SYSTEMS) check_groups(list.id[i], &entry);
            for (size_t k = 0; k < entry.sources; k++)
                check_citations(entry.id, entry.source[k].text, references);
            catalog_entry_release(&entry);
        }
        catalog_list_release(&list);
    }
    free(references);
}

Test(catalog_data, lists_are_sorted)
{
    struct catalog_list list = listed(CATALOG_MODELS);
    for (size_t i = 1; i < list.count; i++)
        cr_expect_lt(strverscmp(list.id[i - 1], list.id[i]), 0);
    cr_expect_null(list.id[list.count]);
    catalog_list_release(&list);
}

Test(catalog_data, a_description_in_one_line_has_the_sources_of_its_base)
{
    struct catalog_entry entry;
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(catalog_describe(CATALOG_SYSTEMS, "h100-80g hbm=120GiB", &entry, &error), RK_OK);
    cr_expect_str_eq(entry.synthetic, "h100-80g hbm=120GiB");
    cr_expect(has_source(&entry, "memory[0]"));
    catalog_entry_release(&entry);
}

Test(catalog_data, a_folder_without_a_catalog)
{
    struct catalog_list list;
    struct rk_error error;
    setenv("RECKON_DATA", "/nowhere", 1);
    cr_expect_eq(catalog_list(CATALOG_MODELS, &list, &error), RK_IO);
    cr_expect_str_eq(formatted(&error),
                     "/nowhere: holds no catalog: RECKON_DATA must name a folder "
                     "with models/ or systems/ in it");
}

/* ---- against the published tool's files in tests/golden ---- */

static json_t *golden(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tests/golden/%s.json", RECKON_TEST_SOURCE, name);
    json_t *root = json_load_file(path, 0, NULL);
    cr_assert(root, "%s", path);
    return root;
}

static double at(json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void check_curve(json_t *steps, double unit, const struct rk_curve *curve, double peak)
{
    cr_assert_eq((int)json_array_size(steps), curve->steps);
    for (int i = 0; i < curve->steps; i++) {
        json_t *step = json_array_get(steps, (size_t)i);
        const double efficiency = json_number_value(json_array_get(step, 1));
        cr_expect_eq(curve->step[i].from, json_number_value(json_array_get(step, 0)) * unit);
        cr_expect_eq(curve->step[i].efficiency, efficiency);
        cr_expect_eq(curve->step[i].rate, peak * efficiency);
    }
}

static void check_engines(json_t *group, const struct rk_engine *engines)
{
    for (int i = 0; i < RK_DATATYPES; i++) {
        json_t *engine = json_object_get(group, rk_datatype_name((enum rk_datatype)i));
        if (!engine) continue; /* bfloat16 is an addition */
        cr_expect_eq(engines[i].peak_flops, at(engine, "tflops") * 1e12);
        check_curve(json_object_get(engine, "gflops_efficiency"), 1e9, &engines[i].curve,
                    engines[i].peak_flops);
    }
}

static void check_memory(json_t *tier, const struct rk_memory *memory)
{
    cr_expect_eq(memory->capacity_bytes, at(tier, "GiB") * 1073741824.0);
    cr_expect_eq(memory->bandwidth_Bps, at(tier, "GBps") * 1e9);
    check_curve(json_object_get(tier, "MB_efficiency"), 1e6, &memory->curve, memory->bandwidth_Bps);
}

static void check_network(json_t *tier, const struct rk_network *network)
{
    static const char *const ops[RK_COLLECTIVES] = {"p2p", "reduce_scatter", "all_gather",
                                                    "all_reduce"};
    cr_expect_eq(network->bandwidth_Bps, at(tier, "bandwidth") * 1e9);
    cr_expect_eq(network->efficiency, at(tier, "efficiency"));
    cr_expect_eq((double)network->size, at(tier, "size"));
    cr_expect_eq(network->latency_s, at(tier, "latency"));
    cr_expect_eq(network->processor_usage, at(tier, "processor_usage"));
    cr_expect_eq(network->must_be_filled, json_is_true(json_object_get(tier, "must_be_filled")));
    for (int i = 0; i < RK_COLLECTIVES; i++) {
        json_t *op = json_object_get(json_object_get(tier, "ops"), ops[i]);
        cr_expect_eq(network->collective[i].scale, json_number_value(json_array_get(op, 0)));
        cr_expect_eq(network->collective[i].offset, json_number_value(json_array_get(op, 1)));
    }
}

static void check_system(const char *id, const char *file)
{
    struct rk_system system = {.id = ""};
    struct rk_error error;
    json_t *root = golden(file);
    use_source_catalog();
    cr_assert_eq(rk_system_load(id, &system, &error), RK_OK, "%s", formatted(&error));
    check_engines(json_object_get(root, "matrix"), system.matrix);
    check_engines(json_object_get(root, "vector"), system.vector);
    cr_assert_eq(system.memories, 2);
    check_memory(json_object_get(root, "mem1"), &system.memory[0]);
    check_memory(json_object_get(root, "mem2"), &system.memory[1]);
    json_t *networks = json_object_get(root, "networks");
    cr_assert_eq((int)json_array_size(networks), system.networks);
    for (int i = 0; i < system.networks; i++)
        check_network(json_array_get(networks, (size_t)i), &system.network[i]);
    cr_expect_eq(system.processing, RK_NO_OVERLAP);
    rk_system_release(&system);
    json_decref(root);
}

Test(catalog_data, systems_of_the_published_tool)
{
    check_system("a100-80g-selene", "systems/a100_80g");
    check_system("h100-80g-nvl8", "systems/h100_80g_nvl8");
    check_system("h100-80g hbm=120GiB mem2=1TiB@100GB/s", "systems/h100_off100");
}

Test(catalog_data, models_of_the_published_tool)
{
    static const struct {
        const char *id, *file;
    } pairs[] = {
        {"calculon-megatron-126m", "megatron-126M"},
        {"calculon-megatron-5b", "megatron-5B"},
        {"calculon-megatron-40b", "megatron-40B"},
        {"calculon-anthropic-52b", "anthropic-52B"},
        {"calculon-lamda", "lamda"},
        {"calculon-palm-540b", "palm-540B"},
        {"megatron-22b", "megatron-22B"},
        {"gpt3-13b", "gpt3-13B"},
        {"gpt3-175b", "gpt3-175B"},
        {"mt-nlg-530b", "turing-530B"},
        {"megatron-1t", "megatron-1T"},
        {"chinchilla-70b", "chinchilla"},
        {"gopher-280b", "gopher-280B"},
    };
    use_source_catalog();
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char name[64];
        struct rk_model model;
        struct rk_error error;
        snprintf(name, sizeof name, "models/%s", pairs[i].file);
        json_t *root = golden(name);
        cr_assert_eq(rk_model_load(pairs[i].id, &model, &error), RK_OK, "%s", formatted(&error));
        cr_expect_eq((double)model.hidden, at(root, "hidden"), "%s", name);
        cr_expect_eq((double)model.feedforward, at(root, "feedforward"), "%s", name);
        cr_expect_eq((double)model.sequence, at(root, "seq_size"), "%s", name);
        cr_expect_eq((double)model.heads, at(root, "attn_heads"), "%s", name);
        cr_expect_eq((double)model.head_dim, at(root, "attn_size"), "%s", name);
        cr_expect_eq((double)model.layers, at(root, "num_blocks"), "%s", name);
        json_decref(root);
    }
}
