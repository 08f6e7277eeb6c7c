/* Options in place of what the library names. */
#include "cli/keys.h"

#include <criterion/criterion.h>

static void expect(const char *text, const char *said)
{
    struct rk_error error;
    char buffer[256];
    rk_fail(&error, RK_BAD_INPUT, NULL, 0, 0, "%s", text);
    keys_say_error(&error, buffer, sizeof buffer);
    cr_expect_str_eq(buffer, said);
}

Test(keys, are_options)
{
    expect("say `seed` 7", "say --seed 7");
    expect("`norm_eps` and `rotary_base` are wrong", "--norm-eps and --rotary-base are wrong");
    expect("32 bits are too few (`double_precision`)", "32 bits are too few (--double)");
    expect("`model` MODEL says it; `split` redco", "-m MODEL says it; --split redco");
}

Test(keys, others_stay)
{
    expect("no column `no_such_option`", "no column `no_such_option`");
    expect("`reckon search` wrote `it", "`reckon search` wrote `it");
    expect("``, `", "``, `");
}

Test(keys, long_texts_are_cut)
{
    struct rk_error error;
    char small[10];
    rk_fail(&error, RK_BAD_INPUT, "a.json", 0, 0, "say `rotary_base` 7");
    keys_say_error(&error, small, sizeof small);
    cr_expect_str_eq(small, "a.json: s");
}
