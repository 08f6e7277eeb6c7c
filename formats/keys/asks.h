/* asks.h - all that a file lacks, in one message: what asks for a value is read again with
 * something in its place, until nothing more is asked for. */
#ifndef RECKON_KEYS_ASKS_H
#define RECKON_KEYS_ASKS_H

#include <reckon/status.h>
#include <stddef.h>
#include <stdint.h>

enum { ASKS_MOST = 64, ASKS_SETS = 256 };

/* What a reader is told besides the file. */
struct asks {
    const char *path; /* of the file, as messages name it */
    const char *sets[ASKS_SETS], *ignored[ASKS_SETS];
    size_t set_count, ignored_count;
    uint64_t gpus, vocabulary; /* 0: as the file says */
    int variant;               /* likewise */
    const char *model;         /* NULL: the file's */
};

/* Those of a caller, as far as there is room. */
struct asks asks_of(const char *path, const char *const *sets, size_t set_count,
                    const char *const *ignored, size_t ignored_count);

typedef enum rk_status asks_reader(void *of, const struct asks *with, struct rk_error *error);

/* `error` is that of a reading with what is `given`. Where it asks for a value ("give --set
 * X=VALUE") and others are missing, too, its text names them, and then all the options in one line.
 */
void asks_tell_all(asks_reader *read, void *of, const struct asks *given, struct rk_error *error);

#endif
