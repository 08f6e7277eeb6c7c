/* expression_units.c - which operands an expression may combine: those of one unit, or one with a
 * plain number whose unit can be guessed. */
#include "search/expression_parser.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

/* Exponents of second, byte and FLOP. A factor of a thousand or more makes the whole `scaled`: it
 * was written to get rid of the unit. */
struct dimension {
    int second, byte, flop;
    bool scaled, any; /* any: a plain number */
    bool counts;      /* axes and the batch */
    bool full;        /* figures whose names say the unit, hbm_bytes */
    double number;    /* of what is plain */
    bool percent;
};

static struct dimension dimension_of_quantity(int quantity)
{
    static const struct dimension known[QUANTITIES + 1] = {
        [QUANTITY_COUNT] = {.any = true},
        [QUANTITY_BYTES] = {.byte = 1},
        [QUANTITY_BYTES_PER_S] = {-1, .byte = 1},
        [QUANTITY_SECONDS] = {.second = 1},
        [QUANTITY_FLOP] = {.flop = 1},
        [QUANTITY_FLOP_PER_S] = {-1, .flop = 1},
        [QUANTITIES] = {.any = true},
    };
    return known[quantity];
}

static struct dimension dimension_of_figure(const struct rk_figure *figure)
{
    static const struct {
        const char *unit;
        struct dimension dimension;
    } known[] = {
        {"s", {.second = 1}}, {"1/s", {.second = -1}}, {"B", {.byte = 1}}, {"FLOP", {.flop = 1}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].unit, figure->unit) == 0) return known[i].dimension;
    return (struct dimension){.any = false};
}

static bool has_unit(const struct dimension *d)
{
    return d->second || d->byte || d->flop;
}

static bool is_percentage(const struct dimension *d)
{
    return d->any && d->percent;
}

/* Tables print memory in GiB, expressions count bytes: "hbm <= 60" does not say what was meant. */
static bool needs_unit(const struct dimension *d)
{
    return d->byte && !d->scaled && !d->full;
}

/* Can they stand on two sides of a comparison or a sum? */
static bool agree(const struct dimension *a, const struct dimension *b)
{
    if (a->any || b->any) return true;
    if ((a->scaled || b->scaled) && (!has_unit(a) || !has_unit(b))) return true;
    return a->second == b->second && a->byte == b->byte && a->flop == b->flop;
}

static bool is_scale(const struct dimension *d)
{
    return d->any && (fabs(d->number) >= 1e3 || fabs(d->number) <= 1e-3);
}

static struct dimension product(struct dimension a, struct dimension b, int sign)
{
    const double factor = sign > 0 ? b.number : 1 / b.number;
    return (struct dimension){
        .second = a.second + sign * b.second,
        .byte = a.byte + sign * b.byte,
        .flop = a.flop + sign * b.flop,
        .scaled = a.scaled || b.scaled || (a.any != b.any && (is_scale(&a) || is_scale(&b))),
        .any = a.any && b.any,
        .counts = sign > 0 && (a.counts || b.counts),
        .full = (a.full || !a.byte) && (b.full || !b.byte),
        .number = a.number * factor,
    };
}

/* "bytes", "seconds", "1/s", "FLOP/s"; what has no unit is "a plain number". */
static const char *dimension_text(const struct dimension *d)
{
    if (!has_unit(d)) return "a plain number";
    if (d->second == 1 && !d->byte && !d->flop) return "seconds";
    if (d->byte == 1 && !d->second && !d->flop) return "bytes";
    if (d->flop == 1 && !d->second && !d->byte) return "FLOP";
    if (d->second == -1 && !d->byte && !d->flop) return "a rate";
    if (d->second == -1 && d->byte == 1 && !d->flop) return "bytes per second";
    if (d->second == -1 && d->flop == 1 && !d->byte) return "FLOP per second";
    return "of another unit";
}

/* Does a name stand there in full? */
static bool is_full(const struct parser *p, const struct term *name)
{
    const char *full = rk_figures()[name->place].name;
    const size_t length = strlen(full);
    return p->length - (size_t)name->at >= length && memcmp(p->text + name->at, full, length) == 0;
}

static struct dimension of_term(const struct parser *p, const struct term *t)
{
    struct dimension d = {.counts = t->kind == TERM_AXIS || t->kind == TERM_BATCH};
    if (t->kind == TERM_NUMBER) {
        d = dimension_of_quantity(t->quantity);
        d.number = t->number;
        if (t->quantity == QUANTITY_COUNT) d.percent = true;
    } else if (t->kind == TERM_FIGURE) {
        d = dimension_of_figure(&rk_figures()[t->place]);
        d.full = is_full(p, t);
    }
    return d;
}

