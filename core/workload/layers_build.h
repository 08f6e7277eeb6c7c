/* layers_build.h - constructors of the operations of layers.h.
 *
 * Two rules hold for all of them. What an operation saves is what it brings out and a later
 * backward pass reads, so that recomputing it is what makes it superfluous; what enters the layer
 * counts as the first norm's. And parameters, FLOP and bytes are those of one rank.
 */
#ifndef RECKON_WORKLOAD_LAYERS_BUILD_H
#define RECKON_WORKLOAD_LAYERS_BUILD_H

#include "workload/layer.h"

struct build {
    struct layer *layer;
    const struct rk_model *model;
    const struct rk_plan *plan;
    double batch, sequence;      /* of a microbatch: samples, tokens of each; b and s */
    double tensor, context;      /* t and c */
    double tokens;               /* of this rank: b * s / c */
    double shard;                /* ... where sequence parallelism splits them: b * s / c / t */
    double hidden;               /* h */
    double element;              /* bytes of an activation */
    double kept;                 /* bytes in which a narrow linear layer keeps its input */
    double gathered;             /* bytes in which that input is gathered over tensor ranks */
    enum rk_graph_part graph;    /* what captures the operations that are added */
    const struct served *served; /* NULL: training */
    bool two_way;                /* each token sees all others */
    bool crossing;               /* keys and values are the encoder's */
};

struct build build_begin(struct layer *layer, const struct rk_model *model,
                         const struct rk_plan *plan);

/* The layer's tokens are those of the encoder; or tokens of the encoder that a layer of the decoder
 * reads: of this rank, and of its shard. */
void in_encoder(struct build *build);
double encoder_tokens(const struct build *build);
double encoder_shard(const struct build *build);

/* Where an operation belongs: see struct operation. */
struct place_in {
    enum rk_holding holding;
    int part;
};

struct operation *add_operation(struct build *build, enum op id, struct place_in in);

/* (m, k) x (k, n). Matrices of weights: their useful FLOP are those executed, their biases none,
 * until the caller says otherwise. */
struct product {
    double count, m, n, k;
};
struct operation *add_product(struct build *build, enum op id, struct place_in in,
                              const struct product *product);
struct operation *add_linear(struct build *build, enum op id, struct place_in in,
                             const struct product *product);
/* The same, although weights are frozen: an adapter's. */
struct operation *add_trained(struct build *build, enum op id, struct place_in in,
                              const struct product *product);
/* The same, of a matrix that the plan's base keeps in 4 or 8 bits. */
struct operation *add_base_linear(struct build *build, enum op id, struct place_in in,
                                  const struct product *product);
/* What a matrix of a base in 4 or 8 bits has in 16 bits while it is multiplied. */
double dequantized_bytes(const struct build *build, double elements);
/* With the casts of a plan in 8 or 4 bits in front of it; `rows` of the input are cast. */
struct operation *add_narrow_linear(struct build *build, enum op id, struct place_in in,
                                    const struct product *product, double rows);

/* ---- frozen weights and adapters (layers_adapters.c) ---- */

/* Does backward read the input of matrices that are any of `targets` (bits 1 << enum rk_target)?
 * For the gradient of weights, which frozen ones have none of, or of an adapter without dropout. */
bool keeps_input(const struct build *build, unsigned targets);

enum {
    TARGETS_QKV = 1 << RK_TARGET_Q | 1 << RK_TARGET_K | 1 << RK_TARGET_V | 1 << RK_TARGET_QKV,
    TARGETS_O = 1 << RK_TARGET_O,
    TARGETS_IN = 1 << RK_TARGET_GATE | 1 << RK_TARGET_UP,
    TARGETS_DOWN = 1 << RK_TARGET_DOWN,
    TARGETS_HEAD = 1 << RK_TARGET_HEAD
};

/* Matrices of (in, out) on this rank, `count` of them with `rows` rows each. */
struct adapted {
    enum rk_target target;
    double count, rows, in, out;
    bool expert;
};

