#include "galvatron/strategy_file.h"

#include "base/bytes.h"
#include "base/limits.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

enum { TENSOR, CONSECUTIVE, ZERO3, ULYSSES, RECOMPUTE };

static int entry(const struct galvatron_strategy *layer, int what)
{
    switch (what) {
    case TENSOR:
        return galvatron_split(layer);
    case CONSECUTIVE:
        return 1;
    case ZERO3:
        return layer->zero == GALVATRON_ZERO3;
    case ULYSSES:
        return layer->ulysses > 1;
    default:
        return layer->recompute;
    }
}

static json_t *joined(int count, const int *number)
{
    struct bytes text = {.data = NULL};
    bool done = true;
    for (int i = 0; i < count; i++) {
        char one[16];
        const int length = snprintf(one, sizeof one, "%s%d", i ? "," : "", number[i]);
        done &= bytes_add(&text, one, (size_t)length);
    }
    json_t *list = done ? json_stringn(text.data, text.size) : NULL;
    bytes_release(&text);
    return list;
}

static json_t *layer_list(const struct galvatron_answer *answer, int what)
{
    int *number = calloc((size_t)answer->layers, sizeof *number);
    for (int i = 0; number && i < answer->layers; i++)
        number[i] = entry(&answer->layer[i], what);
    json_t *list = number ? joined(answer->layers, number) : NULL;
    free(number);
    return list;
}

json_t *galvatron_strategy_json(const struct galvatron_question *question,
                                const struct galvatron_answer *answer, bool runtime)
{
    const struct galvatron_strategy *first = &answer->layer[0], *end = &answer->embedding;
    const int world = first->pipeline * first->tensor * first->ulysses * first->data;
    const int sharded = end->zero == GALVATRON_ZERO3;
    json_t *file =
        json_pack("{si so so so so so si si si so ss ss si si si}", "pp_deg", answer->stages,
                  "tp_sizes_enc", layer_list(answer, TENSOR), "tp_consecutive_flags",
                  layer_list(answer, CONSECUTIVE), "dp_types_enc", layer_list(answer, ZERO3),
                  "use_sp", layer_list(answer, ULYSSES), "checkpoint",
                  layer_list(answer, RECOMPUTE), "world_size", world, "global_bsz", answer->batch,
                  "chunks", answer->chunks, "pp_division", joined(answer->stages, answer->division),
                  "pipeline_type", galvatron_pipeline_names[question->pipeline], "default_dp_type",
                  galvatron_zero_names[question->ordinary], "vtp", galvatron_split(end), "vsp",
                  end->ulysses > 1, "embed_sdp", sharded);
    if (file && runtime) json_object_set_new(file, "vocab_sdp", json_integer(sharded));
    return file;
}

/* ---- reading ---- */

struct raw {
    int world, batch, chunks, stages, vtp, vsp, embed_sdp, vocab_sdp;
    int pipeline, ordinary;
    int counts[6];
    int list[6][MOST_LAYERS];
};

#define LIST(number)                                                                               \
    static enum rk_status read_list_##number(const struct place *place, void *target,              \
                                             struct rk_error *error)                               \
    {                                                                                              \
        struct raw *raw = target;                                                                  \
        return read_list(place, raw->list[number], &raw->counts[number], error);                   \
    }

/* "4,4,2": whole numbers >= 0. */
static enum rk_status read_list(const struct place *place, int *list, int *count,
                                struct rk_error *error)
{
    const char *text = json_string_value(place->value);
    char got[PLACE_TEXT];
    *count = 0;
    if (!text)
        return place_fail(place, error, "must be a text such as \"4,4,2\", got %s",
                          place_describe(got, place));
    for (;;) {
        char *end;
        const long number = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;
        if (number < 0 || number > 1 << 20 || (*end != ',' && *end))
            return place_fail(place, error,
                              "entry %d is not a whole number: give numbers with commas "
                              "between, such as \"4,4,2\"",
                              *count + 1);
        if (*count == MOST_LAYERS)
            return place_fail(place, error, "has more than %d entries", MOST_LAYERS);
        list[(*count)++] = (int)number;
        if (!*end) return RK_OK;
        text = end + 1;
    }
}

LIST(0)
LIST(1)
LIST(2)
LIST(3)
LIST(4)
LIST(5)

/* clang-format off */
#define AT(member) .offset = offsetof(struct raw, member)
#define NUMBER(name, member, need_, least, most, preset_, text) \
    { name, FIELD_TIER, need_, AT(member), .min = least, .max = most, .preset = preset_, .help = text }
