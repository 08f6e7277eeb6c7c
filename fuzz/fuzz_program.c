/* The texts of programs: whatever is read can be checked, summed up, written, and is then read
 * alike. */
#include <assert.h>
#include <reckon/program.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_text(struct rk_program *program, char *text, size_t size)
{
    struct rk_error error;
    FILE *in = size ? fmemopen(text, size, "r") : NULL;
    const enum rk_status status = in ? rk_program_read(program, in, "fuzz", &error)
                                     : (memset(program, 0, sizeof *program), RK_IO);
    if (in) fclose(in);
    if (status == RK_OK) return true;
    assert(status == RK_IO || (error.status == status && *error.text));
    rk_program_release(program);
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rk_program program, again;
    struct rk_program_sums sums;
    struct rk_error error;
    char *text = malloc(size + 1), *written = NULL;
    size_t length = 0, differences = 0;
    memcpy(text, data, size);
    if (read_text(&program, text, size)) {
        (void)rk_program_check(&program, &error);
        rk_program_sum(&program, &sums);
        FILE *out = open_memstream(&written, &length);
        assert(rk_program_write(&program, out, &error) == RK_OK);
        fflush(out);
        assert(read_text(&again, written, length));
        assert(rk_program_diff(&program, &again, out, 4, &differences, &error) == RK_OK);
        assert(differences == 0);
        fclose(out);
        rk_program_release(&again);
        rk_program_release(&program);
    }
    free(written);
    free(text);
    return 0;
}
