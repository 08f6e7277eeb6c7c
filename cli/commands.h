/* commands.h - all subcommands; main.c lists them. */
#ifndef RECKON_CLI_COMMANDS_H
#define RECKON_CLI_COMMANDS_H

#include "cli/options.h"

extern const struct command main_commands[];
extern const struct usage main_usage;

/* Not those that become another program, nor those that print for shells. */
bool command_is_for_programs(const struct command *command);

extern const struct usage search_usage, report_usage, models_usage, systems_usage, shapes_usage,
    calculon_usage, study_usage, timeline_usage, import_usage, export_usage, diff_usage,
    doctor_usage, predict_usage, fits_usage, validate_usage, calibrate_usage, tokenize_usage,
    tokenizer_usage, corpus_usage, shard_usage, place_usage, budget_usage, offload_usage,
    longest_usage, serve_usage, galvatron_usage, adapt_usage, check_usage, program_usage,
    merge_usage, reshard_usage, train_usage, generate_usage, eval_usage, measure_usage,
    compare_usage, papers_usage, mcp_usage, support_usage, capture_usage, prices_usage;

int cmd_predict(int argc, char **argv);
int cmd_fits(int argc, char **argv);
int cmd_budget(int argc, char **argv);
int cmd_place(int argc, char **argv);
int cmd_offload(int argc, char **argv);
int cmd_longest(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_search(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_program(int argc, char **argv);
int cmd_study(int argc, char **argv);
int cmd_papers(int argc, char **argv);
int cmd_models(int argc, char **argv);
int cmd_systems(int argc, char **argv);
int cmd_prices(int argc, char **argv);
int cmd_shapes(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_calculon(int argc, char **argv);
int cmd_validate(int argc, char **argv);
int cmd_shard(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_reshard(int argc, char **argv);
int cmd_corpus(int argc, char **argv);
int cmd_train(int argc, char **argv);
int cmd_generate(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_measure(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_galvatron(int argc, char **argv);
int cmd_adapt(int argc, char **argv);
int cmd_capture(int argc, char **argv);
int cmd_mcp(int argc, char **argv);
int cmd_support(int argc, char **argv);
int cmd_tokenize(int argc, char **argv);
int cmd_tokenizer(int argc, char **argv);

/* Hidden: what is made from the tables. `__man [COMMAND]`, `__complete bash|zsh|fish`,
 * `__list commands|models|systems|plan`. */
int cmd_man(int argc, char **argv);
int cmd_complete(int argc, char **argv);
int cmd_list(int argc, char **argv);

#endif
