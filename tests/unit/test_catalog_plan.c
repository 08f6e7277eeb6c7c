/* Plans as files and as words: presets, what is worked out, what is wrong with one, round trips. */
#include "catalog/plan_fields.h"
#include "catalog/plan_stages.h"
#include "catalog_cases.h"
#include "layouts.h"

#include <reckon/catalog.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static enum rk_status read_text(const char *text, struct rk_plan *plan, struct rk_error *error)
{
    struct document document;
    enum rk_status status = document_parse("x.json", text, strlen(text), &document, error);
    if (status == RK_OK) status = plan_read_file(&document, plan, error);
    document_release(&document);
    return status;
}

static struct rk_plan words(const char *text)
{
    struct rk_plan plan = rk_plan_default();
    struct rk_error error;
    cr_assert_eq(rk_plan_parse(text, &plan, &error), RK_OK, "%s", formatted(&error));
    return plan;
}

/* Every member, as the table has it; padding and unused entries of the split do not count. */
static void expect_same(const struct rk_plan *a, const struct rk_plan *b, const char *what)
{
    const struct plan_draft one = {.plan = *a}, two = {.plan = *b};
    for (const struct field *field = plan_fields; field->key; field++)
        if (field->word)
            cr_expect_eq(field_value(field, &one), field_value(field, &two), "%s: %s %.17g, %.17g",
                         what, field->key, field_value(field, &one), field_value(field, &two));
    cr_assert_eq(rk_plan_layout(a)->splits, rk_plan_layout(b)->splits, "%s", what);
    for (int i = 0; i < rk_plan_layout(a)->splits; i++)
        cr_expect_eq(rk_plan_layout(a)->split[i], rk_plan_layout(b)->split[i], "%s: split %d", what,
                     i);
    cr_assert_eq(rk_plan_layout(a)->segments, rk_plan_layout(b)->segments, "%s", what);
    cr_assert_eq(rk_plan_layout(a)->others, rk_plan_layout(b)->others, "%s", what);
    for (int i = 0; i < rk_plan_layout(a)->segments; i++) {
        cr_expect_eq(rk_plan_layout(a)->segment[i].layers, rk_plan_layout(b)->segment[i].layers,
                     "%s: segment %d", what, i);
        cr_expect_eq(rk_plan_layout(a)->segment[i].local, rk_plan_layout(b)->segment[i].local,
                     "%s: segment %d", what, i);
    }
    for (int i = 0; i < rk_plan_layout(a)->others; i++) {
        const struct plan_draft own = {.plan.local = rk_plan_layout(a)->other[i]},
                                its = {.plan.local = rk_plan_layout(b)->other[i]};
        for (const struct field *field = plan_fields; field->key; field++)
            if (plan_is_local(field))
                cr_expect_eq(field_value(field, &own), field_value(field, &its), "%s: %s of %d",
                             what, field->key, i);
    }
}

Test(catalog_plan, nothing_said_is_the_default)
{
    struct rk_plan preset = rk_plan_default(), read;
    struct rk_error error;
    preset.batch = 4; /* 4 * 1 rank * microbatch 1 */
    cr_assert_eq(read_text("{}", &read, &error), RK_OK, "%s", formatted(&error));
    expect_same(&read, &preset, "file");
    read = words(" ");
    expect_same(&read, &preset, "words");
}

/* The table has each name of the library's, in its order. */
Test(catalog_plan, names_are_those_of_the_library)
{
#define CHECK_NAMES(key, type, count, name_of)                                                     \
    for (int i = 0; i <= (int)(count); i++) {                                                      \
        const char *wanted = name_of((enum type)i), *have = plan_fields[plan_row(key)].choices[i]; \
        cr_assert_eq(!wanted, !have);                                                              \
        if (wanted) cr_expect_str_eq(have, wanted);                                                \
    }
    CHECK_NAMES("framework", rk_framework, RK_FRAMEWORKS, rk_framework_name)
    CHECK_NAMES("precision", rk_precision, RK_PRECISIONS, rk_precision_name)
    CHECK_NAMES("schedule", rk_schedule, RK_SCHEDULES, rk_schedule_name)
    CHECK_NAMES("context_kind", rk_context_kind, RK_CONTEXT_KINDS, rk_context_kind_name)
    CHECK_NAMES("dispatcher", rk_dispatcher, RK_DISPATCHERS, rk_dispatcher_name)
    CHECK_NAMES("recompute", rk_recompute_mode, RK_RECOMPUTE_MODES, rk_recompute_mode_name)
    CHECK_NAMES("recompute_parts", rk_part, RK_PARTS, rk_part_name)
    CHECK_NAMES("attention", rk_attention_kernel, RK_ATTENTION_KERNELS, rk_attention_kernel_name)
}

