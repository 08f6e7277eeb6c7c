/* number_list.h - lists of numbers as people ask for several sizes at once.
 *
 * Items with commas between them, each a number or a run of them (base/lists.h): "512,1024"
 * are two; "1024..16384" doubles: 1024, 2048, ..., 16384; "1024..65536x4" goes by factors of four,
 * "1024..4096+512" by steps; "2^10..2^14" is the first run again.
 */
#ifndef RECKON_CLI_NUMBER_LIST_H
#define RECKON_CLI_NUMBER_LIST_H

#include <reckon/status.h>
#include <stdint.h>

enum { NUMBER_LIST_MAX = 256 };

struct number_list {
    int count;
    uint64_t value[NUMBER_LIST_MAX]; /* in the order given, each once */
};

/* Appends what `text` lists, all from 1 to 2^53; `name` heads messages. RK_BAD_ARGUMENT when it is
 * wrong or more than there is room for. */
enum rk_status number_list_parse(const char *name, const char *text, struct number_list *list,
                                 struct rk_error *error);

#endif
