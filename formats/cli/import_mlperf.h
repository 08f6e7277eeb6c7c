/* import_mlperf.h - reckon import mlperf: submissions of MLPerf Training as measured runs. */
#ifndef RECKON_CLI_IMPORT_MLPERF_H
#define RECKON_CLI_IMPORT_MLPERF_H

#include "cli/options.h"

extern const struct usage import_mlperf_usage;
int import_mlperf(int argc, char **argv);

#endif
