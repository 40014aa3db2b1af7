#include "report/page.h"
#include "report/svg_plot.h"
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark}\n"
    "body{margin:0 auto;max-width:1120px;padding:24px 20px 48px;background:#fff;color:#1c2330;"
    "font:15px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:22px;margin:0 0 4px;overflow-wrap:anywhere}\n"
    "h2{font-size:16px;margin:32px 0 8px}\n"
    "p{margin:4px 0;color:#596579}\n"
    "pre{overflow-x:auto;padding:10px 12px;border-radius:6px;background:#f2f4f7;font-size:13px}\n"
    ".facts{display:flex;flex-wrap:wrap;gap:8px;margin:16px 0}\n"
    ".facts div{flex:1 1 130px;padding:8px 12px;border-radius:6px;background:#f2f4f7}\n"
    ".facts b{display:block;font-size:18px;font-variant-numeric:tabular-nums}\n"
    ".facts span{font-size:12px;color:#596579}\n"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr));gap:20px}\n"
    ".plots svg{width:100%;height:auto}\n"
    ".table{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:3px 14px 3px 0;text-align:left;vertical-align:top;border-bottom:1px solid #e4e7ec}\n"
    "th{color:#596579;font-weight:600}\n"
    ".n{text-align:right;white-space:nowrap}\n"
    "@media(prefers-color-scheme:dark){body{background:#14171c;color:#e6e9ef}p,th,.facts span{color:#9aa5b8}"
    "pre,.facts div{background:#1e232b}th,td{border-color:#2c333e}}\n"
    "@media print{body{max-width:none;padding:0}svg,tr{break-inside:avoid}}\n";

static void add(orr_text *out, const char *text)
{
    orr_text_add(out, text, strlen(text));
}

/* Bytes of the character that starts here; 0 if it is none. */
static size_t character(const char *s)
{
    const unsigned char c = (unsigned char)*s;
    const size_t n = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7F || memchr(s, 0, n))
        return 0;
    return orr_utf8_valid(s, n) ? n : 0;
}

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void orr_markup(orr_text *out, const char *text)
{
    while (*text) {
        const char *name = entity(*text);
        const size_t n = character(text);
        if (name)
            add(out, name);
        else if (n)
            orr_text_add(out, text, n);
        else
            add(out, "\xEF\xBF\xBD");
        text += n ? n : 1;
    }
}

static void element(orr_text *out, const char *name, const char *text)
{
    orr_text_addf(out, "<%s>", name);
    orr_markup(out, text);
    orr_text_addf(out, "</%s>\n", name);
}

void orr_page_begin(orr_text *out, const char *title)
{
    add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    element(out, "title", title);
    add(out, "<style>\n");
    add(out, style);
    orr_svg_style(out);
    add(out, "</style>\n</head>\n<body>\n");
    element(out, "h1", title);
}

void orr_page_end(orr_text *out)
{
    add(out, "</body>\n</html>\n");
}

void orr_page_heading(orr_text *out, const char *text)
{
    element(out, "h2", text);
}

void orr_page_paragraph(orr_text *out, const char *text)
{
    element(out, "p", text);
}

void orr_page_code(orr_text *out, const char *text)
{
    element(out, "pre", text);
}

void orr_page_facts_begin(orr_text *out)
{
    add(out, "<div class=\"facts\">\n");
}

void orr_page_fact(orr_text *out, const char *value, const char *label)
{
    add(out, "<div><b>");
    orr_markup(out, value);
    add(out, "</b><span>");
    orr_markup(out, label);
    add(out, "</span></div>\n");
}

void orr_page_facts_end(orr_text *out)
{
    add(out, "</div>\n");
}

void orr_page_table(orr_text *out, const char *heading, orr_grid *grid)
{
    if (orr_grid_rows(grid)) {
        orr_page_heading(out, heading);
        orr_grid_print(grid, ORR_TABLE_HTML, out);
    }
    orr_grid_destroy(grid);
}
