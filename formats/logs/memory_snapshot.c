#include "logs/memory_snapshot.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- pickles, protocol 4: of what Python's pickle module documents, what is needed here ---- */

static void put_bytes(FILE *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(value >> 8 * i & 255), out);
}

static void put_text(FILE *out, const char *text)
{
    const size_t length = strlen(text);
    fputc('X', out); /* BINUNICODE */
    put_bytes(out, length, 4);
    fwrite(text, 1, length, out);
}

static void put_int(FILE *out, int64_t value)
{
    if (value >= INT32_MIN && value <= INT32_MAX) {
        fputc('J', out); /* BININT */
        put_bytes(out, (uint64_t)value, 4);
        return;
    }
    fputc(0x8a, out); /* LONG1, two's complement */
    fputc(8, out);
    put_bytes(out, (uint64_t)value, 8);
}

static void begin_dict(FILE *out)
{
    fputs("}(", out); /* EMPTY_DICT MARK */
}

static void begin_list(FILE *out)
{
    fputs("](", out); /* EMPTY_LIST MARK */
}

static void end_dict(FILE *out)
{
    fputc('u', out); /* SETITEMS */
}

static void end_list(FILE *out)
{
    fputc('e', out); /* APPENDS */
}

static void put_member(FILE *out, const char *key, int64_t value)
{
    put_text(out, key);
    put_int(out, value);
}

static void put_text_member(FILE *out, const char *key, const char *value)
{
    put_text(out, key);
    put_text(out, value);
}

/* ---- the snapshot ---- */

struct event {
    int64_t time;
    bool start;
    uint32_t buffer;
};

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    if (x->start != y->start) return x->start ? 1 : -1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

struct by_address {
    uint64_t address;
    uint32_t buffer;
};

static int lower(const void *a, const void *b)
{
    const struct by_address *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void put_frames(FILE *out, const char *name)
{
    put_text(out, "frames");
    begin_list(out);
    if (name) {
        begin_dict(out);
        put_text_member(out, "name", name);
        put_text_member(out, "filename", "plan");
        put_member(out, "line", 0);
        end_dict(out);
    }
    end_list(out);
}

static void put_block(FILE *out, uint64_t address, uint64_t size, const char *name)
{
    begin_dict(out);
    put_member(out, "address", (int64_t)address);
    put_member(out, "size", (int64_t)size);
    put_member(out, "requested_size", (int64_t)size);
    put_text_member(out, "state", name ? "active_allocated" : "inactive");
    put_frames(out, name);
    end_dict(out);
}

/* An address that no buffer has is 0 in viewers. */
static const uint64_t base = UINT64_C(1) << 40;

/* What is there at the end, by address, with the gaps between. */
static void put_segment(FILE *out, const struct buffers *b, const uint64_t *address, uint64_t peak,
                        int64_t end, struct by_address *left)
{
    size_t count = 0;
    uint64_t used = 0, at = 0;
    for (size_t i = 0; i < b->count; i++)
        if (b->buffer[i].end == end && b->buffer[i].size) {
            left[count++] = (struct by_address){address[i], (uint32_t)i};
            used += b->buffer[i].size;
        }
    qsort(left, count, sizeof *left, lower);
    begin_dict(out);
    put_member(out, "device", 0);
    put_member(out, "address", (int64_t)base);
    put_member(out, "total_size", (int64_t)peak);
    put_member(out, "allocated_size", (int64_t)used);
    put_member(out, "active_size", (int64_t)used);
    put_member(out, "requested_size", (int64_t)used);
    put_member(out, "stream", 0);
    put_text_member(out, "segment_type", "large");
    put_text(out, "blocks");
    begin_list(out);
    for (size_t i = 0; i < count; i++) {
        const struct rk_buffer *buffer = &b->buffer[left[i].buffer];
        if (left[i].address > at) put_block(out, base + at, left[i].address - at, NULL);
        put_block(out, base + left[i].address, buffer->size, b->id[left[i].buffer]);
        at = left[i].address + buffer->size;
    }
    if (peak > at) put_block(out, base + at, peak - at, NULL);
    end_list(out);
    end_dict(out);
}

static void put_action(FILE *out, const char *action, uint64_t address, uint64_t size, int64_t time,
                       const char *name)
{
    begin_dict(out);
    put_text_member(out, "action", action);
    put_member(out, "addr", (int64_t)(base + address));
    put_member(out, "size", (int64_t)size);
    put_member(out, "stream", 0);
    put_member(out, "time_us", time);
    put_frames(out, name);
    end_dict(out);
}

static void put_trace(FILE *out, const struct buffers *b, const uint64_t *address, uint64_t peak,
                      int64_t end, const struct event *event)
{
    begin_list(out);
    put_action(out, "segment_alloc", 0, peak, b->count ? event[0].time : 0, NULL);
    for (size_t k = 0; k < 2 * b->count; k++) {
        const uint32_t i = event[k].buffer;
        const uint64_t size = b->buffer[i].size;
        if (!size || (!event[k].start && event[k].time == end)) continue;
        if (!event[k].start)
            put_action(out, "free_requested", address[i], size, event[k].time, b->id[i]);
        put_action(out, event[k].start ? "alloc" : "free_completed", address[i], size,
                   event[k].time, b->id[i]);
    }
    end_list(out);
}

enum rk_status memory_snapshot_write(FILE *out, const struct buffers *b, const uint64_t *address,
                                     uint64_t peak, struct rk_error *error)
{
    struct event *event = malloc(2 * b->count * sizeof *event + 1);
    struct by_address *left = malloc(b->count * sizeof *left + 1);
    int64_t end = INT64_MIN;
    if (!event || !left) {
        free(event);
        free(left);
        return no_memory(error);
    }
    for (size_t i = 0; i < b->count; i++) {
        event[2 * i] = (struct event){b->buffer[i].start, true, (uint32_t)i};
        event[2 * i + 1] = (struct event){b->buffer[i].end, false, (uint32_t)i};
        if (b->buffer[i].end > end) end = b->buffer[i].end;
    }
    qsort(event, 2 * b->count, sizeof *event, by_time);
    fputs("\x80\x04", out); /* PROTO */
    begin_dict(out);
    put_text(out, "segments");
    begin_list(out);
    put_segment(out, b, address, peak, end, left);
    end_list(out);
    put_text(out, "device_traces");
    begin_list(out);
    put_trace(out, b, address, peak, end, event);
    end_list(out);
    put_text(out, "allocator_settings");
    fputc('}', out);
    end_dict(out);
    fputc('.', out); /* STOP */
    free(event);
    free(left);
    return RK_OK;
}
