/* One plan has one step, one memory and one MFU, whoever is asked: random models, machines and
 * plans go through every command within this process, and what they say is compared. RECKON_SEED=N
 * starts at case N; RECKON_SLOW=1 takes 2,000 cases for 100. */
#include "agree_cases.h"
#include "drawn.h"

#include <jansson.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static struct agree_case this;

#define SEED                   "case %" PRIu64 " (RECKON_SEED): -m %s -s \"%s\" %s: "
#define OF_CASE                this.seed, this.model_file, this.system, this.words
#define EXPECT(condition, ...) cr_expect(condition, SEED __VA_ARGS__)

/* ---- asking ---- */

enum { MOST_WORDS = 64 };

/* What a command answers as JSON, and its exit status; NULL: it is refused. */
static json_t *ask_words(const char *const *words, int *code, char *remarks, size_t size)
{
    struct rk_command_answer answer;
    int count = 0;
    while (words[count])
        count++;
    *code = rk_command(count, words, NULL, NULL, &answer);
    json_t *json = answer.text && answer.text[0] == '{' ? json_loads(answer.text, 0, NULL) : NULL;
    snprintf(remarks, size, "%s", answer.remarks ? answer.remarks : "");
    rk_command_release(&answer);
    return json;
}

static int code;
static char remarks[2048];

#define ASK(...)                                                                                   \
    ask_words((const char *const[]){__VA_ARGS__, "--format", "json", NULL}, &code, remarks,        \
              sizeof remarks)
#define OF_MACHINE "-m", this.model_file, "-s", this.system

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

