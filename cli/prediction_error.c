/* prediction_error.c - how far off a prediction may be, from the runs that were compared. */
#include "base/units.h"
#include "cli/verdict.h"
#include "facts/learned.h"
#include "machine/part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct report_column bar_columns[] = {
    {.name = "class"}, {.name = "runs"}, {.name = "sources"},
    {.name = "p5"}, {.name = "p25"}, {.name = "p50"}, {.name = "p75"}, {.name = "p95"}};
/* clang-format on */
enum { BAR_COLUMNS = sizeof bar_columns / sizeof *bar_columns };

/* The ratios that 5, 25, 50, 75 and 95 % of the measured runs stay below. */
static void add_record(struct report *report, const char *name, const struct error_class *c,
                       double predicted)
{
    struct report_cell cells[BAR_COLUMNS] = {cell_text(report_text(report, "%s", c->of)),
                                             cell_count(c->runs), cell_count(c->sources)};
    for (int i = 0; i < ERROR_SHARES; i++)
        cells[3 + i] = cell_number(predicted * c->ratio[i]);
    report_row(report, REPORT_ONE(report, name, NULL, REPORT_IN_JSON, bar_columns), cells);
}

static struct error_request request_of(const struct forecast *f)
{
    return (struct error_request){f->model,
                                  forecast_system(f, f->prediction->tightest)->id,
                                  f->plan,
                                  (double)rk_model_parameters(f->model),
                                  products_share(f->prediction),
                                  PUBLISHED_UNKNOWN};
}

/* The Calculon model was compared with no measured runs. */
static const struct error_bars *bars_of(const struct forecast *f)
{
    return f->prediction->timed && rk_answerer(f->plan->framework)->measured ? learned_bars()
                                                                             : NULL;
}

/* The request's class, or that of benchmarks or ordinary runs alone. Few steps were measured over
 * several clusters, and no class is about them. */
static bool times_of(const struct forecast *f, enum published published, struct error_class *class)
{
    const struct error_bars *bars = f->system->machine ? NULL : bars_of(f);
    struct error_request request = request_of(f);
    request.published = published;
    return bars && error_bar_of(bars, &request, class);
}

bool forecast_class(const struct forecast *f, struct error_class *class)
{
    return times_of(f, PUBLISHED_UNKNOWN, class);
}

/* "; of tuned benchmarks 3.1-3.6 s", the 50 % interval; "" where there is none. */
static const char *half_text(struct report *report, const struct forecast *f,
                             enum published published, const char *of)
{
    struct error_class class;
    char half[2 * QUANTITY_TEXT];
    const double step_s = f->prediction->step_s;
    if (!times_of(f, published, &class)) return "";
    return report_text(report, "%s %s", of,
                       quantity_interval(half, QUANTITY_SECONDS, step_s * class.ratio[1],
                                         step_s * class.ratio[3]));
}

bool forecast_range(const struct forecast *f, double step_s[FORECAST_QUANTILES])
{
    struct error_class class;
    if (!forecast_class(f, &class)) return false;
    for (int i = 0; i < FORECAST_QUANTILES; i++)
        step_s[i] = f->prediction->step_s * class.ratio[i];
    return true;
}

/* Why the predicted step is outside of its 50 % interval; "" where it is not. */
static const char *aside_text(struct report *report, const struct error_class *c)
{
    if (c->ratio[1] <= 1 && c->ratio[3] >= 1) return "";
    return report_text(report, ", half of which took %s than %.2f times the predicted step",
                       c->ratio[1] > 1 ? "more" : "less", c->ratio[2]);
}

static const char *bar_text(struct report *report, const struct forecast *f,
                            const struct error_class *c)
{
    char half[2 * QUANTITY_TEXT], most[2 * QUANTITY_TEXT];
    const double step_s = f->prediction->step_s;
    quantity_interval(half, QUANTITY_SECONDS, step_s * c->ratio[1], step_s * c->ratio[3]);
    quantity_interval(most, QUANTITY_SECONDS, step_s * c->ratio[0], step_s * c->ratio[4]);
    return report_text(
        report,
        "50 %% interval %s, 90 %% interval %s (cross-validated on %s: %llu runs from "
        "%llu source%s%s)%s%s",
        half, most, c->of, (unsigned long long)c->runs, (unsigned long long)c->sources,
        c->sources == 1 ? "" : "s", aside_text(report, c),
        half_text(report, f, PUBLISHED_BENCHMARK, "; 50 % interval of tuned benchmarks"),
        half_text(report, f, PUBLISHED_ORDINARY, ", of ordinary runs"));
}

