/* The lines of a launch file that a change of the plan makes others. */
#include "keys/target.h"
#include "megatron/changed_lines.h"

#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <string.h>

/* Of Megatron-LM arguments; of a TOML with the section. */
Test(changed_lines, of_arguments_and_of_a_section)
{
    struct rk_model model;
    struct rk_plan plan;
    struct rk_error error = {.text = ""};
    char line[CHANGED_LINES];
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_plan_parse("dp8 tp2 pp2 gbs64 zero1 sp", &plan, &error), RK_OK);
    struct rk_plan other = plan;
    other.recompute = RK_WHOLE;
    changed_lines(NULL, &model, &plan, &other, line);
    cr_expect(strstr(line, "--recompute-granularity full"), "%s", line);
    changed_lines(&torchtitan_target, &model, &plan, &other, line);
    cr_expect(strstr(line, "[activation_checkpoint] mode = \"full\""), "%s", line);
    changed_lines(NULL, &model, &plan, &plan, line);
    cr_expect_str_eq(line, "");
}
