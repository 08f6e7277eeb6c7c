#include "base/limits.h"
#include "base/memory.h"
#include "galvatron/search.h"

#include <stdlib.h>

const char *const galvatron_pipeline_names[] = {"pipedream_flush", "gpipe", NULL};
const char *const galvatron_precision_names[] = {"bf16", "fp16", "fp32", NULL};

static enum rk_status read_list(const struct place *place, int max, int *list, int *count,
                                struct rk_error *error)
{
    const enum rk_status status = place_need_array(place, 1, GALVATRON_KINDS, error);
    if (status != RK_OK) return status;
    *count = (int)json_array_size(place->value);
    for (int i = 0; i < *count; i++) {
        const struct place one = place_element(place, (size_t)i);
        const json_int_t number = json_integer_value(one.value);
        if (number < 1 || number > max)
            return place_fail(&one, error, "must be a whole number from 1 to %d", max);
        list[i] = (int)number;
    }
    return RK_OK;
}

static enum rk_status read_layers(const struct place *place, void *target, struct rk_error *error)
{
    struct galvatron_question *question = target;
    return read_list(place, MOST_LAYERS, question->shape.layers, &question->shape.kinds, error);
}

static enum rk_status read_sequence(const struct place *place, void *target, struct rk_error *error)
{
    struct galvatron_question *question = target;
    int count;
    return read_list(place, 1 << 24, question->shape.sequence, &count, error);
}

/* The names and presets of the published options. */
/* clang-format off */
#define AT(member) .offset = offsetof(struct galvatron_question, member)
#define OFF(name, member, text) { name, FIELD_COUNT, AT(member), .max = 1, .help = text }
#define LIMIT(name, member, text) { name, FIELD_COUNT, AT(member), .min = 1, .max = GALVATRON_MAX_DEGREE, .preset = 8, .help = text }
static const struct field galvatron_question_fields[] = {
    { "name",              FIELD_TEXT,   AT(name), .size = 128, .help = "of the case" },
    { "model",             FIELD_TEXT,   FIELD_REQUIRED, AT(model), .size = 128, .help = "profile of the model" },
    { "hardware",          FIELD_TEXT,   FIELD_REQUIRED, AT(hardware), .size = 128, .help = "profile of the machine" },
    { "layers",            FIELD_OTHER,  FIELD_REQUIRED, .load = read_layers, .help = "layers of each kind" },
    { "sequence",          FIELD_OTHER,  FIELD_REQUIRED, .load = read_sequence, .help = "tokens of a sample, for each kind" },
    { "memory_GB",         FIELD_COUNT,  FIELD_REQUIRED, AT(memory_GB), .min = 1, .max = MOST_MEMORY_GB, .help = "memory of a rank" },
    { "batch",             FIELD_COUNT,  AT(batch), .min = 1, .max = MOST_BATCH, .help = "samples per step" },
    { "min_bsz",           FIELD_COUNT,  AT(min_batch), .min = 1, .max = MOST_BATCH, .preset = 8, .help = "without batch: the smallest" },
    { "max_bsz",           FIELD_COUNT,  AT(max_batch), .min = 1, .max = MOST_BATCH, .preset = 8, .help = "... the largest" },
    { "bsz_scale",         FIELD_COUNT,  AT(batch_step), .min = 1, .max = MOST_BATCH, .preset = 8, .help = "... from one to the next" },
    { "chunks",            FIELD_COUNT,  AT(chunks), .min = 1, .max = MOST_BATCH, .help = "microbatches; all divisors where it is missing" },
    { "fine_grained",      FIELD_COUNT,  AT(fine), .max = 1, .preset = 1, .help = "1: each layer its own strategy, 0: one for all" },
    { "default_dp_type",   FIELD_CHOICE, AT(ordinary), .choices = galvatron_zero_names, .preset = GALVATRON_DDP, .help = "data parallelism that is not ZeRO-3: ddp or zero2" },
    { "pipeline_type",     FIELD_CHOICE, AT(pipeline), .choices = galvatron_pipeline_names, .preset = GALVATRON_GPIPE, .help = "schedule" },
    { "async_grad_reduce", FIELD_BOOL,   AT(async), .preset = 1, .help = "reduce the gradients of each chunk at once" },
    { "precision",         FIELD_CHOICE, AT(precision), .choices = galvatron_precision_names, .preset = GALVATRON_BF16, .help = "of weights and activations" },
    LIMIT("max_pp_deg", max_pipeline, "largest pipeline degree"),
    LIMIT("max_tp_deg", max_tensor, "largest tensor degree"),
    LIMIT("max_sp_deg", max_ulysses, "largest degree of Ulysses"),
    OFF("disable_pp", no_pipeline, "1: no pipeline"),
    OFF("disable_tp", no_tensor, "1: no tensor parallelism"),
    OFF("disable_sp", no_ulysses, "1: no Ulysses"),
    OFF("disable_dp", no_data, "1: no data parallelism"),
    OFF("disable_fsdp", no_zero3, "1: no ZeRO-3"),
    OFF("disable_ckpt", no_recompute, "1: no recomputation"),
    OFF("disable_embedding_lmhead_tp", embedding_tensor, "1: no tensor parallelism of embedding and head"),
    OFF("disable_embedding_lmhead_sp", embedding_ulysses, "1: no Ulysses of embedding and head"),
    { "transition_scale",  FIELD_NUMBER, AT(change_scale), .preset = 1e-7, .help = "of changes of layout; 1e-9 by their units" },
    { .key = NULL },
};
/* clang-format on */

