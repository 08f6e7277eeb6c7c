#include "catalog/clusters_plan.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* Read when all else is known. */
static enum rk_status later(const struct place *place, void *target, struct rk_error *error)
{
    (void)place;
    (void)target;
    (void)error;
    return RK_OK;
}

#define AT(member) .offset = offsetof(struct clusters_file, member)
static const struct field file_fields[] = {
    {.key = "batch",
     .type = FIELD_COUNT,
     .need = FIELD_OPTIONAL,
     AT(batch),
     .min = 1,
     .max = 1 << 20},
    {.key = "round",
     .type = FIELD_COUNT,
     .need = FIELD_REQUIRED,
     AT(round),
     .min = 1,
     .max = 1 << 20},
    {.key = "plan",
     .type = FIELD_TEXT,
     .need = FIELD_OPTIONAL,
     AT(words),
     .size = sizeof((struct clusters_file *)0)->words},
    {.key = "stages", .type = FIELD_OTHER, .need = FIELD_OPTIONAL, .load = later},
    {.key = "source", .type = FIELD_SOURCE, .need = FIELD_OPTIONAL},
    {.key = NULL},
};
#undef AT

bool clusters_file_is(const struct document *document)
{
    const struct place root = place_root(document);
    struct place member;
    return place_member(&root, "round", &member) ||
           (place_member(&root, "stages", &member) && json_is_array(member.value));
}

enum rk_status clusters_file_open(const char *path, struct clusters_file *file,
                                  struct rk_error *error)
{
    const enum rk_status status = document_load(path, &file->document, error);
    return status == RK_OK ? clusters_file_read(file, error) : status;
}

enum rk_status clusters_file_read(struct clusters_file *file, struct rk_error *error)
{
    const struct place root = place_root(&file->document);
    return fields_load(&root, file_fields, file, error);
}

enum rk_status clusters_file_words(const struct clusters_file *file, struct plan_draft *draft,
                                   struct rk_error *error)
{
    const struct place root = place_root(&file->document);
    struct place words;
    struct rk_error inner;
    if (!place_member(&root, "plan", &words)) return RK_OK;
    if (plan_read_words(file->words, draft, &inner) != RK_OK)
        return place_fail(&words, error, "column %d: %s", inner.column, inner.text);
    if (file->batch && plan_given(draft, "batch") && draft->plan.batch != file->batch)
        return place_fail(&words, error,
                          "gbs%" PRIu64 ", but \"batch\" is %" PRIu64 ": leave one of them out",
                          draft->plan.batch, file->batch);
    return RK_OK;
}

void clusters_file_release(struct clusters_file *file)
{
    document_release(&file->document);
}

/* ---- stages ---- */

struct reading {
    const struct rk_machine *machine;
    const struct plan_draft *common;
    bool *taken; /* which words of the line some stage has none of its own for */
    struct rk_error *error;
    struct given_plan *given;
};

struct part_text {
    char cluster[32], words[512];
};

#define AT(member) .offset = offsetof(struct part_text, member)
static const struct field part_fields[] = {
    {.key = "cluster", .type = FIELD_TEXT, .need = FIELD_REQUIRED, AT(cluster), .size = 32},
    {.key = "words", .type = FIELD_TEXT, .need = FIELD_OPTIONAL, AT(words), .size = 512},
    {.key = "layers",
     .type = FIELD_OTHER,
     .need = FIELD_OPTIONAL,
     .load = later}, /* of a stage of one part */
    {.key = NULL},
};
#undef AT

static int find_cluster(const struct rk_machine *machine, const char *name)
{
    for (int i = 0; i < machine->clusters; i++)
        if (strcmp(machine->cluster[i].name, name) == 0) return i;
    return -1;
}

static enum rk_status fail_cluster(const struct reading *r, const struct place *place,
                                   const char *name)
{
    struct place member;
    const char *names[RK_MAX_CLUSTERS + 1] = {NULL};
    char said[TEXT_QUOTE];
    for (int i = 0; i < r->machine->clusters; i++)
        names[i] = r->machine->cluster[i].name;
    const char *nearest = text_nearest(name, names);
    place_member(place, "cluster", &member);
    return place_fail(&member, r->error, "the machine has no cluster %s: the nearest is \"%s\"",
                      text_quote(said, name, strlen(name)), nearest ? nearest : names[0]);
}

