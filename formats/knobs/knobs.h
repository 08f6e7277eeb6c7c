/* knobs.h - the keys of other tools' configurations that change time or memory and neither batch
 * nor result: what each single one would bring, the best of them together, and the text changed so.
 *
 * A change is tried by reading the file once more with the key set (config_source.sets), so that
 * the reader has the last word on what the tool makes of it, and by predicting the plan. Only
 * changes that keep the GPUs, the samples and tokens of a step and the precision count; a key that
 * shares them, as gradient accumulation, is changed with it.
 */
#ifndef RECKON_KNOBS_KNOBS_H
#define RECKON_KNOBS_KNOBS_H

#include "keys/reader.h"
#include <reckon/predict.h>
#include <reckon/system.h>

enum { KNOB_KEY = 80, KNOB_TEXT = 48, KNOB_KEYS = 2, KNOB_CHANGES = 12, KNOB_SINGLES = 64 };

/* One key with another value. */
struct knob_set {
    char key[KNOB_KEY], before[KNOB_TEXT],
        after[KNOB_TEXT]; /* before "": the file has no such key */
    int line;             /* of the file; 0: it is new */
    const char *what;     /* as of the change; static storage */
};

/* What one knob brings: a key, and the one that goes with it. */
struct knob_change {
    int sets;
    struct knob_set set[KNOB_KEYS];
    const char *what; /* "recompute less"; static storage */
    struct rk_plan plan;
    double step_s, total_bytes; /* of the fullest stage */
};

struct knob_file {
    const struct plan_format *format;
    const struct config_source *source;
    size_t size; /* of the text */
    bool script; /* a shell script that starts the tool: run_script.h */
    const struct rk_model *model;
    const struct rk_system *system;
    double usable_bytes; /* of a GPU: what plans may need */
};

/* Does a plan of this prediction need no more of the device than `usable_bytes`, and fit otherwise?
 * They may be more than it has: a run that is predicted to need so much, and runs. */
bool knobs_holds(const struct rk_prediction *prediction, double usable_bytes);

/* All knobs that make a step shorter than `step_s` and fit, the most first; the best value of each.
 * Returns how many, at most KNOB_SINGLES. */
int knobs_try(const struct knob_file *file, double step_s, struct knob_change *changes);

struct knob_best {
    int sets;
    struct knob_set set[KNOB_CHANGES];
    struct rk_plan plan; /* the file's own where nothing is better */
    double step_s;
    size_t tried;
};

/* Goes from the file to better ones, knob by knob and by pairs of knobs, until none is better: the
 * best that its keys can say, as far as such steps lead. RK_NO_MEMORY: no memory. */
enum rk_status knobs_best(const struct knob_file *file, struct knob_best *best,
                          struct rk_error *error);

/* The text of the configuration with these keys set, each in its place, new ones next to their
 * neighbours; read once more, it must give `plan`. The caller frees it. RK_BAD_INPUT: a key cannot
 * be changed where it stands. */
enum rk_status knobs_write(const struct knob_file *file, const struct knob_set *set, int sets,
                           const struct rk_plan *plan, char **text, struct rk_error *error);

/* The i-th key that is tried, its format and its values, "a|b", of which "x2", "/2" and "batch" are
 * numbers; NULL: there are no more. */
const char *knobs_key(int i, const char **format, const char **values);

/* ---- knob_edit.c ---- */

/* A text of YAML, JSON or TOML with a key set; NULL: it cannot be, or there is no memory. */
char *knob_edit(const char *path, const char *text, const struct knob_set *set);

#endif
