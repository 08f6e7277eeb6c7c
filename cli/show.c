#include "cli/show.h"

#include "base/text.h"
#include "cli/pages.h"
#include "text/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *const colour_names[] = {"auto", "always", "never", NULL};

/* clang-format off */
const struct option show_options[] = {
    {.letter = 'f', .name = "format", .common = true, .type = OPTION_CHOICE, .choices = report_format_names,
     .offset = offsetof(struct show_args, format)},
    {.name = "color", .type = OPTION_CHOICE, .choices = colour_names, .argument = "WHEN",
     .offset = offsetof(struct show_args, colour)},
    {.name = "width", .type = OPTION_NUMBER, .argument = "COLUMNS", .min = 40, .max = 10000,
     .offset = offsetof(struct show_args, width)},
    {.name = NULL},
};
/* clang-format on */

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool locale_is_utf8(void)
{
    const char *locale = variable("LC_ALL");
    if (!locale) locale = variable("LC_CTYPE");
    if (!locale) locale = variable("LANG");
    return locale && (strcasestr(locale, "UTF-8") || strcasestr(locale, "UTF8"));
}

bool show_on_terminal(FILE *file)
{
    const char *terminal = variable("TERM");
    return isatty(fileno(file)) && terminal && strcmp(terminal, "dumb") != 0;
}

static int terminal_width(FILE *file)
{
    struct winsize size;
    const bool known = show_on_terminal(file) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0;
    return known && size.ws_col >= 40 ? size.ws_col : 0;
}

struct report_style show_style(const struct show_args *args, FILE *out)
{
    const bool wanted = !variable("NO_COLOR") && show_on_terminal(out);
    return (struct report_style){
        .colour = args->colour == COLOUR_ALWAYS || (args->colour == COLOUR_AUTO && wanted),
        .utf8 = locale_is_utf8(),
        .width = args->width ? (int)args->width : terminal_width(out),
    };
}

bool show_is_page(const struct show_args *args, const char *path)
{
    return path && args->format == REPORT_AS_TEXT && text_ends_in(path, ".html");
}

struct report show_begin(const struct show_args *args, const char *path)
{
    return (struct report){.formats = show_is_page(args, path) ? 0 : 1u << args->format};
}

int show_report(const struct report *report, const struct show_args *args, const char *path,
                int status)
{
    struct output output = {.file = NULL};
    struct rk_error error;
    if (show_is_page(args, path))
        return page_of_answer(report, path, status, &error) == RK_OK ? status
                                                                     : options_fail(&error);
    enum rk_status wrote = output_open(&output, path ? path : "-", &error);
    if (wrote == RK_OK) {
        const struct report_style style = show_style(args, output.file);
        wrote = report_write(report, (enum report_format)args->format, &style, output.file, &error);
    }
    if (wrote == RK_OK)
        wrote = output_commit(&output, &error);
    else
        output_blame(&output, &error);
    output_abandon(&output);
    return wrote == RK_OK ? status : options_fail(&error);
}

int show_end(struct report *report, const struct show_args *args, const char *path,
             enum rk_status status, int code, const struct rk_error *error)
{
    code = status == RK_OK ? show_report(report, args, path, code) : options_fail(error);
    report_release(report);
    return code;
}

int show_finish(int status)
{
    struct rk_error error;
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    if (status == RK_IO || status == RK_NO_MEMORY) return status; /* said already */
    rk_fail(&error, RK_IO, NULL, 0, 0, "cannot write to standard output: %s",
            errno ? strerror(errno) : "an earlier write failed; is the disk full?");
    return options_fail(&error);
}
