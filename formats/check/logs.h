/* logs.h - operations of all ranks, as they are kept: made for 10^7 of them.
 *
 * A rank's streams are queues. Once all is read, its operations are put in the order of streams, so
 * that a number orders those of one stream; `first` of a stream to `first` of the next are its own.
 */
#ifndef RECKON_CHECK_LOGS_H
#define RECKON_CHECK_LOGS_H

#include <reckon/check.h>

enum { LOG_STREAMS = 250, LOG_NONE = UINT32_MAX };

/* Names of one rank, numbered as they come. */
struct names {
    uint32_t count, slots;
    uint32_t *at;   /* (count) in `text` */
    uint32_t *slot; /* (slots) number + 1; a power of two of them */
    char *text;
    size_t used, size;
};

struct operation {
    uint8_t kind, stream, datatype;
    bool grouped; /* starts together with the one in front of it on its stream */
    uint32_t line;
    uint32_t other;  /* group; peer; name of what is run, event or buffer */
    uint32_t lane;   /* collectives and messages: of the rank's lanes */
    uint32_t turn;   /* ... which one of it; wait: its record; record: its clock */
    uint32_t access; /* first of the rank's accesses: reads, then writes */
    uint16_t reads, writes;
    int32_t tag;
    bool redistributes; /* between layers or stages of other layouts; of programs */
    uint64_t count;
};

/* Operations of a rank that are told apart by their turn: of one group, or to or from one peer. */
struct lane {
    uint32_t group; /* LOG_NONE: messages */
    uint32_t peer;
    int32_t tag; /* where the transport has them */
    bool receives;
    uint32_t twin; /* the peer's lane of the other direction, in the replay; LOG_NONE: none */
    uint32_t count;
    uint32_t *turn; /* (count) operations, by number after log_arrange() */
};

struct rank_log {
    double flop; /* of all operations */
    uint32_t count;
    struct operation *operation;
    uint32_t accesses;
    uint32_t *access; /* names of buffers */
    struct names names;
    uint32_t streams;
    uint32_t stream_name[LOG_STREAMS]; /* number of a name + 1; 0: the one without a name */
    uint32_t *first;                   /* (streams + 1), valid after log_arrange() */
    uint32_t lanes, last_lane, lane_slots;
    struct lane *lane;
    uint32_t *lane_slot; /* (lane_slots) number + 1; a power of two of them */
    uint32_t *record;    /* (records) the last one of each event, while it is read */
    uint32_t records;
    bool open, open_all; /* a begin without its end; one without a stream */
    uint8_t open_stream;
    bool follows[LOG_STREAMS]; /* the next one on the stream starts with the one before */
};

struct group {
    uint32_t first, count; /* in logs->member */
    uint32_t hash;
};

struct rk_logs {
    uint32_t ranks;
    struct rank_log *rank; /* (ranks) */
    uint32_t groups, group_slots;
    struct group *group;
    uint32_t *group_slot;
    uint32_t members;
    uint32_t *member;
    struct names datatypes, group_texts;
    size_t group_of_room;
    uint32_t *group_of; /* (group_texts) the group of each text */
};

/* The number of a text, new or not; LOG_NONE: no memory. */
uint32_t names_number(struct names *names, const char *text, size_t length);
const char *names_text(const struct names *names, uint32_t number);
void names_release(struct names *names);

/* The lane of a group, or of messages; NULL: there is none. */
struct lane *lane_of_group(struct rank_log *log, uint32_t group);
struct lane *lane_of_peer(struct rank_log *log, uint32_t peer, bool receives, int32_t tag);

/* Pieces of an operation that is being added. */
struct piece {
    const char *at;
    size_t length;
};
struct pieces {
    enum rk_log_kind kind;
    uint32_t line;
    struct piece name, stream, datatype;
    bool has_stream;
    uint32_t group, peer; /* of a group: its number */
    int64_t tag;
    uint64_t count;
    bool redistributes;
    double flop;
};

