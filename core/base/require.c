#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

void require_failed(const char *proved, const char *file, int line)
{
    fprintf(stderr, "%s:%d: \"%s\" does not hold: a fault of this program\n", file, line, proved);
    abort();
}
