/* text.c - the report for people: aligned columns, scaled units, bars. */
#include "base/text.h"
#include "base/units.h"
#include "report/columns.h"
#include "report/report.h"
#include "report/text_number.h"
#include "report/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAR_WIDTH = 24, CELL_SIZE = NUMBER_CELL, GAP = 2, NARROW = 24 /* no text needs less */ };

static const char *const bold = "1", *const dim = "2", *const blue = "34", *const red = "31";

/* ---- one cell as text ---- */

struct layout {
    struct scale scale;
    int decimals; /* of the cell that has most */
    int width;
    int whole;    /* the width that no text needs to be broken for */
    bool left;    /* text stands on the left, numbers on the right */
    bool visible; /* not all cells are REPORT_NONE */
    bool here;    /* among the columns at hand: a table that is too wide is written in parts */
};

/* The cell's text: its own, or made in `buffer`. */
static const char *format_cell(const struct report_column *column, const struct scale *scale,
                               const struct report_cell *cell, char buffer[CELL_SIZE])
{
    switch (cell->type) {
    case REPORT_TEXT:
        return cell->as.text;
    case REPORT_COUNT:
        if (column->of_1024 && cell->as.count % 1024 == 0)
            return whole_format(buffer, cell->as.count);
        if (!number_has_scales(column->unit)) return report_digits(cell->as.count, buffer);
        number_format(column, scale, (double)cell->as.count, buffer);
        return buffer;
    case REPORT_NUMBER:
        number_format(column, scale, cell->as.number, buffer);
        return buffer;
    case REPORT_FLAG:
        return cell->as.flag ? "yes" : "no";
    case REPORT_NONE:
        break;
    }
    return "-";
}

static double cell_size(const struct report_cell *cell)
{
    if (cell->type == REPORT_COUNT) return (double)cell->as.count;
    return cell->type == REPORT_NUMBER && isfinite(cell->as.number) ? fabs(cell->as.number) : 0;
}

static const char *column_title(const struct report_column *column, char *buffer)
{
    if (column->title) return column->title;
    snprintf(buffer, CELL_SIZE, "%s", column->name);
    for (char *c = buffer; *c; c++)
        if (*c == '_') *c = ' ';
    return buffer;
}

/* ---- a line, without trailing spaces ---- */

struct line {
    FILE *out;
    const struct report_style *style;
    int spaces; /* owed before the next text */
};

static void put(struct line *line, const char *text, const char *colour)
{
    if (!*text) return;
    fprintf(line->out, "%*s", line->spaces, "");
    line->spaces = 0;
    if (colour && line->style->colour) fprintf(line->out, "\033[%sm", colour);
    text_put_line(line->out, text);
    if (colour && line->style->colour) fputs("\033[0m", line->out);
}

static void put_aligned(struct line *line, const char *text, int width, bool left,
                        const char *colour)
{
    const int padding = width > columns_of(text) ? width - columns_of(text) : 0;
    if (!left) line->spaces += padding;
    put(line, text, colour);
    if (left) line->spaces += padding;
}

static void end_line(struct line *line)
{
    line->spaces = 0;
    fputc('\n', line->out);
}

/* ---- bars ---- */

/* Eighths of a character, then a frame of what is left when the bar fills a capacity. */
static void draw_bar(struct line *line, enum report_bar kind, double value)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const bool utf8 = line->style->utf8;
    const double share = !(value > 0) ? 0 : value > 1 ? 1 : value;
    const int units = (int)(share * BAR_WIDTH * (utf8 ? 8 : 1) + 0.5);
    const int full = utf8 ? units / 8 : units, rest = utf8 ? units % 8 : 0;
    char text[BAR_WIDTH * 4 + 8] = "", frame[BAR_WIDTH * 4 + 8] = "";
    for (int i = 0; i < full; i++)
        strcat(text, utf8 ? "█" : "#");
    strcat(text, eighths[rest]);
    for (int i = full + (rest > 0); kind == REPORT_BAR_FILL && i < BAR_WIDTH; i++)
        strcat(frame, utf8 ? "░" : ".");
    put(line, text, value > 1 ? red : blue);
    put(line, frame, dim);
}