Test(catalog_plan, names_are_told_apart)
{
    for (const struct field *a = plan_fields; a->key; a++)
        for (const struct field *b = a + 1; b->key; b++) {
            cr_expect_str_neq(a->key, b->key);
            if (a->word && b->word) cr_expect_str_neq(a->word, b->word);
        }
}

Test(catalog_plan, ranks_follow_from_the_degrees)
{
    cr_expect_eq(words("tp8 pp4").ranks, 32);
    cr_expect_eq(words("tp8 pp4 cp2 dp3").ranks, 192);
    cr_expect_eq(words("dp=64").ranks, 64);
    const struct rk_plan given = words("gpus=512 tp8 pp4 mbs2");
    cr_expect_eq(rk_plan_data(&given), 16);
    cr_expect_eq(given.batch, 4096); /* 4 * 512 * 2 */
}

Test(catalog_plan, one_line_says_everything)
{
    const struct rk_plan p = words(
        "tp8 pp4 vpp2 cp2 ep8 etp1 mbs1 gbs512 sp zero1 recompute=selective:core_attn+moe_act "
        "precision=fp8-delayed schedule=zero-bubble split=10,11*6,10 seq=8192 framework=fsdp "
        "dispatcher=deepep capacity=1.25 offload-optimizer=0.5 no-fused cp_kind=ring+ulysses "
        "ulysses=2 gradient_overlap=yes moment1-bytes=2 offload-weights");
    cr_expect_eq(p.tensor, 8);
    cr_expect_eq(p.pipeline, 4);
    cr_expect_eq(p.chunks, 2);
    cr_expect_eq(p.context, 2);
    cr_expect_eq(p.expert, 8);
    cr_expect_eq(p.expert_tensor, 1);
    cr_expect_eq(p.microbatch, 1);
    cr_expect_eq(p.batch, 512);
    cr_expect(p.sequence_parallel && !p.fused && p.gradient_overlap && p.grouped);
    cr_expect_eq(p.zero, 1);
    cr_expect_eq(p.recompute, RK_SELECTIVE);
    cr_expect_eq(p.recompute_parts, 1u << RK_PART_CORE_ATTENTION | 1u << RK_PART_ACTIVATION);
    cr_expect_eq(p.precision, RK_FP8_DELAYED);
    cr_expect_eq(p.schedule, RK_ZERO_BUBBLE);
    cr_assert_eq(rk_plan_layout(&p)->splits, 8);
    cr_expect(rk_plan_layout(&p)->split[0] == 10 && rk_plan_layout(&p)->split[1] == 11 &&
              rk_plan_layout(&p)->split[6] == 11 && rk_plan_layout(&p)->split[7] == 10);
    cr_expect_eq(p.sequence, 8192);
    cr_expect_eq(p.framework, RK_FSDP);
    cr_expect_eq(p.dispatcher, RK_DEEPEP);
    cr_expect_eq(p.capacity_factor, 1.25);
    cr_expect_eq(p.share[RK_SHARE_OPTIMIZER][0], 0.5);
    cr_expect_eq(p.share[RK_SHARE_WEIGHTS][0], 1);
    cr_expect_eq(p.context_kind, RK_RING_ULYSSES);
    cr_expect_eq(p.ulysses, 2);
    cr_expect_eq(p.moment1_element_bytes, 2);
}

/* What tables of a search print stands for itself. */
Test(catalog_plan, parts_are_a_way_of_recomputing)
{
    const struct rk_plan p = words("recompute=layernorm+mlp"), one = words("recompute=moe");
    cr_expect_eq(p.recompute, RK_SELECTIVE);
    cr_expect_eq(p.recompute_parts, 1u << RK_PART_NORM | 1u << RK_PART_MLP);
    cr_expect_eq(one.recompute, RK_SELECTIVE);
    cr_expect_eq(one.recompute_parts, 1u << RK_PART_EXPERTS);
    const struct rk_plan layer = words("pp2 gpus2 stages=4/recompute=mlp,4");
    cr_expect_eq(rk_plan_layout(&layer)->other[0].recompute_parts | layer.local.recompute_parts,
                 1u << RK_PART_MLP);
}

