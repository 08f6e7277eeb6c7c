/* hf.h - the shape of a model from the config.json of Hugging Face transformers.
 *
 * Such files leave much to the library's code: what a key's absence means, and what every model of
 * a type has. All that is taken from there is noted, as is what the file says and an estimate does
 * not follow. Both spellings of keys are read, of transformers 4 and 5.
 *
 * RK_BAD_INPUT with line and column: a type that is not known, a missing key that the shape needs,
 * a value of the wrong type or range, and a key that the type has not and that would change shape,
 * count or cost. Other unknown keys are no errors, since files are full of them: they are noted.
 */
#ifndef RECKON_HUGGINGFACE_HF_H
#define RECKON_HUGGINGFACE_HF_H

#include "huggingface/hf_import.h"
#include "huggingface/hf_types.h"
#include "text/document.h"
#include <reckon/model.h>

/* A file as Python writes it: NaN and Infinity, which JSON has not, are texts. Else document_load.
 */
enum rk_status hf_document_load(const char *path, struct document *document,
                                struct rk_error *error);

/* `id` becomes the model's. `import` is untouched on failure. */
enum rk_status hf_read(const struct document *document, const char *id,
                       const struct hf_options *options, struct hf_import *import,
                       struct rk_error *error);

#endif
