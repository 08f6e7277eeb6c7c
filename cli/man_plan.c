/* man_plan.c - the keys of plan files in reckon-plan(5), from the rows of plan.def. */
#include "catalog/plan_fields.h"
#include "cli/plan_input.h"

#include <ctype.h>
#include <string.h>

/* A line of its own, with a full stop; no macro. */
static void put_sentence(FILE *out, const char *text)
{
    fprintf(out, "%s%c%s.\n", *text == '.' || *text == '\'' ? "\\&" : "",
            toupper((unsigned char)*text), text + 1);
}

static void put_choices(FILE *out, const struct field *field)
{
    fputs(field->type == FIELD_SET ? "A list of\n" : "One of\n", out);
    for (int i = 0; field->choices[i]; i++) {
        const char *meaning = field->meanings && *field->meanings[i] ? field->meanings[i] : NULL;
        const bool last = !field->choices[i + 1];
        fprintf(out, ".Cm %s%s\n", field->choices[i], meaning ? "" : last ? " ." : " ,");
        if (meaning) fprintf(out, "\\&(%s)%c\n", meaning, last ? '.' : ',');
    }
}

static void put_default(FILE *out, const struct field *field)
{
    char range[128];
    switch (field->type) {
    case FIELD_CHOICE:
        fprintf(out, "Default:\n.Cm %s .\n", field->choices[(int)field->preset]);
        return;
    case FIELD_BOOL:
        fprintf(out, "%s.\n", field->preset != 0 ? "True by default" : "False by default");
        return;
    case FIELD_COUNT:
    case FIELD_TIER:
    case FIELD_NUMBER:
        field_range(field, range, sizeof range);
        fprintf(out, "%s %s", field->type == FIELD_NUMBER ? "A number" : "An integer", range);
        if (!strstr(field->help, "default")) fprintf(out, "; default %g", field->preset);
        fputs(".\n", out);
        return;
    default:
        return;
    }
}

void plan_keys_print(FILE *out)
{
    fputs(".Bl -tag -width \"checkpoint_sharded\"\n", out);
    for (const struct field *field = plan_fields; field->key; field++) {
        const bool two = field->word && strcmp(field->word, field->key) != 0;
        fprintf(out, ".It Ic %s%s%s\n", field->key, two ? " , " : "", two ? field->word : "");
        put_sentence(out, field->help);
        if (field->choices) put_choices(out, field);
        put_default(out, field);
        if (field->predictors == RK_BY_CALCULON) fputs("Of\n.Cm calculon .\n", out);
        if (field->predictors == RK_BY_RECKON) fputs("Not of\n.Cm calculon .\n", out);
    }
    fputs(".El\n", out);
}
