/* A finished run as a page to look at: what happened over time, distributions, who waited, where the GPUs went, every
 * metric by its key, the manifest. One file that needs nothing else (page.h), from the result's folder alone.
 *
 * It stays small whatever the run's size: curves are exact quantiles on a grid, timelines and the heat map means over
 * bins of equal width, the schedule the heaviest boxes; each says so below its title. The manifest's `wall` is left
 * out, so that equal runs give equal pages. O(rows) time; 40 bytes a job stay in memory for the quantiles.
 */
#ifndef ORR_REPORT_RUN_PAGE_H
#define ORR_REPORT_RUN_PAGE_H

#include "base/text.h"
#include "report/result.h"

/* Errors are those of reading the folder's tables. */
orr_err orr_run_page(const orr_result *result, orr_text *out, orr_error *e);
/* Writes it as report.html into `dir`. */
orr_err orr_run_page_write(const orr_result *result, const char *dir, orr_error *e);

#endif
