/* config_words.h - configurations that describe model and run as Megatron-LM's arguments do, under
 * their own names: each key becomes arguments, which are read as those of a script. */
#ifndef RECKON_MEGATRON_CONFIG_WORDS_H
#define RECKON_MEGATRON_CONFIG_WORDS_H

#include "base/number.h"
#include "keys/key_rows.h"
#include "keys/reader.h"
#include "megatron/megatron.h"
#include "shell/shell.h"

/* Values that are given in addition to the arguments. */
struct run {
    uint64_t nodes, devices, gpus, data, tensor, pipeline, context, microbatch, accumulation, batch;
    bool checkpointing, moe_checkpointing, parallel;
    uint64_t every, multiple, width;
    double expansion;
    int zero, host_optimizer, host_weights;
    bool cpu_offload; /* DeepSpeed's name for host_optimizer before 0.3.16 */
    const char *framework, *model, *config;
};

#define AT(member) offsetof(struct run, member)

/* ---- lists of words ---- */

enum { MOST_WORDS = 2048, WORD_BYTES = 1 << 16 };

struct list {
    const struct config_source *source;
    const struct settings *settings;
    struct notes *notes;
    struct rk_error *error;
    size_t count, used;
    struct shell_word word[MOST_WORDS];
    char text[WORD_BYTES];
    bool full;
    bool defaults;      /* the keys at hand are the tool's own presets */
    bool even_pipeline; /* Primus: its zero-bubble patch is off */
    size_t seen;        /* keys of files that came before, which win */
    const char *key[MOST_WORDS];
};

/* The parts that every reader here has; `import` and `list` are too large for a stack. */
struct words_reading {
    struct settings settings;
    struct list list;
    struct megatron_import import;
    struct run run;
};

typedef enum rk_status words_interpreter(struct words_reading *r,
                                         const struct config_source *source,
                                         struct rk_error *error);

/* A word of so many characters, and those that blanks part. `at` may be NULL. */
void words_put(struct list *l, const char *text, size_t length, const struct setting *at);
void words_format(struct list *l, const char *format, ...) RK_PRINTF(2, 3);

/* What the row makes of a setting. */
enum rk_status words_row(struct list *l, const struct key *row, const struct setting *s);

/* Reads the arguments as those of `tool`. */
enum rk_status words_finish(struct list *l, const char *tool, uint64_t gpus,
                            struct megatron_import *import);

/* Reads the settings by the table, then by `interpret`. */
enum rk_status words_read(const struct config_source *source, const struct key_table *table,
                          words_interpreter *interpret, struct rk_model *model,
                          struct rk_plan *plan, struct notes *notes, struct rk_error *error);

#endif
