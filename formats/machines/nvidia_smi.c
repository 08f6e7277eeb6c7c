/* The matrix of `nvidia-smi topo -m`: a line of column names, one line for each of them, a legend.
 * Adapters are called NIC0, ... with their names in the legend, or by their names. */
#include "base/memory.h"
#include "base/text.h"
#include "machines/node.h"
#include "text/lines.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 2 * NODE_MOST };

struct matrix {
    struct lines lines;
    struct rk_error *error;
    struct node_topology *node;
    int columns, rows; /* accelerators, then adapters */
    char name[MOST_COLUMNS][NODE_NAME];
    bool seen[MOST_COLUMNS]; /* ... as a line */
};

/* The terminal's underlining of the first line. */
static void drop_escapes(char *text)
{
    char *to = text;
    for (const char *at = text; *at;) {
        if (at[0] == '\033' && at[1] == '[') {
            at += 2 + strspn(at + 2, "0123456789;");
            if (*at) at++;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
}

static int find_column(const struct matrix *m, const char *name)
{
    for (int i = 0; i < m->columns; i++)
        if (strcmp(m->name[i], name) == 0) return i;
    return -1;
}

/* The columns that follow are those of processors: "CPU Affinity", "NUMA Affinity", "GPU NUMA
 * ID". */
static bool ends_columns(const char *word)
{
    return strcmp(word, "CPU") == 0 || strcmp(word, "NUMA") == 0 || strcmp(word, "GPU") == 0;
}

/* "GPU0 GPU1 ... NIC0 mlx5_1 ... CPU Affinity NUMA Affinity" */
static enum rk_status read_columns(struct matrix *m, char *word, char *rest)
{
    struct node_topology *node = m->node;
    for (; word && !ends_columns(word); word = strtok_r(rest, " \t\r", &rest)) {
        const bool accelerator = strncmp(word, "GPU", 3) == 0;
        if (accelerator && node->adapters)
            return lines_fail(&m->lines, m->error, "%s comes after adapters", word);
        if ((accelerator ? node->accelerators : node->adapters) == NODE_MOST)
            return lines_fail(&m->lines, m->error, "more than %d of a kind", NODE_MOST);
        if (find_column(m, word) >= 0)
            return lines_fail(&m->lines, m->error, "a second column %s", word);
        if (!accelerator)
            snprintf(node->adapter[node->adapters++].name, NODE_NAME, "%s", word);
        else
            node->accelerators++;
        snprintf(m->name[m->columns++], NODE_NAME, "%s", word);
    }
    return RK_OK;
}

/* The number of links in "NV12"; 0: it is none. */
static int count_of(const char *digits)
{
    const size_t length = strspn(digits, "0123456789");
    return length && length < 4 && !digits[length] ? atoi(digits) : 0;
}

static int distance_of(const char *cell)
{
    int distance = 0;
    if (strcmp(cell, "SOC") == 0) return NODE_SYS; /* as it was called until 2017 */
    while (distance < NODE_DISTANCE_COUNT && strcmp(cell, node_distance_names[distance]) != 0)
        distance++;
    return distance;
}

static int links_of(const char *cell)
{
    return strncmp(cell, "NV", 2) == 0 ? count_of(cell + 2) : 0;
}

static bool is_cell(const char *word)
{
    return strcmp(word, "X") == 0 || links_of(word) || distance_of(word) < NODE_DISTANCE_COUNT;
}

/* What a cell says of accelerator `row`. */
static bool read_cell(struct matrix *m, int row, int column, const char *cell)
{
    struct node_topology *node = m->node;
    const int count = links_of(cell), distance = distance_of(cell);
    const bool links = count > 0;
    if (strcmp(cell, "X") == 0) return row == column;
    if (row == column || (!links && distance == NODE_DISTANCE_COUNT)) return false;
    if (row >= node->accelerators) return true;
    if (column < node->accelerators) {
        node->links[row][column] = count;
        return true;
    }
    if (links) return false;
    node->distance[row][column - node->accelerators] = (enum node_distance)distance;
    return true;
}

static enum rk_status read_row(struct matrix *m, int row, char *rest)
{
    char said[TEXT_QUOTE], *word;
    if (m->seen[row]) return lines_fail(&m->lines, m->error, "a second line %s", m->name[row]);
    m->seen[row] = true;
    for (int column = 0; column < m->columns; column++) {
        word = strtok_r(rest, " \t\r", &rest);
        if (!word)
            return lines_fail(&m->lines, m->error, "%s has %d cells, expected %d", m->name[row],
                              column, m->columns);
        if (!read_cell(m, row, column, word))
            return lines_fail(&m->lines, m->error,
                              "%s to %s: %s is none of X, NV1, NV2, ..., PIX, PXB, PHB, NODE, SYS",
                              m->name[row], m->name[column], text_quote(said, word, strlen(word)));
    }
    word = strtok_r(rest, " \t\r", &rest);
    if (word && is_cell(word))
        return lines_fail(&m->lines, m->error,
                          "%s has more than the %d cells that there are "
                          "columns for",
                          m->name[row], m->columns);
    m->rows++;
    return RK_OK;
}

/* "NIC0: mlx5_0" */
static void read_legend(struct matrix *m, const char *name, char *rest)
{
    char key[NODE_NAME];
    const size_t length = strlen(name);
    const char *word = strtok_r(rest, " \t\r", &rest);
    if (!word || length < 2 || length > sizeof key || name[length - 1] != ':') return;
    snprintf(key, sizeof key, "%.*s", (int)length - 1, name);
    const int column = find_column(m, key);
    if (column < m->node->accelerators) return;
    snprintf(m->node->adapter[column - m->node->accelerators].name, NODE_NAME, "%s", word);
}

static enum rk_status read_line(struct matrix *m)
{
    struct lines *lines = &m->lines;
    char *rest = lines->text, *first;
    if (strlen(lines->text) + 1 >= LINE_SIZE)
        return lines_fail(lines, m->error, "a line of more than %d characters", LINE_SIZE - 2);
    drop_escapes(lines->text);
    if (strstr(lines->text, "ROCm"))
        return lines_fail(lines, m->error,
                          "this is of rocm-smi, whose matrices are not read: `lstopo node.xml` on "
                          "that node and reckon import hwloc");
    first = strtok_r(rest, " \t\r", &rest);
    if (!m->columns && first && strcmp(first, "GPU0") == 0) {
        if (rest[strspn(rest, " \t\r")] != 'X') return read_columns(m, first, rest);
        return lines_fail(lines, m->error, "the line of columns above it is missing");
    }
    const int row = first && m->columns ? find_column(m, first) : -1;
    if (row >= 0) return read_row(m, row, rest);
    if (first && m->columns && strncmp(first, "GPU", 3) == 0)
        return lines_fail(lines, m->error, "%s has a line, but no column", first);
    if (first && m->columns && m->rows < m->node->accelerators)
        return lines_fail(lines, m->error,
                          "expected the line of %s: are lines wrapped? Write the matrix to a file",
                          m->name[m->rows]);
    if (first) read_legend(m, first, rest);
    return RK_OK;
}

static enum rk_status check_matrix(struct matrix *m)
{
    struct node_topology *node = m->node;
    if (!node->accelerators)
        return lines_fail(
            &m->lines, m->error,
            "no line of columns: expected GPU0 GPU1 ..., as nvidia-smi topo -m prints");
    for (int i = 0; i < node->accelerators; i++) {
        if (!m->seen[i]) return lines_fail(&m->lines, m->error, "there is no line %s", m->name[i]);
        for (int k = 0; k < i; k++)
            if (node->links[i][k] != node->links[k][i])
                return lines_fail(&m->lines, m->error, "%s to %s has %d links, back %d", m->name[k],
                                  m->name[i], node->links[k][i], node->links[i][k]);
    }
    for (int i = 0; i < node->accelerators; i++)
        for (int k = 0; k < node->accelerators; k++)
            node->joined[i][k] = node->links[i][k] > 0;
    node->joins_said = true;
    return RK_OK;
}

enum rk_status nvidia_smi_read(const struct document *document, struct node_topology *node,
                               struct rk_error *error)
{
    struct matrix *m = calloc(1, sizeof *m);
    enum rk_status status = RK_OK;
    if (!m) return no_memory(error);
    *node = (struct node_topology){.accelerators = 0};
    m->lines.document = document;
    m->error = error;
    m->node = node;
    while (status == RK_OK && lines_next(&m->lines))
        status = read_line(m);
    if (status == RK_OK) status = check_matrix(m);
    free(m);
    return status;
}
