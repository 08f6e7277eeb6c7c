/* slurm_list.h - lists of names as Slurm writes them: n[0-3,07-08],r[1-2]c[0-3],m1. */
#ifndef RECKON_MACHINES_SLURM_LIST_H
#define RECKON_MACHINES_SLURM_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLURM_NAME = 64, SLURM_MOST_NAMES = 1 << 20 };

/* How many names a list has; -1: it is none, has a name of SLURM_NAME signs and more, or more than
 * SLURM_MOST_NAMES names. */
int64_t slurm_count(const char *list);

/* Calls `visit` for each name, in the order of the list, until it says false, which is then what
 * is returned. Requires slurm_count(list) >= 0. */
typedef bool slurm_visit(void *context, const char *name);
bool slurm_names(const char *list, slurm_visit *visit, void *context);

/* Names that were seen, each with the place where. */
struct slurm_seen {
    char *text; /* the names, each ended by 0 */
    size_t used, text_room;
    struct seen_name {
        size_t at; /* in `text`, + 1; 0: free */
        int place;
    } * slot; /* (slots), a power of two */
    size_t count, slots;
};

/* The place of a name that is there already, else -1 and it is added; -2: no memory. */
int slurm_see(struct slurm_seen *seen, const char *name, int place);
void slurm_seen_release(struct slurm_seen *seen);

#endif
