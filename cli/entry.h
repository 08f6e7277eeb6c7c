/* entry.h - what a catalog entry says about itself, in a report. */
#ifndef RECKON_CLI_ENTRY_H
#define RECKON_CLI_ENTRY_H

#include "catalog/catalog.h"
#include "report/report.h"
#include <reckon/model.h>

/* As catalog_describe; standard input, which can be read but once, describes as nothing. */
enum rk_status entry_describe(enum catalog_kind kind, const char *name, struct catalog_entry *entry,
                              struct rk_error *error);

/* Text: "id: name", description, file. JSON: "entry". */
void entry_headline(struct report *report, const struct catalog_entry *entry);

/* Text and JSON: the table "sources". */
void entry_sources(struct report *report, const struct catalog_entry *entry);

/* What describe_model, whose record must be the last of the report, leaves out: the active
 * parameters and the keys that GPT-style models do without. Text: those that the model has. JSON:
 * all of them, as members of that record. */
void entry_shape(struct report *report, const struct rk_model *model);

#endif
