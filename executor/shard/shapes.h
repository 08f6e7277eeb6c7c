/* shapes.h - the shape of a model from the headers of its checkpoint.
 *
 * config.json says what the model is; the shapes of its tensors say what it really has: layers,
 * widths, experts, rows of the vocabulary (often padded), whether there is a head of its own. Where
 * the two differ the files are right, and it is noted. Without config.json the shape is derived
 * from tensors named as llama's.
 */
#ifndef RECKON_SHARD_SHAPES_H
#define RECKON_SHARD_SHAPES_H

#include "shard/store.h"

/* Layers by the numbers in names, where nothing else is known of a model. */
uint64_t shapes_layers(const struct store *store);

#endif
