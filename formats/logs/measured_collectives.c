/* What nccl-tests prints, and the JSON that it writes with -J. */
#include "logs/measured.h"
#include "machine/kernels.h"
#include "text/lines.h"

#include <stdio.h>
#include <string.h>

/* Their programs are called all_reduce_perf, ... */
static const struct {
    const char *name;
    enum collective collective;
} programs[] = {
    {"all_reduce", ALL_REDUCE}, {"reduce_scatter", REDUCE_SCATTER}, {"all_gather", ALL_GATHER},
    {"alltoall", ALL_TO_ALL},   {"all_to_all", ALL_TO_ALL},         {"sendrecv", SEND},
};

enum { HOST_SIZE = 64 };

struct reading {
    const char *path;
    const struct collectives_options *options;
    int operation; /* index of programs; -1: not known yet */
    uint64_t ranks, hosts, groups;
    char last_host[HOST_SIZE];
    double unit_s; /* of times: microseconds; milliseconds in those of 2017 */
    struct samples *samples;
};

static int find_operation(const char *text)
{
    for (size_t i = 0; text && i < sizeof programs / sizeof *programs; i++)
        if (strstr(text, programs[i].name)) return (int)i;
    return -1;
}

/* Ranks are listed host by host. */
static void add_device(struct reading *reading, const char *host, uint64_t group)
{
    if (group == 0) reading->ranks++;
    if (group + 1 > reading->groups) reading->groups = group + 1;
    if (strcmp(reading->last_host, host) == 0) return;
    snprintf(reading->last_host, sizeof reading->last_host, "%s", host);
    reading->hosts++;
}

/* Neighbours in the order in which nodes are filled: one of each node is `node` apart. */
static struct rank_group group_of(const struct reading *reading)
{
    const uint64_t ranks = reading->options->ranks ? reading->options->ranks : reading->ranks;
    const uint64_t all = reading->ranks * (reading->groups ? reading->groups : 1);
    const uint64_t hosts = reading->hosts ? reading->hosts : 1;
    const uint64_t each = all / hosts / (reading->groups > 1 ? reading->groups : 1);
    const uint64_t node = reading->options->node;
    const bool spread = hosts > 1 && each >= 1 && each < node;
    return (struct rank_group){(double)ranks, spread ? (double)(node / each) : 1};
}

static enum rk_status check_known(const struct reading *reading, struct rk_error *error)
{
    if (reading->operation < 0)
        return rk_fail(error, RK_BAD_INPUT, reading->path, 0, 0,
                       "does not say which collective it is: name it with --collective all_reduce, "
                       "reduce_scatter, all_gather, alltoall or sendrecv");
    if (group_of(reading).ranks < 2)
        return rk_fail(error, RK_BAD_INPUT, reading->path, 0, 0,
                       "lists no devices, or only one: say how many there were with --ranks");
    return RK_OK;
}

static enum rk_status add_time(const struct reading *reading, double bytes, double time,
                               struct rk_error *error)
{
    const struct sample sample = {
        .kind = SAMPLE_COLLECTIVE,
        .time_s = time * reading->unit_s,
        .collective = programs[reading->operation].collective,
        .ranks = group_of(reading).ranks,
        .stride = group_of(reading).stride,
        .bytes = bytes,
    };
    return samples_add(reading->samples, &sample, error);
}

/* ---- text ---- */

/* "#  Rank  0 Group  0 Pid   1234 on   hostname device  0 [0000:07:00] NVIDIA H100" */
static void read_comment(struct reading *reading, const struct lines *lines)
{
    const char *start = strstr(lines->text, "Collective test starting:");
    double group = 0;
    const bool bare = strcmp(lines->word[0], "Rank") == 0; /* pasted without its # */
    if (lines->words > 2 && strcmp(lines->word[1], "bytes") == 0) reading->unit_s = 1e-3;
    if (start && reading->operation < 0) reading->operation = find_operation(start);
    for (int i = 1; i + 1 < lines->words; i++) {
        if (strcmp(lines->word[i], "Group") == 0) lines_number(lines->word[i + 1], &group);
        if (strcmp(lines->word[i], "on") != 0 || strcmp(lines->word[!bare], "Rank") != 0) continue;
        add_device(reading, lines->word[i + 1], group > 0 ? (uint64_t)group : 0);
        return;
    }
}

/* size, count, type, and redop and root, where there are such, then time, algbw, busbw, errors, out
 * of place and, where they are not cut off, in place. */
static enum rk_status read_times(struct reading *reading, const struct lines *lines,
                                 struct rk_error *error)
{
    enum { SIZE = 0, ALWAYS = 3, EACH = 4 };
    const int places = lines->words >= ALWAYS + 2 * EACH ? 2 : 1;
    const int others = lines->words - places * EACH; /* redop and root, too */
    double bytes, time;
    if (others < ALWAYS || others > ALWAYS + 2)
        return lines_fail(lines, error,
                          "%d columns: expected those of nccl-tests, 7 to 9 or 11 to 13",
                          lines->words);
    if (strcmp(lines->word[SIZE], "0") == 0) return RK_OK;
    if (!lines_number(lines->word[SIZE], &bytes))
        return lines_fail(lines, error, "no size in bytes at the beginning of the line");
    const enum rk_status status = check_known(reading, error);
    if (status != RK_OK) return status;
    for (int place = places; place >= 1; place--)
        if (lines_number(lines->word[lines->words - place * EACH], &time))
            return add_time(reading, bytes, time, error);
    return lines_fail(lines, error, "no time above 0 in column %d", lines->words - EACH + 1);
}

