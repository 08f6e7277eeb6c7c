/* buffers_chart.h - placed buffers as a chart: time to the right, addresses upwards. */
#ifndef RECKON_CLI_BUFFERS_CHART_H
#define RECKON_CLI_BUFFERS_CHART_H

#include "logs/buffers.h"
#include "report/html.h"

/* Adds a rectangle for each buffer, with its name and size, coloured by what it is, and a line:
 * what is alive. Of many buffers those of a kind that begin and end at about the same time and lie
 * side by side are one rectangle, so that a page stays small. A lack of memory shows in html_write.
 */
void buffers_chart(struct html_page *page, const struct buffers *buffers, const uint64_t *address,
                   const char *source);

/* The same as a page of its own: `--draw`. RK_BAD_ARGUMENT unless the name ends in .html. */
enum rk_status buffers_page(const char *path, const char *title, const struct buffers *buffers,
                            const uint64_t *address, struct rk_error *error);

#endif