static void add_time_records(struct report *report, const struct forecast *f)
{
    static const char *const names[] = {"error_bar", "error_bar_benchmarks", "error_bar_ordinary"};
    struct error_class class;
    for (int i = PUBLISHED_UNKNOWN; i <= PUBLISHED_ORDINARY; i++)
        if (times_of(f, (enum published)i, &class))
            add_record(report, names[i], &class, f->prediction->step_s);
}

const char *learned_times(struct report *report, const struct forecast *f)
{
    struct error_class class;
    if (f->system->machine && bars_of(f))
        return "no interval, because no class of measured runs is over several clusters";
    return forecast_class(f, &class) ? bar_text(report, f, &class) : NULL;
}

static void add_memory_records(struct report *report, const struct error_class *c, double total,
                               double fits)
{
    add_record(report, "memory_error_bar", c, total);
    REPORT_OBJECT(report, "memory_fits", {"probability", cell_number(fits)});
}

/* What the class says of the fullest stage, and how likely it is that it fits. */
static void add_memory_bar(struct report *report, const struct forecast *f,
                           const struct error_class *c)
{
    const double total = f->prediction->stage[f->prediction->tightest].total_bytes;
    const double room = forecast_system(f, f->prediction->tightest)->memory[0].capacity_bytes;
    const double fits = verdict_probability(f);
    const bool lower = f->prediction->verdict == RK_MEMORY_EXCEEDED && total <= room;
    const char *chance = fits > 0.995   ? lower ? "the GPU's memory suffices" : "it fits"
                         : fits < 0.005 ? "it does not fit"
                                        : verdict_chance(report, fits);
    const size_t prefix = strlen("peak memory, ");
    const char *of = strlen(c->of) > prefix ? c->of + prefix : "all frameworks";
    report_note(
        report,
        report_text(
            report,
            "  memory: 90 %% interval %.1f-%.1f of %.1f GiB (cross-validated on %s: %llu runs from "
            "%llu source%s); %s",
            total * c->ratio[0] / 0x1p30, total * c->ratio[4] / 0x1p30, room / 0x1p30, of,
            (unsigned long long)c->runs, (unsigned long long)c->sources, c->sources == 1 ? "" : "s",
            chance));
    add_memory_records(report, c, total, fits);
}

static void add_warnings(struct report *report, const struct error_bars *bars,
                         const struct error_request *request)
{
    static const struct report_column columns[] = {{.name = "outside"}};
    struct report_table *table = NULL;
    char text[160];
    for (int i = 0; error_bar_warning(bars, request, i, text, sizeof text); i++) {
        const char *kept = report_text(report, "%s", text);
        if (!table) table = REPORT_LIST(report, "warnings", NULL, REPORT_IN_JSON, columns);
        REPORT_ROW(report, table, cell_text(kept));
        report_note(report, report_text(report, "  outside what was validated: %s", kept));
    }
}

/* A host that starts each kernel from Python, as those of Megatron-LM's functional tests do. */
#define SLOW_HOST_S 150e-6

