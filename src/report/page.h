/* One HTML page that needs nothing but itself: no network, readable without script; light or dark as the reader's
 * system is, printable, from a phone to a wide screen. The text is well-formed XML as well, so that any XML reader can
 * check it. Tables are grids (report.h), plots are svg_plot.h's.
 *
 * The one script sorts tables by a click on their heads. The page forbids any other, and everything that would be
 * loaded, by a content security policy that holds the script's digest: text that slips in as markup can do nothing.
 */
#ifndef ORR_REPORT_PAGE_H
#define ORR_REPORT_PAGE_H

#include "report/report.h"

struct cJSON;

/* Text as markup: & < > " ' escaped; control characters and bytes that are no UTF-8 become U+FFFD. */
void orr_markup(orr_text *out, const char *text);

/* `kind` stands small above the title: "run", "trace". */
void orr_page_begin(orr_text *out, const char *kind, const char *title);
void orr_page_end(orr_text *out);
void orr_page_heading(orr_text *out, const char *text);
void orr_page_paragraph(orr_text *out, const char *text);
void orr_page_code(orr_text *out, const char *text);
/* Facts side by side between begin and end. */
void orr_page_facts_begin(orr_text *out);
void orr_page_fact(orr_text *out, const char *value, const char *label);
void orr_page_facts_end(orr_text *out);
/* Plots side by side between begin and end. */
void orr_page_plots_begin(orr_text *out);
void orr_page_plots_end(orr_text *out);
/* Names and values in columns, between begin and end. */
void orr_page_pairs_begin(orr_text *out);
void orr_page_pair(orr_text *out, const char *name, const char *value);
void orr_page_pairs_end(orr_text *out);
/* A heading and the grid below it, which is destroyed; nothing if it has no rows. */
void orr_page_table(orr_text *out, const char *heading, orr_grid *grid);
/* A document behind a line that opens it. */
void orr_page_document(orr_text *out, const char *line, const struct cJSON *document);

/* ---- cells of tables ---- */

/* Columns by their heads, joined by '|'; those that begin with '>' are of numbers. */
orr_grid *orr_grid_of(const char *heads);
void orr_grid_text(orr_grid *grid, const char *text);
void orr_grid_count(orr_grid *grid, uint64_t value);
void orr_grid_number(orr_grid *grid, double value, int decimals);
void orr_grid_duration(orr_grid *grid, orr_time t); /* sorted by its seconds */

#endif
