/* tables.c - prints the Python module reckon/_tables.py: classes, names and sizes, from the public
 * headers and the tables of fields that plan.def, model.def and figures.def make. */
#include "catalog/model_fields.h"
#include "catalog/plan_fields.h"
#include <reckon/command.h>
#include <reckon/predict.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* As a Python text; helps have no control characters. */
static void print_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void print_choices(const struct field *field)
{
    if (!field->choices) return;
    printf(" One of ");
    for (int i = 0; field->choices[i]; i++)
        printf("%s%s", i ? ", " : "", field->choices[i]);
    putchar('.');
}

static const char *type_of(const struct field *field)
{
    switch (field->type) {
    case FIELD_COUNT:
    case FIELD_TIER:
        return "int";
    case FIELD_NUMBER:
        return "float";
    case FIELD_BOOL:
        return "bool";
    case FIELD_CHOICE:
    case FIELD_TEXT:
        return "str";
    case FIELD_SET:
        return "list[str]";
    default:
        return "Any";
    }
}

static bool is_shown(const struct field *field)
{
    return field->type != FIELD_SOURCE && strcmp(field->key, "name") != 0 &&
           strcmp(field->key, "description") != 0;
}

static void print_class(const char *name, const char *what, const struct field *fields,
                        const char *base)
{
    printf("\n\n@dataclass\nclass %s(%s):\n    \"\"\"%s\n\n    Attributes:\n", name, base, what);
    for (const struct field *f = fields; f->key; f++) {
        if (!is_shown(f)) continue;
        printf("        %s: %s.", f->key, f->help ? f->help : "");
        print_choices(f);
        putchar('\n');
    }
    printf("    \"\"\"\n\n");
    for (const struct field *f = fields; f->key; f++)
        if (is_shown(f)) printf("    %s: Optional[%s] = None\n", f->key, type_of(f));
}

static void print_figures(void)
{
    printf(
        "\n\n@dataclass\nclass Figures(Record):\n"
        "    \"\"\"What is predicted of a step; None: the predictor that answered has it not.\n\n"
        "    Attributes:\n");
    for (const struct rk_figure *f = rk_figures(); f->name; f++)
        printf("        %s: %s (%s).\n", f->name, f->help, *f->unit ? f->unit : "a share or count");
    printf("    \"\"\"\n\n");
    for (const struct rk_figure *f = rk_figures(); f->name; f++)
        printf("    %s: Optional[float] = None\n", f->name);
    printf("\n\nUNITS = {\n");
    for (const struct rk_figure *f = rk_figures(); f->name; f++)
        printf("    \"%s\": \"%s\",\n", f->name, f->unit);
    printf("}\n");
}

static void print_constants(void)
{
    static const char *const statuses[] = {
        [RK_OK] = "OK",
        [RK_NOTHING_FITS] = "NOTHING_FITS",
        [RK_BAD_ARGUMENT] = "BAD_ARGUMENT",
        [RK_BAD_INPUT] = "BAD_INPUT",
        [RK_IO] = "IO",
        [RK_NO_MEMORY] = "NO_MEMORY",
        [RK_UNSUPPORTED] = "UNSUPPORTED",
        [RK_LIMIT] = "LIMIT",
        [RK_PROTOCOL] = "PROTOCOL",
        [RK_CHECK_FAILED] = "CHECK_FAILED",
        [RK_INTERRUPTED] = "INTERRUPTED",
    };
    printf("\n\nclass Status(IntEnum):\n    \"\"\"What went wrong.\"\"\"\n\n");
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        printf("    %s = %zu\n", statuses[i], i);
    printf("\n\n");
    printf("KEY_BYTES, PATH_BYTES, TEXT_BYTES = %zu, %zu, %zu\n", sizeof((struct rk_error *)0)->key,
           sizeof((struct rk_error *)0)->path, sizeof((struct rk_error *)0)->text);
    printf("ERROR_BYTES, ANSWER_BYTES = %zu, %zu\n", sizeof(struct rk_error),
           sizeof(struct rk_command_answer));
    printf("VERDICTS = [\n");
    for (int v = 0; v < RK_VERDICTS; v++) {
        printf("    ");
        print_text(rk_verdict_name((enum rk_verdict)v));
        printf(",\n");
    }
    printf("]\n");
}

int main(void)
{
    printf("# Made by python/tables.c from the tables of the library: do not edit.\n"
           "from __future__ import annotations\n\n"
           "from dataclasses import dataclass\n"
           "from enum import IntEnum\n"
           "from typing import Any, Optional\n\n"
           "from ._record import Document, Record\n\n"
           "VERSION = \"%s\"",
           RECKON_VERSION);
    print_constants();
    print_class("Model",
                "The shape of a transformer, as reckon-model(5); None: as without the key.",
                model_fields, "Document");
    print_class("Plan", "Every choice of a training run, as reckon-plan(5); None: not said.",
                plan_fields, "Record");
    print_figures();
    return 0;
}