/* What a stage cannot have of its own. */
static const char *misplaced(const struct plan_draft *draft)
{
    static const char *const whole[] = {"framework", "precision",  "gpus",         "pipeline",
                                        "chunks",    "order",      "batch",        "sequence",
                                        "schedule",  "microbatch", "first_layers", "last_layers",
                                        "split",     "stages",     "zero",         "shard_ranks"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (draft->words[plan_row(whole[i])]) return whole[i];
    return NULL;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

/* The smaller one of two that are equally near. */
static uint64_t nearest_divisor(uint64_t of, uint64_t to)
{
    uint64_t nearest = 1;
    for (uint64_t low = 1; low <= of / low; low++) {
        if (of % low) continue;
        const uint64_t high = of / low;
        if (distance(low, to) < distance(nearest, to)) nearest = low;
        if (distance(high, to) < distance(nearest, to)) nearest = high;
    }
    return nearest;
}

static enum rk_status read_part(const struct reading *r, const struct place *place,
                                struct given_part *part)
{
    struct part_text text = {.words = ""};
    struct plan_draft draft = *r->common;
    struct rk_error inner;
    struct place member;
    enum rk_status status = fields_load(place, part_fields, &text, r->error);
    if (status != RK_OK) return status;
    const int cluster = find_cluster(r->machine, text.cluster);
    if (cluster < 0) return fail_cluster(r, place, text.cluster);
    draft.data = 0;
    memset(draft.words, 0, sizeof draft.words);
    const bool said = place_member(place, "words", &member);
    if (said && plan_read_words(text.words, &draft, &inner) != RK_OK)
        return place_fail(&member, r->error, "column %d: %s", inner.column, inner.text);
    for (int i = 0; i < PLAN_MAX_FIELDS; i++)
        r->taken[i] |= !draft.words[i];
    const char *wrong = misplaced(&draft);
    if (wrong) return place_fail(&member, r->error, "%s is the same for all stages", wrong);
    if (draft.words[plan_row("recompute_parts")] && draft.plan.recompute != RK_SELECTIVE &&
        draft.plan.recompute_parts)
        return place_fail(&member, r->error, "only recompute=selective has parts");
    draft.plan.recompute_parts = clusters_parts(&draft.plan, draft.plan.recompute);
    draft.plan.sequence_parallel &= draft.plan.tensor > 1;
    draft.plan.messages_sharded &= draft.plan.tensor > 1;
    *part = (struct given_part){
        .cluster = cluster, .data = draft.data ? draft.data : 1, .plan = draft.plan};
    const uint64_t node = rk_cluster_node(&r->machine->cluster[cluster]);
    if (node % part->plan.tensor == 0 && part->data <= GIVEN_REPLICAS) return RK_OK;
    if (part->data > GIVEN_REPLICAS)
        return place_fail(place, r->error, "more than %d replicas", GIVEN_REPLICAS);
    return place_fail(place, r->error,
                      "tensor %" PRIu64 " does not divide the node, %" PRIu64 ": %" PRIu64 " does",
                      part->plan.tensor, node, nearest_divisor(node, part->plan.tensor));
}

static enum rk_status read_parts(const struct reading *r, const struct place *place,
                                 struct given_stage *stage)
{
    struct place parts;
    if (!place_member(place, "parts", &parts)) {
        stage->parts = 1;
        return read_part(r, place, &stage->part[0]);
    }
    static const char *const keys[] = {"layers", "parts", "shares", NULL};
    struct place shares;
    enum rk_status status = place_need_keys(place, keys, r->error);
    if (status == RK_OK && place_member(place, "shares", &shares)) {
        const char *text = json_string_value(shares.value);
        stage->equal = text && strcmp(text, "equal") == 0;
        if (!stage->equal && !(text && strcmp(text, "speed") == 0))
            status = place_fail(&shares, r->error, "must be \"speed\" or \"equal\"");
    }
    if (status == RK_OK) status = place_need_array(&parts, 1, GIVEN_PARTS, r->error);
    if (status != RK_OK) return status;
    stage->parts = (int)json_array_size(parts.value);
    for (int k = 0; status == RK_OK && k < stage->parts; k++) {
        const struct place part = place_element(&parts, (size_t)k);
        struct place layers;
        status = place_member(&part, "layers", &layers)
                     ? place_fail(&layers, r->error, "all parts have the layers of the stage")
                     : read_part(r, &part, &stage->part[k]);
    }
    return status;
}

/* A stage has a run of layers for each of its chunks: a number, or a list of them. */
static enum rk_status read_stage(const struct reading *r, const struct place *place, int index)
{
    struct given_stage *stage = &r->given->stage[index];
    struct place layers;
    const enum rk_status status = place_need_object(place, r->error);
    if (status != RK_OK) return status;
    if (!place_member(place, "layers", &layers))
        return place_fail(place, r->error, "how many layers has it? \"layers\" is missing");
    const int chunks = json_is_array(layers.value) ? (int)json_array_size(layers.value) : 1;
    if (r->given->chunks && chunks != r->given->chunks)
        return place_fail(&layers, r->error,
                          "stages have the same number of runs of layers: here %d",
                          r->given->chunks);
    if (chunks < 1 || chunks * r->given->stages > RK_MAX_CHUNKS)
        return place_fail(&layers, r->error, "1 to %d runs of layers", RK_MAX_CHUNKS);
    const enum rk_schedule schedule = r->common->plan.schedule;
    if (chunks > 1 && r->given->stages == 1)
        return place_fail(&layers, r->error, "a stage alone has one run of layers: give their sum");
    if (chunks > 1 && schedule != RK_1F1B && schedule != RK_GPIPE)
        return place_fail(&layers, r->error,
                          "stages of schedule %s have one run of layers: 1f1b and gpipe interleave",
                          rk_schedule_name(schedule));
    r->given->chunks = chunks;
    for (int k = 0; k < chunks; k++) {
        const struct place run =
            json_is_array(layers.value) ? place_element(&layers, (size_t)k) : layers;
        const json_int_t count = json_integer_value(run.value);
        if (!json_is_integer(run.value) || count < 1 || count > UINT16_MAX)
            return place_fail(&run, r->error, "must be an integer from 1 to %d", UINT16_MAX);
        r->given->split[k * r->given->stages + index] = (uint16_t)count;
        stage->layers += (int)count;
    }
    return read_parts(r, place, stage);
}

/* A word of the line that every stage overrides would have no effect. */
static enum rk_status check_taken(const struct reading *r, const struct place *stages)
{
    for (int i = 0; i < PLAN_MAX_FIELDS; i++)
        if (r->common->words[i] && !r->taken[i])
            return place_fail(
                stages, r->error,
                "every stage has its own %s, so a word for it in addition to the file "
                "changes nothing: leave it out, or change it here",
                plan_fields[i].key);
    return RK_OK;
}

enum rk_status clusters_file_stages(const struct clusters_file *file, const struct rk_model *model,
                                    const struct rk_machine *machine,
                                    const struct plan_draft *common, struct given_plan *given,
                                    struct rk_error *error)
{
    bool taken[PLAN_MAX_FIELDS] = {false};
    const struct reading reading = {machine, common, taken, error, given};
    const struct place root = place_root(&file->document);
    struct place stages, round;
    uint64_t layers = 0;
    if (!place_member(&root, "stages", &stages))
        return place_fail(&root, error, "\"stages\" is missing: a list, one for each stage");
    enum rk_status status = place_need_array(&stages, 1, RK_MAX_STAGES, error);
    if (status != RK_OK) return status;
    memset(given, 0, sizeof *given);
    given->round = file->round;
    given->stages = (int)json_array_size(stages.value);
    for (int i = 0; status == RK_OK && i < given->stages; i++) {
        const struct place stage = place_element(&stages, (size_t)i);
        status = read_stage(&reading, &stage, i);
        layers += (uint64_t)given->stage[i].layers;
    }
    if (status == RK_OK) status = check_taken(&reading, &stages);
    if (status != RK_OK) return status;
    if (layers != model->layers)
        return place_fail(&stages, error, "%" PRIu64 " layers in all, the model has %" PRIu64,
                          layers, model->layers);
    place_member(&root, "round", &round);
    for (int i = 0; i < given->stages; i++)
        if (given->stage[i].parts > 1 && given->round > GIVEN_REPLICAS)
            return place_fail(&round, error, "replicas of several kinds share at most %d samples",
                              GIVEN_REPLICAS);
    if (common->plan.batch % given->round)
        return place_fail(&round, error, "does not divide the batch, %" PRIu64 ": %" PRIu64 " does",
                          common->plan.batch, nearest_divisor(common->plan.batch, given->round));
    for (int i = 0; i < given->stages; i++) {
        const uint64_t data = given->stage[i].part[0].data;
        if (given->stage[i].parts > 1 || given->round % data == 0) continue;
        const struct place stage = place_element(&stages, (size_t)i);
        return place_fail(&stage, error,
                          "dp%" PRIu64 " does not divide the round, %" PRIu64 ": dp%" PRIu64
                          " does",
                          data, given->round, nearest_divisor(given->round, data));
    }
    return RK_OK;
}

enum rk_status clusters_file_fail(const struct clusters_file *file, int stage, const char *text,
                                  struct rk_error *error)
{
    const struct place root = place_root(&file->document);
    struct place stages;
    place_member(&root, "stages", &stages);
    const struct place at = place_element(&stages, (size_t)stage);
    return place_fail(&at, error, "%s", text);
}
