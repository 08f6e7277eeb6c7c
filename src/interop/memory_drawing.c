#include "interop/memory_drawing.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1200, HEIGHT = 600, LEFT = 90, TOP = 40, BOTTOM = 30, RIGHT = 20, FINE = 5000 };

/* Tensors of programs (reckon/program.h) begin with a word for their kind; Okabe and Ito's colours.
 */
static const struct kind {
    const char *begins, *name, *colour;
} kinds[] = {
    {"w.", "weights", "#0072B2"},
    {"g.", "weight gradients", "#56B4E9"},
    {"s.", "their shards", "#56B4E9"},
    {"o.", "optimizer", "#999999"},
    {"z.", "gathered weights", "#CC79A7"},
    {"d:", "gradients of activations", "#D55E00"},
    {"dx", "gradients of activations", "#D55E00"},
    {"a:", "made again in backward", "#F0E442"},
    {"r:", "others", "#BBBBBB"},
    {"", "activations", "#009E73"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int kind_of(const char *name)
{
    int i = 0;
    while (strncmp(name, kinds[i].begins, strlen(kinds[i].begins)) != 0)
        i++;
    return i;
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Moments at which something starts or ends, each once: they are drawn at equal distances. */
static size_t find_moments(const struct buffers *b, int64_t *moment)
{
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++) {
        moment[2 * i] = b->buffer[i].start;
        moment[2 * i + 1] = b->buffer[i].end;
    }
    qsort(moment, 2 * b->count, sizeof *moment, by_value);
    for (size_t i = 0; i < 2 * b->count; i++)
        if (i == 0 || moment[i] != moment[i - 1]) moment[count++] = moment[i];
    return count;
}

struct scale {
    const int64_t *moment;
    size_t moments;
    double peak;
};

static size_t index_of(const struct scale *s, int64_t time)
{
    size_t from = 0, to = s->moments;
    while (to - from > 1) {
        const size_t middle = from + (to - from) / 2;
        if (s->moment[middle] <= time)
            from = middle;
        else
            to = middle;
    }
    return from;
}

static double x_of(const struct scale *s, size_t index)
{
    const double last = s->moments > 1 ? (double)(s->moments - 1) : 1;
    return LEFT + (WIDTH - LEFT - RIGHT) * (double)index / last;
}

static double y_of(const struct scale *s, double bytes)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (s->peak > 0 ? bytes / s->peak : 0);
}

/* Names may have anything in them. */
static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputc(*text, out);
        }
}

static void draw_buffers(FILE *out, const struct scale *s, const struct buffers *b,
                         const uint64_t *address)
{
    fputs("<g stroke=\"#ffffff\" stroke-width=\"0.2\">\n", out);
    for (size_t i = 0; i < b->count; i++) {
        const struct rk_buffer *buffer = &b->buffer[i];
        char size[QUANTITY_TEXT], at[QUANTITY_TEXT];
        const double x = x_of(s, index_of(s, buffer->start)),
                     end = x_of(s, index_of(s, buffer->end));
        const double top = y_of(s, (double)(address[i] + buffer->size));
        if (!buffer->size) continue;
        fprintf(out,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"><title>", x,
                top, end - x, y_of(s, (double)address[i]) - top, kinds[kind_of(b->id[i])].colour);
        put_escaped(out, b->id[i]);
        fprintf(out, ": %s at %s</title></rect>\n",
                quantity_format(size, QUANTITY_BYTES, (double)buffer->size),
                quantity_format(at, QUANTITY_BYTES, (double)address[i]));
    }
    fputs("</g>\n", out);
}

/* What is alive after each moment. */
static void draw_alive(FILE *out, const struct scale *s, const struct buffers *b, double *change)
{
    double alive = 0;
    memset(change, 0, s->moments * sizeof *change);
    for (size_t i = 0; i < b->count; i++) {
        change[index_of(s, b->buffer[i].start)] += (double)b->buffer[i].size;
        change[index_of(s, b->buffer[i].end)] -= (double)b->buffer[i].size;
    }
    fprintf(out, "<polyline fill=\"none\" stroke=\"#000000\" stroke-width=\"%g\" points=\"",
            s->moments > FINE ? 0.2 : 1); /* else it is a black band */
    for (size_t i = 0; i < s->moments; i++) {
        fprintf(out, "%.2f,%.2f ", x_of(s, i), y_of(s, alive));
        alive += change[i];
        fprintf(out, "%.2f,%.2f ", x_of(s, i), y_of(s, alive));
    }
    fputs("\"/>\n", out);
}

/* A power of two bytes, four to eight of which reach the peak. */
static double step_of(double peak)
{
    return peak > 8 ? exp2(floor(log2(peak)) - 2) : 1;
}

static void draw_frame(FILE *out, const struct scale *s, const struct buffers *b)
{
    char text[QUANTITY_TEXT];
    bool used[KINDS] = {false};
    int shown = 0;
    for (size_t i = 0; i < b->count; i++)
        used[kind_of(b->id[i])] = true;
    for (double bytes = 0; bytes <= s->peak; bytes += step_of(s->peak)) {
        const double y = y_of(s, bytes);
        fprintf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%.2f\" y2=\"%.2f\" stroke=\"#cccccc\"/>", LEFT,
                WIDTH - RIGHT, y, y);
        fprintf(out, "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%s</text>\n", LEFT - 6, y + 4,
                quantity_format(text, QUANTITY_BYTES, bytes));
    }
    fprintf(out,
            "<text x=\"%d\" y=\"%d\">%zu buffers, in the order of %zu moments, at addresses below "
            "%s; the line is what is alive</text>\n",
            LEFT, HEIGHT - 8, b->count, s->moments, quantity_format(text, QUANTITY_BYTES, s->peak));
    for (int i = 0; i < KINDS; i++) {
        if (!used[i] || (i > 0 && used[i - 1] && strcmp(kinds[i].name, kinds[i - 1].name) == 0))
            continue;
        const int x = LEFT + 175 * (shown % 6), y = 8 + 14 * (shown / 6);
        fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"%s\"/>", x, y,
                kinds[i].colour);
        fprintf(out, "<text x=\"%d\" y=\"%d\">%s</text>\n", x + 14, y + 9, kinds[i].name);
        shown++;
    }
}

enum rk_status memory_drawing_write(FILE *out, const struct buffers *b, const uint64_t *address,
                                    uint64_t peak, struct rk_error *error)
{
    int64_t *moment = malloc((2 * b->count + 1) * sizeof *moment);
    double *change = malloc((2 * b->count + 1) * sizeof *change);
    if (!moment || !change) {
        free(moment);
        free(change);
        return rk_fail(error, RK_IO, NULL, 0, 0, "no memory for a drawing");
    }
    const struct scale scale = {moment, find_moments(b, moment), (double)peak};
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" "
            "font-size=\"11\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_frame(out, &scale, b);
    draw_buffers(out, &scale, b, address);
    draw_alive(out, &scale, b, change);
    fputs("</svg>\n", out);
    free(moment);
    free(change);
    return RK_OK;
}
