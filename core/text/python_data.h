/* python_data.h - a function of a Python file that builds a configuration out of literals and calls
 * of classes, as settings; nothing is ever run.
 *
 *     def small() -> Trainer.Config:
 *         config = Trainer.Config(training=TrainingConfig(steps=2 * 5), spec=registry("8B"))
 *         config.training.seed = 1
 *         return config
 *
 * gives training "TrainingConfig", training.steps "10", training.seed "1", spec "registry",
 * spec.0 "8B", and config "small", the function. Followed are assignments of names and members,
 * integer arithmetic, lists, functions of the same file with their arguments, `replace`, and
 * `return`. A value that is none of these has its own text, so that what needs it can ask for it. A
 * statement that may change the configuration in another way (if, for, a call with it) is refused
 * with its line.
 */
#ifndef RECKON_TEXT_PYTHON_DATA_H
#define RECKON_TEXT_PYTHON_DATA_H

#include "text/settings.h"

/* `function` NULL: the only one of the file that builds a configuration; where there are several,
 * the message lists them. `sets` win, as in settings_read. Release the settings in every case. */
enum rk_status python_settings(struct settings *settings, const char *path, const char *text,
                               const char *function, const char *const *sets, size_t set_count,
                               struct rk_error *error);

/* Programs rather than files of one function: what each of these calls is given, wherever it
 * stands, is the settings below its key; the key itself is what was called, "Class.name". Names are
 * those of the file and of the function that the call is in. One that is assigned under a
 * condition, or changed, has the text of that line. No calls: the names of the file are the
 * settings. */
struct python_call {
    const char *name;  /* of a class or function; "Class" is "Class.name", too */
    const char *first; /* its first argument; NULL: any */
    const char *key;
    const char *known; /* by which name functions are handed what this call is given; NULL: none */
    const char *only;  /* the one argument that is a setting; NULL: all */
};

enum rk_status python_calls(struct settings *settings, const char *path, const char *text,
                            const struct python_call *calls, size_t count, const char *const *sets,
                            size_t set_count, struct rk_error *error);

#endif
