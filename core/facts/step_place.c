#include "facts/step_place.h"

struct step_place step_place_of(const struct error_class *class, double ratio)
{
    static const struct {
        double faster; /* share of measured runs, at most */
        struct step_place place;
    } places[] = {{0.05, {"faster than 95 % of measured runs", "check the number", STEP_GOOD}},
                  {0.25, {"good", "among the fastest quarter of measured runs", STEP_GOOD}},
                  {0.75, {"usual", "in the 50 % interval", STEP_GOOD}},
                  {0.95, {"slow", "slower than three of four measured runs", STEP_SLOW}},
                  {1.00, {"too slow", "outside the 90 % interval", STEP_BAD}}};
    static const struct step_place unknown[] = {
        {"usual", "no run like it was measured", STEP_GOOD},
        {"slow", "no run like it was measured", STEP_SLOW},
        {"too slow", "no run like it was measured", STEP_BAD}};
    if (!class) return unknown[(ratio > 1.1) + (ratio > 1.5)];
    const double faster = error_share_below(class, ratio);
    size_t i = 0;
    while (i + 1 < sizeof places / sizeof *places && faster > places[i].faster)
        i++;
    return places[i].place;
}
