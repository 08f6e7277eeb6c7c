/* program.h - what one rank of a plan does in a step, instruction by instruction.
 *
 * A plan is lowered once and read by many: checked, timed, placed in memory, run. A program is the
 * order of passes of the rank's stage times the operations of its layers, with the messages between
 * stages, what data parallelism reduces and gathers, and the optimizer's step.
 *
 * Instructions stand in the order in which a host would issue them. Each is put on a stream; what
 * is on one stream runs in that order, what is on two streams at the same time, but for events: an
 * RK_DO_WAIT lets its stream wait until the RK_DO_RECORD of the same event is reached. All orders
 * that the tensors ask for are there: no two instructions that touch a tensor, one of them writing
 * it, are left unordered.
 *
 * What does not differ from microbatch to microbatch and from layer to layer is said once, in a
 * task. Sizes are those of the predictor (predict.h): sums over a program are its figures.
 */
#ifndef RECKON_PROGRAM_H
#define RECKON_PROGRAM_H

#include <reckon/predict.h>
#include <reckon/status.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */

/* X(value, word in texts, meaning) */
#define RK_NAMES_do(X) \
    X(RK_DO_RUN,            "run",            "computes, or moves to another memory") \
    X(RK_DO_ALL_REDUCE,     "all_reduce",     "sums over a group, the result on all") \
    X(RK_DO_ALL_GATHER,     "all_gather",     "puts the parts of a group together on all") \
    X(RK_DO_REDUCE_SCATTER, "reduce_scatter", "sums over a group, a part of the result on each") \
    X(RK_DO_ALL_TO_ALL,     "all_to_all",     "a part of each one's vector to each of a group") \
    X(RK_DO_BROADCAST,      "broadcast",      "what the first of a group has to all") \
    X(RK_DO_SEND,           "send",           "to one rank") \
    X(RK_DO_RECV,           "recv",           "from one rank") \
    X(RK_DO_BEGIN,          "begin",          "the sends and receives up to the end start together") \
    X(RK_DO_END,            "end",            "") \
    X(RK_DO_RECORD,         "record",         "the stream has come to an event") \
    X(RK_DO_WAIT,           "wait",           "the stream waits for it") \
    X(RK_DO_ALLOC,          "alloc",          "a tensor's memory is there from here on") \
    X(RK_DO_FREE,           "free",           "... up to here")

#define RK_NAMES_stream(X) \
    X(RK_ON_GPU,       "gpu",       "computing, and communication that it waits for") \
    X(RK_ON_TENSOR,    "tp",        "communication that overlaps with computation: tensor parallelism") \
    X(RK_ON_CONTEXT,   "cp",        "... context parallelism") \
    X(RK_ON_EXPERT,    "ep",        "... experts") \
    X(RK_ON_DATA,      "dp",        "gradients and weights of data parallelism") \
    X(RK_ON_SEND_NEXT, "send-next", "messages to the next stage") \
    X(RK_ON_RECV_NEXT, "recv-next", "... from it") \
    X(RK_ON_SEND_PREV, "send-prev", "messages to the previous stage") \
    X(RK_ON_RECV_PREV, "recv-prev", "... from it") \
    X(RK_ON_OUT,       "out",       "transfers to a lower memory tier") \
    X(RK_ON_IN,        "in",        "... back")

/* What an instruction belongs to. */
#define RK_NAMES_work(X) \
    X(RK_WORK_FORWARD, "forward", "of a microbatch") \
    X(RK_WORK_AGAIN,   "again",   "forward once more, in front of backward: recomputation") \
    X(RK_WORK_INPUT,   "input",   "backward: gradients of activations") \
    X(RK_WORK_WEIGHT,  "weight",  "backward: gradients of weights") \
    X(RK_WORK_STEP,    "step",    "once a step, or for all layers: gradients, optimizer, weights")

#define RK_NAMES_element(X) \
    X(RK_IN_FP32,  "fp32", "4") \
    X(RK_IN_FP16,  "fp16", "2") \
    X(RK_IN_BF16, "bf16", "2") \
    X(RK_IN_BYTES,    "u8",   "1: narrower elements with their scales")

