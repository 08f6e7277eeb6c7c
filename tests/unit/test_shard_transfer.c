/* Moving bytes that stops in the middle and goes on: a source that ends too early for its last
 * tensor, then the whole source. Random cuts of one tensor against a copy element by element. */
#include "shard/store.h"
#include "shard/transfer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t state = 42;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (state >> 33) % below;
}

static char folder[64];

static void open_folder(void)
{
    snprintf(folder, sizeof folder, "transfer-XXXXXX");
    cr_assert(mkdtemp(folder));
}

static void close_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

static enum rk_status make_header(void *context, uint32_t file, struct bytes *header,
                                  struct rk_error *error)
{
    return store_header(context, file, header, error);
}

static void write_bytes(const char *name, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    for (size_t i = 0; i < size; i++)
        fputc((int)(i * 7 + i / 256), file);
    fclose(file);
}

static size_t read_bytes(const char *name, unsigned char *to, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s", path);
    const size_t got = fread(to, 1, size, file);
    fclose(file);
    return got;
}

enum { TENSORS = 20, WIDTH = 32 };

/* TENSORS vectors of WIDTH bytes in one file, from offset 0 on. */
static void make_layouts(struct layout *from, struct layout *to)
{
    struct tensor *tensor = calloc(TENSORS, sizeof *tensor);
    for (int i = 0; i < TENSORS; i++) {
        tensor[i] = (struct tensor){.type = TENSOR_U8, .rank = 1, .shape = {WIDTH}};
        tensor[i].name = malloc(16);
        snprintf(tensor[i].name, 16, "t%02d", i);
    }
    layout_take_tensors(from, tensor, TENSORS);
    for (int i = 0; i < TENSORS; i++)
        from->tensor[i].begin = (uint64_t)i * WIDTH;
    cr_assert_eq(layout_copy_tensors(to, from, NULL), RK_OK);
    cr_assert_eq(layout_add_file(from, "source", NULL), RK_OK);
    cr_assert_eq(layout_add_file(to, "target.safetensors", NULL), RK_OK);
    for (size_t i = 0; i < TENSORS; i++) {
        cr_assert_eq(layout_add_whole(from, i, 0, NULL), RK_OK);
        cr_assert_eq(layout_add_whole(to, i, 0, NULL), RK_OK);
    }
    cr_assert_eq(layout_finish(from, false, NULL), RK_OK);
    cr_assert_eq(layout_finish(to, false, NULL), RK_OK);
    strcpy(from->folder, folder);
    strcpy(to->folder, folder);
}

Test(shard_transfer, goes_on)
{
    struct layout from = {.files = 0}, to = {.files = 0};
    struct store_headers headers;
    struct transferred done;
    struct rk_error error;
    static unsigned char got[8192];
    open_folder();
    make_layouts(&from, &to);
    cr_assert_eq(store_headers_open(&to, NULL, 0, false, &headers, &error), RK_OK);
    for (int io = IO_BEST; io <= IO_PLAIN; io++) {
        struct transfer t = {.from = &from,
                             .to = &to,
                             .header = make_header,
                             .context = &headers,
                             .fingerprint = 5 + (uint64_t)io,
                             .threads = 1,
                             .io = (enum io_kind)io};
        write_bytes("source", (TENSORS - 5) * WIDTH);
        cr_assert_eq(transfer_run(&t, &done, &error), RK_IO);
        cr_assert(strstr(error.text, "shorter than its header says"), "%s", error.text);
        cr_assert(transfer_begun(folder));
        write_bytes("source", TENSORS * WIDTH);
        /* without the unfinished file all begins anew */
        const bool anew = io == IO_PLAIN;
        char part[128];
        snprintf(part, sizeof part, "%s/target.safetensors.part", folder);
        if (anew) unlink(part);
        cr_assert_eq(transfer_run(&t, &done, &error), RK_OK, "%s", error.text);
        cr_assert_eq(done.done_before, anew ? 0 : TENSORS - 5);
        cr_assert_eq(done.bytes_written, (anew ? TENSORS : 5) * WIDTH);
        const size_t size = read_bytes("target.safetensors", got, sizeof got);
        cr_assert_eq(size, to.file[0].bytes);
        for (size_t i = 0; i < TENSORS * WIDTH; i++)
            cr_assert_eq(got[size - TENSORS * WIDTH + i], (unsigned char)(i * 7 + i / 256));
        /* all is done, files have their names: asked once more, nothing is moved */
        cr_assert_eq(transfer_run(&t, &done, &error), RK_OK);
        cr_assert_eq(done.bytes_written, 0);
        cr_assert_eq(transfer_end(folder, &error), RK_OK);
        cr_assert_not(transfer_begun(folder));
    }
    store_headers_release(&headers);
    layout_release(&from);
    layout_release(&to);
    close_folder();
}

/* ---- any cuts of a cube, against a copy of each element ---- */

static const uint64_t cube[3] = {7, 6,
                                 10}; /* bytes; of types of half a byte twice as many elements */

