/* learned.h - the catalog's error bars (error_bar.h).
 *
 * Read once from data/measured/error_bars.json of the catalog.
 */
#ifndef RECKON_FACTS_LEARNED_H
#define RECKON_FACTS_LEARNED_H

#include "facts/error_bar.h"

/* NULL where the catalog has none. */
const struct error_bars *learned_bars(void);

#endif