/* What a tensor is; its name in texts begins with the word. */
#define RK_NAMES_tensor_kind(X) \
    X(RK_TENSOR_ACTIVATION,   "",   "brought by an operation") \
    X(RK_TENSOR_AGAIN,        "a",  "... by its recomputation") \
    X(RK_TENSOR_GRADIENT,     "d",  "gradient of an activation") \
    X(RK_TENSOR_INPUT,        "x",  "what enters a layer: tokens, or what a message brought") \
    X(RK_TENSOR_INPUT_GRADIENT, "dx", "gradient of it") \
    X(RK_TENSOR_WEIGHTS,      "w",  "weights of a layer, or this rank's share of them") \
    X(RK_TENSOR_GATHERED,     "z",  "weights of a layer, gathered for a pass") \
    X(RK_TENSOR_WEIGHT_GRADIENT, "g", "gradients of a layer's weights") \
    X(RK_TENSOR_SHARD,        "s",  "this rank's share of them") \
    X(RK_TENSOR_OPTIMIZER,    "o",  "master copy and moments of a layer") \
    X(RK_TENSOR_AWAY,         "h",  "in a lower memory tier") \
    X(RK_TENSOR_REST,         "r",  "what else goes around: keys and values of others, norms")
/* clang-format on */

#define RK_NAMES_VALUE(value, word, help) value,
enum rk_do { RK_NAMES_do(RK_NAMES_VALUE) RK_DOS };
enum rk_stream { RK_NAMES_stream(RK_NAMES_VALUE) RK_STREAMS };
enum rk_work { RK_NAMES_work(RK_NAMES_VALUE) RK_WORKS };
enum rk_element { RK_NAMES_element(RK_NAMES_VALUE) RK_ELEMENTS };
enum rk_tensor_kind { RK_NAMES_tensor_kind(RK_NAMES_VALUE) RK_TENSOR_KINDS };
#undef RK_NAMES_VALUE

/* Layers are counted through the model; these come before block 0 and after the last one. */
enum { RK_LAYER_EMBEDDING = -1, RK_LAYER_NONE = -2 };

enum { RK_NONE = -1, RK_TASK_NAME = 32, RK_SHAPE_DIMS = 2 };

/* An operation of a kind of layer in a pass: the instructions that name it differ in layer and
 * microbatch alone. */
struct rk_task {
    char name[RK_TASK_NAME]; /* of the operation, as the predictor's: "mlp in" */
    uint16_t op;             /* its row in op.def; 0: no operation of a layer, as the step's */
    char layer[24];          /* the kind of layer, likewise: "block" */
    enum rk_work work;
    double flop, useful_flop; /* useful: of forward, also once more, as model FLOP count */
    double access_bytes;      /* of memory */
    double sent_bytes;        /* by this rank, in all messages and collectives of one instruction */
    double seconds;           /* predicted; of communication that overlaps with computation, the
                                 exposed part */
    double link_s;            /* of communication, all of it */
    double keeps_bytes;       /* held from here on, up to the task of that layer and microbatch that
                                 drops them; as the predictor counts them */
    enum rk_holding holding;  /* ... and where */
    double drops[RK_HOLDING_COUNT];
    double working_bytes;
    double product[4]; /* of matrices: how many, m, n, k; else 0 */
    double parameters; /* that it works with; of forward alone */
    bool expert;       /* ... which are an expert's */
};

/* What instances of a tensor have in common. */
struct rk_form {
    enum rk_tensor_kind kind;
    char name[RK_TASK_NAME]; /* of the operation that brings it; "" of weights and the like */
    enum rk_element element;
    double
        shape[RK_SHAPE_DIMS]; /* rows, columns; what an imbalance makes uneven may be fractions */
    double bytes;
};

struct rk_tensor {
    uint32_t form;
    int32_t layer, microbatch; /* RK_NONE: of all */
    uint32_t number;           /* tells those apart that agree in all of that */
    int32_t first, last;       /* instructions that allocate and free it; RK_NONE: lasting */
};

/* Ranks that an instruction communicates with, in the order of their parts. */
struct rk_group {
    char name[24]; /* "tensor" */
    uint32_t ranks;
    uint32_t *rank; /* (ranks) */
};

struct rk_instruction {
    uint8_t what, stream, work; /* enum rk_do, rk_stream, rk_work */
    uint8_t element;            /* of communication: enum rk_element */
    uint16_t chunk;
    uint16_t reads, writes; /* how many tensors */
    int32_t layer;
    int32_t microbatch; /* RK_NONE: none */
    int32_t task;       /* RK_NONE: none */
    uint32_t tensors;   /* in program.reference: first those read, then those written */
    uint32_t other;     /* collectives: group; send, recv: rank; record, wait: event; alloc, free:
                           tensor */
    uint32_t tag;       /* of messages */
    uint64_t count;     /* elements: of the whole vector of a collective, of a message */
};

/* Arrays belong to the program. */
struct rk_program {
    uint32_t rank, ranks, stage;
    uint32_t layers, predict_layers; /* blocks of the model; layers + i: a prediction layer, and the
                                        head follows them */
    uint32_t microbatches;
    size_t instructions, tensors, tasks, forms, groups, references;
    struct rk_instruction *instruction;
    struct rk_tensor *tensor;
    struct rk_task *task;
    struct rk_form *form;
    struct rk_group *group;
    uint32_t *reference;
};

