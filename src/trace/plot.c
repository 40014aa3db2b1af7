#include "trace/plot.h"

/* U+2588 is a full block; from the left, k eighths are U+2590 - k; from below, U+2580 + k. */
static void add_block(orr_text *out, int code)
{
    const char bytes[3] = {(char)0xE2, (char)0x96, (char)code};
    orr_text_add(out, bytes, 3);
}

static void repeat(orr_text *out, char c, int n)
{
    for (int i = 0; i < n; i++)
        orr_text_add(out, &c, 1);
}

/* Eighths of a cell that `value` fills of `cells`; at least one if it isn't zero. */
static int eighths(double value, double most, int cells)
{
    if (!(value > 0) || !(most > 0))
        return 0;
    const int n = (int)(value / most * cells * 8 + 0.5);
    return n < 1 ? 1 : n > cells * 8 ? cells * 8 : n;
}

void orr_plot_bar(orr_text *out, double value, double most, int width, bool blocks)
{
    const int n = eighths(value, most, width);
    if (!blocks) {
        repeat(out, '#', (n + 4) / 8);
        repeat(out, '.', n > 0 && n < 4);
        return;
    }
    for (int i = 0; i < n / 8; i++)
        add_block(out, 0x88);
    if (n % 8)
        add_block(out, 0x90 - n % 8);
}

/* The part of a column that lies in line `line` from below. */
static void add_part(orr_text *out, int n, int line, int cell, bool blocks)
{
    const int part = n - 8 * line < 0 ? 0 : n - 8 * line > 8 ? 8 : n - 8 * line;
    const int bar = cell > 1 ? cell - 1 : 1;
    if (!blocks)
        repeat(out, part >= 4 ? '#' : part > 0 && line == 0 ? '.' : ' ', bar);
    for (int i = 0; blocks && i < bar; i++)
        part ? add_block(out, 0x80 + part) : repeat(out, ' ', 1);
    repeat(out, ' ', cell - bar);
}

static void cut_blanks(orr_text *out)
{
    while (out->n && out->at[out->n - 1] == ' ')
        out->at[--out->n] = '\0';
}

void orr_plot_columns(orr_text *out, const double *values, size_t n, int cell, int height, int indent, bool blocks)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = values[i] > most ? values[i] : most;
    for (int line = height - 1; line >= 0; line--) {
        repeat(out, ' ', indent);
        for (size_t i = 0; i < n; i++)
            add_part(out, eighths(values[i], most, height), line, cell, blocks);
        cut_blanks(out);
        orr_text_add(out, "\n", 1);
    }
}

char orr_plot_tenth(uint64_t part, uint64_t whole)
{
    if (part == 0)
        return '.';
    if (part == whole)
        return '#';
    const int tenth = (int)((double)part / (double)whole * 10);
    return (char)('0' + (tenth < 1 ? 1 : tenth > 9 ? 9 : tenth));
}
