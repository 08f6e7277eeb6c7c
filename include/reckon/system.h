/* system.h - the machine one rank sees: two engines, a list of memories, a list of networks.
 *
 * Units are SI: bytes, seconds, FLOP/s, bytes/s. memory[0] is the accelerator's own (HBM);
 * memory[1], memory[2], ... are lower tiers (host, CXL, SSD) that tensors can be offloaded to.
 * network[0] is the innermost (NVLink), later ones reach further. system.def says what each number
 * is.
 */
#ifndef RECKON_SYSTEM_H
#define RECKON_SYSTEM_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rk_datatype { RK_FLOAT8, RK_FLOAT16, RK_BFLOAT16, RK_FLOAT32, RK_DATATYPES };

/* "float8", "float16", "bfloat16", "float32"; NULL outside the range. */
RK_API const char *rk_datatype_name(enum rk_datatype datatype);
RK_API double rk_datatype_bytes(enum rk_datatype datatype);

enum { RK_MAX_NETWORKS = 16 }; /* tiers of a system; the loader refuses more */
enum { RK_CURVE_STEPS = 32 };

/* Achieved rate of work of size n: that of the first step whose `from` is <= n. The steps
 * descend and the last one starts at 0. A rate of infinity is allowed (time 0). */
struct rk_curve {
    int steps; /* 0: the datatype is not supported by this engine */
    struct {
        double from;       /* FLOP for engines, bytes for memories */
        double efficiency; /* 0 < efficiency <= 1 */
        double rate;       /* peak * efficiency: FLOP/s or bytes/s */
    } step[RK_CURVE_STEPS];
};

struct rk_engine {
    double peak_flops; /* FLOP/s, dense */
    struct rk_curve curve;
};

struct rk_memory {
    char name[32];
#define MEMORY_NUMBER(member, help) double member;
#define MEMORY_COUNT(member, help)  uint64_t member;
#include <reckon/system.def>
    struct rk_curve curve;
};

enum rk_collective {
    RK_POINT_TO_POINT,
    RK_REDUCE_SCATTER,
    RK_ALL_GATHER,
    RK_ALL_REDUCE,
    RK_COLLECTIVES
};

enum { RK_RATE_DIMS = 4, RK_RATE_KEYS = 8, RK_RATE_SIZES = 8 };

/* Rates of a pass over memory, or of a link, as they were measured, by bytes, ascending. sizes 0:
 * not measured. */
struct rk_stream_rates {
    int sizes;
    double bytes[RK_RATE_SIZES], rate_Bps[RK_RATE_SIZES];
};

enum rk_exchange {
#define LINK_EXCHANGE(name, help) RK_EXCHANGE_##name,
#include <reckon/system.def>
    RK_EXCHANGES
};

/* Parameters of collectives of predict.h on one tier, in addition to size and bandwidth;
 * docs/kernels.md. */
struct rk_link {
#define LINK_NUMBER(member, help) double member;
#define LINK_FLAG(member, help)   bool member;
#include <reckon/system.def>
    struct rk_stream_rates rates; /* instead of bandwidth, efficiency and ramp */
    /* ... and of exchanges, where they were measured one by one: bytes that each rank has for each
     * other one, over the time without the latency; all or none */
    struct rk_stream_rates exchange[RK_EXCHANGES];
};

/* Time of a collective on p ranks, n bytes in all:
 *     latency + (n * scale + n * scale * offset / p) / (bandwidth * efficiency)   [isaev2023] */
struct rk_network {
    char name[32];
#define NETWORK_NUMBER(member, help) double member;
#define NETWORK_COUNT(member, help)  uint64_t member;
#define NETWORK_FLAG(member, help)   bool member;
#include <reckon/system.def>
    struct {
        double scale;
        double offset;
    } collective[RK_COLLECTIVES]; /* [RK_POINT_TO_POINT].offset is 0 */
    struct rk_link link;
};

enum rk_processing {
    RK_NO_OVERLAP, /* an operation takes its FLOP time plus its memory time */
    RK_ROOFLINE    /* the longer of the two */
};

/* Rates of attention as they were measured: forward and backward, FLOP that a query and the keys it
 * sees need, by head dimension and by mean keys of a query, both ascending. dims 0: not measured.
 */
