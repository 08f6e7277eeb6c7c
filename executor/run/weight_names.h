/* weight_names.h - the tensors of a model, and what checkpoints call them: GPT-2's names, Llama's,
 * or those of weight-names.csv. */
#ifndef RECKON_RUN_WEIGHT_NAMES_H
#define RECKON_RUN_WEIGHT_NAMES_H

#include <reckon/model.h>
#include <reckon/train.h>

/* Contiguous ones are multiplied together: q, k, v; gate, up. Seeds of weights depend on these
 * numbers: new roles go to the end. */
enum weight_role {
    WEIGHT_TABLE,
    WEIGHT_POSITIONS,
    WEIGHT_EMBEDDING_NORM,
    WEIGHT_EMBEDDING_NORM_BIAS,
    WEIGHT_NORM_1,
    WEIGHT_NORM_1_BIAS,
    WEIGHT_Q,
    WEIGHT_K,
    WEIGHT_V,
    WEIGHT_Q_BIAS,
    WEIGHT_K_BIAS,
    WEIGHT_V_BIAS,
    WEIGHT_Q_NORM,
    WEIGHT_Q_NORM_BIAS,
    WEIGHT_K_NORM,
    WEIGHT_K_NORM_BIAS,
    WEIGHT_Q_DOWN,
    WEIGHT_Q_DOWN_NORM,
    WEIGHT_Q_DOWN_NORM_BIAS,
    WEIGHT_Q_UP,
    WEIGHT_KV_DOWN,
    WEIGHT_KV_DOWN_NORM,
    WEIGHT_KV_DOWN_NORM_BIAS,
    WEIGHT_KV_UP,
    WEIGHT_OUT,
    WEIGHT_OUT_BIAS,
    WEIGHT_NORM_1_POST,
    WEIGHT_NORM_2,
    WEIGHT_NORM_2_BIAS,
    WEIGHT_GATE,
    WEIGHT_UP,
    WEIGHT_GATE_BIAS,
    WEIGHT_UP_BIAS,
    WEIGHT_DOWN,
    WEIGHT_DOWN_BIAS,
    WEIGHT_NORM_2_POST,
    WEIGHT_ROUTER,
    WEIGHT_DESCEND,
    WEIGHT_DESCEND_BIAS,
    WEIGHT_ASCEND,
    WEIGHT_ASCEND_BIAS,
    WEIGHT_SHARED_GATE,
    WEIGHT_SHARED_UP,
    WEIGHT_SHARED_DOWN,
    WEIGHT_SHARED_WEIGH,
    WEIGHT_EXPERT_GATE, /* of the first expert here; the others follow at `stride` */
    WEIGHT_EXPERT_UP,
    WEIGHT_EXPERT_GATE_BIAS,
    WEIGHT_EXPERT_UP_BIAS,
    WEIGHT_EXPERT_DOWN,
    WEIGHT_EXPERT_DOWN_BIAS,
    WEIGHT_FINAL_NORM,
    WEIGHT_FINAL_NORM_BIAS,
    WEIGHT_HEAD,
    WEIGHT_HEAD_BIAS,
    WEIGHT_ROUTER_BIAS, /* its gradient counts the tokens that chose an expert (route.c) */
    WEIGHT_SINKS,
    WEIGHT_ROUTER_ADD, /* a bias that scores have */
    WEIGHT_NEXT_NORM,  /* of a prediction layer (ahead.c): of the next token, of the stream; what
                          joins both. Its last norm is a WEIGHT_FINAL_NORM */
    WEIGHT_NEXT_NORM_BIAS,
    WEIGHT_STREAM_NORM,
    WEIGHT_STREAM_NORM_BIAS,
    WEIGHT_PREDICT_IN,
    WEIGHT_ROLES
};

struct weight_names {
    enum rk_naming naming;
    bool gpt2; /* nobody has said a naming, and the model has GPT-2's shape */
    bool four; /* blocks of four norms */
};

struct weight_names weight_names_of(const struct rk_model *model, enum rk_naming naming);

/* With ".weight" or ".bias"; in `text` if it is of weight-names.csv. Of a block's tensors without
 * what stands in front of the block's number: */
const char *weight_name(const struct weight_names *names, enum weight_role role,
                        char text[static 64]);
const char *weight_prefix(const struct weight_names *names);

/* As their usual names say: norms and biases are no matrices. */
bool weight_is_matrix(enum weight_role role);
bool weight_is_norm(enum weight_role role);

#endif
