/* Pieces of the OpenMetrics text format: what a family is called and described as, and its labels. A document is
 * families in any order, the samples of each together, and a last line "# EOF".
 */
#ifndef ORR_REPORT_OPENMETRICS_H
#define ORR_REPORT_OPENMETRICS_H

#include "base/text.h"

/* "jct.mean" in "s" is orrery_jct_mean_seconds: letters, digits and underscores, and the base unit at the end. Units
 * are those of orr_metrics_each; "count" and "" add nothing. */
void orr_openmetrics_name(const char *key, const char *unit, orr_text *out);
/* The lines # TYPE, # UNIT (where there is one) and # HELP. `type` is "gauge", "summary", …; `help` may be any text. */
void orr_openmetrics_family(const char *key, const char *unit, const char *type, const char *help, orr_text *out);
/* NAME="value", escaped. */
void orr_openmetrics_label(const char *name, const char *value, orr_text *out);

#endif
