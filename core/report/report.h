/* report.h - one structure of tables, and writers for it: aligned text, JSON, CSV.
 *
 * A report is a list of tables with typed columns. A table of shape REPORT_RECORD has one row and
 * is read downwards: an object in JSON, a name and a value per line in text. Values are plain SI
 * numbers; a writer for people scales and rounds them as the column's unit asks for, writers for
 * programs give every digit. The report knows nothing of how the numbers came about.
 *
 * Rows are either stored (report_row) or made on demand (report_table.make), so that a report of
 * a million rows needs no memory for them. Whatever runs out of memory on the way marks the
 * report as failed, and report_write says so: callers need not check in between.
 */
#ifndef RECKON_REPORT_REPORT_H
#define RECKON_REPORT_REPORT_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum report_type { REPORT_NONE, REPORT_TEXT, REPORT_COUNT, REPORT_NUMBER, REPORT_FLAG };

struct report_cell {
    enum report_type type;
    union {
        const char *text; /* lives as long as the report; see report_text */
        uint64_t count;
        double number; /* may be infinite: null in JSON */
        bool flag;
    } as;
};

enum report_bar {
    REPORT_NO_BAR,
    REPORT_BAR_SHARE, /* a number from 0 to 1 drawn as a bar: text only */
    REPORT_BAR_FILL,  /* the same in a frame, for what has a capacity; above 1 is an alarm */
    REPORT_SPARKLINE  /* a text of levels, '0' to '7', ' ' for nothing there: text only */
};

/* What a column is of a struct; MADE: of none. */
enum report_member {
    REPORT_MADE,
    REPORT_OF_TEXT,  /* const char * */
    REPORT_OF_CHARS, /* char [] */
    REPORT_OF_INT,
    REPORT_OF_UNSIGNED,
    REPORT_OF_LONG, /* unsigned long, as size_t */
    REPORT_OF_LONGEST,
    REPORT_OF_DOUBLE,
    REPORT_OF_FLAG
};

struct report_column {
    const char *name;  /* in JSON and CSV, unit included: "step_s" */
    const char *title; /* in text; NULL: the name with spaces for '_' */
    const char *unit;  /* of the value: "s", "B", "B/s", "bit/s", "FLOP", "FLOP/s", "1/s", "%" (of
                          1), "" or NULL; text scales these, other words stand as they are */
    int digits;        /* decimals in text; of numbers without a unit: significant digits */
    const char *help;  /* REPORT_RECORD in text: a remark after the value; may be NULL */
    enum report_bar bar;
    bool own_scale; /* in text, each value in the unit that suits it, not the column's */
    bool of_1024;   /* in text, a count of tokens of a sequence as "128K" (whole_format()) */
    enum report_member of;
    uint32_t at; /* of the member in its struct */
};

/* In a column: its cells are that member of a struct, see report_item(). */
#define REPORT_OF(item, member)                                                                    \
    .of = _Generic(((item *)0)->member,                                                            \
        const char *: REPORT_OF_TEXT,                                                              \
        char *: REPORT_OF_CHARS,                                                                   \
        int: REPORT_OF_INT,                                                                        \
        unsigned: REPORT_OF_UNSIGNED,                                                              \
        unsigned long: REPORT_OF_LONG,                                                             \
        unsigned long long: REPORT_OF_LONGEST,                                                     \
        double: REPORT_OF_DOUBLE,                                                                  \
        bool: REPORT_OF_FLAG),                                                                     \
    .at = offsetof(item, member)

enum { REPORT_MAX_COLUMNS = 256 };

enum report_shape {
    REPORT_ROWS,
    REPORT_RECORD,
    REPORT_NOTE,     /* no columns: `title` is a line of text */
    REPORT_PARAGRAPH /* likewise, to be broken into lines */
};

enum report_format { REPORT_AS_TEXT, REPORT_AS_JSON, REPORT_AS_CSV, REPORT_FORMATS };
enum {
    REPORT_IN_TEXT = 1, /* and on pages */
    REPORT_IN_JSON = 2,
    REPORT_IN_CSV = 4,
    REPORT_IN_ALL = 7,
    REPORT_IN_PAGE = 8 /* on pages alone: the numbers of a chart */
};

/* The names of --format, ended by NULL: "table", "json", "csv". */
extern const char *const report_format_names[];

struct chart;

struct report_table {
    const char *name;  /* key in JSON; NULL: the members stand in what is around the table */
    const char *title; /* above it in text; NULL: none */
    enum report_shape shape;
    unsigned formats;                  /* REPORT_IN_... */
    const struct report_table *parent; /* a record that the table is a member of in JSON */
    const struct report_column *columns;
    int column_count; /* at most REPORT_MAX_COLUMNS */
    size_t rows;
    /* Fills one row (column_count cells). Texts in it live until the next call. NULL: stored. */
    void (*make)(const void *context, size_t row, struct report_cell *cells);
    const void *context;
    const struct chart *chart; /* what pages draw above it; its `table` is not read; NULL: none */

    /* kept by the report */
    struct report_cell *cells; /* (capacity, column_count) */
    size_t capacity;
    struct report_table *next;
};

/* How good the news is: the color of a verdict on a page. */
enum report_tone { REPORT_PLAIN, REPORT_GOOD, REPORT_UNSURE, REPORT_BAD };

struct report {
    struct report_table *first, *last;
    struct report_block *memory; /* all that the report allocated */
    unsigned formats;            /* REPORT_IN_... that it will be written as; 0: any */
    const char *title;           /* of its page; NULL: its first line */
    const char *verdict;         /* the answer in a sentence; NULL: none was given */
    bool leads;                  /* text begins with the verdict, too */
    enum report_tone tone;
    bool failed;
};

