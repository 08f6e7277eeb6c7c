/* Launch scripts of Megatron-LM: what they train, how, and what Megatron-LM would refuse. */
#include "megatron_cases.h"

#include "megatron/megatron_args.h"
#include "text/text_file.h"

#include <reckon/catalog.h>
#include <stdlib.h>

static enum rk_status read_file(const char *name, const struct megatron_options *options,
                                struct rk_error *error)
{
    char path[512], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/tests/data/megatron/%s.sh", RECKON_TEST_SOURCE, name);
    enum rk_status status = text_file_load(path, SHELL_MAX_BYTES, &text, &size, error);
    if (status == RK_OK) status = megatron_read("x.sh", text, size, options, &import, error);
    free(text);
    return status;
}

/* The sizes of the published checkpoints. GPT-3's by hand, with 50,257 tokens and 2,048 positions:
 * 96 * (12 h^2 + 13 h) + (50257 + 2048 + 2) h at h = 12288 is 174,604,259,328. */
static const struct {
    const char *file;
    uint64_t parameters, active, gpus;
    const char *plan;
} scripts[] = {
    {"gpt3-175b", 174604259328, 0, 1024,
     "precision=fp16 dp8 tp8 pp16 gbs1536 attention=flash3 gradient-bytes=2 vocab-multiple=128"},
    {"llama3-70b", 70553706496, 0, 128,
     "dp4 tp4 pp4 vpp5 cp2 gbs512 sp tp-overlap zero1 grad-overlap weight-overlap attention=flash3 "
     "loss-compiled vocab-multiple=128"},
    {"llama3-405b", 405853388800, 0, 16384,
     "dp128 tp8 pp16 vpp4 gbs2048 embedding-counts head-counts sp zero1 grad-overlap "
     "weight-overlap attention=flash3 vocab-multiple=128"},
    {"mixtral-8x7b", 46702792704, 12879925248, 32,
     "dp8 pp4 ep8 gbs256 zero1 grad-overlap weight-overlap attention=flash3 vocab-multiple=128"},
    {"deepseek-v3", 671026419200, 37552297472, 2048,
     "precision=fp8-block dp64 tp2 pp16 vpp2 ep64 etp1 gbs8192 split=3,2*29,0*2 sp zero1 "
     "grad-overlap weight-overlap dispatcher=deepep "
     "recompute=selective:moe_act+layernorm+mla_up_proj+mlp attention=flash3 loss-compiled "
     "moment1-bytes=2 "
     "moment2-bytes=2 weights-fp8 vocab-multiple=3232"},
};

Test(megatron, scripts)
{
    const struct megatron_options options = {.gpus = 0};
    struct rk_error error;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct rk_plan plan;
        char got[RK_PLAN_TEXT], want[RK_PLAN_TEXT];
        cr_assert_eq(read_file(scripts[i].file, &options, &error), RK_OK, "%s: %s", scripts[i].file,
                     error.text);
        cr_expect_eq(rk_model_parameters(&import.model), scripts[i].parameters, "%s",
                     scripts[i].file);
        if (scripts[i].active)
            cr_expect_eq(rk_model_active_parameters(&import.model), scripts[i].active);
        cr_expect_eq(import.plan.ranks, scripts[i].gpus, "%s", scripts[i].file);
        cr_assert_eq(rk_plan_parse(scripts[i].plan, &plan, &error), RK_OK, "%s", error.text);
        rk_plan_text(&import.plan, got, sizeof got);
        rk_plan_text(&plan, want, sizeof want);
        cr_expect_str_eq(got, want, "%s: %s", scripts[i].file, got);
    }
}

Test(megatron, sets_and_conditions)
{
    const char *const sets[] = {"USE_FP8=1", "GBS=1024"};
    const struct megatron_options options = {.sets = sets, .set_count = 2};
    struct rk_error error;
    cr_assert_eq(read_file("llama3-70b", &options, &error), RK_OK, "%s", error.text);
    cr_expect_eq(import.plan.precision, RK_FP8_CURRENT);
    cr_expect(import.plan.weights_fp8);
    cr_expect_eq(import.plan.batch, 1024);
    cr_expect_eq(import.since, 12); /* --fp8-recipe */
}