static const struct bad_case lines[] = {
    {"recompute=mlp+norm",
     "\"recompute=mlp+norm\":1:15: recompute-parts must be one of core_attn, "
     "moe_act, layernorm, mla_up_proj, mlp, moe, shared_experts; got \"norm\""},
    {"tp8 pp4 tq2", "\"tp8 pp4 tq2\":1:9: unknown word \"tq\": did you mean \"tp\"?"},
    {"tp0", "\"tp0\":1:3: tp must be >= 1, got \"0\""},
    {"tp", "\"tp\":1:3: tp needs a number: tp8"},
    {"tp8 tp=4", "\"tp8 tp=4\":1:5: tp is given twice: leave one out"},
    {"tp8 tensor=4", "\"tp8 tensor=4\":1:5: tp is given twice: leave one out"},
    {"tp=1.5", "\"tp=1.5\":1:4: tp must be an integer, got \"1.5\""},
    {"gbs=1Ki", "\"gbs=1Ki\":1:5: gbs must be a number, got \"1Ki\": write out its digits"},
    {"zero4", "\"zero4\":1:5: zero must be >= 0 and <= 3, got \"4\""},
    {"sp=maybe", "\"sp=maybe\":1:4: sp must be yes or no, got \"maybe\""},
    {"no-tp", "\"no-tp\":1:1: tp cannot be taken back: it takes a value"},
    {"fsdp", "\"fsdp\":1:1: \"fsdp\" is a value: write framework=fsdp"},
    {"moe_act", "\"moe_act\":1:1: \"moe_act\" is a value: write recompute=selective:moe_act"},
    {"schedule=1f2b",
     "\"schedule=1f2b\":1:10: schedule must be one of gpipe, 1f1b, zero-bubble, "
     "dualpipe, zero-bubble-2p, v-zero, v-half, v-min; got \"1f2b\"; did you mean \"1f1b\"?"},
    {"schedule", "\"schedule\":1:9: schedule needs a value: schedule=one of gpipe, 1f1b, "
                 "zero-bubble, dualpipe, zero-bubble-2p, v-zero, v-half, v-min"},
    {"recompute=selective:core_attn+norm",
     "\"recompute=selective:core_attn+norm\":1:31: recompute-parts must be one of core_attn, "
     "moe_act, layernorm, mla_up_proj, mlp, moe, shared_experts; got \"norm\""},
    {"recompute=full:mlp", "\"recompute=full:mlp\":1:15: only recompute=selective has parts"},
    {"recompute-parts=mlp", "\"recompute-parts=mlp\":1:1: recompute-parts: need recompute to be "
                            "selective, it is none"},
    {"pp2 split=1,2,x", "\"pp2 split=1,2,x\":1:15: split needs blocks of each virtual stage, "
                        "10,11,11,10 or 10,11*2,10; got \"x\""},
    {"pp2 split=4,4,4", "\"pp2 split=4,4,4\":1:5: split 3 entries: pipeline 2 * chunks 1 needs "
                        "one for each virtual stage: give 2"},
    {"split=1*513", "\"split=1*513\":1:7: split has more than 512 entries"},
    {"pp2 stages=4",
     "\"pp2 stages=4\":1:12: stages: 1 entries, pipeline 2 * chunks 1 needs one for each "
     "virtual stage"},
    {"pp2 stages=4/pp2,4", "\"pp2 stages=4/pp2,4\":1:14: pp is of the whole plan, not of a layer"},
    {"pp2 stages=4/tp2/tp4,4", "\"pp2 stages=4/tp2/tp4,4\":1:18: tp is given twice: leave one out"},
    {"pp2 stages=4,4@1",
     "\"pp2 stages=4,4@1\":1:15: stages: a cluster or replicas (dp) of a stage need the samples "
     "that all replicas take at a time in front: stages=16:20/dp4,12@1/dp8"},
    {"pp2 stages=8:4,4@1/dp2",
     "\"pp2 stages=8:4,4@1/dp2\":1:14: stages: every stage has replicas: 20/dp4"},
    {"stages=8:4/dp1~@1/dp1~@2/dp1~@3/dp1~@4/dp1",
     "\"stages=8:4/dp1~@1/dp1~@2/dp1~@3/dp1~@4/dp1\":1:37: stages: more than 4 kinds of replicas "
     "of "
     "a stage"},
    {"vpp2 stages=8:4@1/dp2,4@2",
     "\"vpp2 stages=8:4@1/dp2,4@2\":1:23: stages: stage 1 is on the ranks of stage 0: give its "
     "layers alone"},
    {"gbs12 stages=8:4@1/dp2", "\"gbs12 stages=8:4@1/dp2\":1:1: gbs: 12 samples are not a multiple "
                               "of the 8 that all replicas "
                               "take at a time: change one of them"},
    {"dp2 gbs16 stages=8:4@1/dp2",
     "\"dp2 gbs16 stages=8:4@1/dp2\":1:1: dp: follows from stages=8:...: leave it out"},
    {"pp2 stages=4/tp0,4", "\"pp2 stages=4/tp0,4\":1:16: tp must be >= 1, got \"0\""},
    {"pp2 stages=4/tp2~x,4",
     "\"pp2 stages=4/tp2~x,4\":1:18: stages need layers of each virtual stage, "
     "10,11*2,10, with runs of other layers as 4/tp2/recompute=full~6, or over clusters replicas "
     "of each, 16:20/dp4,12@1/dp8; got \"x\""},
    {"pp2 split=4,4 stages=4*2",
     "\"pp2 split=4,4 stages=4*2\":1:5: split: says what stages say: leave one "
     "out"},
    {"tp8 gpus60", "\"tp8 gpus60\":1:5: gpus: 60 GPUs are not a multiple of tensor 8 * pipeline 1 "
                   "= 8: use 56 or 64"},
    {"gpus64 tp8 dp4", "\"gpus64 tp8 dp4\":1:12: dp: tensor 8 * context 1 * pipeline 1 * data 4 = "
                       "32 is not gpus = 64: change one of them"},
    {"dp4 gbs6", "\"dp4 gbs6\":1:5: gbs 6: no multiple of 4 copies * microbatch 1: use 4 or 8"},
    {"dp4 ep8", "\"dp4 ep8\":1:5: ep 8: pipeline 1 * expert 8 * expert tensor 1 = 8 does not "
                "divide 4 ranks: leave ep out of a model without experts; with them use a divisor "
                "of 4 that divides their number"},
    {"dp4 shard3",
     "\"dp4 shard3\":1:5: shard 3: does not divide data 4 * context 1 = 4: use 2 or 4"},
    {"cp4 cp-kind=ring+ulysses", "ulysses 0: ring+ulysses needs a number of ranks that divides "
                                 "context 4"},
    {"tp4294967296 pp4294967296",
     "\"tp4294967296 pp4294967296\":1:14: pp: the product of all degrees is more than 2^53"},
    {"offload-optimizer=4.5", "\"offload-optimizer=4.5\":1:19: offload-optimizer must be >= 0 and "
                              "<= 4, got \"4.5\""},
};