static bool near(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* What all others are held against: the answer of `reckon predict`. */
struct shown {
    json_t *answer;
    const json_t *rates, *figures, *stages, *tightest;
    double step_s, mfu, hbm_bytes, offload_bytes;
    char plan[RK_PLAN_TEXT];
};

static bool show(struct shown *s, json_t *answer)
{
    *s = (struct shown){.answer = answer};
    s->rates = json_object_get(answer, "rates");
    s->figures = json_object_get(answer, "figures");
    s->stages = json_object_get(answer, "stages");
    s->tightest = json_array_get(s->stages, (size_t)number(answer, "tightest_stage"));
    s->step_s = number(s->rates, "step_s");
    s->mfu = number(s->rates, "mfu");
    s->hbm_bytes = number(s->figures, "hbm_bytes");
    s->offload_bytes = number(s->figures, "offload_bytes");
    snprintf(s->plan, sizeof s->plan, "%s", text(answer, "plan_words"));
    return s->rates && s->stages;
}

/* The same rates, figures and stages, part by part. */
static void expect_same(const struct shown *s, json_t *again, const char *who)
{
    struct shown other;
    const bool shown = show(&other, again);
    EXPECT(shown, "%s refuses it: %s", OF_CASE, who, remarks);
    if (shown) {
        EXPECT(json_equal(s->rates, other.rates), "%s has %.17g s, not %.17g", OF_CASE, who,
               other.step_s, s->step_s);
        EXPECT(json_equal(s->figures, other.figures), "%s has other figures", OF_CASE, who);
        EXPECT(json_equal(s->stages, other.stages), "%s has other stages", OF_CASE, who);
    }
    json_decref(again);
}

static void expect_figures(const struct shown *s, const json_t *row, const char *who)
{
    const struct {
        const char *key;
        double value;
    } figures[] = {{"step_s", s->step_s},
                   {"mfu", s->mfu},
                   {"hbm_bytes", s->hbm_bytes},
                   {"offload_bytes", s->offload_bytes}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const double value = number(row, figures[i].key);
        const bool has = json_object_get(row, figures[i].key) != NULL;
        EXPECT(!has || near(value, figures[i].value), "%s: %s %.17g, not %.17g", OF_CASE, who,
               figures[i].key, value, figures[i].value);
    }
}

/* A row that names its plan: predicted, that has the row's figures. */
static void expect_predicted(const json_t *row, const char *who)
{
    struct shown other;
    json_t *answer = ASK("predict", OF_MACHINE, text(row, "plan"));
    const bool shown = show(&other, answer);
    EXPECT(shown, "%s: its plan \"%s\" is refused: %s", OF_CASE, who, text(row, "plan"), remarks);
    if (shown) expect_figures(&other, row, who);
    json_decref(answer);
}

/* ---- the prediction by itself ---- */

static bool is_part(const char *key)
{
    static const char *const sums[] = {"static_bytes", "allocated_bytes", "total_bytes",
                                       "left_bytes", "offloaded_bytes"};
    const size_t length = strlen(key);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (strcmp(key, sums[i]) == 0) return false;
    return length > 6 && strcmp(key + length - 6, "_bytes") == 0;
}

static void check_sums(const struct shown *s)
{
    double times = 0;
    for (const struct rk_figure *f = rk_figures(); f->name; f++)
        if (f->time && json_object_get(s->figures, f->name)) times += number(s->figures, f->name);
    EXPECT(near(times, s->step_s), "its parts take %.17g s, the step %.17g", OF_CASE, times,
           s->step_s);
    size_t i;
    json_t *stage;
    json_array_foreach(s->stages, i, stage)
    {
        double bytes = 0;
        const char *key;
        json_t *value;
        json_object_foreach(stage, key, value) if (is_part(key)) bytes += json_number_value(value);
        EXPECT(near(bytes, number(stage, "total_bytes")), "parts of stage %zu are %.17g of %.17g",
               OF_CASE, i, bytes, number(stage, "total_bytes"));
    }
}

/* A figure above the peak is an error of the prediction; nothing clamps it. */
static void check_mfu(const struct shown *s)
{
    const double hfu = number(s->rates, "hfu");
    EXPECT(isfinite(s->step_s), "the step takes %g s", OF_CASE, s->step_s);
    EXPECT(s->mfu > 0 && s->mfu <= hfu && hfu <= 1, "MFU %g, HFU %g", OF_CASE, s->mfu, hfu);
}

/* Its words and its JSON are the plan. */
static void check_plan_said_again(const struct shown *s)
{
    char file[96], gpus[24];
    snprintf(gpus, sizeof gpus, "%.0f", number(json_object_get(s->answer, "plan"), "gpus"));
    expect_same(s, ASK("predict", OF_MACHINE, s->plan), "the plan in words");
    expect_same(s, ASK("predict", OF_MACHINE, "-g", gpus, s->plan), "the plan with --gpus");
    snprintf(file, sizeof file, "%s/plan.json", this.folder);
    json_t *plan = json_deep_copy(json_object_get(s->answer, "plan"));
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(plan, next, key, value) if (json_is_null(value))
        json_object_del(plan, key);
    json_object_del(plan, "data"); /* follows from the others */
    cr_assert_eq(json_dump_file(plan, file, 0), 0);
    expect_same(s, ASK("predict", OF_MACHINE, "--plan", file), "the plan of its JSON");
    json_decref(plan);
}

/* ---- other commands ---- */

static void check_fits(const struct shown *s)
{
    json_t *answer = ASK("fits", OF_MACHINE, this.words);
    EXPECT(json_equal(json_object_get(answer, "stages"), s->stages), "fits has other stages",
           OF_CASE);
    EXPECT(number(answer, "step_s") == s->step_s && number(answer, "need_bytes") == s->hbm_bytes,
           "fits: %.17g s, %.17g B", OF_CASE, number(answer, "step_s"),
           number(answer, "need_bytes"));
    EXPECT(strcmp(text(answer, "verdict"), text(s->answer, "verdict")) == 0, "fits says %s",
           OF_CASE, text(answer, "verdict"));
    json_decref(answer);
}

/* What check calls an error of memory does not fit, and is not unsure. */
static void check_checked(const struct shown *s)
{
    json_t *answer = ASK("check", OF_MACHINE, s->plan), *finding;
    size_t i;
    EXPECT(answer, "check refuses it: %s", OF_CASE, remarks);
    json_array_foreach(json_object_get(answer, "findings"), i, finding)
    {
        const bool memory = strncmp(text(finding, "rule"), "5.", 2) == 0;
        if (!memory || strcmp(text(finding, "severity"), "error") != 0) continue;
        EXPECT(strcmp(text(s->answer, "outcome"), "does not fit") == 0, "check: %s %s, predict: %s",
               OF_CASE, text(finding, "rule"), text(finding, "have"), text(s->answer, "outcome"));
    }
    json_decref(answer);
}

static void check_timeline(const struct shown *s)
{
    json_t *answer = ASK("timeline", OF_MACHINE, s->plan);
    const json_t *reasons = json_object_get(answer, "differences");
    EXPECT(answer, "timeline refuses it: %s", OF_CASE, remarks);
    EXPECT(number(answer, "estimate_step_s") == s->step_s, "timeline's formula has %.17g s",
           OF_CASE, number(answer, "estimate_step_s"));
    const bool same = json_array_size(reasons) == 0; /* it says why the two may differ */
    EXPECT(!same || near(number(answer, "step_s"), s->step_s), "simulated %.17g s, not %.17g",
           OF_CASE, number(answer, "step_s"), s->step_s);
    const json_t *device = json_array_get(json_object_get(answer, "memory"), 0);
    EXPECT(number(device, "estimate_bytes") == s->hbm_bytes, "timeline's memory is %.17g", OF_CASE,
           number(device, "estimate_bytes"));
    EXPECT(!same || near(number(device, "peak_bytes"), s->hbm_bytes), "simulated %.17g B", OF_CASE,
           number(device, "peak_bytes"));
    json_decref(answer);
}

static void check_diff_rows(const json_t *answer, const char *list, const char *unit,
                            const json_t *of)
{
    size_t i;
    json_t *row;
    char a[16], key[64];
    snprintf(a, sizeof a, "a_%s", unit);
    json_array_foreach(json_object_get(answer, list), i, row)
    {
        snprintf(key, sizeof key, "%s_%s", text(row, "part"), unit);
        if (!json_object_get(of, key)) continue;
        EXPECT(number(row, a) == number(of, key), "diff: %s is %.17g, not %.17g", OF_CASE, key,
               number(row, a), number(of, key));
    }
}

/* Beside the plan with a change that `fits` offers: it takes and needs what is offered. */
static void check_diff(const struct shown *s)
{
    json_t *fits = ASK("fits", OF_MACHINE, this.words);
    const json_t *changes = json_object_get(fits, "changes");
    const size_t count = json_array_size(changes);
    for (int k = 0; k < 2; k++) {
        const json_t *change = count ? json_array_get(changes, draw(count)) : NULL;
        char words[160];
        snprintf(words, sizeof words, "+%s", change ? text(change, "change") : "seq=4096");
        json_t *answer = ASK("diff", s->plan, words, OF_MACHINE);
        EXPECT(answer, "diff %s is refused: %s", OF_CASE, words, remarks);
        EXPECT(number(answer, "a_step_s") == s->step_s, "diff: %.17g s", OF_CASE,
               number(answer, "a_step_s"));
        EXPECT(number(answer, "a_need_bytes") == s->hbm_bytes, "diff: %.17g B", OF_CASE,
               number(answer, "a_need_bytes"));
        check_diff_rows(answer, "times", "s", s->figures);
        check_diff_rows(answer, "memory", "bytes", s->tightest);
        EXPECT(!change || near(number(answer, "b_step_s"), number(change, "step_s")),
               "fits says that %s takes %.17g s, diff %.17g", OF_CASE, words,
               number(change, "step_s"), number(answer, "b_step_s"));
        json_decref(answer);
    }
    json_decref(fits);
}

static bool stage_has(const struct shown *s, double bytes)
{
    size_t i;
    json_t *stage;
    json_array_foreach(s->stages, i,
                       stage) if (near(number(stage, "total_bytes"), bytes)) return true;
    return false;
}

/* From the predicted memory of the rank's stage the rows lead to the peak. */
static void check_place(const struct shown *s)
{
    const double ranks = number(json_object_get(s->answer, "plan"), "gpus");
    char rank[24]; /* one of the first stage, or of the last */
    snprintf(rank, sizeof rank, "%.0f", this.seed % 3 == 0 ? ranks - 1 : 0);
    json_t *answer = ASK("place", OF_MACHINE, s->plan, "--steps", "1", "--lasting", "--rank", rank);
    const json_t *rows = json_object_get(answer, "from_prediction");
    double sum = 0, peak = 0;
    size_t i;
    json_t *row;
    if (code > 1 || strstr(remarks, "cannot be lowered"))
        return json_decref(answer); /* no rank program: it says why */
    if (!rows && rk_machine_is_several(this.system))
        return json_decref(answer); /* not the fullest */
    EXPECT(stage_has(s, number(json_array_get(rows, 0), "bytes")), "place predicts %.17g B",
           OF_CASE, number(json_array_get(rows, 0), "bytes"));
    json_array_foreach(rows, i, row)
    {
        if (strcmp(text(row, "part"), "peak") == 0)
            peak = number(row, "bytes");
        else
            sum += number(row, "bytes");
    }
    EXPECT(fabs(sum - peak) < 1, "place: rows are %.17g of %.17g", OF_CASE, sum, peak);
    json_decref(answer);
}

static const char bound[] = "by tensor and layer"; /* of no plan */

static void check_offload(const struct shown *s)
{
    json_t *answer = this.lower_tiers ? ASK("offload", OF_MACHINE, s->plan) : NULL, *row;
    const json_t *rules = json_object_get(answer, "rules");
    size_t i;
    json_array_foreach(rules, i, row)
    {
        if (i == 0) expect_figures(s, row, "offload, as the plan says");
        if (json_is_number(json_object_get(row, "step_s")) && strcmp(text(row, "rule"), bound))
            expect_predicted(row, text(row, "rule"));
    }
    json_decref(answer);
}

/* The first block with cards has the figures by name of its columns. */
static void check_report(const struct shown *s)
{
    json_t *answer = ASK("report", OF_MACHINE, s->plan), *block, *column;
    size_t i, k;
    EXPECT(answer, "report refuses it: %s", OF_CASE, remarks);
    json_array_foreach(json_object_get(answer, "blocks"), i, block)
    {
        if (strcmp(text(block, "kind"), "cards")) continue;
        json_t *row = json_object();
        json_array_foreach(json_object_get(block, "columns"), k, column)
            json_object_set(row, json_string_value(json_array_get(column, 0)),
                            json_array_get(json_array_get(json_object_get(block, "rows"), 0), k));
        expect_figures(s, row, "report");
        json_decref(row);
        break;
    }
    json_decref(answer);
}

/* ---- there and back ---- */

struct tool {
    const char *name, *file;
    bool has_model;
};

static const struct tool tools[] = {{"megatron", "run.sh", true},
                                    {"deepspeed", "ds_config.json", false},
                                    {"torchtitan", "job.toml", false},
                                    {"accelerate", "accelerate.yaml", false},
                                    {"nanotron", "train.yaml", true}};

/* Plans that a tool's file says without loss are read from it as they were. */
static int check_tool(const struct shown *s, const struct tool *tool)
{
    char file[96], launch[96], gpus[24];
    snprintf(file, sizeof file, "%s/%s", this.folder, tool->file);
    snprintf(launch, sizeof launch, "%s/launch.sh", this.folder);
    snprintf(gpus, sizeof gpus, "%.0f", number(json_object_get(s->answer, "plan"), "gpus"));
    const char *const write[] = {"export", tool->name, "-m", this.model_file,
                                 s->plan,  "-o",       file, NULL};
    json_decref(ask_words(write, &code, remarks, sizeof remarks));
    if (code != RK_OK || strstr(remarks, "warning")) return 0;
    const bool launched = strcmp(tool->name, "accelerate") == 0;
    if (launched) save_launch(file, launch);
    json_t *answer = tool->has_model ? ASK("import", tool->name, file, "-s", this.system)
                                     : ASK("import", tool->name, launched ? launch : file, "-m",
                                           this.model_file, "-s", this.system, "-g", gpus);
    struct shown back;
    const bool shown = show(&back, answer);
    EXPECT(shown, "import %s refuses what export wrote: %s", OF_CASE, tool->name, remarks);
    if (shown) expect_figures(s, back.rates, tool->name);
    if (shown) expect_figures(s, back.figures, tool->name);
    json_decref(answer);
    return 1;
}

static int check_tools(const struct shown *s)
{
    int written = 0;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        written += check_tool(s, &tools[i]);
    return written;
}

/* ---- what is found ---- */

static void check_search(const struct shown *s)
{
    char gpus[24], batch[24], tensor[24], pipeline[24];
    const json_t *plan = json_object_get(s->answer, "plan");
    snprintf(gpus, sizeof gpus, "%.0f", number(plan, "gpus"));
    snprintf(batch, sizeof batch, "%.0f", number(plan, "batch"));
    snprintf(tensor, sizeof tensor, "%.0f", number(plan, "tensor"));
    snprintf(pipeline, sizeof pipeline, "%.0f", number(plan, "pipeline"));
    json_t *answer =
               ASK("search", OF_MACHINE, "-g", gpus, "-b", batch, "--tensor", tensor, "--pipeline",
                   pipeline, "--framework", text(plan, "framework"), "-k", "3", "-q"),
           *row;
    size_t i;
    json_array_foreach(json_object_get(answer, "best"), i, row)
    {
        expect_predicted(row, "search");
        EXPECT(number(row, "mfu") <= 1, "search: MFU %g", OF_CASE, number(row, "mfu"));
    }
    json_decref(answer);
}

/* ---- all of them ---- */

static int written;

static void check_all(const struct shown *s)
{
    check_sums(s);
    check_mfu(s);
    check_plan_said_again(s);
    check_fits(s);
    check_checked(s);
    check_timeline(s);
    check_diff(s);
    check_place(s);
    check_offload(s);
    check_report(s);
    written += check_tools(s);
    if (this.seed % 20 == 0) check_search(s);
}

static void check_case(uint64_t seed)
{
    struct shown s;
    state = seed * UINT64_C(1000003);
    this.seed = seed;
    for (int tries = 0; tries < 1000; tries++) {
        draw_case(&this);
        if (show(&s, ASK("predict", OF_MACHINE, this.words))) {
            check_all(&s);
            json_decref(s.answer);
            return;
        }
        json_decref(s.answer);
    }
    cr_assert_fail("case %" PRIu64 ": no plan was predicted", seed);
}

static void make_folder(void)
{
    snprintf(this.folder, sizeof this.folder, P_tmpdir "/reckon-agree-XXXXXX");
    cr_assert(mkdtemp(this.folder));
}

static void remove_folder(void)
{
    static const char *const files[] = {"model.json", "plan.json", "launch.sh"};
    char path[128];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", this.folder, files[i]);
        unlink(path);
    }
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        snprintf(path, sizeof path, "%s/%s", this.folder, tools[i].file);
        unlink(path);
    }
    cr_expect_eq(rmdir(this.folder), 0);
}

