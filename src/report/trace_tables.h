/* Tables that the pages of traces of jobs and of requests have in common. Inside src/report only. */
#ifndef ORR_REPORT_TRACE_TABLES_H
#define ORR_REPORT_TRACE_TABLES_H

#include "report/page.h"
#include "trace/describe.h"

orr_grid *orr_spread_grid(void);
/* Nothing for an empty one. */
void orr_spread_row(orr_grid *grid, const char *name, const orr_spread *spread);
void orr_attribute_table(const orr_attribute_facts *attributes, size_t n, orr_text *out);
/* What the reader noted, the files read, the command; NULL: none. */
void orr_trace_sources(const orr_trace *trace, const char *command, orr_text *out);

#endif
