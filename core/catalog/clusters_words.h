/* clusters_words.h - a plan over clusters in one line, stage by stage. */
#ifndef RECKON_CATALOG_CLUSTERS_WORDS_H
#define RECKON_CATALOG_CLUSTERS_WORDS_H

#include "clusters/given.h"

#include <stddef.h>

/* "gbs64 round4; new: 10 layers tp8 dp2 mbs2; old: 22 layers ..."; what does not fit is cut, and
 * ends in "...". */
void clusters_words_of(const struct clusters_question *question, const struct given_plan *plan,
                       char *text, size_t size);

/* "new, old": the clusters in the order of the stages. */
void clusters_order_of(const struct rk_machine *machine, const struct given_plan *plan, char *text,
                       size_t size);

#endif
