/* model_fields.h - the keys of model files as a table, for whoever reads, writes or shows them. */
#ifndef RECKON_CATALOG_MODEL_FIELDS_H
#define RECKON_CATALOG_MODEL_FIELDS_H

#include "text/fields.h"
#include <jansson.h>
#include <reckon/model.h>

/* Offsets are those of struct rk_model; ended by key NULL. */
extern const struct field model_fields[];

/* Sets what follows from other members (head_dim, expert_feedforward) and refuses shapes that
 * contradict themselves or are too large to count exactly: RK_BAD_INPUT at `root`, or at its
 * member where it has the key. */
enum rk_status model_check(const struct place *root, struct rk_model *model,
                           struct rk_error *error);

/* A member by its row, as a number: an index for FIELD_CHOICE, 0 or 1 for FIELD_BOOL. Only for
 * rows that model_field_counts. */
bool model_field_counts(const struct field *field);
uint64_t model_field_value(const struct rk_model *model, const struct field *field);

/* A member that is a text; NULL for rows that are none of a model's. */
const char *model_field_text(const struct rk_model *model, const struct field *field);

/* One of MODEL_NUMBER. */
double model_field_number(const struct rk_model *model, const struct field *field);

/* Do two models say the same by this row? */
bool model_fields_equal(const struct rk_model *a, const struct rk_model *b,
                        const struct field *field);

/* Does the member differ from what a file that lacks the key gives? */
bool model_field_given(const struct rk_model *model, const struct field *field);

/* The model as the text of a model file: name and description unless NULL, the keys in the order of
 * the table that a file needs to mean this model, and the sources. The caller frees it; NULL when
 * there is no memory. What it holds loads as the same shape. */
char *model_text(const struct rk_model *model, const char *name, const char *description,
                 const char *const *sources, size_t source_count);

/* ... with the config.json that it was imported from, which says more than a shape; unless NULL. */
char *model_text_config(const struct rk_model *model, const char *name, const char *description,
                        const json_t *config, const char *const *sources, size_t source_count);

#endif
