/* Lists of sizes: what each form stands for, and what is refused. */
#include "cli/number_list.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void expect(const char *text, const char *numbers)
{
    struct number_list list = {.count = 0};
    struct rk_error error;
    char found[1024] = "";
    cr_assert_eq(number_list_parse("--gpus", text, &list, &error), RK_OK, "%s: %s", text,
                 error.text);
    for (int i = 0; i < list.count; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%llu", i ? " " : "",
                 (unsigned long long)list.value[i]);
    cr_assert_str_eq(found, numbers, "%s", text);
}

Test(numbers, lists)
{
    expect("512", "512");
    expect("512,1024,96", "512 1024 96");
    expect("8,4,8", "8 4");
    expect("9007199254740992", "9007199254740992");
}

Test(numbers, ranges)
{
    expect("1024..16384", "1024 2048 4096 8192 16384");
    expect("1000..3000", "1000 2000");
    expect("7..7", "7");
    expect("1..100x10", "1 10 100");
    expect("3..100*3", "3 9 27 81");
    expect("1024..2048+512", "1024 1536 2048");
    expect("64,128..512,96", "64 128 256 512 96");
    expect("1024 .. 2048 step 512", "1024 1536 2048");
    expect("4503599627370496..9007199254740992x4096", "4503599627370496");
}

Test(numbers, powers)
{
    expect("2^10", "1024");
    expect("2^10..2^13", "1024 2048 4096 8192");
    expect("10^0..10^4x100", "1 100 10000");
}

static void refuse(const char *text, const char *why)
{
    struct number_list list = {.count = 0};
    struct rk_error error;
    cr_assert_eq(number_list_parse("--gpus", text, &list, &error), RK_BAD_ARGUMENT, "%s", text);
    cr_assert(strncmp(error.text, "--gpus: ", 8) == 0 && strstr(error.text, why), "%s: %s", text,
              error.text);
}

Test(numbers, refused)
{
    refuse("", "empty");
    refuse("8,", "empty");
    refuse("0", "too small");
    refuse("-8", "negative");
    refuse("8..", "expected a number");
    refuse("16..8", "backwards");
    refuse("1..8x1", "never arrives");
    refuse("1..8x", "expected a number");
    refuse("1..8+0", "never arrives");
    refuse("2^54", "at most 2^53");
    refuse("2^1000", "at most 2^53");
    refuse("3^40", "at most 2^53");
    refuse("1..1000+1", "more than 256");
    refuse("8=8", "after its digits");
    refuse("0..8", "at least 1");
    refuse("8..16 by 2", "expected a number");
}