Test(agree, every_command_says_the_same)
{
    const struct drawn cases = drawn_cases(DRAWN(50), 2000);
    make_folder();
    for (uint64_t seed = cases.first; seed < cases.end; seed++)
        check_case(seed);
    printf("agree: cases from %" PRIu64 ", %d files of other tools\n", cases.first, written);
    cr_expect(drawn_enough(written > 10));
    remove_folder();
}

/* ---- plans over several clusters ---- */

static void draw_clusters(uint64_t seed)
{
    state = seed * UINT64_C(1000003);
    this.seed = seed;
    this.model = draw_model();
    this.model.layers += 2;
    this.model.bidirectional = false;
    save_model(&this);
    this.lower_tiers = seed % 2;
    const char *gpus = ONE_OF("8", "16"),
               *old = ONE_OF("a100-sxm4-80g", "v100-sxm2-32g", "h800-sxm5-80g");
    snprintf(this.system, sizeof this.system,
             "h100-sxm5-80g x%s name=new%s + %s x%s name=old%s link=%sGb/s@50us", gpus,
             seed % 2 ? " mem2=256GiB@50GB/s" : "", old, ONE_OF("8", "16"),
             seed % 2 ? " mem2=64GiB@12GB/s" : "", ONE_OF("10", "100", "400"));
    snprintf(this.words, sizeof this.words, "precision=fp16%s",
             ONE_OF("", " recompute=full", " zero2", " tp2", " schedule=gpipe"));
}