#define RK_NAMES_PROGRAM(X)     X(do) X(stream) X(work) X(element) X(tensor_kind)
#define RK_NAMES_FUNCTION(list) RK_API const char *rk_program_##list##_name(int value);
RK_NAMES_PROGRAM(RK_NAMES_FUNCTION)
#undef RK_NAMES_FUNCTION

/* Lowers the plan for one rank; of a system of several clusters (machine.h), whose plans have
 * stages of different numbers of ranks, ranks are counted through the stages. RK_NOTHING_FITS when
 * the plan cannot run, RK_UNSUPPORTED when it cannot be lowered, with the reason; RK_NO_MEMORY
 * without memory. Release in any case. */
RK_API enum rk_status rk_program_of(struct rk_program *program, const struct rk_model *model,
                                    const struct rk_system *system, const struct rk_plan *plan,
                                    uint64_t rank, struct rk_error *error);
RK_API void rk_program_release(struct rk_program *program); /* a zeroed program is fine */

/* Ranks whose programs differ in nothing but whom they talk to. */
struct rk_program_class {
    uint64_t first; /* its smallest rank */
    uint64_t ranks;
};

/* The classes, stage by stage; returns how many there are, of which the first `most` are written.
 * Requires a plan that rk_program_of lowers. 0: no memory. */
RK_API size_t rk_program_classes(const struct rk_model *model, const struct rk_system *system,
                                 const struct rk_plan *plan, struct rk_program_class *classes,
                                 size_t most);

/* What a program sums up to; bytes and FLOP of one step of this rank. */
struct rk_program_sums {
    uint64_t instructions[RK_DOS];
    double flop, useful_flop, again_flop; /* again: useful, of forward once more */
    double tensor_sent_bytes, context_sent_bytes, expert_sent_bytes; /* in layers */
    double data_sent_bytes,
        message_bytes;                   /* of gradients and weights, of messages between stages */
    double offload_bytes;                /* to lower memory tiers and back */
    double parameters;                   /* of the rank's layers, before ZeRO divides them */
    double state_bytes;                  /* weights, gradients, optimizer that last */
    double held_bytes[RK_HOLDING_COUNT]; /* from forward to backward: the most of each */
    double live_bytes; /* the most that is allocated at once, in the order of the instructions; like
                          state_bytes without lower memory tiers */
};
RK_API void rk_program_sum(const struct rk_program *program, struct rk_program_sums *sums);

/* Checks one program by itself: each tensor of a microbatch is allocated once, before its uses,
 * written before it is read (the tokens of a batch are there), and freed once, after them; events
 * are recorded before anything waits for them; begin and end alternate. RK_BAD_INPUT with the first
 * instruction that violates this. rk_logs_check (check.h) checks interactions of ranks and of
 * streams. */
RK_API enum rk_status rk_program_check(const struct rk_program *program, struct rk_error *error);

/* What ranks can tell each other before the first step, for a few bytes: the collectives over one
 * group of the program, or the messages to or from one rank, in their order. Of right programs all
 * members of a group have the same number, and so have both ends of messages. */
RK_API uint64_t rk_program_digest(const struct rk_program *program, uint32_t group);
RK_API uint64_t rk_program_digest_messages(const struct rk_program *program, uint32_t rank,
                                           bool received);

/* Text: an instruction a line, the grammar of docs/program.md. The same program gives the same
 * bytes, and what is read is written alike. RK_IO when `out` cannot be written; RK_BAD_INPUT with
 * the line of a text that is none. */
RK_API enum rk_status rk_program_write(const struct rk_program *program, FILE *out,
                                       struct rk_error *error);
RK_API enum rk_status rk_program_read(struct rk_program *program, FILE *in, const char *path,
                                      struct rk_error *error);

/* Writes what one program does and the other does not: lines of `program` with '-', of `other` with
 * '+', each with its number; times, and the numbers of tasks and events, do not count.
 * `differences` is how many lines there are, beyond `most` they are only counted. */
RK_API enum rk_status rk_program_diff(const struct rk_program *program,
                                      const struct rk_program *other, FILE *out, size_t most,
                                      size_t *differences, struct rk_error *error);

/* Writes the name of a tensor as texts have it; returns its length, as snprintf does. */
enum { RK_TENSOR_NAME = 80 };
RK_API int rk_program_tensor_name(const struct rk_program *program, uint32_t tensor, char *text,
                                  size_t size);

#ifdef __cplusplus
}
#endif
#endif
