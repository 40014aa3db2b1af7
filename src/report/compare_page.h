/* A comparison as a page to look at: metrics side by side, distributions and timelines laid over one another, and each
 * result against the base, job by job. One file that needs nothing else (page.h). Curves show the first eight results
 * and say so where there are more; tables and differences show all. What is sampled is told as in run_page.h.
 */
#ifndef ORR_REPORT_COMPARE_PAGE_H
#define ORR_REPORT_COMPARE_PAGE_H

#include "report/comparison.h"

/* Reads the tables of the results' folders again, one after the other; errors are those of reading them. */
orr_err orr_compare_page(const orr_comparison *comparison, orr_text *out, orr_error *e);

#endif
