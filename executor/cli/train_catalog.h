/* train_catalog.h - the arithmetic of models of the catalog, data/model-arithmetic.json. */
#ifndef RECKON_CLI_TRAIN_CATALOG_H
#define RECKON_CLI_TRAIN_CATALOG_H

#include "text/document.h"

#include <reckon/train.h>

/* Is `name` one that the catalog knows, and no file? */
bool train_catalog_has(const char *name);

/* What the config.json of the checkpoint says of the arithmetic of the model `id`; without a
 * model_type where none was released. RK_UNSUPPORTED: nobody has said, or what the catalog does not
 * have. The caller releases it. */
enum rk_status train_catalog_open(const char *id, struct document *said, struct rk_error *error);

/* The numbers that a model's own file says (MODEL_NUMBER of model.def), into `train`. */
void train_catalog_numbers(const struct rk_model *model, struct rk_train *train);

#endif