static const char *const list_keys[] = {"tp_sizes_enc", "tp_consecutive_flags", "dp_types_enc", "use_sp", "checkpoint", "pp_division"};
static const struct field file_fields[] = {
    NUMBER("pp_deg", stages, FIELD_REQUIRED, 1, MOST_LAYERS, 1, "pipeline stages"),
    { "tp_sizes_enc",         FIELD_OTHER, FIELD_REQUIRED, .load = read_list_0, .help = "ranks that split each layer" },
    { "tp_consecutive_flags", FIELD_OTHER, FIELD_OPTIONAL, .load = read_list_1, .help = "1: those ranks are neighbours" },
    { "dp_types_enc",         FIELD_OTHER, FIELD_REQUIRED, .load = read_list_2, .help = "1: ZeRO-3" },
    { "use_sp",               FIELD_OTHER, FIELD_OPTIONAL, .load = read_list_3, .help = "1: they split the sequence (Ulysses)" },
    { "checkpoint",           FIELD_OTHER, FIELD_REQUIRED, .load = read_list_4, .help = "1: recomputed" },
    NUMBER("world_size", world, FIELD_REQUIRED, 1, GALVATRON_MAX_DEGREE, 1, "ranks"),
    NUMBER("global_bsz", batch, FIELD_REQUIRED, 1, 1 << 20, 1, "samples per step"),
    NUMBER("chunks", chunks, FIELD_REQUIRED, 1, 1 << 20, 1, "microbatches"),
    { "pp_division",          FIELD_OTHER, FIELD_REQUIRED, .load = read_list_5, .help = "layers of each stage" },
    { "pipeline_type",        FIELD_CHOICE, AT(pipeline), .choices = galvatron_pipeline_names, .preset = GALVATRON_1F1B, .help = "schedule" },
    { "default_dp_type",      FIELD_CHOICE, AT(ordinary), .choices = galvatron_zero_names, .preset = GALVATRON_DDP, .help = "what 0 of dp_types_enc means" },
    NUMBER("vtp", vtp, FIELD_OPTIONAL, 1, GALVATRON_MAX_DEGREE, 1, "ranks that split embedding and head"),
    NUMBER("vsp", vsp, FIELD_OPTIONAL, 0, 1, 0, "1: by Ulysses"),
    NUMBER("embed_sdp", embed_sdp, FIELD_OPTIONAL, 0, 1, -1, "1: ZeRO-3 of embedding and head, as the search writes it"),
    NUMBER("vocab_sdp", vocab_sdp, FIELD_OPTIONAL, 0, 1, -1, "the same, as the runtime reads it"),
    { .key = NULL },
};
/* clang-format on */

/* The key, or the file where it is not there. */
static struct place at(const struct place *root, const char *key)
{
    struct place member;
    return place_member(root, key, &member) ? member : *root;
}

static enum rk_status check_lists(const struct place *root, struct raw *raw, struct rk_error *error)
{
    const int layers = raw->counts[TENSOR];
    for (int what = 1; what < 5; what++) {
        const struct place list = at(root, list_keys[what]);
        if (!raw->counts[what]) { /* left out: 1 of the first, 0 of the others */
            for (int i = 0; i < layers; i++)
                raw->list[what][i] = what == CONSECUTIVE;
            raw->counts[what] = layers;
        }
        if (raw->counts[what] != layers)
            return place_fail(&list, error, "has %d entries, tp_sizes_enc has %d: one a layer",
                              raw->counts[what], layers);
        for (int i = 0; i < layers; i++)
            if (raw->list[what][i] > 1)
                return place_fail(&list, error, "entry %d must be 0 or 1, got %d", i + 1,
                                  raw->list[what][i]);
    }
    return RK_OK;
}