Test(catalog_plan, wrong_words_are_pointed_at)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct rk_plan plan;
        struct rk_error error;
        cr_expect_eq(rk_plan_parse(lines[i].input, &plan, &error), RK_BAD_ARGUMENT, "%s",
                     lines[i].input);
        cr_expect_str_eq(formatted(&error), lines[i].message);
    }
}

static const struct bad_case files[] = {
    {"{\"tensr\": 8}", "x.json:1:2: unknown key \"tensr\"; did you mean \"tensor\"?"},
    {"{\"tensor\": 0}", "x.json:1:12: tensor: must be >= 1, got 0"},
    {"{\"zero\": 4}", "x.json:1:10: zero: must be >= 0 and <= 3, got 4"},
    {"{\"gpus\": 12, \"tensor\": 8}",
     "x.json:1:10: gpus: 12 GPUs are not a multiple of tensor 8 * pipeline 1 = 8: use 8 or 16"},
    {"{\"recompute\": \"selective\", \"recompute_parts\": []}",
     "x.json:1:47: recompute_parts: must have at least 1 element, has 0"},
    {"{\"recompute\": \"selective\", \"recompute_parts\": [\"mlp\", \"mlp\"]}",
     "x.json:1:55: recompute_parts[1]: stands in the list twice: leave one out"},
    {"{\"recompute_parts\": [\"mlp\"]}",
     "x.json:1:21: recompute_parts: need recompute to be selective, it is none"},
    {"{\"split\": [70000]}", "x.json:1:12: split[0]: must be >= 0 and <= 65535, got 70000"},
    {"{\"optimizer_offload\": 5}", "x.json:1:23: optimizer_offload: must be >= 0 and <= 4, got 5"},
    {"{\"stages\": [{\"segments\": [{\"tensor\": 2}]}]}",
     "x.json:1:27: stages[0].segments[0]: layers are missing: how many in a row"},
    {"{\"stages\": [{\"layers\": 3, \"segments\": [{\"layers\": 4}]}]}",
     "x.json:1:13: stages[0]: layers are 3, but its segments have 4: change one of them"},
    {"{\"stages\": [{\"layers\": 4, \"pipeline\": 2}]}",
     "x.json:1:27: stages[0]: unknown key \"pipeline\"; known here: layers, segments"},
    {"{\"imbalance\": 0.5}", "x.json:1:15: imbalance: must be >= 1 and <= 1000000, got 0.5"},
    {"[]", "x.json:1:1: must be an object, {...}, got a list"},
};

