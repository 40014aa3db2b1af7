/* One model of rows, four forms. Cells are kept in reading order; a row is as long as there are columns. */
#include "report/report.h"

#include "base/mem.h"
#include "report/page.h"
#include <stdlib.h>

typedef struct column {
    char *label, *key;
    bool right;
} column;

typedef struct cell {
    char *shown, *exact;
} cell;

struct orr_grid {
    ORR_VEC(column) columns;
    ORR_VEC(cell) cells;
};

orr_grid *orr_grid_create(void)
{
    return orr_xcalloc(1, sizeof(orr_grid));
}

void orr_grid_destroy(orr_grid *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->columns.n; i++) {
        free(t->columns.at[i].label);
        free(t->columns.at[i].key);
    }
    for (size_t i = 0; i < t->cells.n; i++) {
        free(t->cells.at[i].shown);
        free(t->cells.at[i].exact);
    }
    ORR_VEC_FREE(&t->columns);
    ORR_VEC_FREE(&t->cells);
    free(t);
}

void orr_grid_column(orr_grid *t, const char *label, const char *key, bool right)
{
    column c = {orr_xstrdup(label), orr_xstrdup(key), right};
    ORR_VEC_PUSH(&t->columns, c);
}

void orr_grid_cell(orr_grid *t, const char *shown, const char *exact)
{
    cell c = {orr_xstrdup(shown), orr_xstrdup(exact ? exact : shown)};
    ORR_VEC_PUSH(&t->cells, c);
}

/* Code points: bytes that don't continue one. */
static size_t width(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static void spaces(orr_text *out, size_t n)
{
    while (n-- > 0)
        orr_text_add(out, " ", 1);
}

static void add(orr_text *out, const char *text)
{
    orr_text_add(out, text, strlen(text));
}

static size_t *widths_of(const orr_grid *t)
{
    size_t *widths = orr_xcalloc(t->columns.n + 1, sizeof *widths);
    for (size_t i = 0; i < t->columns.n; i++)
        widths[i] = width(t->columns.at[i].label);
    for (size_t i = 0; i < t->cells.n; i++) {
        size_t w = width(t->cells.at[i].shown), at = i % t->columns.n;
        widths[at] = w > widths[at] ? w : widths[at];
    }
    return widths;
}

static void text_cell(const orr_grid *t, size_t at, const char *text, size_t room, orr_text *out)
{
    size_t pad = room - width(text);
    bool last = at + 1 == t->columns.n;
    if (at > 0)
        add(out, "  ");
    if (t->columns.at[at].right)
        spaces(out, pad);
    add(out, text);
    if (!t->columns.at[at].right && !last)
        spaces(out, pad);
    if (!last)
        return;
    while (out->n && out->at[out->n - 1] == ' ') /* an empty cell leaves none at the end of its line */
        out->at[--out->n] = '\0';
    add(out, "\n");
}

static void print_text(const orr_grid *t, orr_text *out)
{
    size_t *widths = widths_of(t);
    for (size_t i = 0; i < t->columns.n; i++)
        text_cell(t, i, t->columns.at[i].label, widths[i], out);
    for (size_t i = 0; i < t->cells.n; i++)
        text_cell(t, i % t->columns.n, t->cells.at[i].shown, widths[i % t->columns.n], out);
    free(widths);
}

/* RFC 4180: quoted only if it must be. */
static void csv_field(orr_text *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        add(out, text);
        return;
    }
    add(out, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            add(out, "\"");
        orr_text_add(out, c, 1);
    }
    add(out, "\"");
}

static void print_csv(const orr_grid *t, orr_text *out)
{
    for (size_t i = 0; i < t->columns.n; i++) {
        csv_field(out, t->columns.at[i].key);
        add(out, i + 1 == t->columns.n ? "\n" : ",");
    }
    for (size_t i = 0; i < t->cells.n; i++) {
        csv_field(out, t->cells.at[i].exact);
        add(out, (i + 1) % t->columns.n == 0 ? "\n" : ",");
    }
}

static void markdown_cell(orr_text *out, const char *text)
{
    add(out, "| ");
    for (const char *c = text; *c; c++) {
        if (*c == '|')
            add(out, "\\");
        orr_text_add(out, *c == '\n' ? " " : c, 1);
    }
    add(out, " ");
}

static void print_markdown(const orr_grid *t, orr_text *out)
{
    for (size_t i = 0; i < t->columns.n; i++)
        markdown_cell(out, t->columns.at[i].label);
    add(out, "|\n");
    for (size_t i = 0; i < t->columns.n; i++)
        add(out, t->columns.at[i].right ? "|---:" : "|---");
    add(out, "|\n");
    for (size_t i = 0; i < t->cells.n; i++) {
        markdown_cell(out, t->cells.at[i].shown);
        if ((i + 1) % t->columns.n == 0)
            add(out, "|\n");
    }
}

/* `exact` is what a column is sorted by, where it isn't the text itself. */
static void html_cell(const orr_grid *t, size_t at, const char *tag, const char *text, const char *exact, orr_text *out)
{
    add(out, at == 0 ? "<tr>" : "");
    orr_text_addf(out, "<%s%s", tag, t->columns.at[at].right ? " class=\"n\"" : "");
    if (strcmp(text, exact) != 0) {
        add(out, " data-v=\"");
        orr_markup(out, exact);
        add(out, "\"");
    }
    add(out, ">");
    orr_markup(out, text);
    orr_text_addf(out, "</%s>%s", tag, at + 1 == t->columns.n ? "</tr>\n" : "");
}

static void print_html(const orr_grid *t, orr_text *out)
{
    add(out, "<div class=\"table\"><table>\n<thead>");
    for (size_t i = 0; i < t->columns.n; i++)
        html_cell(t, i, "th", t->columns.at[i].label, t->columns.at[i].label, out);
    add(out, "</thead>\n<tbody>\n");
    for (size_t i = 0; i < t->cells.n; i++)
        html_cell(t, i % t->columns.n, "td", t->cells.at[i].shown, t->cells.at[i].exact, out);
    add(out, "</tbody>\n</table></div>\n");
}

size_t orr_grid_rows(const orr_grid *t)
{
    return t->columns.n ? t->cells.n / t->columns.n : 0;
}

void orr_grid_print(const orr_grid *t, orr_table_form form, orr_text *out)
{
    if (form == ORR_TABLE_CSV)
        print_csv(t, out);
    else if (form == ORR_TABLE_MARKDOWN)
        print_markdown(t, out);
    else if (form == ORR_TABLE_HTML)
        print_html(t, out);
    else
        print_text(t, out);
}
