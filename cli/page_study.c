/* The page of a study. */
#include "cli/pages.h"

enum rk_status page_study(struct html_page *page, const char *path, struct rk_error *error)
{
    (void)page;
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "studies cannot be shown yet");
}
