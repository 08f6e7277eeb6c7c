/* aim.h - what the questions share. */
#ifndef RECKON_ADVISE_AIM_H
#define RECKON_ADVISE_AIM_H

#include <reckon/advise.h>

enum { AIM_TEXT = 1024 };

/* The aim as a condition, in `text` unless it is a condition already; NULL: everything counts. */
const char *aim_condition(const struct rk_aim *aim, char text[AIM_TEXT]);

static inline bool aim_stopped(const struct rk_aim *aim)
{
    return aim->stop && aim->stop(aim->context);
}

#endif
