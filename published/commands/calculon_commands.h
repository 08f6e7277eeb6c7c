/* calculon_commands.h - `reckon calculon llm`: one strategy. */
#ifndef RECKON_COMMANDS_CALCULON_COMMANDS_H
#define RECKON_COMMANDS_CALCULON_COMMANDS_H

int calculon_run_llm(int argc, char **argv);

bool calculon_is_json(const char *path);

/* That tool indents its plain JSON and packs the compressed one. */
enum calculon_style calculon_style_of(const char *path);

enum rk_status calculon_refuse_ending(const char *what, const char *path, const char *endings,
                                      struct rk_error *error);

/* Standard input can be only one of the files. */
enum rk_status calculon_check_inputs(const char *a, const char *b, const char *c,
                                     struct rk_error *error);

extern const struct usage calculon_llm_usage;

#endif