/* What is taken from arguments, as words of a plan. */
static void expect_words(const char *arguments, uint64_t gpus, const char *words)
{
    const struct megatron_options options = {.gpus = gpus};
    struct rk_error error;
    char text[RK_PLAN_TEXT];
    cr_assert_eq(read_text(arguments, &options, &error), RK_OK, "%s", error.text);
    rk_plan_text(&import.plan, text, sizeof text);
    cr_expect_not_null(strstr(text, words), "%s: %s", arguments, text);
}

static const struct {
    const char *arguments;
    uint64_t gpus;
    const char *message; /* NULL: is taken */
} refusals[] = {
    {SMALL "--tensor-model-parallel-size 2", 8, NULL},
    {SMALL "--tensor-model-parallel-size 3", 8, "8 GPUs are not a multiple of tensor 3"},
    {SMALL "--tensor-model-parallel-size 32", 32, "heads: 16 over 32 ranks is not whole"},
    {SMALL "--pipeline-model-parallel-size 3", 3, "the number of layers"},
    {SMALL "--global-batch-size 12", 8, "no multiple of 8 copies"},
    {SMALL "--tp-comm-overlap", 8, "needs --sequence-parallel"},
    {SMALL "--overlap-param-gather", 8, "needs --use-distributed-optimizer"},
    {SMALL "--use-distributed-optimizer --overlap-param-gather", 8, "needs --overlap-grad-reduce"},
    {SMALL "--fp16", 8, "cannot be given with --bf16"},
    {SMALL "--recompute-granularity full", 8, "is missing: full recomputation needs it"},
    {SMALL "--recompute-granularity selective --recompute-method block", 8,
     "cannot be given with selective"},
    {SMALL "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1", 8,
     NULL},
    {SMALL "--expert-model-parallel-size 4", 8, "needs --num-experts"},
    {SMALL "--num-experts 6 --expert-model-parallel-size 4", 8, "6 experts over 4 ranks"},
    {SMALL "--num-experts 8 --tensor-model-parallel-size 2", 8, "need --sequence-parallel"},
    {SMALL "--num-experts 8 --tensor-model-parallel-size 2 --sequence-parallel", 8, NULL},
    {SMALL "--optimizer-cpu-offload", 8, "needs --use-precision-aware-optimizer"},
    {SMALL "--exp-avg-dtype bf16", 8, "narrow types of the optimizer need it"},
    {SMALL "--context-parallel-size 2 --seq-length 2050 --max-position-embeddings 4096", 8,
     "2050 tokens are not a multiple of 2 * context"},
    {SMALL "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 2 "
           "--global-batch-size 16",
     8, NULL},
    {SMALL "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 2 "
           "--global-batch-size 20",
     8, "cannot be interleaved"},
    {SMALL "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3", 8,
     "not divisible into groups of 3"},
    {SMALL "--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout Et*5|t*3L", 8, NULL},
    {SMALL "--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout Et*5|t*4L", 8,
     "has 9 t and 0 m, for 8 layers"},
    {SMALL "--pipeline-model-parallel-size 2 --decoder-first-pipeline-num-layers 3", 8, NULL},
    {SMALL "--cpu-offloading-num-layers 4 --pipeline-model-parallel-size 2", 8,
     "cannot run with pipeline"},
    {SMALL "--use-torch-fsdp2 --untie-embeddings-and-output-weights", 8,
     "needs --no-gradient-accumulation-fusion"},
    {SMALL "--fp8-recipe tensorwis", 8, "is not known: give one of tensorwise"},
    {SMALL "--num-layers 8.5", 8, "must be a whole number"},
    {SMALL "--hybrid-attention-ratio 0.5", 8, "state space layers"},
    {SMALL "--moe-layer-freq [1]*7 --num-experts 4", 8, "has 7 entries for 8 layers"},
    {SMALL, 0, "nothing says how many GPUs"},
    {"--num-layers 8", 8, "--hidden-size is missing"},
};

