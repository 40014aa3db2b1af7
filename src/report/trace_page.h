/* The description of a trace as a page to look at: plots, tables, what the reader noted, the command. One file that
 * needs nothing else; see page.h.
 */
#ifndef ORR_REPORT_TRACE_PAGE_H
#define ORR_REPORT_TRACE_PAGE_H

#include "report/offered_load.h"
#include "trace/describe.h"

typedef struct orr_trace_page {
    const orr_description *d;     /* with at least one job */
    const orr_offered_load *load; /* NULL: no cluster was given */
    const char *command;          /* that made it; NULL: left out */
} orr_trace_page;

/* All of it as HTML; the plots alone, as one drawing. */
void orr_trace_page_html(const orr_trace_page *page, orr_text *out);
void orr_trace_page_svg(const orr_trace_page *page, orr_text *out);

#endif
