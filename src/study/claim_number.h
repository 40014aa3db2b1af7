/* The numbers that expectations and targets are about: a key of a summary (numbers.h), or an expression over the job
 * table (metrics/expr.h), which the case of the run has to ask for.
 */
#ifndef ORR_STUDY_CLAIM_NUMBER_H
#define ORR_STUDY_CLAIM_NUMBER_H

#include "base/text.h"
#include <cjson/cJSON.h>
#include <orrery/time.h>

/* Whether it is an expression; ORR_E_BAD_VALUE, with the nearest, for what is neither. */
orr_err orr_number_check(const char *text, bool *expression, orr_error *e);
/* Its value by the summary of a run; NaN where that has none. */
double orr_number_of(const cJSON *summary, const char *text);
/* "s", "ratio", "count", "gpu*s" or "". */
const char *orr_number_unit(const char *text);

#define ORR_SHOWN_BUF 48
/* For people: seconds as a duration, whole numbers in full, others to four digits; NaN gives "-". Returns buf, which
 * holds ORR_SHOWN_BUF. */
const char *orr_number_show(double v, const char *unit, char *buf);

#endif