Test(catalog_plan, wrong_files_are_pointed_at)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct rk_plan plan;
        struct rk_error error;
        cr_expect_eq(read_text(files[i].input, &plan, &error), RK_BAD_INPUT, "%s", files[i].input);
        cr_expect_str_eq(formatted(&error), files[i].message);
    }
}

/* ---- round trips ---- */

static uint64_t seed;

static uint64_t random_below(uint64_t limit) /* splitmix64 */
{
    uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % limit;
}

static double random_value(const struct field *field)
{
    static const double numbers[] = {0, 1, 2, 0.5, 1.25, 0.1, 1.0 / 3, 3.0000000000000004};
    uint64_t choices = 0;
    while (field->choices && field->choices[choices])
        choices++;
    switch (field->type) {
    case FIELD_BOOL:
        return (double)random_below(2);
    case FIELD_CHOICE:
        return (double)random_below(choices);
    case FIELD_TIER:
        return (double)random_below(4);
    case FIELD_NUMBER:
        for (;;) {
            const double number = numbers[random_below(sizeof numbers / sizeof *numbers)];
            if (field_allows(field, number)) return number;
        }
    default:
        return (double)(1 + random_below(1000));
    }
}

/* Any plan whose choices go together. */
static struct rk_plan random_plan(void)
{
    struct plan_draft draft = plan_draft();
    struct rk_plan *p = &draft.plan;
    for (const struct field *field = plan_fields; field->key; field++)
        if (field->word && field->type != FIELD_SET && random_below(2))
            field_store(field, &draft, random_value(field));
    p->expert_tensor = random_below(2) ? 0 : 1 + random_below(3);
    p->tensor = 1 + random_below(8);
    p->pipeline = 1 + random_below(8);
    p->chunks = 1 + random_below(4);
    p->ulysses = 1 + random_below(4);
    p->context = p->ulysses * (1 + random_below(4));
    p->expert = 1 + random_below(4);
    const uint64_t data = rk_plan_expert_tensor(p) * p->expert * (1 + random_below(50));
    p->shard_ranks = random_below(2) ? 0 : data;
    p->ranks = p->tensor * p->context * p->pipeline * data;
    p->batch = data * p->microbatch * (1 + random_below(100));
    if (p->recompute == RK_SELECTIVE)
        p->recompute_parts = 1 + (unsigned)random_below((1u << RK_PARTS) - 1);
    if (!p->first_layers && !p->last_layers && random_below(2)) {
        edit(p)->splits = (int)(p->pipeline * p->chunks);
        for (int i = 0; i < rk_plan_layout(p)->splits; i++)
            edit(p)->split[i] = (uint16_t)random_below(3);
    }
    return *p;
}

/* Another thing that one layer sees. */
static struct rk_local random_local(const struct rk_plan *plan)
{
    struct plan_draft draft = {.plan.local = plan->local};
    for (const struct field *field = plan_fields; field->key; field++)
        if (plan_is_local(field) && field->type != FIELD_SET && random_below(8) == 0)
            field_store(field, &draft, random_value(field));
    struct rk_plan *p = &draft.plan;
    p->tensor = 1000 + random_below(1 << 20); /* no other has it */
    p->recompute_parts = p->recompute == RK_SELECTIVE ? 1 + (unsigned)random_below(127) : 0;
    return p->local;
}

