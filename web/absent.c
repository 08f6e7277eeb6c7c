/* absent.c - what the page leaves out, refused by name: databases, checkpoints, XML. */
#include "cli/pages.h"
#include "cli/search_sink.h"
#include "machines/node.h"

#include <reckon/shard.h>

static enum rk_status refuse(const char *path, struct rk_error *error)
{
    return rk_fail(error, RK_BAD_ARGUMENT, path, 0, 0,
                   "databases, checkpoints and XML are not for the page: use the executable");
}

static enum rk_status sink_open(void **sink, const char *path, const struct search *search,
                                const struct report_column *columns, int count,
                                struct rk_error *error)
{
    (void)sink, (void)search, (void)columns, (void)count;
    return refuse(path, error);
}

const struct sink_class sink_sqlite = {.open = sink_open};

enum rk_status page_study(struct html_page *page, const char *path, struct rk_error *error)
{
    (void)page;
    return refuse(path, error);
}

bool rk_shard_has_weights(const char *folder)
{
    (void)folder;
    return false;
}

enum rk_status rk_shard_model(const char *path, struct rk_model *model,
                              struct rk_shard_notes *notes, struct rk_error *error)
{
    (void)model, (void)notes;
    return refuse(path, error);
}

enum rk_status hwloc_read(const struct document *document, struct node_topology *node,
                          struct rk_error *error)
{
    (void)document, (void)node;
    return refuse(NULL, error);
}