/* Each stage has the same bytes, whoever is asked. */
static void expect_stages(const json_t *found, const json_t *said, const char *key, const char *who)
{
    const json_t *stages = json_object_get(found, "placement"),
                 *other = json_object_get(said, "stages");
    EXPECT(json_array_size(stages) == json_array_size(other), "%s has other stages", OF_CASE, who);
    for (size_t i = 0; i < json_array_size(stages); i++) {
        const double bytes = number(json_array_get(stages, i), "bytes");
        const double own = number(json_array_get(other, i), key);
        EXPECT(near(bytes, own), "%s: stage %zu has %.17g B, not %.17g", OF_CASE, who, i, own,
               bytes);
    }
}

static void check_clusters(const json_t *found, const char *file)
{
    const double step_s = number(json_array_get(json_object_get(found, "best"), 0), "step_s");
    struct shown s;
    json_t *again = ASK("predict", OF_MACHINE, "--plan", file);
    json_t *timeline = ASK("timeline", OF_MACHINE, "--plan", file);
    json_t *fits = ASK("fits", OF_MACHINE, "--plan", file);
    EXPECT(near(number(json_object_get(again, "rates"), "step_s"), step_s), "predict: %.17g s",
           OF_CASE, number(json_object_get(again, "rates"), "step_s"));
    EXPECT(near(number(timeline, "step_s"), step_s), "timeline: %.17g s", OF_CASE,
           number(timeline, "step_s"));
    EXPECT(near(number(fits, "step_s"), step_s), "fits: %.17g s", OF_CASE, number(fits, "step_s"));
    expect_stages(found, again, "total_bytes", "predict");
    expect_stages(found, timeline, "peak_bytes", "timeline");
    expect_stages(found, fits, "total_bytes", "fits");
    if (show(&s, again)) {
        check_place(&s);
        check_offload(&s);
    }
    json_decref(again);
    json_decref(timeline);
    json_decref(fits);
}