/* Stages of any length, some empty, with runs of layers that go over their ends. */
static void add_random_stages(struct rk_plan *p)
{
    uint64_t layers = 0;
    p->first_layers = p->last_layers = 0;
    edit(p)->splits = (int)(p->pipeline * p->chunks);
    for (int i = 0; i < rk_plan_layout(p)->splits; i++)
        layers += edit(p)->split[i] = (uint16_t)random_below(9);
    edit(p)->others = 2;
    for (int i = 0; i < rk_plan_layout(p)->others; i++)
        edit(p)->other[i] = random_local(p);
    if (layers < 4) edit(p)->split[0] = (uint16_t)(rk_plan_layout(p)->split[0] + 4);
    if (layers < 4) layers += 4;
    static const uint16_t order[] = {1, 0, 2, 1};
    for (edit(p)->segments = 0; rk_plan_layout(p)->segments < 4; edit(p)->segments++, layers -= 1)
        edit(p)->segment[rk_plan_layout(p)->segments] =
            (struct rk_segment){1, order[rk_plan_layout(p)->segments]};
    for (; layers; layers--)
        edit(p)->segment[random_below(4)].layers++;
}

/* As random_plan(), every second one with stages of its own. */
static struct rk_plan random_plan_of_stages(int i)
{
    struct rk_plan plan = random_plan();
    if (i % 2) add_random_stages(&plan);
    return plan;
}

Test(catalog_plan, words_round_trip)
{
    seed = 20261120;
    for (int i = 0; i < 5000; i++) {
        const struct rk_plan plan = random_plan_of_stages(i);
        char text[RK_PLAN_TEXT], again[RK_PLAN_TEXT];
        cr_assert_lt(rk_plan_text(&plan, text, sizeof text), sizeof text);
        const struct rk_plan read = words(text);
        expect_same(&read, &plan, text);
        rk_plan_text(&read, again, sizeof again);
        cr_assert_str_eq(again, text);
    }
}

Test(catalog_plan, files_round_trip)
{
    char path[] = "reckon-plan-XXXXXX.json";
    struct rk_error error;
    const int descriptor = mkstemps(path, 5);
    cr_assert_geq(descriptor, 0);
    close(descriptor);
    seed = 4;
    for (int i = 0; i < 200; i++) {
        const struct rk_plan plan = random_plan_of_stages(i);
        struct rk_plan read;
        cr_assert_eq(rk_plan_save(path, &plan, &error), RK_OK, "%s", formatted(&error));
        cr_assert_eq(rk_plan_load(path, &read, &error), RK_OK, "%s", formatted(&error));
        expect_same(&read, &plan, "file");
    }
    unlink(path);
    cr_expect_eq(rk_plan_save("no/such/folder/x.json", &(struct rk_plan){.ranks = 1}, &error),
                 RK_IO);
}

/* No word of a line can go: without it the line means another plan, or none. */
Test(catalog_plan, lines_are_short)
{
    seed = 7;
    for (int i = 0; i < 300; i++) {
        const struct rk_plan plan = random_plan_of_stages(i);
        char text[RK_PLAN_TEXT], shorter[RK_PLAN_TEXT], again[RK_PLAN_TEXT];
        rk_plan_text(&plan, text, sizeof text);
        for (char *word = text; *word; word += strcspn(word, " "), word += *word == ' ') {
            struct rk_plan read;
            struct rk_error error;
            if (strncmp(word, "gbs", 3) == 0) continue;          /* always there */
            if (strncmp(word, "framework=megatron ", 19) == 0) { /* for whoever knows a machine */
                cr_expect(rk_plan_is_torchs(&plan), "%s", text);
                continue;
            }
            snprintf(shorter, sizeof shorter, "%.*s%s", (int)(word - text), text,
                     word + strcspn(word, " "));
            if (rk_plan_parse(shorter, &read, &error) != RK_OK) continue;
            rk_plan_text(&read, again, sizeof again);
            cr_expect_str_neq(again, text, "%s", shorter);
        }
    }
}

