/* facts.h - lists of facts, kept to be judged more than once. */
#ifndef RECKON_FACTS_FACTS_H
#define RECKON_FACTS_FACTS_H

#include "facts/fact.h"
#include "facts/rules.h"
#include "facts/unread.h"

struct facts {
    size_t count;
    struct fact *fact;     /* (count), owned */
    struct unread *unread; /* what nothing reads of the rows is added to it; may be NULL */
    /* Called now and then while rows are added, as struct rk_query has it; may be NULL. */
    bool (*progress)(void *context, uint64_t done, uint64_t total, double best_s);
    void *context;
};

/* Adds a fact for each row. RK_NO_MEMORY: no memory; RK_INTERRUPTED: stopped by progress(). */
enum rk_status facts_add(struct facts *facts, const struct csv *csv, const struct rules *rules,
                         struct rk_error *error);

/* The same for a file. */
enum rk_status facts_load(struct facts *facts, const char *path, const struct rules *rules,
                          struct rk_error *error);
void facts_release(struct facts *facts); /* a zeroed list is fine */

#endif