static enum rk_status check_degrees(const struct place *root, const struct raw *raw,
                                    struct rk_error *error)
{
    struct place place = at(root, "pp_deg");
    if (raw->world % raw->stages != 0)
        return place_fail(&place, error, "%d does not divide world_size %d", raw->stages,
                          raw->world);
    const int group = raw->world / raw->stages;
    place = at(root, "tp_sizes_enc");
    for (int i = 0; i < raw->counts[TENSOR]; i++) {
        const int split = raw->list[TENSOR][i];
        if (!galvatron_power_of_two(split) || group % split != 0)
            return place_fail(
                &place, error,
                "entry %d is %d: pp_deg %d times it must divide world_size %d, and it "
                "must be a power of two",
                i + 1, split, raw->stages, raw->world);
        if (raw->batch / raw->chunks < group / split) { /* the search rounds samples down */
            const struct place batch = at(root, "global_bsz");
            return place_fail(&batch, error,
                              "%d in %d chunks leaves no sample for some of the %d data ranks of "
                              "layer %d",
                              raw->batch, raw->chunks, group / split, i + 1);
        }
    }
    place = at(root, "vtp");
    if (!galvatron_power_of_two(raw->vtp) || group % raw->vtp != 0)
        return place_fail(&place, error,
                          "%d must be a power of two, and pp_deg %d times it must "
                          "divide world_size %d",
                          raw->vtp, raw->stages, raw->world);
    place = at(root, "chunks");
    if (raw->batch % raw->chunks != 0)
        return place_fail(&place, error, "%d does not divide global_bsz %d", raw->chunks,
                          raw->batch);
    if (raw->chunks < raw->stages)
        return place_fail(&place, error, "%d is below pp_deg %d: a pipeline needs a chunk a stage",
                          raw->chunks, raw->stages);
    return RK_OK;
}

static enum rk_status check_division(const struct place *root, const struct raw *raw,
                                     struct rk_error *error)
{
    const struct place place = at(root, "pp_division");
    int sum = 0;
    if (raw->counts[5] != raw->stages)
        return place_fail(&place, error, "has %d entries, pp_deg is %d", raw->counts[5],
                          raw->stages);
    for (int i = 0; i < raw->stages; i++) {
        if (!raw->list[5][i]) return place_fail(&place, error, "stage %d has no layer", i);
        sum += raw->list[5][i];
    }
    if (sum == raw->counts[TENSOR]) return RK_OK;
    return place_fail(&place, error, "adds up to %d layers, tp_sizes_enc has %d", sum,
                      raw->counts[TENSOR]);
}

static struct galvatron_strategy strategy_of(const struct raw *raw, int split, bool ulysses,
                                             bool zero3, bool recompute)
{
    const int data = raw->world / raw->stages / split;
    return (struct galvatron_strategy){
        .pipeline = raw->stages,
        .tensor = ulysses ? 1 : split,
        .ulysses = ulysses ? split : 1,
        .data = data,
        .zero = data == 1 ? GALVATRON_DDP
                : zero3   ? GALVATRON_ZERO3
                          : (enum galvatron_zero)raw->ordinary,
        .recompute = recompute,
    };
}

static enum rk_status take(const struct raw *raw, struct galvatron_file *file,
                           struct rk_error *error)
{
    const int layers = raw->counts[TENSOR];
    const bool sharded = raw->vocab_sdp >= 0 ? raw->vocab_sdp : raw->embed_sdp > 0;
    *file = (struct galvatron_file){
        .world = raw->world,
        .batch = raw->batch,
        .chunks = raw->chunks,
        .stages = raw->stages,
        .layers = layers,
        .pipeline = raw->pipeline,
        .embedding = strategy_of(raw, raw->vtp, raw->vsp, sharded, false),
        .layer = calloc((size_t)layers, sizeof *file->layer),
        .division = calloc((size_t)raw->stages, sizeof *file->division),
        .odd_key = raw->embed_sdp >= 0 && raw->vocab_sdp < 0,
    };
    if (!file->layer || !file->division) return no_memory(error);
    for (int i = 0; i < layers; i++)
        file->layer[i] = strategy_of(raw, raw->list[TENSOR][i], raw->list[ULYSSES][i],
                                     raw->list[ZERO3][i], raw->list[RECOMPUTE][i]);
    memcpy(file->division, raw->list[5], (size_t)raw->stages * sizeof *file->division);
    return RK_OK;
}

enum rk_status galvatron_strategy_read(const struct place *root, struct galvatron_file *file,
                                       struct rk_error *error)
{
    struct raw *raw = calloc(1, sizeof *raw);
    *file = (struct galvatron_file){.layer = NULL};
    if (!raw) return no_memory(error);
    enum rk_status status = fields_load(root, file_fields, raw, error);
    if (status == RK_OK) status = check_lists(root, raw, error);
    if (status == RK_OK) status = check_degrees(root, raw, error);
    if (status == RK_OK) status = check_division(root, raw, error);
    if (status == RK_OK && raw->ordinary == GALVATRON_ZERO3) {
        const struct place place = at(root, "default_dp_type");
        status = place_fail(&place, error, "must be ddp or zero2: dp_types_enc says ZeRO-3");
    }
    if (status == RK_OK) status = take(raw, file, error);
    free(raw);
    return status;
}

void galvatron_file_release(struct galvatron_file *file)
{
    free(file->layer);
    free(file->division);
    *file = (struct galvatron_file){.layer = NULL};
}