/* What is wrong with combining a plain number and `other`; NULL: nothing. */
static const char *wrong_beside(const struct dimension *number, const struct dimension *other)
{
    if (!number->any || other->any) return NULL;
    if (is_percentage(number) && (has_unit(other) || other->counts))
        return "a percentage is of shares, mfu > 50%; of a size it is a factor, hbm < 90% * 80GiB";
    if (needs_unit(other) && number->number != 0)
        return other->second ? "a rate needs its unit, such as 3GB/s"
                             : "a size needs its unit, such as 60GiB";
    return NULL;
}

/* Both in one unit, or with a plain number that can be meant. */
static struct dimension combine_units(struct parser *p, const struct term *t,
                                      const struct dimension side[2], const int at[2])
{
    const struct dimension a = side[0], b = side[1];
    if (t->kind == TERM_MULTIPLY) return product(a, b, 1);
    if (t->kind == TERM_DIVIDE) return product(a, b, -1);
    if (t->kind == TERM_AND || t->kind == TERM_OR) return (struct dimension){.any = true};
    for (int i = 0; i < 2; i++) {
        const char *wrong = wrong_beside(&side[i], &side[!i]);
        if (wrong) parser_fail(p, (size_t)at[i], wrong, NULL);
    }
    if (!agree(&a, &b))
        parser_fail(p, (size_t)at[1], "this is ",
                    (const char *const[]){dimension_text(&b), ", the other operand is ",
                                          dimension_text(&a)});
    if (t->kind != TERM_ADD && t->kind != TERM_SUBTRACT) return (struct dimension){.any = true};
    struct dimension sum = a.any ? b : a;
    sum.full = (a.full || a.any) && (b.full || b.any);
    sum.number = t->kind == TERM_ADD ? a.number + b.number : a.number - b.number;
    return sum;
}

static bool is_share(const char *figure)
{
    static const char *const shares[] = {
        "mfu", "hfu", "mfu_full", "mfu_as_megatron", "compute_efficiency", "system_efficiency"};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (strcmp(shares[i], figure) == 0) return true;
    return false;
}

/* Tables print shares in percent, expressions count to 1: "mfu > 50" does not say what was meant.
 */
static void check_share(struct parser *p, const struct term *name, const struct term *number)
{
    if (name->kind != TERM_FIGURE || number->kind != TERM_NUMBER) return;
    if (is_share(rk_figures()[name->place].name) && number->number > 1 &&
        (number->quantity == QUANTITIES || number->quantity == QUANTITY_COUNT))
        parser_fail(p, (size_t)number->at, "a share is at most 1: write 50% or 0.5", NULL);
}

void parser_check_units(struct parser *p)
{
    struct dimension stack[EXPRESSION_TERMS];
    int from[EXPRESSION_TERMS], top = -1; /* from: where an operand begins */
    for (int i = 0; i < p->out->terms; i++) {
        const struct term *t = &p->out->term[i];
        if (t->kind <= TERM_BATCH) {
            stack[++top] = of_term(p, t);
            from[top] = t->at;
        } else if (t->kind == TERM_NOT) {
            stack[top] = (struct dimension){.any = true};
        } else if (t->kind == TERM_NEGATE) {
            stack[top].number = -stack[top].number;
        } else {
            if (t->kind >= TERM_LESS && t->kind <= TERM_UNEQUAL) {
                check_share(p, t - 2, t - 1);
                check_share(p, t - 1, t - 2);
            }
            top--;
            stack[top] = combine_units(p, t, stack + top, from + top);
        }
    }
}

/* Is `value`, the figure that it begins with, something that holds or does not? */
static bool decides(struct parser *p, const struct term *value)
{
    if (!value) return true;
    parser_fail(p, (size_t)value->at, "this is not a condition: compare it, as in hbm < 60GiB",
                NULL);
    return false;
}

/* Each value on the stack: NULL, or the first term of what is no condition. */
void parser_check_decides(struct parser *p)
{
    const struct term *stack[EXPRESSION_TERMS] = {NULL};
    int top = -1;
    for (int i = 0; i < p->out->terms && !p->failed; i++) {
        const struct term *t = &p->out->term[i];
        if (t->kind <= TERM_BATCH)
            stack[++top] = t->kind == TERM_FIGURE || t->kind == TERM_BATCH ? t : NULL;
        else if (t->kind == TERM_NOT)
            decides(p, stack[top]);
        else if (t->kind == TERM_AND || t->kind == TERM_OR) {
            if (decides(p, stack[top - 1])) decides(p, stack[top]);
            top--;
        } else if (t->kind != TERM_NEGATE) {
            top--;
            if (t->kind >= TERM_LESS)
                stack[top] = NULL;
            else if (!stack[top])
                stack[top] = stack[top + 1];
        }
    }
    if (!p->failed) decides(p, stack[0]);
}