Test(megatron, refuses_what_megatron_refuses)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct megatron_options options = {.gpus = refusals[i].gpus};
        struct rk_error error = {.text = ""};
        const enum rk_status status = read_text(refusals[i].arguments, &options, &error);
        if (!refusals[i].message)
            cr_expect_eq(status, RK_OK, "%s: %s", refusals[i].arguments, error.text);
        else
            cr_expect(status == RK_BAD_INPUT && strstr(error.text, refusals[i].message),
                      "%s: status %d, %s", refusals[i].arguments, (int)status, error.text);
    }
}

Test(megatron, put_off_gradients_and_muon)
{
    expect_words(SMALL "--pipeline-model-parallel-size 2 --global-batch-size 16 "
                       "--defer-embedding-wgrad-compute --wgrad-deferral-limit 2",
                 4, "defer-wgrad=2");
    expect_words(SMALL "--pipeline-model-parallel-size 2 --global-batch-size 16 "
                       "--defer-embedding-wgrad-compute",
                 4, "defer-wgrad=8");
    expect_words(SMALL "--optimizer muon --use-distributed-optimizer", 4, "zero1");
    expect_words(SMALL "--optimizer dist_muon", 4, "optimizer=muon");
    expect_words(SMALL "--no-bias-gelu-fusion", 4, "no-activation-fused");
}

Test(megatron, all_refusals_at_once)
{
    const struct megatron_options options = {.gpus = 8};
    struct rk_error error;
    cr_expect_eq(
        read_text(SMALL "--fp16 --overlap-param-gather --tp-comm-overlap", &options, &error),
        RK_BAD_INPUT);
    cr_expect_eq(notes_count(&import.notes, NOTE_REFUSED), 4); /* overlap: optimizer and reduce */
}

Test(megatron, versions)
{
    struct megatron_options options = {.gpus = 8, .version = 9};
    struct rk_error error;
    cr_expect_eq(megatron_version("core_v0.14.0"), 14);
    cr_expect_eq(megatron_version("0.9"), 9);
    cr_expect_eq(megatron_version("core_v0.8"), 0);
    cr_expect_eq(megatron_version("1.2"), 0);
    cr_expect_eq(read_text(SMALL "--recompute-modules mlp --recompute-granularity selective",
                           &options, &error),
                 RK_BAD_INPUT);
    cr_expect(strstr(error.text, "is not in Megatron Core 0.9, only from 0.12 on"), "%s",
              error.text);
    cr_expect(error.line == 1 && error.column > 100);
    options.version = 14;
    cr_expect_eq(read_text(SMALL "--use-custom-fsdp --use-distributed-optimizer", &options, &error),
                 RK_BAD_INPUT);
    cr_expect(strstr(error.text, "only up to 0.13"), "%s", error.text);
}

static const struct rk_finding *find(const char *what)
{
    for (int i = 0; i < import.notes.count; i++)
        if (strcmp(import.notes.note[i].what, what) == 0) return &import.notes.note[i];
    return NULL;
}

Test(megatron, ignores_and_warns)
{
    static const char *const ignored[] = {"tensor-model-paralel-size"};
    struct megatron_options options = {.gpus = 8};
    struct rk_error error;
    cr_expect_eq(read_text(SMALL "--tensor-model-paralel-size 4", &options, &error), RK_BAD_INPUT);
    cr_expect_eq(find("--tensor-model-paralel-size")->severity, NOTE_UNKNOWN);
    cr_expect(strstr(find("--tensor-model-paralel-size")->need, "--tensor-model-parallel-size"));
    options.ignored = ignored;
    options.ignored_count = 1;
    cr_assert_eq(read_text(SMALL
                           "--log-interval 1 --data-path 0.5 a 0.5 b --tensor-model-paralel-size "
                           "4 --sequence-parallel",
                           &options, &error),
                 RK_OK, "%s", error.text);
    cr_expect_not(find("--log-interval"));
    cr_expect_not(find("--tensor-model-paralel-size"));
    cr_expect_eq(find("--sequence-parallel")->severity, NOTE_WARNING); /* tensor parallelism is 1 */
    cr_expect_not(import.plan.sequence_parallel);
    cr_expect_str_eq(find("--ffn-hidden-size")->have, "4096");
    cr_expect_eq(import.model.feedforward, 4096);
    cr_expect_eq(import.plan.batch, 8); /* not given: one microbatch a rank */
}

