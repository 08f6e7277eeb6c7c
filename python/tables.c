/* tables.c - prints the Python module reckon/_tables.py: classes, names and sizes, from the public
 * headers and the tables of fields that plan.def, model.def and figures.def make. */
#include "catalog/model_fields.h"
#include "catalog/plan_fields.h"
#include "cli/commands.h"
#include "cli/plan_axes.h"
#include "cli/plan_input.h"
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
    printf("\n\n@dataclass%s\nclass %s(%s):\n    \"\"\"%s\n\n    Attributes:\n",
           strcmp(base, "Choices") == 0 ? "(repr=False)" : "", name, base, what);
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

/* ---- options of commands: a TypedDict each ---- */

/* An option as Python names it: "save-plan" is save_plan, "as" is as_. */
static void print_name(const char *name)
{
    static const char *const taken[] = {"as", "from", "in", "is", "with", "for", "if", "not"};
    for (const char *c = name; *c; c++)
        putchar(*c == '-' ? '_' : *c);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0) putchar('_');
}

/* Help, with the options that it names as Python names them. */
static void print_help(const char *text)
{
    for (bool named = false; *text; text++) {
        if (text[0] == '-' && text[1] == '-' && text[2] >= 'a' && text[2] <= 'z') {
            named = true;
            text++;
            continue;
        }
        named &= (*text >= 'a' && *text <= 'z') || *text == '-';
        if (*text == '\\' || *text == '"') putchar('\\');
        putchar(named && *text == '-' ? '_' : *text);
    }
}

static void print_option_type(const struct option *o)
{
    switch (o->type) {
    case OPTION_FLAG:
        printf("bool");
        break;
    case OPTION_NUMBER:
        printf("int");
        break;
    case OPTION_COUNT:
        printf("Union[float, str]");
        break;
    case OPTION_CHOICE:
        printf("Literal[");
        for (int i = 0; o->choices[i]; i++)
            printf("%s\"%s\"", i ? ", " : "", o->choices[i]);
        putchar(']');
        break;
    case OPTION_WORD:
    case OPTION_VALUES:
        printf("Union[bool, int, float, str, Sequence[Any]]");
        break;
    default:
        printf("Union[str, int, float]");
    }
}

/* Those that say how an answer is printed are the module's own business, and so are its inputs. */
static bool is_offered(const struct option *o)
{
    static const char *const own[] = {"model", "system", "gpus",  "batch", "plan", "output",
                                      "quiet", "format", "color", "width", "help", "help-all"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(o->name, own[i]) == 0) return false;
    return true;
}

static void print_options(const char *name, const struct usage *usage)
{
    bool plans = false;
    for (const struct option_group *g = usage->groups; g->rows; g++)
        plans |= g->rows == plan_options;
    printf("\n\nclass %sOptions(%s, total=False):\n    \"\"\"Options:\n", name,
           plans ? "PlanOptions" : "TypedDict");
    for (int pass = 0; pass < 2; pass++) {
        if (pass) printf("    \"\"\"\n\n");
        for (const struct option_group *g = usage->groups; g->rows; g++)
            for (const struct option *o = g->rows; o->name && g->rows != plan_options; o++) {
                if (!is_offered(o)) continue;
                printf(pass ? "    " : "        ");
                print_name(o->name);
                printf(": ");
                if (pass)
                    print_option_type(o);
                else
                    print_help(option_help(usage, o->name, o->help));
                putchar('\n');
            }
        if (!pass && plans)
            printf(
                "        and every choice of class Plan, by its name or as words have it: tp=8\n");
    }
}

/* The key of a plan for each short word of a line: tp, gbs. */
static void print_words(void)
{
    printf("\n\nWORDS = {\n");
    for (const struct field *f = plan_fields; f->key; f++)
        if (f->word && strcmp(f->word, f->key) != 0) {
            printf("    \"");
            print_name(f->word);
            printf("\": \"%s\",\n", f->key);
        }
    printf("}\n\n\nclass PlanOptions(TypedDict, total=False):\n"
           "    \"\"\"Choices of a plan: those of class Plan, by their names or as words have "
           "them.\"\"\"\n\n");
    for (const struct field *f = plan_fields; f->key; f++) {
        if (!f->word) continue;
        const char *type = strcmp(type_of(f), "list[str]") == 0 ? "Sequence[str]" : type_of(f);
        printf("    %s: Union[str, %s]\n", f->key, type);
        if (strcmp(f->word, f->key) == 0 || strchr(f->word, '-')) continue;
        printf("    %s: Union[str, %s]\n", f->word, type);
    }
}

static void print_commands(void)
{
    print_words();
    print_options("Predict", &predict_usage);
    print_options("Fits", &fits_usage);
    print_options("Search", &search_usage);
    print_options("Budget", &budget_usage);
    print_options("Longest", &longest_usage);
    print_options("Serve", &serve_usage);
    print_options("Diff", &diff_usage);
    print_options("Timeline", &timeline_usage);
    print_options("Study", &study_usage);
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
    plan_axes_prepare();
    plan_words_prepare();
    printf("# Made by python/tables.c from the tables of the library: do not edit.\n"
           "from __future__ import annotations\n\n"
           "from dataclasses import dataclass\n"
           "from enum import IntEnum\n"
           "from typing import Any, Literal, Optional, Sequence, TypedDict, Union\n\n"
           "from ._record import Choices, Document, Record\n\n"
           "VERSION = \"%s\"",
           RECKON_VERSION);
    print_constants();
    print_class("Model",
                "The shape of a transformer, as reckon-model(5); None: as without the key.",
                model_fields, "Document");
    print_class("Plan", "Every choice of a training run, as reckon-plan(5); None: not said.",
                plan_fields, "Choices");
    print_figures();
    print_commands();
    return 0;
}
