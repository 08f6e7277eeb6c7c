/* reckon.h - the whole public interface. */
#ifndef RECKON_RECKON_H
#define RECKON_RECKON_H

#include <reckon/advise.h>
#include <reckon/allocator.h>
#include <reckon/budget.h>
#include <reckon/campaign.h>
#include <reckon/catalog.h>
#include <reckon/check.h>
#include <reckon/command.h>
#include <reckon/doctor.h>
#include <reckon/lengths.h>
#include <reckon/longest.h>
#include <reckon/machine.h>
#include <reckon/model.h>
#include <reckon/offload.h>
#include <reckon/offload_plans.h>
#include <reckon/place.h>
#include <reckon/plan.h>
#include <reckon/plans.h>
#include <reckon/predict.h>
#include <reckon/program.h>
#include <reckon/search.h>
#include <reckon/serve.h>
#include <reckon/shapes.h>
#include <reckon/shard.h>
#include <reckon/status.h>
#include <reckon/sure.h>
#include <reckon/system.h>

#endif