/* Cuts the cube along `axis` into slices of random widths, each in a file, twice cut. */
static void cut_cube(struct layout *layout, int axis, const char *prefix, uint64_t per_byte)
{
    uint64_t at = 0;
    while (at < cube[axis]) {
        char name[32];
        uint64_t width = 1 + draw(4);
        if (width > cube[axis] - at) width = cube[axis] - at;
        struct slice slice = {.file = (uint32_t)layout->files, .count = 1};
        struct box box = {.begin = {0}};
        for (int d = 0; d < 3; d++)
            slice.shape[d] = box.size[d] = cube[d];
        slice.shape[axis] = box.size[axis] = width;
        box.begin[axis] = at;
        slice.shape[2] *= per_byte;
        box.begin[2] *= per_byte;
        box.size[2] *= per_byte;
        for (int d = 0; d < 3; d++)
            slice.count *= slice.shape[d];
        snprintf(name, sizeof name, "%s%u", prefix, slice.file);
        cr_assert_eq(layout_add_file(layout, name, NULL), RK_OK);
        cr_assert_eq(layout_add_slice(layout, &slice, 1, &box, NULL), RK_OK);
        at += width;
    }
    cr_assert_eq(layout_finish(layout, false, NULL), RK_OK);
}

static unsigned char value_at(const uint64_t *at)
{
    return (unsigned char)((at[0] * cube[1] + at[1]) * cube[2] + at[2] * 3 + 1);
}

/* What a file of the slice has behind its header. */
static void each_byte(const struct layout *l, const struct slice *s, bool write, uint64_t per_byte)
{
    static unsigned char data[65536];
    const struct box *b = &l->box[s->box];
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, l->file[s->file].name);
    if (!write) read_bytes(l->file[s->file].name, data, sizeof data);
    const uint64_t bytes = s->count / per_byte, width = s->shape[2] / per_byte;
    for (uint64_t i = 0; i < bytes; i++) {
        const uint64_t z = i % width, y = i / width % s->shape[1], x = i / width / s->shape[1];
        const uint64_t at[3] = {x + b->begin[0], y + b->begin[1], z + b->begin[2] / per_byte};
        if (write)
            data[s->offset + i] = value_at(at);
        else
            cr_assert_eq(data[s->offset + i], value_at(at));
    }
    if (!write) return;
    FILE *file = fopen(path, "wb");
    fwrite(data, 1, s->offset + bytes, file);
    fclose(file);
}

Test(shard_transfer, cuts)
{
    for (int i = 0; i < 60; i++) {
        struct layout from = {.files = 0}, to = {.files = 0};
        struct tensor *tensor = calloc(1, sizeof *tensor);
        struct store_headers source, target;
        struct transferred done;
        struct rk_error error;
        open_folder();
        const uint64_t per_byte = i % 3 ? 1 : 2;
        *tensor = (struct tensor){
            .name = strdup("cube"), .type = per_byte == 1 ? TENSOR_U8 : TENSOR_F4, .rank = 3};
        memcpy(tensor->shape, cube, sizeof cube);
        tensor->shape[2] *= per_byte;
        layout_take_tensors(&from, tensor, 1);
        cr_assert_eq(layout_copy_tensors(&to, &from, NULL), RK_OK);
        cut_cube(&from, (int)draw(3), "a", per_byte);
        cut_cube(&to, (int)draw(3), "b", per_byte);
        strcpy(from.folder, folder);
        strcpy(to.folder, folder);
        cr_assert_eq(store_headers_open(&from, NULL, 0, false, &source, &error), RK_OK);
        cr_assert_eq(store_headers_open(&to, NULL, 0, true, &target, &error), RK_OK);
        for (size_t k = 0; k < from.slices; k++)
            each_byte(&from, &from.slice[k], true, per_byte);
        const struct transfer t = {.from = &from,
                                   .to = &to,
                                   .header = make_header,
                                   .context = &target,
                                   .threads = 1,
                                   .io = i % 2 ? IO_PLAIN : IO_BEST};
        cr_assert_eq(transfer_run(&t, &done, &error), RK_OK, "%s", error.text);
        for (size_t k = 0; k < to.slices; k++)
            each_byte(&to, &to.slice[k], false, per_byte);
        cr_assert_eq(done.bytes_written, cube[0] * cube[1] * cube[2]);
        store_headers_release(&source);
        store_headers_release(&target);
        layout_release(&from);
        layout_release(&to);
        close_folder();
    }
}

/* An element that is nowhere, and one that is in two boxes. */
Test(shard_transfer, cover)
{
    static const uint64_t begins[][2] = {{0, 5}, {0, 3}};
    for (int i = 0; i < 2; i++) {
        struct layout l = {.files = 0};
        struct tensor *tensor = calloc(1, sizeof *tensor);
        struct rk_error error;
        *tensor = (struct tensor){.name = strdup("v"), .type = TENSOR_U8, .rank = 1, .shape = {9}};
        layout_take_tensors(&l, tensor, 1);
        for (uint32_t k = 0; k < 2; k++) {
            const struct slice slice = {.file = k, .shape = {4}, .count = 4};
            const struct box box = {.begin = {begins[i][k]}, .size = {4}};
            cr_assert_eq(layout_add_slice(&l, &slice, 1, &box, NULL), RK_OK);
        }
        cr_assert_eq(layout_finish(&l, false, &error), RK_BAD_INPUT);
        cr_assert(strstr(error.text, i ? "overlap" : "do not cover"), "%s", error.text);
        layout_release(&l);
    }
}
