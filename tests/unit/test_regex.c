/* Patterns of foreign texts: those that would be copied too often are refused before that. */
#include "base/regex.h"

#include <criterion/criterion.h>

static int compiled(const char *pattern)
{
    regex_t expression;
    const int code = regex_compile(&expression, pattern, 0);
    if (code == 0) regfree(&expression);
    return code;
}

Test(regex, usual_patterns_are_taken)
{
    static const char *const usual[] = {"^([0-9]+)B$",
                                        "(a+b*)+c?",
                                        "[+*]{3}x",
                                        "[]+++++++++++++]",
                                        "a\\+\\+\\+\\+\\+\\+\\+\\+",
                                        "(one|two)+ (three|four)+ (five)? (six)*",
                                        "x{1,200}",
                                        "a{,3}"};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        cr_expect_eq(compiled(usual[i]), 0, "%s", usual[i]);
}

Test(regex, repetitions_in_each_other_are_refused)
{
    static const char *const wrong[] = {"a+++++++++++++++++++++++++++++++",
                                        "((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+",
                                        "((a{100}){100}){100}",
                                        "(x{1,2000}){3}",
                                        "a{999}{2}",
                                        "[a]+?+?+?+?+?+?+?+?+?+?+?+?"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_eq(compiled(wrong[i]), REG_BADRPT, "%s", wrong[i]);
}
