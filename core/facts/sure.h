/* sure.h - is it sure that a run fits: what it needs, over what the device has.
 *
 * Predicted peaks are off by some percent. Between two shares of the device's memory nobody knows:
 * `reckon fits` then says unsure and exits with 2, and `reckon validate` counts such runs apart.
 */
#ifndef RECKON_FACTS_SURE_H
#define RECKON_FACTS_SURE_H

#include <reckon/catalog.h>

/* Shares of the device's memory. At most `fits` surely fits, more than `fails` surely does not. */
struct sure_bounds {
    double fits, fails;
};

/* Chosen on measured runs, docs/notes/accuracy.md: what fits. */
extern const struct sure_bounds sure_usual;

enum sure { SURE_FITS, SURE_NOT, SURE_UNSURE };
const char *sure_name(enum sure sure);

enum sure sure_of(double need_bytes, double capacity_bytes, const struct sure_bounds *bounds);

/* "0.85,1.1"; "1" for both: never unsure. NULL leaves the usual. RK_BAD_ARGUMENT for other texts.
 */
enum rk_status sure_read(const char *text, struct sure_bounds *bounds, struct rk_error *error);

#endif
