/* rates.h - tables of measured rates in a system file, reckon-system(5):
 *
 *     "attention_rates": [[32, 64.5, 41.1, 58.0], ...]   head dimension, mean keys of a query,
 *                                                        GFLOP/s forward and backward
 *     "optimizer_rates": [[0.5, 61.2], ...]              MB read and written, GB/s
 *     "memory_rates": [[0.5, 14.2], ...]                 MB that a kernel reads and writes, GB/s
 *     "element_ns": {"rms_norm": [0.22, 0.67], ...}      time of an element, forward and backward
 *     "rates": [[0.5, 37.1], ...]                        of a link: MB of a stream, GB/s
 *     "exchange_rates": {"send": [[0.5, 8.1], ...], ...} of a link, by what is exchanged: MB for
 * each other rank, GB/s
 *
 * Rows ascend, the first column before the second; each head dimension has the same keys.
 */
#ifndef RECKON_CATALOG_RATES_H
#define RECKON_CATALOG_RATES_H

#include "text/document.h"
#include <reckon/system.h>

enum rk_status attention_rates_load(const struct place *place, void *rates, struct rk_error *error);
enum rk_status stream_rates_load(const struct place *place, void *rates, struct rk_error *error);
enum rk_status exchange_rates_load(const struct place *place, void *rates, struct rk_error *error);
enum rk_status element_times_load(const struct place *place, void *times, struct rk_error *error);

/* As the loaders read them; NULL: no memory. */
json_t *attention_rates_json(const struct rk_attention_rates *rates);
json_t *stream_rates_json(const struct rk_stream_rates *rates);
json_t *exchange_rates_json(const struct rk_stream_rates *rates); /* (RK_EXCHANGES) */
json_t *element_times_json(const double times_s[RK_KERNELS][2]);

#endif
