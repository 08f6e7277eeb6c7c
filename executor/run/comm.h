/* comm.h - ranks that talk to each other: messages, and collectives made of them.
 *
 * A back end brings three functions: post a message, receive one, wait until one has been taken.
 * Collectives are the same code over all of them: parts are exchanged in pairs and summed in the
 * order of the ranks, so that threads and MPI bring the same bits for any number of ranks. Beyond
 * eight ranks what is gathered, and small sums, take O(log n) messages of a rank; parts of large
 * sums, which are n - 1 different ones, go to each rank alone, for bytes are what they cost.
 *
 * A receive names what it expects; a message of another name or size, a peer that has failed, and
 * one that does not come within the limit are errors that name both sides. The first error of a
 * rank ends all of them: functions return false from then on.
 */
#ifndef RECKON_RUN_COMM_H
#define RECKON_RUN_COMM_H

#include "base/scratch.h"

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message on its way; its buffer stays as it is until comm_wait. */
struct comm_message {
    const void *data;
    size_t bytes;
    const char *what; /* static storage */
    uint32_t tag;
    struct comm_message *next; /* back ends' own */
    int taken, to;
    bool posted;
    void *request;
    bool owned;     /* copied: goes away by itself */
    double clock_s; /* the sender's clock when it was posted; the receiver's when it was taken */
    double met_s;   /* the sender's clock when it came to what the message is part of */
};

/* A rank's virtual clock, as SimGrid's SMPI has it [degomme2017]: computing advances it by its
 * processor time, a message to a latency after the sender's clock, and by the processor time of
 * copying it; other work on the machine does not move it. A step has the same
 * pieces of computing in the same order each time, so that each counts with the least that it has
 * taken in any step so far: for its amount, where that differs from step to step as the tokens of
 * experts do. */
struct comm_clock {
    bool runs;     /* messages carry it: ranks are threads */
    bool begun;    /* what is before the first step is no piece of it */
    double base_s; /* of all steps before */
    double now_s, latency_s;
    double mark_s;           /* processor time that is in it */
    double met_s, latest_s;  /* since comm_clock_meet: then; when the last of the others came */
    double amount;           /* of the piece at hand: rows, bytes; 0: as always */
    double *least_s;         /* of a unit */
    size_t pieces, room, at; /* known; there is room for; of this step, so far */
    uint64_t steps;          /* begun; pieces of the first are another sequence, and forgotten */
};

/* Takes what has come; NULL: copy it to `context`. */
typedef void comm_take(void *context, const void *data, size_t bytes);

struct comm {
    int rank, ranks;
    void *state;
    bool (*post)(struct comm *comm, int to, struct comm_message *message);
    bool (*receive)(struct comm *comm, int from, uint32_t tag, const char *what, size_t bytes,
                    comm_take *take, void *context);
    /* Until it has been taken; when a rank has failed, until nobody will: false. */
    bool (*wait)(struct comm *comm, struct comm_message *message);
    void (*fail)(struct comm *comm, const struct rk_error *error); /* tells all ranks */
    uint64_t step;         /* under way, from 1 on; errors name it. 0: none */
    bool silent;           /* nobody is there: nothing is sent, what would come is left as it is */
    struct rk_error error; /* of this rank; status RK_OK: none */
    uint64_t sent_bytes;
    double waited_s; /* in receives */
    struct comm_clock clock;
    struct scratch scratch; /* of this rank */
};

void comm_clock_begin(struct comm *comm); /* of a step: from 0 on */
void comm_clock_work(struct comm *comm);  /* adds what has been computed since the last call */
/* Not before `at_s`; what the processor did meanwhile was waiting. */
void comm_clock_wait(struct comm *comm, double at_s);
/* The piece at hand is so many rows or bytes of work. */
void comm_clock_amount(struct comm *comm, double amount);
/* A collective begins here. What passes from now on until the last of those whose messages have
 * come was here, too, is waiting for them: comm_clock_late_s, at the end of it. */
void comm_clock_meet(struct comm *comm);
double comm_clock_late_s(const struct comm *comm);

/* Ranks of a collective, in the order of their parts; `me` is this rank's place. */
struct comm_group {
    int ranks, me;
    int *rank; /* (ranks), owned by whoever made it */
};

enum {
    COMM_COLLECTIVE = 0,
    COMM_MESSAGES = 1,
    COMM_BEGUN = 1 << 20
}; /* tags; messages between stages and collectives in two halves count from there */

