/* The measured runs that are most like a plan. */
#include "facts/nearest.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Llama-like, on H100s; the last row is of another model and kind of recomputation. */
static const char table[] =
    "id,hidden,layers,ffn,heads,seq,vocab,gated_mlp,gpu,gpus,gpus_per_node,tp,pp,micro_batch,"
    "global_batch,precision,recompute,zero,flash_attn,metric_name,metric_value\n"
    "a_1,4096,32,14336,32,8192,32000,1,H100-SXM5-80GB,64,8,2,1,1,128,bf16,none,1,1,iter_time_s,5\n"
    "a_2,4096,32,14336,32,8192,32000,1,H100-SXM5-80GB,64,8,4,1,1,128,bf16,none,1,1,iter_time_s,5\n"
    "b_1,4096,32,14336,32,8192,32000,1,H100-SXM5-80GB,64,8,8,1,1,128,bf16,none,1,1,iter_time_s,5\n"
    "c_1,4096,32,14336,32,8192,32000,1,H100-SXM5-80GB,64,8,4,1,2,128,bf16,none,1,1,iter_time_s,5\n"
    "d_1,4096,32,14336,32,8192,32000,1,H100-SXM5-80GB,64,8,4,1,1,128,bf16,none,1,1,OOM,\n"
    "e_1,2048,16,8192,16,2048,32000,1,H100-SXM5-80GB,8,8,1,1,1,128,bf16,full,1,1,iter_time_s,5\n";

static struct facts facts_of(const char *text)
{
    struct rules rules;
    struct facts facts = {0};
    struct rk_error error = {.text = ""};
    struct csv csv;
    cr_assert_eq(rules_load(RECKON_TEST_SOURCE "/data/measured/rules.json", &rules, &error), RK_OK,
                 "%s", error.text);
    cr_assert_eq(csv_parse("t.csv", text, strlen(text), &csv, &error), RK_OK, "%s", error.text);
    cr_assert_eq(facts_add(&facts, &csv, &rules, &error), RK_OK, "%s", error.text);
    csv_release(&csv);
    rules_release(&rules);
    return facts;
}

/* Of a's two runs the same plan; b twice the tensor degree, c twice the microbatch; d has no time,
 * e is far away. */
Test(facts_nearest, one_of_each_source)
{
    static struct nearest nearest;
    struct facts facts = facts_of(table);
    struct rk_error error = {.text = ""};
    const struct fact *asked = &facts.fact[1];
    cr_assert_eq(
        nearest_among(&facts, &asked->model, &asked->system, &asked->plan, &nearest, &error), RK_OK,
        "%s", error.text);
    cr_assert_eq(nearest.count, 3);
    cr_expect_str_eq(nearest.result[0].id, "a_2");
    cr_expect_str_eq(nearest.result[1].id, "b_1");
    cr_expect_str_eq(nearest.result[2].id, "c_1");
    cr_expect_float_eq(nearest.likeness[0], 1, 1e-12);
    cr_expect_float_eq(nearest.likeness[1], exp(-0.2), 1e-12);
    cr_expect_float_eq(nearest.likeness[2], exp(-0.5), 1e-12);
    for (int i = 0; i < nearest.count; i++) {
        cr_expect_float_eq(nearest.result[i].measured_si, 5, 1e-12);
        cr_expect(nearest.result[i].predicted_si > 0);
    }
    facts_release(&facts);
}

/* A nearer run of a source takes the place of one that was kept. */
Test(facts_nearest, the_order_of_rows_is_nothing)
{
    static struct nearest nearest;
    struct facts facts = facts_of(table);
    struct rk_error error = {.text = ""};
    const struct fact *asked = &facts.fact[0];
    cr_assert_eq(
        nearest_among(&facts, &asked->model, &asked->system, &asked->plan, &nearest, &error), RK_OK,
        "%s", error.text);
    cr_assert_eq(nearest.count, 3);
    cr_expect_str_eq(nearest.result[0].id, "a_1");
    cr_expect_str_eq(nearest.result[1].id, "b_1");
    cr_expect_float_eq(nearest.likeness[1], exp(-0.4), 1e-12);
    facts_release(&facts);
}
