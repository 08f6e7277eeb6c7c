/* memory_report.h - what a run says of its memory when it breaks: the message of PyTorch's
 * OutOfMemoryError within a traceback, the table of torch.cuda.memory_summary(), a memory snapshot
 * (torch.cuda.memory._dump_snapshot()).
 *
 * A snapshot is a pickle: it is read as data. Of its opcodes those that make numbers, texts, lists
 * and dictionaries are known; one that would name or call anything is refused. Bytes throughout; 0
 * where a report does not say it. Sources: c10/cuda/CUDACachingAllocator.cpp and
 * torch/cuda/memory.py of PyTorch 1.8 to 2.9.
 */
#ifndef RECKON_LOGS_MEMORY_REPORT_H
#define RECKON_LOGS_MEMORY_REPORT_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum memory_report_kind { MEMORY_UNKNOWN, MEMORY_TRACEBACK, MEMORY_SUMMARY, MEMORY_SNAPSHOT };

enum { MEMORY_GROUPS = 12, MEMORY_WHERE = 160 };

struct memory_group { /* live blocks of a snapshot by the line that asked for them */
    char where[MEMORY_WHERE];
    double bytes;
    size_t blocks;
};

struct memory_report {
    enum memory_report_kind kind;
    double asked_bytes;    /* that there was no room for */
    double capacity_bytes; /* of the device */
    double free_bytes;
    bool frees;               /* it says what is free */
    double process_bytes;     /* this process, context and libraries too; 0: NVML saw no process */
    double allocated_bytes;   /* tensors; of a summary the peak */
    double reserved_bytes;    /* by the allocator, tensors and what it keeps; likewise */
    double retries, failures; /* a summary: allocations after a flush, that failed */
    char where[MEMORY_WHERE]; /* a traceback: the innermost line outside of PyTorch */
    bool frames;              /* a snapshot: its blocks know who asked for them */
    size_t groups;            /* the largest first; the last may be all others */
    struct memory_group group[MEMORY_GROUPS];
};

/* Is it one of the three? */
enum memory_report_kind memory_report_is(const void *bytes, size_t size);

/* `path` is for messages. RK_BAD_INPUT: none of the three, or damaged; RK_NO_MEMORY. */
enum rk_status memory_report_read(const void *bytes, size_t size, const char *path,
                                  struct memory_report *report, struct rk_error *error);

#endif