enum rk_status galvatron_read_question(const struct place *object,
                                       struct galvatron_question *question, struct rk_error *error)
{
    struct place member = *object;
    *question = (struct galvatron_question){.memory_GB = 0};
    enum rk_status status = fields_load(object, galvatron_question_fields, question, error);
    if (status != RK_OK) return status;
    if (question->ordinary == GALVATRON_ZERO3) {
        place_member(object, "default_dp_type", &member);
        return place_fail(&member, error, "must be ddp or zero2: ZeRO-3 is always searched too");
    }
    place_member(object, "sequence", &member);
    if (json_array_size(member.value) != (size_t)question->shape.kinds)
        return place_fail(&member, error, "must have a length for each of %d kinds of layers",
                          question->shape.kinds);
    if (!question->batch && question->max_batch < question->min_batch)
        return place_fail(object, error, "max_bsz %ju is below min_bsz %ju: turn them round",
                          (uintmax_t)question->max_batch, (uintmax_t)question->min_batch);
    return RK_OK;
}

/* ---- strategies ---- */

static struct galvatron_space space_of(const struct galvatron_question *question, int world)
{
    int layers = 0;
    for (int i = 0; i < question->shape.kinds; i++)
        layers += question->shape.layers[i];
    const int longest =
        question->max_pipeline < (uint64_t)layers ? (int)question->max_pipeline : layers;
    return (struct galvatron_space){
        .world = world,
        .max_pipeline = longest,
        .max_tensor = (int)question->max_tensor,
        .max_ulysses = (int)question->max_ulysses,
        .ordinary = (enum galvatron_zero)question->ordinary,
        .no_pipeline = question->no_pipeline,
        .no_tensor = question->no_tensor,
        .no_ulysses = question->no_ulysses,
        .no_data = question->no_data,
        .no_zero3 = question->no_zero3,
        .no_recompute = question->no_recompute,
        .no_embedding_tensor = question->embedding_tensor,
        .no_embedding_ulysses = question->embedding_ulysses,
    };
}

/* Can any batch, number of chunks and buffer use it? A buffer is no larger than a tensor degree. */
static bool reachable(const struct galvatron_question *question, const struct galvatron_strategy *s)
{
    const uint64_t largest = question->batch ? question->batch : question->max_batch;
    const uint64_t chunks = question->chunks ? question->chunks : largest;
    const uint64_t samples = question->chunks ? largest / question->chunks : largest;
    return (uint64_t)s->pipeline <= chunks && (uint64_t)s->data <= (samples ? samples : 1) &&
           (uint64_t)galvatron_split(s) <= question->max_tensor;
}

enum rk_status galvatron_choose(const struct galvatron_question *question, int world,
                                struct galvatron_choice *choice, struct rk_error *error)
{
    const struct galvatron_space space = space_of(question, world);
    *choice = (struct galvatron_choice){
        .layers = galvatron_layer_strategies(&space, 0, NULL),
        .embeddings = galvatron_embedding_strategies(&space, 0, NULL),
    };
    choice->layer = calloc(choice->layers + 1, sizeof *choice->layer);
    choice->embedding = calloc(choice->embeddings + 1, sizeof *choice->embedding);
    if (!choice->layer || !choice->embedding) return no_memory(error);
    galvatron_layer_strategies(&space, choice->layers, choice->layer);
    galvatron_embedding_strategies(&space, choice->embeddings, choice->embedding);
    for (size_t i = 0; i < choice->layers; i++)
        if (reachable(question, &choice->layer[i]))
            galvatron_need(&choice->needs, &choice->layer[i]);
    for (size_t i = 0; i < choice->embeddings; i++)
        if (reachable(question, &choice->embedding[i]))
            galvatron_need(&choice->needs, &choice->embedding[i]);
    return RK_OK;
}

void galvatron_choice_release(struct galvatron_choice *choice)
{
    free(choice->layer);
    free(choice->embedding);
    *choice = (struct galvatron_choice){.layers = 0};
}
