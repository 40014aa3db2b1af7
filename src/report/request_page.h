/* The description of a trace of requests as a page to look at: arrivals over time and how they bunch, tokens, who asks,
 * what is stated at all, what the reader noted. One file that needs nothing else; see page.h.
 */
#ifndef ORR_REPORT_REQUEST_PAGE_H
#define ORR_REPORT_REQUEST_PAGE_H

#include "trace/describe_requests.h"

typedef struct orr_request_page {
    const orr_request_description *d;
    const char *command; /* that made it; NULL: left out */
} orr_request_page;

void orr_request_page_html(const orr_request_page *page, orr_text *out);

#endif
