/* hosts.h - memory of nodes, data/hosts.json: the host memory assumed for a system whose file has
 * no second memory tier. */
#ifndef RECKON_CATALOG_HOSTS_H
#define RECKON_CATALOG_HOSTS_H

#include <reckon/plan.h>
#include <reckon/system.h>

struct host {
    char accelerator[48];        /* ids of systems begin so */
    double node_bytes, link_Bps; /* of a node; of an accelerator, each way */
    double kept_share;           /* of a node's memory, for its operating system */
    double usable_bytes;         /* the rest, whole GiB: host_of() */
    double node_Bps;             /* of a node's memory */
    uint64_t accelerators;       /* of a node */
    char source[256];
};

/* The host of the system's nodes, with so many accelerators in all; false: nobody knows it, or the
 * system has a second memory. Memory that is said of one accelerator is there for each of a node,
 * whose processors they share. */
bool host_of(const struct rk_system *system, uint64_t ranks, struct host *host);

/* The same of a system that says what memory it has. */
bool host_listed(const struct rk_system *system, struct host *host);

/* Accelerators of a node of the system; 0: not known, or nodes of several sizes. */
uint64_t host_node_size(const struct rk_system *system);

/* How many there are where nobody says how many are used: what the system says; one, where a
 * machine of this accelerator has one, as a workstation; 0: nobody knows. */
uint64_t host_gpus(const struct rk_system *system);

/* "mem2=2048GiB@50GB/s,update=614GB/s,capacity_shared_by=8": a word of the system's line. Returns
 * `text`. */
enum { HOST_WORD = 256 };
const char *host_word(const struct host *host, char text[static HOST_WORD]);

/* The system of that line with the host's memory. Release it. */
enum rk_status host_load(const struct host *host, const char *line, struct rk_system *system,
                         struct rk_error *error);

/* "host memory 2 TiB per node of 8 at 50 GB/s each": what is assumed. Returns `text`. */
const char *host_note(const struct host *host, char text[static HOST_WORD]);

/* `made` is the system of that line with the host's memory for so many accelerators in all, under
 * the id of the system, to be released; id "": there is none, as of several clusters, of standard
 * input, of a host that nobody knows. */
enum rk_status host_join(const char *line, const struct rk_system *system, uint64_t ranks,
                         struct rk_system *made, struct rk_error *error);

/* Does it keep anything in memory tier 1, or what the driver moves there? */
bool host_wanted(const struct rk_plan *plan);

/* Where the plan offloads and the system of that line has one memory whose host is known: `made` is
 * the system with it, to be released, and `note` says what was assumed. `*taken` false: neither is
 * touched. */
enum rk_status host_take(const struct rk_plan *plan, const char *line,
                         const struct rk_system *system, struct rk_system *made, bool *taken,
                         char note[static HOST_WORD], struct rk_error *error);

/* The same in place of *system; of a memory that is stated `note` has the processors that are
 * assumed. It is left alone where nothing is. */
enum rk_status host_add(const struct rk_plan *plan, const char *line, struct rk_system *system,
                        char note[static HOST_WORD], struct rk_error *error);

#endif