/* What the plan's adapter of these adds, if it has one. */
void add_adapter(struct build *build, struct place_in in, const struct adapted *adapted);

/* What an end of the model adds that the plan trains whole next to adapters. */
void add_whole_end(struct build *build, struct place_in in, enum rk_end end, double rows,
                   double columns);

/* Bytes of an element of a frozen matrix of blocks as the plan's base keeps it; 0: as the others.
 */
double base_element_bytes(const struct rk_plan *plan);

/* Bytes and kernels of an operation that memory limits, for each element; both passes. */
struct traffic {
    double forward, backward, forward_kernels, backward_kernels;
};
struct operation *add_memory(struct build *build, enum op id, struct place_in in, double elements,
                             struct traffic traffic);

/* Brings `rows` rows of `width` elements; keeps its output in `kept` bytes, its input in those of
 * an activation. */
struct operation *add_norm(struct build *build, enum op id, struct place_in in, double rows,
                           double width, double kept);

/* One exchange of `bytes`, the same both ways unless changed; none over a single rank. */
struct operation *add_comm(struct build *build, enum op id, struct place_in in, enum comm_over over,
                           enum comm_what forward, enum comm_what backward, double bytes);

/* Tensor parallelism before a column-parallel matrix and after a row-parallel one, for `width`
 * elements a token [korthikanti2022]. */
void add_gather(struct build *build, enum op id, struct place_in in, double width, double element);
void add_reduce(struct build *build, enum op id, struct place_in in, double width);

/* Megatron-LM's own matrices gather into one buffer, which stays: the gather just added is one of
 * theirs. Transformer Engine's allocate each time. */
void gather_into_buffer(struct build *build);

/* The end of a half: dropout and the sum of `streams` with the residual stream. */
void add_residual(struct build *build, enum op id, double streams);

/* ---- halves of a block ---- */

/* Attention from the output of its norm (of which each rank has `shard` rows) up to the input of
 * the residual sum; `reduces`: the sum over tensor ranks is its own. */
void build_attention(struct build *build, bool local, bool reduces);

/* The same with keys and values of what the encoder brings. */
void build_cross_attention(struct build *build);

/* A recurrence in place of attention, or in parallel to it (then the gathered input and the sum
 * over tensor ranks are attention's, and it comes first). */
void build_recurrence(struct build *build, bool beside);

/* What the first matrix leaves for the activation's backward: as wide as it is, or cast to 8 bits
 * without a scale (Megatron Core's TransformerConfig.activation_func_fp8_input_store; SwiGLU). */
double activation_input_bytes(const struct build *build, double elements);

/* An MLP of `width` over all tokens of the rank. `gathers`, `reduces`: the communication is its
 * own. */
struct mlp {
    double width;
    struct place_in in;
    enum op gather, in_id, activation, out_id, reduce;
    double input_kept; /* bytes, on top of what the norm before it keeps */
    bool gathers, reduces;
};
void build_mlp(struct build *build, const struct mlp *mlp);

/* What stands between the two matrices of an MLP, for `rows` rows: keeps its output in `kept`
 * bytes. */
void add_activation(struct build *build, enum op id, struct place_in in, double rows, double width);

void build_experts(struct build *build);
void build_embedding(struct build *build);
void build_head(struct build *build);
void build_predict(struct build *build);

/* The operations of the block so far, in plan->sequence_chunks chunks of the sequence one after the
 * other (layers_chunks.c). */
void take_in_chunks(struct build *build);
/* Of inference: one token a sample looks at all that are cached, in place of attention over a
 * sequence. Heads of this rank; `pairs` of one head of one sample: the tokens that it sees. */
struct looked_up {
    double heads, kv_heads, width, value, pairs;
    double sharers; /* tensor ranks that need the same keys and values */
};
double lookup_sharers(const struct build *build, bool local);
void build_lookup(struct build *build, const struct looked_up *at);

/* Does the pass have a token of each sample, after cached ones? */
bool is_decoding(const struct build *build);

/* A block of `kind`, none of the ends. */
void build_block(struct build *build, enum layer_kind kind);

#endif
