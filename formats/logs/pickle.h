/* pickle.h - a pickle of Python as data: None, numbers, texts, lists, tuples and dictionaries.
 *
 * Nothing is imported or called: opcodes that would are refused. Protocols 2 to 5, as the
 * documentation of Python's pickletools describes them.
 */
#ifndef RECKON_LOGS_PICKLE_H
#define RECKON_LOGS_PICKLE_H

#include <reckon/status.h>
#include <stddef.h>
#include <stdint.h>

enum pickle_type { PICKLE_NONE, PICKLE_NUMBER, PICKLE_TEXT, PICKLE_LIST, PICKLE_DICT };

struct pickle_value {
    enum pickle_type type;
    double number;    /* also of True, False */
    const char *text; /* (length), not ended by 0; within the caller's bytes */
    size_t length;
    size_t count, room; /* of a list; of a dictionary keys and values in turn */
    struct pickle_value **item;
};

struct pickle {
    struct pickle_value *root; /* lives until pickle_release */
    struct pickle_memory *memory;
};

/* Texts point into `bytes`. A value may stand in several places, of damaged files within itself:
 * look as deep as is expected and no deeper. Release in any case. */
enum rk_status pickle_read(const void *bytes, size_t size, const char *path, struct pickle *pickle,
                           struct rk_error *error);
void pickle_release(struct pickle *pickle);

/* The value of a key of a dictionary; NULL: none, or no dictionary. */
const struct pickle_value *pickle_member(const struct pickle_value *value, const char *key);

#endif
