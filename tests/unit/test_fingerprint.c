/* Every member of a model, a plan and a system changes the fingerprint of what is searched. */
#include "layouts.h"
#include "search/fingerprint.h"

#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <string.h>

static uint64_t of_model(const struct rk_model *m)
{
    uint64_t hash = 1;
    fingerprint_model(&hash, m);
    return hash;
}

static uint64_t of_plan(const struct rk_plan *p)
{
    uint64_t hash = 1;
    fingerprint_plan(&hash, p);
    return hash;
}

static uint64_t of_system(const struct rk_system *s)
{
    uint64_t hash = 1;
    fingerprint_system(&hash, s);
    return hash;
}

/* Changes each bit of a struct in turn; returns the bytes that do not count. */
#define DEAF(object, of)                                                                           \
    __extension__({                                                                                \
        size_t deaf = 0;                                                                           \
        const uint64_t untouched = of(&(object));                                                  \
        for (size_t i = 0; i < sizeof(object); i++) {                                              \
            ((unsigned char *)&(object))[i] ^= 1;                                                  \
            deaf += of(&(object)) == untouched;                                                    \
            ((unsigned char *)&(object))[i] ^= 1;                                                  \
        }                                                                                          \
        deaf;                                                                                      \
    })

/* Only the name, what stands behind a text's end, and padding may be deaf: of a text one byte is
 * live, of a flag its own. */
Test(fingerprint, a_model)
{
    struct rk_model model;
    cr_assert_eq(rk_model_load("deepseek-v3", &model, NULL), RK_OK);
    size_t live = 0;
#define MODEL_COUNT(key, need, least, most, help) live += sizeof model.key;
#define MODEL_FLAG(key, preset, help)             live += 1;
#define MODEL_CHOICE(key, type, names, help)      live += sizeof model.key;
#define MODEL_TEXT(key, size, help)               live += 1;
#include <reckon/model.def>
    cr_assert_leq(DEAF(model, of_model), sizeof model - live);
}

/* The members of plan.def stand in front of `layout`; how many there are of what stands behind it
 * is counted there. */
Test(fingerprint, a_plan)
{
    struct rk_plan plan = rk_plan_default(), other = plan;
    size_t deaf = 0, live = sizeof plan.share;
    const uint64_t untouched = of_plan(&plan);
    for (size_t i = 0; i < offsetof(struct rk_plan, layout); i++) {
        ((unsigned char *)&plan)[i] ^= 1;
        deaf += of_plan(&plan) == untouched;
        ((unsigned char *)&plan)[i] ^= 1;
    }
#define PLAN_COUNT(scope, by, member, preset, least, most, word, help) live += sizeof plan.member;
#define PLAN_RANKS(scope, by, key, member, preset, least, most, word, help)                        \
    live += sizeof plan.member;
#define PLAN_LEVEL(scope, by, member, preset, least, most, word, help)  live += sizeof plan.member;
#define PLAN_FLAG(scope, by, member, preset, word, help)                live += 1;
#define PLAN_NUMBER(scope, by, member, preset, least, most, word, help) live += sizeof plan.member;
#define PLAN_CHOICE(scope, by, member, list, preset, word, help)        live += sizeof plan.member;
#define PLAN_PARTS(scope, by, member, list, word, help)                 live += sizeof plan.member;
#include <reckon/plan.def>
    cr_assert_leq(deaf, offsetof(struct rk_plan, layout) - live);
    edit(&other)->round = 8;
    cr_assert_neq(of_plan(&other), untouched);
    other = plan;
    edit(&other)->splits = 1;
    cr_assert_neq(of_plan(&other), untouched);
    other = plan;
    edit(&other)->segments = edit(&other)->others = 1;
    const uint64_t segmented = of_plan(&other);
    edit(&other)->other[0].tensor++;
    cr_assert_neq(of_plan(&other), segmented);
    edit(&other)->other[0].tensor--;
    edit(&other)->segment[0].layers++;
    cr_assert_neq(of_plan(&other), segmented);
}

static struct rk_system whole; /* that the parts below stand in */

static uint64_t of_whole(const void *part)
{
    (void)part;
    return of_system(&whole);
}

Test(fingerprint, a_system)
{
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &whole, NULL), RK_OK);
    struct rk_network *network = &whole.network[1];
    struct rk_memory *memory = &whole.memory[0];
    const size_t behind_sizes = offsetof(struct rk_stream_rates, bytes) - sizeof(int);
    const size_t padding = behind_sizes + offsetof(struct rk_kernels, attention_rates) -
                           offsetof(struct rk_kernels, platforms) - sizeof(unsigned);
    whole.kernels.attention_rates.dims = 1; /* rates count where there are some */
    whole.kernels.optimizer_rates.sizes = whole.kernels.memory_rates.sizes = 1;
    whole.kernels.element_s[RK_KERNEL_gelu][0] = 1;
    whole.busy = whole.kernels;
    whole.busy_devices = 2;
    cr_assert_eq(DEAF(whole.busy, of_whole), behind_sizes + padding);
    cr_assert_eq(DEAF(whole.busy_devices, of_whole), 0);
    network->link.rates.sizes = 1;
    for (int i = 0; i < RK_EXCHANGES; i++)
        network->link.exchange[i].sizes = 1;
    cr_assert_eq(DEAF(whole.kernels, of_whole), behind_sizes + padding);
    cr_assert_eq(DEAF(network->collective, of_whole), 0);
    cr_assert_leq(DEAF(*network, of_whole),
                  sizeof network->name + 7 + 7 + (1 + RK_EXCHANGES) * behind_sizes,
                  "names and padding");
    cr_assert_eq(DEAF(memory->capacity_bytes, of_whole), 0);
    cr_assert_eq(DEAF(memory->bandwidth_Bps, of_whole), 0);
    cr_assert_eq(DEAF(memory->capacity_shared_by, of_whole), 0);
    cr_assert_eq(DEAF(memory->curve.step[0], of_whole), 0);
    cr_assert_eq(DEAF(whole.matrix[RK_BFLOAT16].peak_flops, of_whole), 0);
    cr_assert_eq(DEAF(whole.devices, of_whole), 0);
    rk_system_release(&whole);
}