/* y += x over `bytes` bytes of whatever numbers they are. */
typedef void comm_add(void *y, const void *x, size_t bytes);

/* `from` to the group's next rank, `to` from the one before. */
bool comm_pass_on(struct comm *comm, const struct comm_group *group, const char *what,
                  const void *from, void *to, size_t bytes);
/* Gathers each rank's `bytes`, in the order of ranks, in `all` on every rank; the own part may be
 * there already. */
bool comm_all_gather(struct comm *comm, const struct comm_group *group, const char *what,
                     const void *part, void *all, size_t bytes);
/* `all` has a part of `bytes` for each rank; `part` becomes the sum of what all ranks have for this
 * one. It must not be within `all`. */
bool comm_reduce_scatter(struct comm *comm, const struct comm_group *group, const char *what,
                         const void *all, void *part, size_t bytes, comm_add *add);
/* In place; `bytes` is a multiple of `unit`, the size of a number. `part` is as large as a part,
 * (bytes / unit + ranks - 1) / ranks numbers. */
bool comm_all_reduce(struct comm *comm, const struct comm_group *group, const char *what,
                     void *data, size_t bytes, size_t unit, void *part, comm_add *add);
/* Part i of `from`, out_bytes[i] bytes from out_at[i] on, goes to rank i; that of rank i comes to
 * in_at[i]. */
bool comm_all_to_all(struct comm *comm, const struct comm_group *group, const char *what,
                     const void *from, const size_t *out_at, const size_t *out_bytes, void *to,
                     const size_t *in_at, const size_t *in_bytes);

/* A reduce-scatter and an all-gather in halves, so that computing continues between them: the first
 * posts what goes to the others, the second takes what they have sent. What goes stays as it is in
 * between; `tag` is of no other collective that is under way between the same ranks. Sums are the
 * same bits. */
struct comm_begun {
    const struct comm_group *group;
    struct comm_message *message; /* (ranks), kept for the next time; NULL: never begun */
    const char *what;
    const void *from;
    size_t bytes; /* of a part */
    uint32_t tag;
    bool open;
};

/* `parts`: each rank is sent its part of `from`, to be summed; else all are sent the one there is.
 */
bool comm_begin(struct comm *comm, struct comm_begun *begun, const struct comm_group *group,
                uint32_t tag, const char *what, const void *from, size_t bytes, bool parts);
bool comm_end_gather(struct comm *comm, struct comm_begun *begun, void *all);
bool comm_end_reduce_scatter(struct comm *comm, struct comm_begun *begun, void *part,
                             comm_add *add);
/* Part by part: nothing is posted yet; the part at `offset` goes to one; that of one comes. */
bool comm_prepare(struct comm *comm, struct comm_begun *begun, const struct comm_group *group,
                  uint32_t tag, const char *what, const void *from, size_t bytes);
bool comm_post_part(struct comm *comm, struct comm_begun *begun, int to, size_t offset);
bool comm_take_part(struct comm *comm, struct comm_begun *begun, int from, void *part);
bool comm_end(struct comm *comm, struct comm_begun *begun);
/* Also of one that is under way, when a rank has failed. */
void comm_begun_release(struct comm *comm, struct comm_begun *begun);

/* A copy of the data is sent; comes back at once. */
bool comm_send(struct comm *comm, int to, uint32_t tag, const char *what, const void *data,
               size_t bytes);
bool comm_receive(struct comm *comm, int from, uint32_t tag, const char *what, void *data,
                  size_t bytes);
bool comm_barrier(struct comm *comm, const struct comm_group *group);
/* What rank 0 says, all say afterwards; they wait for each other. */
bool comm_agree(struct comm *comm, const char *what, char *said);

/* Notes the error, tells the others; returns false. */
bool comm_fail(struct comm *comm, const struct rk_error *error);

/* ---- ranks as threads of this process ---- */

struct comm_hub;

/* `limit_s`: how long a receive waits. NULL when there is no memory. */
struct comm_hub *comm_hub_open(int ranks, double limit_s);
void comm_hub_close(struct comm_hub *hub);
struct comm *comm_hub_rank(struct comm_hub *hub, int rank);

/* The first error of any rank; status RK_OK: none. */
struct rk_error comm_hub_error(struct comm_hub *hub);

#endif
