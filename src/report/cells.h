/* Cells of the tables of runs. What isn't finite is "-" for people and empty for machines. `mark` puts a star behind a
 * number that covers survivors only.
 */
#ifndef ORR_REPORT_CELLS_H
#define ORR_REPORT_CELLS_H

#include "report/report.h"

void orr_cell_fixed(double v, int decimals, char *buf, size_t size); /* 1 or 2 decimals, half away from zero */
void orr_cell_duration(orr_grid *t, double seconds, bool mark);
void orr_cell_latency(orr_grid *t, double seconds, bool mark); /* as the next below a second */
/* "4.31 ms", "862 us": of what is between 0 and a second, else false. buf holds ORR_TIME_BUF. */
bool orr_latency_human(double seconds, char *buf);
void orr_cell_percent(orr_grid *t, double share);
void orr_cell_ratio(orr_grid *t, double ratio, bool mark);
void orr_cell_count(orr_grid *t, uint64_t n);
void orr_cell_number(orr_grid *t, double v, bool mark); /* four significant digits for people */
void orr_cell_custom(orr_grid *t, const orr_custom *c, bool biased);

#endif
