/* read_names.h - tensors and groups of a program's text by name. */
#ifndef RECKON_PROGRAM_READ_NAMES_H
#define RECKON_PROGRAM_READ_NAMES_H

#include <reckon/program.h>

struct reader {
    struct rk_program *p;
    const char *path;
    struct rk_error *error;
    int line;
    int32_t *task_of; /* (ops) the task of each number in the text; RK_NONE: none yet */
    size_t ops;
    uint32_t *slot; /* (slots) of a hash table of names of tensors: number + 1 */
    char **name;    /* (tensors) */
    size_t slots;
};

enum rk_status program_read_add_tensor(struct reader *r, const char *name);

enum rk_status program_read_find_tensor(struct reader *r, const char *name, uint32_t *tensor);

enum rk_status program_read_find_group(struct reader *r, const char *text, const char *name,
                                       uint32_t *group);

enum rk_status program_read_fail(struct reader *r, const char *what, const char *word);

int program_read_find_word(const char *(*name)(int), const char *word);

/* As it is written: "06" would be another name of what "6" names. */
bool program_read_read_whole(const char *text, uint64_t most, uint64_t *number);

/* The word as tables have it: blanks come back; commas are in no word that is written. */
void program_read_spell(char *to, size_t room, const char *from);

bool program_read_read_layer(const struct rk_program *p, const char *text, int32_t *layer);

#endif