Test(megatron, places)
{
    const struct megatron_options options = {.gpus = 8};
    struct rk_error error;
    cr_expect_eq(read_text("A=(\n  --num-layers $LAYERS\n)\npython pretrain_gpt.py ${A[@]} "
                           "--micro-batch-size 1",
                           &options, &error),
                 RK_BAD_INPUT);
    cr_expect_eq(error.line, 2);
    cr_expect_str_eq(error.text, "$LAYERS is not set in this script: give --set LAYERS=VALUE, for "
                                 "--num-layers: a whole number; --hidden-size is missing; and in "
                                 "one line: --set LAYERS=VALUE");
    cr_expect_eq(read_text("A=(\n  --num-layers 8\n  --bf17 $X\n)\npython pretrain_gpt.py "
                           "${A[@]} --micro-batch-size 0 " SMALL,
                           &options, &error),
                 RK_BAD_INPUT);
    cr_expect_eq(find("--bf17")->line, 3);
    cr_expect_eq(find("--bf17")->column, 3);
    cr_expect_eq(read_text("python pretrain_gpt.py --micro-batch-size 0 " SMALL, &options, &error),
                 RK_OK, "%s", error.text); /* the last one counts, as in argparse */
}

Test(megatron, gpus)
{
    static const struct {
        const char *launch;
        uint64_t gpus;
    } launches[] = {
        {"torchrun --nproc_per_node 8 --nnodes 4 pretrain_gpt.py", 32},
        {"torchrun --nproc-per-node=4 pretrain_gpt.py", 4},
        {"N=2\npython3 -m torch.distributed.launch --nnodes $N --nproc_per_node 8 pretrain_gpt.py",
         16},
        {"srun -N 2 --ntasks-per-node=8 python pretrain_gpt.py", 16},
        {"mpirun -np 24 python pretrain_gpt.py", 24},
        {"WORLD_SIZE=$((8*3))\npython pretrain_gpt.py", 24},
        {"#SBATCH --nodes=4\n#SBATCH --gpus-per-node=8\nsrun python pretrain_gpt.py", 32},
        {"#SBATCH -N 4\nsrun torchrun --nnodes $SLURM_NNODES --nproc_per_node 8 pretrain_gpt.py",
         32},
    };
    const struct megatron_options options = {.gpus = 0};
    struct rk_error error;
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s %s", launches[i].launch, SMALL);
        cr_assert_eq(read_text(text, &options, &error), RK_OK, "%s: %s", text, error.text);
        cr_expect_eq(import.plan.ranks, launches[i].gpus, "%s", launches[i].launch);
    }
}

Test(megatron, layouts)
{
    struct megatron_layout layout;
    char why[MEGATRON_WHY];
    cr_assert(megatron_layout_read("Et*3|(tt|)*29,m|L", &layout, why), "%s", why);
    cr_expect_eq(layout.stages, 32);
    cr_expect_eq(layout.blocks[0], 3);
    cr_expect_eq(layout.blocks[29], 2);
    cr_expect_eq(layout.blocks[30], 0);
    cr_expect_eq(layout.all, 61);
    cr_expect_eq(layout.predict_stage, 30);
    cr_assert(megatron_layout_read("E|(t|tt|)*2,tL", &layout, why), "%s", why);
    cr_expect_eq(layout.stages, 6); /* E | t | tt | t | tt | tL */
    cr_expect_eq(layout.all, 7);
    cr_expect_not(megatron_layout_read("t|L", &layout, why));
    cr_expect_not(megatron_layout_read("Ex|L", &layout, why));
    cr_expect_not(megatron_layout_read("E(t|)*999999999L", &layout, why));
}