/* How text is to look. */
struct report_style {
    bool colour;
    bool utf8; /* else ASCII alone */
    int width; /* columns that tables must do with; 0: as many as they take */
};

static inline struct report_cell cell_none(void)
{
    return (struct report_cell){REPORT_NONE, {0}};
}
static inline struct report_cell cell_text(const char *text)
{
    return (struct report_cell){text ? REPORT_TEXT : REPORT_NONE, {.text = text}};
}
static inline struct report_cell cell_count(uint64_t count)
{
    return (struct report_cell){REPORT_COUNT, {.count = count}};
}
static inline struct report_cell cell_number(double number)
{
    return (struct report_cell){REPORT_NUMBER, {.number = number}};
}
static inline struct report_cell cell_flag(bool flag)
{
    return (struct report_cell){REPORT_FLAG, {.flag = flag}};
}

/* "23,295,360"; returns `buffer`. */
enum { REPORT_DIGITS = 32 };
const char *report_digits(uint64_t count, char buffer[REPORT_DIGITS]);

/* A zeroed struct is an empty report. */
void report_release(struct report *report);

/* Will anybody see a table of these formats? What costs time is not made for nobody. */
static inline bool report_shows(const struct report *report, unsigned formats)
{
    return !report->formats || (report->formats & formats);
}

/* Memory that lives as long as the report, zeroed; NULL marks the report as failed. */
void *report_alloc(struct report *report, size_t size);

/* Text that lives as long as the report; "" when there is no memory. */
const char *report_text(struct report *report, const char *format, ...) RK_PRINTF(2, 3);

/* Appends a copy of `table`; NULL marks the report as failed. */
struct report_table *report_add(struct report *report, const struct report_table *table);

/* Appends a list of rows to come; `name` and `title` may be NULL. REPORT_LIST takes `columns` as an
 * array and counts them. */
struct report_table *report_list(struct report *report, const char *name, const char *title,
                                 unsigned formats, const struct report_column *columns, int count);
#define REPORT_LIST(report, name, title, formats, columns)                                         \
    report_list(report, name, title, formats, columns, (int)(sizeof(columns) / sizeof *(columns)))

/* The same of one row: a record. */
struct report_table *report_one(struct report *report, const char *name, const char *title,
                                unsigned formats, const struct report_column *columns, int count);
#define REPORT_ONE(report, name, title, formats, columns)                                          \
    report_one(report, name, title, formats, columns, (int)(sizeof(columns) / sizeof *(columns)))

/* Appends a line that only text shows. */
void report_note(struct report *report, const char *text);

/* A paragraph in lines of at most 96 columns after two spaces of indentation; NULL adds nothing. */
void report_paragraph(struct report *report, const char *text);

/* The answer in a sentence, which heads a page; the last one counts. Copies `text`. */
void report_verdict(struct report *report, enum report_tone tone, const char *text);

/* The same, and text begins with it, too, whatever was added before. */
void report_answer(struct report *report, enum report_tone tone, const char *text);

/* Moves what was added after `last`, once the report's last, before all the rest. */
void report_to_front(struct report *report, struct report_table *last);

/* Appends a copy of `cells` (column_count) to a table of stored rows; `table` may be NULL. */
void report_row(struct report *report, struct report_table *table, const struct report_cell *cells);

/* The same of cells that stand here, one for each column at least. */
#define REPORT_ROW(report, table, ...)                                                             \
    report_row_of(report, table, (struct report_cell[]){__VA_ARGS__},                              \
                  (int)(sizeof((struct report_cell[]){__VA_ARGS__}) / sizeof(struct report_cell)))
void report_row_of(struct report *report, struct report_table *table,
                   const struct report_cell *cells, int count);

/* Appends a row: columns that are REPORT_OF members have those of `item`, which lives as long as
 * the report where they are texts; the others the cells of an array in their order (NULL: there are
 * none), which has one for each of them. */
#define report_item(report, table, item, ...)                                                      \
    report_item_of(report, table, item, __VA_ARGS__,                                               \
                   (int)(sizeof(__VA_ARGS__) / sizeof(struct report_cell)))
void report_item_of(struct report *report, struct report_table *table, const void *item,
                    const struct report_cell *made, int count);

/* What programs are told once: a table of one row that JSON shows as an object, its members named
 * next to their values: REPORT_OBJECT(report, "step_price", {"usd", cell_number(price)}). `name`
 * NULL: members of what is around it. */
struct report_pair {
    const char *name; /* lives as long as the report */
    struct report_cell cell;
};
void report_object(struct report *report, const char *name, const struct report_pair *pairs,
                   int count);
#define REPORT_OBJECT(report, name, ...)                                                           \
    report_object(report, name, (const struct report_pair[]){__VA_ARGS__},                         \
                  (int)(sizeof((struct report_pair[]){__VA_ARGS__}) / sizeof(struct report_pair)))

/* Writes all tables that are meant for the format. RK_IO when the report failed or `out` did. */
enum rk_status report_write(const struct report *report, enum report_format format,
                            const struct report_style *style, FILE *out, struct rk_error *error);

/* ---- for those who write tables themselves ---- */

/* Fills `cells` (column_count) with one row of the table. */
void table_row(const struct report_table *table, size_t row, struct report_cell *cells);

/* Room for any number that is written with all its digits. */
enum { NUMBER_SIZE = 40 };

/* The shortest decimal text that reads back as the same double; "inf", "-inf", "nan" likewise. */
const char *number_exact(double number, char buffer[NUMBER_SIZE]);

#endif
