#include "report/page.h"
#include "report/page_style.h"
#include "report/svg_plot.h"
#include "trace/describe.h"
#include <cjson/cJSON.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

static void add(orr_text *out, const char *text)
{
    orr_text_add(out, text, strlen(text));
}

/* ---- markup ---- */

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

/* ---- the page ---- */

static void policy(orr_text *out)
{
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char text[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE) + 1] = "";
    sha256_init(&context);
    sha256_update(&context, strlen(orr_page_script), (const uint8_t *)orr_page_script);
    sha256_digest(&context, sizeof digest, digest);
    base64_encode_raw(text, sizeof digest, digest);
    orr_text_addf(out,
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'; script-src 'sha256-%s'\"/>\n",
                  text);
}

void orr_page_begin(orr_text *out, const char *kind, const char *title)
{
    add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    policy(out);
    element(out, "title", title);
    add(out, "<style>\n");
    orr_svg_style(out);
    add(out, orr_page_style);
    add(out, "</style>\n</head>\n<body>\n<p class=\"kind\">");
    orr_markup(out, kind);
    add(out, "</p>\n");
    element(out, "h1", title);
}

void orr_page_end(orr_text *out)
{
    add(out, "<script>");
    add(out, orr_page_script);
    add(out, "</script>\n</body>\n</html>\n");
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

void orr_page_plots_begin(orr_text *out)
{
    add(out, "<div class=\"plots\">\n");
}

void orr_page_plots_end(orr_text *out)
{
    add(out, "</div>\n");
}

void orr_page_pairs_begin(orr_text *out)
{
    add(out, "<dl class=\"pairs\">\n");
}

void orr_page_pair(orr_text *out, const char *name, const char *value)
{
    add(out, "<div><dt>");
    orr_markup(out, name);
    add(out, "</dt><dd>");
    orr_markup(out, value);
    add(out, "</dd></div>\n");
}

void orr_page_pairs_end(orr_text *out)
{
    add(out, "</dl>\n");
}

void orr_page_table(orr_text *out, const char *heading, orr_grid *grid)
{
    if (orr_grid_rows(grid)) {
        orr_page_heading(out, heading);
        orr_grid_print(grid, ORR_TABLE_HTML, out);
    }
    orr_grid_destroy(grid);
}

void orr_page_document(orr_text *out, const char *line, const cJSON *document)
{
    char *text = cJSON_Print(document);
    add(out, "<details>\n");
    element(out, "summary", line);
    if (text)
        orr_page_code(out, text);
    add(out, "</details>\n");
    cJSON_free(text);
}

/* ---- cells ---- */

orr_grid *orr_grid_of(const char *heads)
{
    orr_grid *grid = orr_grid_create();
    for (const char *at = heads; *at;) {
        char label[64];
        const bool number = *at == '>';
        const size_t n = strcspn(at, "|");
        snprintf(label, sizeof label, "%.*s", (int)(n - number), at + number);
        orr_grid_column(grid, label, label, number);
        at += n + (at[n] == '|');
    }
    return grid;
}

void orr_grid_text(orr_grid *grid, const char *text)
{
    orr_grid_cell(grid, text, NULL);
}

void orr_grid_count(orr_grid *grid, uint64_t value)
{
    char buf[ORR_DOUBLE_BUF];
    orr_format_count(value, buf);
    orr_grid_cell(grid, buf, NULL);
}

void orr_grid_number(orr_grid *grid, double value, int decimals)
{
    char buf[ORR_WIDE_BUF];
    orr_grid_cell(grid, orr_grouped(value, decimals, buf), NULL);
}

void orr_grid_duration(orr_grid *grid, orr_time t)
{
    char shown[ORR_TIME_BUF], exact[ORR_TIME_BUF];
    orr_time_human(t, shown);
    orr_time_format(t, exact);
    orr_grid_cell(grid, shown, exact);
}