static void draw_sparkline(struct line *line, const char *levels)
{
    static const char *const eighths[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {"_", ".", "-", "=", "+", "*", "%", "#"};
    const char *const *marks = line->style->utf8 ? eighths : ascii;
    char text[CELL_SIZE] = "";
    for (size_t used = 0; *levels && used + 4 < sizeof text; levels++, used = strlen(text))
        strcat(text, *levels >= '0' && *levels <= '7' ? marks[*levels - '0'] : " ");
    put(line, text, blue);
}

/* ---- tables ---- */

/* Numbers of which digits count, not decimals. */
static bool has_digits(const struct report_column *column, const struct report_cell *cell)
{
    return cell->type == REPORT_NUMBER && !column->own_scale && column->digits > 0 &&
           !number_has_scales(column->unit);
}

static int cell_decimals(const struct report_column *column, const struct report_cell *cell)
{
    static const struct scale as_it_is = {1, ""};
    char text[CELL_SIZE];
    return has_digits(column, cell) ? number_decimals(format_cell(column, &as_it_is, cell, text))
                                    : 0;
}

static const char *table_cell(const struct report_column *column, const struct layout *layout,
                              const struct report_cell *cell, char text[CELL_SIZE])
{
    const char *made = format_cell(column, column->own_scale ? NULL : &layout->scale, cell, text);
    if (has_digits(column, cell)) number_align(text, column->digits, layout->decimals);
    return made;
}

static void measure_cell(const struct report_column *column, struct layout *layout,
                         const struct report_cell *cell)
{
    char text[CELL_SIZE];
    if (column->bar) return;
    const int width = columns_of(table_cell(column, layout, cell, text));
    if (width > layout->width) layout->width = width;
    layout->left |= cell->type == REPORT_TEXT;
    layout->visible |= cell->type != REPORT_NONE;
}

/* The scales need the largest value first, the widths the scales: two walks over the rows. */
static void measure(const struct report_table *table, struct report_cell *cells,
                    struct layout *layouts)
{
    double largest[REPORT_MAX_COLUMNS] = {0};
    int decimals[REPORT_MAX_COLUMNS] = {0};
    char title[CELL_SIZE];
    for (size_t row = 0; row < table->rows; row++) {
        table_row(table, row, cells);
        for (int i = 0; i < table->column_count; i++) {
            const int more = cell_decimals(&table->columns[i], &cells[i]);
            largest[i] = fmax(largest[i], cell_size(&cells[i]));
            if (more > decimals[i]) decimals[i] = more;
        }
    }
    for (int i = 0; i < table->column_count; i++) {
        const struct report_column *column = &table->columns[i];
        layouts[i] =
            (struct layout){.scale = column->own_scale ? (struct scale){1, ""}
                                                       : number_scale(column->unit, largest[i]),
                            .decimals = decimals[i],
                            .visible = column->bar != REPORT_NO_BAR};
        layouts[i].width = columns_of(column_title(column, title));
        const int unit = columns_of(layouts[i].scale.unit);
        if (unit > layouts[i].width) layouts[i].width = unit;
    }
    for (size_t row = 0; row < table->rows; row++) {
        table_row(table, row, cells);
        for (int i = 0; i < table->column_count; i++)
            measure_cell(&table->columns[i], &layouts[i], &cells[i]);
    }
}

/* ---- tables that are too wide ---- */

static int column_width(const struct report_column *column, const struct layout *layout)
{
    return column->bar ? BAR_WIDTH : layout->width;
}

static int table_width(const struct report_table *table, const struct layout *layouts)
{
    int width = -GAP;
    for (int i = 0; i < table->column_count; i++)
        if (layouts[i].visible) width += column_width(&table->columns[i], &layouts[i]) + GAP;
    return width;
}

/* The widest texts get lines of their own, until the table fits. */
static void narrow_texts(const struct report_table *table, struct layout *layouts, int width)
{
    for (int over = table_width(table, layouts) - width; over > 0;) {
        struct layout *widest = NULL;
        for (int i = 0; i < table->column_count; i++)
            if (layouts[i].visible && layouts[i].left && !table->columns[i].bar &&
                (!widest || layouts[i].width > widest->width))
                widest = &layouts[i];
        if (!widest || widest->width <= NARROW) return;
        const int less = widest->width - over > NARROW ? over : widest->width - NARROW;
        widest->width -= less;
        over -= less;
    }
}

/* Do rows that follow each other all differ in the columns before `end`? */
static bool tells_apart(const struct report_table *table, const struct layout *layouts, int end)
{
    struct report_cell above[REPORT_MAX_COLUMNS], cells[REPORT_MAX_COLUMNS];
    char one[CELL_SIZE], two[CELL_SIZE];
    if (table->make) return true; /* its texts do not last */
    for (size_t row = 1; row < table->rows; row++) {
        bool same = true;
        table_row(table, row - 1, above);
        table_row(table, row, cells);
        for (int i = 0; i < end && same; i++)
            same = table->columns[i].bar || !layouts[i].visible ||
                   strcmp(format_cell(&table->columns[i], NULL, &above[i], one),
                          format_cell(&table->columns[i], NULL, &cells[i], two)) == 0;
        if (same) return false;
    }
    return true;
}

/* The columns that say what a row is about, which every part of a wide table has: those before the
 * one that is returned. */
static int find_keys(const struct report_table *table, const struct layout *layouts, int width)
{
    int end = 0, used = 0;
    while (end < table->column_count - 1 && !layouts[end].visible)
        end++;
    const int first = end + 1;
    do {
        if (layouts[end].visible) used += GAP + column_width(&table->columns[end], &layouts[end]);
        end++;
    } while (end < table->column_count && used < width / 2 && !tells_apart(table, layouts, end));
    return used <= width * 2 / 3 && tells_apart(table, layouts, end) ? end : first;
}

/* Chooses the columns, from `first` on, that fit on one line together with the `keys` first ones.
 * Returns the index after the last of them. */
static int choose_columns(const struct report_table *table, struct layout *layouts, int keys,
                          int first, int width)
{
    int used = -GAP;
    for (int i = 0; i < table->column_count; i++) {
        layouts[i].here = i < keys && layouts[i].visible;
        if (layouts[i].here) used += GAP + column_width(&table->columns[i], &layouts[i]);
    }
    for (int i = first > keys ? first : keys, taken = 0; i < table->column_count; i++) {
        if (!layouts[i].visible) continue;
        used += GAP + column_width(&table->columns[i], &layouts[i]);
        if (width && used > width && taken) return i;
        layouts[i].here = true;
        taken++;
    }
    return table->column_count;
}

/* Room that is left on a line goes to texts that were narrowed, the last ones first. */
static void widen_texts(const struct report_table *table, struct layout *layouts, int width)
{
    int left = width + GAP;
    for (int i = 0; i < table->column_count; i++)
        if (layouts[i].here) left -= column_width(&table->columns[i], &layouts[i]) + GAP;
    for (int i = table->column_count - 1; i >= 0 && left > 0; i--) {
        const int missing = layouts[i].whole - layouts[i].width;
        if (!layouts[i].here || table->columns[i].bar || missing <= 0) continue;
        layouts[i].width += missing < left ? missing : left;
        left -= missing;
    }
}

static void put_headings(struct line *line, const struct report_table *table,
                         const struct layout *layouts)
{
    bool units = false;
    char title[CELL_SIZE];
    for (int i = 0; i < table->column_count; i++) {
        if (!layouts[i].here || table->columns[i].bar) continue;
        put_aligned(line, column_title(&table->columns[i], title), layouts[i].width,
                    layouts[i].left, dim);
        line->spaces += GAP;
        units |= layouts[i].scale.unit[0] != '\0';
    }
    end_line(line);
    for (int i = 0; i < table->column_count && units; i++) {
        if (!layouts[i].here || table->columns[i].bar) continue;
        put_aligned(line, layouts[i].scale.unit, layouts[i].width, layouts[i].left, dim);
        line->spaces += GAP;
    }
    if (units) end_line(line);
}

static void put_bar(struct line *line, enum report_bar bar, const struct report_cell *cell)
{
    if (cell->type == REPORT_NUMBER) draw_bar(line, bar, cell->as.number);
    if (cell->type == REPORT_TEXT) draw_sparkline(line, cell->as.text);
}

/* What fits of a cell of text; returns the rest. */
static const char *put_piece(struct line *line, const char *text, const struct layout *layout)
{
    size_t bytes = columns_piece(text, layout->width);
    const char *rest = text + bytes;
    char *piece = strndup(text, bytes);
    while (piece && bytes > 0 && *rest && piece[bytes - 1] == ' ')
        piece[--bytes] = '\0';
    put_aligned(line, piece ? piece : "", layout->width, true, NULL);
    free(piece);
    return rest + strspn(rest, " ");
}

/* Texts that are too wide continue in further lines. */
static void put_row(struct line *line, const struct report_table *table,
                    const struct layout *layouts, const struct report_cell *cells)
{
    const char *rest[REPORT_MAX_COLUMNS] = {NULL};
    char text[CELL_SIZE];
    bool more = true;
    for (int i = 0; i < table->column_count; i++)
        if (cells[i].type == REPORT_TEXT) rest[i] = cells[i].as.text;
    for (bool first = true; more; first = false) {
        more = false;
        for (int i = 0; i < table->column_count; i++) {
            const struct report_column *column = &table->columns[i];
            const struct layout *layout = &layouts[i];
            if (!layout->here) continue;
            if (column->bar && first)
                put_bar(line, column->bar, &cells[i]);
            else if (!column->bar && rest[i] && columns_of(rest[i]) > layout->width)
                rest[i] = put_piece(line, rest[i], layout), more = true;
            else if (!column->bar && rest[i])
                put_aligned(line, rest[i], layout->width, layout->left, NULL), rest[i] = "";
            else if (!column->bar)
                put_aligned(line, first ? table_cell(column, layout, &cells[i], text) : "",
                            layout->width, layout->left, NULL);
            line->spaces += GAP;
        }
        end_line(line);
    }
}

static void write_rows(struct line *line, const struct report_table *table,
                       struct report_cell *cells)
{
    const int width = line->style->width;
    struct layout layouts[REPORT_MAX_COLUMNS];
    measure(table, cells, layouts);
    for (int i = 0; i < table->column_count; i++)
        layouts[i].whole = layouts[i].width;
    if (width) narrow_texts(table, layouts, width);
    int narrow[REPORT_MAX_COLUMNS]; /* (column_count) */
    for (int i = 0; i < table->column_count; i++)
        narrow[i] = layouts[i].width;
    const bool parts = width && table_width(table, layouts) > width;
    const int keys = parts ? find_keys(table, layouts, width) : 0;
    for (int first = 0; first < table->column_count;) {
        if (first > 0) fputc('\n', line->out);
        first = choose_columns(table, layouts, keys, first, width);
        if (width) widen_texts(table, layouts, width);
        put_headings(line, table, layouts);
        for (size_t row = 0; row < table->rows; row++) {
            table_row(table, row, cells);
            put_row(line, table, layouts, cells);
        }
        for (int i = 0; i < table->column_count; i++)
            layouts[i].width = narrow[i];
    }
}

/* One line of a record: name, value with its unit, what it is. */
static void put_field(struct line *line, const struct report_column *column,
                      const struct report_cell *cell, int name_width, int value_width)
{
    char title[CELL_SIZE], text[CELL_SIZE];
    put_aligned(line, column_title(column, title), name_width, true, NULL);
    line->spaces += GAP;
    put_aligned(line, format_cell(column, NULL, cell, text), value_width, true, NULL);
    line->spaces += GAP;
    const int from = name_width + value_width + 2 * GAP;
    const struct layout rest = {.width = line->style->width - from};
    const char *help = column->help ? column->help : "";
    for (; rest.width >= NARROW && columns_of(help) > rest.width; line->spaces = from) {
        help = put_piece(line, help, &rest);
        end_line(line);
    }
    put(line, help, dim);
    end_line(line);
}

static void write_record(struct line *line, const struct report_table *table,
                         struct report_cell *cells)
{
    enum { VALUE_WIDTH = 16 };
    char title[CELL_SIZE];
    int width = 0;
    if (!table->rows) return;
    table_row(table, 0, cells);
    for (int i = 0; i < table->column_count; i++) {
        const int name = columns_of(column_title(&table->columns[i], title));
        if (cells[i].type != REPORT_NONE && name > width) width = name;
    }
    for (int i = 0; i < table->column_count; i++)
        if (cells[i].type != REPORT_NONE)
            put_field(line, &table->columns[i], &cells[i], width, VALUE_WIDTH);
}

/* Where to break a text that is too long: after a comma in the second half of the line, else at
 * the last space, else after the first word, which is longer than the line. */
static size_t line_length(const char *text, size_t width)
{
    size_t space = 0;
    for (size_t length = width; length > 0; length--) {
        if (text[length] != ' ') continue;
        if (length > width / 2 && text[length - 1] == ',') return length;
        if (!space) space = length;
    }
    return space ? space : strcspn(text, " ");
}

static void write_lines(struct line *line, const char *text, int indent, size_t width,
                        const char *colour)
{
    while (*text) {
        const size_t length = strlen(text) > width ? line_length(text, width) : strlen(text);
        char *piece = strndup(text, length);
        line->spaces = indent;
        put(line, piece ? piece : "", colour);
        end_line(line);
        free(piece);
        text += length;
        text += strspn(text, " ");
    }
}

static void write_title(struct line *line, const char *text)
{
    const int width = line->style->width;
    if (width < NARROW || columns_of(text) <= width) {
        put(line, text, bold);
        end_line(line);
    } else {
        write_lines(line, text, 0, (size_t)width, bold);
    }
}

static void write_paragraph(struct line *line, const char *text)
{
    enum { WIDEST = 96, INDENT = 2 };
    const int room = line->style->width ? line->style->width - INDENT : WIDEST;
    write_lines(line, text, INDENT, room < WIDEST ? (size_t)room : WIDEST, NULL);
}

static void write_plain(FILE *out, const char *text)
{
    for (bool more = true; more;) {
        const size_t n = strcspn(text, "\n");
        char *line = strndup(text, n);
        if (line) text_put_line(out, line);
        free(line);
        fputc('\n', out);
        more = text[n] == '\n';
        text += n + more;
    }
}

/* Commands stay whole, to be copied. */
static void write_note(struct line *line, const char *text)
{
    const int indent = (int)strspn(text, " "), room = line->style->width - indent;
    const bool command = strncmp(text + indent, "reckon ", 7) == 0;
    if (command || room < NARROW || columns_of(text + indent) <= room)
        write_plain(line->out, text);
    else
        write_lines(line, text + indent, indent, (size_t)room, NULL);
}

static bool is_note(const struct report_table *table)
{
    return table->shape == REPORT_NOTE || table->shape == REPORT_PARAGRAPH;
}

void write_text(const struct report *report, const struct report_style *style, FILE *out)
{
    static const struct report_style plain = {.colour = false};
    struct report_cell cells[REPORT_MAX_COLUMNS];
    struct line line = {out, style ? style : &plain, 0};
    const struct report_table *table = NULL;
    bool note = report->leads, first = !report->leads;
    if (report->leads) write_note(&line, report->verdict);
    while ((table = table_next(report, table, REPORT_IN_TEXT))) {
        if (!first && !(is_note(table) && note)) fputc('\n', out);
        if (table->shape == REPORT_PARAGRAPH)
            write_paragraph(&line, table->title);
        else if (table->shape == REPORT_NOTE)
            write_note(&line, table->title);
        else if (table->title)
            write_title(&line, table->title);
        if (table->shape == REPORT_ROWS) write_rows(&line, table, cells);
        if (table->shape == REPORT_RECORD) write_record(&line, table, cells);
        note = is_note(table);
        first = false;
    }
}
