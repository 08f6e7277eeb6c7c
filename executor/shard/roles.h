/* roles.h - what a tensor is, by its name: the part that it plays decides how it is split.
 *
 * data/formats/tensors.csv has the names. Pure.
 */
#ifndef RECKON_SHARD_ROLES_H
#define RECKON_SHARD_ROLES_H

#include "shard/safetensors.h"

/* X(role, what `reckon shard --explain` calls it). The axis of a matrix stored as (out, in) is 0
 * for its outputs, 1 for its inputs. */
/* clang-format off */
#define SHARD_ROLES(X) \
    X(UNKNOWN,           "unknown") \
    X(WHOLE,             "whole")                     /* on each tensor rank */ \
    X(BUFFER,            "buffer")                    /* no parameter; likewise */ \
    X(NORM,              "norm")                      /* likewise */ \
    X(ROUTER,            "router")                    /* likewise */ \
    X(EMBEDDING,         "embedding")                 /* rows of the padded vocabulary; the first stage */ \
    X(POSITIONS,         "positions") \
    X(EMBEDDING_NORM,    "embedding norm") \
    X(HEAD,              "head")                      /* likewise; the last stage */ \
    X(FINAL_NORM,        "final norm") \
    X(PREDICT_EMBEDDING, "embedding, again")          /* copies that multi-token prediction brings */ \
    X(PREDICT_HEAD,      "head, again") \
    X(PREDICT_IN,        "prediction in")             /* rows of outputs */ \
    X(HEADS,             "heads")                     /* outputs: a heads */ \
    X(GROUPS,            "key, value groups")         /* outputs: g groups, copied where t > g */ \
    X(HEAD_NORM,         "head norm")                 /* of one head whole, of all heads as HEADS */ \
    X(GROUP_NORM,        "group norm") \
    X(THIRDS,            "query, key, value")         /* outputs: [q; k; v], each apart */ \
    X(HEADWISE,          "query, key, value by head") /* outputs: for each head q, k, v */ \
    X(GROUPWISE,         "query, key, value by group") /* outputs: for each group its queries, k, v */ \
    X(ATTENTION_OUT,     "attention out")             /* inputs: a heads */ \
    X(ROWS,              "rows")                      /* outputs */ \
    X(HALVES,            "gate and up")               /* outputs: [gate; up], each apart */ \
    X(DOWN,              "down")                      /* inputs */ \
    X(EXPERT_WHOLE,      "expert, whole") \
    X(EXPERT_ROWS,       "expert rows") \
    X(EXPERT_HALVES,     "expert gate and up") \
    X(EXPERT_PAIRS,      "expert gate and up by pairs") /* outputs: gate, up, gate, up, ... */ \
    X(EXPERT_DOWN,       "expert down") \
    X(EXPERTS_ROWS,      "rows of all experts")       /* outputs: rows of expert 0, of expert 1, ... */ \
    X(STATE_HEADS,       "recurrent heads")           /* outputs: n heads */ \
    X(STATE_GROUPS,      "recurrent groups")          /* outputs: g groups */ \
    X(STATE_IN,          "recurrence in")             /* outputs: [z; x; B; C; steps] [dao2024] */ \
    X(STATE_CONVOLUTION, "convolution")               /* channels: [x; B; C], or [q; k; v] */ \
    X(STATE_OUT,         "recurrence out")            /* inputs: n heads */
/* clang-format on */

enum shard_role {
#define SHARD_ROLE_ENUM(role, name) ROLE_##role,
    SHARD_ROLES(SHARD_ROLE_ENUM)
#undef SHARD_ROLE_ENUM
        ROLE_COUNT
};

const char *shard_role_name(enum shard_role role);

/* The last part of a name. */
enum tensor_leaf {
    LEAF_WEIGHT,       /* "weight", or none */
    LEAF_BIAS,         /* one number for each output */
    LEAF_BLOCK_SCALES, /* "weight_scale_inv": one for 128 x 128 of the weight [deepseek2024v3] */
    LEAF_SCALES        /* "weight_scale": one, or one for each output */
};

enum { PART_PREDICTING = 1 << 30 };

struct part {
    enum shard_role role;
    enum tensor_leaf leaf;
    bool turned, stacked; /* forms of tensors.csv */
    bool parameter;       /* counts as one: no scales, no buffers */
    int64_t layer;        /* -1: none; from PART_PREDICTING on: of multi-token prediction */
    int64_t expert;       /* of the name; -1: none */
};

/* `type`: the model_type of the checkpoint, or "". What no row knows is ROLE_UNKNOWN. */
struct part part_of(const char *name, const char *type);

/* The pattern nearest to a name that no row knows, for messages. */
const char *part_nearest(const char *name);

#endif
