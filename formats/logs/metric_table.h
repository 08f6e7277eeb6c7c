/* metric_table.h - tables of metrics that trackers export: CSV of Weights & Biases and TensorBoard,
 * JSON of TensorBoard ([[wall time, step, value], ...]), JSON lines of W&B's history.
 *
 * The time of a step is a column of that name (Megatron-LM's iteration-time, NeMo's
 * train_step_timing, torchtitan's time_metrics/end_to_end(s), ...); where there is none, what
 * passes between rows, by wall time or _runtime, over their steps.
 */
#ifndef RECKON_LOGS_METRIC_TABLE_H
#define RECKON_LOGS_METRIC_TABLE_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>

/* Is the text such a table, by its first line? */
bool metric_table_is(const char *text);

/* Hands each step's seconds to `take`, in the order of the rows. RK_BAD_INPUT: no time of a step
 * can be told. `path` is for messages. */
enum rk_status metric_table_read(const char *text, size_t size, const char *path,
                                 void (*take)(void *context, double step_s), void *context,
                                 struct rk_error *error);

#endif
