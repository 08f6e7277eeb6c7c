/* The schedule of the pipeline as a picture. */
#include "cli/pages.h"

void page_schedule(struct html_page *page, const struct page_plan *plan)
{
    (void)page;
    (void)plan;
}
