/* search_sensitivity.h - `reckon search --sensitivity`: what about the machine the best time
 * depends on.
 *
 * Each rate, bandwidth, efficiency, latency and capacity is changed by +10 % and -10 % in a copy of
 * the system, and the best strategy is searched again: another one may be best there. The
 * sensitivity is the relative change of the best time per relative change of the parameter,
 *
 *     (T(+) - T(-)) / T  /  ((p(+) - p(-)) / p)
 *
 * T being the time of --batch samples at the best rate; so -1 says that 1 % more of it makes the
 * step 1 % shorter. Where one side is not possible (an efficiency beyond 1, a capacity that nothing
 * fits) the other side is taken alone. */
#ifndef RECKON_CLI_SEARCH_SENSITIVITY_H
#define RECKON_CLI_SEARCH_SENSITIVITY_H

#include "cli/search_job.h"
#include "report/report.h"

/* Adds the table "sensitivity", what shortens the step most first. Nothing when nothing fits.
 * When it was stopped, nothing is added. */
void search_sensitivity_fill(struct report *report, const struct search *search);

#endif
