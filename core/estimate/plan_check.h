/* plan_check.h - can a plan run at all, memory apart: rules.def. */
#ifndef RECKON_ESTIMATE_PLAN_CHECK_H
#define RECKON_ESTIMATE_PLAN_CHECK_H

#include "rules/rules.h"

#endif
