#include "cli/train_arithmetic.h"

#include "cli/train_exact.h"
#include "workload/pattern.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- numbers ---- */

/* What a key's number is to the member: itself, 1 over it or over its root, over the width of a
 * head, over the model's width, over the root of its layers. */
enum as { AS_IS, INVERSE, INVERSE_ROOT, OF_HEAD, OF_WIDTH, OF_LAYERS };

static const struct number {
    const char *key;
    size_t member;
    enum as as;
    double usual; /* with which the member plays no role */
} numbers[] = {
#define MEMBER(name) offsetof(struct rk_arithmetic, name)
    {"embedding_multiplier", MEMBER(embedding_scale), AS_IS, 1},
    {"scale_emb", MEMBER(embedding_scale), AS_IS, 1},
    {"residual_multiplier", MEMBER(residual_scale), AS_IS, 1},
    {"scale_depth", MEMBER(residual_scale), OF_LAYERS, 1},
    {"logits_scaling", MEMBER(logit_scale), INVERSE, 1},
    {"logit_scale", MEMBER(logit_scale), AS_IS, 1},
    {"dim_model_base", MEMBER(logit_scale), OF_WIDTH, 1},
    {"attention_multiplier", MEMBER(attention_scale), AS_IS, 0},
    {"query_pre_attn_scalar", MEMBER(attention_scale), INVERSE_ROOT, 0},
    {"attn_logit_softcapping", MEMBER(attention_cap), AS_IS, 0},
    {"final_logit_softcapping", MEMBER(logit_cap), AS_IS, 0},
    {"partial_rotary_factor", MEMBER(rotary_part), AS_IS, 1},
    {"rotary_pct", MEMBER(rotary_part), AS_IS, 1},
    {"rope_percent", MEMBER(rotary_part), AS_IS, 1},
    {"rope_percentage", MEMBER(rotary_part), AS_IS, 1},
    {"rotary_dim", MEMBER(rotary_part), OF_HEAD, 1},
    {"swiglu_limit", MEMBER(gate_limit), AS_IS, 0},
    {"rope_local_base_freq", MEMBER(local_base), AS_IS, 0},
#undef MEMBER
};

static double number_as(enum as as, const struct rk_model *m, double x)
{
    switch (as) {
    case AS_IS:
        return x;
    case INVERSE:
        return 1 / x;
    case INVERSE_ROOT:
        return 1 / sqrt(x);
    case OF_HEAD:
        return x / head_shape_of(m, false).width;
    case OF_WIDTH:
        return x / (double)m->hidden;
    case OF_LAYERS:
        return x / sqrt((double)m->layers);
    }
    return x;
}

static enum rk_status refuse_number(const struct document *document, const char *key, double number,
                                    struct rk_error *error)
{
    return rk_fail(error, RK_UNSUPPORTED, document->path, 0, 0,
                   "the executor has nothing for what %s %g says: take another model", key, number);
}

static enum rk_status read_numbers(const struct document *document, const json_t *said,
                                   const struct exact_type *type, const struct rk_model *model,
                                   struct rk_arithmetic *to, struct rk_error *error)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct number *n = &numbers[i];
        const json_t *value = json_object_get(said, n->key);
        if (!json_is_number(value)) continue;
        const double x = json_number_value(value), as = number_as(n->as, model, x);
        const bool part = n->member == offsetof(struct rk_arithmetic, rotary_part);
        if (!(as > 0) || !isfinite(as) ||
            (part && (as > 1 || (as < 1 && !(type->facts & TURNS_PARTS)))))
            return refuse_number(document, n->key, x, error);
        if (as != n->usual) *(double *)((char *)to + n->member) = as;
    }
    return RK_OK;
}

/* ---- layers without positions ---- */

static void leave_unturned(struct rk_arithmetic *to, uint64_t layer)
{
    to->unturned[layer / 64] |= (uint64_t)1 << layer % 64;
}

/* SmolLM3's list has 1 where heads are turned; without it every Nth layer's are not. */
static enum rk_status read_unturned(const struct document *document, const json_t *said,
                                    const struct exact_type *type, const struct rk_model *m,
                                    struct rk_arithmetic *to, struct rk_error *error)
{
    const json_t *list = json_object_get(said, "no_rope_layers");
    const json_int_t every = json_integer_value(json_object_get(said, "no_rope_layer_interval"));
    if (m->layers > 64 * RK_LAYER_WORDS)
        return rk_fail(error, RK_UNSUPPORTED, document->path, 0, 0,
                       "the executor has at most %d layers of a model whose heads are not turned "
                       "in each",
                       64 * RK_LAYER_WORDS);
    if (json_is_array(list) && json_array_size(list) && json_array_size(list) < m->layers)
        return rk_fail(error, RK_BAD_INPUT, document->path, 0, 0,
                       "no_rope_layers: has %zu elements for %llu layers", json_array_size(list),
                       (unsigned long long)m->layers);
    for (uint64_t i = 0; i < m->layers; i++) {
        const bool listed = json_array_size(list) > 0;
        const bool zero = listed && json_integer_value(json_array_get(list, i)) == 0;
        const bool nth = !listed && every > 0 && (i + 1) % (uint64_t)every == 0;
        const bool local_alone =
            type->facts & TURNS_LOCAL || (type->facts & TURNS_LOCAL_IF_ANY && m->window);
        const bool whole = local_alone && mixer_of(m, i) != MIXER_LOCAL;
        if (zero || nth || whole) leave_unturned(to, i);
    }
    return RK_OK;
}

/* ---- what the type says ---- */

static void set_facts(const struct exact_type *type, const json_t *root, const struct rk_model *m,
                      struct rk_train *train)
{
    struct rk_arithmetic *to = &train->arithmetic;
    to->naming = type->naming;
    if (type->naming == RK_NAMES_FALCON &&
        json_is_true(json_object_get(root, "new_decoder_architecture")))
        to->naming = RK_NAMES_FALCON_NEW;
    if (type->facts & (GEMMA | NORMS_ADD_ONE)) to->norm_offset = 1;
    if (type->facts & GEMMA) {
        to->embedding_scale = sqrt((double)m->hidden);
    }
    if (type->facts & STRETCHES_WHOLE && train->rotary_stretch.factor > 1)
        to->local_base = train->rotary_base;
    to->norms_after = type->facts & NORMS_AFTER;
    to->wide_norms = type->facts & WIDE_NORMS;
    to->neighbours = type->facts & NEIGHBOURS;
    to->routers_add = type->facts & ROUTERS_ADD;
    if (type->facts & SECOND_ROW) to->first_position = 2;
    static const char *const activations[] = {"hidden_act", "activation", "activation_function"};
    bool says = false;
    for (size_t i = 0; i < sizeof activations / sizeof *activations; i++)
        says |= json_is_string(json_object_get(root, activations[i]));
    if (type->facts & EXACT_GELU && !says) train->exact_gelu = true;
}

enum rk_status train_arithmetic(const struct document *document, const struct rk_model *model,
                                struct rk_train *train, struct rk_error *error)
{
    const char *name = json_string_value(json_object_get(document->root, "model_type"));
    const struct exact_type *type = train_exact_type(name);
    if (!type) return RK_OK;
    const json_t *said = document->root;
    set_facts(type, said, model, train);
    const json_t *base = json_object_get(said, "rotary_emb_base");
    if (json_is_number(base)) train->rotary_base = json_number_value(base);
    enum rk_status status = read_numbers(document, said, type, model, &train->arithmetic, error);
    if (status == RK_OK)
        status = read_unturned(document, said, type, model, &train->arithmetic, error);
    return status;
}
