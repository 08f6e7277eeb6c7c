#include "keys/optimizers.h"

#include <string.h>
#include <strings.h>

static const char like_adam[] = "is estimated as Adam: it stores two values of each parameter, too";

/* Sources: src/levanter/optim of Levanter, optimizers/optimizers.py of MaxText,
 * components/optimizer.py of torchtitan. */
/* clang-format off */
static const struct {
    const char *name;
    enum rk_optimizer optimizer;
    const char *remark;
} optimizers[] = {
    {"adam", RK_ADAM, NULL}, {"adamw", RK_ADAM, NULL}, {"adam_pax", RK_ADAM, NULL},
    {"default_adamw", RK_ADAM, NULL}, {"OptimizersContainer.Config", RK_ADAM, NULL}, {"OptimizerConfig", RK_ADAM, NULL},
    {"adopt", RK_ADAM, like_adam}, {"cautious", RK_ADAM, like_adam},
    {"sophia-h", RK_ADAM, like_adam}, {"sophia-g", RK_ADAM, like_adam},
    {"lion", RK_LION, NULL}, {"sgd", RK_SGD, NULL}, {"muon", RK_MUON, NULL}, {"adafactor", RK_ADAFACTOR, NULL},
    {"rmsprop", RK_MOMENTUM, "is estimated as SGD with momentum: it stores one value of each parameter, too"},
};
/* clang-format on */

enum rk_status optimizer_read(const struct config_source *source, const struct settings *settings,
                              const char *const keys[], struct rk_plan *plan, struct notes *notes,
                              struct rk_error *error)
{
    const struct setting *said = NULL;
    for (int i = 0; !said && keys[i]; i++)
        said = settings_find(settings, keys[i]);
    if (!said || said->null ||
        key_ignored(source->keys.ignored, source->keys.ignored_count, said->key, true))
        return RK_OK;
    for (size_t i = 0; i < sizeof optimizers / sizeof *optimizers; i++) {
        if (strcasecmp(optimizers[i].name, said->text) != 0) continue;
        plan->optimizer = optimizers[i].optimizer;
        if (optimizers[i].remark)
            notes_add(notes, NOTE_WARNING, said->line, said->column, said->key, said->text, "%s",
                      optimizers[i].remark);
        return RK_OK;
    }
    return settings_fail(
        settings, said, error,
        "%.60s stores what plans do not have: give --ignore %.150s to estimate the "
        "run with Adam",
        said->text, said->key);
}
