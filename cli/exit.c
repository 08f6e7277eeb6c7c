#include "cli/exit.h"

#include "cli/progress.h"

#include <reckon/status.h>

static int stopped_by;

int exit_stopped(int signal)
{
    stopped_by = signal;
    return RK_INTERRUPTED;
}

int exit_code(int status)
{
    static const int codes[] = {
        [RK_OK] = 0,       [RK_NOTHING_FITS] = 1, [RK_BAD_ARGUMENT] = 2, [RK_BAD_INPUT] = 3,
        [RK_IO] = 4,       [RK_NO_MEMORY] = 4,    [RK_UNSUPPORTED] = 1,  [RK_LIMIT] = 1,
        [RK_PROTOCOL] = 1, [RK_CHECK_FAILED] = 1,
    };
    if (status != RK_INTERRUPTED) return codes[status];
    return stopped_by ? 128 + stopped_by : progress_code();
}
