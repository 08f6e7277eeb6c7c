/* published.h - the commands of published tools, as rows of the list of all; none where they are
 * not built.
 *
 * COMMAND(name, summary)
 */
#ifndef RECKON_CLI_PUBLISHED_H
#define RECKON_CLI_PUBLISHED_H

#ifdef RECKON_PUBLISHED
#define PUBLISHED_COMMANDS(COMMAND)                                                                \
    COMMAND(calculon, "run the commands of the published tool Calculon")                           \
    COMMAND(galvatron, "run the search of the published tool Galvatron")                           \
    COMMAND(papers, "compare published systems with predictions")
#else
#define PUBLISHED_COMMANDS(COMMAND)
#endif

#endif
