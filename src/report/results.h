/* The results of a folder: itself one, or one in each of its folders, as `run -o` makes them for several policies.
 */
#ifndef ORR_REPORT_RESULTS_H
#define ORR_REPORT_RESULTS_H

#include "base/mem.h"
#include "report/result.h"

/* Opened and owned. Zeroed memory is empty. */
typedef ORR_VEC(orr_result *) orr_results;

/* Adds them, by name. ORR_E_OPEN if there is no such folder, ORR_E_NOT_COMPARABLE if it holds no result; what opening
 * one gives. */
orr_err orr_results_add(orr_results *results, const char *dir, orr_error *e);
void orr_results_fini(orr_results *results);

#endif
