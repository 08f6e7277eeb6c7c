/* clusters_plan.h - plans over clusters in files, reckon-plan(5):
 *
 *     {"batch": 512, "round": 16, "plan": "zero1 precision=fp16",
 *      "stages": [{"layers": 20, "cluster": "new", "words": "tp4 dp4 recompute=full"},
 *                 {"layers": 12, "parts": [{"cluster": "new", "words": "dp2"},
 *                                          {"cluster": "old", "words": "tp2 dp1"}]}]}
 */
#ifndef RECKON_CATALOG_CLUSTERS_PLAN_H
#define RECKON_CATALOG_CLUSTERS_PLAN_H

#include "catalog/plan_fields.h"
#include "clusters/given.h"
#include <reckon/machine.h>

struct clusters_file {
    struct document document;
    uint64_t batch, round; /* batch 0: not said */
    char words[1024];      /* what all stages have in common; "" */
};

/* It is such a file, not one of a plan's members. */
bool clusters_file_is(const struct document *document);

/* All but the stages. Release in every case; a zeroed one is fine. */
enum rk_status clusters_file_open(const char *path, struct clusters_file *file,
                                  struct rk_error *error);
enum rk_status clusters_file_read(struct clusters_file *file, struct rk_error *error); /* loaded */
void clusters_file_release(struct clusters_file *file);

/* What all stages have in common. */
enum rk_status clusters_file_words(const struct clusters_file *file, struct plan_draft *draft,
                                   struct rk_error *error);

/* The stages; `common` is resolved. */
enum rk_status clusters_file_stages(const struct clusters_file *file, const struct rk_model *model,
                                    const struct rk_machine *machine,
                                    const struct plan_draft *common, struct given_plan *given,
                                    struct rk_error *error);

/* Fails at a stage of the file; `text`: what is wrong with it. */
enum rk_status clusters_file_fail(const struct clusters_file *file, int stage, const char *text,
                                  struct rk_error *error);

#endif
