/* One HTML page that needs nothing but itself: no network, no script; light or dark as the reader's system is,
 * printable. The text is well-formed XML as well, so that any XML reader can check it. Tables are grids (report.h).
 */
#ifndef ORR_REPORT_PAGE_H
#define ORR_REPORT_PAGE_H

#include "report/report.h"

/* Text as markup: & < > " ' escaped; control characters and bytes that are no UTF-8 become U+FFFD. */
void orr_markup(orr_text *out, const char *text);

void orr_page_begin(orr_text *out, const char *title);
void orr_page_end(orr_text *out);
void orr_page_heading(orr_text *out, const char *text);
void orr_page_paragraph(orr_text *out, const char *text);
void orr_page_code(orr_text *out, const char *text);
/* Facts side by side between begin and end. */
void orr_page_facts_begin(orr_text *out);
void orr_page_fact(orr_text *out, const char *value, const char *label);
void orr_page_facts_end(orr_text *out);
/* A heading and the grid below it, which is destroyed; nothing if it has no rows. */
void orr_page_table(orr_text *out, const char *heading, orr_grid *grid);

#endif
