/* executor.h - how the commands that run a plan reach the executor's library, which the planner
 * does without: reckon-run and reckon-mpi fill this in, reckon hands such commands over to them. */
#ifndef RECKON_CLI_EXECUTOR_H
#define RECKON_CLI_EXECUTOR_H

#include <reckon/train.h>

struct executor {
    struct rk_train (*defaults)(void);
    enum rk_status (*check)(const struct rk_model *model, const struct rk_plan *plan,
                            const struct rk_train *train, struct rk_error *error);
    enum rk_status (*look)(const char *folder, struct rk_train_about *about,
                           struct rk_error *error);
    enum rk_status (*train)(const struct rk_model *model, const struct rk_plan *plan,
                            const struct rk_train *train, const struct rk_train_run *run,
                            struct rk_train_result *result, struct rk_error *error);
    enum rk_status (*count)(const struct rk_model *model, const struct rk_plan *plan,
                            const struct rk_train *train, const struct rk_train_run *run,
                            uint64_t rank, struct rk_train_memory *memory, struct rk_error *error);
    enum rk_status (*generate)(const struct rk_model *model, const struct rk_train *train,
                               const struct rk_generate *generate, struct rk_error *error);
    enum rk_status (*score)(const struct rk_model *model, const struct rk_plan *plan,
                            const struct rk_train *train, const struct rk_score *score,
                            struct rk_token_score *scores, struct rk_error *error);
    enum rk_status (*measure)(double seconds, struct rk_measured *measured, struct rk_error *error);
    enum rk_status (*measure_tiers)(const char *drives, double seconds,
                                    struct rk_measured_tier tier[2], struct rk_error *error);
    void (*products)(struct rk_products *products);
    int rank;       /* of this process; 0 speaks */
    uint64_t ranks; /* processes; 0: ranks are threads */
};

extern const struct executor *cli_executor; /* NULL: not here */

/* What multiplies, in words, in 64 bits or in 32, with bf16 where it does: "OpenBLAS 0.3.21
 * Cooperlake"; into `text`. */
void executor_products(bool wide, bool bf16, char *text, size_t room);
/* Warns where that is slower than the processor could be. */
void executor_warn_of_slow(void);

/* Refuses a machine file that reckon measure wrote when other libraries multiplied. */
enum rk_status executor_same_products(const char *system, struct rk_error *error);

/* The signal that asks a run to end; 0: none yet. */
int executor_asked_to_stop(void);

/* Is --help or -h among the arguments? Then the planner answers. */
bool executor_is_asked_for_help(int argc, char **argv);

/* Becomes reckon-run or, where mpirun or srun has started several processes, reckon-mpi, with these
 * arguments. Both are looked up next to this executable and on PATH. Returns only when there is
 * none: the exit code, with the message printed. */
int executor_become(int argc, char **argv);

#endif
