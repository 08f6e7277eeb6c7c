/* mcp.h - the tools of `reckon mcp`: a command each, with typed arguments.
 *
 * A call becomes the words of a command, "predict --model=llama3.1-8b ... --format=json", which a
 * child process runs; what it prints is the answer. A crash or a search without end is the child's.
 */
#ifndef RECKON_CLI_MCP_H
#define RECKON_CLI_MCP_H

#include <reckon/status.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum mcp_type { MCP_STRING, MCP_INTEGER, MCP_NUMBER, MCP_BOOLEAN };

struct mcp_argument {
    const char *name; /* "gpus"; NULL ends a list */
    const char *word; /* "--gpus"; NULL: an operand, after all options */
    enum mcp_type type;
    bool required;
    const char *help;
    const char *choices; /* "megatron|deepspeed": of the second word of a command; NULL: none */
};

enum { MCP_ARGUMENTS = 14, MCP_WORDS = MCP_ARGUMENTS + 6 };

struct mcp_tool {
    const char *name, *command; /* "find_best_plan", "search" */
    const char *title, *help;
    struct mcp_argument argument[MCP_ARGUMENTS + 1];
    bool as_text; /* the command has no --format json */
};

extern const struct mcp_tool mcp_tools[]; /* ended by name NULL */

const struct mcp_tool *mcp_tool_find(const char *name); /* NULL: there is none */

/* name, title, description, inputSchema, outputSchema: a new reference, NULL without memory. */
json_t *mcp_tool_describe(const struct mcp_tool *tool);

/* The words of a call; they live as long as `words`. */
struct mcp_words {
    int count;
    char *word[MCP_WORDS + 1];
};

/* RK_BAD_ARGUMENT: an argument that is missing, unknown, or of another type; RK_NO_MEMORY. Release
 * the words in any case. */
enum rk_status mcp_words_of(const struct mcp_tool *tool, const json_t *arguments,
                            struct mcp_words *words, struct rk_error *error);
void mcp_words_release(struct mcp_words *words);

struct mcp_output {
    char *text, *remarks; /* standard output and standard error, ended by 0 */
    size_t bytes, remark_bytes;
    int code; /* the exit status; -1: stopped by `why` */
    char why[160];
};

/* Runs a command for at most `seconds` seconds. RK_IO: no process can be started. Release the
 * output in any case. */
enum rk_status mcp_run(const struct mcp_words *words, double seconds, struct mcp_output *output,
                       struct rk_error *error);
void mcp_output_release(struct mcp_output *output);

/* The result of tools/call: content, structuredContent, isError. NULL without memory. */
json_t *mcp_result(const struct mcp_tool *tool, const struct mcp_output *output);
json_t *mcp_failure(const char *text);

#endif
