/* pattern.h - a model as a pattern of layers: what mixes the tokens of each, and its MLP.
 *
 * A layer is a pair of the two, and either may be missing (Nemotron-H has layers of one half).
 * Model files say both in letters, repeated over all layers; where they do not, dense_layers,
 * expert_every, window and window_every say the usual patterns. Pure.
 */
#ifndef RECKON_WORKLOAD_PATTERN_H
#define RECKON_WORKLOAD_PATTERN_H

#include <reckon/model.h>

enum mixer {
    MIXER_ATTENTION, /* over all tokens */
    MIXER_LOCAL,     /* over a window or chunk */
    MIXER_RECURRENT,
    MIXER_BOTH,    /* attention and a recurrence side by side (Falcon-H1) */
    MIXER_ENCODER, /* attention of an encoder: its own tokens, each to all */
    MIXER_CROSS,   /* attention, then one to what the encoder brings [raffel2020] */
    MIXER_NONE,
    MIXERS
};

enum mlp_kind { MLP_DENSE, MLP_EXPERTS, MLP_NONE, MLP_KINDS };

/* In the order of the enums: "alrbex-", "de-". */
extern const char mixer_letters[];
extern const char mlp_letters[];

/* Of layer `i`. Requires letters that the loaders accept. */
enum mixer mixer_of(const struct rk_model *model, uint64_t i);
enum mlp_kind mlp_of(const struct rk_model *model, uint64_t i);

/* How many layers have which. */
struct pattern_counts {
    double mixers[MIXERS], mlps[MLP_KINDS];
};
struct pattern_counts pattern_count(const struct rk_model *model);

/* Is an MLP of some layer dense? */
bool has_dense_mlps(const struct rk_model *model);

/* What the mixers are made of. */
bool mixer_attends(enum mixer mixer);
bool mixer_recurs(enum mixer mixer);

/* Shape of attention in a layer, whatever it leaves out put in. */
struct head_shape {
    double heads, kv_heads, width, value; /* `width`: of a query or key head */
};
struct head_shape head_shape_of(const struct rk_model *model, bool local);

/* Which linear layers of the model have biases. */
bool has_qkv_biases(const struct rk_model *model);
bool has_out_biases(const struct rk_model *model);
bool has_mlp_biases(const struct rk_model *model);

/* Width of the shared experts, which are one wide MLP. */
double shared_width(const struct rk_model *model);

/* Of the activation of one MLP: xIELU learns two [huang2024xielu]. */
double activation_parameters(const struct rk_model *model);

/* Weights of a norm over `width` values. */
double norm_parameters(const struct rk_model *model, double width);

/* What a recurrence has, by its kind; k keys and v values of a head, n heads, g groups, w = n v the
 * inner width, c channels of the convolution.
 *
 *     mamba         in h*2w; conv; steps and state w*(r + 2s) + r*w; A, D  [gu2023]
 *     mamba2        in h*(2w + 2gs + n); conv over w + 2gs; A, D, steps n each  [dao2024]
 *     gated delta   in h*(2gs + 2w) and h*2n; conv over 2gs + w; A, steps n each  [yang2024gated]
 *     kimi delta    in h*(2ns + w) and h*n; conv; gates h*r + r*ns, h*r + r*w; A n, steps ns
 *     lightning     in h*(2ns + w); gate h*w  [minimax2025]
 *
 * and out w*h in all of them. */
struct recurrence_shape {
    double heads, groups, key, value; /* n, g, s, v */
    double inner;                     /* w */
    double channels;                  /* of the convolution */
    double projected;                 /* columns of the first projections of h */
    double low_rank;                  /* parameters of projections through time_rank */
    double vectors;                   /* parameters outside of matrices and convolution */
    double norm;                      /* weights of its norm */
    bool conv_biases;
};
struct recurrence_shape recurrence_shape_of(const struct rk_model *model);

/* Layers of the gated delta rule among those that attend to all. */
bool has_linear_layers(const struct rk_model *model);

#endif