Test(catalog_plan, a_short_buffer_gets_the_beginning)
{
    const struct rk_plan plan = words("tp8 pp4 gbs512 sp");
    char whole[RK_PLAN_TEXT], part[8];
    const size_t length = rk_plan_text(&plan, whole, sizeof whole);
    cr_expect_str_eq(whole, "tp8 pp4 gbs512 sp");
    cr_expect_eq(length, strlen(whole));
    cr_expect_eq(rk_plan_text(&plan, part, sizeof part), length);
    cr_expect_str_eq(part, "tp8 pp4");
    cr_expect_eq(rk_plan_text(&plan, NULL, 0), length);
}

/* Runs of layers go by what the line says where they are as the plan, and keep what is their own.
 */
Test(catalog_plan, stages_follow_the_words)
{
    static const char text[] = "{\"tensor\": 8, \"batch\": 64, \"stages\": [{\"segments\": "
                               "[{\"layers\": 4, \"recompute\": \"full\"}, {\"layers\": 6}, "
                               "{\"layers\": 1, \"tensor\": 2}]}]}";
    struct document document;
    struct plan_draft draft;
    struct rk_error error;
    cr_assert_eq(document_parse("x.json", text, strlen(text), &document, &error), RK_OK);
    cr_assert_eq(plan_read(&document, &draft, &error), RK_OK, "%s", formatted(&error));
    cr_assert_eq(plan_read_words("tp4 sp", &draft, &error), RK_OK);
    const struct rk_plan *plan = &draft.plan;
    cr_expect_eq(rk_plan_layout(plan)->segments, 3);
    cr_expect_eq(rk_plan_layout(plan)->others, 2);
    cr_expect_eq(rk_plan_layout(plan)->split[0], 11);
    cr_expect(rk_plan_layout(plan)->other[0].tensor == 4 &&
              rk_plan_layout(plan)->other[0].recompute == RK_WHOLE);
    cr_expect(rk_plan_layout(plan)->other[1].tensor == 2 &&
              rk_plan_layout(plan)->other[1].recompute == RK_KEEP);
    cr_expect(rk_plan_layout(plan)->other[0].sequence_parallel &&
              rk_plan_layout(plan)->other[1].sequence_parallel);
    char line[RK_PLAN_TEXT];
    plan_stages_text(plan, line, sizeof line);
    cr_expect_str_eq(line, "4/recompute=full~6~1/tp2");
    document_release(&document);
}

/* A line outdoes what a file says; of ranks and data degree the later one counts. */
Test(catalog_plan, words_outdo_a_file)
{
    static const char text[] = "{\"gpus\": 64, \"tensor\": 8, \"batch\": 64, \"fused\": false}";
    struct document document;
    struct plan_draft draft;
    struct plan_fault fault;
    struct rk_error error;
    cr_assert_eq(document_parse("x.json", text, sizeof text - 1, &document, &error), RK_OK);
    cr_assert_eq(plan_read(&document, &draft, &error), RK_OK);
    cr_assert_eq(plan_read_words("dp2 fused tp4", &draft, &error), RK_OK, "%s", formatted(&error));
    cr_assert(plan_complete(&draft, &fault));
    cr_expect_eq(draft.plan.ranks, 8);
    cr_expect_eq(draft.plan.batch, 64);
    cr_expect(draft.plan.fused);
    document_release(&document);
}

/* There is one name for a thing: what 0.1 called otherwise is unknown. */
Test(catalog_plan, words_of_before)
{
    static const char *const gone[] = {
        "interleaving=3",  "datatype=fp16",       "optimizer-sharding",  "tensor-comm=rs_ag",
        "redo-all-gather", "data-overlap=no",     "fused-activation=no", "precision=float16",
        "zero=yes",        "recompute=attention", "schedule=zb-h1",      "pipeline-inside"};
    struct rk_plan plan;
    struct rk_error error;
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        cr_expect_eq(rk_plan_parse(gone[i], &plan, &error), RK_BAD_ARGUMENT, "%s", gone[i]);
}

Test(catalog_plan, shares_of_all_or_nothing)
{
    static const char *const same[][2] = {{"weight-offload=yes", "offload-weights"},
                                          {"weight-offload=no", ""}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const struct rk_plan said = words(same[i][0]), plain = words(same[i][1]);
        expect_same(&said, &plain, same[i][0]);
    }
}
