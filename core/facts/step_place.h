/* step_place.h - where a measured step lies among runs like it, in words. */
#ifndef RECKON_FACTS_STEP_PLACE_H
#define RECKON_FACTS_STEP_PLACE_H

#include "facts/error_bar.h"

enum step_tone { STEP_GOOD, STEP_SLOW, STEP_BAD };

struct step_place {
    const char *word, *why; /* static storage: "slow", "slower than three of four measured runs" */
    enum step_tone tone;
};

/* Of measured over predicted time; `class` NULL: no run like it was measured. */
struct step_place step_place_of(const struct error_class *class, double ratio);

#endif
