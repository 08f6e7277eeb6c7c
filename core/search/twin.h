/* twin.h - a question put to one plan at a time through its predictor: the oracle of the engine. */
#ifndef RECKON_SEARCH_TWIN_H
#define RECKON_SEARCH_TWIN_H

#include "search/question.h"

/* RK_OK, or RK_NO_MEMORY when there is no memory. One thread. */
enum rk_status ask_twin(const struct question *question, const struct rk_query *query,
                        struct rk_answer *answer, struct rk_error *error);

#endif
