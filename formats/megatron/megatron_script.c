/* megatron_script.c - the launch script around the arguments of a plan. */
#include "base/text.h"
#include "keys/launch_file.h"
#include "megatron/megatron_writer.h"

#include <inttypes.h>
#include <reckon/catalog.h>
#include <string.h>

static const char *const array_names[ARRAYS] = {"MODEL_ARGS", "PARALLEL_ARGS", "TRAINING_ARGS",
                                                "DATA_ARGS"};

static bool is_plain(const char *text)
{
    return *text && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "-_.,+/=:") == strlen(text);
}

static void print_array(FILE *file, const struct writer *w, enum array array)
{
    fprintf(file, "%s=(", array_names[array]);
    for (size_t i = 0; i < w->words; i++) {
        if (w->array[i] != array) continue;
        fprintf(file, "%s", w->begins[i] ? "\n    " : " ");
        if (is_plain(w->word[i]))
            fputs(w->word[i], file);
        else
            fprintf(file, "\"%s\"", w->word[i]); /* layouts and patterns: nothing to escape */
    }
    fprintf(file, "\n)\n\n");
}

static void print_header(FILE *file, const struct writer *w, const struct megatron_target *target,
                         uint64_t per_node)
{
    char text[RK_PLAN_TEXT];
    rk_plan_text(w->p, text, sizeof text);
    fprintf(file, "#!/bin/bash\n");
    if (target->launcher == LAUNCHER_SLURM)
        launch_slurm_head(file, "reckon", w->p->ranks / per_node, per_node, &target->run,
                          !target->mock_data);
    fprintf(file, "# Written by reckon %s for Megatron Core 0.%d.\n", RECKON_VERSION, w->version);
    if (target->title) fprintf(file, "# %s\n", target->title);
    fprintf(file, "#\n# model: ");
    text_put_line(file, w->m->id);
    fprintf(file, ", %" PRIu64 " parameters\n# plan:  %s\n#\n", rk_model_parameters(w->m), text);
    const int lost = notes_count(w->notes, NOTE_WARNING);
    const bool turns = w->m->position == RK_POSITION_ROPE && !(w->m->rotary_base > 0);
    if (turns || !(w->m->norm_epsilon > 0))
        fprintf(file,
                "# Not known of this model, so that Megatron-LM's defaults hold: %sepsilon\n"
                "# of the norms%s. Check them.\n",
                turns ? "rotary base and scaling, " : "",
                w->m->experts ? ", groups and scores of the router" : "");
    fprintf(file, "# %s\n",
            lost ? "What the target cannot express:" : "The target expresses all of the plan.");
    for (int i = 0; i < w->notes->count; i++)
        if (w->notes->note[i].severity == NOTE_WARNING)
            fprintf(file, "#   %s %s: %s\n", w->notes->note[i].what, w->notes->note[i].have,
                    w->notes->note[i].need);
}

/* What no plan decides, in one place. */
static void print_yours(FILE *file, const struct megatron_target *target)
{
    const struct launch_run *run = &target->run;
    fprintf(file, "\nset -euo pipefail\n\n# Yours:\nMEGATRON=${MEGATRON:-.} # its folder\n");
    if (target->launcher == LAUNCHER_MPIRUN)
        fprintf(file, "HOSTFILE=${HOSTFILE:-hosts} # a line for each node\n");
    if (target->mock_data) return;
    fprintf(file,
            "DATA=${DATA:-/path/to/data_text_document} # the .bin and .idx of "
            "tools/preprocess_data.py, without their ends\n"
            "TOKENIZER=${TOKENIZER:-/path/to/tokenizer} # a folder or a name of Hugging Face\n"
            "CHECKPOINTS=${CHECKPOINTS:-checkpoints} # a folder that all nodes share\n"
            "LEARNING_RATE=${LEARNING_RATE:-1e-4}\n"
            "LAST_LEARNING_RATE=${LAST_LEARNING_RATE:-1e-5} # by a cosine, over all iterations\n"
            "EVAL_INTERVAL=${EVAL_INTERVAL:-1000} # and 10 batches each time\n");
    if (!run->steps) fprintf(file, "TRAIN_ITERS=${TRAIN_ITERS:-1000} # --tokens says it\n");
    if (!run->save_every)
        fprintf(file, "SAVE_INTERVAL=${SAVE_INTERVAL:-1000} # --system says it\n");
    if (run->steps || run->save_every) fprintf(file, "\n# The run:\n");
    if (run->steps) fprintf(file, "TRAIN_ITERS=%" PRIu64 " # %s\n", run->steps, run->steps_from);
    if (run->save_every)
        fprintf(file, "SAVE_INTERVAL=%" PRIu64 " # %s\n", run->save_every, run->saves_from);
    fprintf(file,
            "WARMUP_ITERS=${WARMUP_ITERS:-$((TRAIN_ITERS / 100))} # a hundredth of the run\n");
}

/* Tensor and context parallelism want one queue of work to the device, FSDP several. */
static void print_environment(FILE *file, const struct writer *w,
                              const struct megatron_target *target, uint64_t per_node)
{
    const uint64_t nodes = w->p->ranks / per_node;
    putc('\n', file);
    if (w->p->zero > 1)
        fprintf(file,
                "unset CUDA_DEVICE_MAX_CONNECTIONS # FSDP gathers overlap with computation\n");
    else
        fprintf(file, "export CUDA_DEVICE_MAX_CONNECTIONS=1 # %s\n",
                target->run.rocm ? "as Megatron-LM asks for it"
                                 : "Hopper and earlier; Blackwell needs none");
    launch_fabric(file, &target->run, nodes);
    fprintf(file,
            "\nGPUS_PER_NODE=%" PRIu64 "\nNNODES=${NNODES:-%" PRIu64 "}\n"
            "MASTER_PORT=${MASTER_PORT:-6000}\n",
            per_node, nodes);
}

