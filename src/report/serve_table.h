/* What came of requests, side by side: a row a run, and one for each of its services where there are several. */
#ifndef ORR_REPORT_SERVE_TABLE_H
#define ORR_REPORT_SERVE_TABLE_H

#include "report/report.h"

/* The table alone, of those runs that had services. For people services are left out where there are many; CSV has
 * them all. */
void orr_serve_table(const orr_report_run *runs, size_t count, orr_table_form form, orr_text *out);
/* The line `services` of a head. */
void orr_serve_line(const orr_report_run *run, orr_text *out);
/* What a reader must know besides: requests in flight at the stop, a warm-up; nothing where there is nothing. */
void orr_serve_foot(const orr_report_run *runs, size_t count, orr_text *out);

#endif