Test(megatron, patterns)
{
    unsigned char pattern[16];
    char why[MEGATRON_WHY];
    cr_assert(megatron_pattern_read("([0]*2+[1]*3)", 5, pattern, why), "%s", why);
    cr_expect(memcmp(pattern, "\0\0\1\1\1", 5) == 0);
    cr_assert(megatron_pattern_read("([1,0]+[0])*2", 6, pattern, why), "%s", why);
    cr_expect(memcmp(pattern, "\1\0\0\1\0\0", 6) == 0);
    cr_assert(megatron_pattern_read("2", 4, pattern, why), "%s", why);
    cr_expect(memcmp(pattern, "\1\0\1\0", 4) == 0);
    cr_expect_not(megatron_pattern_read("[0]*3", 5, pattern, why));
    cr_expect_not(megatron_pattern_read("[2]*5", 5, pattern, why));
    cr_expect_not(megatron_pattern_read("[0]*99999999999", 5, pattern, why));
}

/* Patterns as the model's dense layers and steps; those that it has no words for are refused. */
Test(megatron, mixtures)
{
    static const struct {
        const char *pattern;
        bool taken;
        uint64_t dense, every;
    } cases[] = {
        {"([0]*3+[1]*5)", true, 3, 0},   {"1", true, 0, 0},      {"([0,1])*4", true, 0, 2},
        {"([0]*2+[0,1]*3)", true, 2, 2}, {"2", true, 0, 2},      {"3", false, 0, 0},
        {"([1]*3+[0]*5)", false, 0, 0},  {"[0]*8", false, 0, 0}, {"([0]*7+[1])", true, 7, 0},
    };
    const struct megatron_options options = {.gpus = 8};
    struct rk_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s --num-experts 4 --moe-layer-freq %s", SMALL,
                 cases[i].pattern);
        const enum rk_status status = read_text(text, &options, &error);
        cr_expect_eq(status == RK_OK, cases[i].taken, "%s", cases[i].pattern);
        if (status != RK_OK) continue;
        cr_expect_eq(import.model.dense_layers, cases[i].dense, "%s", cases[i].pattern);
        cr_expect_eq(import.model.expert_every, cases[i].every, "%s", cases[i].pattern);
    }
}

/* What the caller says counts, also where the script's launcher is not known. */
Test(megatron, gpus_given)
{
    const struct megatron_options options = {.gpus = 64};
    struct rk_error error;
    cr_assert_eq(read_text("torchrun --nnodes $NODES --nproc_per_node 8 pretrain_gpt.py " SMALL,
                           &options, &error),
                 RK_OK, "%s", error.text);
    cr_expect_eq(import.plan.ranks, 64);
    const struct megatron_options none = {.gpus = 0};
    cr_expect_eq(read_text("torchrun --nnodes $NODES --nproc_per_node 8 pretrain_gpt.py " SMALL,
                           &none, &error),
                 RK_BAD_INPUT);
    cr_expect(strstr(error.text, "--set NODES=VALUE"), "%s", error.text);
}

/* The tables of arguments are sorted and do not overlap. */
Test(megatron, tables)
{
    struct megatron_other other;
    for (int i = 0; i < MEGATRON_FLAG_COUNT; i++) {
        cr_expect_not(megatron_other_find(megatron_flags[i].name, &other), "%s",
                      megatron_flags[i].name);
        cr_expect_eq(megatron_flag_find(megatron_flags[i].name, NULL), i);
    }
    cr_expect(megatron_other_find("adam-beta1", &other) && other.effect == MEGATRON_NONE);
    cr_expect(megatron_other_find("log-throughput", &other));
    cr_expect(megatron_other_find("yaml-config", &other) == false);
    cr_expect(megatron_other_find("s3-cache-path", &other) && other.until == 12);
    cr_expect(megatron_other_find("random-ltd", &other) && other.effect == MEGATRON_NOT_COVERED);
}

/* ---- what is not understood ---- */