/* What the host costs, what a slow one would, and what removes it. */
static void add_host(struct report *report, const struct forecast *f)
{
    static struct rk_prediction slow;
    struct rk_system system = *f->system;
    char host[QUANTITY_TEXT], step[QUANTITY_TEXT];
    const double step_s = f->prediction->step_s, launch_s = f->system->kernels.launch_s;
    const bool captured = f->plan->cuda_graphs && !f->plan->graph_parts;
    if (captured || !(launch_s > 0) || f->system->machine) return;
    if (f->prediction->launch_s > 0.02 * step_s)
        report_note(report,
                    report_text(report,
                                "  host-bound: launch overhead takes %.0f %% of the step, %s per "
                                "kernel; CUDA graphs (cuda-graphs), larger microbatches or fewer "
                                "tensor ranks remove it",
                                100 * f->prediction->launch_s / step_s,
                                quantity_format(host, QUANTITY_SECONDS, launch_s)));
    system.kernels.launch_s = fmax(launch_s, SLOW_HOST_S);
    rk_predict(f->model, &system, f->plan, &slow);
    if (slow.timed && slow.step_s > 1.05 * step_s)
        report_note(
            report,
            report_text(report,
                        "  with a host that launches kernels from Python (%.0f us each) the "
                        "step takes %s",
                        SLOW_HOST_S * 1e6, quantity_format(step, QUANTITY_SECONDS, slow.step_s)));
}

/* Between nodes a catalog entry has the usual adapters of its time: clusters with a tenth of that
 * are common, and runs at 0.3 GB/s are among those of data/measured. Said where it decides the
 * answer. */
void forecast_fabric(struct report *report, const struct forecast *f)
{
    enum { SLOWER = 4, BITS = 8 };
    static struct rk_prediction slow;
    struct rk_system system;
    struct rk_error error;
    char rate[QUANTITY_TEXT], step[QUANTITY_TEXT];
    const int last = f->system->networks - 1;
    const bool own = strchr(f->system->id, ' ') || strchr(f->system->id, '/');
    if (f->system->machine || last < 1 || own || f->plan->ranks <= f->system->network[0].size)
        return;
    if (rk_system_copy(&system, f->system, &error) != RK_OK) return;
    const double rate_Bps = system.network[last].bandwidth_Bps;
    network_at(&system.network[last], 1.0 / SLOWER);
    rk_predict(f->model, &system, f->plan, &slow);
    rk_system_release(&system);
    if (!slow.timed || slow.step_s < 1.15 * f->prediction->step_s) return;
    report_note(report,
                report_text(report,
                            "  the network matters: %s per GPU between nodes is assumed; with "
                            "a quarter of it the step takes %s (-s \"%s net%d=%.4gGb/s\" is that "
                            "quarter, reckon calibrate --nccl a measured rate)",
                            quantity_format(rate, QUANTITY_BYTES_PER_S, rate_Bps),
                            quantity_format(step, QUANTITY_SECONDS, slow.step_s), f->system->id,
                            last, rate_Bps / SLOWER * BITS / 1e9));
}

void forecast_memory_errors(struct report *report, const struct forecast *f)
{
    const struct error_bars *bars = bars_of(f);
    struct error_class memory;
    if (!bars) return;
    const struct error_request request = request_of(f);
    if (error_bar_of_memory(bars, &request, &memory)) add_memory_bar(report, f, &memory);
}

void forecast_warnings(struct report *report, const struct forecast *f)
{
    const struct error_bars *bars = bars_of(f);
    if (!bars) return;
    const struct error_request request = request_of(f);
    add_warnings(report, bars, &request);
}

void forecast_error_records(struct report *report, const struct forecast *f)
{
    const struct error_bars *bars = bars_of(f);
    struct error_class peaks;
    if (!bars) return;
    const struct error_request request = request_of(f);
    const int tightest = f->prediction->tightest;
    const double total = f->prediction->stage[tightest].total_bytes;
    const double room = forecast_system(f, tightest)->memory[0].capacity_bytes;
    add_time_records(report, f);
    if (error_bar_of_memory(bars, &request, &peaks))
        add_memory_records(report, &peaks, total, error_share_below(&peaks, room / total));
}

void forecast_errors(struct report *report, const struct forecast *f)
{
    const struct error_bars *bars = bars_of(f);
    struct error_class class;
    if (!bars) return;
    const struct error_request request = request_of(f);
    const char *times = learned_times(report, f);
    if (times) report_note(report, report_text(report, "  time: %s", times));
    add_time_records(report, f);
    if (error_bar_of_memory(bars, &request, &class)) add_memory_bar(report, f, &class);
    add_host(report, f);
    forecast_fabric(report, f);
    add_warnings(report, bars, &request);
}
