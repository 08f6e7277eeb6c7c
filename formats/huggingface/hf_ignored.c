/* hf_ignored.c - what an estimate does not follow of what a config.json says, as notes. */
#include "huggingface/hf_reading.h"
#include "workload/pattern.h"

#include <stdio.h>
#include <string.h>

static enum rk_status note_quantization(struct reading *r)
{
    const struct place *object = hf_model_object(r);
    struct place place, method;
    if (!place_member(object, "quantization_config", &place) || json_is_null(place.value))
        return RK_OK;
    const enum rk_status status = place_need_object(&place, r->error);
    if (status != RK_OK) return status;
    const char *name =
        place_member(&place, "quant_method", &method) ? json_string_value(method.value) : NULL;
    hf_note_add(
        r, HF_IGNORED, "quantization_config", name ? name : "",
        "how the weights are stored; what training computes with is the strategy's datatype");
    return RK_OK;
}

/* Parts of the shape that models cannot say, with how many parameters they are. */
static void note_shapes(struct reading *r)
{
    const struct hf_keys *k = &r->keys;
    const struct rk_model *m = &r->import->model;
    const struct pattern_counts count = pattern_count(m);
    const double whole = count.mixers[MIXER_ATTENTION], local = count.mixers[MIXER_LOCAL];
    if (k->shared_values)
        hf_note_add(r, HF_IGNORED, "attention_k_eq_v", "yes",
                    "keys of layers that see all are their values, too: %.0f parameters too many "
                    "are counted",
                    whole * (double)(k->hidden * k->kv_heads * k->head_dim));
    if (k->head_gate)
        hf_note_add(r, HF_IGNORED, "use_head_wise_attn_gate", "yes",
                    "one value per head that weights the output of attention is not counted: %.0f "
                    "parameters",
                    (double)k->hidden * (whole * head_shape_of(m, false).heads +
                                         local * head_shape_of(m, true).heads));
    if (k->mixture_beside)
        hf_note_add(
            r, HF_IGNORED, "enable_moe_block", "yes",
            "the dense MLP is taken for a shared expert; its norms and the router's are not "
            "counted: %.0f parameters",
            4.0 * (double)(k->layers * k->hidden));
}

/* The first of these keys that an object has, as a number. */
static double count_of(const struct place *object, const char *const *keys)
{
    struct place place;
    for (; *keys; keys++)
        if (place_member(object, *keys, &place) && json_is_number(place.value))
            return json_number_value(place.value);
    return 0;
}

/* Four matrices of attention and two of the MLP, three with a gate as Qwen 2.5's towers have. */
static double tower_parameters(const struct place *tower, bool gated)
{
    const char *const depths[] = {"depth", "num_hidden_layers", "layers", "encoder_layers", NULL};
    const char *const widths[] = {"embed_dim", "hidden_size", "width", "d_model", NULL};
    const char *const inner[] = {"intermediate_size", "encoder_ffn_dim", NULL};
    const char *const ratios[] = {"mlp_ratio", NULL};
    const double h = count_of(tower, widths), ratio = count_of(tower, ratios);
    const double said = count_of(tower, inner), f = said > 0 ? said : h * (ratio > 0 ? ratio : 4);
    return count_of(tower, depths) * (4 * h * h + (gated ? 3 : 2) * h * f);
}

/* Towers for images and sound next to the language model. */
static void note_towers(struct reading *r)
{
    static const char *const keys[] = {"vision_config", "visual", "audio_config", NULL};
    const struct place *outer = r->at.outer ? r->at.outer : &r->at.root;
    struct place tower;
    for (const char *const *key = keys; *key; key++) {
        if (!place_member(outer, *key, &tower) || !json_is_object(tower.value)) continue;
        char size[VALUE] = "";
        const double all = tower_parameters(&tower, strncmp(r->type->name, "qwen2_5_vl", 10) == 0);
        if (all > 0) snprintf(size, sizeof size, "%.0fM parameters", all / 1e6);
        hf_note_add(
            r, HF_IGNORED, *key, size,
            "the tower next to the language model is neither counted nor timed: add 2 bytes "
            "for each parameter that is frozen");
    }
}

/* All keys that nobody knows, as many to a note as it has room for. */
static void note_unknown(struct reading *r)
{
    enum { ROOM = 160 };
    for (const char *at = r->unknown; *at;) {
        size_t length = strlen(at);
        while (length > ROOM)
            do
                length--;
            while (length && at[length] != ',');
        hf_note_add(r, HF_IGNORED, "unknown keys", "", "not known, not followed: %.*s", (int)length,
                    at);
        at += length;
        at += strspn(at, ", ");
    }
}

/* What an estimate does not follow of what the file says. */
enum rk_status hf_note_ignored(struct reading *r)
{
    const struct hf_keys *k = &r->keys;
    const struct rk_model *m = &r->import->model;
    char value[VALUE];
    struct place place;
    if (k->predict_layers)
        hf_note_add(r, HF_IGNORED, "num_nextn_predict_layers",
                    hf_count_text(value, k->predict_layers),
                    "layers for multi-token prediction are trained, but not counted as parameters");
    if (m->attention_cap) {
        snprintf(value, sizeof value, "%g", k->score_cap);
        hf_note_add(r, HF_IGNORED, "attn_logit_softcapping", value,
                    "attention with capped scores is taken to be as fast as without");
    }
    if (hf_type_has(r->type, "add_swa_attention_sink_bias") &&
        hf_member(r, "add_swa_attention_sink_bias", &place) && json_is_true(place.value))
        hf_note_add(r, HF_IGNORED, "add_swa_attention_sink_bias", "yes",
                    "one value per head of local layers is not counted: %.0f parameters",
                    pattern_count(m).mixers[MIXER_LOCAL] * head_shape_of(m, true).heads);
    if (hf_type_has(r->type, "interleave_moe_layer_step") && hf_member(r, "use_qk_norm", &place) &&
        json_is_true(place.value))
        hf_note_add(r, HF_IGNORED, "use_qk_norm", "yes",
                    "norms without weights on query and key are not timed");
    note_shapes(r);
    note_towers(r);
    note_unknown(r);
    return note_quantization(r);
}