/* Adds the operation without its accesses, which follow by log_access, reads first. */
enum rk_status log_add(struct rk_logs *logs, uint32_t rank, const struct pieces *pieces,
                       struct rk_error *error);
enum rk_status log_access(struct rk_logs *logs, uint32_t rank, const char *buffer, size_t length,
                          bool writes, struct rk_error *error);

/* The number of a group of these ranks in this order; LOG_NONE: no memory. */
uint32_t log_group(struct rk_logs *logs, const uint32_t *member, uint32_t members);

const char *log_word(enum rk_log_kind kind);
static inline bool is_collective(int kind)
{
    return kind >= RK_LOG_ALL_REDUCE && kind <= RK_LOG_BROADCAST;
}
static inline bool is_message(int kind)
{
    return kind == RK_LOG_SEND || kind == RK_LOG_RECV;
}

/* ---- the checks ---- */

/* "all_reduce 0,1 bf16 1048576" */
enum { LOG_TEXT = 112 };
const char *log_describe(const struct rk_logs *logs, uint32_t rank, uint32_t operation,
                         char text[static LOG_TEXT]);
struct rk_finding *log_blame(const struct rk_logs *logs, struct rk_findings *findings,
                             const char *rule, uint32_t rank, uint32_t operation);

/* 7.members, 7.match, 7.pairs; log_match.c */
enum rk_status log_match(struct rk_logs *logs, const struct rk_logs_options *options,
                         struct rk_findings *findings, struct rk_error *error);

/* 7.deadlock, 10.*; log_replay.c */
enum rk_status log_replay(struct rk_logs *logs, const struct rk_logs_options *options,
                          struct rk_findings *findings, struct rk_error *error);

/* ---- the replay, for its parts ---- */

/* Where each stream is. What is at the head of a stream has begun: an operation, or those that
 * start together. */
struct replay {
    struct rk_logs *logs;
    const struct rk_logs_options *options;
    struct rk_findings *findings;
    uint32_t *first_stream;    /* (ranks + 1) */
    uint32_t *first_op;        /* (ranks + 1) numbers of operations over all ranks */
    uint32_t *rank_of;         /* (streams) */
    uint32_t *head;            /* (streams) the first operation that has not ended */
    uint32_t *pending;         /* (streams) of those at the head */
    uint32_t *time;            /* (operations) when it ended, from 1 on; 0: not yet */
    uint32_t *link;            /* (operations) chains of those that wait for one thing */
    uint32_t *first_call;      /* (groups + 1) instances of collectives */
    uint32_t *arrived, *chain; /* (instances) */
    uint32_t *size;            /* (groups) different members */
    uint32_t streams, now;
    uint32_t *ready; /* a stack of streams */
    uint32_t readies;
    bool *is_ready;
    struct races *races;
};

/* The end of what starts together with operation `head` of a rank. */
uint32_t replay_end(const struct rank_log *log, uint32_t head);

/* The other end of a message; LOG_NONE: there is none. */
uint32_t replay_partner(const struct replay *r, uint32_t rank, const struct operation *op);

/* 7.deadlock of what is left; log_deadlock.c */
void replay_deadlock(const struct replay *r);

/* 10.*; log_races.c. NULL: no memory. */
struct races *races_new(const struct rk_logs *logs);
void races_release(struct races *races, const struct rk_logs *logs);

/* What starts at the head of a stream is about to begin; and has ended, up to `end`. False: no
 * memory. */
bool races_begin(struct replay *r, uint32_t rank, uint32_t stream, uint32_t head, uint32_t end);
void races_end(struct replay *r, uint32_t rank, uint32_t stream, uint32_t end);

/* A record, a wait has ended. */
bool races_record(struct replay *r, uint32_t rank, uint32_t operation);
void races_wait(struct replay *r, uint32_t rank, uint32_t operation);

#endif