/* Launchers put the rank in front: "[1,0]<stdout>:" of Open MPI, "0: " of srun, a host's name. */
static void skip_rank(struct lines *lines)
{
    char *tag = strstr(lines->word[0], ">:");
    const size_t length = strlen(lines->word[0]);
    if (tag && tag[2]) {
        lines->word[0] = tag + 2;
    } else if (lines->words > 1 && lines->word[0][length - 1] == ':') {
        lines->words--;
        memmove(lines->word, lines->word + 1, (size_t)lines->words * sizeof *lines->word);
    }
}

static enum rk_status read_text(struct reading *reading, const struct document *document,
                                struct rk_error *error)
{
    struct lines lines = {.document = document};
    enum rk_status status = RK_OK;
    while (status == RK_OK && lines_next(&lines)) {
        lines_split(&lines, AT_BLANKS);
        if (!lines.words) continue;
        skip_rank(&lines);
        if (reading->operation < 0 && strstr(lines.text, "_perf"))
            reading->operation = find_operation(lines.text); /* the command that ran */
        if (lines.word[0][0] == '#' || strcmp(lines.word[0], "Rank") == 0)
            read_comment(reading, &lines);
        else if (strspn(lines.word[0], "0123456789") == strlen(lines.word[0]))
            status = read_times(reading, &lines, error);
    }
    return status;
}

/* ---- JSON ---- */

static void read_devices(struct reading *reading, const struct place *root)
{
    struct place config, devices, args;
    if (place_member(root, "args", &args) && reading->operation < 0)
        reading->operation = find_operation(json_string_value(json_array_get(args.value, 0)));
    if (!place_member(root, "config", &config) || !place_member(&config, "devices", &devices))
        return;
    for (size_t i = 0; i < json_array_size(devices.value); i++) {
        const json_t *device = json_array_get(devices.value, i);
        const char *host = json_string_value(json_object_get(device, "hostname"));
        const json_int_t group = json_integer_value(json_object_get(device, "group"));
        add_device(reading, host ? host : "?", group > 0 ? (uint64_t)group : 0);
    }
}

static enum rk_status read_result(struct reading *reading, const struct place *result,
                                  struct rk_error *error)
{
    const char *const forms[] = {"out_of_place", "in_place"};
    struct place size, form, time;
    if (!place_member(result, "size", &size) || !json_is_number(size.value))
        return place_fail(result, error,
                          "no \"size\" in bytes: expected what nccl-tests -J writes");
    if (!(json_number_value(size.value) > 0)) return RK_OK;
    for (int i = 0; i < 2; i++)
        if (place_member(result, forms[i], &form) && place_member(&form, "time", &time) &&
            json_number_value(time.value) > 0)
            return add_time(reading, json_number_value(size.value), json_number_value(time.value),
                            error);
    return place_fail(result, error, "no \"time\" above 0 in \"out_of_place\" or \"in_place\"");
}

static enum rk_status read_json(struct reading *reading, const struct document *text,
                                struct rk_error *error)
{
    struct document document = {.root = NULL};
    struct place results;
    enum rk_status status = document_parse(reading->path, text->text, text->size, &document, error);
    if (status != RK_OK) return status;
    const struct place root = place_root(&document);
    read_devices(reading, &root);
    if (!place_member(&root, "results", &results) || !json_is_array(results.value))
        status =
            place_fail(&root, error, "no list \"results\": expected what nccl-tests -J writes");
    if (status == RK_OK) status = check_known(reading, error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(results.value); i++) {
        const struct place result = place_element(&results, i);
        status = read_result(reading, &result, error);
    }
    document_release(&document);
    return status;
}

static bool is_json(const struct document *document)
{
    for (size_t i = 0; i < document->size; i++)
        if (!memchr(" \t\r\n", document->text[i], 4)) return document->text[i] == '{';
    return false;
}

enum rk_status measured_collectives(const char *path, const struct collectives_options *options,
                                    struct samples *samples, struct rk_error *error)
{
    struct document document = {.root = NULL};
    struct reading reading = {
        .options = options,
        .operation = find_operation(options->collective),
        .unit_s = 1e-6,
        .samples = samples,
    };
    const size_t before = samples->count;
    enum rk_status status = document_load_text(path, &document, error);
    if (status != RK_OK) return status;
    reading.path = document.path;
    status = is_json(&document) ? read_json(&reading, &document, error)
                                : read_text(&reading, &document, error);
    if (status == RK_OK && samples->count == before)
        status = rk_fail(error, RK_BAD_INPUT, document.path, 0, 0,
                         "no times: expected the output of nccl-tests, or the JSON of its -J");
    document_release(&document);
    return status;
}
