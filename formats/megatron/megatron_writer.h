/* megatron_writer.h - the arguments of a launch script that is being written. */
#ifndef RECKON_MEGATRON_MEGATRON_WRITER_H
#define RECKON_MEGATRON_MEGATRON_WRITER_H

#include "megatron/megatron.h"
#include "megatron/megatron_flags.h"

#include <inttypes.h>

#define FLAG(name) MEGATRON_##name##_FLAG

enum array { MODEL, PARALLEL, TRAINING, DATA, ARRAYS }; /* of the script */
enum { MOST_WORDS = 512, WORD_TEXT = 6144 };

struct writer {
    const struct rk_model *m;
    const struct rk_plan *p;
    int version;
    struct notes *notes;
    size_t words;
    char *word[MOST_WORDS];
    bool begins[MOST_WORDS]; /* a flag: on a line of its own */
    enum array array[MOST_WORDS];
    enum array at;
    bool failed; /* no memory */
};

/* An argument with its value, "" of a switch; none where the version has no such argument: reading
 * the script back names what is lost. */
void megatron_put(struct writer *w, enum megatron_flag flag, const char *format, ...)
    RK_PRINTF(3, 4);
void megatron_put_if(struct writer *w, bool condition, enum megatron_flag flag);
void megatron_put_count(struct writer *w, enum megatron_flag flag, uint64_t count);

/* ---- megatron_write_model.c ---- */

void megatron_put_model(struct writer *w);

/* ---- megatron_script.c ---- */

/* The script around the words. */
void megatron_script(FILE *file, const struct writer *w, const struct megatron_target *target);

#endif