/* What starts the nodes at once lets torchrun number them; else each is told. */
static void print_nodes(FILE *file, enum launcher launcher)
{
    static const char each[] = "NODE_RANK=${NODE_RANK:-0}\n"
                               "MASTER_ADDR=${MASTER_ADDR:-localhost}\n";
    static const char slurm[] =
        "MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n";
    static const char mpirun[] = "MASTER_ADDR=$(head -n 1 \"$HOSTFILE\" | cut -d ' ' -f 1)\n";
    const bool together = launcher == LAUNCHER_SLURM || launcher == LAUNCHER_MPIRUN;
    fprintf(file,
            "%s\nDISTRIBUTED_ARGS=(\n    --nproc_per_node \"$GPUS_PER_NODE\"\n"
            "    --nnodes \"$NNODES\"\n",
            launcher == LAUNCHER_SLURM    ? slurm
            : launcher == LAUNCHER_MPIRUN ? mpirun
                                          : each);
    if (together)
        fprintf(file,
                "    --rdzv_backend c10d\n    --rdzv_id %s\n"
                "    --rdzv_endpoint \"$MASTER_ADDR:$MASTER_PORT\"\n)\n\n",
                launcher == LAUNCHER_SLURM ? "\"$SLURM_JOB_ID\"" : "reckon");
    else
        fprintf(file, "    --node_rank \"$NODE_RANK\"\n    --master_addr \"$MASTER_ADDR\"\n"
                      "    --master_port \"$MASTER_PORT\"\n)\n\n");
}

static void print_loop(FILE *file, const struct megatron_target *target)
{
    if (target->mock_data)
        fprintf(file,
                "# Made-up data: enough to check the prediction.\nRUN_ARGS=(\n    --mock-data\n"
                "    --tokenizer-type NullTokenizer\n    --train-iters 20\n    --lr 1e-4\n"
                "    --lr-decay-style constant\n    --eval-iters 0\n    --log-interval 1\n"
                "    --log-throughput\n    --split 100,0,0\n)\n\n");
    else
        fprintf(file, "# Started again, the run goes on from its newest checkpoint.\nRUN_ARGS=(\n"
                      "    --data-path \"$DATA\"\n    --tokenizer-type HuggingFaceTokenizer\n"
                      "    --tokenizer-model \"$TOKENIZER\"\n    --train-iters \"$TRAIN_ITERS\"\n"
                      "    --lr \"$LEARNING_RATE\"\n    --min-lr \"$LAST_LEARNING_RATE\"\n"
                      "    --lr-decay-style cosine\n    --lr-decay-iters \"$TRAIN_ITERS\"\n"
                      "    --lr-warmup-iters \"$WARMUP_ITERS\"\n"
                      "    --eval-interval \"$EVAL_INTERVAL\"\n    --eval-iters 10\n    --save "
                      "\"$CHECKPOINTS\"\n"
                      "    --load \"$CHECKPOINTS\"\n    --save-interval \"$SAVE_INTERVAL\"\n"
                      "    --log-interval 1\n    --log-throughput\n)\n\n");
}

/* In front of the time limit Megatron-LM saves and ends; what is left is queued again, unless
 * nothing was done. */
static const char stop_in_time[] =
    "# Before the time limit the run saves and stops; the remaining steps are queued again below.\n"
    "if [ -n \"${SLURM_JOB_END_TIME:-}\" ]; then\n"
    "    RUN_ARGS+=(--exit-duration-in-mins $(((SLURM_JOB_END_TIME - $(date +%s)) / 60 - 15)))\n"
    "fi\n"
    "NEWEST=$CHECKPOINTS/latest_checkpointed_iteration.txt\n"
    "BEFORE=$(cat \"$NEWEST\" 2>/dev/null || echo 0)\n\n";
static const char queue_again[] =
    "\nAFTER=$(cat \"$NEWEST\" 2>/dev/null || echo 0)\n"
    "if [ \"$AFTER\" -gt \"$BEFORE\" ] && [ \"$AFTER\" -lt \"$TRAIN_ITERS\" ]; then\n"
    "    scontrol requeue \"$SLURM_JOB_ID\"\n"
    "fi\n";

static void print_start(FILE *file, const struct writer *w, const struct megatron_target *target)
{
    const bool slurm = target->launcher == LAUNCHER_SLURM, queues = slurm && !target->mock_data;
    if (queues) fputs(stop_in_time, file);
    if (slurm) fputs("srun ", file);
    if (target->launcher == LAUNCHER_MPIRUN)
        launch_mpirun(file, &target->run, "\"$NNODES\"",
                      w->p->zero > 1 ? "" : " -x CUDA_DEVICE_MAX_CONNECTIONS");
    fprintf(file, "torchrun \"${DISTRIBUTED_ARGS[@]}\" \"$MEGATRON/pretrain_gpt.py\" \\\n");
    for (int i = 0; i < ARRAYS; i++)
        fprintf(file, "    \"${%s[@]}\" \\\n", array_names[i]);
    fprintf(file, "    \"${RUN_ARGS[@]}\" \"$@\"\n");
    if (queues) fputs(queue_again, file);
}

void megatron_script(FILE *file, const struct writer *w, const struct megatron_target *target)
{
    const uint64_t per_node = launch_node_size(w->p->ranks, target->gpus_per_node, w->p->tensor);
    print_header(file, w, target, per_node);
    print_yours(file, target);
    print_environment(file, w, target, per_node);
    print_nodes(file, target->launcher);
    for (int i = 0; i < ARRAYS; i++)
        print_array(file, w, (enum array)i);
    print_loop(file, target);
    print_start(file, w, target);
}