Test(megatron, unknown_arguments_are_refused_until_ignored)
{
    static const char *const ignored[] = {"new-trick", "swap-attention"};
    const char *const text = SMALL "--new-trick 7 --swap-attention --save my model path";
    struct megatron_options options = {.gpus = 8};
    struct rk_error error;
    cr_expect_eq(read_text(text, &options, &error), RK_BAD_INPUT);
    cr_expect(strstr(error.text, "give --ignore new-trick"), "%s", error.text);
    options.ignored = ignored;
    options.ignored_count = 1;
    cr_expect_eq(read_text(text, &options, &error), RK_BAD_INPUT);
    cr_expect(strstr(error.text, "--swap-attention: activations move"), "%s", error.text);
    options.ignored_count = 2;
    cr_expect_eq(read_text(text, &options, &error), RK_OK, "%s", error.text);
}

Test(megatron, names_are_read_in_any_case)
{
    cr_expect_eq(model_with("--normalization rmsnorm")->norm, RK_RMS_NORM);
    cr_expect_eq(model_with("--normalization RMSNorm")->norm, RK_RMS_NORM);
}

Test(megatron, variants)
{
    static const char script[] =
        "if [ $DRY = 1 ]; then\n python pretrain_gpt.py " SMALL
        "--num-layers 2\nelse\n python pretrain_gpt.py " SMALL "\n python pretrain_gpt.py " SMALL
        "\nfi\npython tools/preprocess_data.py " SMALL;
    struct megatron_options options = {.gpus = 8};
    struct rk_error error;
    cr_expect_eq(read_text(script, &options, &error), RK_BAD_INPUT);
    cr_expect(strstr(error.text, "choose with --variant 1 to 2"), "%s", error.text);
    options.variant = 1;
    cr_expect_eq(read_text(script, &options, &error), RK_OK);
    cr_expect_eq(import.model.layers, 2);
    options.variant = 2;
    cr_expect_eq(read_text(script, &options, &error), RK_OK);
    cr_expect_eq(import.model.layers, 8);
    options.variant = 3;
    cr_expect_eq(read_text(script, &options, &error), RK_BAD_ARGUMENT);
}

Test(megatron, programs_that_train_something_else)
{
    const struct megatron_options options = {.gpus = 8};
    struct rk_error error;
    cr_expect_eq(read_text("python pretrain_bert.py " SMALL, &options, &error), RK_BAD_INPUT);
    cr_expect(strstr(error.text, "pretrain_bert.py trains an encoder"), "%s", error.text);
}

Test(megatron, vocabularies_by_name)
{
    static const struct {
        const char *arguments;
        uint64_t vocabulary; /* 0: is asked for */
        bool whole;          /* nothing is padded */
    } rows[] = {
        {"--tokenizer-type HuggingFaceTokenizer --tokenizer-model meta-llama/Llama-3.1-8B", 128256,
         false},
        {"--tokenizer-type Llama2Tokenizer --tokenizer-model x/tokenizer.model", 32000, false},
        {"--tokenizer-type Llama2Tokenizer --tokenizer-model x/llm-jp-tokenizer-100k.model", 0,
         false},
        {"--vocab-file data/gpt2-vocab.json", 50257, false},
        {"--patch-tokenizer-type Qwen2Tokenizer --extra-vocab-size 421", 152064, true},
        {"--patch-tokenizer-type Qwen3Tokenizer --extra-vocab-size 293", 151936, true},
        {"--tokenizer-type FalconTokenizer --vocab-size 65024", 65024, false},
        {"--tokenizer-name-or-path EleutherAI/gpt-neox-20b", 50277, false},
        {"--tokenizer-model my/own", 0, false},
        {"--tokenizer-name-or-path your tokenizer path --vocab-size 100", 100, false},
        {"--tokenizer-model", 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct megatron_options options = {.gpus = 8};
        struct rk_error error = {.text = ""};
        char text[512];
        snprintf(text, sizeof text, "%s%s", BARE, rows[i].arguments);
        const enum rk_status status = read_text(text, &options, &error);
        cr_expect_eq(status, rows[i].vocabulary ? RK_OK : RK_BAD_INPUT, "%s: %s", text, error.text);
        if (rows[i].vocabulary)
            cr_expect(import.model.vocabulary == rows[i].vocabulary &&
                          !import.plan.vocabulary_multiple == rows[i].whole,
                      "%s", text);
        else
            cr_expect(strstr(error.text, "give --vocabulary N"), "%s", error.text);
    }
}