static void expect_checked(json_t *answer)
{
    char *found = answer ? json_dumps(answer, JSON_COMPACT) : NULL;
    EXPECT(code == RK_OK, "check: exit %d: %.400s", OF_CASE, code, found ? found : remarks);
    free(found);
    json_decref(answer);
}

/* The best plan that Megatron-LM launches: never faster than the best, the answer of --launchable,
 * and without an error in check. */
static void check_launchable(const json_t *found, const char *file)
{
    const json_t *named = json_object_get(found, "launchable");
    const double step_s = number(json_array_get(json_object_get(found, "best"), 0), "step_s");
    const double launched_s = number(named, "step_s");
    EXPECT(named && !(launched_s < step_s), "%.17g s is launched, the best takes %.17g", OF_CASE,
           launched_s, step_s);
    if (isnan(launched_s)) return;
    json_t *only =
        ASK("search", OF_MACHINE, "-b", "64", this.words, "--launchable", "--save-plan", file);
    const double only_s = number(json_array_get(json_object_get(only, "best"), 0), "step_s");
    EXPECT(near(only_s, launched_s), "--launchable: %.17g s, not %.17g", OF_CASE, only_s,
           launched_s);
    json_decref(only);
    expect_checked(ASK("check", OF_MACHINE, file));
    expect_checked(ASK("check", "-m", this.model_file, "-s", "h100-sxm5-80g hbm=999GiB",
                       text(named, "words")));
}

Test(agree, clusters)
{
    int found = 0;
    const struct drawn cases = drawn_cases(DRAWN(10), 200);
    char file[96];
    make_folder();
    snprintf(file, sizeof file, "%s/plan.json", this.folder);
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        draw_clusters(seed);
        json_t *answer = ASK("search", OF_MACHINE, "-b", "64", this.words, "--save-plan", file);
        if (answer && code == RK_OK) {
            check_clusters(answer, file);
            check_launchable(answer, file);
            found++;
        }
        json_decref(answer);
    }
    printf("agree: plans over clusters from %" PRIu64 ", %d\n", cases.first, found);
    cr_expect(drawn_enough(found > 3));
    remove_folder();
}