struct rk_attention_rates {
    int dims, keys;
    double dim[RK_RATE_DIMS], key[RK_RATE_KEYS];
    double rate_FLOPps[2][RK_RATE_DIMS][RK_RATE_KEYS];
};

enum rk_kernel {
    RK_KERNEL_BY_BYTES, /* nothing is known but what it reads and writes */
#define KERNEL_ELEMENT(name, help) RK_KERNEL_##name,
#include <reckon/system.def>
    RK_KERNELS
};

/* What predictions (predict.h) need to know of an accelerator's kernels. One set an accelerator:
 * data/systems/ has them, with source or fit; docs/kernels.md what they mean. */
struct rk_kernels {
#define KERNEL_COUNT(member, help)     uint64_t member;
#define KERNEL_NUMBER(member, help)    double member;
#define KERNEL_PAIR(member, help)      double member[2];
#define KERNEL_SET(member, list, help) unsigned member; /* 1 << enum rk_##list */
#include <reckon/system.def>
    struct rk_attention_rates attention_rates; /* instead of the constants above */
    struct rk_stream_rates optimizer_rates;    /* instead of the memory's bandwidth */
    struct rk_stream_rates memory_rates;       /* likewise, of memory-bound kernels */
    /* ... and of those, where they were measured one by one, the time of an element, forward and
     * backward; forward 0: not measured */
    double element_s[RK_KERNELS][2];
};

/* What one accelerator is: its engines, kernels and memories. The array is owned by the system. */
#define RK_DEVICE_MEMBERS                                                                          \
    enum rk_processing processing;                                                                 \
    struct rk_engine matrix[RK_DATATYPES];                                                         \
    struct rk_engine vector[RK_DATATYPES];                                                         \
    struct rk_kernels kernels;                                                                     \
    struct rk_kernels busy; /* the same while `busy_devices` of a node compute at once */          \
    uint64_t busy_devices;  /* 0: not measured, as one alone */                                    \
    int memories;                                                                                  \
    struct rk_memory *memory; /* (memories), at least 1 */

struct rk_device {
    RK_DEVICE_MEMBERS
};

/* Devices, all of one kind, and the networks that join them: system.memory is
 * system.device.memory. `memory` and `network` are owned by the struct; see rk_system_release. */
struct rk_system {
    char id[256]; /* an id of the catalog, a path or the one-line description; cut when longer */
    uint64_t devices; /* accelerators there are; 0: as many as the strategy asks for */
    char price[24];   /* US dollars of an accelerator for an hour, "3.2", or an offer of the list of
                         prices; "": not said. Not a part of the id. Over several clusters each has
                         its   own: machine->cluster[i].price_USDph */
    union {
        struct rk_device device;
        RK_UNNAMED struct {
            RK_DEVICE_MEMBERS
        };
    };
    int networks;
    struct rk_network *network; /* (networks), 1 to RK_MAX_NETWORKS */
    struct rk_machine *machine; /* NULL: one cluster. Of several (machine.h): their owner, and what
                                   stands above is the first's, but for id and devices */
};

/* Rates of a lower memory, each way, and what its drives can be written in all; infinity: no limit.
 */
static inline double rk_memory_read_Bps(const struct rk_memory *memory)
{
    return memory->read_Bps > 0 ? memory->read_Bps : memory->bandwidth_Bps;
}
static inline double rk_memory_write_Bps(const struct rk_memory *memory)
{
    return memory->write_Bps > 0 ? memory->write_Bps : memory->bandwidth_Bps;
}
RK_API double rk_memory_endurance_bytes(const struct rk_memory *memory);

/* Recomputes curve->step[].rate from `peak` and the efficiencies. */
RK_API void rk_curve_set_peak(struct rk_curve *curve, double peak);

/* A deep copy. RK_NO_MEMORY when there is no memory. */
RK_API enum rk_status rk_system_copy(struct rk_system *to, const struct rk_system *from,
                                     struct rk_error *error);

/* Frees the arrays and clears the struct; a zeroed struct is fine. */
RK_API void rk_system_release(struct rk_system *system);

#ifdef __cplusplus
}
#endif
#endif
